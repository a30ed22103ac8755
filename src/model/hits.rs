//! What a typed word leads to.

use super::job::JobRow;
use super::name::{CronName, Kind, QueueName, Subject};
use serde::{Deserialize, Serialize};

/// Everything a typed word is the name of, each sort with a limit of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hits {
    /// The job with that id.
    pub job: Option<JobRow>,
    /// The subject of that name with its first jobs by due time; `None` when it has no jobs.
    pub subject: Option<(Subject, Vec<JobRow>)>,
    /// Queues whose name holds the word, by name.
    pub queues: Vec<QueueName>,
    /// Kinds whose name holds the word, among those that rules, schedules or the looked-at jobs name.
    pub kinds: Vec<Kind>,
    /// Schedules whose name holds the word, by name.
    pub schedules: Vec<CronName>,
    /// Other subjects whose name holds the word, among the looked-at jobs, by name.
    pub subjects: Vec<Subject>,
    /// There are more names of some sort than are listed.
    pub more: bool,
}

impl Hits {
    /// Whether the word leads nowhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.job.is_none()
            && self.subject.is_none()
            && self.queues.is_empty()
            && self.kinds.is_empty()
            && self.schedules.is_empty()
            && self.subjects.is_empty()
    }
}
