//! A namespace of one test, with a clock that stands still until the test moves it.

use super::expected::Expected;
use super::server;
use crate::client::Client;
use crate::clock::GivenClock;
use crate::engine::{Engine, EngineConfig};
use crate::error::Result;
use crate::inspector::{Inspector, Operator};
use crate::model::list::PAGE_SIZE_MAX;
use crate::model::{Delay, Direction, Job, JobRow, JobState, ListQuery, Namespace, StateGroup, Timestamp};
use crate::worker::WorkerBuilder;
use std::future::Future;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

/// What every sandbox's clock shows at first: the start of 2030, so that times in messages are easy to read.
const START: Timestamp = Timestamp::saturating_from_millis(1_893_456_000_000);
/// Jobs that are looked at; a test with more than this wants to count, not to list.
const JOBS_MAX: usize = 10_000;

static SANDBOXES: AtomicU32 = AtomicU32::new(0);

/// A namespace of its own on a real Redis, with a clock that the test moves: due times are reached by
/// [`advance`](Self::advance), and due jobs run when the test says [`drain`](Self::drain).
///
/// What Redis lets expire by itself (the time to live of a unique key, kept answers) goes by its own clock all the same.
#[derive(Debug)]
pub struct Sandbox {
    engine: Engine,
    clock: GivenClock,
    /// To be emptied at the end: somebody else's Redis.
    foreign: Option<String>,
}

impl Sandbox {
    /// On a private redis-server that all tests of this program share, and that ends with it.
    ///
    /// # Panics
    /// When no redis-server can be started: it is looked for on the PATH.
    #[expect(clippy::expect_used, reason = "a test without its Redis can only fail")]
    pub async fn new() -> Self {
        let engine = Engine::connect(EngineConfig::new(super::fresh_database()).namespace(fresh_name()));
        Self::of(&engine.await.expect("redis-server answers"), None)
    }

    /// On a Redis that is there already. The namespace is removed when the sandbox is dropped.
    ///
    /// # Errors
    /// Those of [`Engine::connect`].
    pub async fn on(url: &str) -> Result<Self> {
        let engine = Engine::connect(EngineConfig::new(url).namespace(fresh_name())).await?;
        Ok(Self::of(&engine, Some(url.to_owned())))
    }

    fn of(engine: &Engine, foreign: Option<String>) -> Self {
        let clock = GivenClock::new(START);
        Self { engine: engine.on_clock(&clock), clock, foreign }
    }

    /// The engine, on the sandbox's clock: give it to what is to be tested.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Adds jobs and calls them off.
    #[must_use]
    pub fn client(&self) -> Client {
        self.engine.client()
    }

    /// Reads.
    #[must_use]
    pub fn inspector(&self) -> Inspector {
        self.engine.inspector()
    }

    /// Acts for somebody.
    #[must_use]
    pub fn operator(&self, actor: &str) -> Operator {
        self.engine.operator(actor)
    }

    /// A worker to register handlers with, for [`drain`](Self::drain). Without a queue it serves all of them.
    pub fn worker(&self) -> WorkerBuilder {
        self.engine.worker()
    }

    /// The clock.
    #[must_use]
    pub const fn clock(&self) -> &GivenClock {
        &self.clock
    }

    /// What the clock shows.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Moves the clock forward. Nothing runs before the next drain.
    pub fn advance(&self, by: Delay) {
        self.clock.advance(by);
    }

    /// Runs every due job with the handlers of that worker, also those that they enqueue for now, until none is left.
    /// What is due later stays. Returns each job that ran, as it is now.
    ///
    /// # Panics
    /// When Redis does not answer, or handlers enqueue each other without end.
    pub async fn drain(&self, worker: WorkerBuilder) -> Vec<JobRow> {
        self.drain_through(worker, Delay::ZERO).await
    }

    /// The same over a span of time: the clock goes from due time to due time, and stands at the end of the span when
    /// it is over. Retries that fall into it run too.
    ///
    /// # Panics
    /// As [`drain`](Self::drain).
    #[expect(clippy::expect_used, reason = "a test without its Redis can only fail")]
    pub async fn drain_through(&self, worker: WorkerBuilder, span: Delay) -> Vec<JobRow> {
        let ran = worker.drain(&self.clock, span).await.expect("due jobs run");
        let mut rows = Vec::with_capacity(ran.len());
        for ids in ran.chunks(usize::from(PAGE_SIZE_MAX)) {
            rows.extend(self.inspector().rows(ids).await.expect("redis answers").into_iter().flatten());
        }
        rows
    }

    /// Every live job with all there is of it, by due time.
    ///
    /// # Panics
    /// When Redis does not answer.
    pub async fn enqueued(&self) -> Vec<Job> {
        let live = [StateGroup::Delay, StateGroup::Held, StateGroup::Ready, StateGroup::Active];
        self.jobs_in(&live).await
    }

    /// Every job in that state with all there is of it, by due time.
    ///
    /// # Panics
    /// When Redis does not answer.
    pub async fn jobs(&self, state: JobState) -> Vec<Job> {
        let mut jobs = self.jobs_in(&[StateGroup::of(state)]).await;
        jobs.retain(|job| job.state == state);
        jobs
    }

    /// Fails the test unless such a job is live; the message tells what is there instead, the most alike first.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn assert_enqueued(&self, expected: Expected) -> impl Future<Output = ()> {
        let place = Location::caller();
        async move {
            let breach = expected.breach(&self.enqueued().await, self.now());
            assert!(breach.is_none(), "{place}: {}", breach.unwrap_or_default());
        }
    }

    /// Fails the test when such a job is live.
    ///
    /// # Panics
    /// When it is.
    #[track_caller]
    pub fn assert_not_enqueued(&self, unexpected: Expected) -> impl Future<Output = ()> {
        let place = Location::caller();
        async move {
            let presence = unexpected.presence(&self.enqueued().await, self.now());
            assert!(presence.is_none(), "{place}: {}", presence.unwrap_or_default());
        }
    }

    #[expect(clippy::expect_used, reason = "a test without its Redis can only fail")]
    async fn jobs_in(&self, groups: &[StateGroup]) -> Vec<Job> {
        let inspector = self.inspector();
        let mut jobs: Vec<Job> = Vec::new();
        for group in groups {
            let mut query = ListQuery::group(*group).direction(Direction::Ascending).size(PAGE_SIZE_MAX);
            loop {
                let page = inspector.list(&query).await.expect("redis answers");
                for row in page.rows {
                    jobs.extend(inspector.job(&row.id).await.expect("redis answers").map(|found| found.job));
                }
                match page.next {
                    Some(next) if jobs.len() < JOBS_MAX => query = query.after(Some(next)),
                    _ => break,
                }
            }
        }
        jobs.sort_by(|a, b| (a.due, &a.id).cmp(&(b.due, &b.id)));
        jobs
    }
}

#[expect(clippy::expect_used, reason = "numbers make a name")]
fn fresh_name() -> Namespace {
    let number = SANDBOXES.fetch_add(1, Ordering::Relaxed);
    let random: u32 = rand::random();
    Namespace::new(format!("sandbox-{}-{number}-{random:08x}", std::process::id())).expect("a name")
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Some(url) = &self.foreign {
            for store in self.engine.shards().all() {
                // What is left of a test does no harm.
                server::remove(url, store.keys().prefix()).ok();
            }
        }
    }
}
