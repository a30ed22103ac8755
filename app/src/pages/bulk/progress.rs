//! How far a run has come, and what can still be done about it.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{BulkRun, BulkState, BulkVerb, Permission};

use crate::api::bulk::{AbortBulk, StartBulk, UndoBulk};
use crate::clock::Clock;
use crate::components::fields::{BackField, Submit};
use crate::components::icons::{Icon, icon};
use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::session::Session;
use crate::{format, i18n, routes, t};

/// Sums, rate, and the buttons: abort, go on, undo.
#[component]
pub(super) fn Progress(
    run: BulkRun,
    /// Whether the run that undoes it is yet to be started.
    undo_waits: bool,
) -> impl IntoView {
    let session = Session::get();
    let needs = session.lacks(&[Permission::RunBulk, run.verb.permission()]);
    let done = run.total.saturating_sub(run.pending);
    let sums = [
        (t!("bulk-changed"), run.changed),
        (t!("bulk-skipped"), run.skipped),
        (t!("bulk-failed"), run.failed),
        (if run.state.is_over() { t!("bulk-left") } else { t!("bulk-pending") }, run.pending),
    ];
    let sums = sums.map(
        |(name, count)| view! { <div class="tile"><dt>{name}</dt> <dd>{format::number(count)}</dd></div> },
    );
    let words = run.words.iter().map(|(word, count)| {
        view! { <li>{format::number(*count)} " " {i18n::bulk_word(word)}</li> }
    });
    let ended = run.ended.map(|at| {
        let why = (!run.ended_why.is_empty() && run.ended_why != run.why).then(|| i18n::why(&run.ended_why));
        let text = match run.ended_by.as_str() {
            "" => t!("bulk-ended", at = HERE),
            who => t!("bulk-ended-by", at = HERE, who = who.to_owned()),
        };
        view! { <p class="run-ended"><TimedSentence text at/> {why.map(|why| format!(" · {why}"))}</p> }
    });
    let other = Some(run.started_by.clone()).filter(|who| !who.is_empty() && *who != run.by);
    let started_by = other.map(|who| view! { <p>{t!("bulk-started-by", who = who)}</p> });
    let undone = run.undone_by.clone().map(|by| {
        let text = if undo_waits { t!("bulk-undo-waits") } else { t!("bulk-undone") };
        view! { <p><a href=routes::bulk_run(&by)>{text}</a></p> }
    });
    let id = run.id.to_string();
    let going = matches!(run.state, BulkState::Running | BulkState::Stopped);
    let (id_to_abort, needs_to_abort) = (id.clone(), needs.clone());
    let aborting = going.then(|| {
        view! {
            <form method="post" action=AbortBulk::PATH>
                <input type="hidden" name="run" value=id_to_abort/>
                <BackField/>
                <button type="submit" class="button" data-tone="danger" aria-disabled=needs_to_abort.is_some().then_some("true") title=needs_to_abort.unwrap_or_else(|| t!("bulk-abort-hint"))>
                    {icon(Icon::Close)}
                    <span>{t!("bulk-abort")}</span>
                </button>
            </form>
        }
    });
    let go_on = (run.state == BulkState::Stopped).then(|| {
        view! {
            <form method="post" action=StartBulk::PATH>
                <input type="hidden" name="run" value=id/>
                <input type="hidden" name="count" value=run.total.to_string()/>
                <input type="hidden" name="note" value=t!("bulk-go-on")/>
                <BackField/>
                <Submit off=needs>{t!("bulk-go-on")}</Submit>
            </form>
        }
    });
    let by = run.verb.undone_by().filter(|_| run.state.is_over() && run.undoable > 0);
    let undo = by.map(|by| view! { <Undo run=run.clone() by/> });
    view! {
        <section class="panel run-progress">
            <progress max=run.total.to_string() value=done.to_string() aria-label=t!("bulk-progress")></progress>
            <p>{how_far(&run)} " " {rate(&run, done)}</p>
            <dl class="run-sums">{sums}</dl>
            <ul class="run-words">{words.collect_view()}</ul>
            {started_by}
            {ended}
            {undone}
            <div class="run-buttons">{aborting} {go_on} {undo}</div>
        </section>
    }
}

/// How far it has come.
pub(super) fn how_far(run: &BulkRun) -> String {
    let done = run.total.saturating_sub(run.pending);
    t!("bulk-progress-of", done = done, total = run.total)
}

/// Jobs a second so far.
fn rate(run: &BulkRun, done: u64) -> Option<impl IntoView + use<>> {
    let started = run.started?;
    let end_ms = run.ended.map(|at| at.as_millis()).unwrap_or_else(|| Clock::get().now_ms());
    let ms = u64::try_from(end_ms.saturating_sub(started.as_millis()).max(1)).ok()?;
    let rate = done.saturating_mul(1_000) / ms;
    (rate > 0).then(|| view! { <small>{t!("bulk-rate", rate = rate)}</small> })
}

/// Makes the run that changes everything back, and leads to it.
#[component]
fn Undo(
    run: BulkRun,
    /// The verb that does so.
    by: BulkVerb,
) -> impl IntoView {
    let session = Session::get();
    let needs = session.lacks(&[Permission::RunBulk, by.permission()]);
    let until = run.undo_until().map(|at| {
        let text = t!("bulk-undo-until", at = HERE);
        view! { " " <TimedSentence text at style=TimeStyle::Absolute/> }
    });
    view! {
        <form method="post" action=UndoBulk::PATH>
            <input type="hidden" name="run" value=run.id.to_string()/>
            <BackField/>
            <Submit tone="primary" off=needs>
                {icon(Icon::Undo)}
                <span>{t!("bulk-undo")}</span>
            </Submit>
            " " <small>{t!("bulk-undo-hint", count = run.undoable)} {until}</small>
        </form>
    }
}
