//! Jobs that end and jobs that start go by the same call, and nobody gets more than there is room for.

use super::scene::{Scene, id, job, queue, within};
use reprieve::model::{Delay, JobState, QueueName};
use reprieve::{Due, Engine, JobContext, WorkerBuilder};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

const JOBS: usize = 300;

/// What handlers saw.
#[derive(Default)]
struct Seen {
    running: AtomicUsize,
    most: AtomicUsize,
    /// Ids, in the order in which they ran.
    runs: Mutex<Vec<String>>,
}

impl Seen {
    fn watch(self: &Arc<Self>, builder: WorkerBuilder) -> WorkerBuilder {
        let seen = Arc::clone(self);
        builder.handler("k", move |context: JobContext| {
            let seen = Arc::clone(&seen);
            async move {
                let running = seen.running.fetch_add(1, Ordering::SeqCst) + 1;
                seen.most.fetch_max(running, Ordering::SeqCst);
                seen.runs.lock().unwrap().push(context.id().to_string());
                tokio::task::yield_now().await;
                seen.running.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            }
        })
    }
}

async fn all_done(engine: &Engine) {
    within("all jobs to be done", async {
        loop {
            let queues = engine.inspector().queues().await.unwrap();
            if queues.iter().map(|queue| queue.counts.done).sum::<u64>() == JOBS as u64 {
                return;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_worker_starts_every_job_once_and_never_more_than_its_slots() {
    for every_queue in [false, true] {
        let scene = Scene::new().await;
        scene.enqueue((0..JOBS).map(|n| job(&format!("j{n}"), "k")).collect()).await;
        let seen = Arc::new(Seen::default());
        let worker = match every_queue {
            true => scene.engine.worker().all_queues(4),
            false => scene.engine.worker().queue(QueueName::default(), 4),
        };

        let worker = seen.watch(worker).start().await.unwrap();
        all_done(&scene.engine).await;
        worker.shutdown().await;

        assert!(seen.most.load(Ordering::SeqCst) <= 4, "{:?} at once", seen.most);
        let runs = seen.runs.lock().unwrap();
        assert_eq!((runs.len(), runs.iter().collect::<BTreeSet<_>>().len()), (JOBS, JOBS));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn among_many_queues_a_busy_one_stops_no_other() {
    const BUSY: usize = 2_000;
    let scene = Scene::new().await;
    let mut others: Vec<_> = (0..199).map(|n| job(&format!("j{n}"), "k")).collect();
    for (n, other) in others.iter_mut().enumerate() {
        other.queue = queue(&format!("q{n}"));
        // All but the last wait.
        other.due = if n == 198 { Due::Now } else { Due::In(Delay::hours(1)) };
    }
    scene.enqueue(others).await;
    for part in 0..4 {
        let mut busy: Vec<_> = (0..BUSY / 4).map(|n| job(&format!("busy-{part}-{n}"), "k")).collect();
        busy.iter_mut().for_each(|job| job.queue = queue("busy"));
        scene.enqueue(busy).await;
    }

    let seen = Arc::new(Seen::default());
    let worker = seen.watch(scene.engine.worker().all_queues(2)).start().await.unwrap();
    within("the job of the last queue to be done", async {
        while scene.job("j198").await.state != JobState::Done {
            tokio::task::yield_now().await;
        }
    })
    .await;

    worker.shutdown().await;
    let place = seen.runs.lock().unwrap().iter().position(|name| name == "j198");
    assert!(place.is_some_and(|place| place < BUSY), "it started when nothing else was left: {place:?}");
}

#[tokio::test]
async fn a_worker_that_is_to_take_nothing_new_takes_nothing_with_its_reports() {
    let mut scene = Scene::new().await;
    let gate = Arc::new(Semaphore::new(0));
    let shut = Arc::clone(&gate);
    let worker = scene
        .engine
        .worker()
        .queue(QueueName::default(), 1)
        .handler("k", move |_| {
            let gate = Arc::clone(&shut);
            async move {
                gate.acquire().await.unwrap().forget();
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Active).await;
    scene.enqueue(vec![job("b", "k")]).await;

    worker.quiet();
    gate.add_permits(2);
    scene.until("a", JobState::Done).await;
    worker.shutdown().await;

    assert_eq!(scene.engine.inspector().job(&id("b")).await.unwrap().unwrap().job.state, JobState::Ready);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_queue_does_not_spoil_the_reports_of_another() {
    const EACH: usize = 20;
    let scene = Scene::new().await;
    let jobs = (0..2 * EACH).map(|n| {
        let mut job = job(&format!("j{n}"), "k");
        job.queue = queue(if n % 2 == 0 { "bad" } else { "good" });
        job
    });
    scene.enqueue(jobs.collect()).await;
    scene.redis.command(&["SET", &format!("{}q:bad:done", scene.redis.prefix()), "damage"]).await.unwrap();
    // All end at once, so that the reports of both go in one call.
    let all = Arc::new(tokio::sync::Barrier::new(2 * EACH));
    let slots = u32::try_from(EACH).unwrap();
    let worker = scene
        .engine
        .worker()
        .queue(queue("bad"), slots)
        .queue(queue("good"), slots)
        .handler("k", move |_: JobContext| {
            let all = Arc::clone(&all);
            async move {
                all.wait().await;
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    within("the reports of the other queue", async {
        loop {
            let queues = scene.engine.inspector().queues().await.unwrap();
            let done = |name| queues.iter().find(|one| one.name == queue(name)).unwrap().counts.done;
            if done("good") == EACH as u64 {
                return;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
    worker.shutdown().await;
}
