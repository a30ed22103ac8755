//! How long ended jobs are kept, what is left of them afterwards, and how that goes too.

use super::name::{JobId, Kind, QueueName};
use super::state::JobState;
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

/// What to change of a rule; what is `None` stays as it is, and `Some(None)` takes it away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetentionChange {
    /// See [`RetentionRule::done`].
    pub done: Option<Option<Delay>>,
    /// See [`RetentionRule::dead`].
    pub dead: Option<Option<Delay>>,
    /// See [`RetentionRule::cancelled`].
    pub cancelled: Option<Option<Delay>>,
    /// See [`RetentionRule::done_most`].
    pub done_most: Option<Option<u64>>,
    /// See [`RetentionRule::dead_most`].
    pub dead_most: Option<Option<u64>>,
}

impl RetentionChange {
    /// To what a rule says; where it says nothing, nothing changes.
    #[must_use]
    pub fn named(rule: &RetentionRule) -> Self {
        Self {
            done: rule.done.map(Some),
            dead: rule.dead.map(Some),
            cancelled: rule.cancelled.map(Some),
            done_most: rule.done_most.map(Some),
            dead_most: rule.dead_most.map(Some),
        }
    }

    /// To that rule and no other.
    #[must_use]
    pub const fn whole(rule: &RetentionRule) -> Self {
        Self {
            done: Some(rule.done),
            dead: Some(rule.dead),
            cancelled: Some(rule.cancelled),
            done_most: Some(rule.done_most),
            dead_most: Some(rule.dead_most),
        }
    }

    /// Whether it changes anything of a rule.
    #[must_use]
    pub fn changes(&self, rule: &RetentionRule) -> bool {
        self.of(*rule) != *rule
    }

    /// A rule with the change.
    #[must_use]
    pub fn of(&self, rule: RetentionRule) -> RetentionRule {
        RetentionRule {
            done: self.done.unwrap_or(rule.done),
            dead: self.dead.unwrap_or(rule.dead),
            cancelled: self.cancelled.unwrap_or(rule.cancelled),
            done_most: self.done_most.unwrap_or(rule.done_most),
            dead_most: self.dead_most.unwrap_or(rule.dead_most),
        }
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
    /// How long done jobs are kept where nobody has set another time.
    pub const DONE_KEPT: Delay = Delay::days(7);
    /// The same of cancelled ones.
    pub const CANCELLED_KEPT: Delay = Delay::days(30);
    /// The same of dead ones.
    pub const DEAD_KEPT: Delay = Delay::days(90);

    /// With the times of the namespace that count where nobody has set any.
    #[must_use]
    pub fn as_they_count(mut self) -> Self {
        self.namespace.done.get_or_insert(Self::DONE_KEPT);
        self.namespace.dead.get_or_insert(Self::DEAD_KEPT);
        self.namespace.cancelled.get_or_insert(Self::CANCELLED_KEPT);
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
    #[serde(rename = "reason")]
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
    /// More live jobs than one step calls off (1,000). Nothing was called off or erased.
    TooMany {
        /// How many are live.
        live: u64,
    },
    /// Jobs of the subject still wait or run: call them off first, and let those that run end. Nothing was erased, unless
    /// one was enqueued meanwhile: then only a part was.
    Live {
        /// How many.
        live: u64,
        /// Jobs that were removed before any of these was there.
        jobs: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_leaves_what_it_does_not_name() {
        let stands =
            RetentionRule { done: Some(Delay::days(1)), dead_most: Some(9), ..RetentionRule::default() };
        let named = RetentionRule { done: Some(Delay::days(2)), ..RetentionRule::default() };
        let changed = RetentionRule { done: Some(Delay::days(2)), ..stands };
        assert_eq!(RetentionChange::named(&named).of(stands), changed);
        assert_eq!(RetentionChange::whole(&named).of(stands), named);
        assert!(!RetentionChange::named(&named).changes(&changed));
        let without = RetentionChange { done: Some(None), ..RetentionChange::default() };
        assert_eq!(without.of(stands).done, None);
    }
}
