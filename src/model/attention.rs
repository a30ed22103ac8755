//! What needs attention.

use super::field::required;
use super::halt::{Halt, HaltReason};
use super::name::{JobId, QueueName, RunId};
use super::pause::PausedQueue;
use super::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Something a person should look at.
///
/// In JSON an object with the name of the sort as `about`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "about", try_from = "Line", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Attention {
    /// Nothing starts.
    Halt(Halt),
    /// Jobs are past due by over a second and not moving: the forwarder is behind or gone.
    Overdue {
        /// Which queue.
        queue: QueueName,
        /// Due time of the first of them.
        since: Timestamp,
    },
    /// No forwarder has ticked lately: nothing moves from Delay to Ready.
    ForwarderSilent {
        /// Its last tick; `None` if there never was one.
        since: Option<Timestamp>,
    },
    /// Ready jobs wait, and no live worker serves the queue.
    NoWorkers {
        /// Which queue.
        queue: QueueName,
        /// How many jobs wait.
        ready: u64,
    },
    /// The queue is paused.
    Paused {
        /// Which queue.
        queue: QueueName,
        /// Who, since when, why.
        paused: PausedQueue,
    },
    /// Jobs became dead of the same failure in the last hour, and nobody muted it.
    Dying {
        /// Which queue.
        queue: QueueName,
        /// The error with its details masked; empty for a reader who may not see errors.
        error: String,
        /// The error of the latest of them as it is; empty for a reader who may not see errors.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        example: String,
        /// How many in that hour that are still dead, of the latest 1,000.
        last_hour: u64,
        /// Whether there may be more than were looked at.
        #[serde(default)]
        or_more: bool,
    },
    /// A worker has missed its heartbeats while it held jobs.
    SilentWorker {
        /// Its id.
        worker: String,
        /// Its last sign of life.
        since: Timestamp,
    },
    /// Jobs wait because no worker knows their kind.
    Parked {
        /// How many were parked in the last hour.
        jobs: u64,
    },
    /// Ids without a job, or jobs without a proper hash, were set aside.
    Quarantined {
        /// How many.
        ids: u64,
        /// One of them.
        sample: JobId,
    },
    /// Sets of queues hold something of another type: the queues are passed over until that is mended.
    DamagedKeys {
        /// How many.
        keys: u64,
        /// One of them.
        key: String,
    },
    /// Somebody asked for a deletion that somebody else has to start.
    Asked {
        /// The bulk run that waits.
        run: RunId,
        /// Who asked.
        by: String,
        /// How many jobs it would delete.
        jobs: u64,
        /// When they asked.
        since: Timestamp,
    },
    /// Redis may throw jobs away when it is full.
    EvictionPolicy {
        /// The policy it has.
        policy: String,
    },
    /// Redis uses over 90 % of its memory.
    Memory {
        /// In use, bytes.
        bytes: u64,
        /// The limit, bytes.
        bytes_max: u64,
    },
}

/// The fields of all sorts, read at once. By sorts they would be kept first and read from there a second time: fifteen
/// times the code, on the page that people open first.
#[derive(Deserialize)]
struct Line {
    about: String,
    queue: Option<QueueName>,
    since: Option<Timestamp>,
    ready: Option<u64>,
    paused: Option<PausedQueue>,
    error: Option<String>,
    #[serde(default)]
    example: String,
    last_hour: Option<u64>,
    #[serde(default)]
    or_more: bool,
    worker: Option<String>,
    jobs: Option<u64>,
    ids: Option<u64>,
    sample: Option<JobId>,
    keys: Option<u64>,
    key: Option<String>,
    run: Option<RunId>,
    by: Option<String>,
    policy: Option<String>,
    bytes: Option<u64>,
    bytes_max: Option<u64>,
    why: Option<HaltReason>,
    at_ms: Option<Timestamp>,
    by_ms: Option<u64>,
    until_ms: Option<Timestamp>,
}

impl TryFrom<Line> for Attention {
    type Error = String;

    fn try_from(line: Line) -> Result<Self, String> {
        Ok(match line.about.as_str() {
            "halt" => {
                let (why, at) = (required(line.why, "why")?, required(line.at_ms, "at_ms")?);
                Self::Halt(Halt::new(why, at, required(line.by_ms, "by_ms")?, line.until_ms))
            }
            "overdue" => {
                Self::Overdue { queue: required(line.queue, "queue")?, since: required(line.since, "since")? }
            }
            "forwarder_silent" => Self::ForwarderSilent { since: line.since },
            "no_workers" => Self::NoWorkers {
                queue: required(line.queue, "queue")?,
                ready: required(line.ready, "ready")?,
            },
            "paused" => Self::Paused {
                queue: required(line.queue, "queue")?,
                paused: required(line.paused, "paused")?,
            },
            "dying" => Self::Dying {
                queue: required(line.queue, "queue")?,
                error: line.error.unwrap_or_default(),
                example: line.example,
                last_hour: required(line.last_hour, "last_hour")?,
                or_more: line.or_more,
            },
            "silent_worker" => Self::SilentWorker {
                worker: required(line.worker, "worker")?,
                since: required(line.since, "since")?,
            },
            "parked" => Self::Parked { jobs: required(line.jobs, "jobs")? },
            "quarantined" => Self::Quarantined {
                ids: required(line.ids, "ids")?,
                sample: required(line.sample, "sample")?,
            },
            "damaged_keys" => {
                Self::DamagedKeys { keys: required(line.keys, "keys")?, key: required(line.key, "key")? }
            }
            "asked" => Self::Asked {
                run: required(line.run, "run")?,
                by: required(line.by, "by")?,
                jobs: required(line.jobs, "jobs")?,
                since: required(line.since, "since")?,
            },
            "eviction_policy" => Self::EvictionPolicy { policy: required(line.policy, "policy")? },
            "memory" => Self::Memory {
                bytes: required(line.bytes, "bytes")?,
                bytes_max: required(line.bytes_max, "bytes_max")?,
            },
            other => return Err(format!("unknown sort `{other}`")),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const SORTS: usize = 13;

    /// The place of a sort among all of them.
    const fn place(item: &Attention) -> usize {
        match item {
            Attention::Halt(_) => 0,
            Attention::Overdue { .. } => 1,
            Attention::ForwarderSilent { .. } => 2,
            Attention::NoWorkers { .. } => 3,
            Attention::Paused { .. } => 4,
            Attention::Dying { .. } => 5,
            Attention::SilentWorker { .. } => 6,
            Attention::Parked { .. } => 7,
            Attention::Quarantined { .. } => 8,
            Attention::Asked { .. } => 9,
            Attention::EvictionPolicy { .. } => 10,
            Attention::Memory { .. } => 11,
            Attention::DamagedKeys { .. } => 12,
        }
    }

    fn one_of_each() -> Vec<Attention> {
        let queue = || QueueName::new("mail").unwrap();
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let text = str::to_owned;
        let halt = Halt::new(HaltReason::ClockBack, at(5), 12, Some(at(9)));
        let paused = PausedQueue::new(at(7), text("ann"), text("upkeep"));
        vec![
            Attention::Halt(halt),
            Attention::Overdue { queue: queue(), since: at(1) },
            Attention::ForwarderSilent { since: None },
            Attention::ForwarderSilent { since: Some(at(2)) },
            Attention::NoWorkers { queue: queue(), ready: 3 },
            Attention::Paused { queue: queue(), paused },
            Attention::Dying {
                queue: queue(),
                error: text("no route to #"),
                example: text("no route to 7"),
                last_hour: 4,
                or_more: true,
            },
            Attention::SilentWorker { worker: text("w1"), since: at(3) },
            Attention::Parked { jobs: 5 },
            Attention::Quarantined { ids: 6, sample: JobId::new("a").unwrap() },
            Attention::Asked { run: RunId::new("r").unwrap(), by: text("ann"), jobs: 7, since: at(4) },
            Attention::EvictionPolicy { policy: text("allkeys-lru") },
            Attention::Memory { bytes: 8, bytes_max: 9 },
            Attention::DamagedKeys { keys: 10, key: text("reprieve:{a}:q:mail:done") },
        ]
    }

    #[test]
    fn every_sort_reads_back_from_its_json() {
        let all = one_of_each();
        assert_eq!(all.iter().map(place).collect::<BTreeSet<_>>(), (0..SORTS).collect());
        let json = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Attention>>(&json).unwrap(), all, "{json}");
    }

    #[test]
    fn what_is_missing_is_named_and_no_errors_are_shown_as_none() {
        let read = serde_json::from_str::<Attention>;
        let why = read(r#"{"about":"overdue","queue":"mail"}"#).unwrap_err().to_string();
        assert!(why.contains("`since`"), "{why}");
        let why = read(r#"{"about":"weather"}"#).unwrap_err().to_string();
        assert!(why.contains("`weather`"), "{why}");
        let dying = read(r#"{"about":"dying","queue":"mail","last_hour":2}"#).unwrap();
        assert!(matches!(dying, Attention::Dying { error, .. } if error.is_empty()));
    }
}
