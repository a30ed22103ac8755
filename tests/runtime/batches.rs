//! Handlers that take many jobs in one call.

use super::scene::{Scene, id, job, queue, within};
use reprieve::model::{AttemptResult, Delay, JobState};
use reprieve::{Batch, BatchReport, Failure};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

fn ids(batch: &Batch) -> Vec<String> {
    let mut ids: Vec<String> = batch.jobs().iter().map(|job| job.id().to_string()).collect();
    ids.sort();
    ids
}

#[tokio::test]
async fn a_full_batch_is_one_call_and_the_rest_follows_when_it_is_old_enough() {
    let mut scene = Scene::new().await;
    let calls = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&calls);
    let worker = scene
        .engine
        .worker()
        .queue(queue("default"), 10)
        .batch_handler("k", 4, Duration::from_secs(1), move |batch| {
            seen.lock().unwrap().push(ids(&batch).len());
            async { Ok(BatchReport::done()) }
        })
        .start()
        .await
        .unwrap();
    let names = ["a", "b", "c", "d", "e", "f"];
    scene.enqueue(names.map(|name| job(name, "k")).into()).await;
    for name in names {
        scene.until_read(name, JobState::Done).await;
    }
    assert_eq!(*calls.lock().unwrap(), [4, 2]);
    worker.shutdown().await;
    scene.until("f", JobState::Done).await;
}

#[tokio::test]
async fn a_batch_larger_than_the_worker_does_not_wait_for_what_cannot_come() {
    let mut scene = Scene::new().await;
    let worker = scene
        .engine
        .worker()
        .queue(queue("default"), 2)
        .batch_handler("k", 100, Duration::from_secs(3_600), |batch| async move {
            assert_eq!(batch.jobs().len(), 2);
            Ok(BatchReport::done())
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k"), job("b", "k")]).await;
    scene.until("b", JobState::Done).await;
    worker.shutdown().await;
}

#[tokio::test]
async fn a_batch_may_wait_for_ever_to_be_full() {
    let mut scene = Scene::new().await;
    let worker = scene
        .engine
        .worker()
        .queue(queue("default"), 4)
        .batch_handler("k", 2, Duration::MAX, |_| async { Ok(BatchReport::done()) })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Active).await;
    scene.enqueue(vec![job("b", "k")]).await;
    scene.until("a", JobState::Done).await;
    worker.shutdown().await;
}

#[tokio::test]
async fn each_job_gets_its_own_outcome() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .batch_handler("k", 3, Duration::from_secs(5), |_| async {
            let report = BatchReport::done().failed(&id("b"), Failure::fatal("no such customer"));
            Ok(report
                .failed(&id("c"), Failure::snooze(Delay::hours(1), "later"))
                .failed(&id("z"), Failure::retry("?")))
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k"), job("b", "k"), job("c", "k")]).await;
    scene.until("a", JobState::Done).await;
    scene.until_read("b", JobState::Dead).await;
    scene.until_read("c", JobState::Delayed).await;
    assert_eq!(scene.job("b").await.last_error, "no such customer");
    worker.shutdown().await;
}

#[tokio::test]
async fn a_call_that_panics_fails_each_of_its_jobs() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .retry_policy(|_: u32| Delay::hours(1))
        .batch_handler("k", 2, Duration::from_secs(5), |_| async { panic!("index 7 of 3") })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k"), job("b", "k")]).await;
    scene.until("b", JobState::Retrying).await;
    for name in ["a", "b"] {
        scene.until_read(name, JobState::Retrying).await;
        assert!(scene.job(name).await.last_error.ends_with("index 7 of 3"));
    }
    worker.shutdown().await;
}

#[tokio::test]
async fn a_job_called_off_while_its_batch_gathers_is_not_in_it() {
    let mut scene = Scene::new().await;
    let (told, mut batches) = mpsc::channel(8);
    let worker = scene
        .worker()
        .batch_handler("k", 2, Duration::from_secs(3_600), move |batch| {
            let told = told.clone();
            async move {
                told.send(ids(&batch)).await.unwrap();
                Ok(BatchReport::done())
            }
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Active).await;
    scene.engine.operator("ann").cancel(&id("a")).await.unwrap();
    scene.until("a", JobState::Cancelled).await;
    let attempts = scene.engine.inspector().job(&id("a")).await.unwrap().unwrap().attempts;
    assert_eq!(attempts[0].result, AttemptResult::Cancelled);

    scene.enqueue(vec![job("b", "k"), job("c", "k")]).await;
    assert_eq!(within("the batch", batches.recv()).await.unwrap(), ["b", "c"]);
    scene.until("c", JobState::Done).await;
    worker.shutdown().await;
}

#[tokio::test]
async fn of_a_job_called_off_while_its_batch_runs_the_report_tells_whether_it_is_done_or_cancelled() {
    let mut scene = Scene::new().await;
    let (told, mut begins) = mpsc::channel(1);
    let worker = scene
        .worker()
        .batch_handler("k", 2, Duration::from_secs(5), move |batch| {
            let told = told.clone();
            async move {
                told.send(()).await.unwrap();
                for job in batch.jobs() {
                    job.cancelled().await;
                }
                Ok(BatchReport::done().failed(&id("b"), Failure::fatal("called off half-way")))
            }
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k"), job("b", "k")]).await;
    within("the batch", begins.recv()).await.unwrap();

    for name in ["a", "b"] {
        let answer = scene.engine.operator("ann").cancel(&id(name)).await.unwrap();
        assert_eq!(answer.word(), "requested", "{name}");
    }

    scene.until("b", JobState::Cancelled).await;
    scene.until_read("a", JobState::Done).await;
    worker.shutdown().await;
}

#[tokio::test]
async fn a_job_that_gathers_when_its_worker_stops_goes_back_without_an_attempt() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .grace(Duration::ZERO)
        .batch_handler("k", 2, Duration::from_secs(3_600), |_| async { panic!("it is never full") })
        .start()
        .await
        .unwrap();
    let mut last = job("a", "k");
    last.max_attempts = Some(1);
    scene.enqueue(vec![last]).await;
    scene.until("a", JobState::Active).await;
    worker.shutdown().await;
    let found = scene.job("a").await;
    assert!(
        matches!(found.state, JobState::Delayed | JobState::Ready),
        "{}: {}",
        found.state,
        found.last_error
    );
    assert_eq!(found.attempt, 0);
}
