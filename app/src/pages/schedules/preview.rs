//! What an expression would do, while somebody types it.

use std::time::Duration;

use leptos::prelude::*;
use reprieve::model::ScheduleFault;

use super::ticks::Ticks;
use crate::api::preview_schedule;
use crate::components::error_panel::ErrorPanel;
use crate::error::ApiError;
use crate::live::effect::effect;
use crate::live::reading::Reading;
use crate::schedule::{Fault, FormField, Preview};
use crate::t;

/// A pause in typing after which the expression is tried out.
const PAUSE: Duration = Duration::from_millis(250);

/// What is tried out, and what came of it.
#[derive(Clone, Copy)]
pub(super) struct Tried {
    /// The expression and the zone as typed.
    pub(super) schedule: RwSignal<String>,
    /// See above.
    pub(super) zone: RwSignal<String>,
    answer: Reading<Option<Result<Preview, ApiError>>>,
    /// What the latest answer finds wrong.
    wrong: RwSignal<Option<ScheduleFault>>,
}

impl Tried {
    /// Tries out what is typed, from the given beginning on. On the page itself, outside of suspended parts.
    pub(super) fn new(schedule: String, zone: String) -> Self {
        let settled = RwSignal::new((schedule.clone(), zone.clone()));
        let (schedule, zone) = (RwSignal::new(schedule), RwSignal::new(zone));
        Effect::new(move |before: Option<()>| {
            let typed = (schedule.get(), zone.get());
            if before.is_some()
                && let Ok(timer) = set_timeout_with_handle(
                    move || {
                        let _ = settled.try_set(typed);
                    },
                    PAUSE,
                )
            {
                on_cleanup(move || timer.clear());
            }
        });
        let answer = Reading::new(
            move || settled.get(),
            |(schedule, zone)| async move {
                if schedule.trim().is_empty() {
                    return None;
                }
                Some(preview_schedule(schedule, zone).await)
            },
        );
        let wrong = RwSignal::new(None);
        // The fields stand outside of what waits for the answer, where it must not be read.
        effect(move || {
            wrong.set(match answer.get().flatten() {
                Some(Ok(Preview::Faulty { fault })) => Some(fault),
                _ => None,
            });
        });
        Self { schedule, zone, answer, wrong }
    }

    /// What is wrong with a field, by the latest answer; nothing before the page is hydrated.
    pub(super) fn fault(self, field: FormField) -> Option<String> {
        let fault = self.wrong.get()?;
        let of = if fault.is_of_the_zone() { FormField::Zone } else { FormField::Schedule };
        (of == field).then(|| Fault::Schedule(fault).sentence())
    }
}

/// The words and the next ticks.
#[component]
pub(super) fn Shown(
    /// What is tried out.
    tried: Tried,
) -> impl IntoView {
    let shown = move || {
        Suspend::new(async move {
            match tried.answer.await {
                None => view! { <p class="quiet">{t!("schedules-preview-empty")}</p> }.into_any(),
                Some(Ok(Preview::Fires { words, ticks })) => {
                    // How far away the ticks are changes each second: only the sentence is read out.
                    view! { <p class="schedule-sentence">{words}</p> <div aria-live="off"><Ticks ticks/></div> }.into_any()
                }
                Some(Ok(Preview::Faulty { .. })) => {
                    view! { <p class="quiet">{t!("schedules-preview-faulty")}</p> }.into_any()
                }
                Some(Err(error)) => view! { <ErrorPanel error/> }.into_any(),
            }
        })
    };
    view! {
        <section class="panel preview" aria-labelledby="preview-title">
            <div class="panel-head"><h2 id="preview-title">{t!("schedules-preview")}</h2></div>
            <div class="panel-body" aria-live="polite"><Transition>{shown}</Transition></div>
        </section>
    }
}
