//! API tokens: the programs that may come in.

use leptos::prelude::*;
use reprieve::model::{Permission, TokenInfo};

use crate::components::time::Time;
use crate::session::Session;
use crate::{i18n, t};

/// The tokens there are, and the form for another.
#[component]
pub(super) fn Tokens(tokens: Vec<TokenInfo>) -> impl IntoView {
    let session = Session::get();
    let refusal = (!session.may(Permission::ManageTokens)).then(|| i18n::needs(Permission::ManageTokens));
    let none = tokens.is_empty().then(|| view! { <p>{t!("account-tokens-none")}</p> });
    let off = refusal.is_some();
    let rights = Permission::ALL.into_iter().filter(|&right| session.may(right)).map(|right| {
        view! {
            <label class="settings-check">
                <input type="checkbox" name=format!("may.{right}") value="1"/>
                <code>{right.to_string()}</code>
            </label>
        }
    });
    view! {
        <section class="panel settings-section" aria-labelledby="tokens-title">
            <div class="panel-head"><h2 id="tokens-title">{t!("account-tokens")}</h2></div>
            <div class="panel-body">
                <p class="settings-hint">{t!("account-tokens-hint")}</p>
                {none}
                <ul class="settings-rules">{tokens.into_iter().map(|token| row(token, refusal.clone())).collect_view()}</ul>
                <details>
                    <summary>{t!("account-token-add")}</summary>
                    <form method="post" action="/people/tokens/add" class="settings-form">
                        <div class="settings-grid">
                            <div class="field">
                                <label for="token-name">{t!("account-token-name")}</label>
                                <input id="token-name" name="name" required maxlength="64" autocomplete="off"/>
                            </div>
                            <div class="field">
                                <label for="token-queues">{t!("account-queues")}</label>
                                <input id="token-queues" name="queues" maxlength="1000" autocomplete="off" placeholder=t!("account-every-queue")/>
                            </div>
                            <div class="field">
                                <label for="token-days">{t!("account-token-days")}</label>
                                <input id="token-days" name="days" type="number" min="1" max="90" value="90"/>
                            </div>
                        </div>
                        <fieldset class="token-rights">
                            <legend>{t!("account-token-may")}</legend>
                            {rights.collect_view()}
                        </fieldset>
                        <p>
                            <button type="submit" class="button" data-tone="primary" aria-disabled=off.then_some("true") title=refusal>
                                {t!("account-token-make")}
                            </button>
                        </p>
                    </form>
                </details>
            </div>
        </section>
    }
}

fn row(token: TokenInfo, refusal: Option<String>) -> impl IntoView {
    let rights = token.permissions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let ends = match token.expires {
        Some(at) => view! { <Time at/> }.into_any(),
        None => t!("account-token-never").into_any(),
    };
    let name = token.name.to_string();
    view! {
        <li>
            <span><strong>{name.clone()}</strong> " · " {rights} " · " {t!("account-token-ends")} " " {ends}</span>
            <form method="post" action="/people/tokens/revoke">
                <input type="hidden" name="name" value=name/>
                <button type="submit" class="button" data-tone="plain" aria-disabled=refusal.is_some().then_some("true") title=refusal>{t!("account-token-revoke")}</button>
            </form>
        </li>
    }
}
