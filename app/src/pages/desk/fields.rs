//! The hidden parts of every form of the desk, and the fields for why.

use leptos::prelude::*;
use reprieve::model::{Subject, Version};

use crate::components::acts::OperationField;
use crate::components::fields::BackField;
use crate::desk::{DeskVerb, Matter};

/// Which matter, as the person sees it, and what is to be done.
#[component]
pub(super) fn MatterFields(
    /// The subject.
    subject: Subject,
    /// The matter as it is on screen.
    #[prop(into)]
    matter: Signal<Matter>,
    /// What is to be done.
    verb: DeskVerb,
) -> impl IntoView {
    // Of a plan its own version; of single jobs the sum of theirs, which grows with each change of any of them.
    let seen = Signal::derive(move || {
        matter.with(|matter| {
            matter.version.unwrap_or_else(|| Version(matter.steps.iter().map(|step| step.version.0).sum()))
        })
    });
    let plan = matter.with_untracked(|matter| matter.plan.clone());
    let of_plan = match plan {
        Some(plan) => view! {
            <input type="hidden" name="plan" value=plan.to_string()/>
            <input type="hidden" name="seen" value=move || seen.get().to_string()/>
        }
        .into_any(),
        None => {
            view! { <input type="hidden" name="jobs" value=move || matter.with(Matter::jobs)/> }.into_any()
        }
    };
    view! {
        <input type="hidden" name="subject" value=subject.to_string()/>
        <input type="hidden" name="verb" value=verb.as_str()/>
        {of_plan}
        <OperationField seen/>
        <BackField/>
    }
}
