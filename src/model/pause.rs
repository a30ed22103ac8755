//! A queue that somebody paused.

use super::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Who paused a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PausedQueue {
    /// Since when no job of it starts.
    pub at: Timestamp,
    /// Who did it.
    pub by: String,
    /// Why; empty when nothing was said.
    #[serde(rename = "reason")]
    pub why: String,
}

impl PausedQueue {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(at: Timestamp, by: String, why: String) -> Self {
        Self { at, by, why }
    }
}
