//! How a worker ends: when its owner shuts it down, or when a person tells it to.

use super::Shared;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a worker out of grace may take: handlers are asked to stop, what is to be said is said, and if Redis does
/// not answer it is left unsaid. With 20 s of grace it ends before the 30 s after which it would be killed.
const LAST_WORDS_MAX: Duration = Duration::from_secs(4);

/// The parts of a worker that end one after the other. Cloning shares them.
#[derive(Clone)]
pub(super) struct Ending {
    pub(super) shared: Arc<Shared>,
    /// Fetch, which ends first.
    pub(super) fetching: TaskTracker,
    pub(super) stop_fetching: CancellationToken,
    /// Jobs under way.
    pub(super) running: TaskTracker,
    /// Heartbeat and reports, which end last.
    pub(super) control: TaskTracker,
    pub(super) stop_control: CancellationToken,
    pub(super) grace: Duration,
    ended: CancellationToken,
}

impl Ending {
    pub(super) fn of(shared: Arc<Shared>, grace: Duration) -> Self {
        Self {
            shared,
            fetching: TaskTracker::new(),
            stop_fetching: CancellationToken::new(),
            running: TaskTracker::new(),
            control: TaskTracker::new(),
            stop_control: CancellationToken::new(),
            grace,
            ended: CancellationToken::new(),
        }
    }

    /// Claims nothing more, lets handlers finish for the grace period, asks them to stop, gives back what is still
    /// unfinished, and says goodbye, for [`LAST_WORDS_MAX`] at most. Doing it twice at once does no harm.
    pub(super) async fn finish(&self) {
        self.shared.quiet.store(true, Ordering::Relaxed);
        self.stop_fetching.cancel();
        if tokio::time::timeout(self.grace, self.let_finish()).await.is_err() {
            self.running.close();
            self.shared.abandon.cancel();
        }
        if tokio::time::timeout(LAST_WORDS_MAX, self.say_the_last()).await.is_err() {
            let left = self.shared.held().len();
            tracing::warn!(jobs = left, "worker {} leaves {left} jobs to their leases", self.shared.id);
            self.abandon();
        }
        self.ended.cancel();
    }

    /// Waits until nothing is claimed any more, which takes a while where Redis does not answer, and what was has ended.
    async fn let_finish(&self) {
        self.fetching.wait().await;
        self.running.close();
        let left = self.shared.held().len();
        if left > 0 {
            tracing::info!(jobs = left, grace_ms = self.grace.as_millis(), "finishing {left} running jobs");
        }
        self.running.wait().await;
    }

    /// Waits until all reports are in, and says goodbye. What a claim still under way brings is given back before.
    async fn say_the_last(&self) {
        self.fetching.wait().await;
        self.running.wait().await;
        self.stop_control.cancel();
        self.control.wait().await;
        if !self.ended.is_cancelled()
            && let Err(error) = self.shared.shards.first().heartbeat(&self.shared.id, "").await
        {
            tracing::warn!(%error, "worker {} could not say goodbye: {error}", self.shared.id);
        }
    }

    /// Ends it when a person says so, unless it ends before.
    pub(super) async fn when_told(self) {
        tokio::select! {
            () = self.shared.told_stop.cancelled() => self.finish().await,
            () = self.stop_control.cancelled() => {}
        }
    }

    /// Waits until it has ended.
    pub(super) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Ends everything at once, without a word.
    pub(super) fn abandon(&self) {
        self.stop_fetching.cancel();
        self.stop_control.cancel();
        self.shared.abandon.cancel();
    }
}
