//! Where a job was handed to, when consumers outside do the work.

use super::state::Token;
use super::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

words! {
    /// What takes the due jobs of a sink.
    #[non_exhaustive]
    pub enum SinkKind {
        /// An entry of a Redis stream, read by a consumer group.
        Stream = "stream",
        /// An item of a Redis list, taken with `BRPOP`.
        List = "list",
        /// A pending task of asynq, for workers in Go.
        Asynq = "asynq",
    }
}

impl FromStr for SinkKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Stream, Self::List, Self::Asynq]
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| format!("{text:?} is not a sink; there are stream, list and asynq"))
    }
}

/// Where a sink hands its jobs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SinkInfo {
    /// The sink, by its name in the configuration.
    pub sink: String,
    /// What kind of sink.
    pub kind: SinkKind,
    /// The key of the stream or list; with asynq the name of its queue.
    pub place: String,
    /// The consumer group; only streams have one.
    pub group: Option<String>,
    /// When the first job was published that is there still; `None` without any.
    pub oldest: Option<Timestamp>,
}

impl SinkInfo {
    /// A sink with nothing out.
    #[must_use]
    pub fn new(
        sink: impl Into<String>,
        kind: SinkKind,
        place: impl Into<String>,
        group: Option<String>,
    ) -> Self {
        Self { sink: sink.into(), kind, place: place.into(), group, oldest: None }
    }
}

/// Where the latest attempt of a job was handed to, and who took it there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Publication {
    /// The sink, by its name in the configuration.
    pub sink: String,
    /// What kind of sink.
    pub kind: SinkKind,
    /// The key of the stream or list; with asynq the name of its queue.
    pub place: String,
    /// The consumer group; only streams have one.
    pub group: Option<String>,
    /// The entry there: a stream's id, asynq's task id; for a list the id of the job.
    pub entry: String,
    /// Proves the attempt when its end is reported.
    pub token: Token,
    /// When it was published.
    pub at: Timestamp,
    /// Who took it, as far as the place tells; `None` while nobody has, or when it ended before it was seen taken.
    pub taken_by: Option<String>,
    /// Since when they have it, as seen from here; `None` like [`taken_by`](Self::taken_by).
    pub taken: Option<Timestamp>,
}
