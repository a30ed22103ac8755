//! What a search asks for and gets.

use super::job::JobRow;
use super::name::{JobId, Kind, QueueName, Subject};
use super::shard::Shard;
use super::state::JobState;
use super::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a job must be like to be found. Everything given must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Search {
    /// This very job.
    pub id: Option<JobId>,
    /// About that thing.
    pub subject: Option<Subject>,
    /// In that queue.
    pub queue: Option<QueueName>,
    /// In one of these states; empty for all.
    pub states: Vec<JobState>,
    /// Of that kind.
    pub kind: Option<Kind>,
    /// With that label.
    pub tag: Option<String>,
    /// With that text in its latest error, in whatever case.
    pub error: Option<String>,
    /// Due at this time or later.
    pub due_from: Option<Timestamp>,
    /// Due at this time or earlier.
    pub due_to: Option<Timestamp>,
    /// Go on behind this place.
    pub after: Option<Place>,
    /// Jobs wanted, 1 to 200.
    pub size: u16,
}

/// How far a search has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Place {
    /// In which state.
    pub state: JobState,
    /// Of which queue.
    pub queue: QueueName,
    /// In which shard.
    pub shard: Shard,
    /// Behind which score and job; `None` at the beginning.
    pub behind: Option<(u64, JobId)>,
}

impl Place {
    /// The beginning of a state of a queue in a shard.
    #[must_use]
    pub const fn start(state: JobState, queue: QueueName, shard: Shard) -> Self {
        Self { state, queue, shard, behind: None }
    }

    /// The same state and queue, behind a job.
    #[must_use]
    pub fn behind(mut self, score: u64, id: JobId) -> Self {
        self.behind = Some((score, id));
        self
    }
}

impl fmt::Display for Place {
    /// `<state>~<queue>~<shard>`, and `~<score>~<id>` behind a job; no name holds a tilde.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}~{}~{}", self.state, self.queue, self.shard.0)?;
        match &self.behind {
            Some((score, id)) => write!(f, "~{score}~{id}"),
            None => Ok(()),
        }
    }
}

/// The text is no place that a search gave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a place in a search; pass `next` of the answer before as it is")]
pub struct UnknownPlace;

impl FromStr for Place {
    type Err = UnknownPlace;

    fn from_str(text: &str) -> Result<Self, UnknownPlace> {
        let mut parts = text.split('~');
        let mut part = || parts.next();
        let state = part().and_then(|word| word.parse().ok()).ok_or(UnknownPlace)?;
        let queue = part().and_then(|name| name.parse().ok()).ok_or(UnknownPlace)?;
        let shard = part().and_then(|number| number.parse().ok()).map(Shard).ok_or(UnknownPlace)?;
        let behind = match (part(), part(), part()) {
            (None, None, None) => None,
            (Some(score), Some(id), None) => {
                let score = score.parse().map_err(|_| UnknownPlace)?;
                Some((score, id.parse().map_err(|_| UnknownPlace)?))
            }
            _ => return Err(UnknownPlace),
        };
        Ok(Self { state, queue, shard, behind })
    }
}

/// What a search found in one go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Found {
    /// The jobs that fit.
    pub rows: Vec<JobRow>,
    /// Where to go on; `None` when everything was looked at.
    pub next: Option<Place>,
    /// How many jobs were looked at.
    pub scanned: u64,
    /// When this was read, by Redis's clock.
    pub read_at: Timestamp,
}

impl Found {
    /// Nothing yet.
    #[must_use]
    pub const fn nothing(read_at: Timestamp) -> Self {
        Self { rows: Vec::new(), next: None, scanned: 0, read_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_back_from_its_text() {
        let start = Place::start(JobState::Dead, "mail".parse().unwrap(), Shard(3));
        let behind = start.clone().behind(1_700_000_000_123, "a/b:c".parse().unwrap());
        for place in [start, behind] {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        for wrong in [
            "",
            "dead",
            "dead~mail",
            "gone~mail~0",
            "dead~mail~x",
            "dead~mail~0~1",
            "dead~mail~0~x~a",
            "dead~mail~0~1~a~b",
            "dead~{}~0",
        ] {
            assert_eq!(wrong.parse::<Place>(), Err(UnknownPlace), "{wrong}");
        }
    }
}
