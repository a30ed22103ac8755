//! Names of keys that Rust reads without a script. The rest stand in `lua/lib/job.lua`.

use crate::model::{JobId, Namespace, Timestamp};

/// One minute, the span of a statistics hash, in ms.
pub(crate) const MINUTE_MS: i64 = 60_000;

/// The keys of one namespace. All carry its hash tag, so that they share a slot.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    prefix: String,
}

impl Keys {
    pub(crate) fn new(namespace: &Namespace) -> Self {
        Self { prefix: format!("reprieve:{{{namespace}}}:") }
    }

    /// `reprieve:{<namespace>}:`, the one declared key of every script.
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
        format!("{}job:{id}:log", self.prefix)
    }

    pub(crate) fn wake(&self, queue: &str) -> String {
        format!("{}q:{queue}:wake", self.prefix)
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

    pub(crate) fn queues(&self) -> String {
        format!("{}queues", self.prefix)
    }

    pub(crate) fn events(&self) -> String {
        format!("{}events", self.prefix)
    }

    pub(crate) fn meta(&self) -> String {
        format!("{}meta", self.prefix)
    }

    pub(crate) fn workers(&self) -> String {
        format!("{}workers", self.prefix)
    }

    pub(crate) fn worker(&self, id: &str) -> String {
        format!("{}worker:{id}", self.prefix)
    }

    /// The hash that counts what happened in the minute of `at`.
    pub(crate) fn stats(&self, at: Timestamp) -> String {
        let ms = at.as_millis();
        format!("{}stats:{}", self.prefix, ms - ms.rem_euclid(MINUTE_MS))
    }
}
