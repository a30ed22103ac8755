//! Who may sign in, what each is, and the tokens of programs.

mod person;
mod tokens;

use leptos::prelude::*;
use reprieve::model::{Permission, PersonInfo, Role, TokenInfo};

use crate::api::account::{PeopleView, list_people};
use crate::components::confirm::Confirm;
use crate::components::demo_banner::role_name;
use crate::components::empty::Empty;
use crate::components::error_panel::or_why;
use crate::components::fields::{Submit, labelled};
use crate::components::page_head::PageHead;
use crate::components::section::Section;
use crate::error::ApiError;
use crate::light::suspended;
use crate::session::Session;
use crate::t;

/// People and tokens. Its forms are plain ones: each loads a page that says what became of it.
#[component]
pub fn PeoplePage() -> impl IntoView {
    let known = suspended(async {
        match list_people().await {
            // Either part has a permission of its own.
            Err(refused @ ApiError::Forbidden { .. }) => {
                refused.set_status();
                view! { <Empty text=t!("account-people-needs")/> }.into_any()
            }
            known => or_why(known.map(|known| view! { <Known known/> })).into_any(),
        }
    });
    view! {
        <PageHead title=t!("frame-nav-people") every=0/>
        {known}
    }
}

#[component]
fn Known(known: PeopleView) -> impl IntoView {
    let PeopleView { people, tokens } = known;
    let everybody = people.map(|people| {
        let tokens = tokens.clone();
        view! { <Everybody people tokens/> }
    });
    view! {
        <div class="settings">
            {everybody}
            <tokens::Tokens tokens/>
        </div>
    }
}

#[component]
fn Everybody(
    people: Vec<PersonInfo>,
    /// Those whose makers it tells of.
    tokens: Vec<TokenInfo>,
) -> impl IntoView {
    let nobody = people.is_empty().then(|| view! { <p>{t!("account-nobody")}</p> });
    let line = |person: PersonInfo| {
        let made = tokens.iter().filter(|token| token.by == person.name.as_str());
        let tokens = made.map(|token| token.name.to_string()).collect();
        view! { <person::Person person tokens/> }
    };
    let people = people.into_iter().map(line).collect_view();
    view! {
        <Section id="people" title=t!("account-people-who")>
            {nobody}
            <ul class="people">{people}</ul>
        </Section>
        <Section id="add" title=t!("account-add") hint=t!("account-add-hint")>
            <form method="post" action="/people/add" class="settings-form">
                <div class="settings-grid">
                    {labelled("new-name", t!("account-name"), None, view! {
                        <input id="new-name" name="name" required maxlength="64" autocomplete="off" autocapitalize="none"/>
                    })}
                    <RoleField id="new-role" chosen=Role::Viewer/>
                    <QueuesField id="new-queues" queues=String::new()/>
                </div>
                <p>{button(t!("account-add-button"), "primary")}</p>
            </form>
        </Section>
    }
}

#[component]
fn RoleField(#[prop(into)] id: String, chosen: Role) -> impl IntoView {
    let option = move |role: Role| {
        view! { <option value=role.as_str() selected=role == chosen>{role_name(role)}</option> }
    };
    view! {
        {labelled(id.clone(), t!("account-role"), None, view! { <select id=id name="role">{Role::ALL.map(option)}</select> })}
    }
}

#[component]
fn QueuesField(#[prop(into)] id: String, queues: String) -> impl IntoView {
    view! {
        {labelled(id.clone(), t!("account-queues"), None, view! {
            <input id=id name="queues" value=queues maxlength="1000" autocomplete="off" placeholder=t!("account-every-queue")/>
        })}
    }
}

/// Why it is done, for the audit.
#[component]
fn WhyField(id: String) -> impl IntoView {
    view! {
        {labelled(id.clone(), t!("account-reason"), None, view! {
            <input id=id name="reason" maxlength="200" autocomplete="off"/>
        })}
    }
}

/// The name of the person or the token that a form is about.
#[component]
fn NameField(name: String) -> impl IntoView {
    view! { <input type="hidden" name="name" value=name/> }
}

/// What is asked before something is done about a person or a token, and the form that does it.
#[component]
fn Question(
    id: String,
    /// Where the form is sent.
    path: &'static str,
    /// The word on the button that asks.
    word: String,
    title: String,
    sentence: String,
    dismiss: String,
    /// Why the button is off; `None` while it is on.
    off: Option<String>,
    /// Whether it cannot be taken back.
    #[prop(optional)]
    destroys: bool,
    name: String,
    /// Further fields.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let (why, submit) = (format!("{id}-why"), title.clone());
    let (tone, tone_inside) = if destroys { ("danger", "destroy") } else { ("plain", "primary") };
    view! {
        <Confirm
            id trigger=move || word.clone() title sentence dismiss disabled_because=off.unwrap_or_default() tone
            dismiss_first=destroys
        >
            <form method="post" action=path>
                <NameField name/>
                {children.map(|children| children())}
                <WhyField id=why/>
                <button type="submit" class="button" data-tone=tone_inside>{submit}</button>
            </form>
        </Confirm>
    }
}

/// Why the reader may not change people; nothing for one who may.
fn refusal() -> Option<String> {
    Session::get().lacks(&[Permission::ManagePeople])
}

/// The button of a form; off, with why, for a person who may not.
fn button(word: String, tone: &'static str) -> impl IntoView {
    view! { <Submit tone off=refusal()>{word}</Submit> }
}
