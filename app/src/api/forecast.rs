//! What fires when, and spreading a peak.

use leptos::prelude::*;
use reprieve::model::{BulkFilter, BulkRun, BulkVerb, Delay, JobState, QueueName, Shift, Timestamp};

use super::answer;
use crate::call::Post;
use crate::error::ApiError;
use crate::forecast::{Asked, Outlook};
use crate::{access, forecast, routes};

/// A part of the calendar with what is due in it. Needs `View`.
pub async fn get_forecast(asked: Asked) -> Result<Outlook, ApiError> {
    let inspector = access::caller()?.inspector_in(asked.queue.as_ref())?;
    forecast::outlook(&inspector, asked, access::now().await?).await
}

/// Freezes the jobs due from one instant until before another, to be spread over so many minutes: each comes later by its
/// part of them, the first not at all and none before its time. Nothing changes before the run is started. Needs `RunBulk` and
/// `RescheduleJobs`.
#[server(prefix = "/api/fn", endpoint = "spread_peak", protocol = Post)]
pub async fn spread_peak(
    from: Timestamp,
    to: Timestamp,
    minutes: u32,
    #[server(default)] queue: Option<QueueName>,
    #[server(default)] back: Option<String>,
) -> Result<BulkRun, ApiError> {
    let frozen = async {
        let (operator, queues) = access::caller()?.bulk_operator(BulkVerb::Reschedule)?;
        let span = Delay::minutes(i64::from(minutes.clamp(1, 527_040)));
        access::caller()?.allow_later(span)?;
        let mut filter = BulkFilter::default();
        filter.queue = queue;
        filter.states = vec![JobState::Delayed, JobState::Retrying];
        filter.due_from = Some(from);
        filter.due_before = Some(to);
        let run = operator
            .bulk(BulkVerb::Reschedule)
            .filter(filter)
            .only_in(queues)
            .shift(Shift::By(0))
            .spread(span);
        Ok(run.freeze().await?)
    }
    .await;
    // A plain form goes on to the page of the run, where it is looked at and started.
    let onward = frozen.as_ref().ok().map(|run: &BulkRun| routes::bulk_run(&run.id));
    answer::to(onward.or(back), |_| String::new(), async { frozen }).await
}
