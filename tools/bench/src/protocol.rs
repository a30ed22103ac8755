//! What the bench says to a driver, and what the driver answers: one JSON object a line, in turn.
//!
//! Every competitor runs in a process of its own, ours too, so that none shares threads, memory
//! or a connection with the clock that measures it. `tools/bench/peers/` has drivers in other languages.

use serde::{Deserialize, Serialize};

/// One thing to do. Times are µs since 1970 by this machine's clock, which Redis shares.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum Order {
    /// Connect to that Redis. The first order.
    Open { url: String },
    /// Add jobs and wait until all are taken in.
    Enqueue(Load),
    /// Start a worker that records when each job started.
    Start {
        concurrency: usize,
        /// Handlers never return: for a worker that is about to be killed.
        #[serde(default)]
        hold: bool,
    },
    /// Wait until that many jobs have started since the last answer to this, or the time is over.
    Wait { count: usize, limit_ms: u64 },
    /// Stop the worker.
    Stop,
    /// Call off that many of the jobs that were added, in no order, from so many callers.
    Cancel { count: usize, callers: usize },
    /// Call off all jobs of that many subjects, one call after the other.
    CancelSubjects { count: usize },
}

/// Jobs to add.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Load {
    pub(crate) count: usize,
    /// Callers at once, each awaiting its answer.
    pub(crate) producers: usize,
    /// Jobs a call.
    pub(crate) batch: usize,
    /// When the first is due; 0 is now.
    pub(crate) due_us: i64,
    /// How much later each next one is due.
    pub(crate) step_us: i64,
    /// Jobs that share a subject; 0 is none.
    #[serde(default)]
    pub(crate) per_subject: usize,
}

impl Load {
    /// Due now, one call a job.
    pub(crate) const fn now(count: usize, producers: usize) -> Self {
        Self { count, producers, batch: 1, due_us: 0, step_us: 0, per_subject: 0 }
    }

    /// Due all at that time, in bulk.
    pub(crate) const fn at(count: usize, due_us: i64) -> Self {
        Self { count, producers: 1, batch: BULK, due_us, step_us: 0, per_subject: 0 }
    }

    pub(crate) const fn step(mut self, step_us: i64) -> Self {
        self.step_us = step_us;
        self
    }

    pub(crate) const fn batch(mut self, batch: usize) -> Self {
        self.batch = batch;
        self
    }

    pub(crate) const fn per_subject(mut self, jobs: usize) -> Self {
        self.per_subject = jobs;
        self
    }

    /// When job number `n` is due; `None` is now.
    pub(crate) fn due_of(&self, n: usize) -> Option<i64> {
        (self.due_us > 0).then(|| self.due_us + self.step_us * i64::try_from(n).unwrap_or(i64::MAX))
    }
}

/// Jobs of one call when they come in bulk: what callers of asynq's and BullMQ's bulk calls use.
pub(crate) const BULK: usize = 1_000;

/// What came of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// How long it took, µs.
    #[serde(default)]
    pub(crate) took_us: i64,
    /// Jobs that were added, started or called off.
    #[serde(default)]
    pub(crate) count: usize,
    /// When the first and the last of them started.
    #[serde(default)]
    pub(crate) first_us: i64,
    #[serde(default)]
    pub(crate) last_us: i64,
    /// How late each started, µs after its due time; below 0 is early.
    #[serde(default)]
    pub(crate) late_us: Vec<i64>,
    /// It cannot do this, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unsupported: Option<String>,
    /// It failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// Payload bytes of every job.
pub(crate) const PAYLOAD_BYTES: usize = 100;

/// A payload of exactly 100 bytes of JSON that says when the job is due and which it is.
pub(crate) fn payload(due_us: i64, serial: u64) -> String {
    let head = format!(r#"{{"due_us":{due_us},"serial":{serial},"pad":""#);
    let pad = PAYLOAD_BYTES.saturating_sub(head.len() + 2);
    format!("{head}{}\"}}", "x".repeat(pad))
}

/// The due time in a payload.
pub(crate) fn due_in(payload: &[u8]) -> Option<i64> {
    let digits = payload.strip_prefix(br#"{"due_us":"#)?;
    let end = digits.iter().position(|byte| *byte == b',')?;
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

/// This machine's clock, µs.
pub(crate) fn now_us() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
