//! What a person can do to one job: four buttons in a fixed order, as plain forms. One element holds them and what they
//! open.

mod cancel;
mod moment;
mod operation;
mod plain;
mod reschedule;
mod undo;
pub mod verb;

pub(crate) use moment::tomorrow_at_nine;
pub use moment::{MomentInput, ZoneField};
pub use operation::{NewIdField, OperationOnField, operation, provide_operations};

use leptos::prelude::*;
use reprieve::model::{Job, JobId, JobState, Version};

use self::cancel::CancelAct;
use self::plain::{PlainAct, RunAct};
use self::reschedule::RescheduleAct;
use self::undo::UndoAct;
use self::verb::Verb;
use crate::components::fields::JobFields;
use crate::session::Session;
use crate::t;

/// The buttons of one job. Those that do not apply are off and say why.
#[component]
pub(crate) fn JobActs(
    job: Job,
    /// The ids in it begin so.
    #[prop(into)]
    prefix: String,
) -> impl IntoView {
    let act = |verb: Verb, tone: &'static str| {
        let job = job.clone();
        match verb {
            Verb::Undo => view! { <UndoAct job id=format!("{prefix}-undo")/> }.into_any(),
            Verb::Run if run_asks_first(&job) => {
                view! { <RunAct job id=format!("{prefix}-run") tone/> }.into_any()
            }
            _ => view! { <PlainAct verb job tone/> }.into_any(),
        }
    };
    let (main, third) = (act(Verb::main(job.state), "primary"), act(Verb::third(job.state), "plain"));
    let (reschedule, cancel) = (format!("{prefix}-reschedule"), format!("{prefix}-cancel"));
    view! {
        <div class="acts" role="group" aria-label=t!("acts-group")>
            {main}
            <RescheduleAct job=job.clone() id=reschedule/>
            {third}
            <span class="acts-space"></span>
            <CancelAct job id=cancel/>
        </div>
    }
}

/// The hidden fields of an act on a job: which one, as it is on screen, and what makes a repeat harmless.
#[component]
pub(crate) fn ActFields(id: JobId, seen: Version) -> impl IntoView {
    view! {
        <JobFields id seen/>
        <input type="hidden" name="operation" value=operation(seen)/>
    }
}

/// Whether to run it asks something first: what waits for its time, and what a customer feels, cannot be made not to have run.
fn run_asks_first(job: &Job) -> bool {
    matches!(job.state, JobState::Delayed | JobState::Held) || Session::get().is_felt(job.kind.as_str())
}

/// Why the button of an act is off for this person and this job; `None` while it is on.
fn why_off_of(verb: Verb, job: &Job) -> Option<String> {
    why_off(verb, job.state, job.cancel_requested.is_some())
}

/// Why the button of an act is off for this person and a job that is so; `None` while it is on.
pub(crate) fn why_off(verb: Verb, state: JobState, asked_to_stop: bool) -> Option<String> {
    if verb == Verb::Cancel && state == JobState::Active && asked_to_stop {
        return Some(t!("acts-asked-already"));
    }
    Session::get().lacks(&[verb.permission(), verb.permission_in(state)]).or_else(|| verb.refusal(state))
}
