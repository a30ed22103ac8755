//! Batches, read and changed.

use super::{Inspector, Operator};
use crate::acts::BatchActs;
use crate::error::Result;
use crate::model::{BatchAnswer, BatchId, JobBatch};
use crate::new_batch::NewBatch;
use crate::store::BrokenOff;
use std::cmp::Reverse;

/// Jobs of each sort that the page of a batch names.
const JOBS_NAMED_MAX: u32 = 100;
/// Batches that one read tells of.
const BATCHES_READ_MAX: u32 = 200;

impl Inspector {
    /// A batch with what became of its jobs; `None` when there is none.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable); [`Error::Codec`](crate::Error::Codec) when it does not read.
    pub async fn batch(&self, id: &BatchId) -> Result<Option<JobBatch>> {
        let found = self.shards().each(|store| store.batches(Some(id), 1, JOBS_NAMED_MAX)).await?;
        Ok(found.into_iter().find_map(|mut batches| batches.pop()))
    }

    /// The latest batches, newest first, at most 200, without the ids of their jobs.
    ///
    /// # Errors
    /// As [`batch`](Self::batch).
    pub async fn batches(&self, most: u32) -> Result<Vec<JobBatch>> {
        let most = most.min(BATCHES_READ_MAX);
        let found = self.shards().each(|store| store.batches(None, most, 0)).await?;
        let mut batches: Vec<JobBatch> = found.into_iter().flatten().collect();
        batches.sort_by_key(|batch| Reverse(batch.created));
        batches.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        Ok(batches)
    }
}

impl Operator {
    /// Makes a batch in this person's name.
    ///
    /// # Errors
    /// As [`Client::make_batch`](crate::Client::make_batch).
    pub async fn make_batch(&self, batch: &NewBatch) -> Result<BatchAnswer> {
        Ok(self.make_batch_in_part(batch).await?)
    }

    /// The same, for a caller that tells how far it came.
    ///
    /// # Errors
    /// As [`Client::make_batch_in_part`](crate::Client::make_batch_in_part).
    pub async fn make_batch_in_part(&self, batch: &NewBatch) -> Result<BatchAnswer, BrokenOff> {
        crate::acts::make(self.shards(), self.actor(), batch).await
    }

    /// Acts on a batch: `operator.batch(&id).because("wrong file").cancel().await`.
    pub fn batch(&self, id: &BatchId) -> BatchActs {
        BatchActs::new(self.shards().clone(), id.clone(), self.actor().to_owned())
    }
}
