//! When a namespace starts nothing, and why.

use super::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A namespace that starts nothing: jobs can be added, called off and put back, and what runs goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Halt {
    /// Why.
    pub why: HaltReason,
    /// Since when, by Redis's clock.
    #[serde(rename = "at_ms")]
    pub at: Timestamp,
    /// How far the clock jumped, or how much was lost, in ms; 0 where that is not known.
    pub by_ms: u64,
    /// When it ends by itself; `None` when a person has to end it.
    #[serde(rename = "until_ms")]
    pub until: Option<Timestamp>,
}

impl Halt {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(why: HaltReason, at: Timestamp, by_ms: u64, until: Option<Timestamp>) -> Self {
        Self { why, at, by_ms, until }
    }
}

words! {
    /// Why a namespace stands still.
    #[non_exhaustive]
    pub enum HaltReason or "not a reason of a halt; reasons are " {
        /// Redis's clock jumped ahead: what is due by it may not be due.
        ClockAhead = "clock_ahead",
        /// Redis's clock jumped back: what is due would come late, and leases would last too long.
        ClockBack = "clock_back",
        /// Redis's clock is not where it was against the clocks of the processes: it was set while nobody looked, or has crept
        /// away. Which of them is right, nobody can tell.
        ClockApart = "clock_apart",
        /// The data is as it was some time ago: a replica that lagged took over, or a backup was restored. What was
        /// acknowledged since is said again; what ran since may run again.
        WentBack = "went_back",
        /// Another server has the data: a replica took over, or Redis was started anew. Whether it has all that was
        /// acknowledged nobody can tell, so it is said again.
        TookOver = "took_over",
        /// The data is gone, or other data is in its place.
        Replaced = "replaced",
        /// The data was put where the program found it, out of a backup: what was called off, held or put off since is not
        /// in it.
        Restored = "restored",
    }
}

impl HaltReason {
    /// Whether a process saw Redis's clock jump.
    #[must_use]
    pub const fn is_clock(self) -> bool {
        matches!(self, Self::ClockAhead | Self::ClockBack)
    }
}
