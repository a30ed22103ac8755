//! Says that a sink lives, where it hands its jobs to and how many are out; hears what it is to do.

use super::settle::{BATCH, Settled};
use super::{Shared, SinkConfig};
use reprieve::Result;
use reprieve::internals::HEARTBEAT;
use reprieve::internals::Shards;
use reprieve::internals::{host, memory_bytes};
use reprieve::model::{SinkInfo, Timestamp, WorkerInfo, WorkerOrder};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// What a sink has out in one shard, as its looks show it.
#[derive(Debug, Default)]
pub(super) struct Out(Mutex<Looks>);

#[derive(Debug, Default)]
struct Looks {
    outstanding: u64,
    /// The first publication of each of the latest looks, which together saw all that is out.
    oldest: VecDeque<Option<Timestamp>>,
}

impl Out {
    /// Takes down what a look showed.
    pub(super) fn note(&self, settled: &Settled) {
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        looks.outstanding = settled.outstanding;
        looks.oldest.push_back(settled.oldest);
        let all =
            usize::try_from(settled.outstanding.div_ceil(u64::from(BATCH))).unwrap_or(usize::MAX).max(1);
        while looks.oldest.len() > all {
            looks.oldest.pop_front();
        }
    }

    fn read(&self) -> (u64, Option<Timestamp>) {
        let looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (looks.outstanding, looks.oldest.iter().flatten().min().copied())
    }
}

/// A running sink to those who look at it from elsewhere.
pub(super) struct Heartbeat {
    pub(super) id: String,
    pub(super) shards: Shards,
    pub(super) config: SinkConfig,
    pub(super) started: Timestamp,
    /// Its part in each shard.
    pub(super) parts: Vec<Arc<Shared>>,
    /// Whether it was told to hand nothing more out.
    pub(super) quiet: Arc<AtomicBool>,
}

impl Heartbeat {
    /// Heartbeats until told to stop, by this process or by people, and says goodbye.
    pub(super) async fn run(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            match self.say().await {
                Ok(order) => self.obey(order, &stop),
                Err(error) => tracing::debug!(%error, "a heartbeat of {} failed: {error}", self.id),
            }
            stop.run_until_cancelled(tokio::time::sleep(HEARTBEAT)).await;
        }
        if let Err(error) = self.shards.first().heartbeat(&self.id, "").await {
            tracing::debug!(%error, "{} could not say that it ends: {error}", self.id);
        }
    }

    async fn say(&self) -> Result<WorkerOrder> {
        let mut info = WorkerInfo::new(self.id.as_str(), host(), std::process::id(), self.started);
        let target = self.config.target(self.shards.first().tag());
        let group = Some(target.group).filter(|group| !group.is_empty());
        let mut handed = SinkInfo::new(target.sink, target.kind, target.place, group);
        for (outstanding, oldest) in self.parts.iter().map(|part| part.out.read()) {
            info.slots += u64::from(self.config.outstanding);
            info.busy += outstanding;
            handed.oldest = handed.oldest.into_iter().chain(oldest).min();
        }
        info.queues.clone_from(&self.config.queues);
        info.sink = Some(handed);
        info.quiet = self.quiet.load(Ordering::Relaxed);
        info.memory_bytes = memory_bytes();
        let description = serde_json::to_string(&info).unwrap_or_default();
        self.shards.first().heartbeat(&self.id, &description).await
    }

    fn obey(&self, order: WorkerOrder, stop: &CancellationToken) {
        self.quiet.store(order != WorkerOrder::Resume, Ordering::Relaxed);
        if order == WorkerOrder::Stop {
            tracing::info!("sink {} was told to stop", self.config.name);
            stop.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_that_of_as_many_looks_as_see_all_that_is_out() {
        let out = Out::default();
        let at = |ms| Timestamp::from_millis(ms);
        let look = |outstanding, oldest| out.note(&Settled { outstanding, oldest, any: false });
        look(250, at(7));
        look(250, at(3));
        look(250, at(9));
        assert_eq!(out.read(), (250, at(3)));
        look(250, at(8));
        look(250, at(9));
        assert_eq!(out.read(), (250, at(8)), "what was the oldest has gone");
        look(1, at(9));
        assert_eq!(out.read(), (1, at(9)));
        look(0, None);
        assert_eq!(out.read(), (0, None));
    }
}
