//! Workers and maintenance serve every shard.

use crate::shards::scene::{Scene, id, job};
use reprieve::model::{Delay, JobState, QueueName};
use reprieve::{Due, Failure, JobContext};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Far longer than anything here takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_worker_runs_the_jobs_of_every_shard_once_each() {
    let scene = Scene::new().await;
    let _maintenance = scene.engine.maintenance().start();
    let runs: Arc<Mutex<BTreeMap<String, u32>>> = Arc::default();
    let counted = Arc::clone(&runs);
    let (done, mut all_done) = tokio::sync::mpsc::unbounded_channel();
    let worker = scene
        .engine
        .worker()
        .all_queues(8)
        .handler("notice", move |context: JobContext| {
            *counted.lock().unwrap().entry(context.id().to_string()).or_default() += 1;
            let done = done.clone();
            async move {
                done.send(()).unwrap();
                Ok::<(), Failure>(())
            }
        })
        .start()
        .await
        .unwrap();

    let jobs: Vec<_> = (0..200)
        .map(|number: u64| {
            let mut job = job(&format!("job{number}"));
            job.due = if number.is_multiple_of(2) {
                Due::Now
            } else {
                Due::In(Delay::millis(i64::try_from(number).unwrap()))
            };
            job
        })
        .collect();
    scene.engine.client().enqueue_batch(jobs).await.unwrap();

    for _ in 0..200 {
        tokio::time::timeout(TIMEOUT, all_done.recv()).await.expect("every job runs").unwrap();
    }
    worker.shutdown().await;
    assert!(runs.lock().unwrap().values().all(|&runs| runs == 1));
    assert_eq!(scene.engine.inspector().counts(None).await.unwrap().done, 200);
    for store in scene.redis.shards().all() {
        assert_eq!(store.survey(None).await.unwrap().queues[0].name, QueueName::default());
    }
}

#[tokio::test]
async fn a_cancel_reaches_a_running_job_in_any_shard() {
    let scene = Scene::new().await;
    let _maintenance = scene.engine.maintenance().start();
    let (started, mut starts) = tokio::sync::mpsc::unbounded_channel();
    let worker = scene
        .engine
        .worker()
        .queue(QueueName::default(), 8)
        .handler("notice", move |context: JobContext| {
            started.send(()).unwrap();
            async move {
                context.cancelled().await;
                Err(Failure::fatal("stopped"))
            }
        })
        .start()
        .await
        .unwrap();
    for shard in 0..4 {
        let mut job =
            crate::shards::scene::about(&crate::shards::scene::subject_of(shard), &format!("job{shard}"));
        job.due = Due::Now;
        scene.enqueue(job).await;
    }
    for _ in 0..4 {
        tokio::time::timeout(TIMEOUT, starts.recv()).await.expect("every job starts").unwrap();
    }

    for shard in 0..4 {
        scene.engine.client().cancel(&id(&format!("job{shard}"))).await.unwrap();
    }

    tokio::time::timeout(TIMEOUT, async {
        while scene.engine.inspector().counts(None).await.unwrap().cancelled < 4 {
            // The heartbeat carries the wish, and nothing tells a test of it but the state itself.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("all are cancelled");
    assert_eq!(scene.whereabouts("job3").await, [(3, JobState::Cancelled)]);
    worker.shutdown().await;
}
