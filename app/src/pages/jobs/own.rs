//! The cell of a row that is its list's own: what one asks first of a job there.

use leptos::prelude::*;
use reprieve::model::{Held, JobRow, JobState, StateGroup, Timestamp, failure};

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

/// What the cell says. What else changes of a job does not touch it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Own {
    /// Who enqueued it, and what is to be said of it since.
    Waits(String, Note),
    /// When it was due.
    Due(Timestamp),
    /// Its worker, how far it is and until when that is heard of.
    Runs { worker: String, asked_to_stop: bool, percent: Option<u8>, lease_until: Option<Timestamp> },
    /// What went wrong last, and how often it was tried.
    Failed { error: String, attempts: u32 },
    /// How long it took, and how late it became ready.
    Took { started: Option<Timestamp>, ended: Option<Timestamp>, ready: Option<Timestamp>, due: Timestamp },
    /// Who called it off and why, and until when that is taken back.
    Cancelled { by: String, why: String, kept_until: Option<Timestamp> },
    /// Who holds it and why, and since when, where that is known.
    Held { by: String, why: String, since: Option<Timestamp> },
}

/// What is said of a job that waits for its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    /// It is tried again: what went wrong last.
    Failed(String),
    /// Somebody changed it: who and why.
    Changed { by: String, why: String },
    /// Nothing has happened since it was enqueued.
    Enqueued(Timestamp),
}

impl Own {
    /// Of a job that is shown in a list.
    pub(crate) fn of(group: StateGroup, row: &JobRow) -> Self {
        let (by, why) = (row.by.clone(), row.why.clone());
        match group {
            StateGroup::Delay => Self::Waits(row.created_by.clone(), Note::of(row)),
            StateGroup::Ready => Self::Due(row.due),
            StateGroup::Active => Self::Runs {
                worker: row.worker.clone().unwrap_or_default(),
                asked_to_stop: row.cancel_requested.is_some(),
                percent: row.percent,
                lease_until: row.lease_until,
            },
            StateGroup::Dead => Self::Failed { error: row.error_line.clone(), attempts: row.attempt },
            StateGroup::Done => {
                Self::Took { started: row.started, ended: row.ended, ready: row.ready, due: row.due }
            }
            StateGroup::Cancelled => Self::Cancelled { by, why, kept_until: row.kept_until },
            StateGroup::Held => match row.held.clone() {
                Some(Held { at, by, why, .. }) => Self::Held { by, why, since: Some(at) },
                None => Self::Held { by, why, since: None },
            },
        }
    }
}

impl Note {
    fn of(row: &JobRow) -> Self {
        if row.state == JobState::Retrying && !row.error_line.is_empty() {
            Self::Failed(row.error_line.clone())
        } else if row.by != row.created_by || !row.why.is_empty() {
            Self::Changed { by: row.by.clone(), why: row.why.clone() }
        } else {
            Self::Enqueued(row.created)
        }
    }
}

/// The cell. Two lines, so that no row changes its height.
pub(crate) fn cell(group: StateGroup, row: &JobRow) -> AnyView {
    let clock = Clock::get();
    match &Own::of(group, row) {
        Own::Waits(created_by, note) => {
            let note = match note {
                Note::Failed(text) => view! { {t!("jobs-failed-with")} " " {error(text)} }.into_any(),
                Note::Changed { by, why } => t!("jobs-changed-by", who = who_why(by, why)).into_any(),
                Note::Enqueued(at) => {
                    view! { {t!("jobs-enqueued")} " " {written(*at, TimeStyle::Relative, clock)} }.into_any()
                }
            };
            two_lines(created_by.clone(), note)
        }
        Own::Due(at) => view! { <TimePair at=*at/> }.into_any(),
        Own::Runs { worker, asked_to_stop, percent, lease_until } => {
            let lease = lease_until
                .map(|until| view! { {t!("jobs-lease")} " " <Remaining until over=t!("jobs-lease-over")/> });
            let note = if *asked_to_stop {
                t!("jobs-asked-to-stop").into_any()
            } else {
                view! { {percent.map(far)} {lease} }.into_any()
            };
            two_lines(worker.clone(), note)
        }
        Own::Failed { error: text, attempts } => {
            let attempts = t!("jobs-attempts", count = *attempts);
            view! { <span class="two-lines">{error(text)} <small>{attempts}</small></span> }.into_any()
        }
        Own::Took { started, ended, ready, due } => {
            let took_ms = ended.zip(*started).map(|(ended, started)| ended.millis_since(started));
            let took = took_ms.map_or_else(String::new, |ms| format::short_ms(ms.max(0).unsigned_abs()));
            let differ = took_ms.is_some_and(i64::is_negative).then(|| view! { " " <ClocksDiffer/> });
            two_lines(took, view! { {beside_due(*ready, *due)} {differ} }.into_any())
        }
        Own::Cancelled { by, why, kept_until } => {
            let undo = kept_until.map(
                |until| view! { {t!("jobs-undo-until")} " " {written(until, TimeStyle::Absolute, clock)} },
            );
            two_lines(who_why(by, why), undo.into_any())
        }
        Own::Held { by, why, since: None } => two_lines(by.clone(), i18n::why(why).into_any()),
        Own::Held { by, why, since: Some(at) } => {
            let since = view! { {t!("jobs-since")} " " {written(*at, TimeStyle::Absolute, clock)} };
            two_lines(who_why(by, why), since.into_any())
        }
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
    use reprieve::model::Version;

    #[test]
    fn a_job_that_waits_says_what_happened_to_it_since_it_was_enqueued() {
        let mut row = given::row_in(JobState::Delayed);
        (row.by, row.created_by) = ("api".to_owned(), "api".to_owned());
        let note = |row: &JobRow| match Own::of(StateGroup::Delay, row) {
            Own::Waits(by, note) if by == "api" => note,
            other => panic!("{other:?}"),
        };
        assert_eq!(note(&row), Note::Enqueued(row.created));

        row.by = "ann".to_owned();
        let changed = |why: &str| Note::Changed { by: "ann".to_owned(), why: why.to_owned() };
        assert_eq!(note(&row), changed(""));
        row.why = "a day later".to_owned();
        assert_eq!(note(&row), changed("a day later"));

        row.error_line = "410 Gone".to_owned();
        assert_eq!(
            note(&row),
            changed("a day later"),
            "it was tried before, and waits for another time since"
        );
        row.state = JobState::Retrying;
        assert_eq!(note(&row), Note::Failed("410 Gone".to_owned()));
    }

    #[test]
    fn a_job_that_is_held_says_who_holds_it_since_when_also_where_that_is_not_known() {
        let mut row = given::row_in(JobState::Held);
        (row.by, row.why) = ("api".to_owned(), "later".to_owned());
        let held = |by: &str, why: &str, since| Own::Held { by: by.to_owned(), why: why.to_owned(), since };
        assert_eq!(Own::of(StateGroup::Held, &row), held("api", "later", None));

        row.held =
            serde_json::from_value(serde_json::json!({ "at": 30, "by": "ann", "why": "a look" })).unwrap();
        assert_eq!(Own::of(StateGroup::Held, &row), held("ann", "a look", Timestamp::from_millis(30)));
    }

    #[test]
    fn what_a_list_does_not_tell_of_says_nothing_else() {
        for state in JobState::ALL {
            let group = StateGroup::of(state);
            let mut row = given::row_in(state);
            let before = Own::of(group, &row);
            (row.version, row.preview, row.cancelled_from) =
                (Version(7), "{}".to_owned(), Some(JobState::Held));
            assert_eq!(Own::of(group, &row), before, "{state:?}");
        }
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
        let Own::Took { ready, due, .. } = Own::of(StateGroup::Done, &row) else { panic!("it is done") };
        assert_eq!(beside_due(ready, due), "late by 2 ms", "seven seconds of waiting are not its lateness");
    }
}
