//! Tells somebody when a queue is not well: an alert is a job, so that it arrives as jobs do, signed and retried.
//!
//! Every process looks. A unique key lets one job of each alert wait or run at a time, and for an hour.

use super::duty;
use crate::client::NewJob;
use crate::error::Result;
use crate::identity::UniqueMode;
use crate::inspector::Inspector;
use crate::model::{Alert, Delay, Kind, UniqueKey};
use crate::store::Cells;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Between looks: an alert is about minutes.
const PERIOD: Duration = Duration::from_secs(15);
/// How long nothing more is said about the same queue and rule.
const SILENCE: Delay = Delay::hours(1);
/// The kind of the jobs that tell; a webhook or a handler for it receives them.
const ALERT_KIND: &str = "reprieve_alert";
/// Who enqueues them, in histories.
const ACTOR: &str = "alerts";

pub(super) async fn run(inspector: Inspector, cells: Cells, stop: CancellationToken) {
    let round = || async {
        let jobs = inspector.alerts().await?.into_iter().map(|alert| alert_job(&alert, false));
        let jobs = jobs.map(|job| job.map(NewJob::with_id)).collect::<Result<Vec<_>>>()?;
        if !jobs.is_empty() {
            // Those that were told already are answered as duplicates.
            cells.enqueue(ACTOR, &jobs).await?;
        }
        Ok(false)
    };
    duty::repeat(PERIOD, stop, round).await;
}

/// The job that tells of an alert.
pub(crate) fn alert_job(alert: &Alert, test: bool) -> Result<NewJob> {
    let mut value = serde_json::to_value(alert).unwrap_or_default();
    if let Some(members) = value.as_object_mut() {
        members.insert("test".to_owned(), test.into());
    }
    let mut job = NewJob::new(Kind::new(ALERT_KIND)?, value.to_string());
    if !test {
        let key = format!("alert:{}:{}:{}", alert.what.as_str(), alert.queue, alert.over);
        job.unique = Some((UniqueKey::new(key)?, SILENCE));
        job.unique_mode = UniqueMode::Throttle;
    }
    Ok(job)
}
