//! What the page of a queue asks and does.

use leptos::prelude::*;
use reprieve::model::{JobId, QueueName, QueueSummary, RunId, StateGroup};
use serde::{Deserialize, Serialize};

use crate::call::{Get, Post};
use crate::error::ApiError;

/// One queue at a glance; an empty one for a name that no job ever had. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_queue", protocol = Get)]
pub async fn get_queue(queue: QueueName) -> Result<QueueSummary, ApiError> {
    super::answer::read(async {
        let queues = crate::access::inspector_in(Some(&queue))?.queues().await?;
        let known = queues.into_iter().find(|summary| summary.name == queue);
        Ok(known.unwrap_or_else(|| QueueSummary::empty(queue)))
    })
    .await
}

/// Limits as the fields of a form: what is empty or 0 is without limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LimitFields {
    /// Most jobs active at once.
    pub concurrency: String,
    /// Most starts …
    pub rate: String,
    /// … in so many seconds.
    pub seconds: String,
    /// Most jobs of a lane active at once.
    pub lane: String,
    /// Whether a retried job holds back the later ones of its lane.
    pub ordered: bool,
}

/// Sets the limits of a queue over all processes, in place of those it had. `false` when it
/// has them already. Needs `LimitQueues`.
#[server(prefix = "/api/fn", endpoint = "limit_queue", protocol = Post)]
pub async fn limit_queue(
    queue: QueueName,
    limits: LimitFields,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    use super::answer;
    use crate::i18n::not_a_number;
    use reprieve::model::{Delay, QueueLimits, Rate};
    let word = |&changed: &bool| if changed { "limit.changed" } else { "limit.same" }.to_owned();
    answer::to(back, word, async move {
        let operator = crate::access::operator_in(reprieve::model::Permission::LimitQueues, &queue)?;
        let LimitFields { concurrency, rate, seconds, lane, ordered } = limits;
        let number = |field: &str, text: String| match text.trim() {
            "" | "0" => Ok(None),
            text => {
                let why = |_| ApiError::wrong(&format!("limits[{field}]"), not_a_number(text));
                text.parse::<u32>().map(Some).map_err(why)
            }
        };
        let per = Delay::seconds(number("seconds", seconds)?.unwrap_or(1).into());
        let limits = QueueLimits {
            concurrency: number("concurrency", concurrency)?,
            rate: number("rate", rate)?.map(|jobs| Rate { jobs, per }),
            lane: number("lane", lane)?,
            ordered,
        };
        Ok(operator.limit(&queue, limits, &answer::why(reason, note, ticket, incident)?).await?)
    })
    .await
}

/// Looks up what emptying the ready or the dead list of a queue would do, and changes nothing: the run waits for
/// somebody to start it. Needs `RunBulk`, and `CancelJobs` for ready jobs or `PurgeJobs` for dead ones.
#[server(prefix = "/api/fn", endpoint = "empty_list", protocol = Post)]
pub async fn empty_list(
    queue: QueueName,
    group: StateGroup,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<RunId, ApiError> {
    use super::answer;
    use reprieve::model::{BulkFilter, BulkVerb, JobState, Permission};
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
        crate::access::operator_in(Permission::EmptyQueues, &queue)?;
        crate::access::operator_in(verb.permission(), &queue)?;
        let operator = crate::access::operator_in(Permission::RunBulk, &queue)?;
        let mut filter = BulkFilter::default();
        filter.queue = Some(queue);
        filter.states = vec![state];
        Ok(operator
            .bulk(verb)
            .spare_started()
            .filter(filter)
            .because(answer::why(reason, note, ticket, incident)?)
            .freeze()
            .await?
            .id)
    }
    .await;
    // Without script the way leads on to the run, not back.
    let back = match &answer {
        Ok(run) => back.map(|_| format!("{}/{run}", crate::routes::BULK)),
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
) -> Result<JobId, ApiError> {
    use super::{answer, when};
    use crate::i18n::{bad_name, not_a_time};
    answer::to(back, |_| "duplicate.enqueued".to_owned(), async move {
        let (client, actor) = crate::access::client_in(reprieve::model::Permission::EnqueueJobs, &queue)?;
        let kind =
            reprieve::model::Kind::new(kind.trim()).map_err(|bad| ApiError::wrong("kind", bad_name(&bad)))?;
        let why = || ApiError::wrong("preset", not_a_time());
        let mut job = reprieve::NewJob::new(kind, payload);
        job.id = new_id;
        job.queue = queue;
        job.by = Some(actor);
        job.due = match when::parse(&preset).ok_or_else(why)? {
            when::When::At(at) => reprieve::Due::At(at),
            when::When::In(delay) => reprieve::Due::In(delay),
        };
        let enqueued = client.enqueue_batch(vec![job]).await?.pop().ok_or(ApiError::NotFound)?;
        Ok(enqueued.id().clone())
    })
    .await
}
