//! How long ended jobs are kept, what is left of them afterwards, and how that goes too.

use super::job::JobState;
use super::name::{JobId, Kind, QueueName};
use super::time::{Delay, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most jobs that a rule may say to keep.
pub const KEPT_MOST_MAX: u64 = 1_000_000_000;

/// How long ended jobs are kept, and how many; `None` where there is no rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RetentionRule {
    /// Jobs that were done.
    #[serde(rename = "done_ms")]
    pub done: Option<Delay>,
    /// Jobs that died.
    #[serde(rename = "dead_ms")]
    pub dead: Option<Delay>,
    /// Jobs that were called off; at least until they can no longer be put back.
    #[serde(rename = "cancelled_ms")]
    pub cancelled: Option<Delay>,
    /// How many jobs that were done a queue keeps at most, however long they would be kept: the latest. At least 1 and at
    /// most [`KEPT_MOST_MAX`].
    pub done_most: Option<u64>,
    /// How many jobs that died a queue keeps at most. None is said of cancelled ones: they can be put back until their
    /// time is over.
    pub dead_most: Option<u64>,
}

impl RetentionRule {
    /// How many jobs that ended so a queue keeps at most; `None` without a rule, and for states that have none.
    #[must_use]
    pub const fn most(&self, state: JobState) -> Option<u64> {
        match state {
            JobState::Done => self.done_most,
            JobState::Dead => self.dead_most,
            _ => None,
        }
    }

    /// Whether it says how many of any are kept.
    #[must_use]
    pub const fn has_most(&self) -> bool {
        self.done_most.is_some() || self.dead_most.is_some()
    }
}

/// All rules there are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RetentionRules {
    /// Of the namespace: for queues without a rule of their own. Its times are those that count, also where nobody has set
    /// any.
    pub namespace: RetentionRule,
    /// How long receipts are kept; `None` is 13 months.
    #[serde(rename = "receipts_ms")]
    pub receipts: Option<Delay>,
    /// Of single queues.
    pub queues: BTreeMap<QueueName, RetentionRule>,
}

impl RetentionRules {
    /// With the times of the namespace that count where nobody has set any (`RETENTION_MS` in `lua/lib/move.lua`): a week,
    /// three months, a month.
    #[must_use]
    pub fn as_they_count(mut self) -> Self {
        self.namespace.done.get_or_insert(Delay::days(7));
        self.namespace.dead.get_or_insert(Delay::days(90));
        self.namespace.cancelled.get_or_insert(Delay::days(30));
        self
    }
}

/// What became of a job that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Receipt {
    /// Which job.
    pub id: JobId,
    /// What sort of work it was.
    pub kind: Kind,
    /// Its queue.
    pub queue: QueueName,
    /// How it ended.
    pub state: JobState,
    /// When it ended.
    #[serde(rename = "at_ms")]
    pub at: Timestamp,
    /// Who ended it: a person, or `worker:<id>`.
    pub by: String,
    /// Why; empty when nothing was said.
    pub why: String,
    /// When the job itself was removed.
    #[serde(rename = "purged_ms")]
    pub purged: Timestamp,
}

impl Receipt {
    /// For the engine, which reads it, and for tests of screens.
    #[must_use]
    #[expect(clippy::too_many_arguments, reason = "each is a field")]
    pub const fn new(
        id: JobId,
        kind: Kind,
        queue: QueueName,
        state: JobState,
        at: Timestamp,
        by: String,
        why: String,
        purged: Timestamp,
    ) -> Self {
        Self { id, kind, queue, state, at, by, why, purged }
    }
}

/// Answer to erasing a subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Erased {
    /// Everything that was kept is gone, but for a skeleton under that token.
    Erased {
        /// Jobs that were removed.
        jobs: u64,
        /// Receipts that lost what was personal.
        receipts: u64,
        /// Stands for the subject from now on.
        token: String,
    },
    /// Jobs of the subject still wait or run. Nothing was erased: call them off first, and let those that run end.
    Live {
        /// How many.
        live: u64,
    },
}
