//! Whether the queue runs, who stopped it, and the switch.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use reprieve::model::{Permission, QueueName, QueueSummary};

use crate::api::{PauseQueue, ResumeQueue, resume_queue};
use crate::components::fields::BackField;
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::time::{HERE, TimedSentence};
use crate::i18n;
use crate::live::Live;
use crate::live::effect::effect;
use crate::live::voice::Voice;
use crate::notice::{Notices, Undo};
use crate::session::Session;
use crate::t;

/// The state in words and the button that changes it.
#[component]
pub(super) fn PauseSwitch(
    /// Which queue.
    name: QueueName,
    /// The queue, kept true.
    summary: Memo<QueueSummary>,
) -> impl IntoView {
    let pause = FormAction::<PauseQueue>::new();
    let resume = FormAction::<ResumeQueue>::new();
    tell(pause, resume, name.clone());
    let paused = Memo::new(move |_| summary.with(|queue| queue.paused.clone()));
    Voice::get().follow(move || {
        Some(if paused.with(Option::is_some) { t!("queue-paused") } else { t!("queue-running") })
    });
    let needs = (!Session::get().may(Permission::PauseQueues)).then(|| i18n::needs(Permission::PauseQueues));
    let off = needs.is_some();
    let queue = name.to_string();
    let button = move |picture: Icon, verb: String| {
        view! {
            <input type="hidden" name="queue" value=queue.clone()/>
            <BackField/>
            <button type="submit" class="button" aria-disabled=off.then_some("true") title=needs.clone()>{icon(picture)} {verb}</button>
        }
    };
    move || {
        let button = button.clone();
        match paused.get() {
            Some(by) => {
                let who = if by.why.is_empty() {
                    t!("queue-paused-by", who = by.by, at = HERE)
                } else {
                    t!("queue-paused-by-why", who = by.by, why = i18n::why(&by.why), at = HERE)
                };
                view! {
                <div class="queue-state" data-paused="true">
                    <p>{icon(Icon::Pause)} <strong>{t!("queue-paused")}</strong> " " <TimedSentence text=who at=by.at/></p>
                    <PostForm action=resume>{button(Icon::Play, t!("queue-resume"))}</PostForm>
                </div>
            }
            .into_any()
            }
            None => view! {
                <div class="queue-state">
                    <p>{icon(Icon::Running)} {t!("queue-running")}</p>
                    <PostForm action=pause>{button(Icon::Pause, t!("queue-pause"))}</PostForm>
                </div>
            }
            .into_any(),
        }
    }
}

/// Says what came of it, with the way back, and has the page read again.
fn tell(pause: FormAction<PauseQueue>, resume: FormAction<ResumeQueue>, name: QueueName) {
    let (notices, live) = (Notices::get(), Live::get());
    let queue = name.clone();
    effect(move || {
        let Some(answer) = pause.value().get() else { return };
        live.refresh();
        match answer {
            Ok(true) => {
                let back = queue.clone();
                // The page may have been left when it is pressed: nothing of the page is used.
                let undo: Undo = Arc::new(move |attempt| {
                    let back = back.clone();
                    spawn_local(async move {
                        let answer = resume_queue(back.clone(), None, None).await;
                        attempt.answer(&answer, |_| i18n::queue_resumed(&back));
                        live.refresh();
                    });
                });
                notices.say_with_undo(i18n::queue_paused(&queue), undo);
            }
            Ok(false) => notices.tell(i18n::Said::plain(t!("acts-said-paused-before"))),
            Err(error) => notices.fail(&error),
        }
    });
    effect(move || {
        let Some(answer) = resume.value().get() else { return };
        live.refresh();
        notices.answer(&answer, |_| i18n::queue_resumed(&name));
    });
}
