//! What callers ask together: jobs to be taken in, jobs to be called off.

use super::together::Together;
use crate::error::Result;
use crate::model::{Cancelled, Enqueued, JobId};
use crate::new_job::{CLIENT, NewJob};
use crate::store::{ENQUEUE_BATCH_MAX, Intent, Shards, Store};

/// Jobs called off by one call: to call one off costs as much as taking two or three in.
const CANCEL_BATCH_MAX: usize = 50;

/// Taking jobs of one shard in. All shards are there to look for ids in that callers chose.
#[derive(Debug, Clone)]
pub(crate) struct Intake(pub(crate) Shards);

impl Together for Intake {
    type Asked = (JobId, NewJob);
    type Answer = Enqueued;
    const BATCH_MAX: usize = ENQUEUE_BATCH_MAX;

    /// The script says of an id that it meets again that it exists.
    fn collide(_: &Self::Asked, _: &Self::Asked) -> bool {
        false
    }

    async fn all(&self, asked: &[Self::Asked]) -> Result<Vec<Result<Enqueued>>> {
        if self.0.count() == 1 {
            return Ok(self.0.enqueue(CLIENT, asked).await?.into_iter().map(Ok).collect());
        }
        self.0.enqueue_each(CLIENT, asked).await
    }
}

/// Calling jobs of one shard off.
#[derive(Debug, Clone)]
pub(crate) struct CallOff(pub(crate) Store);

impl Together for CallOff {
    type Asked = (JobId, Intent);
    type Answer = Cancelled;
    const BATCH_MAX: usize = CANCEL_BATCH_MAX;

    /// The second must see what the first has done.
    fn collide(one: &Self::Asked, other: &Self::Asked) -> bool {
        one.0 == other.0
    }

    async fn all(&self, asked: &[Self::Asked]) -> Result<Vec<Result<Cancelled>>> {
        self.0.cancel_each(asked).await
    }
}
