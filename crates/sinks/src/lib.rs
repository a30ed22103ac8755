//! Hands due jobs to consumers outside: a consumer group of a Redis stream, a list's consumers, asynq's workers.
//!
//! A sink is a claimant like a worker, but the work is done elsewhere. Each job is put in its place by the same
//! script that says so in the job, stays `active` while the consumers have it, and its end flows back: looks at the
//! place tell who took it, whether it was acknowledged, and whether somebody keeps it too long. No process owns a
//! job that was published: any that runs the same sink looks after it, any number may.

mod asynq_message;
mod config;
mod heartbeat;
mod item;
mod place;
mod publish;
mod replies;
mod settle;

pub use asynq_message::TaskMessage;
pub use config::{Destination, SinkConfig};
pub use place::PlaceName;

use heartbeat::{Heartbeat, Out};
use publish::Publishing;
use rand::Rng;
use reprieve::internals::Told;
use reprieve::internals::process_id;
use reprieve::internals::{Store, Target, WakeReader, invalid, shards};
use reprieve::model::Delay;
use reprieve::{Engine, Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a job that was published is kept when no process looks: long enough for a restart or a small outage,
/// after which acknowledgements made meanwhile still count; short enough that a job is not stuck for a day when its
/// sink was taken out of the configuration.
const LEASE: Delay = Delay::hours(1);
/// Between looks while consumers have jobs and nothing happens.
const LOOK: Duration = Duration::from_millis(100);
/// Between looks, and between claims without a wake token, while nothing is with the consumers.
const POLL: Duration = Duration::from_millis(500);
/// Wait after a failed call.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// What the tasks of one sink in one shard share.
struct Shared {
    store: Store,
    config: SinkConfig,
    target: Target,
    /// What is with the consumers.
    out: Out,
    /// Whether people told it to hand nothing more out.
    quiet: Arc<AtomicBool>,
    /// There may be something to publish.
    wake: Notify,
}

/// A running sink. What is with the consumers stays there when it stops.
#[derive(Debug)]
pub struct SinkHandle {
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl SinkHandle {
    /// Checks the configuration, makes the place ready, so that consumers can come, and starts. Every shard has a
    /// place of its own, which its name must tell apart. Any number of processes may run the same sink.
    ///
    /// # Errors
    /// [`Error::Invalid`] says what does not fit.
    pub async fn start(engine: &Engine, config: &SinkConfig) -> Result<Self> {
        let shards = shards(engine);
        config.check()?;
        if shards.count() > 1 && !config.differs_by_shard() {
            let why = "needs {} in it: a namespace of several shards has a place in each, and {} stands for its tag";
            return Err(invalid("key", why));
        }
        for store in shards.all() {
            config.check_reply(store.tag())?;
        }
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let started = shards.now().await?;
        let (quiet, mut parts) = (Arc::<AtomicBool>::default(), Vec::new());
        for store in shards.all() {
            parts.push(Self::serve(store, config, &quiet, &tasks, &stop).await);
        }
        let (id, shards) = (process_id(), shards.clone());
        let heartbeat = Heartbeat { id, shards, config: config.clone(), started, parts, quiet };
        tasks.spawn(heartbeat.run(stop.clone()));
        tasks.close();
        Ok(Self { tasks, stop })
    }

    async fn serve(
        store: &Store,
        config: &SinkConfig,
        quiet: &Arc<AtomicBool>,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> Arc<Shared> {
        let target = config.target(store.tag());
        if let Err(error) = store.publish(&target, LEASE, &[]).await {
            // It is tried again with every job.
            if error.is_transient() {
                tracing::warn!("sink {} is not ready yet: {error}", config.name);
            } else {
                tracing::error!("sink {} is not ready: {error}", config.name);
            }
        }
        let shared = Arc::new(Shared {
            store: store.clone(),
            config: config.clone(),
            target,
            out: Out::default(),
            quiet: Arc::clone(quiet),
            wake: Notify::new(),
        });
        tasks.spawn(listen(Arc::clone(&shared), stop.clone()));
        tasks.spawn(run(Arc::clone(&shared), stop.clone()));
        shared
    }

    /// Hands nothing more out and waits until the present call to Redis has ended.
    pub async fn shutdown(self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}

impl Drop for SinkHandle {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Waits for wake tokens on a connection of its own.
async fn listen(shared: Arc<Shared>, stop: CancellationToken) {
    let waiting = async {
        let mut reader = WakeReader::new(vec![shared.store.clone()]);
        loop {
            if reader.wait(&shared.config.queues, POLL * 4).await.is_err() {
                tokio::time::sleep(RETRY_DELAY).await;
            }
            shared.wake.notify_one();
        }
    };
    stop.run_until_cancelled(waiting).await;
}

/// Publishes and looks after what was published, at once again while something happens.
async fn run(shared: Arc<Shared>, stop: CancellationToken) {
    let mut publishing = Publishing::default();
    let (mut outstanding, mut told) = (0, Told::nothing());
    while !stop.is_cancelled() {
        let round = async {
            let replied = replies::apply(&shared, &mut told).await?;
            let settled = settle::round(&shared, &mut told).await?;
            outstanding = settled.outstanding;
            shared.out.note(&settled);
            let is_quiet = shared.quiet.load(Ordering::Relaxed);
            let handed = !is_quiet && publishing.round(&shared, outstanding).await?;
            Ok::<bool, Error>(replied || settled.any || handed)
        };
        let wait = match round.await {
            Ok(true) => Duration::ZERO,
            Ok(false) if outstanding > 0 => LOOK,
            Ok(false) => POLL,
            Err(error) => {
                let name = &shared.config.name;
                if error.is_transient() {
                    tracing::debug!(%error, "sink {name} failed a round: {error}");
                } else if told.is_news(&error.to_string()) {
                    tracing::error!("sink {name} stands still until this is mended: {error}");
                }
                RETRY_DELAY
            }
        };
        let wait = wait.mul_f64(rand::rng().random_range(0.9..1.1));
        tokio::select! {
            () = stop.cancelled() => {}
            () = shared.wake.notified(), if !wait.is_zero() => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
}
