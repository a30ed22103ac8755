//! What a running job says of itself: progress and log lines.

use super::time::Timestamp;
use serde::{Deserialize, Serialize};

/// How far a job is, by its own word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Progress {
    /// 0 to 100.
    pub percent: u8,
    /// What it is doing, at most 200 bytes; empty when it said nothing.
    pub text: String,
    /// When it said so.
    pub at: Timestamp,
    /// In which attempt: after a retry this may be the word of an earlier one.
    pub attempt: u32,
}

words! {
    /// How much a log line matters.
    #[derive(PartialOrd, Ord, Default)]
    pub enum LogLevel or "not a level; levels are " {
        /// For the author of the handler.
        Debug = "debug",
        /// What happens.
        #[default]
        Info = "info",
        /// Somebody might want to look.
        Warn = "warn",
        /// Something went wrong.
        Error = "error",
    }
}

/// One line of a job's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogLine {
    /// Its number among all lines the job ever wrote, from 1.
    pub number: u64,
    /// When it was written.
    pub at: Timestamp,
    /// In which attempt.
    pub attempt: u32,
    /// How much it matters.
    pub level: LogLevel,
    /// What it says, at most 1 KiB.
    pub text: String,
}

/// Part of a job's log, oldest line first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JobLog {
    /// The lines asked for.
    pub lines: Vec<LogLine>,
    /// How many lines the job ever wrote; the last 1,000 of them are kept.
    pub total: u64,
    /// The number behind which to ask for more; `None` when these were the last.
    pub next: Option<u64>,
}

impl JobLog {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(lines: Vec<LogLine>, total: u64, next: Option<u64>) -> Self {
        Self { lines, total, next }
    }
}
