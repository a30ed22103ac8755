//! Cron entries: what is enqueued again and again, and when.

use super::job::Priority;
use super::name::{CronName, JobId, Kind, QueueName, Subject};
use super::state::JobState;
use super::time::{Delay, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

words! {
    /// What happens at a tick while a job of an earlier tick is still live.
    #[derive(Default)]
    pub enum Overlap {
        /// Another job is enqueued beside it.
        #[default]
        Allow = "allow",
        /// The tick is passed over while any job of the entry is live, and so is everything else that would make a second one
        /// live: a run by hand, a retry, an undo. Its jobs hold the unique key `cron:<name>`.
        Skip = "skip",
    }
}

words! {
    /// What happens to ticks that nobody fired within a minute, because no process ran or Redis was away.
    #[derive(Default)]
    pub enum Missed {
        /// They are passed over.
        #[default]
        Skip = "skip",
        /// One job is enqueued for all of them, under the time of the latest.
        Once = "once",
        /// Each gets its job, the latest 1,000 at most.
        All = "all",
    }
}

/// Where an entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CronSource {
    /// Made or last changed by a person or through the API.
    #[default]
    Operator,
    /// Declared by a program or its configuration.
    Declared,
}

/// An entry: a schedule, and the job that is enqueued at each of its ticks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CronEntry {
    /// Unique in the namespace; part of the id of every job it enqueues.
    pub name: CronName,
    /// Five fields, six with seconds in front, `@daily` and the like, or `@every 90s`.
    pub schedule: String,
    /// IANA name of the zone the fields are read in, for instance `Europe/Berlin`.
    #[serde(default = "utc")]
    pub zone: String,
    /// Whether a tick waits for the job of an earlier one.
    #[serde(default)]
    pub overlap: Overlap,
    /// Whether ticks that were missed are made up for.
    #[serde(default)]
    pub missed: Missed,
    /// Which handler runs the job.
    pub kind: Kind,
    /// Where it waits for a worker.
    #[serde(default)]
    pub queue: QueueName,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// The work itself, at most 256 KiB.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub payload: Vec<u8>,
    /// Its place among ready jobs.
    #[serde(default)]
    pub priority: Priority,
    /// How many attempts; `None` is unlimited.
    pub max_attempts: Option<u32>,
    /// How long one attempt may take; `None` is the worker's limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Delay>,
    /// How long the job is kept once ended; `None` is the namespace's rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<Delay>,
    /// Handed to the handler.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

fn utc() -> String {
    "UTC".to_owned()
}

impl CronEntry {
    /// An entry that enqueues jobs of a kind without payload into the default queue, read in UTC, with 25 attempts.
    #[must_use]
    pub fn new(name: CronName, schedule: impl Into<String>, kind: Kind) -> Self {
        Self {
            name,
            schedule: schedule.into(),
            zone: utc(),
            overlap: Overlap::default(),
            missed: Missed::default(),
            kind,
            queue: QueueName::default(),
            subject: None,
            payload: Vec::new(),
            priority: Priority::default(),
            max_attempts: Some(25),
            timeout: None,
            retention: None,
            headers: BTreeMap::new(),
            tags: Vec::new(),
        }
    }
}

/// Who paused an entry, when and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CronPause {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub by: String,
    /// Why; empty when nothing was said.
    #[serde(rename = "reason")]
    pub why: String,
}

/// An entry and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CronState {
    /// What it does.
    pub entry: CronEntry,
    /// Rises with every change of the entry or its pause; the lock of every button.
    pub version: u64,
    /// Where it comes from.
    pub source: CronSource,
    /// The next tick; `None` while it is paused, or when there is none before the year 10000.
    pub next: Option<Timestamp>,
    /// The tick of the latest job; `None` before the first.
    pub last: Option<Timestamp>,
    /// The job of that tick; one that a person ran is not meant.
    pub last_job: Option<JobId>,
    /// Set while it is paused.
    pub paused: Option<CronPause>,
    /// Who changed it last.
    pub by: String,
    /// Why; empty when nothing was said.
    #[serde(rename = "reason")]
    pub why: String,
    /// When it was changed last.
    pub changed: Timestamp,
    /// When a program last declared it; `None` for an entry that a person made. One that is old belongs to nobody.
    pub declared: Option<Timestamp>,
}

impl CronState {
    /// An entry that has just been made.
    #[must_use]
    pub const fn new(entry: CronEntry, version: u64, changed: Timestamp) -> Self {
        Self {
            entry,
            version,
            source: CronSource::Operator,
            next: None,
            last: None,
            last_job: None,
            paused: None,
            by: String::new(),
            why: String::new(),
            changed,
            declared: None,
        }
    }
}

/// What came of a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CronOutcome {
    /// A job was enqueued.
    Enqueued,
    /// The job of an earlier tick, or the latest one that a person ran, was still live.
    Overlapped,
    /// Nobody fired it in time, and the entry does not make up for that; the line stands for all such ticks
    /// between two looks.
    Missed,
    /// There was no room: the subject has as many live jobs as it may, or another job holds that id.
    Refused,
    /// A person ran it out of turn.
    RunNow,
}

/// One line of an entry's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CronFire {
    /// The tick, or for missed ones the first of them.
    pub tick: Timestamp,
    /// When it was dealt with.
    pub at: Timestamp,
    /// What came of it.
    pub outcome: CronOutcome,
    /// The job it enqueued, or the live one that stood in its way.
    pub job: Option<JobId>,
    /// Where that job stands now; `None` when there is none, or it is gone.
    pub state: Option<JobState>,
    /// Who, when a person ran it; else empty.
    pub by: String,
}

/// What daylight saving does to a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TickNote {
    /// Its time does not exist on that day; it fires at the first instant after the gap.
    Shifted,
    /// Its time comes twice on that day; this is the first.
    FirstOfTwo,
    /// Its time comes twice on that day, and an entry that runs all day fires both times; this is the second.
    SecondOfTwo,
}

/// A tick to come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tick {
    /// The instant.
    pub at: Timestamp,
    /// The same on the clocks of the zone, with its offset: `2027-03-28T03:00:00+02:00`.
    pub local: String,
    /// What daylight saving does to it.
    pub note: Option<TickNote>,
}

impl Tick {
    /// A tick as previews show it.
    #[must_use]
    pub const fn new(at: Timestamp, local: String, note: Option<TickNote>) -> Self {
        Self { at, local, note }
    }
}

/// What became of a change to an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum CronChanged {
    /// There was none of that name.
    Created {
        /// Its version.
        version: u64,
    },
    /// It is as asked for now.
    Changed {
        /// Its version.
        version: u64,
    },
    /// It was so already.
    Unchanged {
        /// Its version.
        version: u64,
    },
    /// It has changed since the version the person saw; nothing was done.
    Conflict {
        /// Its present version.
        version: u64,
    },
    /// There is none of that name.
    Missing,
    /// The namespace has as many entries as it may.
    Full,
}
