//! Consumers that nobody here wrote: Python's `redis` package under the examples in `examples/python`, run as they are.

use reprieve::model::{AttemptResult, Delay, Job, JobDetail, JobId, JobState, Kind, QueueName};
use reprieve::testing::{TestRedis, breaches};
use reprieve::{Due, ExponentialBackoff, MaintenanceHandle, NewJob};
use reprieve_sinks::{Destination, PlaceName, SinkConfig, SinkHandle};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long a consumer may keep a job: longer than the slow job takes, short enough to wait for.
const TIMEOUT: Delay = Delay::seconds(5);
/// What must happen happens well within this, on the slowest machine.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// The Python with the packages of `examples/python/requirements.txt`.
fn python() -> PathBuf {
    let prepared = std::env::var_os("REPRIEVE_PYTHON").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/python/bin/python"),
        PathBuf::from,
    );
    assert!(prepared.exists(), "no {}: `cargo xtask python` prepares it", prepared.display());
    prepared
}

/// An example under way; killed with the test.
struct Consumer(Child);

impl Consumer {
    fn start(example: &str, redis: &TestRedis, place: &str) -> Self {
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/python").join(example);
        let started = Command::new(python())
            .arg(file)
            .envs([("REDIS_URL", redis.url()), ("STREAM", place), ("LIST", place)])
            .stdout(Stdio::null())
            .spawn();
        Self(started.unwrap())
    }

    /// The end that no program can prepare for.
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        // It may have been killed by the test.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// What the sink's user needs besides: the stream or list, and its replies.
const PLACES: [&str; 2] = ["~@-orders", "~@-orders-replies"];

struct Scene {
    redis: TestRedis,
    place: String,
    sink: SinkHandle,
    maintenance: MaintenanceHandle,
}

impl Scene {
    async fn new(destination: impl Fn(PlaceName) -> Destination) -> Self {
        let redis = TestRedis::beside(1, &PLACES).await;
        let place = format!("{}-orders", redis.name());
        let key = |name: &str| PlaceName::new(name).unwrap();
        let config = SinkConfig::new(
            QueueName::new("python").unwrap(),
            vec![QueueName::default()],
            destination(key(&place)),
        );
        let config = config
            .timeout(TIMEOUT)
            .reply(key(&format!("{place}-replies")))
            .retry_policy(ExponentialBackoff::new(Delay::millis(100), Delay::millis(100)));
        let sink = SinkHandle::start(redis.engine(), &config).await.unwrap();
        let maintenance = redis.engine().maintenance().start();
        Self { redis, place, sink, maintenance }
    }

    async fn enqueue(&self, id: &str, payload: &str) {
        let mut job = NewJob::new(Kind::new("notice").unwrap(), payload);
        job.due = Due::Now;
        self.redis.store().enqueue("shop", &[(JobId::new(id).unwrap(), job)]).await.unwrap();
    }

    async fn detail(&self, id: &str) -> JobDetail {
        self.redis.engine().inspector().job(&JobId::new(id).unwrap()).await.unwrap().unwrap()
    }

    /// Waits until a consumer works. Python may take longer to start than a job may take.
    async fn is_served(&self) {
        self.enqueue("first", "{}").await;
        self.until("first", "done", |job| job.state == JobState::Done).await;
    }

    /// Waits until a job is as described.
    async fn until(&self, id: &str, what: &str, is_so: impl Fn(&Job) -> bool) -> JobDetail {
        let waited = tokio::time::timeout(WAIT_MAX, async {
            loop {
                let detail = self.detail(id).await;
                if is_so(&detail.job) {
                    return detail;
                }
                // Between looks at what another process does.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
        waited.await.unwrap_or_else(|_| panic!("job {id} was never {what}"))
    }

    async fn end(self) {
        self.sink.shutdown().await;
        self.maintenance.shutdown().await;
        assert_eq!(breaches(&self.redis.snapshot().await), Vec::<String>::new());
    }
}

fn stream(stream: PlaceName) -> Destination {
    Destination::Stream { stream, group: "workers".to_owned() }
}

#[tokio::test]
async fn a_python_consumer_of_a_stream_does_jobs_retries_failures_and_survives_being_killed() {
    let scene = Scene::new(stream).await;
    let mut first = Consumer::start("stream_consumer.py", &scene.redis, &scene.place);
    scene.is_served().await;

    scene.enqueue("quick", r#"{"to":"ö@example.com"}"#).await;
    let quick = scene.until("quick", "done", |job| job.state == JobState::Done).await;
    assert_eq!((quick.job.attempt, quick.attempts[0].result), (1, AttemptResult::Done));

    scene.enqueue("failing", r#"{"fails":2}"#).await;
    let failing = scene.until("failing", "done", |job| job.state == JobState::Done).await;
    let results: Vec<_> = failing.attempts.iter().map(|attempt| attempt.result).collect();
    assert_eq!(results, [AttemptResult::Done, AttemptResult::Failed, AttemptResult::Failed]);
    assert_eq!(failing.attempts[1].error, "the mail server said no");

    scene.enqueue("slow", r#"{"takes_s":2}"#).await;
    let taken =
        |job: &Job| job.publication.as_ref().is_some_and(|publication| publication.taken_by.is_some());
    let slow = scene.until("slow", "taken", taken).await.job;
    let taken_by = slow.publication.unwrap().taken_by.unwrap();
    assert!(taken_by.ends_with(&format!("-{}", first.0.id())), "{taken_by}");
    first.kill();

    let second = Consumer::start("stream_consumer.py", &scene.redis, &scene.place);
    let slow = scene.until("slow", "done", |job| job.state == JobState::Done).await;
    assert_eq!((slow.job.attempt, slow.attempts.len()), (2, 2));
    assert_eq!(slow.attempts[1].error, format!("{taken_by} did not acknowledge it within 5000 ms"));
    drop(second);
    scene.end().await;
}

#[tokio::test]
async fn a_python_consumer_of_a_list_does_jobs_and_retries_failures() {
    let scene = Scene::new(|list| Destination::List { list }).await;
    let _consumer = Consumer::start("list_consumer.py", &scene.redis, &scene.place);
    scene.is_served().await;

    scene.enqueue("quick", "{}").await;
    scene.enqueue("failing", r#"{"fails":1}"#).await;

    scene.until("quick", "done", |job| job.state == JobState::Done).await;
    let failing = scene.until("failing", "done", |job| job.state == JobState::Done).await;
    assert_eq!((failing.job.attempt, failing.attempts[1].error.as_str()), (2, "the mail server said no"));
    scene.end().await;
}
