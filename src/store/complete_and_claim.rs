//! Complete and claim: ends jobs and claims the next ones in one call.

use super::work::{Head, ReleaseWord, claimed_jobs, head};
use super::{ClaimedJob, Store, script, word};
use crate::error::Result;
use crate::model::{Delay, JobId, QueueName, Token};

/// What it brought.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CompletedAndClaimed {
    /// One word for each job to end, in order.
    pub words: Vec<ReleaseWord>,
    /// What was claimed.
    pub jobs: Vec<ClaimedJob>,
    /// After how long a rate limit allows the next job, when one stands in the way.
    pub wait: Option<Delay>,
}

impl Store {
    /// Ends jobs well, then claims ready ones, `most` in all and so many from each queue: see `lua/functions/jobs/complete_and_claim.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): jobs may have been ended and claimed. Repeat what was to be
    /// ended with [`complete`](Self::complete), which gets the first answer; the leases of the claimed ones run out.
    pub async fn complete_and_claim(
        &self,
        worker: &str,
        lease: Delay,
        ended: &[(JobId, Token)],
        most: u32,
        queues: &[(QueueName, u32)],
    ) -> Result<CompletedAndClaimed> {
        let mut call = self.call(&script::COMPLETE_AND_CLAIM);
        call.arg(worker).arg(lease.as_millis()).arg(most).arg(ended.len());
        for (id, token) in ended {
            call.arg(id.as_str()).arg(token.0);
        }
        for (queue, most) in queues {
            call.arg(queue.as_str()).arg(most);
        }
        let mut reply = self.grow(&call).await?;
        let Head { lease_until, wait, .. } = head(&mut reply)?;
        let words = ended.iter().map(|_| word(&reply.text()?)).collect::<Result<_>>()?;
        Ok(CompletedAndClaimed { words, jobs: claimed_jobs(self.shard(), reply, lease_until), wait })
    }
}
