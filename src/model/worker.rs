//! What is known of a worker.

use super::name::QueueName;
use super::time::Timestamp;
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
            started,
            seen: started,
        }
    }
}
