//! A claim that waits for a job, and whether its caller still listens.

use crate::model::QueueName;
use crate::store::Store;
use std::time::Duration;

/// After so long no further shard is asked when one has failed: several that do not answer must not add up.
pub(super) const TROUBLE_MAX: Duration = Duration::from_secs(1);

/// A claim that waits for a job.
#[derive(Debug)]
pub struct WaitingClaim {
    pub(super) store: Store,
    pub(super) worker: String,
    pub(super) queue: QueueName,
    /// What Redis has of it; `None` where Redis did not answer.
    pub(super) ticket: Option<u64>,
}

impl WaitingClaim {
    /// Whether no later claim of the same worker waits, or waited, for a job of the queue, in any process. A caller who
    /// claims again no longer listens for the answer to an older claim. True as well while Redis does not answer: what a
    /// lost claim was given is claimed again when its lease ends.
    pub async fn is_newest(&self) -> bool {
        let newest = tokio::time::timeout(TROUBLE_MAX, self.store.newest_waiting(&self.worker, &self.queue));
        match newest.await {
            Ok(Ok(newest)) => self.ticket.is_none() || newest == self.ticket,
            _ => true,
        }
    }
}
