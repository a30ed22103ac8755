//! Another payload for a job that is not under way.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use reprieve::model::{Edited, Job, JobState, Permission, Standing, Version, holds_hidden};
use serde::{Deserialize, Serialize};

use crate::api::{EditJob, edit_job};
use crate::components::acts::{Acted, OperationField, Told, UNDO};
use crate::components::fields::{JobFields, ReasonFields};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::components::turn::Turn;
use crate::i18n::ReasonsFor;
use crate::i18n::{self, Said, Tell};
use crate::live::effect::effect;
use crate::notice::Undo;
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
    let (told, acted) = (Told::get(), Acted::get());
    let first = text.clone();
    let typed = RwSignal::new(text);
    let began = RwSignal::new(job.with_untracked(Began::of));
    #[cfg(feature = "hydrate")]
    kept::keep(job, typed, began);
    // Who has typed what is there by now has nothing to lose.
    let is_there = move |job: &Job| typed.with(|typed| typed.as_bytes() == job.payload);
    let changed =
        Memo::new(move |_| job.with(|job| began.with(|began| began.is_behind(job)) && !is_there(job)));
    let seen = Signal::derive(move || {
        let version = began.with(|began| began.version);
        let own = (!changed.get()).then(|| job.with(|job| acted.since(&job.id, version))).flatten();
        own.map_or(version, |standing| standing.version)
    });
    let action = FormAction::<EditJob>::of_seen(seen);
    // The form on its way is gone once it is answered, and there is one at a time.
    let sent = StoredValue::new(None);
    effect(move || {
        if let Some(payload) = action.sent("payload") {
            sent.set_value(Some(payload));
        }
    });
    effect(move || {
        let Some(answer) = action.value().get() else { return };
        let payload = sent.try_update_value(Option::take).flatten();
        if let Ok(outcome) = answer {
            let saved = payload.filter(|_| !matches!(outcome, Edited::Refused(_)));
            let before = saved.and_then(|payload| {
                began.try_update(|began| {
                    began.version = outcome.standing().version;
                    std::mem::replace(&mut began.payload, payload)
                })
            });
            // A text with a part that is hidden here is not what the job had.
            let before = before.filter(|before| !holds_hidden(before));
            told.tell_as(Ok(outcome), Tell::said, |outcome| {
                before.map(|before| put_back(told, outcome.standing().clone(), before))
            });
        }
    });
    let take = move || {
        let now = job.with_untracked(Began::of);
        typed.set(now.payload.clone());
        began.set(now);
    };
    // What nobody has touched follows the job. So does what the form began from, where that is as it was or what somebody
    // has typed anyway.
    effect(move || {
        let (changed, now) = (changed.get(), job.with(Began::of));
        let is_news = began.with(|began| began.version <= now.version && *began != now);
        let untouched = began.with(|began| typed.with_untracked(|typed| *typed == began.payload));
        if is_news && untouched {
            take();
        } else if is_news && !changed {
            began.set(now);
        }
    });
    let refused = move || match action.value().get()? {
        Ok(outcome @ Edited::Refused(_)) => Some(refusal::refusal(outcome.said().text, None)),
        Ok(_) => None,
        Err(error) => Some(refusal::refused(&error)),
    };
    let why = Memo::new(move |_| job.with(|job| off_because(job.state)));
    let id = job.with_untracked(|job| job.id.clone());
    // Handlers may read what they like, but seldom did somebody mean it.
    let broken = Memo::new(move |_| {
        let was_json = began.with(|began| no_json(&began.payload).is_none());
        was_json.then(|| typed.with(|text| no_json(text))).flatten()
    });
    // Whoever meant one text has not said so of the next.
    let as_is = RwSignal::new(false);
    effect(move || {
        if broken.get().is_none() {
            as_is.set(false);
        }
    });
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
                <p class="resulting" data-past="true" role="status" hidden=move || broken.get().is_none()>
                    {move || broken.get().map(|why| why.told())}
                </p>
                // Without scripts it is there always.
                <label class="choice-tick" hidden=move || broken.get().is_none()>
                    <input type="checkbox" name="as_is" value="true" prop:checked=as_is on:change:target=move |event| as_is.set(event.target().checked())/> " " {t!("job-edit-as-is")}
                </label>
                <ReasonFields id="edit-why" sort=ReasonsFor::Changing/>
                {refused}
                <button type="submit" class="button" data-tone="primary" disabled=move || why.get().is_some()>{t!("job-edit-save")}</button>
            </PostForm>
        </details>
    })
}

/// What the text of the form began from.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Began {
    version: Version,
    payload: String,
}

impl Began {
    fn of(job: &Job) -> Self {
        Self { version: job.version, payload: String::from_utf8_lossy(&job.payload).into_owned() }
    }

    /// Whether the payload is another one by now. A job as it was read before it is the same one.
    fn is_behind(&self, job: &Job) -> bool {
        job.version > self.version && job.payload != self.payload.as_bytes()
    }
}

/// Where a text ceases to be JSON, both from 1.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoJson {
    line: usize,
    column: usize,
}

impl NoJson {
    /// What is said of a text that took the place of JSON.
    pub(crate) fn told(self) -> String {
        t!("job-edit-no-json", line = self.line, column = self.column)
    }
}

/// Why a text is no JSON; `None` where it is.
pub(crate) fn no_json(text: &str) -> Option<NoJson> {
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    Some(NoJson { line: error.line(), column: error.column() })
}

/// Gives the job the payload back that was there before, unless it was changed since.
fn put_back(told: Told, edited: Standing, payload: String) -> Undo {
    Arc::new(move |attempt| {
        let back = edit_job(
            edited.id.clone(),
            Some(edited.version),
            payload.clone(),
            Some("true".to_owned()),
            None,
            None,
            None,
            None,
            // The version alone says which edit it takes back: a repeat finds another one.
            None,
            None,
        );
        let turn = Turn::begin(&edited.id, UNDO.to_owned());
        spawn_local(async move {
            told.tell_undone(attempt, back.await, undone);
            drop(turn);
        });
    })
}

fn undone(outcome: &Edited) -> Said {
    match outcome {
        Edited::Refused(_) => outcome.said(),
        _ => Said::good(t!("job-said-edit-undone")),
    }
}

/// Why it cannot be edited; `None` where it can.
fn off_because(state: JobState) -> Option<String> {
    if !Session::get().may(Permission::EditJobs) {
        return Some(i18n::needs(Permission::EditJobs));
    }
    let editable = matches!(state, JobState::Delayed | JobState::Held | JobState::Retrying | JobState::Dead);
    (!editable).then(|| t!("job-edit-not-now"))
}

/// What is typed and not saved stays in this tab for whoever comes back, with what it began from: where another person has
/// changed the payload meanwhile it is behind, as it would be had the page stayed open.
#[cfg(feature = "hydrate")]
mod kept {
    use leptos::ev;
    use leptos::prelude::*;
    use reprieve::model::Job;
    use serde::{Deserialize, Serialize};
    use web_sys::{BeforeUnloadEvent, Storage};

    use super::Began;
    use crate::components::focus::browser::unfold;
    use crate::i18n::Said;
    use crate::live::effect::effect;
    use crate::notice::Notices;
    use crate::routes;
    use crate::session::Session;
    use crate::t;

    #[derive(Serialize, Deserialize)]
    struct Kept {
        began: Began,
        typed: String,
    }

    /// Puts back what was kept, and keeps what is there when the form goes.
    pub(super) fn keep(job: Memo<Job>, typed: RwSignal<String>, began: RwSignal<Began>) {
        let place = routes::job(&job.with_untracked(|job| job.id.clone()));
        let (name, notices) = (Session::get().name, Notices::get());
        let (of_place, of_name) = (place.clone(), name.clone());
        effect(move || {
            let (place, name) = (of_place.clone(), of_name.clone());
            // Once the form is there, with what was typed before the page was alive.
            request_animation_frame(move || {
                let Some(Kept { began: kept, typed: text }) = taken(&place, &name) else { return };
                let Some(now) = job.try_with_untracked(Began::of) else { return };
                began.set(if kept.payload == now.payload { now } else { kept });
                typed.set(text);
                if let Some(field) = document().get_element_by_id("edit-payload") {
                    unfold(&field);
                }
            });
        });
        let unsaved = move || {
            let began = began.try_get_untracked()?;
            typed
                .try_get_untracked()
                .filter(|typed| *typed != began.payload)
                .map(|typed| Kept { began, typed })
        };
        let leaving = window_event_listener(ev::beforeunload, move |event: BeforeUnloadEvent| {
            if unsaved().is_some() {
                event.prevent_default();
            }
        });
        on_cleanup(move || {
            leaving.remove();
            if let Some(kept) = unsaved() {
                let kept_there = storage(&place, &name).zip(serde_json::to_string(&kept).ok());
                // Fails where the tab has no room left: then it is lost, as it would be without this.
                if kept_there.is_some_and(|((storage, key), text)| storage.set_item(&key, &text).is_ok()) {
                    notices.tell(Said::plain(t!("settings-unsaved-kept")));
                }
            }
        });
    }

    /// Where it is kept: in this tab until it is closed, under the name of the person who typed it.
    fn storage(place: &str, name: &str) -> Option<(Storage, String)> {
        Some((window().session_storage().ok().flatten()?, format!("unsaved:{place}:{name}")))
    }

    fn taken(place: &str, name: &str) -> Option<Kept> {
        let (storage, key) = storage(place, name)?;
        let text = storage.get_item(&key).ok()??;
        let _ = storage.remove_item(&key);
        serde_json::from_str(&text).ok()
    }
}
