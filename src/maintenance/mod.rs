//! The duties that keep jobs moving. Any number of processes may run them at once: the scripts make that harmless.

mod alerts;
mod bulk_runner;
mod calendar;
mod clock_watch;
mod cron;
mod duty;
mod forwarder;
mod indexer;
mod janitor;
mod mender;
mod recorder;
mod recoverer;

#[cfg(feature = "testing")]
pub(crate) use cron::fire_due as fire_cron;

pub use duty::Told;
pub(crate) use indexer::Indexer;
#[cfg(feature = "testing")]
pub(crate) use indexer::Round;

use crate::inspector::Inspector;
use crate::process;
use crate::store::Shards;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The duties, not yet running.
#[derive(Debug)]
pub struct Maintenance {
    shards: Shards,
    inspector: Inspector,
}

impl Maintenance {
    pub(crate) const fn new(shards: Shards, inspector: Inspector) -> Self {
        Self { shards, inspector }
    }

    /// Starts watch, forwarder, recoverer, cron, recorder, janitor, mender and indexer, one of each for every shard.
    #[must_use = "dropping the handle stops them"]
    pub fn start(self) -> MaintenanceHandle {
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let sign: Arc<str> = forwarder::sign().into();
        let name: Arc<str> = process::process_id().into();
        for store in self.shards.all() {
            store.expect_looks(true);
            tasks.spawn(clock_watch::run(store.clone(), stop.clone()));
            tasks.spawn(calendar::run(store.clone(), stop.clone()));
            tasks.spawn(cron::run(store.clone(), stop.clone()));
            tasks.spawn(forwarder::run(store.clone(), Arc::clone(&sign), stop.clone()));
            tasks.spawn(recorder::run(store.clone(), stop.clone()));
            tasks.spawn(recoverer::run(store.clone(), stop.clone()));
            tasks.spawn(bulk_runner::run(store.clone(), self.shards.first().clone(), stop.clone()));
            tasks.spawn(janitor::run(store.clone(), stop.clone()));
            tasks.spawn(mender::run(store.clone(), stop.clone()));
            let (first, settings) = (self.shards.first().clone(), self.inspector.settings.clone());
            tasks.spawn(Indexer::new(store.clone(), first, settings, Arc::clone(&name)).run(stop.clone()));
        }
        tasks.spawn(alerts::run(self.inspector, self.shards, stop.clone()));
        tasks.close();
        MaintenanceHandle { tasks, stop }
    }
}

/// The running duties.
#[derive(Debug)]
pub struct MaintenanceHandle {
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl MaintenanceHandle {
    /// Stops them and waits until each has finished its call to Redis.
    pub async fn shutdown(self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}

impl Drop for MaintenanceHandle {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
