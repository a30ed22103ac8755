//! Acts without a question (level L0): one press, then a notice with a way back.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use reprieve::model::{HeldBack, JobId, Released, RetriedNow};

use super::verb::Verb;
use super::{Acted, OperationField, Target, off_because, operation};
use crate::api::{HoldJob, RetryJob, UnholdJob, hold_job, retry_job, unhold_job};
use crate::components::fields::JobFields;
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::turn::Turn;
use crate::error::ApiError;
use crate::i18n::{Said, Tell};
use crate::live::Live;
use crate::live::effect::effect;
use crate::notice::{Attempt, Notices, Undo};
use crate::t;

/// The button of an act that asks nothing: run or retry now, hold, release.
#[component]
pub(super) fn PlainAct(
    /// Which act.
    verb: Verb,
    /// The job as the person sees it.
    target: Signal<Target>,
    /// `primary` for the main act, `plain` otherwise.
    tone: &'static str,
) -> impl IntoView {
    let why = Memo::new(move |_| off_because(verb, target.with(|target| target.state)));
    let id = target.with_untracked(|target| target.id.clone());
    let seen = Signal::derive(move || target.with(|target| target.version));
    let word = move || verb.word(target.with(|target| target.state));
    let picture = match verb {
        Verb::Hold => Icon::PausedCircle,
        // It waits for its time again.
        Verb::Release => Icon::Clock,
        _ => Icon::Play,
    };
    let fields = move || {
        view! {
            <JobFields id=id.clone() seen/>
            <OperationField seen/>
            <button
                type="submit"
                class="button"
                data-tone=tone
                data-key=verb.key()
                aria-disabled=move || why.get().is_some().then_some("true")
                title=move || why.get().unwrap_or_else(|| t!("acts-with-key", act = word(), key = verb.key()))
            >
                {icon(picture)}
                <span>{word}</span>
            </button>
        }
    };
    match verb {
        Verb::Hold => {
            let action = FormAction::<HoldJob>::new();
            hear(
                action,
                |outcome| matches!(outcome, HeldBack::Held(_)),
                Some(|held: &HeldBack| release(Told::get(), held)),
            );
            view! { <div class="act"><PostForm action>{fields()}</PostForm></div> }.into_any()
        }
        Verb::Release => {
            let action = FormAction::<UnholdJob>::new();
            hear(
                action,
                |outcome| matches!(outcome, Released::Delayed(_)),
                Some(|released: &Released| hold(Told::get(), released)),
            );
            view! { <div class="act"><PostForm action>{fields()}</PostForm></div> }.into_any()
        }
        _ => {
            let action = FormAction::<RetryJob>::new();
            hear(action, |outcome| matches!(outcome, RetriedNow::Ready(_)), None);
            view! { <div class="act"><PostForm action>{fields()}</PostForm></div> }.into_any()
        }
    }
}

/// What tells the way back from other acts on a job.
pub(crate) const UNDO: &str = "undo";

/// Where acts of this page are told. Taken within the owner of a component, for what ends later.
#[derive(Clone, Copy)]
pub(crate) struct Told {
    notices: Notices,
    live: Live,
    acted: Acted,
}

impl Told {
    pub(crate) fn get() -> Self {
        Self { notices: Notices::get(), live: Live::get(), acted: Acted::get() }
    }

    /// Says what came of an act, with the way back if there is one.
    fn tell<T: Tell>(self, answer: Result<T, ApiError>, back: impl FnOnce(&T) -> Option<Undo>) {
        self.tell_as(answer, T::said, back);
    }

    /// The same in other words.
    pub(crate) fn tell_as<T: Tell>(
        self,
        answer: Result<T, ApiError>,
        said: impl FnOnce(&T) -> Said,
        back: impl FnOnce(&T) -> Option<Undo>,
    ) {
        match answer {
            Ok(outcome) => {
                self.notices.say_with(said(&outcome), back(&outcome));
                self.acted.succeeded(self.live, outcome.standing());
            }
            Err(error) => {
                self.notices.fail(&error);
                self.live.refresh();
            }
        }
    }

    /// Says what came of taking an act back.
    pub(crate) fn tell_undone<T: Tell>(
        self,
        attempt: Attempt,
        answer: Result<T, ApiError>,
        said: impl FnOnce(&T) -> Said,
    ) {
        match answer {
            Ok(outcome) => self.tell_as(Ok(outcome), said, |_| None),
            Err(error) => {
                attempt.fail(&error);
                self.live.refresh();
            }
        }
    }
}

/// Does what [`PlainAct`] does, without its button: for keys and for cards. Within the owner of a component.
pub(crate) fn at_once(verb: Verb, target: &Target) {
    let told = Told::get();
    let (id, seen, key) = (target.id.clone(), Some(target.version), Some(operation(target.version)));
    let turn = Turn::begin(&id, verb.in_line());
    spawn_local(async move {
        match verb {
            Verb::Hold => {
                told.tell(hold_job(id, seen, None, None, None, None, key, None).await, |held| {
                    matches!(held, HeldBack::Held(_)).then(|| release(told, held))
                });
            }
            Verb::Release => {
                told.tell(unhold_job(id, seen, None, None, None, None, key, None).await, |released| {
                    matches!(released, Released::Delayed(_)).then(|| hold(told, released))
                });
            }
            _ => told.tell(retry_job(id, seen, None, None, None, None, key, None).await, |_| None),
        }
        drop(turn);
    });
}

/// Tells the person what came of an act, and offers the way back if there is one.
pub(super) fn hear<S, T>(action: FormAction<S>, succeeded: fn(&T) -> bool, back: Option<fn(&T) -> Undo>)
where
    S: server_fn::ServerFn<Output = T, Error = ApiError> + 'static,
    T: Tell + Clone + Send + Sync + 'static,
{
    let told = Told::get();
    effect(move || {
        if let Some(answer) = action.value().get() {
            told.tell(answer, |outcome| back.filter(|_| succeeded(outcome)).map(|back| back(outcome)));
        }
    });
}

fn release(told: Told, held: &HeldBack) -> Undo {
    let standing = held.standing().clone();
    back(told, held.standing().id.clone(), move || {
        let standing = standing.clone();
        unhold_job(standing.id, Some(standing.version), None, None, None, None, None, None)
    })
}

fn hold(told: Told, released: &Released) -> Undo {
    let standing = released.standing().clone();
    back(told, released.standing().id.clone(), move || {
        let standing = standing.clone();
        hold_job(standing.id, Some(standing.version), None, None, None, None, None, None)
    })
}

/// The callback of an undo button: runs the opposite act and says what came of it.
pub(super) fn take_back<F, A, T>(id: JobId, opposite: F) -> Undo
where
    F: Fn() -> A + Send + Sync + 'static,
    A: Future<Output = Result<T, ApiError>> + 'static,
    T: Tell + 'static,
{
    back(Told::get(), id, opposite)
}

fn back<F, A, T>(told: Told, id: JobId, opposite: F) -> Undo
where
    F: Fn() -> A + Send + Sync + 'static,
    A: Future<Output = Result<T, ApiError>> + 'static,
    T: Tell + 'static,
{
    back_as(told, id, opposite, T::said)
}

/// The same in other words. What is done to that job next waits for its answer.
pub(super) fn back_as<F, A, T>(
    told: Told,
    id: JobId,
    opposite: F,
    said: impl Fn(&T) -> Said + Clone + Send + Sync + 'static,
) -> Undo
where
    F: Fn() -> A + Send + Sync + 'static,
    A: Future<Output = Result<T, ApiError>> + 'static,
    T: Tell + 'static,
{
    Arc::new(move |attempt| {
        let (opposite, said) = (opposite(), said.clone());
        let turn = Turn::begin(&id, UNDO.to_owned());
        spawn_local(async move {
            told.tell_undone(attempt, opposite.await, said);
            drop(turn);
        });
    })
}
