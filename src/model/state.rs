//! The state of a job, its version, and the token of its lease.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The eight states. A job is in exactly one of them, the one its record names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// Waits for its due time. Entered by `enqueue`, `snooze`, `unhold`, `reinstate`; left by `forward`.
    Delayed,
    /// Keeps its due time but does not run. Entered by `hold`; left by `unhold`, `retry_now`, `cancel`.
    Held,
    /// Due; waits for a free worker. Entered by `forward`, `enqueue`, `retry_now`, `release`; left by `claim`.
    Ready,
    /// A worker has it under a lease. Entered by `claim`; left by `complete`, `fail`, `snooze`, `release`, `recover`.
    Active,
    /// Failed and waits for its next attempt. Entered by `fail`, `recover`; left by `forward`.
    Retrying,
    /// Finished well; kept for its retention. Entered by `complete`.
    Done,
    /// Out of attempts, or failed for good. Entered by `fail`, `recover`; left by `retry_now`.
    Dead,
    /// Called off. Entered by `cancel`; left by `reinstate`, `retry_now`.
    Cancelled,
}

impl JobState {
    /// Every state, in the order screens show them.
    pub const ALL: [Self; 8] = [
        Self::Delayed,
        Self::Held,
        Self::Ready,
        Self::Active,
        Self::Retrying,
        Self::Done,
        Self::Dead,
        Self::Cancelled,
    ];

    /// The word for it in keys, API, logs and on screen.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delayed => "delayed",
            Self::Held => "held",
            Self::Ready => "ready",
            Self::Active => "active",
            Self::Retrying => "retrying",
            Self::Done => "done",
            Self::Dead => "dead",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the job has ended: it will not run again by itself.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Dead | Self::Cancelled)
    }
}

impl fmt::Display for JobState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for JobState {
    type Err = UnknownState;

    fn from_str(text: &str) -> Result<Self, UnknownState> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or(UnknownState)
    }
}

/// The text is none of the eight state words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownState;

impl fmt::Display for UnknownState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "not a job state; states are delayed, held, ready, active, retrying, done, dead, cancelled",
        )
    }
}

impl std::error::Error for UnknownState {}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_reads_back_from_its_word() {
        for state in JobState::ALL {
            assert_eq!(state.as_str().parse(), Ok(state));
        }
        assert_eq!("archived".parse::<JobState>(), Err(UnknownState));
    }
}
