//! Where a job was handed to, when consumers outside do the work.

use super::job::Token;
use super::time::Timestamp;
use super::worker::WorkerInfo;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// In which form due jobs are handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Way {
    /// An entry of a Redis stream, read by a consumer group.
    Stream,
    /// An item of a Redis list, taken with `BRPOP`.
    List,
    /// A pending task of asynq, for workers in Go.
    Asynq,
}

impl Way {
    /// The word for it in configuration, storage and on screen.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::List => "list",
            Self::Asynq => "asynq",
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Way {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Stream, Self::List, Self::Asynq]
            .into_iter()
            .find(|way| way.as_str() == text)
            .ok_or_else(|| format!("{text:?} is no sink; there are stream, list and asynq"))
    }
}

/// Where a sink hands its jobs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandsOn {
    /// The sink, by its name in the configuration.
    pub sink: String,
    /// In which form.
    pub way: Way,
    /// The key of the stream or list; with asynq the name of its queue.
    pub place: String,
    /// The consumer group; only streams have one.
    pub group: Option<String>,
    /// When the first job was handed out that is there still; `None` without any.
    pub oldest: Option<Timestamp>,
}

impl HandsOn {
    /// A sink with nothing out.
    #[must_use]
    pub fn new(sink: impl Into<String>, way: Way, place: impl Into<String>, group: Option<String>) -> Self {
        Self { sink: sink.into(), way, place: place.into(), group, oldest: None }
    }
}

/// How the jobs of a queue are run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunMode {
    /// By handlers in the worker's own process.
    Handlers,
    /// They are posted to that scheme, host and port.
    Posted(String),
    /// They are handed on to consumers outside, who have so many of them now.
    HandedOn(HandsOn, u64),
    /// By programs that claim them by calls of their own, such as over HTTP.
    Claimed,
}

impl RunMode {
    /// How these workers run what they take; of several processes with the same sink one is named.
    #[must_use]
    pub fn of<'a>(workers: impl IntoIterator<Item = &'a WorkerInfo>) -> Vec<Self> {
        let mut modes: Vec<Self> = Vec::new();
        for worker in workers {
            let own = match &worker.hands_on {
                _ if worker.claims => vec![Self::Claimed],
                Some(handed) => vec![Self::HandedOn(handed.clone(), worker.busy)],
                None if worker.posts_to.is_empty() => vec![Self::Handlers],
                None => worker.posts_to.iter().cloned().map(Self::Posted).collect(),
            };
            for mode in own {
                match modes.iter_mut().find(|known| known.is_like(&mode)) {
                    Some(known) => known.join(mode),
                    None => modes.push(mode),
                }
            }
        }
        modes
    }

    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::HandedOn(this, _), Self::HandedOn(that, _)) => {
                (&this.sink, &this.place) == (&that.sink, &that.place)
            }
            _ => self == other,
        }
    }

    /// Each process saw what is out at its last look, which was not of the same moment.
    fn join(&mut self, other: Self) {
        if let (Self::HandedOn(this, count), Self::HandedOn(that, others)) = (self, other) {
            *count = others.max(*count);
            this.oldest = this.oldest.into_iter().chain(that.oldest).min();
        }
    }
}

/// Where the latest attempt of a job was handed to, and who took it there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Publication {
    /// The sink, by its name in the configuration.
    pub sink: String,
    /// In which form.
    pub way: Way,
    /// The key of the stream or list; with asynq the name of its queue.
    pub place: String,
    /// The consumer group; only streams have one.
    pub group: Option<String>,
    /// The entry there: a stream's id, asynq's task id; for a list the id of the job.
    pub entry: String,
    /// Proves the attempt when its end is reported.
    pub token: Token,
    /// When it was handed out.
    pub at: Timestamp,
    /// Who took it, as far as the place tells; `None` while nobody has, or when it ended before it was seen taken.
    pub taken_by: Option<String>,
    /// Since when they have it, as seen from here; `None` like [`taken_by`](Self::taken_by).
    pub taken: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_run_in_as_many_ways_as_its_workers_have() {
        let worker = |busy: u64, posts_to: &[&str], oldest: Option<i64>| {
            let mut info = WorkerInfo::new("w", "h", 1, Timestamp::saturating_from_millis(0));
            info.busy = busy;
            info.posts_to = posts_to.iter().map(|&place| place.to_owned()).collect();
            info.hands_on = oldest.map(|ms| HandsOn {
                oldest: Timestamp::from_millis(ms),
                ..HandsOn::new("o", Way::List, "l", None)
            });
            info
        };
        let fleet = [
            worker(1, &[], None),
            worker(2, &[], None),
            worker(0, &["https://a", "https://b"], None),
            worker(0, &["https://a"], None),
            worker(7, &[], Some(20)),
            worker(9, &[], Some(10)),
        ];

        let modes = RunMode::of(&fleet);

        let on = HandsOn { oldest: Timestamp::from_millis(10), ..HandsOn::new("o", Way::List, "l", None) };
        let posted = |place: &str| RunMode::Posted(place.to_owned());
        let all = [RunMode::Handlers, posted("https://a"), posted("https://b"), RunMode::HandedOn(on, 9)];
        assert_eq!(modes, all);
    }
}
