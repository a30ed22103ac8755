//! Batches: jobs that are counted together, and one job that runs when all of them have ended.

use crate::error::{Error, Result};
use crate::identity::UniqueMode;
use crate::model::{BatchId, BatchRule, JobId, Kind, Unmet};
use crate::new_job::NewJob;

/// The header under which the job that completes a batch is told its id.
const HEADER: &str = "batch";

/// A batch to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewBatch {
    /// Chosen by the caller so that a repeat is recognised.
    pub id: BatchId,
    /// What sort of batch it is, such as `import`; for people.
    pub name: Option<Kind>,
    /// The job that runs when all have ended, and not before its own due time. Its id is `<batch>/completion`; its
    /// handler finds the batch's id in the header `batch`.
    pub completion: NewJob,
    /// Which end of its jobs it asks for.
    pub rule: BatchRule,
    /// What becomes of the completion when the rule is [`BatchRule::Done`] and some were not.
    pub unmet: Unmet,
    /// Its jobs. One without an id is `<batch>/<its number>`, counted from 1.
    pub jobs: Vec<NewJob>,
    /// Whether jobs can be added later; it does not end while it is open.
    pub close: BatchClose,
}

/// Whether a batch is closed behind the jobs of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BatchClose {
    /// Nothing more can be added, so that it ends with the last of its jobs.
    #[default]
    Now,
    /// More jobs are to come.
    Later,
}

impl BatchClose {
    pub(crate) const fn argument(self) -> &'static str {
        match self {
            Self::Now => "close",
            Self::Later => "",
        }
    }
}

impl NewBatch {
    /// A batch without jobs. When all have ended, however, this job runs.
    #[must_use]
    pub fn new(id: BatchId, mut completion: NewJob) -> Self {
        completion.headers.insert(HEADER.to_owned(), id.to_string());
        Self {
            id,
            name: None,
            completion,
            rule: BatchRule::Ended,
            unmet: Unmet::Hold,
            jobs: Vec::new(),
            close: BatchClose::Now,
        }
    }

    /// With these jobs.
    #[must_use]
    pub fn jobs(mut self, jobs: impl IntoIterator<Item = NewJob>) -> Self {
        self.jobs.extend(jobs);
        self
    }

    /// Its completion runs only if all were done; otherwise that becomes of it.
    #[must_use]
    pub const fn only_if_done(mut self, otherwise: Unmet) -> Self {
        (self.rule, self.unmet) = (BatchRule::Done, otherwise);
        self
    }

    /// Jobs can be added until it is closed.
    #[must_use]
    pub const fn open(mut self) -> Self {
        self.close = BatchClose::Later;
        self
    }

    /// Checks the limits that types do not carry.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the field, or what [`NewJob::check`] says of a job.
    pub fn check(&self) -> Result<()> {
        self.completion.check()?;
        if self.completion.id.is_some() || self.completion.unique.is_some() || self.completion.replace {
            return Err(Error::invalid(
                "completion",
                "has the id `<batch>/completion`, and no unique key or `replace`",
            ));
        }
        check_members(&self.jobs)
    }

    /// The id of the job that completes it.
    ///
    /// # Errors
    /// Never: the two fit into an id.
    pub(crate) fn completion_id(&self) -> Result<JobId> {
        Ok(JobId::new(format!("{}/completion", self.id))?)
    }
}

/// A job of a batch is its own: nothing else may be counted in its place.
pub(crate) fn check_members(jobs: &[NewJob]) -> Result<()> {
    for job in jobs {
        job.check()?;
        if job.replace || job.unique_mode != UniqueMode::WhileLive {
            return Err(Error::invalid(
                "jobs",
                "of a batch neither replace others nor throttle nor debounce",
            ));
        }
    }
    Ok(())
}
