//! The cells of a row that differ from list to list.

use leptos::prelude::*;
use reprieve::model::{Held, JobRow, JobState, StateGroup, Timestamp, failure};

use super::rows::Rows;
use crate::clock::Clock;
use crate::components::badge::Badge;
use crate::components::copy::CopyButton;
use crate::components::elapsed::{ClocksDiffer, Elapsed, Remaining};
use crate::components::time::{Time, TimePair, TimeStyle};
use crate::{format, i18n, t};

/// A delayed job this much past its due time, in milliseconds, does not move. A second is what a forwarder takes at most; the
/// rest is what a row that moved in time takes to hear of it, which is told once a second.
const OVERDUE_MS: i64 = 2_500;

/// The heading of the first column: when.
pub(crate) fn when_heading(group: StateGroup) -> String {
    match group {
        StateGroup::Delay => t!("jobs-due"),
        StateGroup::Ready => t!("jobs-waiting-for"),
        StateGroup::Active => t!("jobs-running-for"),
        StateGroup::Dead => t!("jobs-failed"),
        StateGroup::Done => t!("jobs-finished"),
        StateGroup::Cancelled => t!("jobs-called-off"),
        StateGroup::Held => t!("jobs-due-kept"),
    }
}

/// The heading of the column of its own.
pub(crate) fn own_heading(group: StateGroup) -> String {
    match group {
        StateGroup::Delay => t!("jobs-created-by"),
        StateGroup::Ready => t!("jobs-due"),
        StateGroup::Active => t!("jobs-worker"),
        StateGroup::Dead => t!("jobs-error"),
        StateGroup::Done => t!("jobs-took"),
        StateGroup::Cancelled => t!("jobs-by-why"),
        StateGroup::Held => t!("jobs-held-by"),
    }
}

/// The first cell: when. Two lines, so that no row changes its height.
pub(crate) fn when(group: StateGroup, row: &JobRow) -> AnyView {
    match group {
        StateGroup::Delay => view! { <Due due=row.due/> }.into_any(),
        StateGroup::Held => view! { <TimePair at=row.due/> }.into_any(),
        StateGroup::Ready => since(row.ready.unwrap_or(row.due)),
        StateGroup::Active => since(row.started.unwrap_or(row.due)),
        StateGroup::Dead | StateGroup::Done | StateGroup::Cancelled => {
            view! { <TimePair at=row.ended.unwrap_or(row.due)/> }.into_any()
        }
    }
}

/// How long it has been so, and the instant since when, without a word before it: two lines are all the room there is.
fn since(at: Timestamp) -> AnyView {
    let clock = Clock::get();
    let ticking = Memo::new(move |_| clock.now_ms().is_some());
    let second = move || ticking.get().then(|| view! { <small><Time at style=TimeStyle::Absolute/></small> });
    view! { <span class="time-pair"><Elapsed since=at/> {second}</span> }.into_any()
}

/// A due time that counts down; marked where nothing moves although it should. A list that rests hears of nothing that
/// moves: there it is judged by when its rows were last known to be true.
#[component]
fn Due(due: Timestamp) -> impl IntoView {
    let clock = Clock::get();
    let rows = use_context::<Rows>();
    let overdue = Memo::new(move |_| {
        let known_ms = rows.and_then(Rows::true_until_ms);
        known_ms.is_some_and(|ms| ms.saturating_sub(due.as_millis()) > OVERDUE_MS)
    });
    let chip = move || overdue.get().then(|| view! { <span class="overdue">{t!("jobs-overdue")}</span> });
    let ticking = Memo::new(move |_| clock.now_ms().is_some());
    let second = move || ticking.get().then(|| view! { <Time at=due style=TimeStyle::Absolute/> });
    view! {
        <span class="time-pair">
            <span class="due-first"><Time at=due/> {chip}</span>
            <small>{second}</small>
        </span>
    }
}

/// The cell of its own: what one asks first of a job in that list.
pub(crate) fn own(group: StateGroup, row: &JobRow) -> AnyView {
    match group {
        StateGroup::Delay => {
            let note = match row.state {
                JobState::Retrying if !row.error_line.is_empty() => error(row),
                _ => changed(row).map_or_else(|| created(row).into_any(), IntoAny::into_any),
            };
            two_lines(row.created_by.clone(), note)
        }
        StateGroup::Ready => view! { <TimePair at=row.due/> }.into_any(),
        StateGroup::Active => {
            let worker = row.worker.clone().unwrap_or_default();
            let lease = row
                .lease_until
                .map(|until| view! { {t!("jobs-lease")} " " <Remaining until over=t!("jobs-lease-over")/> });
            let note = if row.cancel_requested.is_some() {
                t!("jobs-asked-to-stop").into_any()
            } else {
                view! { {row.percent.map(far)} {lease} }.into_any()
            };
            two_lines(worker, note)
        }
        StateGroup::Dead => {
            let attempts = t!("jobs-attempts", count = row.attempt);
            view! { <span class="two-lines">{error(row)} <small>{attempts}</small></span> }.into_any()
        }
        StateGroup::Done => {
            let took_ms = row.ended.zip(row.started).map(|(ended, started)| ended.millis_since(started));
            let took = took_ms.map_or_else(String::new, |ms| format::short_ms(ms.max(0).unsigned_abs()));
            let differ = took_ms.is_some_and(i64::is_negative).then(|| view! { " " <ClocksDiffer/> });
            two_lines(took, view! { {beside_due(row.started, row.due)} {differ} }.into_any())
        }
        StateGroup::Cancelled => {
            let undo = row.kept_until.map(
                |until| view! { {t!("jobs-undo-until")} " " <Time at=until style=TimeStyle::Absolute/> },
            );
            two_lines(who_why(row), undo.into_any())
        }
        StateGroup::Held => {
            let Some(Held { at, by, why, .. }) = row.held.clone() else {
                return two_lines(row.by.clone(), i18n::why(&row.why).into_any());
            };
            let why = (!why.is_empty()).then(|| view! { " · " {i18n::why(&why)} });
            let since = view! { {t!("jobs-since")} " " <Time at style=TimeStyle::Absolute/> {why} };
            two_lines(by, since.into_any())
        }
    }
}

/// Who made the latest change, and why.
fn who_why(row: &JobRow) -> String {
    if row.why.is_empty() {
        return row.by.clone();
    }
    t!("jobs-who-why", who = row.by.clone(), why = i18n::why(&row.why))
}

/// Who changed it since it was enqueued, and why; `None` where nobody did.
fn changed(row: &JobRow) -> Option<String> {
    (row.by != row.created_by || !row.why.is_empty()).then(|| who_why(row))
}

/// How far it is, as a bar and in figures.
fn far(percent: u8) -> impl IntoView {
    let said = t!("jobs-percent", percent = percent);
    view! { <span class="row-progress"><progress max="100" value=percent.to_string() aria-hidden="true"></progress> {said}</span> " · " }
}

/// What went wrong last, with what it calls itself in front, and a button that copies it.
fn error(row: &JobRow) -> AnyView {
    let text = row.error_line.clone();
    let title = text.clone();
    let shown = match failure::class_of(&text) {
        Some((class, rest)) => {
            view! { <b class="error-class">{class.to_owned()}</b> {format!(": {rest}")} }.into_any()
        }
        None => text.clone().into_any(),
    };
    let copy =
        (!text.is_empty()).then(|| view! { <CopyButton text=text.clone() what=t!("job-copy-error")/> });
    view! { <span class="with-copy"><span title=title>{shown}</span> {copy}</span> }.into_any()
}

fn created(row: &JobRow) -> impl IntoView {
    view! { {t!("jobs-enqueued")} " " <Time at=row.created/> }
}

/// `late by 12 ms` or `early by 3 ms`, of its latest attempt; nothing before the first.
fn beside_due(started: Option<Timestamp>, due: Timestamp) -> String {
    let Some(late_ms) = started.map(|started| started.millis_since(due)) else {
        return String::new();
    };
    let span = format::short_ms(late_ms.unsigned_abs());
    if late_ms < 0 { t!("jobs-early-by", span = span) } else { t!("jobs-late-by", span = span) }
}

fn two_lines(first: String, second: AnyView) -> AnyView {
    let title = first.clone();
    view! {
        <span class="two-lines">
            <span title=title>{first}</span>
            <small>{second}</small>
        </span>
    }
    .into_any()
}

/// What the first cell says of a row that has left the list.
pub(crate) fn left(row: &JobRow, gone: bool) -> AnyView {
    if gone {
        return view! { <span class="two-lines"><span>{t!("jobs-removed")}</span> <small>{t!("jobs-not-kept")}</small></span> }.into_any();
    }
    let at = row.ended.or(row.started.filter(|_| row.state == JobState::Active));
    let note = at.map(|at| view! { <Time at/> });
    view! { <span class="two-lines"><span>{t!("jobs-now")} " " <Badge state=row.state/></span> <small>{note}</small></span> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_and_early_are_words_of_their_own() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        assert_eq!(beside_due(Some(at(1_012)), at(1_000)), "late by 12 ms");
        assert_eq!(beside_due(Some(at(988)), at(1_000)), "early by 12 ms");
        assert_eq!(beside_due(None, at(1_000)), "");
    }
}
