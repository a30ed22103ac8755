//! A job: what is stored of it, what lists show.

use super::event::HistoryEntry;
use super::held::Held;
use super::name::{ConcurrencyKey, JobId, Kind, QueueName, Subject, UniqueKey};
use super::note::Progress;
use super::publication::Publication;
use super::state::{JobState, Version};
use super::time::{Delay, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The order inside a queue once jobs are ready: 0 runs first, 9 last, 5 unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Priority(u8);

impl Priority {
    /// Runs before all others.
    pub const FIRST: Self = Self(0);
    /// Runs after all others.
    pub const LAST: Self = Self(9);

    /// `None` above 9.
    #[must_use]
    pub const fn new(priority: u8) -> Option<Self> {
        if priority <= Self::LAST.0 { Some(Self(priority)) } else { None }
    }

    /// 0 to 9.
    #[must_use]
    pub const fn as_u8(self) -> u8 {
        self.0
    }
}

impl Default for Priority {
    fn default() -> Self {
        Self(5)
    }
}

impl TryFrom<u8> for Priority {
    type Error = &'static str;

    fn try_from(priority: u8) -> Result<Self, Self::Error> {
        Self::new(priority).ok_or("priority is 0 (first) to 9 (last)")
    }
}

impl From<Priority> for u8 {
    fn from(priority: Priority) -> u8 {
        priority.0
    }
}

/// Everything stored of one job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Job {
    /// Unique in the namespace; UUIDv7 unless the caller chose it.
    pub id: JobId,
    /// The queue it belongs to for life.
    pub queue: QueueName,
    /// What sort of work it is.
    pub kind: Kind,
    /// What it is about; `None` when the caller named nothing.
    pub subject: Option<Subject>,
    /// Where it stands now.
    pub state: JobState,
    /// How often it has changed.
    pub version: Version,
    /// 0 runs first, 9 last, among ready jobs of the queue.
    pub priority: Priority,
    /// How many attempts have begun and counted; 0 before the first.
    pub attempt: u32,
    /// How many are allowed; `None` is unlimited.
    pub max_attempts: Option<u32>,
    /// How often its lease ran out after its worker was heard of; three such stalls make it dead. A lease of which nothing
    /// was heard before the first of them counts with it.
    pub stalls: u32,
    /// How often in a row it was claimed and nothing was ever heard of it; the fifth time it is dead.
    #[serde(default)]
    pub unheard: u32,
    /// When it is, or was last, to run. Kept while held and after a cancel; the next attempt's time while retrying.
    pub due: Timestamp,
    /// When it was enqueued.
    pub created: Timestamp,
    /// When the latest attempt began; `None` before the first.
    pub started: Option<Timestamp>,
    /// When it became done, dead or cancelled; `None` while live.
    pub ended: Option<Timestamp>,
    /// Until when an ended job is kept at least; `None` while live.
    pub kept_until: Option<Timestamp>,
    /// End of the present lease; `None` unless active.
    pub lease_until: Option<Timestamp>,
    /// The worker of the latest attempt; `None` before the first.
    pub worker: Option<String>,
    /// How long one attempt may take; `None` is the worker's own limit.
    pub timeout: Option<Delay>,
    /// How long it is kept once ended; `None` is the namespace's rule for its end state.
    pub retention: Option<Delay>,
    /// The key it holds while live; `None` for most jobs.
    pub unique_key: Option<UniqueKey>,
    /// Jobs of its queue with the same concurrency key share a limit; `None` for a job without a concurrency key.
    #[serde(default)]
    pub concurrency_key: Option<ConcurrencyKey>,
    /// Caller's own texts, handed to the handler; `traceparent` travels here.
    pub headers: BTreeMap<String, String>,
    /// Caller's labels.
    pub tags: Vec<String>,
    /// The work itself, opaque bytes, at most 256 KiB.
    #[serde(with = "payload_bytes")]
    pub payload: Vec<u8>,
    /// Text of the latest failure, at most 8 KiB; empty when none.
    pub last_error: String,
    /// How far it is, by its own word; `None` when it never said.
    pub progress: Option<Progress>,
    /// What it came to, opaque, at most 64 KiB; empty when its handler kept nothing.
    #[serde(with = "payload_bytes")]
    pub result: Vec<u8>,
    /// How many log lines it ever wrote; the last 1,000 are kept.
    pub log_lines: u64,
    /// When somebody asked the running attempt to stop; `None` otherwise.
    pub cancel_requested: Option<Timestamp>,
    /// The state it was called off from; `None` unless cancelled.
    pub cancelled_from: Option<JobState>,
    /// Where its latest attempt was handed to, for consumers outside; `None` when a worker of ours has, or had, it.
    #[serde(default)]
    pub publication: Option<Publication>,
    /// Who made the latest change: a person, `worker:<id>`, `forwarder` … From a request to stop on it is who asked,
    /// and not the worker that stopped.
    pub by: String,
    /// Why the latest change was made; empty when nothing was said.
    #[serde(rename = "reason")]
    pub why: String,
}

/// One past attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Attempt {
    /// 1 for the first.
    pub number: u32,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
    /// Who ran it.
    pub worker: String,
    /// How it ended.
    pub result: AttemptResult,
    /// Failure text, at most 8 KiB; empty when it went well.
    pub error: String,
}

/// What stands between an error and its cause in an error text.
pub const CAUSED_BY: &str = "\ncaused by: ";

impl Attempt {
    /// How long it took.
    #[must_use]
    pub const fn took(&self) -> Delay {
        Delay::millis(self.ended.millis_since(self.started))
    }

    /// The failure and then the causes behind it, the outermost first; empty when it went well.
    pub fn causes(&self) -> impl Iterator<Item = &str> {
        self.error.split(CAUSED_BY).filter(|text| !text.is_empty())
    }
}

words! {
    /// How an attempt ended.
    #[non_exhaustive]
    pub enum AttemptResult {
        /// The handler succeeded.
        Done = "done",
        /// The handler failed, panicked or took too long.
        Failed = "failed",
        /// The handler asked to be called again later; costs no attempt.
        Snoozed = "snoozed",
        /// The worker shut down and gave it back; costs no attempt.
        Released = "released",
        /// The lease ran out after its worker was heard of; costs no attempt, but three of them end the job.
        Stalled = "stalled",
        /// Nothing was ever heard of the worker that got it, or none did; costs no attempt, but five in a row end the job.
        Unheard = "unheard",
        /// It was called off while running.
        Cancelled = "cancelled",
    }
}

/// A job with what happened to it: the material of the detail page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JobDetail {
    /// The job as it is now.
    pub job: Job,
    /// Past attempts, newest first, at most 20.
    pub attempts: Vec<Attempt>,
    /// Its changes, newest first, at most 50.
    pub history: Vec<HistoryEntry>,
    /// Other jobs of its subject by due time, at most 50; empty without a subject.
    pub siblings: Vec<JobRow>,
    /// When the worker that has it was last heard; `None` unless the job is active, and for a worker that has none of our
    /// heartbeats.
    #[serde(default)]
    pub worker_seen: Option<Timestamp>,
    /// When this was read, by Redis's clock.
    pub read_at: Timestamp,
}

/// What a list shows of a job. Without payload, so that a page of 200 stays small.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JobRow {
    /// See [`Job::id`].
    pub id: JobId,
    /// See [`Job::queue`].
    pub queue: QueueName,
    /// See [`Job::kind`].
    pub kind: Kind,
    /// See [`Job::subject`].
    pub subject: Option<Subject>,
    /// See [`Job::state`].
    pub state: JobState,
    /// See [`Job::version`].
    pub version: Version,
    /// See [`Job::attempt`].
    pub attempt: u32,
    /// See [`Job::max_attempts`].
    pub max_attempts: Option<u32>,
    /// See [`Job::priority`].
    pub priority: Priority,
    /// See [`Job::due`].
    pub due: Timestamp,
    /// See [`Job::created`].
    pub created: Timestamp,
    /// When it last became ready; `None` before.
    pub ready: Option<Timestamp>,
    /// See [`Job::started`].
    pub started: Option<Timestamp>,
    /// See [`Job::ended`].
    pub ended: Option<Timestamp>,
    /// See [`Job::kept_until`].
    pub kept_until: Option<Timestamp>,
    /// See [`Job::lease_until`].
    pub lease_until: Option<Timestamp>,
    /// See [`Job::worker`].
    pub worker: Option<String>,
    /// First line of [`Job::last_error`], at most 200 characters.
    pub error_line: String,
    /// See [`Job::cancel_requested`].
    pub cancel_requested: Option<Timestamp>,
    /// See [`Job::by`].
    pub by: String,
    /// See [`Job::why`].
    #[serde(rename = "reason")]
    pub why: String,
    /// The start of a payload that is short text, at most 160 characters; empty for long or binary ones.
    pub preview: String,
    /// Who enqueued it: a person, `client`, `cron:<name>` …
    pub created_by: String,
    /// How far the present attempt is, by its own word, in percent; `None` unless active, and when it never said.
    pub percent: Option<u8>,
    /// Who holds it; `None` unless held, and when it was changed so often since that its history no longer tells.
    pub held: Option<Held>,
    /// See [`Job::cancelled_from`].
    pub cancelled_from: Option<JobState>,
    /// It was called off while somebody held it by itself: put back, it is held again. What waited for others, or was held
    /// with its plan, is not.
    #[serde(default)]
    pub held_again: bool,
}

/// Writes a payload as text where it is UTF-8, and as an array of numbers where it is not.
pub(super) mod payload_bytes {
    use serde::{Deserialize, Deserializer, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub(in crate::model) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(bytes) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => serializer.collect_seq(bytes),
        }
    }

    pub(in crate::model) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<u8>, D::Error> {
        Ok(match Either::deserialize(deserializer)? {
            Either::Text(text) => text.into_bytes(),
            Either::Bytes(bytes) => bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priority_ends_at_nine() {
        assert!(Priority::new(9).is_some());
        assert_eq!(Priority::new(10), None);
        assert_eq!(Priority::default().as_u8(), 5);
    }
}
