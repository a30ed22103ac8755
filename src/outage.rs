//! What is wrong with Redis while it cannot be used.

use std::time::SystemTime;

/// Since when Redis does not work, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outage {
    /// By this machine's clock.
    pub since: SystemTime,
    /// What sort of trouble.
    pub kind: OutageKind,
    /// What Redis or the network said.
    pub error: String,
}

/// What sort of trouble Redis has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutageKind {
    /// No answer: nothing can be shown or done; due jobs run late.
    Unreachable,
    /// It refuses our user or password, a right that a call needs, or has no such command.
    Denied,
    /// It takes no writes: things can be shown, not done.
    ReadOnly,
    /// It is at its memory limit: nothing new is taken in; cancels and acknowledgements work.
    Full,
    /// It loads its data, runs something long, moves what is asked for, or has no connection left for us.
    Busy,
}

impl OutageKind {
    /// Whether it may end without anybody who does something about it: Redis is started again, or another server takes over.
    pub(crate) const fn may_pass(self) -> bool {
        matches!(self, Self::Unreachable | Self::ReadOnly | Self::Busy)
    }
}
