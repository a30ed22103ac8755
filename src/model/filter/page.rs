//! What a filtered list asks for and gets.

use super::{Filter, PayloadPath};
use crate::model::job::JobRow;
use crate::model::list::{Cursor, Direction, PAGE_SIZE_DEFAULT, StateGroup};
use crate::model::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A place in a list that may go over several groups of states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GroupPlace {
    /// In which group.
    pub group: StateGroup,
    /// Behind which job; `None` is its beginning.
    pub behind: Option<Cursor>,
}

impl GroupPlace {
    /// That place.
    #[must_use]
    pub const fn new(group: StateGroup, behind: Option<Cursor>) -> Self {
        Self { group, behind }
    }
}

impl fmt::Display for GroupPlace {
    /// `delay`, and `delay~<score>~<id>` behind a job.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.behind {
            Some(cursor) => write!(f, "{}~{cursor}", self.group),
            None => write!(f, "{}", self.group),
        }
    }
}

impl FromStr for GroupPlace {
    type Err = crate::model::list::InvalidCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (group, behind) = match text.split_once('~') {
            Some((group, cursor)) => (group, Some(cursor.parse()?)),
            None => (text, None),
        };
        let group = group.parse().map_err(|_| crate::model::list::InvalidCursor)?;
        Ok(Self { group, behind })
    }
}

/// Which jobs, of which lists, in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilteredQuery {
    /// What they must be like.
    pub filter: Filter,
    /// In which lists, one behind the other.
    pub groups: Vec<StateGroup>,
    /// Which end first; `None` is the usual one of each list.
    pub direction: Option<Direction>,
    /// Where to go on; `None` is the beginning.
    pub after: Option<GroupPlace>,
    /// Rows wanted, 1 to 200.
    pub size: u16,
    /// What to show of each payload beside the row.
    pub columns: Vec<PayloadPath>,
    /// Whether columns have all of a value, not just what a cell on a screen shows.
    pub whole_values: bool,
    /// Who asks: whom `by:me` means.
    pub me: String,
}

impl FilteredQuery {
    /// The first page of these lists.
    #[must_use]
    pub fn new(filter: Filter, groups: impl Into<Vec<StateGroup>>) -> Self {
        Self {
            filter,
            groups: groups.into(),
            direction: None,
            after: None,
            size: PAGE_SIZE_DEFAULT,
            columns: Vec::new(),
            whole_values: false,
            me: String::new(),
        }
    }
}

/// One job that fits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FilteredRow {
    /// The job.
    pub row: JobRow,
    /// What its payload has at each of the paths asked for: up to 120 characters, unless whole values were; empty where
    /// there is nothing.
    pub cells: Vec<String>,
}

/// What one reading found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FilteredPage {
    /// The jobs that fit, in the order of the list.
    pub rows: Vec<FilteredRow>,
    /// Where to go on; `None` when everything was looked at.
    pub next: Option<GroupPlace>,
    /// Whether an index answers: every job looked at fits, and `among` is how many there are.
    pub indexed: bool,
    /// Jobs looked at in this reading.
    pub looked_at: u64,
    /// Jobs there are to look at in all.
    pub among: u64,
    /// When this was read, by Redis's clock.
    pub read_at: Timestamp,
}

impl FilteredPage {
    /// Nothing yet.
    #[must_use]
    pub const fn nothing(read_at: Timestamp) -> Self {
        Self { rows: Vec::new(), next: None, indexed: true, looked_at: 0, among: 0, read_at }
    }
}

/// Filters counted in one go: each is a handful of readings, whatever it finds.
pub const TALLIES_MAX: usize = 40;

/// How many jobs fit, as far as was looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tally {
    /// So many were found.
    pub found: u64,
    /// There may be more: not all were looked at.
    pub or_more: bool,
}

impl Tally {
    /// So many, or at least so many.
    #[must_use]
    pub const fn new(found: u64, or_more: bool) -> Self {
        Self { found, or_more }
    }
}

/// What one step of counting found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Counted {
    /// So many of the jobs that it looked at fit.
    pub found: u64,
    /// Jobs looked at in this step.
    pub looked_at: u64,
    /// Jobs there are to look at in all.
    pub among: u64,
    /// Where to go on; `None` when everything was looked at.
    pub next: Option<GroupPlace>,
}

/// What the jobs that fit are like, as far as was looked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Facets {
    /// How many in each queue, the most first.
    pub queues: Vec<(String, u64)>,
    /// How many of each kind, the most first.
    pub kinds: Vec<(String, u64)>,
    /// How many with each label, the most first.
    pub tags: Vec<(String, u64)>,
    /// So many jobs were looked at; not all there are when `or_more`.
    pub looked_at: u64,
    /// There are more than were looked at.
    pub or_more: bool,
}
