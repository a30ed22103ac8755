//! Stopping: a running job, a worker.

use super::scene::{Scene, id, job, within};
use reprieve::model::{AttemptResult, Delay, JobState, QueueName};
use reprieve::testing::RedisServer;
use reprieve::{Engine, EngineConfig, Failure, JobContext};
use std::time::Duration;
use tokio::sync::mpsc;

#[tokio::test]
async fn a_running_job_that_listens_is_cancelled_by_its_next_heartbeat() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .handler("k", |context: JobContext| async move {
            context.cancelled().await;
            Err(Failure::retry("stopped half-way"))
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Active).await;

    let answer = scene.engine.operator("ann").cancel(&id("a")).because("renewed").await.unwrap();
    assert_eq!(answer.word(), "requested");
    assert_eq!(answer.standing().worker.as_deref(), Some(worker.id()));

    scene.until("a", JobState::Cancelled).await;
    let detail = scene.engine.inspector().job(&id("a")).await.unwrap().unwrap();
    assert_eq!(detail.job.cancelled_from, Some(JobState::Active));
    assert_eq!(detail.attempts[0].result, AttemptResult::Cancelled);
    // A heartbeat comes every four seconds: with the one after the next it would be eight, and more.
    let took_ms = detail.attempts[0].ended.millis_since(answer.standing().at);
    assert!(took_ms < 8_000, "{took_ms} ms");
    worker.shutdown().await;
}

#[tokio::test]
async fn shutdown_lets_handlers_finish() {
    let mut scene = Scene::new().await;
    let (began, mut begins) = mpsc::channel(1);
    let worker = scene
        .worker()
        .handler("k", move |context: JobContext| {
            let began = began.clone();
            async move {
                began.send(()).await.unwrap();
                // Work that ends by itself while the worker waits for it.
                tokio::time::sleep(Duration::from_millis(200)).await;
                assert!(!context.is_cancelled());
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    within("the job to begin", begins.recv()).await.unwrap();
    worker.shutdown().await;
    scene.until("a", JobState::Done).await;
}

#[tokio::test]
async fn shutdown_gives_back_what_does_not_finish_without_costing_an_attempt() {
    let scene = Scene::new().await;
    let (began, mut begins) = mpsc::channel(1);
    let worker = scene
        .worker()
        .grace(Duration::from_millis(50))
        .handler("k", move |_| {
            let began = began.clone();
            async move {
                began.send(()).await.unwrap();
                std::future::pending::<()>().await;
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    within("the job to begin", begins.recv()).await.unwrap();

    within("the worker to stop", worker.shutdown()).await;

    let detail = scene.engine.inspector().job(&id("a")).await.unwrap().unwrap();
    assert_eq!((detail.job.state, detail.job.attempt, detail.job.stalls), (JobState::Ready, 0, 0));
    assert_eq!(detail.attempts[0].result, AttemptResult::Released);
    assert!(scene.engine.inspector().workers().await.unwrap().is_empty(), "it said goodbye");
}

#[tokio::test]
async fn a_handler_that_stops_when_asked_at_shutdown_pays_no_attempt_unless_it_says_more() {
    let scene = Scene::new().await;
    let (began, mut begins) = mpsc::channel(4);
    let worker = scene
        .worker()
        .grace(Duration::from_millis(50))
        .handler("k", move |context: JobContext| {
            let began = began.clone();
            async move {
                began.send(()).await.unwrap();
                context.cancelled().await;
                Err(match context.id().as_str() {
                    "stopped" => Failure::retry("asked to stop"),
                    "later" => Failure::snooze(Delay::minutes(1), "asked to stop"),
                    "panicked" => panic!("asked to stop"),
                    _ => Failure::fatal("no such thing"),
                })
            }
        })
        .start()
        .await
        .unwrap();
    let only_once = |name: &str| {
        let mut new = job(name, "k");
        new.max_attempts = Some(1);
        new
    };
    scene.enqueue(["stopped", "panicked", "later", "failed"].map(only_once).into()).await;
    for _ in 0..4 {
        within("a job to begin", begins.recv()).await.unwrap();
    }

    within("the worker to stop", worker.shutdown()).await;

    for (name, state, attempt) in [
        ("stopped", JobState::Ready, 0),
        ("panicked", JobState::Ready, 0),
        ("later", JobState::Delayed, 0),
        ("failed", JobState::Dead, 1),
    ] {
        let job = scene.job(name).await;
        assert_eq!((job.state, job.attempt), (state, attempt), "{name}");
    }
}

#[tokio::test]
async fn what_a_claim_brings_after_the_grace_period_is_given_back_before_the_worker_leaves() {
    let server = RedisServer::start().unwrap();
    let engine = Engine::connect(EngineConfig::new(server.url())).await.unwrap();
    engine.client().enqueue_batch(vec![job("a", "k")]).await.unwrap();
    let mut connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let worker = engine
        .worker()
        .queue(QueueName::default(), 1)
        .grace(Duration::from_millis(50))
        .handler("k", |_| std::future::pending::<Result<(), Failure>>())
        .start()
        .await
        .unwrap();
    // It has not claimed yet: its tasks begin when this one waits.
    redis::cmd("CLIENT").arg(&["PAUSE", "1000", "ALL"]).exec(&mut connection).unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await; // now it does

    within("the worker to stop", worker.shutdown()).await;

    let detail = engine.inspector().job(&id("a")).await.unwrap().unwrap();
    assert_eq!((detail.job.state, detail.job.attempt, detail.job.stalls), (JobState::Ready, 0, 0));
    assert_eq!(detail.attempts[0].result, AttemptResult::Released);
    assert!(engine.inspector().workers().await.unwrap().is_empty(), "it said goodbye");
}

#[tokio::test]
async fn a_quiet_worker_takes_nothing_new() {
    let mut scene = Scene::new().await;
    let quiet = scene.worker().handler("k", |_| async { Ok(()) }).start().await.unwrap();
    quiet.quiet();
    scene.enqueue(vec![job("a", "k")]).await;
    let other = scene.worker().handler("k", |_| async { Ok(()) }).start().await.unwrap();
    scene.until("a", JobState::Done).await;
    assert_eq!(scene.job("a").await.worker.as_deref(), Some(other.id()));
    other.shutdown().await;
    quiet.shutdown().await;
}

#[tokio::test]
async fn a_worker_without_handler_or_queue_does_not_start() {
    let scene = Scene::new().await;
    let no_handler = scene.worker().start().await.unwrap_err();
    let no_queue = scene.engine.worker().handler("k", |_| async { Ok(()) }).start().await.unwrap_err();
    let too_many =
        scene.engine.worker().queue(QueueName::default(), 1_001).handler("k", |_| async { Ok(()) });
    for error in [no_handler, no_queue, too_many.start().await.unwrap_err()] {
        assert_eq!(error.code(), "invalid", "{error}");
    }
}
