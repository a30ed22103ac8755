//! What a verb achieved. An outcome is not an error: "too late" is an answer.

use super::job::JobRow;
use super::name::{JobId, QueueName};
use super::state::{JobState, Version};
use super::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Where a job stands after a verb was tried on it, changed or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Standing {
    /// The job.
    pub id: JobId,
    /// Its state now.
    pub state: JobState,
    /// Its version now.
    pub version: Version,
    /// Its due time now.
    #[serde(rename = "due_ms")]
    pub due: Timestamp,
    /// When its latest attempt began; `None` before the first.
    #[serde(rename = "started_ms")]
    pub started: Option<Timestamp>,
    /// When it ended; `None` while live.
    #[serde(rename = "ended_ms")]
    pub ended: Option<Timestamp>,
    /// Who has it, or had it last; `None` before the first attempt.
    pub worker: Option<String>,
    /// When this answer was made, by Redis's clock.
    #[serde(rename = "at_ms")]
    pub at: Timestamp,
    /// How many replicas had the change when this was answered; `None` unless writes are to be confirmed, and for
    /// jobs that were not changed by a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    /// When it was created, for the engine: with its id that tells it from any other job. `None` where that was not said.
    #[serde(skip)]
    pub(crate) created: Option<Timestamp>,
}

impl Standing {
    /// For the engine, which reads it from a script's reply, and for tests of screens.
    #[must_use]
    pub const fn new(id: JobId, state: JobState, version: Version, due: Timestamp, at: Timestamp) -> Self {
        let (started, ended, worker, replicas, created) = (None, None, None, None, None);
        Self { id, state, version, due, started, ended, worker, at, replicas, created }
    }
}

macro_rules! outcome {
    ($(#[$doc:meta])* $type:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "outcome")]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant(Standing),)+
        }

        impl $type {
            /// The word for it in the API and in logs.
            #[must_use]
            pub const fn word(&self) -> &'static str {
                match self { $(Self::$variant(_) => $word,)+ }
            }

            /// Where the job stands now.
            #[must_use]
            pub const fn standing(&self) -> &Standing {
                match self { $(Self::$variant(standing))|+ => standing }
            }

            /// The outcome that a script's word stands for; `None` for an unknown word.
            #[must_use]
            pub fn from_word(word: &str, standing: Standing) -> Option<Self> {
                match word { $($word => Some(Self::$variant(standing)),)+ _ => None }
            }
        }
    };
}

outcome! {
    /// Answer to `cancel`.
    Cancelled {
        /// Called off: no worker will ever start it.
        Now = "cancelled",
        /// It was running already: its worker is asked to stop. What it has done stays done.
        Requested = "requested",
        /// Too late, or not needed: it had ended before.
        AlreadyFinal = "already_finished",
    }
}

outcome! {
    /// Answer to `reinstate`, the undo of a cancel.
    Reinstated {
        /// It waits again, for its original due time.
        Delayed = "delayed",
        /// It is held again: somebody held it before it was called off, or its plan is held. It keeps its due time.
        Held = "held",
        /// Its due time has passed: ask the person whether to run it now, later or not at all. Nothing changed.
        Overdue = "overdue",
        /// It is not cancelled. Nothing changed.
        Refused = "wrong_state",
    }
}

outcome! {
    /// Answer to `retry_now`.
    RetriedNow {
        /// It is ready for the next free worker, with at least one attempt.
        Ready = "ready",
        /// It is ready, active or done. Nothing changed.
        Refused = "wrong_state",
    }
}

outcome! {
    /// Answer to `reschedule`.
    Rescheduled {
        /// It waits for the new time, still delayed.
        Delayed = "delayed",
        /// It keeps the new time, still held.
        Held = "held",
        /// Its next attempt is at the new time.
        Retrying = "retrying",
        /// It does not wait any more. Nothing changed.
        Refused = "wrong_state",
    }
}

outcome! {
    /// Answer to `hold`.
    HeldBack {
        /// It keeps its due time, but will not run until released.
        Held = "held",
        /// It is not delayed. Nothing changed.
        Refused = "wrong_state",
    }
}

outcome! {
    /// Answer to `unhold`.
    Released {
        /// It waits for its due time again.
        Delayed = "delayed",
        /// It is not held. Nothing changed.
        Refused = "wrong_state",
    }
}

outcome! {
    /// Answer to `purge` by a person.
    Purged {
        /// It is gone, with everything that belonged to it; this is how it stood last.
        Now = "purged",
        /// It has not ended. Nothing changed.
        Refused = "wrong_state",
    }
}

outcome! {
    /// Answer to `edit`.
    Edited {
        /// Delayed, with the new payload.
        Delayed = "delayed",
        /// Held, with the new payload.
        Held = "held",
        /// Retrying, with the new payload.
        Retrying = "retrying",
        /// Dead, with the new payload.
        Dead = "dead",
        /// It is ready, active, done or cancelled. Nothing changed.
        Refused = "wrong_state",
    }
}

/// Answer to `enqueue`, for one job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Enqueued {
    /// It waits for its due time.
    Delayed(Standing),
    /// It is ready at once: no due time was given, or it lies in the past.
    Ready(Standing),
    /// A waiting job of this id was replaced, as the caller asked.
    Replaced(Standing),
    /// A waiting job that holds the unique key was given this payload and due time; it keeps its own id.
    Debounced(Standing),
    /// A job of this id exists already; nothing changed.
    Exists(Standing),
    /// Another live job holds the unique key; nothing was enqueued.
    Duplicate {
        /// The job that was not enqueued.
        id: JobId,
        /// The job that holds the key.
        holder: JobId,
    },
    /// The subject has its limit of 1,000 live jobs; nothing was enqueued.
    SubjectFull {
        /// The job that was not enqueued.
        id: JobId,
    },
    /// A job of this id exists that cannot be replaced, since it has another subject and is in another shard; or it is where
    /// the caller may not look. Nothing changed, and nothing is told of it.
    IdConflict {
        /// The id that is taken.
        id: JobId,
    },
}

impl Enqueued {
    /// The word for it in the API and in logs.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Delayed(_) => "delayed",
            Self::Ready(_) => "ready",
            Self::Replaced(_) => "replaced",
            Self::Debounced(_) => "debounced",
            Self::Exists(_) => "exists",
            Self::Duplicate { .. } => "duplicate",
            Self::SubjectFull { .. } => "subject_full",
            Self::IdConflict { .. } => "id_conflict",
        }
    }

    /// The id the caller asked for or was given.
    #[must_use]
    pub const fn id(&self) -> &JobId {
        match self {
            Self::Delayed(s) | Self::Ready(s) | Self::Replaced(s) | Self::Debounced(s) | Self::Exists(s) => {
                &s.id
            }
            Self::Duplicate { id, .. } | Self::SubjectFull { id } | Self::IdConflict { id } => id,
        }
    }

    /// Where the job of that id stands; `None` when there is none.
    #[must_use]
    pub const fn standing(&self) -> Option<&Standing> {
        match self {
            Self::Delayed(s) | Self::Ready(s) | Self::Replaced(s) | Self::Debounced(s) | Self::Exists(s) => {
                Some(s)
            }
            Self::Duplicate { .. } | Self::SubjectFull { .. } | Self::IdConflict { .. } => None,
        }
    }
}

/// What `cancel_subject` did to one job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SubjectJob {
    /// Its queue.
    pub queue: QueueName,
    /// The answer for this job.
    #[serde(flatten)]
    pub cancelled: Cancelled,
}

/// Answer to `cancel_subject`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SubjectCancelled {
    /// Every live job of the subject was cancelled or asked to stop in one step.
    Cancelled {
        /// One answer a job, by due time; empty when nothing was live.
        jobs: Vec<SubjectJob>,
    },
    /// More live jobs than one step may touch (1,000). Nothing changed.
    TooMany {
        /// How many are live.
        live: u64,
    },
}

words! {
    /// What a verb on several jobs came to.
    pub enum JobsWord or "not an outcome of a verb on jobs; outcomes are " {
        /// It was done to those that it is about.
        Done = "done",
        /// The time of some would have passed, and the caller wanted to be asked. Nothing changed.
        Past = "past",
        /// Some have changed since they were seen. Nothing changed.
        Conflict = "conflict",
    }
}

/// Where several jobs of a subject stand after a verb was tried on them, in one step.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobsAnswer {
    /// What was done.
    pub outcome: JobsWord,
    /// When this answer was made, by Redis's clock.
    pub at: Timestamp,
    /// One answer a job that is there; for [`JobsWord::Past`] only those whose time would have passed, for
    /// [`JobsWord::Conflict`] none.
    pub jobs: Vec<JobAnswer>,
}

/// What a verb on several jobs did to one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobAnswer {
    /// Its queue.
    pub queue: QueueName,
    /// What became of it: `cancelled`, `requested`, `already_finished`, `delayed`, `held`, `retrying`, `ready`, `past` (left as
    /// it is, for its time has passed), `stays` (the verb is not about it), `duplicate` or `subject_full` (it cannot be put
    /// back).
    pub outcome: String,
    /// Where it stands.
    pub standing: Standing,
}

/// All jobs of a subject: those still to come and those that ended and are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SubjectJobs {
    /// Live and ended jobs by due time, at most 1,000 of each.
    pub jobs: Vec<JobRow>,
    /// When this was read, by Redis's clock.
    pub read_at: Timestamp,
}
