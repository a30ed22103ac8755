//! What a person can do to one job: four buttons in a fixed order, as plain forms. One element holds them and what they
//! open.

mod cancel;
mod plain;
mod reschedule;
mod undo;

use leptos::prelude::*;
use reprieve::model::{JobId, Version};

use self::cancel::CancelAct;
use self::plain::{PlainAct, RunAct};
use self::reschedule::RescheduleAct;
use self::undo::UndoAct;
use crate::components::acts::verb::Verb;
use crate::components::acts::{Target, operation};
use crate::components::fields::JobFields;
use crate::t;

/// The buttons of one job. Those that do not apply are off and say why.
#[component]
pub(crate) fn JobActs(
    /// The job as it is on screen.
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
pub(crate) fn ActFields(
    /// Which job.
    id: JobId,
    /// The version on screen.
    seen: Version,
) -> impl IntoView {
    view! {
        <JobFields id seen/>
        <input type="hidden" name="operation" value=operation(seen)/>
    }
}
