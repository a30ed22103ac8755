//! The jobs that tell of alerts.

use crate::error::Result;
use crate::identity::UniqueMode;
use crate::model::{Alert, Delay, Kind, QueueName, UniqueKey};
use crate::new_job::NewJob;

/// How long nothing more is said about the same queue and rule.
const SILENCE: Delay = Delay::hours(1);
/// How long an alert that nobody receives keeps others of its queue and rule from being made: as good as for ever.
const ALONE: Delay = Delay::days(30);
/// The kind of the jobs that tell; a webhook or a handler for it receives them.
const ALERT_KIND: &str = "reprieve_alert";
/// Their queue: who receives them takes no job of others, and what becomes of them raises no alert.
pub(crate) const ALERT_QUEUE: &str = "reprieve_alerts";

/// The job that tells of an alert.
pub(crate) fn alert_job(alert: &Alert, test: bool) -> Result<NewJob> {
    let mut value = serde_json::to_value(alert).unwrap_or_default();
    if let Some(members) = value.as_object_mut() {
        members.insert("test".to_owned(), test.into());
    }
    let mut job = NewJob::new(Kind::new(ALERT_KIND)?, value.to_string());
    job.queue = QueueName::new(ALERT_QUEUE)?;
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
    use crate::model::{AlertKind, Enqueued};
    use crate::testing::TestRedis;

    #[tokio::test]
    async fn one_alert_of_a_rule_waits_however_long_nobody_receives_it() {
        let redis = TestRedis::namespace().await;
        let alert = Alert { what: AlertKind::Unserved, queue: QueueName::default(), now: 2, over: 0 };
        let tell = async || {
            let job = alert_job(&alert, false).unwrap().with_id(1);
            redis.store().enqueue("alerts", &[job]).await.unwrap().remove(0)
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
