//! Reads for the overview.

use leptos::prelude::*;
use reprieve::model::{Counts, CountsAt, Overview, QueueName, Timestamp};
use serde::{Deserialize, Serialize};

use crate::call::Get;
use crate::error::ApiError;
use crate::series::StatsSpan;

/// What is read minute by minute at most.
const DAY_MINUTES: u16 = 1_440;

/// The counts of every queue as they were so many minutes ago, two days at most; `None` where nobody wrote them down.
/// Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_counts_at", protocol = Get)]
pub async fn get_counts_at(minutes_back: u32) -> Result<Option<CountsAt>, ApiError> {
    super::answer::read(async {
        let inspector = crate::access::inspector().await?;
        let now = crate::access::now().await?;
        let at = now.as_millis().saturating_sub(i64::from(minutes_back.min(2_880)) * 60_000);
        Ok(inspector.counts_at(Timestamp::saturating_from_millis(at)).await?)
    })
    .await
}

/// Everything the overview shows but the charts. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_overview", protocol = Get)]
pub async fn get_overview() -> Result<Overview, ApiError> {
    super::answer::read(async { Ok(crate::access::inspector().await?.overview().await?) }).await
}

/// Counts, and since when they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountsRead {
    /// How many jobs are in each state.
    pub counts: Counts,
    /// When they were read, by Redis's clock.
    pub read_at: Timestamp,
}

/// How many jobs are in each state, in one queue or in all. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_counts", protocol = Get)]
pub async fn get_counts(#[server(default)] queue: Option<QueueName>) -> Result<CountsRead, ApiError> {
    super::answer::read(async {
        let inspector = crate::access::inspector_in(queue.as_ref())?;
        // Before they are read, as the stream does it.
        let read_at = crate::access::now().await?;
        Ok(CountsRead { counts: inspector.counts(queue.as_ref()).await?, read_at })
    })
    .await
}

/// What happened in the last minutes, joined `bundle` at a time, oldest first. More than a day (a week at most) is told
/// by the hour. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_stats", protocol = Get)]
pub async fn get_stats(
    #[server(default)] queue: Option<QueueName>,
    minutes: u16,
    bundle: u16,
) -> Result<Vec<StatsSpan>, ApiError> {
    super::answer::read(async {
        let inspector = crate::access::inspector_in(queue.as_ref())?;
        let now = crate::access::now().await?;
        if minutes > DAY_MINUTES {
            let hours = inspector.hourly_stats(queue.as_ref(), minutes.div_ceil(60)).await?;
            return Ok(crate::series::bundle(&hours, 60, usize::from(bundle.div_ceil(60)), now));
        }
        let stats = inspector.stats(queue.as_ref(), minutes).await?;
        Ok(crate::series::bundle(&stats, 1, bundle.into(), now))
    })
    .await
}

/// How many jobs are due in each of the coming spans; the first holds what is overdue, too. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_due_ahead", protocol = Get)]
pub async fn get_due_ahead(
    #[server(default)] queue: Option<QueueName>,
    bucket_seconds: u32,
    buckets: u16,
) -> Result<Vec<u64>, ApiError> {
    use reprieve::model::Delay;
    super::answer::read(async {
        let bucket = Delay::seconds(bucket_seconds.into());
        Ok(crate::access::inspector_in(queue.as_ref())?.due_ahead(queue.as_ref(), bucket, buckets).await?)
    })
    .await
}
