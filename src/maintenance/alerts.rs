//! Tells somebody when a queue is not well: an alert is a job, so that it arrives as jobs do, signed and retried.
//!
//! Every process looks. A unique key lets one job of each alert wait or run at a time, and one be made in an hour. No rule
//! is about their queue: else one that nobody receives would raise the next. What needs attention tells of them as of other
//! jobs.

use super::duty;
use crate::alert::alert_job;
use crate::error::Result;
use crate::inspector::Inspector;
use crate::store::Shards;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Between looks: an alert is about minutes.
const PERIOD: Duration = Duration::from_secs(15);
/// Who enqueues them, in histories.
const ACTOR: &str = "alerts";

pub(super) async fn run(inspector: Inspector, shards: Shards, stop: CancellationToken) {
    let round = || async {
        let jobs = inspector.alerts().await?.into_iter().map(|alert| alert_job(&alert, false));
        let jobs = jobs.map(|job| job.map(|job| job.with_id(shards.count()))).collect::<Result<Vec<_>>>()?;
        if !jobs.is_empty() {
            // Those that were told already are answered as duplicates.
            shards.enqueue(ACTOR, &jobs).await?;
        }
        Ok(false)
    };
    duty::repeat(PERIOD, stop, round).await;
}
