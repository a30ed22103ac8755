//! The question when the time of some steps has passed: leave them out, or do them at once?

use leptos::prelude::*;
use reprieve::model::{Subject, Timestamp};

use super::acts::DeskAction;
use super::fields::MatterFields;
use crate::clock::Clock;
use crate::components::post_form::PostForm;
use crate::desk::{DeskVerb, Matter};
use crate::{format, t};

/// Stands in the plan as long as the question is open.
#[component]
pub(super) fn PastQuestion(
    /// The subject.
    subject: Subject,
    /// The matter on screen.
    matter: Memo<Matter>,
    /// When it was read.
    read_at: Signal<Timestamp>,
    /// The matter's act.
    action: DeskAction,
) -> impl IntoView {
    let clock = Clock::get();
    // Read at the time of the question, by Redis's clock: that of the browser may be wrong.
    let late = Memo::new(move |_| {
        let verb = action.asked.get()?;
        let steps = matter.with(|matter| {
            matter
                .passed(verb, read_at.get())
                .into_iter()
                .map(|step| (step.label.clone(), step.due))
                .collect()
        });
        Some((verb, steps)).filter(|(_, steps): &(DeskVerb, Vec<(String, Timestamp)>)| !steps.is_empty())
    });
    move || {
        let (verb, steps) = late.get()?;
        let steps = move || {
            let line = |(step, at): &(String, Timestamp)| {
                t!(
                    "support-step-at",
                    step = step.clone(),
                    at = format::date_minute(*at, clock.zone(), clock.now_ms())
                )
            };
            t!("support-past-steps", list = format::list(steps.iter().map(line)))
        };
        let (first, second) = (subject.clone(), subject.clone());
        // A plan goes on as a whole: a step that stays behind is left out of it.
        let of_plan = matter.with(|matter| matter.plan.is_some());
        let skip = match verb {
            DeskVerb::Release if of_plan => t!("support-past-leave-out"),
            DeskVerb::Release => t!("support-past-hold"),
            _ => t!("support-past-skip"),
        };
        Some(view! {
            <div class="plan-question" role="alert">
                <p><strong>{t!("support-past-title")}</strong></p>
                <p>{steps}</p>
                <div class="plan-acts">
                    <PostForm action=action.act>
                        <MatterFields subject=first matter verb/>
                        <input type="hidden" name="past" value="skip"/>
                        <button type="submit" class="button" data-tone="primary">{skip}</button>
                    </PostForm>
                    <PostForm action=action.act>
                        <MatterFields subject=second matter verb/>
                        <input type="hidden" name="past" value="run"/>
                        <button type="submit" class="button" data-tone="danger">{t!("support-past-run")}</button>
                    </PostForm>
                </div>
            </div>
        })
    }
}
