//! What an expression would do.

use leptos::prelude::*;

use super::ticks::Ticks;
use crate::api::schedules::preview_schedule;
use crate::components::error_panel::ErrorPanel;
use crate::error::ApiError;
use crate::schedule::{Fault, FormField, Preview};
use crate::t;

/// What came of trying it out; `None` where there is no expression yet.
pub(super) type Tried = Option<Result<Preview, ApiError>>;

/// Tries an expression out in a zone.
pub(super) async fn tried(schedule: String, zone: String) -> Tried {
    if schedule.trim().is_empty() {
        return None;
    }
    Some(preview_schedule(schedule, zone).await)
}

/// What is wrong with a field.
pub(super) fn fault(tried: &Tried, field: FormField) -> Option<String> {
    let Some(Ok(Preview::Faulty { fault })) = tried else { return None };
    let of = if fault.is_of_the_zone() { FormField::Zone } else { FormField::Schedule };
    (of == field).then(|| Fault::Schedule(fault.clone()).sentence())
}

/// The words and the next ticks. The script asks for them anew while somebody types.
#[component]
pub(super) fn Shown(tried: Tried) -> impl IntoView {
    let shown = match tried {
        None => view! { <p class="quiet">{t!("schedules-preview-empty")}</p> }.into_any(),
        Some(Ok(Preview::Fires { words, ticks })) => {
            // How far away the ticks are changes each second: only the sentence is read out.
            view! { <p class="schedule-sentence">{words}</p> <div aria-live="off"><Ticks ticks/></div> }
                .into_any()
        }
        Some(Ok(Preview::Faulty { .. })) => {
            view! { <p class="quiet">{t!("schedules-preview-faulty")}</p> }.into_any()
        }
        Some(Err(error)) => view! { <ErrorPanel error/> }.into_any(),
    };
    view! {
        <section class="panel preview" aria-labelledby="preview-title">
            <div class="panel-head"><h2 id="preview-title">{t!("schedules-preview")}</h2></div>
            <div class="panel-body" id="preview" aria-live="polite" data-tried="">{shown}</div>
        </section>
    }
}
