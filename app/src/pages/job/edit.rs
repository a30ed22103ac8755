//! Another payload for a job that is not under way.

use leptos::prelude::*;
use reprieve::model::{Edited, Job, JobState, Permission};

use crate::api::EditJob;
use crate::components::acts::{Acted, OperationField};
use crate::components::fields::{JobFields, ReasonFields};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::i18n::{self, Tell};
use crate::live::Live;
use crate::live::effect::effect;
use crate::notice::Notices;
use crate::session::Session;
use crate::t;
use crate::written::in_field;

/// The form below the payload. Sends the version on screen: a job that changed meanwhile keeps its payload. Nothing
/// at all for bytes that are no text.
#[component]
pub(super) fn EditPayload(
    /// The job.
    job: Memo<Job>,
) -> impl IntoView {
    let text = job.with_untracked(|job| String::from_utf8(job.payload.clone()).ok())?;
    let action = FormAction::<EditJob>::new();
    let (notices, live, acted) = (Notices::get(), Live::get(), Acted::get());
    effect(move || {
        if let Some(Ok(outcome)) = action.value().get() {
            notices.say(outcome.said());
            acted.succeeded(live, Some(outcome.standing()));
        }
    });
    let refused = move || match action.value().get()? {
        Ok(outcome @ Edited::Refused(_)) => Some(refusal::refusal(outcome.said().text, None)),
        Ok(_) => None,
        Err(error) => Some(refusal::refused(&error)),
    };
    let why = Memo::new(move |_| job.with(|job| off_because(job.state)));
    let id = job.with_untracked(|job| job.id.clone());
    let seen = Signal::derive(move || {
        job.with(|job| acted.since(&job.id, job.version).map_or(job.version, |standing| standing.version))
    });
    let broken = RwSignal::new(false);
    let was_json = is_json(&text);
    // A warning, not a bar: handlers may read what they like.
    let check = move |event| broken.set(was_json && !is_json(&event_target_value(&event)));
    Some(view! {
        <details class="edit">
            <summary title=move || why.get()>{t!("job-edit")}</summary>
            <p class="quiet">{move || why.get()}</p>
            <PostForm action>
                <JobFields id seen/>
                <OperationField seen/>
                <div class="field">
                    <label for="edit-payload">{t!("job-edit-new")}</label>
                    <textarea id="edit-payload" name="payload" rows="8" spellcheck="false" on:input=check>{in_field(text)}</textarea>
                </div>
                <p class="resulting" data-past="true" role="status" hidden=move || !broken.get()>{t!("job-edit-no-json")}</p>
                <ReasonFields id="edit-why"/>
                {refused}
                <button type="submit" class="button" data-tone="primary" disabled=move || why.get().is_some()>{t!("job-edit-save")}</button>
            </PostForm>
        </details>
    })
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Why it cannot be edited; `None` where it can.
fn off_because(state: JobState) -> Option<String> {
    if !Session::get().may(Permission::EditJobs) {
        return Some(i18n::needs(Permission::EditJobs));
    }
    let editable = matches!(state, JobState::Delayed | JobState::Held | JobState::Retrying | JobState::Dead);
    (!editable).then(|| t!("job-edit-not-now"))
}
