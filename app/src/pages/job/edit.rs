//! Another payload for a job that is not under way.

use leptos::prelude::*;
use reprieve::model::{Edited, Job, JobState, Permission, Version};

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

/// The form below the payload. Sends the version that its text began from: a payload that somebody else changed while it
/// was typed is not overwritten. Nothing at all for bytes that are no text.
#[component]
pub(super) fn EditPayload(
    /// The job.
    job: Memo<Job>,
) -> impl IntoView {
    let text = job.with_untracked(|job| String::from_utf8(job.payload.clone()).ok())?;
    let action = FormAction::<EditJob>::new();
    let (notices, live, acted) = (Notices::get(), Live::get(), Acted::get());
    let was_json = is_json(&text);
    let first = text.clone();
    let typed = RwSignal::new(text);
    let began = RwSignal::new(job.with_untracked(Began::of));
    // The form on its way is gone once it is answered.
    let sent = RwSignal::new(None);
    effect(move || {
        if let Some(payload) = action.sent("payload") {
            sent.set(Some(payload));
        }
    });
    effect(move || {
        if let Some(Ok(outcome)) = action.value().get() {
            let saved = sent.get_untracked().filter(|_| !matches!(outcome, Edited::Refused(_)));
            if let Some(payload) = saved {
                began.set(Began { version: outcome.standing().version, payload: payload.into_bytes() });
            }
            notices.say(outcome.said());
            acted.succeeded(live, Some(outcome.standing()));
        }
    });
    let changed = Memo::new(move |_| job.with(|job| began.with(|began| began.is_behind(job))));
    let take = move || {
        let now = job.with_untracked(Began::of);
        typed.set(String::from_utf8_lossy(&now.payload).into_owned());
        began.set(now);
    };
    // What nobody has touched follows the job, and so does the version where another act left the payload as it was.
    effect(move || {
        let untouched = began.with(|began| typed.with_untracked(|typed| typed.as_bytes() == began.payload));
        match changed.get() {
            true if untouched => take(),
            true => {}
            false => {
                let version = job.with(|job| job.version);
                if began.with_untracked(|began| began.version < version) {
                    began.update(|began| began.version = version);
                }
            }
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
        let version = began.with(|began| began.version);
        let own = (!changed.get()).then(|| job.with(|job| acted.since(&job.id, version))).flatten();
        own.map_or(version, |standing| standing.version)
    });
    // A warning, not a bar: handlers may read what they like.
    let broken = Memo::new(move |_| was_json && typed.with(|text| !is_json(text)));
    Some(view! {
        <details class="edit">
            <summary title=move || why.get()>{t!("job-edit")}</summary>
            <p class="quiet">{move || why.get()}</p>
            <PostForm action>
                <JobFields id seen/>
                <OperationField seen/>
                <div class="field">
                    <label for="edit-payload">{t!("job-edit-new")}</label>
                    <textarea id="edit-payload" name="payload" rows="8" spellcheck="false" prop:value=typed on:input:target=move |event| typed.set(event.target().value())>{in_field(first)}</textarea>
                </div>
                <div role="status">
                    {move || changed.get().then(|| view! {
                        <p class="resulting" data-past="true">{t!("job-edit-changed")}</p>
                        <button type="button" class="button" on:click=move |_| take()>{t!("job-edit-take")}</button>
                    })}
                </div>
                <p class="resulting" data-past="true" role="status" hidden=move || !broken.get()>{t!("job-edit-no-json")}</p>
                <ReasonFields id="edit-why"/>
                {refused}
                <button type="submit" class="button" data-tone="primary" disabled=move || why.get().is_some()>{t!("job-edit-save")}</button>
            </PostForm>
        </details>
    })
}

/// What the text of the form began from.
struct Began {
    version: Version,
    payload: Vec<u8>,
}

impl Began {
    fn of(job: &Job) -> Self {
        Self { version: job.version, payload: job.payload.clone() }
    }

    /// Whether the payload is another one by now. A job as it was read before it is the same one.
    fn is_behind(&self, job: &Job) -> bool {
        job.version > self.version && job.payload != self.payload
    }
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
