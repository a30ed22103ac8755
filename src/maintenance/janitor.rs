//! Removes ended jobs once their retention is over, and those beyond what a queue is to keep.

use super::duty::{self, Told};
use crate::error::Error;
use crate::store::{Store, Surplus};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Between rounds: nobody waits for a job to be gone.
const PERIOD: Duration = Duration::from_secs(5);
/// Jobs a call: about two milliseconds of Redis.
const BATCH: u32 = 100;

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let told = Mutex::new(Told::nothing());
    let clear_out = async |surplus: Option<&Surplus>| {
        let done = store.clear_out(BATCH, surplus).await?;
        told.lock().unwrap_or_else(PoisonError::into_inner).tell(done.damage.as_deref());
        Ok::<_, Error>(done.purged + done.further)
    };
    let round = || async {
        let mut count = clear_out(None).await?;
        if count < u64::from(BATCH) {
            for surplus in store.surplus().await? {
                count = count.max(clear_out(Some(&surplus)).await?);
            }
        }
        if count > 0 {
            tracing::debug!(count, "purged jobs past their retention");
        }
        Ok(count >= u64::from(BATCH))
    };
    duty::repeat(PERIOD, stop, round).await;
}
