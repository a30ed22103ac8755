//! What is known of a worker.

use super::name::{JobId, Kind, QueueName};
use super::time::{Delay, Timestamp};
use serde::{Deserialize, Serialize};

/// A worker as its heartbeat describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WorkerInfo {
    /// Unique: host, process id and a random part.
    pub id: String,
    /// The machine it runs on.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// Version of Reprieve it was built with.
    pub version: String,
    /// The queues it serves.
    pub queues: Vec<QueueName>,
    /// Jobs it may run at once.
    pub slots: u64,
    /// Jobs it runs now.
    pub busy: u64,
    /// It finishes what it has and takes nothing new.
    pub quiet: bool,
    /// Handlers that run on although they should have ended: how many.
    #[serde(default)]
    pub stuck: u64,
    /// The longest of them, at most 20.
    #[serde(default)]
    pub stuck_handlers: Vec<StuckHandler>,
    /// When it started.
    pub started: Timestamp,
    /// Its last heartbeat.
    pub seen: Timestamp,
}

impl WorkerInfo {
    /// A worker that has just started.
    #[must_use]
    pub fn new(id: impl Into<String>, host: impl Into<String>, pid: u32, started: Timestamp) -> Self {
        Self {
            id: id.into(),
            host: host.into(),
            pid,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            queues: Vec::new(),
            slots: 0,
            busy: 0,
            quiet: false,
            stuck: 0,
            stuck_handlers: Vec::new(),
            started,
            seen: started,
        }
    }
}

/// A handler that runs on although it should have ended. Its job has been reported and its slot is free again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StuckHandler {
    /// Which job it was called for.
    pub job: JobId,
    /// Which handler.
    pub kind: Kind,
    /// In which attempt.
    pub attempt: u32,
    /// Why it should have ended.
    pub reason: StuckReason,
    /// How long ago that was, at the worker's last heartbeat.
    #[serde(rename = "over_ms")]
    pub over: Delay,
}

impl StuckHandler {
    /// For the worker, and for tests of screens.
    #[must_use]
    pub const fn new(job: JobId, kind: Kind, attempt: u32, reason: StuckReason, over: Delay) -> Self {
        Self { job, kind, attempt, reason, over }
    }
}

/// Why a handler should have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum StuckReason {
    /// Its time was up.
    Timeout,
    /// Somebody asked it to stop more than ten seconds ago.
    Stop,
    /// Its lease was lost.
    Lost,
    /// Its worker shuts down.
    Shutdown,
}

impl std::fmt::Display for StuckReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Timeout => "its time was up",
            Self::Stop => "it was asked to stop",
            Self::Lost => "its lease was lost",
            Self::Shutdown => "its worker shuts down",
        })
    }
}
