//! Names of keys that Rust reads without a script. The rest stand in `lua/core/job.lua`.

use crate::model::{JobId, JobState, Namespace, QueueName, RunId, Shard, Subject, Timestamp};
use std::sync::Arc;

/// One minute, the span of a statistics hash, in ms.
pub(crate) const MINUTE_MS: i64 = 60_000;
/// An hour, in ms.
pub(crate) const HOUR_MS: i64 = 3_600_000;

/// The keys of one shard of a namespace. All carry its hash tag, so that they share a slot.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    prefix: Arc<str>,
}

impl Keys {
    /// The keys of a shard of a namespace that has that many shards.
    pub(crate) fn new(namespace: &Namespace, shard: Shard, shards: u16) -> Self {
        if shards == 1 {
            Self::whole(namespace)
        } else {
            Self::of(format!("reprieve:{{{namespace}.{shard}}}:"))
        }
    }

    /// The keys of a namespace that has one shard. With more it holds nothing but their number.
    pub(crate) fn whole(namespace: &Namespace) -> Self {
        Self::of(format!("reprieve:{{{namespace}}}:"))
    }

    fn of(prefix: String) -> Self {
        Self { prefix: prefix.into() }
    }

    /// `reprieve:{<namespace>}:` or `reprieve:{<namespace>.<shard>}:`, the one declared key of every script.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// What stands between the braces: the part that decides on the slot.
    pub(crate) fn tag(&self) -> &str {
        self.prefix.trim_start_matches("reprieve:{").trim_end_matches("}:")
    }

    pub(crate) fn job(&self, id: &JobId) -> String {
        format!("{}job:{id}", self.prefix)
    }

    pub(crate) fn log(&self, id: &JobId) -> String {
        format!("{}log:{id}", self.prefix)
    }

    pub(crate) fn receipts(&self, subject: &Subject) -> String {
        format!("{}receipts:{subject}", self.prefix)
    }

    /// Subjects by the id of a job of which there is a receipt.
    pub(crate) fn receipt_subjects(&self) -> String {
        format!("{}receipt_subjects", self.prefix)
    }

    pub(crate) fn bulk(&self) -> String {
        format!("{}bulk", self.prefix)
    }

    pub(crate) fn bulk_running(&self) -> String {
        format!("{}bulk_running", self.prefix)
    }

    pub(crate) fn bulk_waiting(&self) -> String {
        format!("{}bulk_waiting", self.prefix)
    }

    /// The hash of a bulk run, or with `part` another of its keys.
    pub(crate) fn bulk_run(&self, run: &RunId, part: &str) -> String {
        let colon = if part.is_empty() { "" } else { ":" };
        format!("{}bulk:{run}{colon}{part}", self.prefix)
    }

    pub(crate) fn wake(&self, queue: &str) -> String {
        format!("{}q:{queue}:wake", self.prefix)
    }

    /// The token of the forwarder.
    pub(crate) fn due_wake(&self) -> String {
        format!("{}due:wake", self.prefix)
    }

    /// The jobs of a queue in that state.
    pub(crate) fn set(&self, queue: &QueueName, state: JobState) -> String {
        format!("{}q:{queue}:{state}", self.prefix)
    }

    /// What happened to a job.
    pub(crate) fn history(&self, id: &JobId) -> String {
        format!("{}history:{id}", self.prefix)
    }

    pub(crate) fn cron(&self) -> String {
        format!("{}cron", self.prefix)
    }

    pub(crate) fn cron_entry(&self, name: &str) -> String {
        format!("{}cron:{name}", self.prefix)
    }

    pub(crate) fn cron_history(&self, name: &str) -> String {
        format!("{}cron:{name}:history", self.prefix)
    }

    /// Saved views by owner and name.
    pub(crate) fn views(&self) -> String {
        format!("{}views", self.prefix)
    }

    pub(crate) fn queues(&self) -> String {
        format!("{}queues", self.prefix)
    }

    pub(crate) fn events(&self) -> String {
        format!("{}events", self.prefix)
    }

    /// Who did what, when and why.
    pub(crate) fn audit(&self) -> String {
        format!("{}audit", self.prefix)
    }

    pub(crate) fn meta(&self) -> String {
        format!("{}meta", self.prefix)
    }

    /// Which parts of its source an importer has met, where the source names them.
    pub(crate) fn import_units(&self, import: &str) -> String {
        format!("{}import:{import}:units", self.prefix)
    }

    /// Which Redis an importer's name is of.
    pub(crate) fn import_mark(&self, import: &str) -> String {
        format!("{}import:{import}:mark", self.prefix)
    }

    /// Under which ids items of an importer go on whose own ids are taken.
    pub(crate) fn import_again(&self, import: &str) -> String {
        format!("{}import:{import}:again", self.prefix)
    }

    /// Which records of an importer's journal are jobs, until its roll-back date.
    pub(crate) fn import_taken(&self, import: &str) -> String {
        format!("{}import:{import}:taken", self.prefix)
    }

    /// What is known of each token, by name.
    pub(crate) fn tokens(&self) -> String {
        format!("{}tokens", self.prefix)
    }

    /// When each token was last used, by name.
    pub(crate) fn tokens_used(&self) -> String {
        format!("{}tokens:used", self.prefix)
    }

    /// What is kept of each person who may sign in, by name.
    pub(crate) fn people(&self) -> String {
        format!("{}people", self.prefix)
    }

    /// The first answer to a request, under the hash of who asked for what by which key.
    pub(crate) fn answer(&self, hash: &str) -> String {
        format!("{}answer:{hash}", self.prefix)
    }

    pub(crate) fn quarantine(&self) -> String {
        format!("{}quarantine", self.prefix)
    }

    pub(crate) fn rules(&self) -> String {
        format!("{}rules", self.prefix)
    }

    /// What people set for the namespace, by name.
    pub(crate) fn settings(&self) -> String {
        format!("{}settings", self.prefix)
    }

    pub(crate) fn workers(&self) -> String {
        format!("{}workers", self.prefix)
    }

    /// What people told workers to do, by worker.
    pub(crate) fn worker_orders(&self) -> String {
        format!("{}worker_orders", self.prefix)
    }

    pub(crate) fn forwarders(&self) -> String {
        format!("{}forwarders", self.prefix)
    }

    pub(crate) fn worker(&self, id: &str) -> String {
        format!("{}worker:{id}", self.prefix)
    }

    /// The ticket of the newest claim of a worker that waits for a job of that queue.
    pub(crate) fn waiting(&self, queue: &QueueName, worker: &str) -> String {
        format!("{}waiting:{queue}:{worker}", self.prefix)
    }

    /// The hash that says how it stood in the minute of `at`.
    pub(crate) fn counts(&self, at: Timestamp) -> String {
        let ms = at.as_millis();
        format!("{}counts:{}", self.prefix, ms - ms.rem_euclid(MINUTE_MS))
    }

    /// The text that says how much was expected of the hour of `at` before it began.
    pub(crate) fn expected(&self, at: Timestamp) -> String {
        let ms = at.as_millis();
        format!("{}expected:{}", self.prefix, ms - ms.rem_euclid(HOUR_MS))
    }

    /// The hash that counts what happened in the hour of `at`.
    pub(crate) fn hour(&self, at: Timestamp) -> String {
        let ms = at.as_millis();
        format!("{}hour:{}", self.prefix, ms - ms.rem_euclid(HOUR_MS))
    }

    /// The hash that counts what happened in the minute of `at`.
    pub(crate) fn stats(&self, at: Timestamp) -> String {
        let ms = at.as_millis();
        format!("{}stats:{}", self.prefix, ms - ms.rem_euclid(MINUTE_MS))
    }
}
