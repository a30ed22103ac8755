//! The state of a job, its version, and the token of its lease.

use serde::{Deserialize, Serialize};
use std::fmt;

words! {
    /// The eight states. A job is in exactly one of them, the one its record names.
    #[derive(PartialOrd, Ord)]
    pub enum JobState or "not a job state; states are " {
        /// Waits for its due time. Entered by `enqueue`, `snooze`, `unhold`, `reinstate`; left by `forward`.
        Delayed = "delayed",
        /// Keeps its due time but does not run. Entered by `hold`; left by `unhold`, `retry_now`, `cancel`.
        Held = "held",
        /// Due; waits for a free worker. Entered by `forward`, `enqueue`, `retry_now`, `release`; left by `claim`.
        Ready = "ready",
        /// A worker has it under a lease. Entered by `claim`; left by `complete`, `fail`, `snooze`, `release`, `recover`.
        Active = "active",
        /// Failed and waits for its next attempt. Entered by `fail`, `recover`; left by `forward`.
        Retrying = "retrying",
        /// Finished well; kept for its retention. Entered by `complete`.
        Done = "done",
        /// Out of attempts, or failed for good. Entered by `fail`, `recover`; left by `retry_now`.
        Dead = "dead",
        /// Called off. Entered by `cancel`; left by `reinstate`, `retry_now`.
        Cancelled = "cancelled",
    }
}

impl JobState {
    /// Whether the job has ended: it will not run again by itself.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Dead | Self::Cancelled)
    }
}

/// Counts the changes of a job. Optimistic lock of every button and order of the job's events; never goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Version(pub u64);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Fencing token of a lease: the [`Version`] that `claim` produced. A later claim always has a higher one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Token(pub u64);

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
