//! The fields that a filter can ask for.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The words that stand in front of a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Field {
    /// `state:dead`.
    State,
    /// `queue:mail`.
    Queue,
    /// `kind:notice`.
    Kind,
    /// `subject:resource/4711`.
    Subject,
    /// `tag:eu`.
    Tag,
    /// `due:<24h`.
    Due,
    /// `payload.amount:>10`.
    Payload,
    /// `error:refused`.
    Error,
    /// `id:a1`.
    Id,
    /// `created:<1d`: less than a day ago.
    Created,
    /// `running:>10m`: for more than ten minutes.
    Running,
    /// `ended:<24h`: less than a day ago.
    Ended,
    /// `attempt:>2`.
    Attempt,
    /// `worker:web-1`.
    Worker,
    /// `by:me`.
    By,
}

impl Field {
    /// Every field, those asked for most first.
    pub const ALL: [Self; 15] = [
        Self::State,
        Self::Queue,
        Self::Kind,
        Self::Subject,
        Self::Tag,
        Self::Due,
        Self::Payload,
        Self::Error,
        Self::Id,
        Self::Created,
        Self::Running,
        Self::Ended,
        Self::Attempt,
        Self::Worker,
        Self::By,
    ];

    /// The word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Queue => "queue",
            Self::Kind => "kind",
            Self::Subject => "subject",
            Self::Tag => "tag",
            Self::Due => "due",
            Self::Payload => "payload",
            Self::Error => "error",
            Self::Id => "id",
            Self::Created => "created",
            Self::Running => "running",
            Self::Ended => "ended",
            Self::Attempt => "attempt",
            Self::Worker => "worker",
            Self::By => "by",
        }
    }

    /// A term on it as one may write it.
    #[must_use]
    pub const fn example(self) -> &'static str {
        match self {
            Self::State => "state:dead",
            Self::Queue => "queue:mail",
            Self::Kind => "kind:delete*",
            Self::Subject => "subject:resource:4711",
            Self::Tag => "tag:eu",
            Self::Due => "due:<24h",
            Self::Payload => "payload.amount:>10",
            Self::Error => "error:\"timed out\"",
            Self::Id => "id:order-4711",
            Self::Created => "created:<1d",
            Self::Running => "running:>10m",
            Self::Ended => "ended:2026-08-12",
            Self::Attempt => "attempt:>2",
            Self::Worker => "worker:web-1*",
            Self::By => "by:me",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
