//! kill -9 of Redis and of a worker's process under load; scripts flushed under load.

use super::scene::{command, connect, durable_server, id, job, on, until};
use reprieve::model::{Delay, JobState, QueueName};
use reprieve::{Due, Failure, JobContext};
use std::collections::HashSet;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;

const JOBS: usize = 1_500;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_killed_three_times_under_load_loses_no_job_that_was_accepted() {
    let mut server = durable_server();
    let redis = on(&server).await;
    let engine = redis.engine().clone();
    let maintenance = engine.maintenance().start();
    let ran: Arc<Mutex<HashSet<String>>> = Arc::default();
    let record = Arc::clone(&ran);
    let worker = engine
        .worker()
        .queue(QueueName::default(), 20)
        .handler("k", move |context: JobContext| {
            record.lock().unwrap().insert(context.id().to_string());
            async { Ok(()) }
        })
        .start()
        .await
        .unwrap();

    let client = engine.client();
    let producer = tokio::spawn(async move {
        for n in 0..JOBS {
            let mut job = job(&format!("j{n}"));
            job.due = Due::In(Delay::millis(i64::try_from(n % 3).unwrap() * 300));
            // Repeated until Redis takes it: with an id of its own a job is taken once.
            while client.enqueue_batch(vec![job.clone()]).await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    });
    for _ in 0..3 {
        // Some load before, between and after the crashes.
        tokio::time::sleep(Duration::from_millis(700)).await;
        server.kill().unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        server.restart().unwrap();
    }
    producer.await.unwrap();

    let inspector = engine.inspector();
    let took = until("every job to end", || async {
        inspector.counts(None).await.is_ok_and(|counts| counts.done == JOBS as u64)
    })
    .await;
    println!("{JOBS} jobs done {took:?} after the last was enqueued");
    assert_eq!(ran.lock().unwrap().len(), JOBS);
    assert_eq!(engine.outage(), None);
    worker.shutdown().await;
    maintenance.shutdown().await;
}

/// Jobs that a worker's process which is to be killed does before it holds on to what it takes, so that it dies at work.
const DONE_BEFORE: &str = "60";

/// Not a test of its own: the process that the next test kills. Without its variable it does nothing.
#[tokio::test]
async fn worker_process() {
    let Ok(url) = std::env::var("REPRIEVE_WORKER_URL") else { return };
    let engine = reprieve::Engine::connect(reprieve::EngineConfig::new(url)).await.unwrap();
    let does = std::env::var("REPRIEVE_WORKER_DOES").map_or(usize::MAX, |does| does.parse().unwrap());
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

fn spawn_worker(url: &str, more: &[(&str, &str)]) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "crashes::worker_process"]).env("REPRIEVE_WORKER_URL", url);
    command.envs(more.iter().copied());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[tokio::test]
async fn a_worker_process_killed_under_load_loses_nothing_and_its_jobs_are_back_within_twenty_seconds() {
    let server = durable_server();
    let redis = on(&server).await;
    let engine = redis.engine().clone();
    let maintenance = engine.maintenance().start();
    let inspector = engine.inspector();
    let mut doomed = spawn_worker(server.url(), &[("REPRIEVE_WORKER_DOES", DONE_BEFORE)]);
    engine.client().enqueue_batch((0..400).map(|n| job(&format!("j{n}"))).collect()).await.unwrap();
    until("some jobs to be done", || async { inspector.counts(None).await.unwrap().done >= 50 }).await;

    doomed.kill().unwrap();
    doomed.wait().unwrap();
    let orphans = inspector.counts(None).await.unwrap().active;
    assert!(orphans > 0, "it was killed at work");
    let mut other = spawn_worker(server.url(), &[]);
    let took =
        until("every job to end", || async { inspector.counts(None).await.unwrap().done == 400 }).await;

    println!("{orphans} orphaned jobs were done {took:?} after the kill");
    assert!(took < Duration::from_secs(20), "{took:?}");
    other.kill().unwrap();
    other.wait().unwrap();
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
                command(&url, &["FUNCTION", "FLUSH"]).unwrap();
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
    begun.notified().await;

    server.kill().unwrap();
    fails.notify_one();
    tokio::time::sleep(Duration::from_secs(1)).await; // the report finds nobody, more than once
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
