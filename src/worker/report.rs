//! Reports how attempts ended, again and again until Redis has answered.

use super::{Held, Shared};
use crate::error::{Error, Result};
use crate::model::{Delay, JobId, Token};
use crate::store::{FailWord, ReleaseWord, SnoozeWord, Store};
use std::future::Future;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Jobs completed by one call. While a call is under way the next batch gathers, so that nothing ever waits for
/// a batch to fill.
pub(super) const BATCH_MAX: usize = 100;
/// How long a report is repeated while Redis is away. Its lease is over by then, but as long as nobody has taken
/// the job back the report still counts.
const PATIENCE: Duration = Duration::from_secs(300);
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
    id: JobId,
    token: Token,
    answer: oneshot::Sender<ReleaseWord>,
}

/// Reports a verdict and returns once it is in, or given up.
pub(super) async fn send(shared: &Shared, id: &JobId, held: &Held, verdict: Verdict) {
    let (token, store) = (held.token, shared.cells.cell(held.cell));
    match verdict {
        Verdict::Lost => tracing::warn!(job.id = %id, "job {id} was taken over by another worker"),
        Verdict::Done => {
            let (answer, word) = oneshot::channel();
            let completion = Completion { id: id.clone(), token, answer };
            let Some(queue) = shared.completions.get(held.cell.index()) else { return };
            let queued = queue.send(completion).await;
            if queued.is_ok() && matches!(word.await, Ok(ReleaseWord::Lost | ReleaseWord::Missing)) {
                tracing::warn!(job.id = %id, "job {id} was done, but its lease had been lost: it may run again");
            }
        }
        Verdict::Failed { error, wait } => {
            let word = persist(held, || store.fail(id, token, &error, wait)).await;
            match word {
                Some(FailWord::Dead) => tracing::error!(job.id = %id, "job {id} is dead: {error}"),
                Some(FailWord::Retrying) => {
                    tracing::warn!(job.id = %id, "job {id} failed and will be retried: {error}");
                }
                _ => {}
            }
        }
        Verdict::Snoozed { wait, why, parked } => {
            let word = persist(held, || store.snooze(id, token, wait, &why, parked)).await;
            if word == Some(SnoozeWord::Delayed) {
                tracing::debug!(job.id = %id, "job {id} is snoozed: {why}");
            }
        }
        Verdict::Released => {
            let jobs = [(id.clone(), token)];
            persist(held, || store.release("its worker stopped", &jobs)).await;
            tracing::info!(job.id = %id, "job {id} is given back unfinished");
        }
    }
}

/// Calls until Redis answers, the lease turns out to be lost, or patience ends.
async fn persist<T, F: Future<Output = Result<T>>>(held: &Held, call: impl Fn() -> F) -> Option<T> {
    let began = Instant::now();
    let mut delay = REPEAT_DELAY_MIN;
    loop {
        match call().await {
            Ok(word) => return Some(word),
            Err(error) if !error.is_transient() || held.lost.is_cancelled() || began.elapsed() > PATIENCE => {
                tracing::error!(%error, "a report was given up: {error}");
                return None;
            }
            Err(_) => tokio::time::sleep(delay).await,
        }
        delay = (delay * 2).min(REPEAT_DELAY_MAX);
    }
}

/// Completes jobs of one cell in batches until told to stop and nothing is left.
pub(super) async fn complete_in_batches(
    store: Store,
    mut done: mpsc::Receiver<Completion>,
    stop: CancellationToken,
) {
    let mut batch = Vec::with_capacity(BATCH_MAX);
    loop {
        tokio::select! {
            count = done.recv_many(&mut batch, BATCH_MAX) => if count == 0 { return },
            // Jobs report before the loops are stopped, so nothing is left behind.
            () = stop.cancelled() => return,
        }
        complete(&store, &mut batch).await;
    }
}

async fn complete(store: &Store, batch: &mut Vec<Completion>) {
    let jobs: Vec<_> = batch.iter().map(|completion| (completion.id.clone(), completion.token)).collect();
    let began = Instant::now();
    let mut delay = REPEAT_DELAY_MIN;
    let words = loop {
        match store.complete(&jobs).await {
            Ok(words) => break words,
            Err(Error::Unavailable { .. }) if began.elapsed() <= PATIENCE => tokio::time::sleep(delay).await,
            Err(error) => {
                tracing::error!(%error, jobs = jobs.len(), "completing {} jobs was given up: {error}", jobs.len());
                break Vec::new();
            }
        }
        delay = (delay * 2).min(REPEAT_DELAY_MAX);
    };
    for (completion, word) in batch.drain(..).zip(words) {
        // A job whose task is gone needs no word.
        completion.answer.send(word).ok();
    }
    batch.clear();
}
