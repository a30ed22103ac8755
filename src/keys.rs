//! Names of keys that Rust reads without a script. The rest stand in `lua/core/job.lua`.

use crate::model::{JobId, JobState, Namespace, QueueName, RunId, Shard, Subject, Timestamp};
use std::sync::Arc;

/// One minute, the span of a statistics hash, in ms.
pub(crate) const MINUTE_MS: i64 = 60_000;
/// An hour, in ms.
pub(crate) const HOUR_MS: i64 = 3_600_000;

/// When the span of that many ms began that `at` is in.
pub(crate) fn start_of(at: Timestamp, span_ms: i64) -> Timestamp {
    Timestamp::saturating_from_millis(at.as_millis() - at.as_millis().rem_euclid(span_ms))
}

/// When the latest of these spans began, oldest first; the last is the running one.
pub(crate) fn latest_starts(now: Timestamp, span_ms: i64, spans: u16) -> Vec<Timestamp> {
    let running = start_of(now, span_ms).as_millis();
    let before = (0..i64::from(spans)).rev();
    before.map(|spans| Timestamp::saturating_from_millis(running - spans * span_ms)).collect()
}

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

    fn key(&self, rest: &str) -> String {
        [&*self.prefix, rest].concat()
    }

    /// The hash of a bulk run, or with `part` another of its keys.
    pub(crate) fn bulk_run(&self, run: &RunId, part: &str) -> String {
        let colon = if part.is_empty() { "" } else { ":" };
        self.key(&format!("bulk:{run}{colon}{part}"))
    }

    /// The hash that says how it stood in the minute of `at`.
    pub(crate) fn counts(&self, at: Timestamp) -> String {
        self.key(&format!("counts:{}", start_of(at, MINUTE_MS).as_millis()))
    }

    /// The text that says how much was expected of the hour of `at` before it began.
    pub(crate) fn expected(&self, at: Timestamp) -> String {
        self.key(&format!("expected:{}", start_of(at, HOUR_MS).as_millis()))
    }

    /// The hash that counts what happened in the hour of `at`.
    pub(crate) fn hour(&self, at: Timestamp) -> String {
        self.key(&format!("hour:{}", start_of(at, HOUR_MS).as_millis()))
    }

    /// The hash that counts what happened in the minute of `at`.
    pub(crate) fn stats(&self, at: Timestamp) -> String {
        self.key(&format!("stats:{}", start_of(at, MINUTE_MS).as_millis()))
    }
}

/// A function for each key, from what stands behind the prefix.
macro_rules! keys {
    ($($(#[$note:meta])* $name:ident($($argument:ident: $type:ty),*) = $key:literal;)+) => {
        impl Keys {
            $(
                $(#[$note])*
                pub(crate) fn $name(&self, $($argument: $type),*) -> String {
                    self.key(&format!($key))
                }
            )+
        }
    };
}

keys! {
    job(id: &JobId) = "job:{id}";
    log(id: &JobId) = "log:{id}";
    receipts(subject: &Subject) = "receipts:{subject}";
    /// Subjects by the id of a job of which there is a receipt.
    receipt_subjects() = "receipt_subjects";
    bulk() = "bulk";
    bulk_running() = "bulk_running";
    bulk_waiting() = "bulk_waiting";
    wake(queue: &str) = "q:{queue}:wake";
    /// The token of the forwarder.
    due_wake() = "due:wake";
    /// The jobs of a queue in that state.
    set(queue: &QueueName, state: JobState) = "q:{queue}:{state}";
    /// What happened to a job.
    history(id: &JobId) = "history:{id}";
    cron() = "cron";
    cron_entry(name: &str) = "cron:{name}";
    cron_history(name: &str) = "cron:{name}:history";
    /// Saved views by owner and name.
    views() = "views";
    queues() = "queues";
    events() = "events";
    /// Who did what, when and why.
    audit() = "audit";
    meta() = "meta";
    /// Which parts of its source an importer has met, where the source names them.
    import_units(import: &str) = "import:{import}:units";
    /// Which Redis an importer's name is of.
    import_mark(import: &str) = "import:{import}:mark";
    /// Under which ids items of an importer go on whose own ids are taken.
    import_again(import: &str) = "import:{import}:again";
    /// Which records of an importer's journal are jobs, until its roll-back date.
    import_taken(import: &str) = "import:{import}:taken";
    /// What is known of each token, by name.
    tokens() = "tokens";
    /// When each token was last used, by name.
    tokens_used() = "tokens:used";
    /// What is kept of each person who may sign in, by name.
    people() = "people";
    /// The first answer to a request, under the hash of who asked for what by which key.
    answer(hash: &str) = "answer:{hash}";
    quarantine() = "quarantine";
    rules() = "rules";
    /// What people set for the namespace, by name.
    settings() = "settings";
    workers() = "workers";
    /// What people told workers to do, by worker.
    worker_orders() = "worker_orders";
    forwarders() = "forwarders";
    worker(id: &str) = "worker:{id}";
    /// The ticket of the newest claim of a worker that waits for a job of that queue.
    waiting(queue: &QueueName, worker: &str) = "waiting:{queue}:{worker}";
}
