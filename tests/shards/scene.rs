//! A namespace of four shards and jobs spread over them.

use reprieve::model::{Delay, Enqueued, JobId, JobState, Kind, Shard, Subject};
use reprieve::testing::TestRedis;
use reprieve::{Due, Engine, NewJob};

pub(crate) const SHARDS: u16 = 4;

pub(crate) struct Scene {
    pub(crate) redis: TestRedis,
    pub(crate) engine: Engine,
}

pub(crate) fn id(text: &str) -> JobId {
    JobId::new(text).unwrap()
}

/// A job that is due in an hour.
pub(crate) fn job(name: &str) -> NewJob {
    let mut job = NewJob::new(Kind::new("notice").unwrap(), "{}");
    job.id = Some(id(name));
    job.due = Due::In(Delay::hours(1));
    job
}

pub(crate) fn about(subject: &Subject, name: &str) -> NewJob {
    let mut job = job(name);
    job.subject = Some(subject.clone());
    job
}

/// A subject whose home is that shard.
pub(crate) fn subject_of(shard: u16) -> Subject {
    let home = |name: &String| Shard::home(Some(name), None, "", SHARDS) == Shard(shard);
    let name = (0..).map(|number| format!("resource:{number}")).find(home).unwrap();
    Subject::new(name).unwrap()
}

impl Scene {
    pub(crate) async fn new() -> Self {
        let redis = TestRedis::with_shards(SHARDS).await;
        Self { engine: redis.engine().clone(), redis }
    }

    pub(crate) async fn enqueue(&self, job: NewJob) -> Enqueued {
        self.engine.client().enqueue_batch(vec![job]).await.unwrap().remove(0)
    }

    /// The state of a job in each shard that knows of it.
    pub(crate) async fn whereabouts(&self, name: &str) -> Vec<(u16, JobState)> {
        let mut found = Vec::new();
        for store in self.redis.shards().all() {
            if let Some((job, ..)) = store.job(&id(name)).await.unwrap() {
                found.push((store.shard().0, job.state));
            }
        }
        found
    }
}
