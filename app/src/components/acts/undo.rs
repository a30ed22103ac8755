//! Taking a cancel back: at the original due time, or with a question if that has passed. What was held is held again.

use leptos::prelude::*;
use reprieve::model::{Reinstated, RetriedNow};

use super::plain::{Told, hear};
use super::verb::Verb;
use super::{OperationField, Target, off_because};
use crate::api::{ReinstateJob, RetryJob};
use crate::clock::Clock;
use crate::components::acts::moment::MomentField;
use crate::components::confirm::Confirm;
use crate::components::fields::JobFields;
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::live::effect::effect;
use crate::{format, i18n, t};

/// The undo of a cancelled job.
#[component]
pub(super) fn UndoAct(
    /// The job as the person sees it.
    target: Signal<Target>,
    /// Unique on the page.
    id: String,
) -> impl IntoView {
    let clock = Clock::get();
    let reinstate = FormAction::<ReinstateJob>::new();
    hear_put_back(reinstate);
    let run = FormAction::<RetryJob>::new();
    hear(run, |outcome| matches!(outcome, RetriedNow::Ready(_)), None);
    // The server knows best: a time that passes between look and press is told by its answer, until the job has changed.
    let overdue = Memo::new(move |_| {
        let on_screen = target.with(|target| target.version);
        let refused = matches!(
            reinstate.value().get(),
            Some(Ok(Reinstated::Overdue(standing))) if standing.version >= on_screen
        );
        let has_passed = |t: &Target| clock.now_ms().map_or(t.overdue, |now_ms| t.due.as_millis() <= now_ms);
        refused || target.with(|t| !t.was_held && has_passed(t))
    });
    move || {
        if overdue.get() {
            view! { <Overdue target id=id.clone() reinstate run/> }.into_any()
        } else {
            view! { <Original target reinstate/> }.into_any()
        }
    }
}

/// Says what came of it, and when the job is due now.
fn hear_put_back(reinstate: FormAction<ReinstateJob>) {
    let (told, clock) = (Told::get(), Clock::get());
    effect(move || {
        if let Some(answer) = reinstate.value().get() {
            told.tell_as(answer, |outcome| i18n::reinstated(outcome, clock.zone()), |_| None);
        }
    });
}

/// One press: back to its original time.
#[component]
fn Original(target: Signal<Target>, reinstate: FormAction<ReinstateJob>) -> impl IntoView {
    let id = target.with_untracked(|target| target.id.clone());
    let seen = Signal::derive(move || target.with(|target| target.version));
    let why = Memo::new(move |_| off_because(Verb::Undo, target.with(|target| target.state)));
    view! {
        <div class="act">
            <PostForm action=reinstate>
                <JobFields id seen/>
                <OperationField seen/>
                <button
                    type="submit"
                    class="button"
                    data-tone="primary"
                    data-key=Verb::Undo.key()
                    aria-disabled=move || why.get().is_some().then_some("true")
                    title=move || why.get().unwrap_or_else(|| t!("acts-undo-name", key = Verb::Undo.key()))
                >
                    {icon(Icon::Undo)}
                    <span>{t!("acts-undo")}</span>
                </button>
            </PostForm>
        </div>
    }
}

/// Its time has passed: run it now, at another time, or not at all.
#[component]
fn Overdue(
    target: Signal<Target>,
    id: String,
    reinstate: FormAction<ReinstateJob>,
    run: FormAction<RetryJob>,
) -> impl IntoView {
    let clock = Clock::get();
    let job = target.with_untracked(|target| target.id.clone());
    let seen = Signal::derive(move || target.with(|target| target.version));
    let why = Signal::derive(move || off_because(Verb::Undo, target.with(|t| t.state)).unwrap_or_default());
    let sentence = Signal::derive(move || {
        let due = target.with(|target| target.due);
        t!("acts-undo-overdue", due = format::exact(due, clock.zone()))
    });
    let field = format!("{id}-at");
    let (first, second) = (job.clone(), job);
    view! {
        <span data-key=Verb::Undo.key()>
            <Confirm
                id
                trigger=move || view! { {icon(Icon::Undo)} <span>{t!("acts-undo")}</span> }
                title=t!("acts-undo-overdue-title")
                sentence
                dismiss=t!("acts-keep-off")
                disabled_because=why
                tone="primary"
            >
                <PostForm action=run>
                    <JobFields id=first seen/>
                    <OperationField seen/>
                    <button type="submit" class="button" data-tone="primary">{icon(Icon::Play)} {t!("acts-run-now")}</button>
                </PostForm>
                <PostForm action=reinstate>
                    <JobFields id=second seen/>
                    <OperationField seen/>
                    <MomentField id=field name="at" label=t!("acts-at-another-time")/>
                    <button type="submit" class="button">{t!("acts-put-back-at")}</button>
                </PostForm>
            </Confirm>
        </span>
    }
}
