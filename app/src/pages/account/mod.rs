//! My account: password, second factor, and where I am signed in.

use leptos::prelude::*;

use crate::api::account::{Account, get_account};
use crate::components::copy::CopyButton;
use crate::components::demo_banner::role_name;
use crate::components::error_panel::ErrorPanel;
use crate::components::fields::{labelled, password};
use crate::components::page_head::PageHead;
use crate::components::section::Section;
use crate::components::time::Time;
use crate::error::ApiError;
use crate::light::suspended;
use crate::session::Session;
use crate::{routes, t};

/// What makes a good password.
const PASSWORD_HINT: &str = "password-hint";

/// My account. Its forms are plain ones: each loads a page that says what became of it.
#[component]
pub fn AccountPage() -> impl IntoView {
    let account = suspended(async {
        match get_account().await {
            Ok(known) => view! { <Known known/> }.into_any(),
            Err(ApiError::SignedOut) => {
                let demo = Session::get().role.filter(|_| Session::get().is_demo);
                let none = demo.map_or_else(
                    || t!("account-none"),
                    |role| t!("account-none-demo", role = role_name(role)),
                );
                view! { <p>{none}</p> }.into_any()
            }
            Err(error) => view! { <ErrorPanel error/> }.into_any(),
        }
    });
    view! {
        <PageHead title=t!("account-title") every=0/>
        {account}
    }
}

#[component]
fn Known(known: Account) -> impl IntoView {
    let Account { me, sessions, here, enrolment, .. } = known;
    let scope = if me.queues.is_empty() {
        t!("account-every-queue")
    } else {
        me.queues.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let proofs = if me.federated {
        view! { <p>{t!("account-federated")}</p> }.into_any()
    } else {
        view! { <Proofs has_factor=me.has_second_factor codes=me.recovery_codes enrolment/> }.into_any()
    };
    view! {
        <p class="account-who">
            <strong>{me.name.to_string()}</strong> " · " {role_name(me.role)} " · " {scope}
        </p>
        <div class="settings">
            {proofs}
            <Section id="account-sessions" title=t!("account-sessions")>
                <ul class="settings-rules">
                    {sessions.into_iter().map(|session| {
                        let is_here = session.id == here;
                        view! {
                            <li>
                                <span>
                                    {if session.agent.is_empty() { t!("account-agent-unknown") } else { session.agent }}
                                    " · " {session.address} " · " <Time at=session.seen/>
                                </span>
                                {if is_here {
                                    view! { <span>{t!("account-here")}</span> }.into_any()
                                } else {
                                    view! {
                                        <form method="post" action="/account/sessions/end">
                                            <input type="hidden" name="id" value=session.id/>
                                            <button type="submit" class="button" data-tone="plain">{t!("account-end")}</button>
                                        </form>
                                    }.into_any()
                                }}
                            </li>
                        }
                    }).collect_view()}
                </ul>
                <form method="post" action="/account/sessions/end">
                    <button type="submit" class="button" data-tone="plain">{t!("account-end-others")}</button>
                </form>
                <p>
                    {t!("account-prove-for")} " "
                    <a href=routes::prove(routes::ACCOUNT) rel="external">{t!("account-prove")}</a>
                </p>
            </Section>
            <form method="post" action="/logout">
                <button type="submit" class="button" data-tone="primary">{t!("account-sign-out")}</button>
            </form>
        </div>
    }
}

/// What proves who they are: their password and second factor.
#[component]
fn Proofs(has_factor: bool, codes: u8, enrolment: Option<(String, String)>) -> impl IntoView {
    let factor = match (has_factor, enrolment) {
        (true, _) => view! { <HasFactor codes/> }.into_any(),
        (false, Some((secret, link))) => view! { <Enrol secret link/> }.into_any(),
        (false, None) => view! {
            <form method="post" action="/account/second-factor/begin" class="settings-form">
                <p>{t!("account-factor-none")}</p>
                {password("present-factor", t!("account-present"), "current-password", None)}
                <p><button type="submit" class="button" data-tone="plain">{t!("account-factor-begin")}</button></p>
            </form>
        }
        .into_any(),
    };
    view! {
        <Section id="account-password" title=t!("account-password")>
            <form method="post" action="/account/password" class="settings-form">
                {password("present", t!("account-present"), "current-password", None)}
                {password("wanted", t!("account-wanted"), "new-password", Some(PASSWORD_HINT))}
                {password("again", t!("account-again"), "new-password", None)}
                <small id=PASSWORD_HINT>{t!("account-password-hint")}</small>
                <p><button type="submit" class="button" data-tone="primary">{t!("account-change")}</button></p>
            </form>
        </Section>
        <Section id="account-factor" title=t!("account-factor")>{factor}</Section>
    }
}

/// A second factor is asked for: how many paper codes are left, and the way to stop it.
#[component]
fn HasFactor(codes: u8) -> impl IntoView {
    view! {
        <p>{t!("account-factor-on", codes = codes)}</p>
        <form method="post" action="/account/second-factor/drop" class="settings-form">
            {password("present-factor", t!("account-present"), "current-password", None)}
            <p><button type="submit" class="button" data-tone="plain">{t!("account-factor-drop")}</button></p>
        </form>
    }
}

/// What to tell the app, and the field for its first code.
#[component]
fn Enrol(secret: String, link: String) -> impl IntoView {
    view! {
        <p>{t!("account-factor-enrol")}</p>
        <p><a href=link>{t!("account-factor-open")}</a></p>
        <p><code class="account-secret">{secret.clone()}</code> <CopyButton text=secret what=t!("account-copy-key")/></p>
        <form method="post" action="/account/second-factor/confirm" class="settings-form">
            {labelled("code", t!("account-code"), None, view! {
                <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="12"/>
            })}
            <p><button type="submit" class="button" data-tone="primary">{t!("account-factor-confirm")}</button></p>
        </form>
    }
}
