//! What a running job says of itself: progress and log lines.

use super::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

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

impl Progress {
    /// For the engine, which reads it, and for tests of screens.
    #[must_use]
    pub const fn new(percent: u8, text: String, at: Timestamp, attempt: u32) -> Self {
        Self { percent, text, at, attempt }
    }
}

/// How much a log line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// For the author of the handler.
    Debug,
    /// What happens.
    #[default]
    Info,
    /// Somebody might want to look.
    Warn,
    /// Something went wrong.
    Error,
}

impl LogLevel {
    /// Every level, the least first.
    pub const ALL: [Self; 4] = [Self::Debug, Self::Info, Self::Warn, Self::Error];

    /// The word for it in storage, the API and on screen.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for LogLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|level| level.as_str() == text)
            .ok_or_else(|| "not a level; levels are debug, info, warn, error".to_owned())
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

impl LogLine {
    /// For the engine, which reads it, and for tests of screens.
    #[must_use]
    pub const fn new(number: u64, at: Timestamp, attempt: u32, level: LogLevel, text: String) -> Self {
        Self { number, at, attempt, level, text }
    }
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
