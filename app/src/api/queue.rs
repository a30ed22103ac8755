//! What the page of a queue asks and does.

use leptos::prelude::*;
use reprieve::model::{
    BulkFilter, BulkVerb, Delay, Enqueued, JobId, JobState, Kind, Permission, QueueLimits, QueueName,
    QueueSummary, Rate, RunId, StateGroup,
};
use serde::{Deserialize, Serialize};

use super::answer::{self, Why};
use crate::call::Post;
use crate::done::Done;
use crate::error::ApiError;
use crate::i18n::bad_name;
use crate::{access, i18n, routes, t, when};

/// One queue at a glance; an empty one for a name that no job ever had. Needs `View`.
pub async fn get_queue(queue: QueueName) -> Result<QueueSummary, ApiError> {
    let inspector = access::caller()?.inspector_in(Some(&queue))?;
    let known = inspector.queues().await?.into_iter().find(|summary| summary.name == queue);
    Ok(known.unwrap_or_else(|| QueueSummary::empty(queue)))
}

/// Limits as the fields of a form: what is empty or 0 is without limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LimitFields {
    /// Most jobs active at once.
    pub concurrency: String,
    /// Most starts …
    pub rate: String,
    /// … in so many seconds, to the thousandth; 1 when it is empty.
    pub seconds: String,
    /// Most jobs of a concurrency key active at once.
    pub concurrency_per_key: String,
    /// Whether a retried job holds back the later ones of its concurrency key.
    pub ordered: bool,
}

impl LimitFields {
    /// What stands in the fields; empty for no limit.
    pub fn of(limits: QueueLimits) -> Self {
        let number = |limit: Option<u32>| limit.map(|limit| limit.to_string()).unwrap_or_default();
        Self {
            concurrency: number(limits.concurrency),
            rate: number(limits.rate.map(|rate| rate.jobs)),
            seconds: seconds(limits.rate.map_or(Delay::seconds(1), |rate| rate.per)),
            concurrency_per_key: number(limits.concurrency_per_key),
            ordered: limits.ordered,
        }
    }

    /// The limits that stand in the fields.
    ///
    /// # Errors
    /// [`ApiError::WrongField`] names the field that does not read.
    pub fn read(self) -> Result<QueueLimits, ApiError> {
        let number = |field: &str, text: &str| match text.trim() {
            "" | "0" => Ok(None),
            text => {
                let why = |_| ApiError::wrong(&format!("limits[{field}]"), i18n::not_a_number(text));
                text.parse::<u32>().map(Some).map_err(why)
            }
        };
        let per = match self.seconds.trim() {
            "" | "0" => Delay::seconds(1),
            text => read_seconds(text).ok_or_else(|| {
                ApiError::wrong("limits[seconds]", t!("queue-limit-seconds-wrong", text = text))
            })?,
        };
        Ok(QueueLimits {
            concurrency: number("concurrency", &self.concurrency)?,
            rate: number("rate", &self.rate)?.map(|jobs| Rate { jobs, per }),
            concurrency_per_key: number("concurrency_per_key", &self.concurrency_per_key)?,
            ordered: self.ordered,
        })
    }
}

/// A span as a number of seconds: `60`, `0.1`.
fn seconds(span: Delay) -> String {
    let ms = span.as_millis();
    match (ms / 1_000, ms % 1_000) {
        (whole, 0) => whole.to_string(),
        (whole, rest) => format!("{whole}.{}", format!("{rest:03}").trim_end_matches('0')),
    }
}

/// A number of seconds with at most three decimals; `None` when it is none.
fn read_seconds(text: &str) -> Option<Delay> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let is_number = (1..=9).contains(&whole.len()) && rest.len() <= 3;
    if !is_number || !whole.bytes().chain(rest.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let ms: i64 = format!("{whole}{rest:0<3}").parse().ok()?;
    Some(Delay::millis(ms))
}

/// Sets the limits of a queue over all processes, in place of those it had. Needs `LimitQueues`. `seen` are the limits
/// that were on screen, in JSON: nothing is changed when it has others by now. Empty for any.
#[server(prefix = "/api/fn", endpoint = "limit_queue", protocol = Post)]
pub async fn limit_queue(
    queue: QueueName,
    limits: LimitFields,
    #[server(default)] seen: String,
    #[server(flatten)] why: Why,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    let word = |&changed: &bool| if changed { "limit.changed" } else { "limit.same" }.to_owned();
    answer::to(back, word, async move {
        let operator = access::caller()?.operator_in(Permission::LimitQueues, &queue)?;
        let limits = limits.read()?;
        let why = why.said()?;
        match answer::seen(&seen)? {
            None => Ok(operator.limit(&queue, limits, &why).await?),
            Some(seen) => Ok(operator.limit_having_seen(&queue, limits, seen, &why).await?),
        }
    })
    .await
}

/// Looks up what emptying the ready or the dead list of a queue would do, and changes nothing: the run waits for
/// somebody to start it. Needs `RunBulk`, and `CancelJobs` for ready jobs or `PurgeJobs` for dead ones.
#[server(prefix = "/api/fn", endpoint = "empty_list", protocol = Post)]
pub async fn empty_list(
    queue: QueueName,
    group: StateGroup,
    #[server(flatten)] why: Why,
    #[server(default)] back: Option<String>,
) -> Result<RunId, ApiError> {
    let answer = async move {
        let (verb, state) = match group {
            StateGroup::Ready => (BulkVerb::Cancel, JobState::Ready),
            StateGroup::Dead => (BulkVerb::Purge, JobState::Dead),
            _ => {
                return Err(ApiError::Invalid {
                    why: "only the ready and the dead list can be emptied".to_owned(),
                });
            }
        };
        access::caller()?.operator_in(Permission::EmptyQueues, &queue)?;
        access::caller()?.operator_in(verb.permission(), &queue)?;
        let operator = access::caller()?.operator_in(Permission::RunBulk, &queue)?;
        let mut filter = BulkFilter::default();
        filter.queue = Some(queue);
        filter.states = vec![state];
        Ok(operator.bulk(verb).spare_started().filter(filter).because(why.said()?).freeze().await?.id)
    }
    .await;
    // Without script the way leads on to the run, not back.
    let back = match &answer {
        Ok(run) => back.map(|_| routes::bulk_run(run)),
        Err(_) => back,
    };
    answer::to(back, |_| String::new(), async { answer }).await
}

/// Enqueues one job by hand, under `new_id` where it is given: a repeat enqueues nothing. Needs `EnqueueJobs`.
#[server(prefix = "/api/fn", endpoint = "enqueue_job", protocol = Post)]
pub async fn enqueue_job(
    queue: QueueName,
    kind: String,
    #[server(default)] payload: String,
    preset: String,
    #[server(default)] new_id: Option<JobId>,
    #[server(default)] back: Option<String>,
) -> Result<Enqueued, ApiError> {
    let word = |enqueued: &Enqueued| match enqueued {
        Enqueued::Exists(_) => "enqueue.exists".to_owned(),
        _ => "duplicate.enqueued".to_owned(),
    };
    let made = |enqueued: &Enqueued| Some(Done::made(routes::job(enqueued.id()), t!("queue-test-open")));
    answer::to_with(back, word, made, async move {
        let operator = access::caller()?.operator_in(Permission::EnqueueJobs, &queue)?;
        let kind = Kind::new(kind.trim()).map_err(|bad| ApiError::wrong("kind", bad_name(&bad)))?;
        let mut job = reprieve::NewJob::new(kind, payload);
        job.id = new_id;
        job.queue = queue;
        job.due = when::due("preset", &preset)?;
        Ok(operator.enqueue(job).await?)
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_hold_what_is_set_and_give_it_back_as_it_was() {
        assert_eq!(LimitFields::of(QueueLimits::default()).seconds, "1");
        for (per, text) in [
            (Delay::millis(1), "0.001"),
            (Delay::millis(100), "0.1"),
            (Delay::millis(1_500), "1.5"),
            (Delay::seconds(60), "60"),
            (Delay::days(1), "86400"),
        ] {
            let rate = Some(Rate { jobs: 10, per });
            let limits =
                QueueLimits { concurrency: Some(4), rate, concurrency_per_key: Some(1), ordered: true };
            let fields = LimitFields::of(limits);
            assert_eq!((fields.concurrency.as_str(), fields.rate.as_str()), ("4", "10"));
            assert_eq!(fields.seconds, text);
            assert_eq!(fields.read(), Ok(limits));
        }
    }

    #[test]
    fn what_is_no_number_of_seconds_is_refused_at_its_field() {
        for text in ["0.0001", "-1", ".5", "1,5", "1e3", "much", "1234567890"] {
            let fields = LimitFields { seconds: text.to_owned(), ..LimitFields::default() };
            let refused = fields.read().unwrap_err();
            assert_eq!(refused.field(), Some("limits[seconds]"), "{text}");
        }
    }
}
