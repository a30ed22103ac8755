//! Reports how attempts ended, again and again until Redis has answered.

use super::{Held, Shared};
use crate::error::Result;
use crate::model::{Delay, JobId, QueueName, Token};
use crate::store::{FailWord, ReleaseWord, SnoozeWord};
use std::future::Future;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How long a report is repeated while Redis is away. Its lease is over by then, but as long as nobody has taken
/// the job back the report still counts.
const TIMEOUT: Duration = Duration::from_secs(300);
/// The same once the worker is out of its grace period: a service manager kills it after 30 s.
const TIMEOUT_AT_THE_END: Duration = Duration::from_secs(2);
/// First and longest wait between repeats.
const REPEAT_DELAY_MIN: Duration = Duration::from_millis(100);
const REPEAT_DELAY_MAX: Duration = Duration::from_secs(2);

/// How an attempt ended.
#[derive(Debug)]
pub(super) enum Verdict {
    Done,
    /// `wait` is `None` for an error that no retry mends.
    Failed {
        error: String,
        wait: Option<Delay>,
    },
    Snoozed {
        wait: Delay,
        why: String,
        parked: bool,
    },
    /// The worker stops and gives it back.
    Released,
    /// Somebody else has it: nothing to report.
    Lost,
}

/// A job to complete, and where its word goes.
pub(super) struct Completion {
    pub(super) id: JobId,
    pub(super) token: Token,
    /// Where the job has its slot until the answer is there.
    pub(super) queue: QueueName,
    pub(super) answer: oneshot::Sender<ReleaseWord>,
}

/// Reports a verdict and returns once it is in, or given up.
pub(super) async fn send(shared: &Shared, id: &JobId, queue: QueueName, held: &Held, verdict: Verdict) {
    let (token, store) = (held.token, shared.shards.shard(held.shard));
    let is_lost = || held.lost.is_cancelled();
    match verdict {
        Verdict::Lost => tracing::warn!(job.id = %id, "job {id} was taken over by another worker"),
        Verdict::Done => {
            let (answer, word) = oneshot::channel();
            let completion = Completion { id: id.clone(), token, queue, answer };
            let Some(completions) = shared.completions.get(held.shard.index()) else { return };
            let queued = completions.send(completion).await;
            if queued.is_ok() && matches!(word.await, Ok(ReleaseWord::Lost | ReleaseWord::Missing)) {
                tracing::warn!(job.id = %id, "job {id} was done, but its lease had been lost: it may run again");
            }
        }
        Verdict::Failed { error, wait } => {
            let word = insist(shared, "a report", || store.fail(id, token, &error, wait), is_lost).await;
            match word {
                Some(FailWord::Dead) => tracing::error!(job.id = %id, "job {id} is dead: {error}"),
                Some(FailWord::Retrying) => {
                    tracing::warn!(job.id = %id, "job {id} failed and will be retried: {error}");
                }
                Some(FailWord::PlanHeld) => {
                    tracing::warn!(job.id = %id, "job {id} failed and is held with its plan: {error}");
                }
                _ => {}
            }
        }
        Verdict::Snoozed { wait, why, parked } => {
            let word =
                insist(shared, "a report", || store.snooze(id, token, wait, &why, parked), is_lost).await;
            match word {
                Some(SnoozeWord::Delayed) => tracing::debug!(job.id = %id, "job {id} is snoozed: {why}"),
                Some(SnoozeWord::Dead) => {
                    tracing::warn!(job.id = %id, "job {id} was put off too often and is dead: {why}");
                }
                _ => {}
            }
        }
        Verdict::Released => {
            let jobs = [(id.clone(), token)];
            insist(shared, "a report", || store.release("its worker stopped", &jobs), is_lost).await;
            tracing::info!(job.id = %id, "job {id} is given back unfinished");
        }
    }
}

/// Calls until Redis answers, `is_lost` says that nobody wants the answer any more, or its time is over.
pub(super) async fn insist<T, F: Future<Output = Result<T>>>(
    shared: &Shared,
    what: &str,
    call: impl Fn() -> F,
    is_lost: impl Fn() -> bool,
) -> Option<T> {
    let repeated = repeat(shared, call, is_lost).await;
    repeated.inspect_err(|error| tracing::error!(%error, "{what} was given up: {error}")).ok()
}

/// The same; the error says why it was given up, and is one that no repeat mends when it is not transient.
///
/// # Errors
/// The latest of the call.
pub(super) async fn repeat<T, F: Future<Output = Result<T>>>(
    shared: &Shared,
    call: impl Fn() -> F,
    is_lost: impl Fn() -> bool,
) -> Result<T> {
    let began = Instant::now();
    let mut delay = REPEAT_DELAY_MIN;
    let mut abandoned = None;
    loop {
        match call().await {
            Err(error) if error.is_transient() && !is_lost() && began.elapsed() <= TIMEOUT => {
                if abandoned.is_some_and(|at: Instant| at.elapsed() > TIMEOUT_AT_THE_END) {
                    return Err(error);
                }
            }
            answered => return answered,
        }
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            () = shared.abandon.cancelled(), if abandoned.is_none() => abandoned = Some(Instant::now()),
        }
        delay = (delay * 2).min(REPEAT_DELAY_MAX);
    }
}
