//! Takes back jobs whose worker died or lost touch.

use super::duty::{self, Told};
use crate::model::Delay;
use crate::store::Store;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Between scans: with a lease of 12 s and the wait below, a dead worker's job runs again within 15 s.
const PERIOD: Duration = Duration::from_secs(2);
/// Jobs a call: about a millisecond of Redis.
const BATCH: u32 = 100;
/// Wait before the next attempt: whatever killed the worker may still be going on.
const WAIT: Delay = Delay::seconds(1);
/// A job that killed three workers would kill the fourth.
const STALLS_MAX: u32 = 3;

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let told = Mutex::new(Told::nothing());
    let round = || async {
        let (count, damage) = store.take_back(BATCH, WAIT, STALLS_MAX).await?;
        told.lock().unwrap_or_else(PoisonError::into_inner).tell(damage.as_deref());
        if count > 0 {
            tracing::warn!(count, "took back {count} jobs whose worker lost its lease");
        }
        Ok(count >= u64::from(BATCH))
    };
    duty::repeat(PERIOD, stop, round).await;
}
