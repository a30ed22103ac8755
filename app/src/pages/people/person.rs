//! One person, and what can be done about them.

use leptos::prelude::*;
use reprieve::model::PersonInfo;

use super::{NameField, Question, QueuesField, RoleField, WhyField, button, refusal};
use crate::components::demo_banner::role_name;
use crate::components::icons::{Icon, icon};
use crate::t;

/// A line about somebody. What can be done about them is folded away.
#[component]
pub(super) fn Person(
    person: PersonInfo,
    /// The names of the tokens that they made.
    tokens: Vec<String>,
) -> impl IntoView {
    let name = person.name.to_string();
    let queues = person.queues.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let scope = if queues.is_empty() { t!("account-every-queue") } else { queues.clone() };
    let state = match (person.disabled, person.has_password, person.has_second_factor) {
        (true, ..) => t!("account-state-disabled"),
        _ if person.federated => t!("account-state-federated"),
        (_, false, _) => t!("account-state-invited"),
        (.., true) => t!("account-state-factor"),
        _ => t!("account-state-password"),
    };
    let beyond = (!tokens.is_empty()).then(|| {
        let names = tokens.join(", ");
        tokens_check(t!("account-their-tokens-beyond", count = tokens.len(), names = names))
    });
    let of_name = name.clone();
    let plain = move |action: &'static str, word: String| {
        view! {
            <form method="post" action=action>
                <NameField name=of_name.clone()/>
                {button(word, "plain")}
            </form>
        }
    };
    let again = if person.disabled {
        plain("/people/disable", t!("account-enable")).into_any()
    } else {
        view! { <KeepOut name=name.clone() tokens=tokens.clone()/> }.into_any()
    };
    view! {
        <li>
            <details>
                <summary>
                    {icon(Icon::ChevronRight)}
                    <strong>{name.clone()}</strong>
                    <span>{role_name(person.role)}</span>
                    <span>{scope}</span>
                    <span class="people-state" data-disabled=person.disabled.to_string()>{state}</span>
                </summary>
                // Its address tells it from the same form of others, for what is wrong with it.
                <form method="post" action=format!("/people/role?name={name}") class="settings-form">
                    <NameField name=name.clone()/>
                    // What was on screen: nobody overwrites what they have not read.
                    <input type="hidden" name="seen_role" value=person.role.as_str()/>
                    <input type="hidden" name="seen_queues" value=queues.clone()/>
                    <div class="settings-grid">
                        <RoleField id=format!("role-{name}") chosen=person.role/>
                        <QueuesField id=format!("queues-{name}") queues/>
                        <WhyField id=format!("reason-{name}")/>
                    </div>
                    {beyond}
                    <p>{button(t!("account-save"), "primary")}</p>
                </form>
                <div class="people-acts">
                    {(!person.federated).then(|| plain("/people/invite", t!("account-invite")))}
                    <EndSessions name=name.clone()/>
                    {again}
                    <Remove name tokens/>
                </div>
            </details>
        </li>
    }
}

#[component]
fn EndSessions(name: String) -> impl IntoView {
    view! {
        <Question
            id=format!("end-{name}") path="/people/sessions/end" word=t!("account-end-all")
            title=t!("account-end-all-of", name = name.clone()) sentence=t!("account-end-all-what")
            dismiss=t!("account-end-all-keep") off=refusal() name
        />
    }
}

#[component]
fn KeepOut(name: String, tokens: Vec<String>) -> impl IntoView {
    view! {
        <Question
            id=format!("out-{name}") path="/people/disable" word=t!("account-disable")
            title=t!("account-disable-named", name = name.clone()) sentence=t!("account-disable-what")
            dismiss=t!("account-disable-keep") off=refusal() name
        >
            <input type="hidden" name="disabled" value="1"/>
            <TheirTokens tokens/>
        </Question>
    }
}

#[component]
fn Remove(name: String, tokens: Vec<String>) -> impl IntoView {
    view! {
        <Question
            id=format!("remove-{name}") path="/people/remove" word=t!("account-remove")
            title=t!("account-remove-named", name = name.clone()) sentence=t!("account-remove-what")
            dismiss=t!("account-remove-keep", name = name.clone()) off=refusal() destroys=true name
        >
            <TheirTokens tokens/>
        </Question>
    }
}

/// Whether the tokens that they made are revoked as well: programs go on with them otherwise.
#[component]
fn TheirTokens(tokens: Vec<String>) -> impl IntoView {
    (!tokens.is_empty()).then(|| {
        let (count, names) = (tokens.len(), tokens.join(", "));
        tokens_check(t!("account-their-tokens", count = count, names = names))
    })
}

fn tokens_check(sentence: String) -> impl IntoView {
    view! {
        <label class="settings-check">
            <input type="checkbox" name="tokens" value="1" checked/>
            <span>{sentence}</span>
        </label>
    }
}
