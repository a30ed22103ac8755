//! What a claim returns.

use crate::model::{Delay, JobId, Kind, QueueName, Shard, Subject, Timestamp, Token};
use std::collections::BTreeMap;

/// A job as a worker gets it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClaimedJob {
    /// Which job.
    pub id: JobId,
    /// The shard it was claimed from, to which every report goes.
    pub shard: Shard,
    /// Proves the lease in every report.
    pub token: Token,
    /// Its queue.
    pub queue: QueueName,
    /// Its kind.
    pub kind: Kind,
    /// What it is about, if anything.
    pub subject: Option<Subject>,
    /// The work itself.
    pub payload: Vec<u8>,
    /// Caller's own texts; empty when they do not read.
    pub headers: BTreeMap<String, String>,
    /// 1 for the first attempt.
    pub attempt: u32,
    /// How many are allowed; `None` is unlimited.
    pub max_attempts: Option<u32>,
    /// When it was due.
    pub due: Timestamp,
    /// When it was enqueued.
    pub created: Timestamp,
    /// How long this attempt may take; `None` is the worker's own limit.
    pub timeout: Option<Delay>,
    /// End of the lease unless it is extended.
    pub lease_until: Timestamp,
    /// Whether a lease of it has run out before: it may kill its worker.
    pub was_lost: bool,
}
