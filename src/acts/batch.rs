//! Making a batch, and what is done to it.

use crate::error::{Error, Result};
use crate::model::{BatchAnswer, BatchId, BatchWord, JobId};
use crate::new_batch::{BatchClose, NewBatch, check_members};
use crate::new_job::NewJob;
use crate::store::{BrokenOff, ENQUEUE_BATCH_MAX, Intent, Shards};

/// Makes a batch; in several steps when it has many jobs, each of which can be repeated.
///
/// # Errors
/// As [`Client::make_batch_in_part`](crate::Client::make_batch_in_part).
pub(crate) async fn make(shards: &Shards, actor: &str, batch: &NewBatch) -> Result<BatchAnswer, BrokenOff> {
    batch.check()?;
    let mut jobs = Vec::with_capacity(batch.jobs.len());
    for (index, job) in batch.jobs.iter().enumerate() {
        let mut job = job.clone();
        if job.id.is_none() {
            job.id = Some(JobId::new(format!("{}/{}", batch.id, index + 1)).map_err(Error::from)?);
        }
        jobs.push(job.with_id(1));
    }
    let (first, rest) = jobs.split_at(jobs.len().min(ENQUEUE_BATCH_MAX));
    let close = if rest.is_empty() { batch.close } else { BatchClose::Later };
    let mut made = shards.batch_make(actor, batch, first, close).await?;
    if rest.is_empty() {
        return Ok(made);
    }
    // Whole already: what did not get in then does not now.
    if made.closed.is_some() {
        for step in rest.chunks(ENQUEUE_BATCH_MAX) {
            match shards.batch_make(actor, batch, step, close).await {
                Ok(mut again) => made.jobs.append(&mut again.jobs),
                Err(error) => return Err(BrokenOff { error, told: made.jobs }),
            }
        }
        return Ok(made);
    }
    let mut told = made.jobs;
    match add_all(shards, actor, &batch.id, rest, batch.close).await {
        Ok(mut whole) => {
            if whole.outcome == BatchWord::Added {
                whole.outcome = made.outcome;
            }
            told.append(&mut whole.jobs);
            whole.jobs = told;
            Ok(whole)
        }
        Err(mut broken) => {
            told.append(&mut broken.told);
            broken.told = told;
            Err(broken)
        }
    }
}

async fn add_all(
    shards: &Shards,
    actor: &str,
    id: &BatchId,
    jobs: &[(JobId, NewJob)],
    close: BatchClose,
) -> Result<BatchAnswer, BrokenOff> {
    let mut told = Vec::with_capacity(jobs.len());
    let mut steps = jobs.chunks(ENQUEUE_BATCH_MAX).peekable();
    loop {
        let step = steps.next().unwrap_or_default();
        let is_last = steps.peek().is_none();
        let step_close = if is_last { close } else { BatchClose::Later };
        let mut answer = match shards.batch_add(actor, id, step, step_close).await {
            Ok(answer) => answer,
            Err(error) => return Err(BrokenOff { error, told }),
        };
        told.append(&mut answer.jobs);
        if is_last || answer.outcome == BatchWord::Refused {
            answer.jobs = told;
            return Ok(answer);
        }
    }
}

/// The verbs on one batch, for a service or a person.
#[derive(Debug, Clone)]
#[must_use = "nothing happens before one of its verbs is called"]
pub struct BatchActs {
    shards: Shards,
    id: BatchId,
    intent: Intent,
}

impl BatchActs {
    pub(crate) fn new(shards: Shards, id: BatchId, actor: String) -> Self {
        Self { shards, id, intent: Intent::of(actor) }
    }

    super::intended!();

    /// Adds jobs, in steps of at most 100. With ids of your own a repeat counts none twice.
    ///
    /// # Errors
    /// [`Error::NoBatch`]; [`Error::Invalid`] and [`Error::PayloadTooLarge`]: nothing was added.
    /// [`Error::Unavailable`]: earlier steps may have been added; repeat it.
    pub async fn add(&self, jobs: Vec<NewJob>, close: BatchClose) -> Result<BatchAnswer> {
        Ok(self.add_in_part(jobs, close).await?)
    }

    /// The same, for a caller that tells how far it came.
    ///
    /// # Errors
    /// Those of [`add`](Self::add), each with what became of the jobs of earlier steps.
    pub async fn add_in_part(&self, jobs: Vec<NewJob>, close: BatchClose) -> Result<BatchAnswer, BrokenOff> {
        check_members(&jobs)?;
        // They are in the shard of the batch, whatever their subjects: no id names another.
        let jobs: Vec<_> = jobs.into_iter().map(|job| job.with_id(1)).collect();
        add_all(&self.shards, &self.intent.actor, &self.id, &jobs, close).await
    }

    /// Closes it: it ends with the last of its jobs.
    ///
    /// # Errors
    /// [`Error::NoBatch`].
    pub async fn close(&self) -> Result<BatchAnswer> {
        super::check(&self.intent)?;
        self.shards.batch_end(&self.id, &self.intent, false).await
    }

    /// Closes it and calls off what is live in it, in steps; a running job is asked to stop.
    ///
    /// # Errors
    /// [`Error::NoBatch`]; [`Error::Unavailable`]: some may be called off; repeat it.
    pub async fn cancel(&self) -> Result<BatchAnswer> {
        super::check(&self.intent)?;
        self.shards.batch_end(&self.id, &self.intent, true).await
    }
}
