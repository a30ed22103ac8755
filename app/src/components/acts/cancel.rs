//! Calling off one job (level L1), with a reason.

use leptos::prelude::*;
use reprieve::model::{Cancelled, JobId, JobState, Standing, Version};

use super::plain::{Told, back_as};
use super::verb::Verb;
use super::{Acted, OperationField, Target, operation};
use crate::api::{CancelJob, reinstate_job};
use crate::clock::Clock;
use crate::components::confirm::Confirm;
use crate::components::fields::{JobFields, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::error::ApiError;
use crate::i18n::{self, Tell};
use crate::live::Live;
use crate::live::effect::effect;
use crate::notice::{Notices, Undo};
use crate::session::Session;
use crate::{format, t};

/// The button that calls one job off, or asks a running one to stop.
#[component]
pub(super) fn CancelAct(
    /// The job as the person sees it.
    target: Signal<Target>,
    /// Unique on the page.
    id: String,
) -> impl IntoView {
    let clock = Clock::get();
    let action = FormAction::<CancelJob>::new();
    let done = hear(action);
    let job = target.with_untracked(|target| target.id.clone());
    let active = Memo::new(move |_| target.with(|target| target.state == JobState::Active));
    // After a conflict the person decides anew, on what they were told, until the page knows more than that.
    let told = Memo::new(move |_| {
        conflict(action.value().get().as_ref(), target.with(|target| target.version)).cloned()
    });
    let seen = Signal::derive(move || {
        let on_screen = target.with(|target| target.version);
        told.with(|told| told.as_ref().map_or(on_screen, |standing| standing.version.max(on_screen)))
    });
    let why =
        Signal::derive(move || target.with(|target| target.off_because(Verb::Cancel)).unwrap_or_default());
    let sentence = Signal::derive(move || target.with(|target| consequence(target, clock)));
    let word = move || Verb::Cancel.word(if active.get() { JobState::Active } else { JobState::Delayed });
    let title =
        Signal::derive(move || if active.get() { t!("acts-ask-title") } else { t!("acts-cancel-title") });
    let verb = move || match (active.get(), told.with(|told| told.as_ref().map(|now| now.state))) {
        (_, Some(JobState::Active)) | (true, Some(_)) => t!("acts-ask-it"),
        (true, None) => t!("acts-ask-to-stop"),
        (false, Some(_)) => t!("acts-cancel-anyway"),
        (false, None) => t!("acts-cancel-job"),
    };
    let is_over = move || told.with(|told| told.as_ref().is_some_and(|standing| standing.state.is_final()));
    let reasons = format!("{id}-why");
    let confirm_id = id;
    view! {
        <Confirm
            id=confirm_id
            key=Verb::Cancel.key()
            dismiss_first=Session::get().is_production()
            trigger=move || view! { {icon(Icon::SlashedCircle)} <span>{word}</span> }
            title
            sentence
            dismiss=t!("acts-keep-job")
            disabled_because=why
            done
            tone="danger"
        >
            <PostForm action>
                <JobFields id=job seen/>
                <OperationField seen/>
                <ReasonFields id=reasons destroys=true/>
                {move || action.value().get().and_then(|answer| refused(&answer, told.get().as_ref()))}
                <button type="submit" class="button" data-tone="destroy" disabled=is_over>{verb}</button>
            </PostForm>
        </Confirm>
    }
}

/// What calling it off means for a job as it stands.
fn consequence(target: &Target, clock: Clock) -> String {
    let about = i18n::about(&target.kind, target.subject.as_ref());
    if target.state == JobState::Active {
        return t!("acts-ask-consequence", about = about);
    }
    let due = format::exact(target.due, clock.zone());
    t!("acts-cancel-consequence", about = about, due = due)
}

/// Where the job stands, if that is why nothing was done and the job has not changed since: on screen is that version, or
/// an older one.
fn conflict(answer: Option<&Result<Cancelled, ApiError>>, on_screen: Version) -> Option<&Standing> {
    match answer? {
        Err(ApiError::Conflict { standing }) => Some(&**standing).filter(|now| now.version >= on_screen),
        _ => None,
    }
}

/// Why it was not called off; the popover stays open with the typed reason. `told` is where the job stands, if that is why.
fn refused(answer: &Result<Cancelled, ApiError>, told: Option<&Standing>) -> Option<AnyView> {
    let error = answer.as_ref().err()?;
    let text = match error {
        ApiError::Conflict { .. } => i18n::moved_on_uncancelled(told?),
        error => error.in_full(),
    };
    Some(refusal::refusal(text, error.field()))
}

/// Says what came of it, with the way back. The counter grows with each success.
fn hear(action: FormAction<CancelJob>) -> Signal<u64> {
    let (notices, live, acted) = (Notices::get(), Live::get(), Acted::get());
    let done = RwSignal::new(0);
    effect(move || match action.value().get() {
        None => {}
        Some(Err(_)) => live.refresh(),
        Some(Ok(outcome)) => {
            match &outcome {
                Cancelled::Now(standing) => {
                    let standing = standing.clone();
                    notices.say_with_undo(outcome.said(), put_back(standing.id, standing.version));
                }
                _ => notices.say(outcome.said()),
            }
            done.update(|done| *done += 1);
            acted.succeeded(live, Some(outcome.standing()));
        }
    });
    done.into()
}

/// Puts a job back, at its original time unless its plan has moved.
fn put_back(id: JobId, version: Version) -> Undo {
    let clock = Clock::get();
    let job = id.clone();
    let reinstate = move || {
        let id = id.clone();
        let operation = Some(operation(version));
        reinstate_job(id, Some(version), None, None, None, None, None, None, operation, None)
    };
    back_as(Told::get(), job, reinstate, move |outcome| i18n::reinstated(outcome, clock.zone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_is_told_until_the_page_knows_of_a_later_change() {
        let standing: Standing = serde_json::from_value(serde_json::json!({
            "id": "a", "state": "done", "version": 4, "due_ms": 1, "started_ms": null, "ended_ms": 2, "worker": null,
            "at_ms": 3, "replicas": null,
        }))
        .unwrap();
        let answer = Err(ApiError::Conflict { standing: Box::new(standing.clone()) });
        assert_eq!(conflict(Some(&answer), Version(3)), Some(&standing));
        assert_eq!(conflict(Some(&answer), Version(4)), Some(&standing), "the page was read again");
        assert_eq!(conflict(Some(&answer), Version(5)), None, "it lives again");
        assert_eq!(conflict(Some(&Err(ApiError::Offline)), Version(3)), None);
    }
}
