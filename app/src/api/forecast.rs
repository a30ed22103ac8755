//! What fires when, and spreading a peak.

use leptos::prelude::*;
use reprieve::model::{BulkRun, QueueName, Subject, Timestamp};

use crate::call::{Get, Post};
use crate::error::ApiError;
use crate::forecast::{Outlook, View};

/// A part of the calendar with what is due in it. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_forecast", protocol = Get)]
pub async fn get_forecast(
    view: View,
    #[server(default)] date: String,
    #[server(default)] zone: String,
    #[server(default)] queue: Option<QueueName>,
    #[server(default)] subject: Option<Subject>,
) -> Result<Outlook, ApiError> {
    super::answer::read(async {
        let inspector = crate::access::inspector_in(queue.as_ref())?;
        let asked = crate::forecast::Asked { view, date, zone, queue, subject };
        crate::forecast::outlook(&inspector, asked, crate::access::now().await?).await
    })
    .await
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
    use reprieve::model::{BulkFilter, BulkVerb, Delay, JobState, Shift};
    let frozen = async {
        let (operator, queues) = crate::access::bulk_operator(BulkVerb::Reschedule)?;
        let span = Delay::minutes(i64::from(minutes.clamp(1, 527_040)));
        crate::access::allow_later(span)?;
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
    let onward = frozen.as_ref().ok().map(|run: &BulkRun| format!("{}/{}", crate::routes::BULK, run.id));
    super::answer::to(onward.or(back), |_| String::new(), async { frozen }).await
}
