//! Running a job now that waits for its time or that a customer feels (level L1): one sentence and a reason before it runs.

use leptos::prelude::*;
use reprieve::model::{JobState, RetriedNow};

use super::plain::hear;
use super::verb::Verb;
use super::{OperationField, Target};
use crate::api::RetryJob;
use crate::clock::Clock;
use crate::components::confirm::Confirm;
use crate::components::fields::{JobFields, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal::refused;
use crate::i18n::ReasonsFor;
use crate::live::effect::effect;
use crate::session::Session;
use crate::{format, i18n, t};

/// The button that runs such a job now, or once more, after it has asked.
#[component]
pub(super) fn RunAct(
    /// The job as the person sees it.
    target: Signal<Target>,
    /// Unique on the page.
    id: String,
    /// `primary` for the main act, `plain` otherwise.
    tone: &'static str,
) -> impl IntoView {
    let clock = Clock::get();
    let action = FormAction::<RetryJob>::new();
    hear(action, |outcome| matches!(outcome, RetriedNow::Ready(_)), None);
    let done = RwSignal::new(0_u64);
    effect(move || {
        if matches!(action.value().get(), Some(Ok(_))) {
            done.update(|done| *done += 1);
        }
    });
    let job = target.with_untracked(|target| target.id.clone());
    let seen = Signal::derive(move || target.with(|target| target.version));
    let state = Memo::new(move |_| target.with(|target| target.state));
    let why = Signal::derive(move || target.with(|target| target.off_because(Verb::Run)).unwrap_or_default());
    let word = move || Verb::Run.word(state.get());
    let sentence = Signal::derive(move || target.with(|target| consequence(target, clock)));
    let refused = move || {
        let error = action.value().get()?.err()?;
        Some(refused(&error))
    };
    let reasons = format!("{id}-why");
    view! {
        <div class="act">
            <Confirm
                id
                key=Verb::Run.key()
                trigger=move || view! { {icon(Icon::Play)} <span>{word}</span> }
                title=Signal::derive(word)
                sentence
                dismiss=t!("acts-keep-waiting")
                disabled_because=why
                done
                tone
            >
                <PostForm action>
                    <JobFields id=job seen/>
                    <OperationField seen/>
                    <ReasonFields id=reasons sort=ReasonsFor::Running/>
                    {refused}
                    <button type="submit" class="button" data-tone="primary">{word}</button>
                </PostForm>
            </Confirm>
        </div>
    }
}

/// What running it now means for whom it is about.
fn consequence(target: &Target, clock: Clock) -> String {
    let about = i18n::about(&target.kind, target.subject.as_ref());
    match target.state {
        JobState::Dead | JobState::Cancelled => t!("acts-run-again-consequence", about = about),
        _ => {
            let due = format::exact(target.due, clock.zone());
            if Session::get().is_felt(&target.kind) {
                t!("acts-run-consequence", about = about, due = due)
            } else {
                t!("acts-run-at-once", about = about, due = due)
            }
        }
    }
}
