//! What a list asks for and gets: groups of states, keyset pages.

use super::job::JobRow;
use super::name::{JobId, QueueName};
use super::state::JobState;
use super::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

words! {
    /// The seven lists a person sees. All but Delay hold one state.
    #[derive(PartialOrd, Ord, Default)]
    pub enum StateGroup or "not a list; lists are " {
        /// Delayed and retrying: waits for a time.
        #[default]
        Delay = "delay",
        /// Due; waits for a worker.
        Ready = "ready",
        /// A worker has it.
        Active = "active",
        /// Will not run again by itself.
        Dead = "dead",
        /// Finished.
        Done = "done",
        /// Called off.
        Cancelled = "cancelled",
        /// Put on hold.
        Held = "held",
    }
}

impl StateGroup {
    /// The states it shows.
    #[must_use]
    pub const fn states(self) -> &'static [JobState] {
        match self {
            Self::Delay => &[JobState::Delayed, JobState::Retrying],
            Self::Ready => &[JobState::Ready],
            Self::Active => &[JobState::Active],
            Self::Dead => &[JobState::Dead],
            Self::Done => &[JobState::Done],
            Self::Cancelled => &[JobState::Cancelled],
            Self::Held => &[JobState::Held],
        }
    }

    /// The group that shows a state.
    #[must_use]
    pub const fn of(state: JobState) -> Self {
        match state {
            JobState::Delayed | JobState::Retrying => Self::Delay,
            JobState::Ready => Self::Ready,
            JobState::Active => Self::Active,
            JobState::Dead => Self::Dead,
            JobState::Done => Self::Done,
            JobState::Cancelled => Self::Cancelled,
            JobState::Held => Self::Held,
        }
    }

    /// Soonest first for what is to come, newest first for what has ended.
    #[must_use]
    pub const fn default_direction(self) -> Direction {
        match self {
            Self::Delay | Self::Ready | Self::Active | Self::Held => Direction::Ascending,
            Self::Dead | Self::Done | Self::Cancelled => Direction::Descending,
        }
    }
}

/// Which end of the list comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Lowest score first: soonest due, longest waiting, earliest ended.
    #[default]
    Ascending,
    /// Highest score first.
    Descending,
}

/// A place between two rows: the last row a page showed. Stays right while rows come and go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Score of that row in its sorted set.
    pub score: u64,
    /// Its id, which decides between equal scores.
    pub id: JobId,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}~{}", self.score, self.id)
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let (score, id) = text.split_once('~').ok_or(InvalidCursor)?;
        Ok(Self {
            score: score.parse().map_err(|_| InvalidCursor)?,
            id: id.parse().map_err(|_| InvalidCursor)?,
        })
    }
}

/// The text is not a cursor that a page gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor; use the `next` of the page before")]
pub struct InvalidCursor;

/// Most rows a page may have: beyond it the reply outgrows what a browser patches in a frame.
pub const PAGE_SIZE_MAX: u16 = 200;
/// Rows of a page unless said otherwise.
pub const PAGE_SIZE_DEFAULT: u16 = 50;

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListQuery {
    /// Which list.
    pub group: StateGroup,
    /// Only this queue; `None` is all of them.
    pub queue: Option<QueueName>,
    /// Which end first.
    pub direction: Direction,
    /// Start behind this row; `None` is the beginning.
    pub after: Option<Cursor>,
    /// Rows wanted, clamped to 1–[`PAGE_SIZE_MAX`].
    pub size: u16,
}

impl ListQuery {
    /// The first page of a group over all queues, in its usual direction.
    #[must_use]
    pub const fn group(group: StateGroup) -> Self {
        Self {
            group,
            queue: None,
            direction: group.default_direction(),
            after: None,
            size: PAGE_SIZE_DEFAULT,
        }
    }

    /// Only this queue.
    #[must_use]
    pub fn queue(mut self, queue: Option<QueueName>) -> Self {
        self.queue = queue;
        self
    }

    /// The other end first.
    #[must_use]
    pub const fn direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// Start behind that row.
    #[must_use]
    pub fn after(mut self, cursor: Option<Cursor>) -> Self {
        self.after = cursor;
        self
    }

    /// That many rows, clamped to 1–[`PAGE_SIZE_MAX`].
    #[must_use]
    pub fn size(mut self, size: u16) -> Self {
        self.size = size.clamp(1, PAGE_SIZE_MAX);
        self
    }
}

/// The rows of one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Page {
    /// In the order asked for.
    pub rows: Vec<JobRow>,
    /// Where the next page begins; `None` after the last row.
    pub next: Option<Cursor>,
    /// How many jobs the list holds in all.
    pub total: u64,
    /// When this was read, by Redis's clock.
    pub read_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_in_exactly_one_group() {
        for state in JobState::ALL {
            let groups: Vec<_> =
                StateGroup::ALL.into_iter().filter(|g| g.states().contains(&state)).collect();
            assert_eq!(groups, [StateGroup::of(state)]);
        }
    }

    #[test]
    fn a_cursor_reads_back_even_from_an_id_with_separators() {
        let cursor = Cursor { score: 500_000_000_000_012, id: JobId::new("a:b/c@d-e_f.g").unwrap() };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for bad in ["", "1", "~", "1~", "~a", "x~a", "1~a b", "-1~a"] {
            assert_eq!(bad.parse::<Cursor>(), Err(InvalidCursor), "{bad:?}");
        }
    }

    #[test]
    fn a_page_has_between_one_and_two_hundred_rows() {
        assert_eq!(ListQuery::group(StateGroup::Delay).size(0).size, 1);
        assert_eq!(ListQuery::group(StateGroup::Delay).size(9_999).size, PAGE_SIZE_MAX);
    }
}
