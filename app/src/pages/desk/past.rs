//! The question when the time of some steps has passed: leave them out, or do them at once?

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::desk::{DeskPlan, DeskVerb, Step};
use reprieve::model::{JobState, Past, Subject, Timestamp};

use super::acts::with_time;
use super::fields::plan_fields;
use crate::api::desk::ActOnDesk;
use crate::{format, t};

/// Stands in the plan as long as the question is open.
#[component]
pub(super) fn PastQuestion(
    subject: Subject,
    plan: DeskPlan,
    /// What is to be done about it.
    verb: DeskVerb,
    read_at: Timestamp,
) -> impl IntoView {
    let steps: Vec<String> = plan.passed(verb, read_at).into_iter().map(with_time).collect();
    // Where the time of all has passed, to leave them out is to do nothing; a plan goes on without them.
    let concerned = |step: &&Step| match verb {
        DeskVerb::Release => step.state == JobState::Held,
        _ => step.state == JobState::Cancelled,
    };
    let some_are_to_come = plan.steps.iter().filter(concerned).count() > steps.len();
    let can_skip = some_are_to_come || verb == DeskVerb::Release && plan.id.is_some();
    // A plan goes on as a whole: a step that stays behind is left out of it.
    let skip = match verb {
        DeskVerb::Release if plan.id.is_some() => t!("support-past-leave-out"),
        DeskVerb::Release => t!("support-past-hold"),
        _ => t!("support-past-skip"),
    };
    let answer = |past: Past, tone: &'static str, words: String| {
        view! {
            <form method="post" action=ActOnDesk::PATH>
                {plan_fields(&subject, &plan, verb)}
                <input type="hidden" name="past" value=past.as_str()/>
                <button type="submit" class="button" data-tone=tone>{words}</button>
            </form>
        }
    };
    (!steps.is_empty()).then(|| {
        view! {
            <div class="plan-question" role="alert">
                <p><strong>{t!("support-past-title")}</strong></p>
                <p>{t!("support-past-steps", list = format::list(steps))}</p>
                <div class="plan-acts">
                    {can_skip.then(|| answer(Past::Skip, "primary", skip))}
                    {answer(Past::Run, "danger", t!("support-past-run"))}
                </div>
            </div>
        }
    })
}
