//! Which queue is asked first, and how many jobs run at once.

use super::scene::{Scene, id, job, queue, within};
use reprieve::model::{JobState, QueueName};
use reprieve::{JobContext, NewJob, QueueOrder};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::{Semaphore, mpsc};

fn jobs(name: &str, of: &QueueName, count: usize) -> Vec<NewJob> {
    (0..count)
        .map(|n| {
            let mut new = job(&format!("{name}{n}"), "k");
            new.queue = of.clone();
            new
        })
        .collect()
}

/// The order in which jobs of a full and a weighted queue run, one at a time.
async fn order_of_runs(order: QueueOrder, weights: (u32, u32), most: u32, count: usize) -> Vec<String> {
    let scene = Scene::new().await;
    let (first, second) = (queue("first"), queue("second"));
    scene.enqueue(jobs("s", &second, count)).await;
    scene.enqueue(jobs("f", &first, count)).await;
    let (ran, mut runs) = mpsc::unbounded_channel();
    // One at a time: each handler lets the next claim happen only when it ends.
    let gate = Arc::new(Semaphore::new(1));
    let worker = scene
        .engine
        .worker()
        .queue_weighted(first, 1, weights.0)
        .queue_weighted(second, 1, weights.1)
        .concurrency(most)
        .order(order)
        .handler("k", move |context: JobContext| {
            let (ran, gate) = (ran.clone(), Arc::clone(&gate));
            async move {
                let _turn = gate.acquire().await.unwrap();
                ran.send(context.queue().to_string()).unwrap();
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    let mut seen = Vec::new();
    for _ in 0..2 * count {
        seen.push(within("the next run", runs.recv()).await.unwrap());
    }
    worker.shutdown().await;
    seen
}

#[tokio::test]
async fn every_job_of_every_queue_runs_in_either_order() {
    for order in [QueueOrder::Strict, QueueOrder::Weighted] {
        let runs = order_of_runs(order, (1, 3), 2, 20).await;
        assert_eq!(runs.iter().filter(|queue| *queue == "first").count(), 20, "{order:?}");
    }
}

#[tokio::test]
async fn in_strict_order_a_worker_with_one_slot_for_all_runs_no_job_of_a_queue_before_all_of_the_earlier() {
    let runs = order_of_runs(QueueOrder::Strict, (1, 9), 1, 20).await;
    let place = runs.iter().position(|queue| queue == "second");
    assert_eq!(place, Some(20), "{runs:?}");
}

#[tokio::test]
async fn strict_order_gives_a_later_queue_only_what_the_earlier_leaves() {
    let scene = Scene::new().await;
    let (first, second) = (queue("first"), queue("second"));
    scene.enqueue(jobs("s", &second, 3)).await;
    scene.enqueue(jobs("f", &first, 3)).await;
    let (store, lease) = (scene.redis.store(), reprieve::model::Delay::seconds(12));
    let claimed = store.claim("w", lease, 4, &[(first, 4), (second, 4)]).await.unwrap();
    let ids: Vec<_> = claimed.iter().map(|job| job.id.as_str().to_owned()).collect();
    assert_eq!(ids, ["f0", "f1", "f2", "s0"]);
}

/// Runs 60 jobs and returns how many ran at once at most.
async fn most_at_once(name_queue: impl Fn(reprieve::WorkerBuilder) -> reprieve::WorkerBuilder) -> u32 {
    let scene = Scene::new().await;
    let (now, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (ran, mut runs) = mpsc::unbounded_channel();
    let peak = Arc::clone(&most);
    let worker = name_queue(scene.engine.worker())
        .handler("k", move |_| {
            let (now, most, ran) = (Arc::clone(&now), Arc::clone(&peak), ran.clone());
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                // Long enough for others to start if they may.
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                now.fetch_sub(1, Ordering::SeqCst);
                ran.send(()).unwrap();
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(jobs("j", &QueueName::default(), 60)).await;
    for _ in 0..60 {
        within("a run", runs.recv()).await.unwrap();
    }
    worker.shutdown().await;
    most.load(Ordering::SeqCst)
}

#[tokio::test]
async fn no_more_jobs_run_at_once_than_a_queue_allows() {
    assert_eq!(most_at_once(|worker| worker.queue(QueueName::default(), 3)).await, 3);
}

#[tokio::test]
async fn naming_a_queue_again_sets_its_concurrency_anew() {
    let twice = |worker: reprieve::WorkerBuilder| {
        worker.queue(QueueName::default(), 5).queue(QueueName::default(), 2)
    };
    assert_eq!(most_at_once(twice).await, 2);
}

#[tokio::test]
async fn a_worker_for_all_queues_serves_those_that_come_later() {
    let mut scene = Scene::new().await;
    let worker =
        scene.engine.worker().all_queues(2).handler("k", |_| async { Ok(()) }).start().await.unwrap();
    let mut new = job("a", "k");
    new.queue = queue("born-later");
    scene.enqueue(vec![new]).await;
    scene.until("a", JobState::Done).await;
    worker.shutdown().await;
}

#[tokio::test]
async fn a_paused_queue_is_not_worked_until_it_is_resumed() {
    let mut scene = Scene::new().await;
    let operator = scene.engine.operator("ann");
    operator.pause(&QueueName::default(), "maintenance").await.unwrap();
    let worker =
        scene.engine.worker().all_queues(4).handler("k", |_| async { Ok(()) }).start().await.unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    let mut other = job("b", "k");
    other.queue = queue("open");
    scene.enqueue(vec![other]).await;
    scene.until("b", JobState::Done).await;
    assert_eq!(scene.job("a").await.state, JobState::Ready);
    operator.resume(&QueueName::default(), "").await.unwrap();
    scene.until("a", JobState::Done).await;
    assert_eq!(scene.job("a").await.id, id("a"));
    worker.shutdown().await;
}
