//! Calls that callers of one process make at the same time and that go to Redis together.

mod calls;
mod together;

use crate::error::{Error, Result};
use crate::model::{Cancelled, JobId, Shard};
use crate::store::{Intent, Shards};
use calls::{CallOff, Intake};
use std::sync::Arc;
use together::Gather;

/// What the callers of one process ask together.
#[derive(Debug, Clone)]
pub(crate) struct Gathers {
    /// One for each shard, so that nobody hears of another shard than that of its job, or waits for it.
    intake: Arc<[Gather<Intake>]>,
    /// One for each shard.
    call_off: Arc<[Gather<CallOff>]>,
}

impl Gathers {
    pub(crate) fn new(shards: &Shards) -> Self {
        let home = shards.first().connections().home();
        let call_off =
            shards.all().iter().map(|store| Gather::new(CallOff(store.clone()), home.clone())).collect();
        let intake = shards.all().iter().map(|_| Gather::new(Intake(shards.clone()), home.clone())).collect();
        Self { intake, call_off }
    }

    /// Those who have jobs taken in whose home that shard is.
    pub(crate) fn intake(&self, shard: Shard) -> &Gather<Intake> {
        self.intake.get(shard.index()).unwrap_or(&self.intake[0])
    }

    /// Calls a job of that shard off.
    pub(crate) async fn cancel(&self, shard: Shard, id: JobId, intent: Intent) -> Result<Cancelled> {
        match self.call_off.get(shard.index()) {
            Some(gather) => gather.send((id, intent)).await,
            None => Err(Error::NotFound { id }),
        }
    }
}
