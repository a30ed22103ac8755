//! Describes a worker and starts it.

use super::awake::Awake;
use super::batch::{Batch, BatchReport, Gatherer};
use super::ending::Ending;
use super::registry::{Handler, Registry};
use super::retry::{ExponentialBackoff, RetryPolicy};
use super::service::{self, HandlerService};
use super::slots::{QueueOrder, QueueSlots, Slots};
use super::{Handlers, Shared, Worker, complete_and_claim, fetch, heartbeat, notes, panics};
use crate::error::{Error, Result};
use crate::model::{Kind, QueueName, WorkerInfo};
use crate::payload_keys::PayloadKeys;
use crate::process::process_id;
use crate::store::Shards;
use crate::worker::{Failure, Job, JobContext};
use serde::Serialize;
use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use tower_layer::Layer;
use tower_service::Service;

/// Most jobs a worker runs at once: beyond it a second worker is the better answer.
const SLOTS_MAX: u32 = 1_000;
/// One attempt may take this long unless said otherwise.
const TIMEOUT_DEFAULT: Duration = Duration::from_secs(30 * 60);
/// Handlers get this long to finish at shutdown unless said otherwise.
const GRACE_DEFAULT: Duration = Duration::from_secs(20);

/// Describes a worker; [`start`](Self::start) starts it.
#[must_use = "nothing runs before `start`"]
pub struct WorkerBuilder {
    shards: Shards,
    registry: Registry,
    queues: Vec<QueueSlots>,
    all: Option<u32>,
    most: u32,
    order: QueueOrder,
    policy: Box<dyn RetryPolicy>,
    timeout: Duration,
    grace: Duration,
    threads: Option<usize>,
    layers: Vec<Wrap>,
    gatherers: Vec<Gatherer>,
    posts_to: Vec<String>,
    payload_keys: Option<PayloadKeys>,
}

/// Puts one layer around a handler.
type Wrap = Box<dyn Fn(Handler) -> Handler + Send>;

impl std::fmt::Debug for WorkerBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerBuilder").field("order", &self.order).finish_non_exhaustive()
    }
}

impl WorkerBuilder {
    pub(crate) fn new(shards: Shards) -> Self {
        Self {
            shards,
            registry: Registry::default(),
            queues: Vec::new(),
            all: None,
            most: u32::MAX,
            order: QueueOrder::default(),
            policy: Box::new(ExponentialBackoff::default()),
            timeout: TIMEOUT_DEFAULT,
            grace: GRACE_DEFAULT,
            threads: None,
            layers: Vec::new(),
            gatherers: Vec::new(),
            posts_to: Vec::new(),
            payload_keys: None,
        }
    }

    /// Serves a queue with up to `concurrency` jobs at once.
    pub fn queue(self, name: QueueName, concurrency: u32) -> Self {
        self.queue_weighted(name, concurrency, 1)
    }

    /// Serves a queue that is asked first `weight` times as often as one of weight 1, which tells where queues share slots:
    /// see [`concurrency`](Self::concurrency). Naming a queue again sets both anew.
    pub fn queue_weighted(mut self, name: QueueName, concurrency: u32, weight: u32) -> Self {
        self.queues.retain(|queue| queue.name != name);
        self.queues.push(QueueSlots::new(name, concurrency, weight));
        self
    }

    /// Serves every queue there is, also those to come, with up to `concurrency` jobs at once in all.
    pub const fn all_queues(mut self, concurrency: u32) -> Self {
        self.all = Some(concurrency);
        self
    }

    /// Runs up to so many jobs at once in all, however many each queue may: queues share these slots, and get them in
    /// their [`order`](Self::order).
    pub const fn concurrency(mut self, most: u32) -> Self {
        self.most = most;
        self
    }

    /// In which order queues are asked. It tells only where queues share slots: see [`concurrency`](Self::concurrency).
    pub const fn order(mut self, order: QueueOrder) -> Self {
        self.order = order;
        self
    }

    /// Handles the kind of a typed job.
    pub fn job<J: Job>(mut self) -> Self {
        self.registry.add_job::<J>();
        self
    }

    /// Handles a kind with an async function.
    pub fn handler<H, F>(mut self, kind: &str, handler: H) -> Self
    where
        H: Fn(JobContext) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        self.registry.add(kind, handler);
        self
    }

    /// Handles every kind that has no handler of its own.
    pub fn handler_for_all<H, F>(mut self, handler: H) -> Self
    where
        H: Fn(JobContext) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        self.registry.set_fallback(handler);
        self
    }

    /// Handles a kind with an async function whose result is kept with the job, as JSON of at most 64 KiB; see
    /// [`JobContext::set_result`].
    pub fn handler_returning<H, F, T>(self, kind: &str, handler: H) -> Self
    where
        H: Fn(JobContext) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
        T: Serialize,
    {
        self.handler(kind, move |context: JobContext| {
            let run = handler(context.clone());
            async move { context.set_result(&run.await?) }
        })
    }

    /// Handles a kind many jobs at a time: `handler` is called with up to `size_max` jobs, or with fewer when the
    /// first of them has waited for `wait_max`.
    ///
    /// Each job keeps its slot, its lease, its time limit and its cancel while it waits and runs, so a batch is never
    /// larger than the worker's concurrency. What the handler says of a job in its [`BatchReport`] counts for that job
    /// alone; a call that fails, or panics, fails every job of it.
    pub fn batch_handler<H, F>(mut self, kind: &str, size_max: u32, wait_max: Duration, handler: H) -> Self
    where
        H: Fn(Batch) -> F + Send + Sync + 'static,
        F: Future<Output = Result<BatchReport, Failure>> + Send + 'static,
    {
        let gatherer = Gatherer::new(size_max, wait_max, handler);
        self.gatherers.push(gatherer.clone());
        self.registry.add(kind, move |context| gatherer.clone().join(context));
        self
    }

    /// Opens sealed payloads before a handler sees its job; those that are not sealed stay as they are. A job whose key
    /// is not among them is put off for a minute at no cost, for another worker may have it; one that was changed since
    /// it was sealed is dead.
    ///
    /// Without any keys handlers get payloads as they stand.
    pub fn payload_keys(mut self, keys: PayloadKeys) -> Self {
        self.payload_keys = Some(keys);
        self
    }

    /// Puts a tower layer around every handler, typed, batched and fallback ones alike. The layer that was added first
    /// sees a job first, as in `tower::ServiceBuilder`.
    ///
    /// Its service takes a [`JobContext`] and answers `()`. Its errors that are no
    /// [`HandlerError`](crate::HandlerError) are failures that the retry policy deals with.
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<HandlerService> + Send + 'static,
        L::Service: Service<JobContext, Response = ()> + Clone + Send + 'static,
        <L::Service as Service<JobContext>>::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        <L::Service as Service<JobContext>>::Future: Send,
    {
        self.layers.push(Box::new(move |handler| service::wrap(&layer, handler)));
        self
    }

    /// Which jobs [`handler_for_all`](Self::handler_for_all) takes; others are parked with a reason.
    pub fn accepts(mut self, accepts: impl Fn(&Kind, &QueueName) -> bool + Send + Sync + 'static) -> Self {
        self.registry.set_accepts(accepts);
        self
    }

    /// Tells those who look at the worker where its handlers post jobs to: scheme, host and port of each place, the
    /// first 20 of them.
    pub fn posts_to(mut self, places: impl IntoIterator<Item = String>) -> Self {
        self.posts_to = places.into_iter().take(WorkerInfo::POSTS_TO_MAX).collect();
        self
    }

    /// How long failed jobs wait; exponential with full jitter unless said otherwise.
    pub fn retry_policy(mut self, policy: impl RetryPolicy) -> Self {
        self.policy = Box::new(policy);
        self
    }

    /// How long one attempt may take when its job does not say; 30 minutes unless said otherwise.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How long handlers may finish at shutdown; 20 s unless said otherwise.
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Threads for handlers; one a core unless said otherwise. More help when handlers block.
    pub const fn handler_threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Starts it.
    ///
    /// # Errors
    /// [`Error::Invalid`] without a handler or a queue, or beyond 1,000 jobs at once; [`Error::Unavailable`] when
    /// Redis does not answer.
    pub async fn start(self) -> Result<Worker> {
        let worker = self.prepare().await?;
        let (shared, ending) = (&worker.shared, &worker.ending);
        let stop = &ending.stop_fetching;
        for group in shared.shards.groups() {
            ending.fetching.spawn(fetch::listen(Arc::clone(shared), group, stop.clone()));
        }
        ending.fetching.spawn(fetch::run(Arc::clone(shared), ending.running.clone(), stop.clone()));
        ending.fetching.close();
        tracing::info!(worker.id = worker.id(), "worker {} started", worker.id());
        Ok(worker)
    }

    /// Serves every queue when none was named.
    #[cfg(feature = "testing")]
    pub(super) fn or_all_queues(self, concurrency: u32) -> Self {
        if self.queues.is_empty() && self.all.is_none() { self.all_queues(concurrency) } else { self }
    }

    /// A worker that keeps leases and takes reports, and claims nothing by itself.
    pub(super) async fn prepare(mut self) -> Result<Worker> {
        for wrap in self.layers.iter().rev() {
            self.registry.wrap(wrap);
        }
        panics::watch();
        if self.registry.is_empty() {
            return Err(Error::invalid("worker", "has no handler"));
        }
        let slots = match self.all {
            Some(limit) => Slots::all(limit.min(self.most)),
            None => Slots::Named { queues: self.queues, order: self.order, most: self.most },
        };
        if slots.limit() == 0 || slots.limit() > SLOTS_MAX {
            return Err(Error::invalid(
                "worker",
                format!("runs 1 to {SLOTS_MAX} jobs at once, not {}", slots.limit()),
            ));
        }
        for gatherer in &self.gatherers {
            gatherer.cap(slots.limit());
        }
        let started = self.shards.now().await?;
        // In its own keeping from here on: dropped by what fails below, it would wait for its threads where nobody may wait.
        let (runtime, handlers) = handler_runtime(self.threads)?;
        let (completions, completed): (Vec<_>, Vec<_>) =
            self.shards.all().iter().map(|_| mpsc::channel(complete_and_claim::BATCH_MAX)).unzip();
        let shared = Arc::new(Shared {
            id: process_id(),
            started,
            desks: self.shards.all().iter().map(|_| Arc::default()).collect(),
            awake: Awake::new(self.shards.count()),
            shards: self.shards,
            registry: self.registry,
            policy: self.policy,
            timeout: self.timeout,
            slots,
            posts_to: self.posts_to,
            payload_keys: self.payload_keys,
            held: Mutex::new(HashMap::new()),
            look: Notify::new(),
            quiet: AtomicBool::new(false),
            told_quiet: AtomicBool::new(false),
            told_stop: CancellationToken::new(),
            handlers,
            runs: Arc::default(),
            completions,
            abandon: CancellationToken::new(),
        });
        heartbeat::heartbeat(&shared).await?;
        let ending = Ending::of(Arc::clone(&shared), self.grace);
        let worker = Worker { ending: ending.clone(), _handlers: runtime, shared };
        let shared = &worker.shared;
        ending.control.spawn(heartbeat::run(Arc::clone(shared), ending.stop_control.clone()));
        let desks = shared.desks.iter().cloned();
        for ((store, completed), desk) in shared.shards.all().iter().zip(completed).zip(desks) {
            ending.control.spawn(complete_and_claim::run(ending.clone(), store.shard(), completed));
            ending.control.spawn(notes::run(store.clone(), desk, ending.stop_control.clone()));
        }
        ending.control.close();
        // Belongs to the worker's end itself: it waits for the others, and ends with them.
        tokio::spawn(ending.when_told());
        Ok(worker)
    }
}

fn handler_runtime(threads: Option<usize>) -> Result<(Handlers, tokio::runtime::Handle)> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.enable_all().thread_name("reprieve-handler");
    if let Some(threads) = threads {
        builder.worker_threads(threads.max(1));
    }
    let runtime = builder
        .build()
        .map_err(|error| Error::Refused { why: format!("cannot start threads for handlers: {error}") })?;
    let handle = runtime.handle().clone();
    Ok((Handlers(Some(runtime)), handle))
}
