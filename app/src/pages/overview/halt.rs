//! Why nothing starts, and the button that ends it.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Halt, HaltReason, Permission};

use crate::api::halt::ClearHalt;
use crate::components::fields::{BackField, Submit};
use crate::components::icons::{Icon, icon};
use crate::components::time::{HERE, TimedSentence};
use crate::session::Session;
use crate::{format, t};

/// What happened, since when, and whether it ends by itself.
pub(super) fn halt(standing: &Halt) -> AnyView {
    let by = format::span(i64::try_from(standing.by_ms).unwrap_or(i64::MAX));
    let why = match standing.why {
        HaltReason::ClockAhead => t!("overview-clock-ahead", span = by, at = HERE),
        HaltReason::ClockBack => t!("overview-clock-back", span = by, at = HERE),
        HaltReason::ClockApart => t!("overview-clock-apart", span = by, at = HERE),
        HaltReason::WentBack if standing.until.is_some() => {
            t!("overview-failed-over", span = by, at = HERE)
        }
        HaltReason::WentBack => t!("overview-went-back", span = by, at = HERE),
        HaltReason::TookOver => t!("overview-took-over", at = HERE),
        HaltReason::Restored => t!("overview-restored", at = HERE),
        _ => t!("overview-replaced", at = HERE),
    };
    view! { <strong>{t!("overview-halt")}</strong> " " <TimedSentence text=why at=standing.at/> }.into_any()
}

/// Lets jobs start again, or says what that takes.
#[component]
pub(super) fn ClearHaltButton() -> impl IntoView {
    let needs = Session::get().off_everywhere(Permission::PauseQueues);
    view! {
        <form method="post" action=ClearHalt::PATH>
            <BackField/>
            <Submit off=needs>{icon(Icon::Play)} {t!("overview-clear-halt")}</Submit>
        </form>
    }
}
