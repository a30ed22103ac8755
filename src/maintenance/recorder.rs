//! Writes down how it stands in each minute, and adds up what happened in each hour.

use super::duty;
use crate::store::Store;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Between looks at the clock: a minute is written down within this much of its beginning.
const PERIOD: Duration = Duration::from_secs(10);

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let summed = AtomicI64::new(0);
    let round = || async {
        // An hour ends with a minute: only then there may be something to add up.
        if store.record().await? {
            let done = store.sum_hours(summed.load(Ordering::Relaxed)).await?;
            summed.store(done, Ordering::Relaxed);
        }
        Ok(false)
    };
    duty::repeat(PERIOD, stop, round).await;
}
