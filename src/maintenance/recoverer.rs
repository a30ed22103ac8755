//! Takes back jobs whose worker died or lost touch.

use super::duty;
use crate::model::Delay;
use crate::store::Store;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Between scans: with a lease of 12 s a dead worker's job runs again within 20 s.
const PERIOD: Duration = Duration::from_secs(2);
/// Jobs a call: about a millisecond of Redis.
const BATCH: u32 = 100;
/// Wait before the next attempt: whatever killed the worker may still be going on.
const WAIT: Delay = Delay::seconds(1);
/// A job that killed three workers would kill the fourth.
const STALLS_MAX: u32 = 3;

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let round = || async {
        let count = store.recover(BATCH, WAIT, STALLS_MAX).await?;
        if count > 0 {
            tracing::warn!(count, "took back {count} jobs whose worker lost its lease");
        }
        Ok(count >= u64::from(BATCH))
    };
    duty::repeat(PERIOD, stop, round).await;
}
