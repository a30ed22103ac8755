//! What happened: the entries of the event stream and of a job's own history.

use super::name::{JobId, Kind, QueueName, Subject};
use super::shard::{self, Shard};
use super::state::{JobState, Version};
use super::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Place of an event in the stream of its shard, as Redis writes it, `<ms>-<number>`, and beyond the first of
/// an entry its number there: `<ms>-<number>.<part>`. Orders all events of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EventId {
    /// Redis's clock when it was written, ms.
    pub ms: u64,
    /// Counts entries of the same millisecond.
    pub number: u64,
    /// Counts events of the same entry, which are those of one call of a script.
    #[serde(default)]
    pub part: u32,
}

impl EventId {
    /// Before every event.
    pub const ZERO: Self = Self { ms: 0, number: 0, part: 0 };

    /// The entry of the stream that holds the event, which may hold others as well.
    #[must_use]
    pub const fn entry(self) -> Self {
        Self { part: 0, ..self }
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.ms, self.number)?;
        if self.part > 0 { write!(f, ".{}", self.part) } else { Ok(()) }
    }
}

impl FromStr for EventId {
    type Err = InvalidEventId;

    fn from_str(text: &str) -> Result<Self, InvalidEventId> {
        let (entry, part) = text.split_once('.').unwrap_or((text, "0"));
        let (ms, number) = entry.split_once('-').ok_or(InvalidEventId)?;
        Ok(Self {
            ms: ms.parse().map_err(|_| InvalidEventId)?,
            number: number.parse().map_err(|_| InvalidEventId)?,
            part: part.parse().map_err(|_| InvalidEventId)?,
        })
    }
}

/// The text is not `<ms>-<number>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an event id; they look like 1763690000000-0")]
pub struct InvalidEventId;

/// How far somebody has read the events of every shard. With one shard it is, and reads as, the [`EventId`] of the
/// latest event seen; with several it is one for each shard, joined by `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPlace(Vec<EventId>);

impl EventPlace {
    /// One place for each shard, in order.
    #[must_use]
    pub const fn new(places: Vec<EventId>) -> Self {
        Self(places)
    }

    /// Before every event of that many shards.
    #[must_use]
    pub fn beginning(shards: u16) -> Self {
        Self(vec![EventId::ZERO; usize::from(shards)])
    }

    /// How many shards it speaks of.
    #[must_use]
    pub const fn shards(&self) -> usize {
        self.0.len()
    }

    /// The place in one shard; the beginning for a shard it does not know.
    #[must_use]
    pub fn of(&self, shard: Shard) -> EventId {
        self.0.get(shard.index()).copied().unwrap_or(EventId::ZERO)
    }

    /// Whether an event lies at or before this place.
    #[must_use]
    pub fn includes(&self, event: &Event) -> bool {
        event.id <= self.of(event.shard)
    }

    /// Whether nothing lies at or before `other` and behind this place.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(own, other)| own >= other)
    }

    /// Moves on to an event that was seen.
    pub fn pass(&mut self, event: &Event) {
        if let Some(place) = self.0.get_mut(event.shard.index()) {
            *place = event.id.max(*place);
        }
    }
}

impl fmt::Display for EventPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shard::write_each(f, &self.0)
    }
}

impl FromStr for EventPlace {
    type Err = InvalidEventId;

    fn from_str(text: &str) -> Result<Self, InvalidEventId> {
        shard::read_each(text).map(Self).ok_or(InvalidEventId)
    }
}

/// One change of one job, written by the functions of `lua/core` that change its state, and by nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// Its place in the stream of its shard.
    pub id: EventId,
    /// The shard it happened in.
    #[serde(default)]
    pub shard: Shard,
    /// Which job.
    pub job: JobId,
    /// Its queue.
    pub queue: QueueName,
    /// Its kind.
    pub kind: Kind,
    /// What it is about, if anything.
    pub subject: Option<Subject>,
    /// Where it was; `None` when it was just enqueued.
    pub from: Option<JobState>,
    /// Where it is now; `None` when it was purged. Equal to `from` when only its fields changed.
    pub to: Option<JobState>,
    /// The version this change produced.
    pub version: Version,
    /// When, by Redis's clock.
    pub at: Timestamp,
    /// Its due time after the change.
    pub due: Timestamp,
    /// Who did it: a person, `worker:<id>`, `forwarder`, `recoverer`, `janitor`.
    pub by: String,
    /// Why; empty when nothing was said.
    #[serde(rename = "reason")]
    pub why: String,
}

/// One line of a job's own history, kept with the job; outlives the stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HistoryEntry {
    /// When.
    pub at: Timestamp,
    /// Where it was; `None` when it was just enqueued.
    pub from: Option<JobState>,
    /// Where it went.
    pub to: JobState,
    /// The version this produced.
    pub version: Version,
    /// The due time after the change.
    pub due: Timestamp,
    /// Who.
    pub by: String,
    /// Why; empty when nothing was said.
    #[serde(rename = "reason")]
    pub why: String,
    /// Whether the payload is another one since.
    #[serde(default)]
    pub edited: bool,
    /// Which parts of the payload that changed, by their names as the audit has them: `amount, customer.email`; empty where
    /// that is not known.
    #[serde(default)]
    pub parts: String,
}

impl HistoryEntry {
    /// Whether somebody asked the job to stop while it ran. What a sink says of a job that it published stays active as well.
    #[must_use]
    pub fn asks_to_stop(&self) -> bool {
        (self.from, self.to) == (Some(JobState::Active), JobState::Active) && !self.by.starts_with("sink:")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_id_reads_back_from_its_text() {
        let id = EventId { ms: 1_763_690_000_000, number: 12, part: 0 };
        assert_eq!(id.to_string(), "1763690000000-12");
        assert_eq!(id.to_string().parse(), Ok(id));
        let third = EventId { part: 2, ..id };
        assert_eq!(third.to_string(), "1763690000000-12.2");
        assert_eq!(third.to_string().parse(), Ok(third));
        for bad in ["", "1", "-", "a-1", "1-b", "1-2-3", "$", "1-2.", "1-2.x", "1-2.3.4"] {
            assert_eq!(bad.parse::<EventId>(), Err(InvalidEventId), "{bad:?}");
        }
    }

    #[test]
    fn a_place_in_many_shards_reads_back_from_its_text() {
        let id = |ms, number| EventId { ms, number, part: 0 };
        let one = EventPlace::new(vec![id(7, 0)]);
        assert_eq!((one.to_string().as_str(), "7-0".parse()), ("7-0", Ok(one)));
        let three = EventPlace::new(vec![id(7, 0), EventId::ZERO, id(9, 3)]);
        assert_eq!((three.to_string().as_str(), "7-0_0-0_9-3".parse()), ("7-0_0-0_9-3", Ok(three)));
        for bad in ["", "_", "1-0_", "1-0__2-0", &"1-0_".repeat(256), "1-0 2-0"] {
            assert_eq!(bad.parse::<EventPlace>(), Err(InvalidEventId), "{bad:?}");
        }
    }

    #[test]
    fn later_events_have_higher_ids() {
        let early = EventId { ms: 9, number: 10, part: 3 };
        assert!(early < EventId { ms: 9, number: 11, part: 0 });
        assert!(early < EventId { ms: 10, number: 0, part: 0 });
    }
}
