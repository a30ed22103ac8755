//! Tells somebody when a queue is not well: an alert is a job, so that it arrives as jobs do, signed and retried.
//!
//! Every process looks. A unique key lets one job of each alert wait or run at a time, and one be made in an hour. These
//! count neither as dead nor as unserved, nor is it counted how late they begin: else one that nobody receives would raise
//! the next. What needs attention tells of them as of other jobs.

use super::duty;
use crate::client::NewJob;
use crate::error::Result;
use crate::identity::UniqueMode;
use crate::inspector::Inspector;
use crate::model::{Alert, Delay, Kind, UniqueKey};
use crate::store::Shards;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Between looks: an alert is about minutes.
const PERIOD: Duration = Duration::from_secs(15);
/// How long nothing more is said about the same queue and rule.
const SILENCE: Delay = Delay::hours(1);
/// How long an alert that nobody receives keeps others of its queue and rule from being made: as good as for ever.
const ALONE: Delay = Delay::days(30);
/// The kind of the jobs that tell; a webhook or a handler for it receives them. `lua/lib/stats.lua` knows it too.
pub(crate) const ALERT_KIND: &str = "reprieve_alert";
/// Who enqueues them, in histories.
const ACTOR: &str = "alerts";

pub(super) async fn run(inspector: Inspector, shards: Shards, stop: CancellationToken) {
    let round = || async {
        let jobs = inspector.alerts().await?.into_iter().map(|alert| alert_job(&alert, false));
        let jobs = jobs.map(|job| job.map(NewJob::with_id)).collect::<Result<Vec<_>>>()?;
        if !jobs.is_empty() {
            // Those that were told already are answered as duplicates.
            shards.enqueue(ACTOR, &jobs).await?;
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
        job.alone = Some(ALONE);
    }
    Ok(job)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AlertKind, Enqueued, QueueName};
    use crate::testing::TestRedis;

    #[tokio::test]
    async fn one_alert_of_a_rule_waits_however_long_nobody_receives_it() {
        let redis = TestRedis::namespace().await;
        let alert = Alert { what: AlertKind::Unserved, queue: QueueName::default(), now: 2, over: 0 };
        let tell = async || {
            let job = alert_job(&alert, false).unwrap().with_id();
            redis.store().enqueue(ACTOR, &[job]).await.unwrap().remove(0)
        };
        let an_hour_later = async || {
            let window = format!("{}throttle:alert:unserved:default:0", redis.prefix());
            redis.command(&["DEL", &window]).await.unwrap()
        };
        let Enqueued::Ready(first) = tell().await else { panic!("the first is enqueued") };
        assert!(matches!(tell().await, Enqueued::Duplicate { .. }), "an hour of silence");
        an_hour_later().await;

        let second = tell().await;

        assert!(matches!(second, Enqueued::Duplicate { .. }), "{second:?}");
        redis.engine().client().cancel(&first.id).await.unwrap();
        assert!(matches!(tell().await, Enqueued::Ready(_)), "the first is out of the way");
    }
}
