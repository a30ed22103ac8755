//! What needs attention.

use super::halt::Halt;
use super::name::{JobId, QueueName, RunId};
use super::pause::PausedQueue;
use super::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Something a person should look at.
///
/// In JSON an object with the name of the sort as `about`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
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
