//! The hidden parts of every form of the desk.

use leptos::prelude::*;
use reprieve::desk::{DeskPlan, DeskVerb, Step};
use reprieve::model::{Subject, Version};

use crate::components::acts::operation;
use crate::components::fields::BackField;

/// Which plan, as the person sees it, and what is to be done.
pub(super) fn plan_fields(subject: &Subject, plan: &DeskPlan, verb: DeskVerb) -> AnyView {
    // Of a plan its own version; of single jobs the sum of theirs, which grows with each change of any of them.
    let seen = plan.version.unwrap_or_else(|| Version(plan.steps.iter().map(|step| step.version.0).sum()));
    let of_what = match &plan.id {
        Some(plan) => view! {
            <input type="hidden" name="plan" value=plan.to_string()/>
            <input type="hidden" name="seen" value=seen.to_string()/>
        }
        .into_any(),
        None => view! { <input type="hidden" name="jobs" value=jobs(plan)/> }.into_any(),
    };
    view! {
        <input type="hidden" name="subject" value=subject.to_string()/>
        <input type="hidden" name="verb" value=verb.as_str()/>
        {of_what}
        <input type="hidden" name="operation" value=operation(seen)/>
        <BackField/>
    }
    .into_any()
}

/// Jobs and the versions that were read: `id=version,id=version`.
fn jobs(plan: &DeskPlan) -> String {
    let one = |step: &Step| format!("{}={}", step.id, step.version);
    plan.steps.iter().map(one).collect::<Vec<_>>().join(",")
}
