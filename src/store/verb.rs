//! What a function of the library is made of.

use std::sync::OnceLock;

/// One Lua file that Redis runs as one step.
pub(crate) struct Verb {
    /// Its name, that of its file.
    pub(super) name: &'static str,
    /// Its file below `lua/`, without `.lua`.
    pub(super) file: &'static str,
    pub(super) flags: Flags,
    pub(super) text: &'static str,
    /// What Redis knows it by, once the library has said it.
    pub(super) function: OnceLock<String>,
}

/// What Redis is told of a function before it runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flags {
    /// Refused as a whole, before its first write, when Redis is full.
    Grows,
    /// Runs on a full Redis too, or it could never be emptied and nothing could be called off, or nobody could come in to do that.
    Drains,
    /// Only reads.
    Reads,
}
