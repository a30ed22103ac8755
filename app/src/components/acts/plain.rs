//! Acts without a question: run or retry now, undo, hold, release. What waits for its time or what a customer feels is run after
//! one.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Job, JobState};

use super::verb::Verb;
use super::{ActFields, why_off_of};
use crate::api::acts::{HoldJob, ReinstateJob, RetryJob, UnholdJob};
use crate::clock::Clock;
use crate::components::confirm::Confirm;
use crate::components::fields::ReasonFields;
use crate::components::icons::{Icon, icon};
use crate::i18n::ReasonsFor;
use crate::session::Session;
use crate::{format, i18n, t};

/// The button of an act that asks nothing.
#[component]
pub(super) fn PlainAct(
    verb: Verb,
    job: Job,
    /// `primary` for the main act, `plain` otherwise.
    tone: &'static str,
) -> impl IntoView {
    let (path, picture) = match verb {
        Verb::Hold => (HoldJob::PATH, Icon::PausedCircle),
        // It waits for its time again.
        Verb::Unhold => (UnholdJob::PATH, Icon::Clock),
        Verb::Undo => (ReinstateJob::PATH, Icon::Undo),
        _ => (RetryJob::PATH, Icon::Play),
    };
    let word = verb.word(job.state);
    let why = why_off_of(verb, &job);
    let off = why.is_some();
    let title = why.unwrap_or_else(|| match verb {
        Verb::Undo => t!("acts-undo-name", key = verb.key()),
        _ => t!("acts-with-key", act = word.clone(), key = verb.key()),
    });
    view! {
        <div class="act">
            <form method="post" action=path>
                <ActFields id=job.id seen=job.version/>
                <button
                    type="submit" class="button" data-tone=tone data-key=verb.key()
                    aria-disabled=off.then_some("true") title=title
                >
                    {icon(picture)}
                    <span>{word}</span>
                </button>
            </form>
        </div>
    }
}

/// The button that runs a job now, or once more, after it has asked.
#[component]
pub(super) fn RunAct(
    job: Job,
    id: String,
    /// `primary` for the main act, `plain` otherwise.
    tone: &'static str,
) -> impl IntoView {
    let word = Verb::Run.word(job.state);
    let (trigger, submit) = (word.clone(), word.clone());
    let why = why_off_of(Verb::Run, &job).unwrap_or_default();
    let sentence = consequence(&job);
    let reasons = format!("{id}-why");
    view! {
        <div class="act">
            <Confirm
                id
                key=Verb::Run.key()
                trigger=move || view! { {icon(Icon::Play)} <span>{trigger.clone()}</span> }
                title=word
                sentence
                dismiss=t!("acts-keep-waiting")
                disabled_because=why
                tone
            >
                <form method="post" action=RetryJob::PATH>
                    <ActFields id=job.id seen=job.version/>
                    <ReasonFields id=reasons sort=ReasonsFor::Running/>
                    <button type="submit" class="button" data-tone="primary">{submit}</button>
                </form>
            </Confirm>
        </div>
    }
}

/// What running it now means for whom it is about.
fn consequence(job: &Job) -> String {
    let about = i18n::about(job.kind.as_str(), job.subject.as_ref());
    if matches!(job.state, JobState::Dead | JobState::Cancelled) {
        return t!("acts-run-again-consequence", about = about);
    }
    let due = format::exact(job.due, Clock::get().zone());
    if Session::get().is_felt(job.kind.as_str()) {
        t!("acts-run-consequence", about = about, due = due)
    } else {
        t!("acts-run-at-once", about = about, due = due)
    }
}
