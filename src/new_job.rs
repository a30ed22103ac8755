//! A job to be enqueued, and when it is to run.

use crate::constants::MAX_ATTEMPTS_DEFAULT;
use crate::error::{Error, Result};
use crate::identity::{Spread, UniqueMode};
use crate::model::{
    ConcurrencyKey, Delay, JobId, Kind, Lateness, Priority, QueueName, Shard, Subject, Timestamp, UniqueKey,
};
use crate::payload_keys::PayloadKeys;
use std::collections::BTreeMap;
use uuid::Uuid;

/// Largest payload, bytes. Larger things belong into a store of their own, with their name as payload.
pub const PAYLOAD_BYTES_MAX: usize = 256 * 1_024;
/// Headers and tags of one job, in bytes of text: they travel with every claim.
const HEADERS_BYTES_MAX: usize = 8 * 1_024;
/// Tags of one job.
const TAGS_MAX: usize = 16;
/// The longest any span may be: a thousand years. Longer ones would outgrow the numbers they are added to.
pub const SPAN_MAX: Delay = Delay::days(366 * 1_000);
/// Who enqueued, when the caller does not say.
pub(crate) const CLIENT: &str = "client";
/// The shortest a timeout may be: less than a round trip makes every attempt fail.
const TIMEOUT_MIN: Delay = Delay::millis(10);

/// When a job is to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Due {
    /// As soon as a worker is free.
    #[default]
    Now,
    /// At an instant by Redis's clock; one in the past is as good as now.
    At(Timestamp),
    /// That long after Redis takes it in, measured on Redis's clock.
    In(Delay),
}

impl Due {
    /// The instant it means when that is read on the clock.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Now => now,
            Self::At(time) => time,
            Self::In(delay) => now + delay,
        }
    }

    /// Whether it is a time that Reprieve keeps, given in that field.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a span beyond a thousand years.
    pub fn check(self, field: &'static str) -> Result<()> {
        match self {
            Self::In(delay) if delay > SPAN_MAX => Err(Error::invalid(field, "is at most a thousand years")),
            _ => Ok(()),
        }
    }

    /// The same, that much later.
    pub(crate) fn later(self, by: Delay) -> Self {
        match self {
            Self::Now => Self::In(by),
            Self::At(time) => Self::At(time + by),
            Self::In(delay) => Self::In(Delay::millis(delay.as_millis().saturating_add(by.as_millis()))),
        }
    }
}

/// A job to be enqueued.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewJob {
    /// Chosen by the caller so that a repeat is recognised; `None` is a new UUIDv7.
    pub id: Option<JobId>,
    /// The new id of a job without [`id`](Self::id), for a caller that has to ask again what became of it. It must be one
    /// that nobody else can have made.
    pub fresh_id: Option<JobId>,
    /// Where it waits for a worker.
    pub queue: QueueName,
    /// Which handler runs it.
    pub kind: Kind,
    /// What it is about; all jobs of a subject can be called off in one step.
    pub subject: Option<Subject>,
    /// The work itself, opaque, at most 256 KiB.
    pub payload: Vec<u8>,
    /// When it is to run.
    pub due: Due,
    /// Its place among ready jobs of the queue.
    pub priority: Priority,
    /// How many attempts; `None` is unlimited.
    pub max_attempts: Option<u32>,
    /// How long one attempt may take; `None` is the worker's limit.
    pub timeout: Option<Delay>,
    /// How long it is kept once ended; `None` is the namespace's rule.
    pub retention: Option<Delay>,
    /// Handed to the handler; at most 8 KiB in all.
    pub headers: BTreeMap<String, String>,
    /// Labels; at most 16, of up to 64 bytes.
    pub tags: Vec<String>,
    /// A key that at most one live job holds, and how long at most.
    pub unique: Option<(UniqueKey, Delay)>,
    /// What the key does when a second job names it.
    pub unique_mode: UniqueMode,
    /// How late it may start; `None` is the rule of its kind.
    pub lateness: Option<Lateness>,
    /// Runs at any time, whatever the delivery windows of its kind.
    pub any_window: bool,
    /// Moves its due time by a part of a span, so that many jobs do not run at once.
    pub spread: Option<Spread>,
    /// Jobs of a queue with the same concurrency key (a tenant, say) share the limit set for each concurrency key of that queue.
    pub concurrency_key: Option<ConcurrencyKey>,
    /// Overwrite a waiting job of the same id instead of leaving it as it is.
    pub replace: bool,
    /// Who enqueues it, for its history; `None` is the client.
    pub by: Option<String>,
    /// Whether a person enqueues it, so that it stands in the audit.
    pub(crate) by_hand: bool,
    /// Beside a window of its key: for so long no other takes the key while this one waits or runs, though the window is over.
    pub(crate) alone: Option<Delay>,
}

impl NewJob {
    /// A job in the default queue, for now, with 25 attempts.
    #[must_use]
    pub fn new(kind: Kind, payload: impl Into<Vec<u8>>) -> Self {
        Self {
            id: None,
            fresh_id: None,
            queue: QueueName::default(),
            kind,
            subject: None,
            payload: payload.into(),
            due: Due::Now,
            priority: Priority::default(),
            max_attempts: Some(MAX_ATTEMPTS_DEFAULT),
            timeout: None,
            retention: None,
            headers: BTreeMap::new(),
            tags: Vec::new(),
            unique: None,
            unique_mode: UniqueMode::WhileLive,
            lateness: None,
            any_window: false,
            spread: None,
            concurrency_key: None,
            replace: false,
            by: None,
            by_hand: false,
            alone: None,
        }
    }

    /// With its payload sealed: only programs that have the keys read it. A key that is made of the content,
    /// [`content_key`](crate::content_key), is to be asked for before.
    ///
    /// # Errors
    /// Those of [`PayloadKeys::seal`].
    pub fn sealed(mut self, keys: &PayloadKeys) -> Result<Self> {
        self.payload = keys.seal(&self.kind, &self.payload)?;
        Ok(self)
    }

    /// Checks the limits that types do not carry.
    ///
    /// # Errors
    /// [`Error::PayloadTooLarge`] or [`Error::Invalid`] with the field.
    pub fn check(&self) -> Result<()> {
        if self.payload.len() > PAYLOAD_BYTES_MAX {
            return Err(Error::PayloadTooLarge { bytes: self.payload.len(), bytes_max: PAYLOAD_BYTES_MAX });
        }
        crate::redaction::refuse_marked(&self.payload)?;
        if self.max_attempts == Some(0) {
            return Err(Error::invalid(
                "max_attempts",
                "is at least 1; leave it out for 25, or choose unlimited",
            ));
        }
        if self.timeout.is_some_and(|timeout| timeout < TIMEOUT_MIN) {
            return Err(Error::invalid("timeout_ms", format!("is at least {} ms", TIMEOUT_MIN.as_millis())));
        }
        let header_bytes: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        if header_bytes > HEADERS_BYTES_MAX {
            return Err(Error::invalid(
                "headers",
                format!("have {header_bytes} bytes, at most {HEADERS_BYTES_MAX} are allowed"),
            ));
        }
        if self.tags.len() > TAGS_MAX {
            return Err(Error::invalid(
                "tags",
                format!("has {}; at most {TAGS_MAX} are allowed", self.tags.len()),
            ));
        }
        if let Some(tag) = self.tags.iter().find(|tag| Kind::new(tag.as_str()).is_err()) {
            let shown: String = tag.chars().take(20).collect();
            return Err(Error::invalid(
                "tags",
                format!("are 1 to 64 bytes of A-Z a-z 0-9 . _ -, and {shown:?} is not"),
            ));
        }
        if self.unique.as_ref().is_some_and(|(_, ttl)| *ttl == Delay::ZERO) {
            return Err(Error::invalid("unique", "needs a time to live of at least 1 ms"));
        }
        if self.unique.is_none() && self.unique_mode != UniqueMode::WhileLive {
            return Err(Error::invalid("unique", "names no key to throttle or debounce by"));
        }
        if self.replace && self.unique_mode != UniqueMode::WhileLive {
            return Err(Error::invalid("replace", "and throttle or debounce exclude each other"));
        }
        let delay = match self.due {
            Due::In(delay) => Some(delay),
            Due::Now | Due::At(_) => None,
        };
        let spans = [
            ("delay_ms", delay),
            ("timeout_ms", self.timeout),
            ("retention_ms", self.retention),
            ("unique.ttl_ms", self.unique.as_ref().map(|(_, ttl)| *ttl)),
            ("unique.max_wait_ms", self.max_wait()),
            ("lateness.most_ms", self.lateness.map(|lateness| lateness.most)),
            ("spread_ms", self.spread.map(Spread::span)),
        ];
        if let Some((field, _)) = spans.into_iter().find(|(_, span)| span.is_some_and(|span| span > SPAN_MAX))
        {
            return Err(Error::invalid(field, "is at most a thousand years"));
        }
        Ok(())
    }

    fn max_wait(&self) -> Option<Delay> {
        match self.unique_mode {
            UniqueMode::Debounce { max_wait } => max_wait,
            UniqueMode::WhileLive | UniqueMode::Throttle => None,
        }
    }

    /// The job with its id, a new one if the caller chose none, and at its place in its spread. `shards` is how many the
    /// namespace has.
    pub(crate) fn with_id(mut self, shards: u16) -> (JobId, Self) {
        let chosen = self.id.clone().or_else(|| self.fresh_id.clone());
        let is_named = shards > 1 && (self.subject.is_some() || self.unique.is_some());
        let id = chosen.unwrap_or_else(|| new_id(is_named.then(|| self.home("", shards))));
        if let Some(later) =
            self.spread.take().map(|spread| spread.of(&id)).filter(|later| *later > Delay::ZERO)
        {
            self.due = self.due.later(later);
        }
        (id, self)
    }

    /// The shard it belongs to. Its id counts only where it has neither subject nor unique key.
    pub(crate) fn home(&self, id: &str, shards: u16) -> Shard {
        let subject = self.subject.as_ref().map(Subject::as_str);
        let unique_key = self.unique.as_ref().map(|(key, _)| key.as_str());
        Shard::home(subject, unique_key, id, shards)
    }
}

/// A time-ordered id, so that jobs of the same instant sort by arrival. Its last byte names the shard, if one is given:
/// a lookup by id asks that shard first.
fn new_id(shard: Option<Shard>) -> JobId {
    let mut bytes = Uuid::now_v7().into_bytes();
    if let Some(shard) = shard {
        bytes[15] = u8::try_from(shard.0).unwrap_or_default();
    }
    match JobId::new(Uuid::from_bytes(bytes).to_string()) {
        Ok(id) => id,
        Err(_) => unreachable!("a UUID is 36 bytes of hexadecimal digits and hyphens"),
    }
}
