//! Batches: jobs that are counted together, and one job that runs when all of them have ended.

use super::job::JobRow;
use super::name::{BatchId, JobId, Kind};
use super::outcome::Enqueued;
use super::time::Timestamp;
use serde::{Deserialize, Serialize};

words! {
    /// Which end of its jobs a batch asks for.
    #[derive(Default)]
    pub enum BatchRule or "one of " {
        /// All have ended, however: the job that completes it runs.
        #[default]
        Ended = "ended",
        /// All were done. If some are dead or cancelled instead, what it says for that becomes of the completion.
        Done = "done",
    }
}

/// A batch, and what became of its jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JobBatch {
    /// Unique in the namespace.
    pub id: BatchId,
    /// What sort of batch it is; `None` when nothing was said.
    pub name: Option<Kind>,
    /// Which end of its jobs it asks for.
    pub rule: BatchRule,
    /// The id of the job that completes it, `<batch>/completion`.
    pub completion: JobId,
    /// That job; `None` once it is purged.
    pub completion_job: Option<JobRow>,
    /// When it was made.
    pub created: Timestamp,
    /// Who made it.
    pub created_by: String,
    /// Since when no job can be added; `None` while it is open, and then it does not end.
    pub closed: Option<Timestamp>,
    /// How many jobs were added.
    pub total: u64,
    /// How many of them are live.
    pub live: u64,
    /// How many were done.
    pub done: u64,
    /// How many are dead.
    pub dead: u64,
    /// How many are called off.
    pub cancelled: u64,
    /// Some of the live ones, by id.
    pub live_jobs: Vec<JobId>,
    /// Some of the dead and cancelled ones, the latest first.
    pub unmet_jobs: Vec<JobId>,
}

impl JobBatch {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(id: BatchId, completion: JobId, created: Timestamp) -> Self {
        Self {
            id,
            name: None,
            rule: BatchRule::Ended,
            completion,
            completion_job: None,
            created,
            created_by: String::new(),
            closed: None,
            total: 0,
            live: 0,
            done: 0,
            dead: 0,
            cancelled: 0,
            live_jobs: Vec::new(),
            unmet_jobs: Vec::new(),
        }
    }
}

words! {
    /// What a verb did to a batch.
    #[non_exhaustive]
    pub enum BatchWord or "not an outcome of a batch; outcomes are " {
        /// It was made.
        Made = "made",
        /// It was there already; it has the jobs now that it did not have.
        Exists = "exists",
        /// The jobs are in it.
        Added = "added",
        /// No job can be added any more.
        Closed = "closed",
        /// Its live jobs are called off, and it is closed.
        Cancelled = "cancelled",
        /// It was so already. Nothing changed.
        Unchanged = "unchanged",
        /// It is closed, and a job was new. Nothing changed.
        Refused = "wrong_state",
    }
}

/// Where a batch stands after a verb was tried on it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchAnswer {
    /// What was done.
    pub outcome: BatchWord,
    /// The batch.
    pub batch: BatchId,
    /// Since when no job can be added; `None` while it is open.
    pub closed: Option<Timestamp>,
    /// How many jobs were added so far.
    pub total: u64,
    /// How many of them are live.
    pub live: u64,
    /// How many were done.
    pub done: u64,
    /// How many are dead.
    pub dead: u64,
    /// How many are called off.
    pub cancelled: u64,
    /// When this answer was made, by Redis's clock.
    pub at: Timestamp,
    /// What became of each job of the call, in its order; empty when nothing was added. Of a batch that is made again when
    /// it is closed, the jobs that are there.
    pub jobs: Vec<Enqueued>,
}
