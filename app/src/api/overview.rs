//! Reads for the overview.

use reprieve::model::{Counts, CountsAt, Delay, Overview, QueueName, Timestamp};

use crate::error::ApiError;
use crate::series::StatsSpan;
use crate::{access, series};

/// What is read minute by minute at most.
const DAY_MINUTES: u16 = 1_440;

/// The counts of every queue as they were so many minutes ago, two days at most; `None` where nobody wrote them down.
/// Needs `View`.
pub async fn get_counts_at(minutes_back: u32) -> Result<Option<CountsAt>, ApiError> {
    let inspector = access::caller()?.inspector_of_seen()?;
    let now = access::now().await?;
    let at = now.as_millis().saturating_sub(i64::from(minutes_back.min(2_880)) * 60_000);
    Ok(inspector.counts_at(Timestamp::saturating_from_millis(at)).await?)
}

/// Everything the overview shows but the charts. Needs `View`.
pub async fn get_overview() -> Result<Overview, ApiError> {
    Ok(access::caller()?.inspector_of_seen()?.overview().await?)
}

/// How many jobs are in each state, in one queue or in all. Needs `View`.
pub async fn get_counts(queue: Option<QueueName>) -> Result<Counts, ApiError> {
    Ok(access::caller()?.inspector_in(queue.as_ref())?.counts(queue.as_ref()).await?)
}

/// What happened in the last minutes, joined `bundle` at a time, oldest first. More than a day (a week at most) is told
/// by the hour. Needs `View`.
pub async fn get_stats(
    queue: Option<QueueName>,
    minutes: u16,
    bundle: u16,
) -> Result<Vec<StatsSpan>, ApiError> {
    let inspector = access::caller()?.inspector_in(queue.as_ref())?;
    let now = access::now().await?;
    if minutes > DAY_MINUTES {
        let hours = inspector.hourly_stats(queue.as_ref(), minutes.div_ceil(60)).await?;
        return Ok(series::bundle(&hours, 60, usize::from(bundle.div_ceil(60)), now));
    }
    let stats = inspector.stats(queue.as_ref(), minutes).await?;
    Ok(series::bundle(&stats, 1, bundle.into(), now))
}

/// How many jobs are due in each of the coming spans; the first holds what is overdue, too. Needs `View`.
pub async fn get_due_ahead(
    queue: Option<QueueName>,
    bucket_seconds: u32,
    buckets: u16,
) -> Result<Vec<u64>, ApiError> {
    let bucket = Delay::seconds(bucket_seconds.into());
    Ok(access::caller()?.inspector_in(queue.as_ref())?.due_ahead(queue.as_ref(), bucket, buckets).await?)
}
