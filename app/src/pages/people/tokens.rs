//! API tokens: the programs that may come in.

use leptos::prelude::*;
use reprieve::model::{Permission, TokenInfo};

use super::{Question, QueuesField};
use crate::components::fields::{Submit, labelled};
use crate::components::section::Section;
use crate::components::table::{Table, head, hidden};
use crate::components::time::Time;
use crate::session::Session;
use crate::t;

/// How many rights are shown at once; more are folded away.
const RIGHTS_SHOWN: usize = 3;

/// The tokens there are, and the form for another.
#[component]
pub(super) fn Tokens(tokens: Vec<TokenInfo>) -> impl IntoView {
    let session = Session::get();
    let refusal = session.lacks(&[Permission::ManageTokens]);
    let grantable = Permission::ALL.into_iter().filter(|&right| session.may(right));
    let right = |right: Permission| {
        view! {
            <label class="settings-check">
                <input type="checkbox" name=format!("may.{right}") value="1"/>
                <code>{right.to_string()}</code>
            </label>
        }
    };
    let rights = grantable.map(right).collect_view();
    let table = if tokens.is_empty() {
        view! { <p>{t!("account-tokens-none")}</p> }.into_any()
    } else {
        let rows = tokens.into_iter().map(|token| row(token, refusal.clone())).collect_view();
        view! {
            <Table named_by="tokens-title" class="cards" heads=vec![
                head(t!("account-token-name")), head(t!("account-token-may")), head(t!("account-queues")),
                head(t!("account-token-made")), head(t!("account-token-used")), head(t!("account-token-until")),
                hidden(t!("account-token-revoke")),
            ]>
                {rows}
            </Table>
        }
        .into_any()
    };
    view! {
        <Section id="tokens" title=t!("account-tokens") hint=t!("account-tokens-hint")>
            {table}
            <details>
                <summary class="button">{t!("account-token-add")}</summary>
                <form method="post" action="/people/tokens/add" class="settings-form">
                    <div class="settings-grid">
                        {labelled("token-name", t!("account-token-name"), None, view! {
                            <input id="token-name" name="name" required maxlength="64" autocomplete="off"/>
                        })}
                        <QueuesField id="token-queues" queues=String::new()/>
                        {labelled("token-days", t!("account-token-days"), None, view! {
                            <input id="token-days" name="days" type="number" required min="1" max="90" value="90"/>
                        })}
                    </div>
                    <fieldset class="token-rights">
                        <legend>{t!("account-token-may")}</legend>
                        {rights}
                    </fieldset>
                    <p>
                        <Submit tone="primary" off=refusal>{t!("account-token-make")}</Submit>
                    </p>
                </form>
            </details>
        </Section>
    }
}

fn row(token: TokenInfo, refusal: Option<String>) -> impl IntoView {
    let queues = token.queues.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let queues = if queues.is_empty() { t!("account-every-queue") } else { queues };
    let used = match token.used {
        Some(at) => view! { <Time at/> }.into_any(),
        None => t!("account-token-unused").into_any(),
    };
    let until = match token.expires {
        Some(at) => view! { <Time at/> }.into_any(),
        None => t!("account-token-for-ever").into_any(),
    };
    view! {
        <tr>
            <th scope="row">{token.name.to_string()}</th>
            <td data-label=t!("account-token-may")>{rights(&token.permissions)}</td>
            <td data-label=t!("account-queues")>{queues}</td>
            <td data-label=t!("account-token-made")>{token.by} " · " <Time at=token.created/></td>
            <td data-label=t!("account-token-used")>{used}</td>
            <td data-label=t!("account-token-until")>{until}</td>
            <td><Revoke name=token.name.to_string() refusal/></td>
        </tr>
    }
}

/// What a token may do, in the words that it was made with.
fn rights(rights: &[Permission]) -> impl IntoView + use<> {
    let list = rights.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if rights.is_empty() {
        t!("account-token-may-nothing").into_any()
    } else if rights.len() <= RIGHTS_SHOWN {
        view! { <code>{list}</code> }.into_any()
    } else {
        view! {
            <details>
                <summary>{t!("account-token-rights", count = rights.len())}</summary>
                <code>{list}</code>
            </details>
        }
        .into_any()
    }
}

#[component]
fn Revoke(name: String, refusal: Option<String>) -> impl IntoView {
    view! {
        <Question
            id=format!("revoke-{name}") path="/people/tokens/revoke" word=t!("account-token-revoke")
            title=t!("account-token-revoke-named", name = name.clone()) sentence=t!("account-token-revoke-what")
            dismiss=t!("account-token-revoke-keep", name = name.clone()) off=refusal destroys=true name
        />
    }
}
