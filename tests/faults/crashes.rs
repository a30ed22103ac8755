//! kill -9 of a worker's process under load, and of Redis under a report; functions flushed under load.

use super::scene::{command, connect, durable_server, id, job, on, until, within};
use reprieve::model::{AttemptResult, Delay, JobState, QueueName};
use reprieve::{Due, Engine, EngineConfig, Failure, JobContext};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// What a worker's process is told by: where its Redis is, and after how many jobs it holds on to what it takes.
const URL: &str = "REPRIEVE_WORKER_URL";
const DOES: &str = "REPRIEVE_WORKER_DOES";
/// Jobs that a worker's process which is to be killed does before it holds on to what it takes, so that it dies at work.
const DONE_BEFORE: &str = "60";

/// The worker's process, started by the test as this very test of its own binary: works until it is killed.
async fn work(url: String) {
    let engine = Engine::connect(EngineConfig::new(url)).await.unwrap();
    let does = std::env::var(DOES).map_or(usize::MAX, |does| does.parse().unwrap());
    let taken = AtomicUsize::new(0);
    let _worker = engine
        .worker()
        .queue(QueueName::default(), 8)
        .handler("k", move |_| {
            let holds_on = taken.fetch_add(1, Ordering::SeqCst) >= does;
            async move {
                if holds_on {
                    std::future::pending::<()>().await;
                }
                tokio::time::sleep(Duration::from_millis(20)).await; // work
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    std::future::pending::<()>().await;
}

/// The test that is the worker's process as well.
const TEST: &str =
    "a_worker_process_killed_under_load_loses_nothing_and_its_jobs_are_back_within_twenty_seconds";

/// A worker in a process of its own.
struct Process(Child);

impl Process {
    fn start(url: &str, more: &[(&str, &str)]) -> Self {
        let (_, module) = module_path!().split_once("::").unwrap();
        let own = format!("{module}::{TEST}");
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", &own]).env(URL, url).envs(more.iter().copied());
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

#[tokio::test]
async fn a_worker_process_killed_under_load_loses_nothing_and_its_jobs_are_back_within_twenty_seconds() {
    if let Ok(url) = std::env::var(URL) {
        return work(url).await;
    }
    let server = durable_server();
    let redis = on(&server).await;
    let engine = redis.engine().clone();
    let maintenance = engine.maintenance().start();
    let inspector = engine.inspector();
    let mut doomed = Process::start(server.url(), &[(DOES, DONE_BEFORE)]);
    engine.client().enqueue_batch((0..400).map(|n| job(&format!("j{n}"))).collect()).await.unwrap();
    until("some jobs to be done", || async { inspector.counts(None).await.unwrap().done >= 50 }).await;

    doomed.kill();
    let killed = engine.now().await.unwrap();
    let orphans = inspector.counts(None).await.unwrap().active;
    assert!(orphans > 0, "it was killed at work");
    let _other = Process::start(server.url(), &[]);
    until("every job to end", || async { inspector.counts(None).await.unwrap().done == 400 }).await;

    let mut back = Vec::new();
    for n in 0..400 {
        let found = inspector.job(&id(&format!("j{n}"))).await.unwrap().unwrap();
        // Heard of or not: some were claimed just before.
        let taken_back = [AttemptResult::Stalled, AttemptResult::Unheard];
        let lost = found.attempts.iter().filter(|attempt| taken_back.contains(&attempt.result));
        back.extend(lost.map(|attempt| attempt.ended.millis_since(killed)));
    }
    println!("{orphans} orphaned jobs were back after {back:?} ms");
    assert_eq!(back.len() as u64, orphans);
    // Twelve seconds of a lease, and the next look of the recoverer.
    assert!(back.iter().all(|ms| *ms < 20_000), "{back:?}");
    maintenance.shutdown().await;
}

#[tokio::test]
async fn functions_flushed_again_and_again_trouble_nobody() {
    let server = durable_server();
    let redis = on(&server).await;
    let (url, stop) = (server.url().to_owned(), Arc::new(AtomicBool::new(false)));
    let flushing = {
        let stop = Arc::clone(&stop);
        std::thread::spawn(move || {
            let mut flushes = 0;
            while !stop.load(Ordering::Relaxed) {
                // Valkey before 8.1.5 may crash while functions are removed.
                command(&url, &["FUNCTION", "FLUSH", "SYNC"]).unwrap();
                flushes += 1;
                std::thread::sleep(Duration::from_millis(1)); // as often as it can, not in one burst
            }
            flushes
        })
    };
    let (client, operator) = (redis.engine().client(), redis.engine().operator("ann"));
    for n in 0..300 {
        let mut job = job(&format!("j{n}"));
        job.due = Due::In(Delay::hours(1));
        client.enqueue_batch(vec![job]).await.unwrap();
        operator.cancel(&id(&format!("j{n}"))).await.unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    let flushes = flushing.join().unwrap();
    println!("{flushes} flushes");
    let counts = redis.engine().inspector().counts(None).await.unwrap();
    assert_eq!(counts.of(JobState::Cancelled), 300);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_that_redis_did_not_hear_of_is_reported_when_it_is_back() {
    let mut server = durable_server();
    let engine = connect(&server).await.unwrap();
    let (begun, fails) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begins, fail) = (Arc::clone(&begun), Arc::clone(&fails));
    let worker = engine
        .worker()
        .queue(QueueName::default(), 1)
        .retry_policy(|_: u32| Delay::hours(1))
        .handler("k", move |_: JobContext| {
            let (begins, fail) = (Arc::clone(&begins), Arc::clone(&fail));
            async move {
                begins.notify_one();
                fail.notified().await;
                Err(Failure::retry("the relay said no"))
            }
        })
        .start()
        .await
        .unwrap();
    engine.client().enqueue_batch(vec![job("a")]).await.unwrap();
    within("the job to begin", begun.notified()).await;

    server.kill().unwrap();
    fails.notify_one();
    // The report finds nobody, more than once.
    tokio::time::sleep(Duration::from_secs(1)).await;
    server.restart().unwrap();

    let of = async || engine.inspector().job(&id("a")).await.ok()?.map(|found| found.job);
    until("the failure to be reported", || async {
        of().await.is_some_and(|job| job.state == JobState::Retrying)
    })
    .await;
    let job = of().await.unwrap();
    assert_eq!((job.last_error.as_str(), job.stalls), ("the relay said no", 0));
    worker.shutdown().await;
}
