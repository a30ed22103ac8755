//! A namespace with an engine, and waits that end with what is waited for.

use reprieve::model::{Event, Job, JobId, JobState, Kind, QueueName};
use reprieve::testing::TestRedis;
use reprieve::{Engine, MaintenanceHandle, NewJob, WorkerBuilder};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::broadcast::Receiver;

/// Far longer than anything here takes, even on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) struct Scene {
    pub(crate) redis: TestRedis,
    pub(crate) engine: Engine,
    events: Receiver<Arc<Event>>,
    _maintenance: MaintenanceHandle,
}

pub(crate) fn id(text: &str) -> JobId {
    JobId::new(text).unwrap()
}

pub(crate) fn queue(name: &str) -> QueueName {
    QueueName::new(name).unwrap()
}

/// A job of that kind under that id, due now.
pub(crate) fn job(name: &str, kind: &str) -> NewJob {
    let mut job = NewJob::new(Kind::new(kind).unwrap(), "{}");
    job.id = Some(id(name));
    job
}

pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, future).await.unwrap_or_else(|_| panic!("{what} takes too long"))
}

/// What lets a handler go, by a word or by being dropped, and what blocks the handler's thread until then: longer than
/// anything is waited for.
pub(crate) fn hold() -> (Sender<()>, impl Fn() + Clone + Send + Sync + 'static) {
    let (release, held) = channel::<()>();
    let held = Arc::new(Mutex::new(held));
    (release, move || held.lock().unwrap().recv_timeout(TIMEOUT * 2).unwrap_or(()))
}

impl Scene {
    pub(crate) async fn new() -> Self {
        let redis = TestRedis::namespace().await;
        let engine = redis.engine().clone();
        let events = engine.events().subscribe();
        within("the event tail", engine.events().ready()).await;
        Self { _maintenance: engine.maintenance().start(), redis, engine, events }
    }

    /// A worker on the default queue with four slots.
    pub(crate) fn worker(&self) -> WorkerBuilder {
        self.engine.worker().queue(QueueName::default(), 4)
    }

    pub(crate) async fn enqueue(&self, jobs: Vec<NewJob>) {
        let count = jobs.len();
        assert_eq!(self.engine.client().enqueue_batch(jobs).await.unwrap().len(), count);
    }

    /// Waits until an event says that the job came into that state.
    pub(crate) async fn until(&mut self, name: &str, state: JobState) -> Arc<Event> {
        within(&format!("{name} to become {state}"), async {
            loop {
                let event = self.events.recv().await.unwrap();
                if event.job.as_str() == name && event.to == Some(state) {
                    return event;
                }
            }
        })
        .await
    }

    /// Waits until a job is read in that state: its event may have come before one that was waited for.
    pub(crate) async fn until_read(&self, name: &str, state: JobState) {
        within(&format!("{name} to be {state}"), async {
            while self.job(name).await.state != state {
                tokio::time::sleep(Duration::from_millis(5)).await; // events come once
            }
        })
        .await;
    }

    pub(crate) async fn job(&self, name: &str) -> Job {
        self.engine.inspector().job(&id(name)).await.unwrap().unwrap().job
    }
}
