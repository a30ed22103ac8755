//! A namespace with a clock that stands where the test says.

use reprieve::model::{CronEntry, CronFire, CronName, CronOutcome, CronState, JobId, Kind, Timestamp};
use reprieve::testing::TestRedis;
use reprieve::{Inspector, Operator};

pub(crate) const SECOND: i64 = 1_000;
pub(crate) const MINUTE: i64 = 60 * SECOND;
pub(crate) const HOUR: i64 = 60 * MINUTE;
/// Midnight of 1 January 2027, UTC.
const START: i64 = 1_798_761_600_000;

pub(crate) fn t(ms: i64) -> Timestamp {
    Timestamp::from_millis(START + ms).unwrap()
}

pub(crate) fn name() -> CronName {
    CronName::new("nightly").unwrap()
}

pub(crate) fn entry(schedule: &str) -> CronEntry {
    CronEntry::new(name(), schedule, Kind::new("report").unwrap())
}

pub(crate) struct Scene {
    pub redis: TestRedis,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self { redis: TestRedis::namespace().await }
    }

    /// A scene whose namespace has that many shards.
    pub(crate) async fn of_shards(shards: u16) -> Self {
        Self { redis: TestRedis::with_shards(shards).await }
    }

    /// A scene with that entry, made at the start.
    pub(crate) async fn with(entry: CronEntry) -> Self {
        let scene = Self::new().await;
        scene.ann(0).put_cron(entry).await.unwrap();
        scene
    }

    pub(crate) fn ann(&self, ms: i64) -> Operator {
        self.redis.operator_at(t(ms), "ann")
    }

    pub(crate) fn inspector(&self, ms: i64) -> Inspector {
        self.redis.inspector_at(t(ms))
    }

    /// Lets the duty do all it has to do at that time.
    pub(crate) async fn look(&self, ms: i64) {
        for _ in 0..1_000 {
            if !self.redis.fire_cron_at(t(ms)).await.unwrap() {
                return;
            }
        }
        panic!("the duty does not come to an end");
    }

    pub(crate) async fn state(&self) -> CronState {
        self.inspector(0).cron_entry(&name()).await.unwrap().unwrap()
    }

    /// The history, oldest first, as the ms of the tick and the outcome.
    pub(crate) async fn lines(&self) -> Vec<(i64, CronOutcome)> {
        let lines: Vec<CronFire> = self.inspector(0).cron_history(&name(), 100).await.unwrap();
        lines.iter().rev().map(|fire| (fire.tick.as_millis() - START, fire.outcome)).collect()
    }

    /// Due times of the jobs that ticks enqueued, ms after the start, in order.
    pub(crate) async fn jobs(&self) -> Vec<i64> {
        let prefix = format!("{}job:cron:nightly:", self.redis.prefix());
        let keys = self.redis.command(&["KEYS", &format!("{prefix}*")]).await.unwrap();
        let keys: Vec<String> = redis::from_redis_value(keys).unwrap();
        let mut ticks: Vec<i64> =
            keys.iter().filter_map(|key| key.strip_prefix(&prefix)?.parse::<i64>().ok()).collect();
        ticks.sort_unstable();
        ticks.into_iter().map(|tick| tick - START).collect()
    }
}

/// The id of a tick's job.
pub(crate) fn job_of(ms: i64) -> JobId {
    JobId::new(format!("cron:nightly:{}", START + ms)).unwrap()
}
