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
use reprieve::model::{JobDetail, JobId, JobState, Subject, Timestamp, Version};

use self::cancel::CancelAct;
use self::plain::{PlainAct, RunAct};
use self::reschedule::RescheduleAct;
use self::undo::UndoAct;
use self::verb::Verb;
use crate::components::fields::JobFields;
use crate::i18n;
use crate::session::Session;
use crate::t;

/// The job as the person sees it when they act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Which job.
    pub id: JobId,
    /// What sort of work, for sentences.
    pub kind: String,
    /// What it is about, for sentences.
    pub subject: Option<Subject>,
    /// The state on screen.
    pub state: JobState,
    /// The version on screen: every act sends it.
    pub version: Version,
    /// The due time on screen.
    pub due: Timestamp,
    /// When somebody asked the running attempt to stop.
    pub cancel_requested: Option<Timestamp>,
    /// Its due time had passed when it was read. Decides the first render, where no clock runs.
    pub overdue: bool,
    /// It was called off while it was held: put back, it is held again, whatever its due time.
    pub was_held: bool,
}

impl From<&JobDetail> for Target {
    fn from(detail: &JobDetail) -> Self {
        let job = &detail.job;
        Self {
            id: job.id.clone(),
            kind: job.kind.to_string(),
            subject: job.subject.clone(),
            state: job.state,
            version: job.version,
            due: job.due,
            cancel_requested: job.cancel_requested,
            overdue: job.due <= detail.read_at,
            was_held: job.state == JobState::Cancelled && job.cancelled_from == Some(JobState::Held),
        }
    }
}

impl Target {
    /// Whether an act asks something before it is done.
    pub fn asks_first(&self, verb: Verb) -> bool {
        match verb {
            Verb::Hold | Verb::Unhold => false,
            // What waits for its time cannot be made not to have run.
            Verb::Run => {
                matches!(self.state, JobState::Delayed | JobState::Held) || Session::get().is_felt(&self.kind)
            }
            _ => true,
        }
    }

    /// Why the button of an act is off for this person and this job; `None` while it is on.
    pub fn off_because(&self, verb: Verb) -> Option<String> {
        why_off(verb, self.state, self.cancel_requested.is_some())
    }
}

/// The buttons of one job. Those that do not apply are off and say why.
#[component]
pub(crate) fn JobActs(
    target: Target,
    /// The ids in it begin so.
    #[prop(into)]
    prefix: String,
) -> impl IntoView {
    let act = |verb: Verb, tone: &'static str| {
        let target = target.clone();
        match verb {
            Verb::Undo => view! { <UndoAct target id=format!("{prefix}-undo")/> }.into_any(),
            Verb::Run if target.asks_first(Verb::Run) => {
                view! { <RunAct target id=format!("{prefix}-run") tone/> }.into_any()
            }
            _ => view! { <PlainAct verb target tone/> }.into_any(),
        }
    };
    let (main, third) = (act(Verb::main(target.state), "primary"), act(Verb::third(target.state), "plain"));
    let (reschedule, cancel) = (format!("{prefix}-reschedule"), format!("{prefix}-cancel"));
    view! {
        <div class="acts" role="group" aria-label=t!("acts-group")>
            {main}
            <RescheduleAct target=target.clone() id=reschedule/>
            {third}
            <span class="acts-space"></span>
            <CancelAct target=target.clone() id=cancel/>
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

/// Why the button of an act is off for this person and a job that is so; `None` while it is on.
pub(crate) fn why_off(verb: Verb, state: JobState, asked_to_stop: bool) -> Option<String> {
    if verb == Verb::Cancel && state == JobState::Active && asked_to_stop {
        return Some(t!("acts-asked-already"));
    }
    off_because(verb, state)
}

/// Why a button is off for this person and this job; `None` while it is on.
fn off_because(verb: Verb, state: JobState) -> Option<String> {
    let lacks =
        [verb.permission(), verb.permission_in(state)].into_iter().find(|&right| !Session::get().may(right));
    lacks.map(i18n::needs).or_else(|| verb.refusal(state))
}
