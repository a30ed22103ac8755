//! The first cell of a row: when; and where the job went once it has left the list.

use leptos::prelude::*;
use reprieve::model::{JobRow, JobState, StateGroup, Timestamp};

use crate::clock::Clock;
use crate::components::badge::Badge;
use crate::components::elapsed::Elapsed;
use crate::components::time::{TimeStyle, written};
use crate::t;

/// A delayed job this much past its due time, in milliseconds, does not move. A second is what a forwarder takes at most; the
/// rest is what a row that moved in time takes to hear of it, which is told once a second.
const OVERDUE_MS: i64 = 2_500;

/// The heading of the column.
pub(crate) fn heading(group: StateGroup) -> String {
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

/// What the cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// It moves by itself then.
    Due(Timestamp),
    /// It was, or would be, then.
    At(Timestamp),
    /// It has been so since then.
    Since(Timestamp),
    /// It has left the list for that state, and since when, where that is told.
    Left(JobState, Option<Timestamp>),
    /// It is kept no more.
    Removed,
}

impl When {
    /// Of a job that is shown in a list.
    pub(crate) fn of(group: StateGroup, row: &JobRow) -> Self {
        if StateGroup::of(row.state) != group {
            let started = row.started.filter(|_| row.state == JobState::Active);
            return Self::Left(row.state, row.ended.or(started));
        }
        match group {
            StateGroup::Delay => Self::Due(row.due),
            StateGroup::Held => Self::At(row.due),
            StateGroup::Ready => Self::Since(row.ready.unwrap_or(row.due)),
            StateGroup::Active => Self::Since(row.started.unwrap_or(row.due)),
            StateGroup::Dead | StateGroup::Done | StateGroup::Cancelled => {
                Self::At(row.ended.unwrap_or(row.due))
            }
        }
    }

    /// Whether the job has left the list; its row stays, greyed, until the list is read anew.
    pub(crate) const fn has_left(self) -> bool {
        matches!(self, Self::Left(..) | Self::Removed)
    }
}

/// The cell. Two lines, so that no row changes its height.
pub(crate) fn cell(group: StateGroup, when: When) -> AnyView {
    let clock = Clock::get();
    match when {
        When::Due(at) => {
            let chip = (group == StateGroup::Delay && is_overdue(at, clock))
                .then(|| view! { <span class="overdue">{t!("jobs-overdue")}</span> });
            let first =
                view! { <span class="due-first">{written(at, TimeStyle::Relative, clock)} {chip}</span> };
            pair(first.into_any(), at, clock)
        }
        When::At(at) => pair(written(at, TimeStyle::Relative, clock), at, clock),
        When::Since(at) => pair(view! { <Elapsed since=at/> }.into_any(), at, clock),
        When::Left(state, at) => {
            let at = at.map(|at| written(at, TimeStyle::Relative, clock));
            view! { <span class="two-lines"><span><Badge state/></span> <small>{at}</small></span> }
                .into_any()
        }
        When::Removed => {
            view! { <span class="two-lines"><span>{t!("jobs-removed")}</span> <small>{t!("jobs-not-kept")}</small></span> }
                .into_any()
        }
    }
}

/// What says how far away an instant is, and the instant itself.
fn pair(first: AnyView, at: Timestamp, clock: Clock) -> AnyView {
    let second = written(at, TimeStyle::Absolute, clock);
    view! { <span class="time-pair">{first} <small>{second}</small></span> }.into_any()
}

/// Whether nothing moves although it should: as of when the row was read.
fn is_overdue(due: Timestamp, clock: Clock) -> bool {
    clock.now_ms().saturating_sub(due.as_millis()) > OVERDUE_MS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms).unwrap()
    }

    #[test]
    fn each_list_says_when_in_its_own_way() {
        let mut job = given::row_in(JobState::Delayed);
        (job.due, job.ready, job.started, job.ended) = (at(10), Some(at(20)), Some(at(30)), Some(at(40)));
        let mut said = |state| {
            job.state = state;
            When::of(StateGroup::of(state), &job)
        };

        assert_eq!(said(JobState::Delayed), When::Due(at(10)));
        assert_eq!(said(JobState::Retrying), When::Due(at(10)));
        assert_eq!(said(JobState::Held), When::At(at(10)));
        assert_eq!(said(JobState::Ready), When::Since(at(20)));
        assert_eq!(said(JobState::Active), When::Since(at(30)));
        for state in [JobState::Done, JobState::Dead, JobState::Cancelled] {
            assert_eq!(said(state), When::At(at(40)));
        }
    }

    #[test]
    fn a_job_that_left_says_where_it_went_and_one_that_is_kept_no_more_that_it_was_removed() {
        let mut job = given::row_in(JobState::Active);
        job.started = Some(at(30));
        let before = When::of(StateGroup::Active, &job);
        assert!(!before.has_left());
        assert_eq!(When::of(StateGroup::Ready, &job), When::Left(JobState::Active, Some(at(30))));

        // Its start says nothing of when it became due again.
        job.state = JobState::Retrying;
        assert_eq!(When::of(StateGroup::Active, &job), When::Left(JobState::Retrying, None));

        (job.state, job.ended) = (JobState::Dead, Some(at(40)));
        let left = When::of(StateGroup::Active, &job);
        assert_eq!(left, When::Left(JobState::Dead, Some(at(40))));

        assert!(left.has_left() && When::Removed.has_left());
    }
}
