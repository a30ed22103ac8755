//! Claims jobs while there is room. Polling is correctness, waking is latency.

use super::{LEASE, Shared, execute};
use crate::model::{Delay, QueueName, Shard};
use crate::store::{ClaimedJob, Store, WakeReader};
use rand::Rng;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long to wait for a wake token before looking anyway.
const POLL: Duration = Duration::from_millis(500);
/// The same for a worker that has had nothing to do for a while: a token is lost only with the process that took it.
const POLL_IDLE: Duration = Duration::from_secs(3);
/// After so long without a token a worker is idle.
const IDLE_AFTER: Duration = Duration::from_secs(1);
/// How often to learn which queues there are.
const LEARN: Duration = Duration::from_secs(1);
/// Jobs claimed by one call: two to four milliseconds of Redis (`tools/bench/benches/scripts.rs`), where 1,000 would be forty.
/// With more room the next call follows at once.
const BATCH_MAX: u32 = 100;
/// The longest a worker waits for the rate of a queue by itself; its polls do the rest.
const RATE_WAIT_MAX: Duration = POLL;
/// Wait after a failed call.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// Waits for wake tokens of some shards on a connection of its own and tells the fetch loop to look.
pub(super) async fn listen(shared: Arc<Shared>, shards: Vec<Store>, stop: CancellationToken) {
    let waiting = async {
        let mut reader = WakeReader::new(shards);
        let mut called = Instant::now();
        loop {
            let names = shared.slots.names();
            // Full, or nothing to serve yet: leave the tokens to others.
            if shared.slots.free() == 0 || shared.is_quiet() || names.is_empty() {
                tokio::time::sleep(POLL / 5).await;
            } else {
                // A worker of all queues has to hear of new ones, for which nobody leaves it a token.
                let is_idle = called.elapsed() >= IDLE_AFTER && !shared.slots.learns();
                let poll = if is_idle { POLL_IDLE } else { POLL };
                let poll = poll.mul_f64(rand::rng().random_range(0.8..1.2));
                match reader.wait(&names, poll).await {
                    Ok(Some(shard)) => {
                        called = Instant::now();
                        shared.awake.mark(shard);
                    }
                    Ok(None) => reader.shards().for_each(|shard| shared.awake.mark(shard)),
                    Err(_) => tokio::time::sleep(RETRY_DELAY).await,
                }
            }
            shared.look.notify_one();
        }
    };
    stop.run_until_cancelled(waiting).await;
}

/// Claims as many jobs as there are free slots, whenever there may be some.
pub(super) async fn run(shared: Arc<Shared>, running: TaskTracker, stop: CancellationToken) {
    let mut learnt: Option<Instant> = None;
    while !stop.is_cancelled() {
        if shared.slots.learns()
            && learnt.is_none_or(|at| at.elapsed() >= LEARN)
            && let Ok(names) = shared.shards.queue_names().await
        {
            shared.slots.learn(names);
            learnt = Some(Instant::now());
        }
        let more = claim(&shared, &running).await;
        if !more {
            stop.run_until_cancelled(shared.look.notified()).await;
        }
    }
}

/// Claims once, from one shard. `true` when there may be more and there is room for it.
async fn claim(shared: &Arc<Shared>, running: &TaskTracker) -> bool {
    let wanted = shared.slots.wanted();
    let most = shared.slots.free().min(BATCH_MAX);
    if wanted.is_empty() || most == 0 || shared.is_quiet() {
        return false;
    }
    let Some(shard) = shared.awake.take() else { return false };
    let at = Instant::now();
    let claimed = shared.shards.shard(shard).claim_with_head(&shared.id, LEASE, most, &wanted).await;
    let (head, jobs) = match claimed {
        Ok(claimed) => claimed,
        Err(error) => {
            tracing::debug!(%error, "claim failed: {error}");
            // The jobs are still there, and nobody leaves another token for them.
            look_again_at(shared, running, shard, Instant::now() + POLL);
            return true;
        }
    };
    start(shared, running, shard, &Asked { at, most, wanted, leaves_out: false }, jobs, head.wait);
    shared.slots.free() > 0
}

/// What a shard was asked for.
pub(super) struct Asked {
    pub(super) at: Instant,
    pub(super) most: u32,
    pub(super) wanted: Vec<(QueueName, u32)>,
    /// Whether there are queues that were not asked.
    pub(super) leaves_out: bool,
}

impl Asked {
    /// Whether there may be more than what came. Otherwise each job that becomes ready from now on leaves a wake token.
    fn leaves_more(&self, jobs: &[ClaimedJob]) -> bool {
        let all_of = |most: &u32, count: usize| usize::try_from(*most).is_ok_and(|most| count >= most);
        let of_queue = |queue: &QueueName| jobs.iter().filter(|job| job.queue == *queue).count();
        self.leaves_out
            || all_of(&self.most, jobs.len())
            || self.wanted.iter().any(|(queue, most)| all_of(most, of_queue(queue)))
    }
}

/// Starts what was claimed, and keeps in mind where and when there may be more.
pub(super) fn start(
    shared: &Arc<Shared>,
    running: &TaskTracker,
    shard: Shard,
    asked: &Asked,
    jobs: Vec<ClaimedJob>,
    wait: Option<Delay>,
) {
    if asked.leaves_more(&jobs) {
        shared.awake.mark(shard);
    }
    if let Some(wait) = wait {
        look_again_at(shared, running, shard, Instant::now() + wait.as_duration().min(RATE_WAIT_MAX));
    }
    for job in jobs {
        shared.slots.take(&job.queue);
        running.spawn(execute::run(Arc::clone(shared), job, asked.at));
    }
}

/// Has a shard looked into again at that time, or before.
fn look_again_at(shared: &Arc<Shared>, running: &TaskTracker, shard: Shard, at: Instant) {
    if shared.awake.plan(shard, at) {
        running.spawn(look_again(Arc::clone(shared), shard, at));
    }
}

/// Looks into a shard again when the rate of a queue allows its next job: nothing else would wake us for that.
async fn look_again(shared: Arc<Shared>, shard: Shard, at: Instant) {
    tokio::time::sleep_until(at.into()).await;
    if shared.awake.look(shard, at) {
        shared.look.notify_one();
    }
}
