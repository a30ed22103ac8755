//! Ends jobs of a shard in batches, and takes the next ones into their places by the same call.

use super::ending::Ending;
use super::fetch::{self, Asked};
use super::report::{self, Completion};
use super::{LEASE, Shared};
use crate::model::{JobId, Shard, Token};
use crate::store::{ReleaseWord, Store};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tokio::sync::mpsc;

/// Jobs ended by one call. While a call is under way the next batch gathers, so that nothing ever waits for
/// a batch to fill.
pub(super) const BATCH_MAX: usize = 100;

/// Calls under way at once: while Redis does one, the jobs of the other are started.
const UNDER_WAY_MAX: usize = 2;

/// Ends jobs of one shard until told to stop and nothing is left.
pub(super) async fn run(ending: Ending, shard: Shard, mut done: mpsc::Receiver<Completion>) {
    // A call beside another is worth its cost with half of the jobs that there can be.
    let slots = usize::try_from(ending.shared.slots.limit()).unwrap_or(usize::MAX);
    let share = slots.div_ceil(2).clamp(1, BATCH_MAX);
    let mut batch = Vec::with_capacity(BATCH_MAX);
    let asking = AtomicUsize::new(0);
    let mut under_way = FuturesUnordered::new();
    loop {
        let enough = if under_way.is_empty() { 1 } else { share };
        if batch.len() >= enough && under_way.len() < UNDER_WAY_MAX {
            let jobs = std::mem::replace(&mut batch, Vec::with_capacity(BATCH_MAX));
            under_way.push(end(&ending, shard, jobs, &asking));
        }
        let room = BATCH_MAX - batch.len();
        tokio::select! {
            biased;
            Some(()) = under_way.next(), if !under_way.is_empty() => {}
            count = done.recv_many(&mut batch, room), if room > 0 => if count == 0 {
                under_way.push(end(&ending, shard, std::mem::take(&mut batch), &asking));
                return under_way.collect().await;
            },
            // Jobs report before the loops are stopped, so nothing is left behind but calls under way.
            () = ending.stop_control.cancelled() => return under_way.collect().await,
        }
    }
}

/// Ends jobs by one call, and tells each what became of it.
async fn end(ending: &Ending, shard: Shard, batch: Vec<Completion>, asking: &AtomicUsize) {
    if batch.is_empty() {
        return;
    }
    let shared = &ending.shared;
    let jobs: Vec<_> = batch.iter().map(|job| (job.id.clone(), job.token)).collect();
    let words = match complete_and_claim(ending, shared, shard, &batch, &jobs, asking).await {
        Some(words) => words.into_iter().map(Some).collect(),
        None => complete(shared, shared.shards.shard(shard), &jobs).await,
    };
    for (completion, word) in batch.into_iter().zip(words) {
        // A job whose task is gone needs no word.
        word.and_then(|word| completion.answer.send(word).ok());
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
    asking: &AtomicUsize,
) -> Option<Vec<ReleaseWord>> {
    if ending.stop_fetching.is_cancelled() || shared.is_quiet() {
        return None;
    }
    let wanted = shared.slots.wanted_for(batch.iter().map(|job| &job.queue));
    let most = u32::try_from(batch.len()).unwrap_or(u32::MAX);
    // What another call leaves that is under way is not known yet: there may be more.
    if wanted.is_empty() || !(shared.awake.take_of(shard) || asking.load(Ordering::Relaxed) > 0) {
        return None;
    }
    let at = Instant::now();
    asking.fetch_add(1, Ordering::Relaxed);
    let told = shared.shards.shard(shard).complete_and_claim(&shared.id, LEASE, jobs, most, &wanted).await;
    asking.fetch_sub(1, Ordering::Relaxed);
    match told {
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
