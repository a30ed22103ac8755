//! The question when the time of some steps has passed: leave them out, or do them at once?

use leptos::prelude::*;
use reprieve::model::Subject;

use super::acts::DeskAction;
use super::fields::MatterFields;
use crate::components::post_form::PostForm;
use crate::desk::{DeskOutcome, DeskVerb, Matter};
use crate::format;
use crate::t;

/// Stands in the plan as long as the question is open.
#[component]
pub(super) fn PastQuestion(
    /// The subject.
    subject: Subject,
    /// The matter on screen.
    matter: Memo<Matter>,
    /// The matter's act.
    action: DeskAction,
) -> impl IntoView {
    let late = move || {
        let Some(Ok(answer)) = action.act.value().get() else { return String::new() };
        if answer.outcome != DeskOutcome::Past {
            return String::new();
        }
        let zone = crate::clock::Clock::get().zone();
        let line = |told: &crate::desk::Told| {
            t!("support-step-at", step = told.label.clone(), at = format::date_minute(told.due, zone))
        };
        t!("support-past-steps", list = format::list(answer.steps.iter().map(line)))
    };
    move || {
        let verb = action.asked.get()?;
        let (first, second) = (subject.clone(), subject.clone());
        let (skip, run) = match verb {
            DeskVerb::Release => (t!("support-past-hold"), t!("support-past-run")),
            _ => (t!("support-past-skip"), t!("support-past-run")),
        };
        Some(view! {
            <div class="plan-question" role="alert">
                <p><strong>{t!("support-past-title")}</strong></p>
                <p>{late}</p>
                <div class="plan-acts">
                    <PostForm action=action.act>
                        <MatterFields subject=first matter verb/>
                        <input type="hidden" name="past" value="skip"/>
                        <button type="submit" class="button" data-tone="primary">{skip}</button>
                    </PostForm>
                    <PostForm action=action.act>
                        <MatterFields subject=second matter verb/>
                        <input type="hidden" name="past" value="run"/>
                        <button type="submit" class="button" data-tone="danger">{run}</button>
                    </PostForm>
                </div>
            </div>
        })
    }
}
