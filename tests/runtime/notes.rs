//! Progress, log and result of a job, as its handler writes them and a reader sees them.

use super::scene::{Scene, id, job, within};
use reprieve::model::{JobState, LogLevel};
use reprieve::{Failure, JobContext};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Barrier;

#[tokio::test]
async fn what_a_handler_said_last_is_there_when_the_job_has_ended() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .handler_returning("k", |context: JobContext| async move {
            for percent in 0..=90 {
                context.progress(percent, "copying");
            }
            context.log("almost there");
            context.log_at(LogLevel::Warn, "the last one is missing");
            Ok(serde_json::json!({ "copied": 90 }))
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Done).await;

    let done = scene.job("a").await;
    assert_eq!(done.progress.map(|progress| progress.percent), Some(90));
    assert_eq!(done.result, b"{\"copied\":90}");
    let log = scene.engine.inspector().log(&id("a"), 0, 100).await.unwrap().unwrap();
    let lines: Vec<_> = log.lines.iter().map(|line| (line.level, line.text.as_str())).collect();
    assert_eq!(lines, [(LogLevel::Info, "almost there"), (LogLevel::Warn, "the last one is missing")]);
    worker.shutdown().await;
}

#[tokio::test]
async fn a_reader_sees_progress_while_the_job_runs() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .handler("k", |context: JobContext| async move {
            context.progress(50, "half-way");
            context.cancelled().await;
            Ok(())
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Active).await;
    within("the progress to be seen", async {
        while scene.job("a").await.progress.is_none() {
            // The worker writes four times a second.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    assert_eq!(scene.job("a").await.state, JobState::Active);
    scene.engine.operator("ann").cancel(&id("a")).await.unwrap();
    scene.until("a", JobState::Done).await;
    worker.shutdown().await;
}

#[tokio::test]
async fn a_run_that_fails_leaves_its_log_but_no_result() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .handler("k", |context: JobContext| async move {
            context.log("tried");
            context.set_result("half")?;
            Err(Failure::fatal("no"))
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Dead).await;
    let dead = scene.job("a").await;
    assert_eq!((dead.result.len(), dead.log_lines), (0, 1));
    worker.shutdown().await;
}

#[tokio::test]
async fn a_log_that_holds_something_else_costs_its_lines_and_nothing_else() {
    let scene = Scene::new().await;
    let log = format!("{}log:broken", scene.redis.prefix());
    scene.redis.command(&["SET", &log, "not a list"]).await.unwrap();
    let both = Arc::new(Barrier::new(2));
    let worker = scene
        .worker()
        .handler("k", move |context: JobContext| {
            let both = Arc::clone(&both);
            async move {
                // So that what both say is written by one call.
                both.wait().await;
                context.progress(90, "copying");
                context.log("copied");
                context.set_result("all of it")
            }
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("broken", "k"), job("sound", "k")]).await;
    for name in ["broken", "sound"] {
        scene.until_read(name, JobState::Done).await; // they may end in either order
    }

    for (name, lines) in [("broken", 0), ("sound", 1)] {
        let job = scene.job(name).await;
        assert_eq!(job.progress.map(|progress| progress.percent), Some(90), "{name}");
        assert_eq!((job.result.as_slice(), job.log_lines), (&b"\"all of it\""[..], lines), "{name}");
    }
    let damaged = ["HGET", &format!("{}meta", scene.redis.prefix()), "damaged"];
    let damaged: u64 = redis::from_redis_value(scene.redis.command(&damaged).await.unwrap()).unwrap();
    assert!(damaged > 0, "it is counted");
    worker.shutdown().await;
}

#[tokio::test]
async fn a_result_beyond_its_limit_fails_the_job_for_good_and_says_why() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .handler("k", |context: JobContext| async move { context.set_result_bytes(vec![0; 70_000]) })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Dead).await;
    assert_eq!(scene.job("a").await.last_error, "the result has 70000 bytes, at most 65536 are allowed");
    worker.shutdown().await;
}

#[tokio::test]
async fn an_attempt_keeps_the_chain_of_causes() {
    #[derive(Debug, thiserror::Error)]
    #[error("cannot save the report")]
    struct Outer(#[source] std::io::Error);

    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .retry_policy(|_: u32| reprieve::model::Delay::hours(1))
        .handler("k", |_| async { Err(Outer(std::io::Error::other("the disk is full")))? })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Retrying).await;
    let detail = scene.engine.inspector().job(&id("a")).await.unwrap().unwrap();
    let causes: Vec<_> = detail.attempts[0].causes().collect();
    assert_eq!(causes, ["cannot save the report", "the disk is full"]);
    worker.shutdown().await;
}
