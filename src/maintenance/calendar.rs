//! Keeps the openings of delivery windows ahead of the clock.

use super::duty;
use crate::store::{REFRESH, Store};
use tokio_util::sync::CancellationToken;

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let round = || async {
        let count = store.refresh_windows().await?;
        if count > 0 {
            tracing::debug!(count, "worked out the next openings of {count} delivery windows");
        }
        Ok(false)
    };
    duty::repeat(REFRESH.as_duration(), stop, round).await;
}
