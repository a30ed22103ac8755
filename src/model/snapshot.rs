//! How it stood: counts of every queue as of a minute.

use super::name::QueueName;
use super::queue::Counts;
use super::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The counts of every queue, as they were written down in a minute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CountsAt {
    /// The minute; they were read within it.
    pub at: Timestamp,
    /// By name; queues without a job are left out.
    pub queues: Vec<(QueueName, Counts)>,
    /// How many jobs were due within an hour from then, overdue ones included.
    pub due_within_hour: u64,
    /// How many queues there were where that is more than are written down in a minute: of those the first
    /// [`QUEUES_MAX`](Self::QUEUES_MAX) by name are here. `None` when all are; 0 for a reader who does not see
    /// all of them.
    #[serde(default)]
    pub queues_in_all: Option<u64>,
}

impl CountsAt {
    /// Queues that are written down in a minute at most, in each shard.
    pub const QUEUES_MAX: u64 = 200;

    /// A minute in which there were no jobs.
    #[must_use]
    pub const fn empty(at: Timestamp) -> Self {
        Self { at, queues: Vec::new(), due_within_hour: 0, queues_in_all: None }
    }

    /// Over all queues that are here.
    #[must_use]
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        for (_, counts) in &self.queues {
            total.add(counts);
        }
        total
    }

    /// Takes in the counts of a queue, or of the queue's part in another shard.
    pub fn add(&mut self, queue: QueueName, counts: &Counts, due_within_hour: u64) {
        self.due_within_hour = self.due_within_hour.saturating_add(due_within_hour);
        match self.queues.binary_search_by(|(name, _)| name.cmp(&queue)) {
            Ok(place) => self.queues[place].1.add(counts),
            Err(place) => self.queues.insert(place, (queue, *counts)),
        }
    }
}
