//! Where items lie at a source, and a script about them.

use redis::Script;

/// A part of a source that lies in one slot: a set, a topic, a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// Its name for people and in records.
    pub(super) label: String,
    /// What its keys have in common; what that means is up to the format.
    pub(super) base: String,
    /// Prefix of its journal, in the same slot.
    pub(super) journal: String,
}

impl Unit {
    /// The key that says which pause at the source was made ours: since when it is paused there.
    pub(super) fn paused(&self) -> String {
        format!("{}paused", self.journal)
    }

    /// The place whose key is the base and its name.
    pub(super) fn place(
        &self,
        name: &'static str,
        shape: &'static str,
        stays: &'static str,
        waits: bool,
    ) -> Place {
        Place { name, key: format!("{}{name}", self.base), shape, stays, waits }
    }
}

/// A key of a unit that holds items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Its name, in the source's words.
    pub(super) name: &'static str,
    /// Its key.
    pub(super) key: String,
    /// `zset`, `list` or `set`.
    pub(super) shape: &'static str,
    /// Why its items stay; empty when they are taken.
    pub(super) stays: &'static str,
    /// Whether its scores are the times items wait for.
    pub(super) waits: bool,
}

/// Why items stay that are taken only if `asked` for; see [`Place::stays`].
pub(super) const fn unless(asked: bool, why: &'static str) -> &'static str {
    if asked { "" } else { why }
}

/// Why failed jobs stay that are taken only if `asked` for.
pub(super) const fn unless_failed(asked: bool) -> &'static str {
    unless(asked, "they have ended; ask for failed jobs to take them as dead jobs")
}

/// A script with its keys and what comes before the arguments of the caller.
pub(super) struct Call {
    pub(super) script: &'static Script,
    pub(super) keys: Vec<String>,
    pub(super) arguments: Vec<String>,
}

impl Call {
    pub(super) fn new(script: &'static Script, keys: Vec<String>) -> Self {
        Self { script, keys, arguments: Vec::new() }
    }

    pub(super) fn invocation(&self) -> redis::ScriptInvocation<'_> {
        let mut invocation = self.script.prepare_invoke();
        for key in &self.keys {
            invocation.key(key);
        }
        for argument in &self.arguments {
            invocation.arg(argument);
        }
        invocation
    }
}
