//! The cell of a row that is its list's own: what one asks first of a job there.

use leptos::prelude::*;
use reprieve::model::{JobRow, JobState, StateGroup, Timestamp, failure};

use crate::clock::Clock;
use crate::components::copy::CopyButton;
use crate::components::elapsed::{ClocksDiffer, Remaining};
use crate::components::time::{TimePair, TimeStyle, written};
use crate::{format, i18n, t};

/// The heading of the column.
pub(crate) fn heading(group: StateGroup) -> String {
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

/// The cell. Two lines, so that no row changes its height.
pub(crate) fn cell(group: StateGroup, row: &JobRow) -> AnyView {
    let clock = Clock::get();
    match group {
        StateGroup::Delay => two_lines(row.created_by.clone(), note(row)),
        StateGroup::Ready => view! { <TimePair at=row.due/> }.into_any(),
        StateGroup::Active => {
            let lease = row
                .lease_until
                .map(|until| view! { {t!("jobs-lease")} " " <Remaining until over=t!("jobs-lease-over")/> });
            let note = if row.cancel_requested.is_some() {
                t!("jobs-asked-to-stop").into_any()
            } else {
                view! { {row.percent.map(far)} {lease} }.into_any()
            };
            two_lines(row.worker.clone().unwrap_or_default(), note)
        }
        StateGroup::Dead => {
            let attempts = t!("jobs-attempts", count = row.attempt);
            view! { <span class="two-lines">{error(&row.error_line)} <small>{attempts}</small></span> }
                .into_any()
        }
        StateGroup::Done => {
            let took_ms = row.ended.zip(row.started).map(|(ended, started)| ended.millis_since(started));
            let took = took_ms.map_or_else(String::new, |ms| format::short_ms(ms.max(0).unsigned_abs()));
            let differ = took_ms.is_some_and(i64::is_negative).then(|| view! { " " <ClocksDiffer/> });
            two_lines(took, view! { {beside_due(row.ready, row.due)} {differ} }.into_any())
        }
        StateGroup::Cancelled => {
            let undo = row.kept_until.map(
                |until| view! { {t!("jobs-undo-until")} " " {written(until, TimeStyle::Absolute, clock)} },
            );
            two_lines(who_why(&row.by, &row.why), undo.into_any())
        }
        StateGroup::Held => match &row.held {
            None => two_lines(row.by.clone(), i18n::why(&row.why).into_any()),
            Some(held) => {
                let since = view! { {t!("jobs-since")} " " {written(held.at, TimeStyle::Absolute, clock)} };
                two_lines(who_why(&held.by, &held.why), since.into_any())
            }
        },
    }
}

/// What is said of a job that waits for its time: what went wrong last where it is tried again, who changed it and why, or
/// that nothing has happened since it was enqueued.
fn note(row: &JobRow) -> AnyView {
    if row.state == JobState::Retrying && !row.error_line.is_empty() {
        view! { {t!("jobs-failed-with")} " " {error(&row.error_line)} }.into_any()
    } else if row.by != row.created_by || !row.why.is_empty() {
        t!("jobs-changed-by", who = who_why(&row.by, &row.why)).into_any()
    } else {
        let at = written(row.created, TimeStyle::Relative, Clock::get());
        view! { {t!("jobs-enqueued")} " " {at} }.into_any()
    }
}

/// Who made the latest change, and why.
fn who_why(by: &str, why: &str) -> String {
    if why.is_empty() {
        return by.to_owned();
    }
    t!("jobs-who-why", who = by.to_owned(), why = i18n::why(why))
}

/// How far it is, as a bar and in figures.
fn far(percent: u8) -> impl IntoView {
    let said = t!("jobs-percent", percent = percent);
    view! { <span class="row-progress"><progress max="100" value=percent.to_string() aria-hidden="true"></progress> {said}</span> " · " }
}

/// What went wrong last, with what it calls itself in front, and a button that copies it.
fn error(text: &str) -> AnyView {
    let (text, title) = (text.to_owned(), text.to_owned());
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

/// `late by 12 ms` or `early by 3 ms`: when it became ready for its latest attempt, beside its due time. How long it waited
/// for a worker then is not lateness.
fn beside_due(ready: Option<Timestamp>, due: Timestamp) -> String {
    let Some(late_ms) = ready.map(|ready| ready.millis_since(due)) else {
        return String::new();
    };
    let span = format::short_ms(late_ms.unsigned_abs());
    match late_ms {
        0 => t!("jobs-on-time"),
        ..0 => t!("jobs-early-by", span = span),
        _ => t!("jobs-late-by", span = span),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given;

    /// The cell as a page has it.
    fn said(group: StateGroup, row: &JobRow) -> String {
        Owner::new().with(|| {
            Clock::provide();
            cell(group, row).to_html()
        })
    }

    #[test]
    fn a_job_that_waits_says_what_happened_to_it_since_it_was_enqueued() {
        let mut row = given::row_in(JobState::Delayed);
        (row.by, row.created_by) = ("api".to_owned(), "api".to_owned());
        let is_said = |row: &JobRow, text: &str| {
            let said = said(StateGroup::Delay, row);
            assert!(said.contains("api") && said.contains(text), "{said}");
        };
        is_said(&row, "enqueued");
        row.by = "ann".to_owned();
        is_said(&row, "changed by ann");
        row.why = "a day later".to_owned();
        is_said(&row, "ann: a day later");
        // It was tried before, and waits for another time since.
        row.error_line = "410 Gone".to_owned();
        is_said(&row, "ann: a day later");
        row.state = JobState::Retrying;
        is_said(&row, "410 Gone");
    }

    #[test]
    fn a_job_that_is_held_says_who_holds_it_since_when_also_where_that_is_not_known() {
        let mut row = given::row_in(JobState::Held);
        (row.by, row.why) = ("api".to_owned(), "later".to_owned());
        let held = said(StateGroup::Held, &row);
        assert!(held.contains("api") && held.contains("later") && !held.contains("since"), "{held}");

        row.held =
            serde_json::from_value(serde_json::json!({ "at": 30, "by": "ann", "why": "a look" })).unwrap();
        let held = said(StateGroup::Held, &row);
        assert!(held.contains("ann: a look") && held.contains("since"), "{held}");
    }

    #[test]
    fn late_and_early_are_words_of_their_own() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        assert_eq!(beside_due(Some(at(1_012)), at(1_000)), "late by 12 ms");
        assert_eq!(beside_due(Some(at(988)), at(1_000)), "early by 12 ms");
        assert_eq!(beside_due(Some(at(1_000)), at(1_000)), "on time");
        assert_eq!(beside_due(None, at(1_000)), "");
        let mut row = given::row_in(JobState::Done);
        (row.due, row.ready, row.started) = (at(1_000), Some(at(1_002)), Some(at(9_000)));
        let done = said(StateGroup::Done, &row);
        assert!(done.contains("late by 2 ms"), "seven seconds of waiting are not its lateness: {done}");
    }
}
