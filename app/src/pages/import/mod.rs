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

use crate::api::{HERE, Looked, Wanted, observe_import, recognise_sources, shadow_import};
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::error::ApiError;
use crate::live::reading::Reading;
use crate::t;

/// Taking over what waits elsewhere.
///
/// The source stands in the address, so that a wizard that was left can be taken up again; what was done already is in
/// the journal beside the source, and shown.
#[component]
pub fn ImportPage() -> impl IntoView {
    let query = use_query_map();
    let wanted = Memo::new(move |_| query.with(source::of_query));
    // The Redis that the address names; `None` while nobody has chosen one.
    let from = Memo::new(move |_| query.with(|query| query.get("from").filter(|from| !from.is_empty())));
    let around = Reading::new(
        move || from.get(),
        |from| async move {
            match from {
                Some(from) => Some(recognise_sources(from).await),
                None => None,
            }
        },
    );
    let deeds = take::Deeds::new();
    let done = deeds.done();
    let looked = Reading::new(
        move || (wanted.get(), done.get()),
        |(wanted, ..)| async move {
            match wanted {
                Some(wanted) => Some(observe_import(wanted).await),
                None => None,
            }
        },
    );
    let watched = Reading::new(
        move || wanted.get().filter(|_| query.with(source::is_watched)),
        |wanted| async move {
            match wanted {
                Some(wanted) => Some(shadow_import(wanted).await),
                None => None,
            }
        },
    );
    view! {
        <Title text=t!("import-page-title")/>
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
            <connect::Connect from/>
            <Transition>
                {move || Suspend::new(async move {
                    let answer = around.await;
                    // Another Redis than ours is asked no more often than somebody asks for it.
                    if let (Some(Err(error)), Some(HERE)) = (&answer, from.get_untracked().as_deref()) {
                        around.refetch_after(error);
                    }
                    answer.map(|answer| view! { <found::Found answer from/> })
                })}
            </Transition>
            {move || {
                let mut wanted = wanted.get().unwrap_or_default();
                wanted.from = from.get().filter(|from| from != HERE).unwrap_or_default();
                view! { <source::SourceForm wanted/> }
            }}
            <Transition>
                {move || Suspend::new(async move {
                    let wanted = wanted.get_untracked();
                    match (wanted, looked.await) {
                        (Some(wanted), Some(answer)) => {
                            if let (Err(error), "") = (&answer, &*wanted.from) {
                                looked.refetch_after(error);
                            }
                            let seen = watched.await;
                            view! { <Steps wanted answer seen deeds/> }.into_any()
                        }
                        _ => view! { <Empty text=t!("import-nothing-yet")/> }.into_any(),
                    }
                })}
            </Transition>
        </div>
    }
}

/// What can be done once the source was looked at.
#[component]
fn Steps(
    wanted: Wanted,
    answer: Result<Looked, ApiError>,
    seen: Option<Result<Comparison, ApiError>>,
    deeds: take::Deeds,
) -> impl IntoView {
    match answer {
        Err(error) => view! { <ErrorPanel error/> }.into_any(),
        Ok(looked) => {
            let announced = take::Announced::of(&looked.observation);
            let warnings = looked.observation.warnings.clone();
            let (for_shadow, for_take) = (wanted.clone(), wanted.clone());
            let standing = looked.standing.clone();
            view! {
                <look::LookedAt looked/>
                <compare::Compare wanted=for_shadow seen/>
                <take::TakeOver wanted=for_take announced warnings deeds/>
                <take::RollBack wanted standing deeds/>
            }
            .into_any()
        }
    }
}
