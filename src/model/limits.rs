//! What people have set for a queue: how much of it may run at once, and how fast.

use super::time::{Delay, Timestamp};
use serde::{Deserialize, Serialize};

/// So many jobs in a span of time. A queue that stood still may start as many at once as one span allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// How many jobs may start, at least 1.
    pub jobs: u32,
    /// In that span, 1 ms to a day.
    #[serde(rename = "per_ms")]
    pub per: Delay,
}

/// The limits of a queue over all processes; the default is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct QueueLimits {
    /// Most jobs active at once; `None` is as many as there are workers for.
    pub concurrency: Option<u32>,
    /// Most jobs started in a span of time.
    pub rate: Option<Rate>,
    /// Most jobs active at once in a concurrency_per_key; 1 runs the jobs of a concurrency key one after the other.
    pub concurrency_per_key: Option<u32>,
    /// A job that is retried or put off holds back the later ones of its concurrency key.
    pub ordered: bool,
}

impl QueueLimits {
    /// Whether there is no limit at all.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Limits, and who set them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SetLimits {
    /// What holds.
    pub limits: QueueLimits,
    /// Since when.
    pub at: Timestamp,
    /// Who set it.
    pub by: String,
    /// Why; empty when nothing was said.
    pub why: String,
}
