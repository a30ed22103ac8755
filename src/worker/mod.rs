//! Runs jobs: claims them under a lease, calls their handler, reports how it went.
//!
//! Control loops (fetch, heartbeat, reports) run on the caller's runtime, handlers on
//! one of their own, so that a handler that blocks cannot cost the others their leases.

mod awake;
mod batch;
mod builder;
mod claimant;
#[cfg(feature = "testing")]
mod drain;
mod execute;
mod fetch;
mod heartbeat;
mod notes;
mod panics;
mod registry;
mod report;
mod retry;
mod service;
mod slots;
mod stuck;

pub use batch::{Batch, BatchReport};
pub use builder::WorkerBuilder;
pub use claimant::{Again, Claimant, ClaimedJob, FailWord, LeaseWord, ReleaseWord};
pub(crate) use notes::{Notes, RESULT_BYTES_MAX};
pub use retry::{AsynqBackoff, DelayqBackoff, ExponentialBackoff, RetryPolicy};
pub use service::{HandlerError, HandlerService};
pub use slots::QueueOrder;

use crate::model::{Cell, JobId, Timestamp, Token};
use crate::store::Cells;
use awake::Awake;
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
use tokio_util::task::TaskTracker;

/// How long a worker holds a job without a heartbeat, in ms: three missed ones. Shorter makes a slow
/// network look like a dead worker; longer delays the rescue of a real one.
const LEASE: crate::model::Delay = crate::model::Delay::millis(12_000);
/// A third of the lease.
const BEAT: Duration = Duration::from_secs(4);

/// A job this worker has.
#[derive(Debug, Clone)]
struct Held {
    /// Where its reports go.
    cell: Cell,
    token: Token,
    /// Fires when the handler should stop.
    stop: CancellationToken,
    /// Fires when the lease belongs to somebody else: no report any more.
    lost: CancellationToken,
}

/// What the loops of one worker share.
struct Shared {
    id: String,
    started: Timestamp,
    cells: Cells,
    registry: Registry,
    policy: Box<dyn RetryPolicy>,
    timeout: Duration,
    slots: Slots,
    held: Mutex<HashMap<JobId, Held>>,
    /// There may be something to claim, or room to claim it.
    look: Notify,
    /// In which cells there may be something.
    awake: Awake,
    quiet: AtomicBool,
    handlers: tokio::runtime::Handle,
    /// What running jobs say of themselves, in each cell.
    desks: Vec<Arc<Desk>>,
    /// Handlers that run, those given up included.
    runs: Arc<Runs>,
    /// Jobs to complete, one channel for each cell.
    completions: Vec<mpsc::Sender<Completion>>,
    /// Fires when running handlers are out of grace.
    abandon: CancellationToken,
}

impl Shared {
    fn held(&self) -> MutexGuard<'_, HashMap<JobId, Held>> {
        // The map stays right if a thread panics between its single steps.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where jobs of a cell leave what they say.
    fn desk(&self, cell: Cell) -> &Arc<Desk> {
        self.desks.get(cell.index()).unwrap_or(&self.desks[0])
    }

    fn is_quiet(&self) -> bool {
        self.quiet.load(Ordering::Relaxed)
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
    /// Fetch, which ends first.
    fetching: TaskTracker,
    stop_fetching: CancellationToken,
    /// Jobs under way.
    running: TaskTracker,
    /// Heartbeat and reports, which end last.
    control: TaskTracker,
    stop_control: CancellationToken,
    grace: Duration,
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
        self.quiet();
        self.stop_fetching.cancel();
        self.fetching.wait().await;
        self.running.close();
        let left = self.shared.held().len();
        if left > 0 {
            tracing::info!(jobs = left, grace_ms = self.grace.as_millis(), "finishing {left} running jobs");
        }
        if tokio::time::timeout(self.grace, self.running.wait()).await.is_err() {
            self.shared.abandon.cancel();
            self.running.wait().await;
        }
        self.stop_control.cancel();
        self.control.wait().await;
        if let Err(error) = self.shared.cells.first().beat(&self.shared.id, "").await {
            tracing::warn!(%error, "worker {} could not say goodbye: {error}", self.shared.id);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop_fetching.cancel();
        self.stop_control.cancel();
        self.shared.abandon.cancel();
    }
}
