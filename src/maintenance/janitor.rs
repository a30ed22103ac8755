//! Removes ended jobs once their retention is over.

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
        let count = store.purge(BATCH).await?;
        if count > 0 {
            tracing::debug!(count, "purged {count} jobs past their retention");
        }
        Ok(count >= u64::from(BATCH))
    };
    duty::repeat(PERIOD, stop, round).await;
}
