//! A namespace of four cells and jobs spread over them.

use reprieve::model::{Cell, Delay, Enqueued, JobId, JobState, Kind, Subject};
use reprieve::testing::TestRedis;
use reprieve::{Due, Engine, NewJob};

pub(crate) const CELLS: u16 = 4;

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

/// A subject whose home is that cell.
pub(crate) fn subject_of(cell: u16) -> Subject {
    let home = |name: &String| Cell::home(Some(name), None, "", CELLS) == Cell(cell);
    let name = (0..).map(|number| format!("resource:{number}")).find(home).unwrap();
    Subject::new(name).unwrap()
}

impl Scene {
    pub(crate) async fn new() -> Self {
        let redis = TestRedis::with_cells(CELLS).await;
        Self { engine: redis.engine().clone(), redis }
    }

    pub(crate) async fn enqueue(&self, job: NewJob) -> Enqueued {
        self.engine.client().enqueue_batch(vec![job]).await.unwrap().remove(0)
    }

    /// The state of a job in each cell that knows of it.
    pub(crate) async fn whereabouts(&self, name: &str) -> Vec<(u16, JobState)> {
        let mut found = Vec::new();
        for store in self.redis.cells().all() {
            if let Some((job, ..)) = store.job(&id(name)).await.unwrap() {
                found.push((store.cell().0, job.state));
            }
        }
        found
    }
}
