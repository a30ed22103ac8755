//! Runs jobs: claims them under a lease, calls their handler, reports how it went.
//!
//! Control loops (fetch, heartbeat, reports) run on the caller's runtime, handlers on
//! one of their own, so that a handler that blocks cannot cost the others their leases.

mod awake;
mod batch;
mod builder;
mod claimant;
mod complete_and_claim;
#[cfg(feature = "testing")]
mod drain;
mod ending;
mod execute;
mod fetch;
mod heartbeat;
mod job;
mod lease;
mod notes;
mod panics;
mod registry;
mod report;
mod retry;
mod roster;
mod service;
mod slots;
mod stuck;
mod waiting_claim;

pub use batch::{Batch, BatchReport};
pub use builder::WorkerBuilder;
pub use claimant::{Again, Claimant, ClaimedJob, FailWord, LeaseWord, ReleaseWord, SnoozeWord};
pub use job::{Failure, Job, JobContext};
pub use retry::{AsynqBackoff, DelayqBackoff, ExponentialBackoff, RetryPolicy};
pub(crate) use roster::Roster;
pub use service::{HandlerError, HandlerService};
pub use slots::QueueOrder;
pub use waiting_claim::WaitingClaim;

use crate::constants::HEARTBEAT_MS;
use crate::model::{JobId, Shard, Timestamp, Token, WorkerOrder};
use crate::payload_keys::PayloadKeys;
use crate::store::Shards;
use awake::Awake;
use ending::Ending;
use lease::Lease;
use notes::Desk;
use registry::Registry;
use report::Completion;
use slots::Slots;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stuck::Runs;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

/// How long a worker holds a job without a heartbeat, in ms: three missed ones. Shorter makes a slow
/// network look like a dead worker; longer delays the rescue of a real one.
const LEASE: crate::model::Delay = crate::model::Delay::millis(12_000);
/// A third of the lease.
pub const HEARTBEAT: Duration = Duration::from_millis(HEARTBEAT_MS);

/// A job this worker has.
#[derive(Debug, Clone)]
struct Held {
    /// Where its reports go.
    shard: Shard,
    token: Token,
    lease: Arc<Lease>,
    /// Fires when the handler should stop.
    stop: CancellationToken,
    /// Fires when the lease belongs to somebody else: no report any more.
    lost: CancellationToken,
}

/// What the loops of one worker share.
struct Shared {
    id: String,
    started: Timestamp,
    shards: Shards,
    registry: Registry,
    policy: Box<dyn RetryPolicy>,
    timeout: Duration,
    slots: Slots,
    /// Where its handlers post jobs to, for those who look at it.
    posts_to: Vec<String>,
    /// What opens sealed payloads.
    payload_keys: Option<PayloadKeys>,
    held: Mutex<HashMap<JobId, Held>>,
    /// There may be something to claim, or room to claim it.
    look: Notify,
    /// In which shards there may be something.
    awake: Awake,
    /// Its owner asked for quiet.
    quiet: AtomicBool,
    /// A person did.
    told_quiet: AtomicBool,
    /// Fires when a person tells it to stop.
    told_stop: CancellationToken,
    handlers: tokio::runtime::Handle,
    /// What running jobs say of themselves, in each shard.
    desks: Vec<Arc<Desk>>,
    /// Handlers that run, those given up included.
    runs: Arc<Runs>,
    /// Jobs to complete, one channel for each shard.
    completions: Vec<mpsc::Sender<Completion>>,
    /// Fires when running handlers are out of grace.
    abandon: CancellationToken,
}

impl Shared {
    fn held(&self) -> MutexGuard<'_, HashMap<JobId, Held>> {
        // The map stays right if a thread panics between its single steps.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where jobs of a shard leave what they say.
    fn desk(&self, shard: Shard) -> &Arc<Desk> {
        self.desks.get(shard.index()).unwrap_or(&self.desks[0])
    }

    fn is_quiet(&self) -> bool {
        self.quiet.load(Ordering::Relaxed) || self.told_quiet.load(Ordering::Relaxed)
    }

    /// Does what people want of it. Once it ends nothing else counts.
    fn obey(&self, order: WorkerOrder) {
        let was_quiet = self.told_quiet.swap(order != WorkerOrder::Resume, Ordering::Relaxed);
        if order == WorkerOrder::Stop && !self.told_stop.is_cancelled() {
            tracing::info!(worker.id = self.id, "worker {} was told to stop", self.id);
            self.told_stop.cancel();
        } else if was_quiet && order == WorkerOrder::Resume {
            self.awake.mark_all();
            self.look.notify_one();
        }
    }
}

/// The threads that run handlers; given up without waiting, for a handler may block for ever.
struct Handlers(Option<tokio::runtime::Runtime>);

impl Drop for Handlers {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// A running worker. Dropped without [`shutdown`](Self::shutdown) it stops at once, and its jobs come back when
/// their leases run out.
pub struct Worker {
    shared: Arc<Shared>,
    ending: Ending,
    /// Dropped last: ends the handlers' threads.
    _handlers: Handlers,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("id", &self.shared.id).finish_non_exhaustive()
    }
}

impl Worker {
    /// Its name in events, attempts and on screen.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.shared.id
    }

    /// Takes nothing new; what runs goes on.
    pub fn quiet(&self) {
        self.shared.quiet.store(true, Ordering::Relaxed);
    }

    /// Stops gracefully: claims nothing more, lets handlers finish for the grace period, asks them to stop, and
    /// gives back what is still unfinished without costing it an attempt.
    pub async fn shutdown(self) {
        self.ending.finish().await;
    }

    /// Waits until it has ended because a person told it to stop, on the screen, over HTTP or from a shell: for a
    /// program that ends with its worker. A worker that was stopped does not start again by itself.
    pub async fn stopped(&self) {
        self.ending.ended().await;
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.ending.abandon();
    }
}
