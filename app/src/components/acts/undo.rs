//! Taking a cancel back: at the original due time, or with a question if that has passed. What was held is held again.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Job, JobState};

use super::plain::PlainAct;
use super::verb::Verb;
use super::{ActFields, why_off_of};
use super::{MomentInput, ZoneField};
use crate::api::acts::{ReinstateJob, RetryJob};
use crate::clock::Clock;
use crate::components::confirm::Confirm;
use crate::components::icons::{Icon, icon};
use crate::{format, t};

/// The undo of a cancelled job.
#[component]
pub(super) fn UndoAct(job: Job, id: String) -> impl IntoView {
    let now_ms = Clock::get().now_ms();
    let was_held = job.state == JobState::Cancelled && job.cancelled_from == Some(JobState::Held);
    if !was_held && job.due.as_millis() <= now_ms {
        view! { <Overdue job id/> }.into_any()
    } else {
        // One press: back to its original time.
        view! { <PlainAct verb=Verb::Undo job tone="primary"/> }.into_any()
    }
}

/// Its time has passed: run it now, at another time, or not at all.
#[component]
fn Overdue(job: Job, id: String) -> impl IntoView {
    let why = why_off_of(Verb::Undo, &job).unwrap_or_default();
    let sentence = t!("acts-undo-overdue", due = format::exact(job.due, Clock::get().zone()));
    let field = format!("{id}-at");
    view! {
        <span data-key=Verb::Undo.key()>
            <Confirm
                id
                trigger=move || view! { {icon(Icon::Undo)} <span>{t!("acts-undo")}</span> }
                title=t!("acts-undo-overdue-title")
                sentence
                dismiss=t!("acts-keep-off")
                disabled_because=why
                tone="primary"
            >
                <form method="post" action=RetryJob::PATH>
                    <ActFields id=job.id.clone() seen=job.version/>
                    <button type="submit" class="button" data-tone="primary">{icon(Icon::Play)} {t!("acts-run-now")}</button>
                </form>
                <form method="post" action=ReinstateJob::PATH>
                    <ActFields id=job.id seen=job.version/>
                    <ZoneField/>
                    <MomentInput id=field name="at" label=t!("acts-at-another-time") first=None/>
                    <button type="submit" class="button">{t!("acts-put-back-at")}</button>
                </form>
            </Confirm>
        </span>
    }
}
