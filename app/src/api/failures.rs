//! Dead jobs by their error.

use leptos::prelude::*;
use reprieve::model::{
    BulkFilter, BulkRun, BulkState, BulkVerb, Delay, DiedOf, Failures, JobState, Permission, QueueName,
    Timestamp,
};

use super::answer::{self, Why};
use super::bulk::{LOOKS, TYPED_FROM};
use crate::call::Post;
use crate::done::Done;
use crate::error::ApiError;
use crate::{access, routes, run_ends, t};

/// Dead jobs of one queue or of all, grouped by error. Needs `View`.
pub async fn get_failures(queue: Option<QueueName>) -> Result<Failures, ApiError> {
    Ok(access::caller()?.inspector_in(queue.as_ref())?.failures(queue.as_ref()).await?)
}

/// Retries the dead jobs of a group that were dead at `read_at`, `rate` a second at most, as a bulk run that stops by itself
/// when most of them fail again. From 26 jobs on, or where `looks` says so, it is frozen only, and waits for somebody to
/// start it; its page goes on looking for them where that takes longer than one answer. Needs `RunBulk` and `RetryJobs`.
#[server(prefix = "/api/fn", endpoint = "retry_failures", protocol = Post)]
pub async fn retry_failures(
    mask: String,
    #[server(default)] queue: String,
    read_at: Timestamp,
    rate: u32,
    #[server(default)] looks: Option<String>,
    #[server(flatten)] why: Why,
    #[server(default)] back: Option<String>,
) -> Result<BulkRun, ApiError> {
    let answer = async move {
        let queue = answer::queue(&queue)?;
        let (operator, queues) = match &queue {
            Some(queue) => {
                access::caller()?.operator_in(Permission::RetryJobs, queue)?;
                (access::caller()?.operator_in(Permission::RunBulk, queue)?, vec![queue.clone()])
            }
            None => access::caller()?.bulk_operator(BulkVerb::RetryNow)?,
        };
        let why = why.said()?;
        let mut filter = BulkFilter::default();
        filter.states = vec![JobState::Dead];
        filter.queue = queue;
        filter.died_of = Some(DiedOf { mask, until: read_at });
        let drip = operator.drip_dead().filter(filter).only_in(queues).within(LOOKS);
        let run = drip.rate(rate).because(why.clone()).freeze().await?;
        // What the page promised to look at first is: some of them may have left the group since.
        let looks = looks.is_some_and(|looks| !looks.is_empty()) || run.total >= TYPED_FROM;
        if looks || run.state == BulkState::Collecting {
            return Ok(run);
        }
        if run.total == 0 {
            return Err(ApiError::NotFound);
        }
        access::caller()?.allow_bulk(run.total)?;
        let started = operator.start_bulk(&run.id, None, &why).await?;
        run_ends::wait_for(&started);
        Ok(started)
    }
    .await;
    // Without script the way leads on to a run that is to be started, and back from one that goes.
    let waits = |run: &BulkRun| matches!(run.state, BulkState::Collecting | BulkState::Frozen);
    let (back, word) = match &answer {
        Ok(run) if waits(run) => (back.map(|_| routes::bulk_run(&run.id)), ""),
        _ => (back, "retry_failures.started"),
    };
    let started = |run: &BulkRun| {
        let page = || routes::bulk_run(&run.id);
        (!waits(run)).then(|| Done::made(page(), t!("dead-run")))
    };
    answer::to_with(back, |_| word.to_owned(), started, async { answer }).await
}

/// Mutes a failure, in one queue or in all, for so many hours, 30 days at most: nobody is told of it. Needs `PauseQueues`.
#[server(prefix = "/api/fn", endpoint = "mute_failure", protocol = Post)]
pub async fn mute_failure(
    mask: String,
    #[server(default)] queue: String,
    hours: u16,
    #[server(flatten)] why: Why,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    answer::to(back, |_| "mute.muted".to_owned(), async move {
        let queue = answer::queue(&queue)?;
        let operator = muter(queue.as_ref()).await?;
        let span = Delay::hours(hours.into());
        Ok(operator.mute(&mask, queue.as_ref(), span, &why.said()?).await?)
    })
    .await
}

/// Has a muted failure told again; `false` if it was not muted there. Needs `PauseQueues`.
#[server(prefix = "/api/fn", endpoint = "unmute_failure", protocol = Post)]
pub async fn unmute_failure(
    mask: String,
    #[server(default)] queue: String,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    let word = |&changed: &bool| if changed { "unmute.changed" } else { "unmute.same" }.to_owned();
    answer::to(back, word, async move {
        let queue = answer::queue(&queue)?;
        Ok(muter(queue.as_ref()).await?.unmute(&mask, queue.as_ref(), "").await?)
    })
    .await
}

/// Acting for a person who may mute failures there, or everywhere where there is no queue.
async fn muter(queue: Option<&QueueName>) -> Result<reprieve::Operator, ApiError> {
    let caller = access::caller()?;
    Ok(match queue {
        Some(queue) => caller.operator_in(Permission::PauseQueues, queue)?,
        None => caller.operator(Permission::PauseQueues)?,
    })
}
