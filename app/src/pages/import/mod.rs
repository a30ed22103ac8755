//! Import: taking over what waits elsewhere, one step after the other.

mod compare;
mod connect;
mod found;
mod look;
mod source;
mod take;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use reprieve_import::Comparison;

use crate::api::import::{Looked, Wanted, observe_import, shadow_import};
use crate::api::sources::{HERE, recognise_sources};
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::page_head::PageHead;
use crate::error::ApiError;
use crate::light::suspended;
use crate::t;

/// Taking over what waits elsewhere.
///
/// The source stands in the address, so that a wizard that was left can be taken up again; what was done already is in
/// the journal beside the source, and shown.
#[component]
pub fn ImportPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    let wanted = source::of_query(&query);
    let is_looked = wanted.is_some();
    // The Redis that the address names; `None` while nobody has chosen one.
    let from = query.get("from").filter(|from| !from.is_empty());
    let is_watched = source::is_watched(&query);
    let step = match (&from, is_looked, is_watched) {
        (None, false, _) => 0,
        (Some(_), false, _) => 1,
        (_, true, false) => 2,
        (_, true, true) => 3,
    };
    let mut source = wanted.clone().unwrap_or_default();
    source.from = from.clone().filter(|from| from != HERE).unwrap_or_default();
    let chosen = from.clone();
    let found = from.map(|from| {
        suspended(async move {
            view! { <found::Found answer=recognise_sources(&from).await from/> }
        })
    });
    let steps = suspended(async move {
        let Some(wanted) = wanted else {
            return view! { <Empty text=t!("import-nothing-yet")/> }.into_any();
        };
        match observe_import(&wanted).await {
            Ok(looked) => {
                let seen = if is_watched { Some(shadow_import(&wanted).await) } else { None };
                view! { <Steps wanted looked seen/> }.into_any()
            }
            Err(error) => view! { <ErrorPanel error/> }.into_any(),
        }
    });
    view! {
        <PageHead title=t!("import-title") every=0/>
        <p class="settings-hint">{t!("import-intro")}</p>
        <ol class="import-steps">{steps_to(step)}</ol>
        <div class="settings">
            <connect::Connect from=chosen/>
            {found}
            <source::SourceForm wanted=source/>
            {steps}
        </div>
    }
}

/// The steps, and which of them the address is at.
fn steps_to(step: usize) -> impl IntoView {
    let steps = [
        t!("import-step-connect"),
        t!("import-step-source"),
        t!("import-step-look"),
        t!("import-step-shadow"),
        t!("import-step-take"),
        t!("import-step-back"),
    ];
    let line = move |(at, text)| view! { <li aria-current=(at == step).then_some("step")>{text}</li> };
    steps.into_iter().enumerate().map(line).collect_view()
}

/// What can be done once the source was looked at.
#[component]
fn Steps(
    wanted: Wanted,
    looked: Looked,
    /// What was seen by watching it, where the address asks for that.
    seen: Option<Result<Comparison, ApiError>>,
) -> impl IntoView {
    let announced = take::Announced::of(&looked.observation);
    let warnings = looked.observation.warnings.clone();
    let standing = looked.standing.clone();
    view! {
        <look::LookedAt looked/>
        <compare::Compare seen/>
        <take::TakeOver wanted=wanted.clone() announced warnings/>
        <take::RollBack wanted standing/>
    }
}
