//! Keeps the leases of running jobs, learns which of them should stop, and says that the worker lives.

use super::{HEARTBEAT, Held, LEASE, Shared};
use crate::error::Result;
use crate::model::{JobId, WorkerInfo};
use crate::process;
use crate::store::LeaseWord;
use futures_util::future::join_all;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Leases extended by one call: two to three milliseconds of Redis (`tools/bench/benches/scripts.rs`).
const BATCH_MAX: usize = 250;
/// Wait after a failed heartbeat: sooner than the next one, for the leases run.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Heartbeats until told to stop.
pub(super) async fn run(shared: Arc<Shared>, stop: CancellationToken) {
    let beating = async {
        let mut told: Option<String> = None;
        loop {
            let extended = extend(&shared).await;
            // Whether leases can be extended in every shard or not: it lives, and is to hear what it is told.
            let beaten = heartbeat(&shared).await;
            let wait = match extended.and(beaten) {
                Ok(()) => {
                    if told.take().is_some() {
                        tracing::info!("heartbeats get through again");
                    }
                    HEARTBEAT
                }
                Err(error) => {
                    // As long as it fails for the same reason, once.
                    let why = error.to_string();
                    if told.as_ref() != Some(&why) {
                        tracing::warn!(%error, "heartbeats fail, leases run: {why}");
                        told = Some(why);
                    }
                    RETRY_DELAY
                }
            };
            tokio::time::sleep(wait).await;
        }
    };
    stop.run_until_cancelled(beating).await;
}

/// Extends all leases and passes on what became of them. A shard that cannot be reached does not keep the others from
/// it.
async fn extend(shared: &Shared) -> Result<()> {
    let mut held: Vec<(JobId, Held)> =
        shared.held().iter().map(|(id, held)| (id.clone(), held.clone())).collect();
    held.sort_by_key(|(_, held)| held.shard);
    let shards = held.chunk_by(|(_, a), (_, b)| a.shard == b.shard);
    let extended = join_all(shards.map(|jobs| extend_in_shard(shared, jobs))).await;
    extended.into_iter().collect()
}

async fn extend_in_shard(shared: &Shared, held: &[(JobId, Held)]) -> Result<()> {
    for batch in held.chunks(BATCH_MAX) {
        let Some(store) = batch.first().map(|(_, held)| shared.shards.shard(held.shard)) else { break };
        let jobs: Vec<_> = batch.iter().map(|(id, held)| (id.clone(), held.token)).collect();
        let asked = Instant::now();
        let words = store.extend(LEASE, &jobs).await?;
        for ((_, held), word) in batch.iter().zip(words) {
            match word {
                LeaseWord::Held => held.lease.extend(asked),
                LeaseWord::Cancel => {
                    held.lease.extend(asked);
                    held.stop.cancel();
                }
                // A job that has just been reported is lost here too; nobody listens then.
                LeaseWord::Lost | LeaseWord::Missing => held.lost.cancel(),
            }
        }
    }
    Ok(())
}

/// Says that the worker lives, and what it does; hears what it is to do.
pub(super) async fn heartbeat(shared: &Shared) -> Result<()> {
    let mut info = WorkerInfo::new(shared.id.as_str(), process::host(), std::process::id(), shared.started);
    info.queues = shared.slots.names();
    info.slots = u64::from(shared.slots.limit());
    info.busy = u64::from(shared.slots.limit() - shared.slots.free().min(shared.slots.limit()));
    info.quiet = shared.is_quiet();
    info.quiet_itself = Some(shared.quiet.load(Ordering::Relaxed));
    (info.stuck, info.stuck_handlers) = shared.runs.stuck();
    info.jobs = shared.held().keys().cloned().collect();
    // Ids tend to be in the order of their making: the same ones every time.
    info.jobs.sort();
    info.jobs.truncate(WorkerInfo::JOBS_NAMED_MAX);
    info.memory_bytes = process::memory_bytes();
    info.posts_to.clone_from(&shared.posts_to);
    info.stopping = shared.told_stop.is_cancelled();
    let description = serde_json::to_string(&info).unwrap_or_default();
    let order = shared.shards.first().heartbeat(&shared.id, &description).await?;
    shared.obey(order);
    Ok(())
}
