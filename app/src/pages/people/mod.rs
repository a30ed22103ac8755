//! Who may sign in, what each is, and the tokens of programs.

mod tokens;

use leptos::prelude::*;
use leptos_meta::Title;
use reprieve::model::{Permission, PersonInfo, Role};

use crate::api::{PeopleView, list_people};
use crate::components::demo_banner::role_name;
use crate::components::error_panel::ErrorPanel;
use crate::components::loading::{Loading, Shape};
use crate::live::reading::Reading;
use crate::session::Session;
use crate::{i18n, t};

/// People and tokens. Its forms are plain ones: each loads a page that says what became of it.
#[component]
pub fn PeoplePage() -> impl IntoView {
    let known = Reading::new(|| (), |()| list_people());
    view! {
        <Title text=t!("account-people-page-title")/>
        <h1 tabindex="-1">{t!("account-people")}</h1>
        <Loading shape=Shape::Panels>
            {move || Suspend::new(async move {
                match known.await {
                    Ok(PeopleView { people, tokens }) => view! {
                        <div class="settings">
                            {people.map(|people| view! { <Everybody people/> })}
                            {tokens.map(|tokens| view! { <tokens::Tokens tokens/> })}
                        </div>
                    }.into_any(),
                    Err(error) => view! { <ErrorPanel error/> }.into_any(),
                }
            })}
        </Loading>
    }
}

#[component]
fn Everybody(people: Vec<PersonInfo>) -> impl IntoView {
    let nobody = people.is_empty().then(|| view! { <p>{t!("account-nobody")}</p> });
    view! {
        <section class="panel settings-section" aria-labelledby="people-title">
            <div class="panel-head"><h2 id="people-title">{t!("account-people-who")}</h2></div>
            <div class="panel-body">
                {nobody}
                <ul class="people">{people.into_iter().map(|person| view! { <Person person/> }).collect_view()}</ul>
            </div>
        </section>
        <section class="panel settings-section" aria-labelledby="people-add">
            <div class="panel-head"><h2 id="people-add">{t!("account-add")}</h2></div>
            <div class="panel-body">
                <p class="settings-hint">{t!("account-add-hint")}</p>
                <form method="post" action="/people/add" class="settings-form">
                    <div class="settings-grid">
                        <div class="field">
                            <label for="new-name">{t!("account-name")}</label>
                            <input id="new-name" name="name" required maxlength="64" autocomplete="off" autocapitalize="none"/>
                        </div>
                        <RoleField id="new-role" chosen=Role::Viewer/>
                        <QueuesField id="new-queues" queues=String::new()/>
                    </div>
                    <p>{button(t!("account-add-button"), "primary")}</p>
                </form>
            </div>
        </section>
    }
}

/// One person; what can be done about them is folded away.
#[component]
fn Person(person: PersonInfo) -> impl IntoView {
    let name = person.name.to_string();
    let queues = person.queues.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let scope = if queues.is_empty() { t!("account-every-queue") } else { queues.clone() };
    let state = match (person.disabled, person.has_password, person.has_second_factor) {
        (true, ..) => t!("account-state-disabled"),
        _ if person.vouched => t!("account-state-vouched"),
        (_, false, _) => t!("account-state-invited"),
        (.., true) => t!("account-state-factor"),
        _ => t!("account-state-password"),
    };
    let named = |name: &str| view! { <input type="hidden" name="name" value=name.to_owned()/> };
    let (disable, disabled) =
        if person.disabled { (t!("account-enable"), "") } else { (t!("account-disable"), "1") };
    let plain = |action: &'static str, word: String| {
        view! { <form method="post" action=action>{named(&name)} {button(word, "plain")}</form> }
    };
    view! {
        <li>
            <details>
                <summary>
                    <strong>{name.clone()}</strong>
                    <span>{role_name(person.role)}</span>
                    <span>{scope}</span>
                    <span class="people-state" data-disabled=person.disabled.to_string()>{state}</span>
                </summary>
                <form method="post" action="/people/role" class="settings-form">
                    {named(&name)}
                    <div class="settings-grid">
                        <RoleField id=format!("role-{name}") chosen=person.role/>
                        <QueuesField id=format!("queues-{name}") queues/>
                        <div class="field">
                            <label for=format!("reason-{name}")>{t!("account-reason")}</label>
                            <input id=format!("reason-{name}") name="reason" maxlength="200" autocomplete="off"/>
                        </div>
                    </div>
                    <p>{button(t!("account-save"), "primary")}</p>
                </form>
                <div class="people-acts">
                    {(!person.vouched).then(|| plain("/people/invite", t!("account-invite")))}
                    {plain("/people/sessions/end", t!("account-end-all"))}
                    <form method="post" action="/people/disable">
                        {named(&name)}
                        <input type="hidden" name="disabled" value=disabled/>
                        {button(disable, "plain")}
                    </form>
                    {plain("/people/remove", t!("account-remove"))}
                </div>
            </details>
        </li>
    }
}

#[component]
fn RoleField(#[prop(into)] id: String, chosen: Role) -> impl IntoView {
    let option = move |role: Role| {
        view! { <option value=role.as_str() selected=role == chosen>{role_name(role)}</option> }
    };
    view! {
        <div class="field">
            <label for=id.clone()>{t!("account-role")}</label>
            <select id=id name="role">{Role::ALL.map(option)}</select>
        </div>
    }
}

#[component]
fn QueuesField(#[prop(into)] id: String, queues: String) -> impl IntoView {
    view! {
        <div class="field">
            <label for=id.clone()>{t!("account-queues")}</label>
            <input id=id name="queues" value=queues maxlength="1000" autocomplete="off" placeholder=t!("account-every-queue")/>
        </div>
    }
}

/// The button of a form; off, with why, for whoever may not.
fn button(word: String, tone: &'static str) -> impl IntoView {
    let refusal =
        (!Session::get().may(Permission::ManagePeople)).then(|| i18n::needs(Permission::ManagePeople));
    view! {
        <button type="submit" class="button" data-tone=tone aria-disabled=refusal.is_some().then_some("true") title=refusal>{word}</button>
    }
}
