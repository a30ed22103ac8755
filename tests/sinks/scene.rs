//! A namespace with a place outside it, and a consumer that does what others' consumers do.

use redis::Value;
use reprieve::model::{Delay, Job, JobId, JobState, Kind, QueueName, SinkKind, Timestamp, Token};
use reprieve::store::{ClaimedJob, Found, Intent, Look, Over, PublishOutcome, Store, Target};
use reprieve::testing::{TestRedis, breaches};
use reprieve::{Due, NewJob};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing::subscriber::DefaultGuard;

/// The zero of every test's clock.
pub(crate) const START: i64 = 1_700_000_040_000;
/// How long a consumer may keep a job.
pub(crate) const TIMEOUT: Delay = Delay::seconds(30);
/// The lease of a job that was published.
pub(crate) const LEASE: Delay = Delay::hours(1);

/// Rights to the places outside; `@` stands for the namespace.
const PLACES: [&str; 5] = ["~@-*", "~asynq:{@}:*", "~asynq:queues", "&asynq:cancel", "+publish"];

pub(crate) fn t(ms: i64) -> Timestamp {
    Timestamp::from_millis(START + ms).unwrap()
}

pub(crate) fn id(text: &str) -> JobId {
    JobId::new(text).unwrap()
}

pub(crate) fn mail() -> QueueName {
    QueueName::new("mail").unwrap()
}

pub(crate) fn ann() -> Intent {
    Intent::of("ann")
}

pub(crate) fn job() -> NewJob {
    let mut job = NewJob::new(Kind::new("notice").unwrap(), r#"{"to":"ö@example.com"}"#);
    job.queue = mail();
    job.due = Due::At(t(-1));
    job
}

/// The id of a stream's entry and its fields.
pub(crate) type Entry = (String, Vec<(String, String)>);

pub(crate) struct Scene {
    pub redis: TestRedis,
    pub target: Target,
}

impl Scene {
    /// A sink to a stream of this test's own.
    pub(crate) async fn stream() -> Self {
        let redis = TestRedis::beside(1, &PLACES).await;
        let target = Target::stream("orders", &format!("{}-work", redis.name()), "workers", 10);
        Self { redis, target }
    }

    /// A sink to a list of this test's own.
    pub(crate) async fn list() -> Self {
        let redis = TestRedis::beside(1, &PLACES).await;
        let target = Target::list("orders", &format!("{}-list", redis.name()), 10);
        Self { redis, target }
    }

    /// A sink to a queue of asynq.
    pub(crate) async fn asynq() -> Self {
        let redis = TestRedis::beside(1, &PLACES).await;
        let target = Target::asynq("orders", redis.name().as_str(), 10);
        Self { redis, target }
    }

    pub(crate) fn at(&self, ms: i64) -> Store {
        self.redis.store().at(t(ms))
    }

    pub(crate) async fn claim(&self, ms: i64) -> Vec<ClaimedJob> {
        self.at(ms).claim("sink:orders", Delay::seconds(12), 9, &[(mail(), 9)]).await.unwrap()
    }

    pub(crate) async fn enqueue(&self, names: &[&str]) {
        for name in names {
            self.at(0).enqueue("client", &[(id(name), job())]).await.unwrap();
        }
    }

    /// Claims and publishes whatever is ready.
    pub(crate) async fn publish(&self, ms: i64) -> Vec<(JobId, Token)> {
        let item = |id: &JobId, token: Token| match self.target.kind {
            SinkKind::Stream => Vec::new(),
            _ => format!("{id}#{token}").into_bytes(),
        };
        let jobs = self.claim(ms).await.into_iter();
        let jobs: Vec<_> = jobs.map(|job| (job.id.clone(), job.token, item(&job.id, job.token))).collect();
        let words = self.at(ms).publish(&self.target, LEASE, &jobs).await.unwrap();
        assert_eq!(words, vec![PublishOutcome::Published; jobs.len()]);
        jobs.into_iter().map(|(id, token, _)| (id, token)).collect()
    }

    /// Enqueues one job and hands it out.
    pub(crate) async fn given_published(&self, name: &str) -> Token {
        self.enqueue(&[name]).await;
        self.publish(0).await[0].1
    }

    pub(crate) async fn look(&self, ms: i64) -> Look {
        let look = self.at(ms).look(&self.target.sink, 100, LEASE, TIMEOUT).await.unwrap();
        assert_eq!(breaches(&self.redis.snapshot().await), Vec::<String>::new());
        look
    }

    /// What a look finds over.
    pub(crate) async fn over(&self, ms: i64) -> Vec<(Over, String)> {
        let found = |found: &Found| (found.over, found.id.to_string());
        self.look(ms).await.over.iter().map(found).collect()
    }

    pub(crate) async fn job(&self, name: &str) -> Job {
        self.redis.store().job(&id(name)).await.unwrap().unwrap().0
    }

    pub(crate) async fn state(&self, name: &str) -> JobState {
        self.job(name).await.state
    }

    /// A plain command; `@` stands for the place, `%` for the group.
    pub(crate) async fn command(&self, line: &str) -> Value {
        let words: Vec<&str> = line
            .split(' ')
            .map(|word| match word {
                "@" => self.target.place.as_str(),
                "%" => self.target.group.as_str(),
                word => word,
            })
            .collect();
        self.redis.command(&words).await.unwrap()
    }

    /// What a consumer gets: the ids of its entries, with their fields.
    pub(crate) async fn read(&self, consumer: &str) -> Vec<Entry> {
        let reply = self.command(&format!("XREADGROUP GROUP % {consumer} COUNT 9 STREAMS @ >")).await;
        let streams: Vec<(String, Vec<Entry>)> = match redis::from_redis_value(reply).unwrap() {
            Some(streams) => streams,
            None => return Vec::new(),
        };
        streams.into_iter().flat_map(|(_, entries)| entries).collect()
    }

    pub(crate) async fn ack(&self, entry: &str) {
        assert_eq!(self.command(&format!("XACK @ % {entry}")).await, Value::Int(1));
    }

    pub(crate) async fn length(&self) -> Value {
        self.command("XLEN @").await
    }
}

/// What is logged on this thread, a line each.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// For as long as the guard is kept.
    pub(crate) fn of_this_thread() -> (Self, DefaultGuard) {
        let lines = Self::default();
        let kept = lines.clone();
        let log = tracing_subscriber::fmt().with_ansi(false).with_writer(move || kept.clone()).finish();
        (lines, tracing::subscriber::set_default(log))
    }

    /// Those that hold that text.
    pub(crate) fn with(&self, text: &str) -> Vec<String> {
        let all = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        all.lines().filter(|line| line.contains(text)).map(str::to_owned).collect()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits until something is so, a minute at most.
pub(crate) async fn eventually(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let waited = async {
        while !is_so().await {
            // Between looks at a state that another process changes.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), waited).await.is_ok(), "never so: {what}");
}
