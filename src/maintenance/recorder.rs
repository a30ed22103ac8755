//! Writes down how it stands in each minute, and adds up what happened in each hour.

use super::duty;
use crate::store::Store;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Between looks at the clock: a minute is written down within this much of its beginning.
const PERIOD: Duration = Duration::from_secs(10);

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let round = || async {
        // An hour ends with a minute: only then there may be something to add up.
        if store.record().await? { store.sum_an_hour().await } else { Ok(false) }
    };
    duty::repeat(PERIOD, stop, round).await;
}
