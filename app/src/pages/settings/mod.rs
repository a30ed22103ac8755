//! Settings: how the screens look to me, and what holds for the namespace.

mod about;
mod alerts;
mod appearance;
mod checked;
mod deleting;
mod look;
mod reasons;
mod redaction;
mod retention;
mod roles;
mod search;
mod webhooks;

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::Permission;

use crate::api::settings::{SettingsView, get_settings};
use crate::components::error_panel::ErrorPanel;
use crate::components::fields::{BackField, Submit};
use crate::components::page_head::PageHead;
use crate::components::section::Section;
use crate::error::ApiError;
use crate::light::suspended;
use crate::session::Session;
use crate::t;

/// How the screens look to me, and what holds for the namespace.
#[component]
pub fn SettingsPage() -> impl IntoView {
    let settings = suspended(async {
        match get_settings().await {
            Ok(known) => view! { <Known known/> }.into_any(),
            // How the screens look to them is theirs all the same.
            Err(error) => view! {
                <div class="settings"><appearance::Appearance/></div>
                <NotShown error/>
            }
            .into_any(),
        }
    });
    view! {
        <PageHead title=t!("settings-title") every=0/>
        {settings}
        // Known without asking: everybody sees it, whatever else of this page is not theirs.
        <div class="settings">
            <roles::Roles/>
        </div>
    }
}

/// Why what holds for the namespace is not there.
#[component]
fn NotShown(error: ApiError) -> impl IntoView {
    error.set_status();
    match error {
        // They lack no permission: it is theirs in some queues.
        ApiError::Forbidden { elsewhere: true, .. } => {
            view! { <p>{t!("settings-of-all-queues")}</p> }.into_any()
        }
        error => view! { <ErrorPanel error/> }.into_any(),
    }
}

#[component]
fn Known(known: SettingsView) -> impl IntoView {
    let SettingsView { settings, retention, kept, redis, shards, index } = known;
    view! {
        <nav class="settings-nav" aria-label=t!("settings-sections")>
            <a href="#appearance">{t!("settings-appearance")}</a>
            <a href="#namespace">{t!("settings-namespace")}</a>
            <a href="#retention">{t!("settings-retention")}</a>
            <a href="#deleting">{t!("settings-deleting")}</a>
            <a href="#redaction">{t!("settings-redaction")}</a>
            <a href="#search">{t!("settings-search")}</a>
            <a href="#reasons">{t!("settings-reasons")}</a>
            <a href="#alerts">{t!("settings-alerts")}</a>
            <a href="#webhooks">{t!("settings-webhooks")}</a>
            <a href="#about">{t!("settings-about")}</a>
            <a href="#roles">{t!("settings-roles")}</a>
        </nav>
        <div class="settings">
            <appearance::Appearance/>
            <look::LookForm look=settings.look/>
            <retention::Retention rules=retention kept/>
            <deleting::Deleting two_people=settings.second_person/>
            <redaction::Redaction rules=settings.redaction/>
            <search::Search fields=settings.index_fields index/>
            <reasons::Reasons reasons=settings.reasons/>
            <alerts::Alerts rules=settings.alerts/>
            <webhooks::Webhooks/>
            <about::About redis shards/>
        </div>
    }
}

/// A plain form of the server function `F`, which comes back to this page.
fn form<F: ServerFn>(class: &'static str, fields: impl IntoView) -> impl IntoView {
    form_to(F::PATH.to_owned(), class, fields)
}

/// The same for a function whose address tells the form from others of its kind.
fn form_to(action: String, class: &'static str, fields: impl IntoView) -> impl IntoView {
    view! {
        <form method="post" action=action class=class>
            <BackField/>
            {fields}
        </form>
    }
}

/// The button of a form; off, with why, for a person who lacks the right.
fn submit(permission: Option<Permission>, word: String, tone: &'static str) -> impl IntoView {
    let refusal = permission.and_then(|right| Session::get().lacks(&[right]));
    view! {
        <Submit tone off=refusal.clone()>{word}</Submit>
        {refusal.map(|why| view! { <small>{why}</small> })}
    }
}
