//! Import: taking over what waits elsewhere, one step after the other.

mod compare;
mod connect;
mod found;
mod look;
mod source;
mod take;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;
use reprieve::model::Comparison;

use crate::api::import::{Looked, Wanted, observe_import, shadow_import};
use crate::api::sources::{HERE, recognise_sources};
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::error::ApiError;
use crate::light::{RefreshedEvery, suspended};
use crate::t;

/// Taking over what waits elsewhere.
///
/// The source stands in the address, so that a wizard that was left can be taken up again; what was done already is in
/// the journal beside the source, and shown.
#[component]
pub fn ImportPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    let wanted = source::of_query(&query);
    // The Redis that the address names; `None` while nobody has chosen one.
    let from = query.get("from").filter(|from| !from.is_empty());
    let is_watched = source::is_watched(&query);
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
        <Title text=t!("import-page-title")/>
        <RefreshedEvery seconds=0/>
        <h1 tabindex="-1">{t!("import-title")}</h1>
        <p class="settings-hint">{t!("import-intro")}</p>
        <ol class="import-steps">
            <li>{t!("import-step-connect")}</li>
            <li>{t!("import-step-source")}</li>
            <li>{t!("import-step-look")}</li>
            <li>{t!("import-step-shadow")}</li>
            <li>{t!("import-step-take")}</li>
            <li>{t!("import-step-back")}</li>
        </ol>
        <div class="settings">
            <connect::Connect from=chosen/>
            {found}
            <source::SourceForm wanted=source/>
            {steps}
        </div>
    }
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
