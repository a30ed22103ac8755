//! Removes ended jobs once their retention is over, and those beyond what a queue is to keep.

use super::duty;
use crate::store::Store;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Between rounds: nobody waits for a job to be gone.
const PERIOD: Duration = Duration::from_secs(5);
/// Jobs a call: about two milliseconds of Redis.
const BATCH: u32 = 100;

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let round = || async {
        let mut count = store.purge(BATCH).await?;
        if count < u64::from(BATCH) {
            for surplus in store.surplus().await? {
                count = count.max(store.purge_surplus(&surplus, BATCH).await?);
            }
        }
        if count > 0 {
            tracing::debug!(count, "purged jobs past their retention");
        }
        Ok(count >= u64::from(BATCH))
    };
    duty::repeat(PERIOD, stop, round).await;
}
