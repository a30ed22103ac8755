//! What a sink is told before it starts.

use super::place::PlaceName;
use reprieve::Result;
use reprieve::internals::{Target, invalid, tag};
use reprieve::model::{Delay, Namespace, QueueName, Shard};
use reprieve::{ExponentialBackoff, RetryPolicy};
use std::fmt;
use std::sync::Arc;

/// How long a consumer may keep a job when neither sink nor job says: half an hour would hide a dead consumer for
/// too long, half a minute would run slow work twice.
const TIMEOUT: Delay = Delay::minutes(5);
/// Shortest allowed: below it a healthy consumer on a busy machine looks dead.
const TIMEOUT_MIN: Delay = Delay::millis(100);
/// Longest allowed.
const TIMEOUT_MAX: Delay = Delay::days(7);
/// Jobs with the consumers at once, when nothing is said: enough to keep a fleet busy, few enough that most jobs
/// wait where they can be called off.
const OUTSTANDING: u32 = 100;
/// Beyond it looks would take longer than acknowledgements should.
const OUTSTANDING_MAX: u32 = 1_000;
/// The hash tag under which names of keys stay as they are written.
const AS_WRITTEN: &str = "";
/// A sink serves named queues; more than this are a mistake.
const QUEUES_MAX: usize = 100;

/// Where due jobs become work for others.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Destination {
    /// An entry of a stream, for a consumer group; made if there is none.
    Stream {
        /// Key of the stream.
        stream: PlaceName,
        /// The consumer group.
        group: String,
    },
    /// An item of a list, for consumers that take with `BRPOP` and report over HTTP or on the reply list.
    List {
        /// Key of the list.
        list: PlaceName,
    },
    /// A pending task of asynq, for workers in Go.
    Asynq {
        /// asynq's name of the queue.
        queue: String,
        /// How often asynq itself may retry before the attempt counts as failed here; 0 leaves retries to Reprieve.
        max_retry: u16,
    },
}

/// One sink: which queues, where to, and how long a consumer may take.
#[derive(Clone)]
#[non_exhaustive]
pub struct SinkConfig {
    /// Its name in every job it publishes; processes with a sink of that name look after them together.
    pub name: QueueName,
    /// The queues it takes jobs from.
    pub queues: Vec<QueueName>,
    /// Where to.
    pub destination: Destination,
    /// How long a consumer may keep a job that does not say so itself; 5 minutes unless said otherwise.
    pub timeout: Delay,
    /// Most jobs with the consumers at once, over all processes; 100 unless said otherwise, at most 1,000.
    pub outstanding: u32,
    /// A list on which consumers may report how jobs ended.
    pub reply: Option<PlaceName>,
    policy: Arc<dyn RetryPolicy>,
}

impl SinkConfig {
    /// A sink with the default limits, without a reply list, with the default waits between attempts.
    #[must_use]
    pub fn new(name: QueueName, queues: Vec<QueueName>, destination: Destination) -> Self {
        Self {
            name,
            queues,
            destination,
            timeout: TIMEOUT,
            outstanding: OUTSTANDING,
            reply: None,
            policy: Arc::new(ExponentialBackoff::default()),
        }
    }

    /// How long a consumer may keep a job, 100 ms to 7 days.
    #[must_use]
    pub const fn timeout(mut self, timeout: Delay) -> Self {
        self.timeout = timeout;
        self
    }

    /// Most jobs with the consumers at once, 1 to 1,000.
    #[must_use]
    pub const fn outstanding(mut self, outstanding: u32) -> Self {
        self.outstanding = outstanding;
        self
    }

    /// A list on which consumers may report how jobs ended.
    #[must_use]
    pub fn reply(mut self, reply: PlaceName) -> Self {
        self.reply = Some(reply);
        self
    }

    /// How long failed jobs wait for their next attempt.
    #[must_use]
    pub fn retry_policy(mut self, policy: impl RetryPolicy) -> Self {
        self.policy = Arc::new(policy);
        self
    }

    /// Says what does not fit.
    ///
    /// # Errors
    /// [`Error::Invalid`](reprieve::Error::Invalid) for the first value outside its limits.
    pub fn check(&self) -> Result<()> {
        if self.queues.is_empty() || self.queues.len() > QUEUES_MAX {
            return Err(invalid(
                "queues",
                format!("of sink {} are {}, 1 to {QUEUES_MAX} are needed", self.name, self.queues.len()),
            ));
        }
        if !(TIMEOUT_MIN..=TIMEOUT_MAX).contains(&self.timeout) {
            return Err(invalid(
                "timeout",
                format!(
                    "of sink {} is {} ms, {} ms to 7 days are allowed",
                    self.name,
                    self.timeout.as_millis(),
                    TIMEOUT_MIN.as_millis()
                ),
            ));
        }
        if !(1..=OUTSTANDING_MAX).contains(&self.outstanding) {
            return Err(invalid(
                "outstanding",
                format!("of sink {} is {}, 1 to {OUTSTANDING_MAX} are allowed", self.name, self.outstanding),
            ));
        }
        self.check_reply(AS_WRITTEN)?;
        let (field, name) = match &self.destination {
            Destination::Stream { group, .. } => ("group", group),
            // A brace would move asynq's hash tag, and its keys apart.
            Destination::Asynq { queue, .. } if queue.contains(['{', '}']) => {
                return Err(invalid("queue", format!("of sink {} holds a brace", self.name)));
            }
            Destination::Asynq { queue, .. } => ("queue", queue),
            Destination::List { .. } => return Ok(()),
        };
        let named = PlaceName::new(name.as_str());
        named.map_err(|why| invalid(field, format!("of sink {}: {why}", self.name))).map(drop)
    }

    /// Whether that key is where it publishes to, in a namespace of so many shards: no reports can come there.
    #[must_use]
    pub fn is_place(&self, key: &PlaceName, namespace: &Namespace, shards: u16) -> bool {
        (0..shards).any(|shard| self.is_place_under(key, &tag(namespace, Shard(shard), shards)))
    }

    fn is_place_under(&self, key: &PlaceName, tag: &str) -> bool {
        let key = key.key(tag);
        match &self.destination {
            Destination::Stream { stream, .. } => stream.key(tag) == key,
            Destination::List { list } => list.key(tag) == key,
            Destination::Asynq { queue, .. } => key == format!("asynq:{{{queue}}}:pending"),
        }
    }

    /// Refuses a reply list that is, under this hash tag, where it publishes to.
    pub(super) fn check_reply(&self, tag: &str) -> Result<()> {
        if self.reply.as_ref().is_some_and(|reply| self.is_place_under(reply, tag)) {
            let why = format!("of sink {} is where it publishes to: it would eat its own jobs", self.name);
            return Err(invalid("reply", why));
        }
        Ok(())
    }

    /// The wait after attempt number `attempt` has failed.
    pub(super) fn wait(&self, attempt: u32) -> Delay {
        self.policy.wait(attempt)
    }

    /// What the sink's jobs say as their worker until somebody has taken them.
    pub(super) fn worker(&self) -> String {
        format!("sink:{}", self.name)
    }

    /// Whether each shard has places of its own.
    pub(super) fn differs_by_shard(&self) -> bool {
        let place = match &self.destination {
            Destination::Stream { stream, .. } => stream,
            Destination::List { list } => list,
            // Its keys are asynq's own, and lie together in one slot.
            Destination::Asynq { .. } => return false,
        };
        [Some(place), self.reply.as_ref()].into_iter().flatten().all(PlaceName::has_tag)
    }

    pub(super) fn target(&self, tag: &str) -> Target {
        match &self.destination {
            Destination::Stream { stream, group } => {
                Target::stream(self.name.as_str(), &stream.key(tag), group, self.outstanding)
            }
            Destination::List { list } => Target::list(self.name.as_str(), &list.key(tag), self.outstanding),
            Destination::Asynq { queue, .. } => Target::asynq(self.name.as_str(), queue, self.outstanding),
        }
    }
}

impl fmt::Debug for SinkConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SinkConfig")
            .field("name", &self.name)
            .field("queues", &self.queues)
            .field("destination", &self.destination)
            .field("timeout", &self.timeout)
            .field("outstanding", &self.outstanding)
            .field("reply", &self.reply)
            .finish_non_exhaustive()
    }
}
