//! When a namespace starts nothing, and why.

use super::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

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

/// Why a namespace stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HaltReason {
    /// Redis's clock jumped ahead: what is due by it may not be due.
    ClockAhead,
    /// Redis's clock jumped back: what is due would come late, and leases would last too long.
    ClockBack,
    /// Redis's clock is not where it was against the clocks of the processes: it was set while nobody looked, or has crept
    /// away. Which of them is right, nobody can tell.
    ClockApart,
    /// The data is as it was some time ago: a replica that lagged took over, or a backup was restored. What was
    /// acknowledged since is said again; what ran since may run again.
    WentBack,
    /// Another server has the data: a replica took over, or Redis was started anew. Whether it has all that was
    /// acknowledged nobody can tell, so it is said again.
    TookOver,
    /// The data is gone, or other data is in its place.
    Replaced,
    /// The data was put where the program found it, out of a backup: what was called off, held or put off since is not
    /// in it.
    Restored,
}

impl HaltReason {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::ClockAhead,
        Self::ClockBack,
        Self::ClockApart,
        Self::WentBack,
        Self::TookOver,
        Self::Replaced,
        Self::Restored,
    ];

    /// As scripts, the API and the audit write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClockAhead => "clock_ahead",
            Self::ClockBack => "clock_back",
            Self::ClockApart => "clock_apart",
            Self::WentBack => "went_back",
            Self::TookOver => "took_over",
            Self::Replaced => "replaced",
            Self::Restored => "restored",
        }
    }

    /// The reason of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }

    /// Whether a process saw Redis's clock jump.
    #[must_use]
    pub const fn is_clock(self) -> bool {
        matches!(self, Self::ClockAhead | Self::ClockBack)
    }
}

impl fmt::Display for HaltReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
