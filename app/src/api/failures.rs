//! Dead jobs by their error.

use leptos::prelude::*;
use reprieve::model::{BulkRun, Failures, QueueName, Timestamp};

use crate::call::{Get, Post};
use crate::error::ApiError;

/// Dead jobs of one queue or of all, grouped by error. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_failures", protocol = Get)]
pub async fn get_failures(#[server(default)] queue: Option<QueueName>) -> Result<Failures, ApiError> {
    super::answer::read(async {
        Ok(crate::access::inspector_in(queue.as_ref())?.failures(queue.as_ref()).await?)
    })
    .await
}

/// Retries the latest 1,000 dead jobs of a group that were dead at `read_at`, `rate` a second at most, as a bulk run that
/// stops by itself when most of them fail again. From 26 jobs on, or where `looks` says so, it is frozen only, and waits for
/// somebody to start it. Needs `RunBulk` and `RetryJobs`.
#[server(prefix = "/api/fn", endpoint = "retry_failures", protocol = Post)]
pub async fn retry_failures(
    mask: String,
    #[server(default)] queue: Option<String>,
    read_at: Timestamp,
    rate: u32,
    #[server(default)] looks: Option<String>,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<BulkRun, ApiError> {
    use super::answer;
    use super::bulk::TYPED_FROM;
    use reprieve::model::{BulkState, BulkVerb, Permission};
    let answer = async move {
        let queue = named(queue)?;
        let (operator, queues) = match &queue {
            Some(queue) => {
                crate::access::operator_in(Permission::RetryJobs, queue)?;
                (crate::access::operator_in(Permission::RunBulk, queue)?, vec![queue.clone()])
            }
            None => crate::access::bulk_operator(BulkVerb::RetryNow)?,
        };
        let inspector = crate::access::inspector_in(queue.as_ref())?;
        let jobs = inspector.failed_alike(queue.as_ref(), &mask, read_at).await?;
        if jobs.is_empty() {
            return Err(ApiError::NotFound);
        }
        let why = answer::why(reason, note, ticket, incident)?;
        let run =
            operator.drip_dead().jobs(jobs).only_in(queues).rate(rate).because(why.clone()).freeze().await?;
        crate::access::allow_bulk(run.total)?;
        // What the page promised to look at first is: some of them may have left the group since.
        if looks.is_some_and(|looks| !looks.is_empty()) || run.total >= TYPED_FROM {
            return Ok(run);
        }
        let started = operator.start_bulk(&run.id, None, &why).await?;
        crate::run_ends::wait_for(&started);
        Ok(started)
    }
    .await;
    // Without script the way leads on to a run that is to be started, and back from one that goes.
    let (back, word) = match &answer {
        Ok(run) if run.state == BulkState::Frozen => (back.map(|_| crate::routes::bulk_run(&run.id)), ""),
        _ => (back, "retry_failures.started"),
    };
    let started = |run: &BulkRun| {
        let page = || crate::routes::bulk_run(&run.id);
        (run.state != BulkState::Frozen).then(|| crate::done::Done::made(page(), crate::t!("dead-run")))
    };
    answer::to_with(back, |_| word.to_owned(), started, async { answer }).await
}

/// Mutes a failure, in one queue or in all, for so many hours, 30 days at most: nobody is told of it. Needs `PauseQueues`.
#[server(prefix = "/api/fn", endpoint = "mute_failure", protocol = Post)]
pub async fn mute_failure(
    mask: String,
    #[server(default)] queue: Option<String>,
    hours: u16,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    use super::answer;
    answer::to(back, |_| "mute.muted".to_owned(), async move {
        let queue = named(queue)?;
        let operator = muter(queue.as_ref()).await?;
        let span = reprieve::model::Delay::hours(hours.into());
        Ok(operator.mute(&mask, queue.as_ref(), span, &answer::why(reason, note, ticket, incident)?).await?)
    })
    .await
}

/// Has a muted failure told again; `false` if it was not muted there. Needs `PauseQueues`.
#[server(prefix = "/api/fn", endpoint = "unmute_failure", protocol = Post)]
pub async fn unmute_failure(
    mask: String,
    #[server(default)] queue: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    let word = |&changed: &bool| if changed { "unmute.changed" } else { "unmute.same" }.to_owned();
    super::answer::to(back, word, async move {
        let queue = named(queue)?;
        Ok(muter(queue.as_ref()).await?.unmute(&mask, queue.as_ref(), "").await?)
    })
    .await
}

/// Whoever may mute failures there, or everywhere where there is no queue.
async fn muter(queue: Option<&QueueName>) -> Result<reprieve::Operator, ApiError> {
    use reprieve::model::Permission;
    match queue {
        Some(queue) => crate::access::operator_in(Permission::PauseQueues, queue),
        None => crate::access::operator(Permission::PauseQueues).await,
    }
}

/// The queue of a form; none where the field is empty.
fn named(queue: Option<String>) -> Result<Option<QueueName>, ApiError> {
    let queue = queue.filter(|name| !name.is_empty()).map(QueueName::new).transpose();
    queue.map_err(|wrong| ApiError::wrong("queue", crate::i18n::bad_name(&wrong)))
}
