//! Ends jobs of a shard in batches, and takes the next ones into their places by the same call.

use super::ending::Ending;
use super::fetch::{self, Asked};
use super::report::{self, Completion};
use super::{LEASE, Shared};
use crate::model::{JobId, Shard, Token};
use crate::store::{ReleaseWord, Store};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// Jobs ended by one call. While a call is under way the next batch gathers, so that nothing ever waits for
/// a batch to fill.
pub(super) const BATCH_MAX: usize = 100;

/// Ends jobs of one shard until told to stop and nothing is left.
pub(super) async fn run(ending: Ending, shard: Shard, mut done: mpsc::Receiver<Completion>) {
    let shared = &ending.shared;
    let mut batch = Vec::with_capacity(BATCH_MAX);
    loop {
        tokio::select! {
            count = done.recv_many(&mut batch, BATCH_MAX) => if count == 0 { return },
            // Jobs report before the loops are stopped, so nothing is left behind.
            () = ending.stop_control.cancelled() => return,
        }
        let jobs: Vec<_> = batch.iter().map(|job| (job.id.clone(), job.token)).collect();
        let words = match complete_and_claim(&ending, shared, shard, &batch, &jobs).await {
            Some(words) => words.into_iter().map(Some).collect(),
            None => complete(shared, shared.shards.shard(shard), &jobs).await,
        };
        for (completion, word) in batch.drain(..).zip(words) {
            // A job whose task is gone needs no word.
            word.and_then(|word| completion.answer.send(word).ok());
        }
        batch.clear();
    }
}

/// Ends the jobs and starts as many in their places; `None` when nothing is to be started, or the call failed.
///
/// The jobs keep their slots until they have their answers, so that nobody else can fill them meanwhile.
async fn complete_and_claim(
    ending: &Ending,
    shared: &Arc<Shared>,
    shard: Shard,
    batch: &[Completion],
    jobs: &[(JobId, Token)],
) -> Option<Vec<ReleaseWord>> {
    if ending.stop_fetching.is_cancelled() || shared.is_quiet() {
        return None;
    }
    let wanted = shared.slots.wanted_for(batch.iter().map(|job| &job.queue));
    let most = u32::try_from(batch.len()).unwrap_or(u32::MAX);
    if wanted.is_empty() || !shared.awake.take_of(shard) {
        return None;
    }
    let at = Instant::now();
    match shared.shards.shard(shard).complete_and_claim(&shared.id, LEASE, jobs, most, &wanted).await {
        Ok(turn) => {
            let leaves_out = shared.slots.leaves_out(&wanted);
            let asked = Asked { at, most, wanted, leaves_out };
            fetch::start(shared, &ending.running, shard, &asked, turn.jobs, turn.wait);
            Some(turn.words)
        }
        Err(error) => {
            // Nothing more is taken from a Redis that is full or in trouble; what is done is reported all the same.
            tracing::debug!(%error, "completing and claiming failed: {error}");
            shared.awake.mark(shard);
            None
        }
    }
}

/// One word a job; none for one that was given up.
async fn complete(shared: &Shared, store: &Store, jobs: &[(JobId, Token)]) -> Vec<Option<ReleaseWord>> {
    match report::repeat(shared, || store.complete(jobs), || false).await {
        Ok(words) => words.into_iter().map(Some).collect(),
        Err(error) if error.is_transient() => {
            tracing::error!(%error, "completing {} jobs was given up: {error}", jobs.len());
            vec![None; jobs.len()]
        }
        // One of them cannot be done. The others must not suffer for it.
        Err(_) => {
            let mut words = Vec::with_capacity(jobs.len());
            for job in jobs {
                let alone = std::slice::from_ref(job);
                let what = format!("completing job {}", job.0);
                let word = report::insist(shared, &what, || store.complete(alone), || false).await;
                words.push(word.and_then(|words| words.into_iter().next()));
            }
            words
        }
    }
}
