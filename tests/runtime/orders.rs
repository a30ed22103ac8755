//! What people tell workers, and when they obey.

use super::scene::{Scene, id, job, within};
use reprieve::model::{
    AttemptResult, Attention, Delay, Fleet, JobState, WorkerAtWork, WorkerInfo, WorkerOrder, WorkerOrdered,
    WorkerStanding,
};
use reprieve::{JobContext, Worker};
use std::time::Duration;
use tokio::sync::mpsc;

impl Scene {
    async fn fleet(&self) -> Fleet {
        self.engine.inspector().fleet().await.unwrap()
    }

    async fn tell(&self, worker: &str, order: WorkerOrder) -> WorkerOrdered {
        self.engine.operator("ann").order_worker(worker, order, "deploy").await.unwrap()
    }

    /// Waits until the heartbeat of a worker says so.
    async fn until_worker(&self, worker: &Worker, what: &str, is: impl Fn(&WorkerAtWork) -> bool) {
        within(what, async {
            while !self.fleet().await.workers.iter().any(|at| at.info.id == worker.id() && is(at)) {
                // Heartbeats come every four seconds; nothing tells when.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn a_worker_told_to_be_quiet_takes_nothing_and_is_missed_until_it_is_told_to_resume() {
    let mut scene = Scene::new().await;
    let worker = scene.worker().handler("k", |_| async { Ok(()) }).start().await.unwrap();

    assert_eq!(scene.tell(worker.id(), WorkerOrder::Quiet).await, WorkerOrdered::Ordered);
    assert_eq!(scene.tell(worker.id(), WorkerOrder::Quiet).await, WorkerOrdered::Unchanged);
    let told =
        |at: &WorkerAtWork| at.standing == WorkerStanding::Quiet && at.info.quiet_itself == Some(false);
    scene.until_worker(&worker, "it to be quiet, as it was told", told).await;
    scene.enqueue(vec![job("a", "k")]).await;
    // Quiet is about what does not happen; half a second is a poll and more.
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(scene.job("a").await.state, JobState::Ready);
    let (overview, fleet) = (scene.engine.inspector().overview().await.unwrap(), scene.fleet().await);
    let is_told = |line: &Attention| matches!(line, Attention::NoWorkers { ready: 1, .. });
    assert!(overview.attention.iter().any(is_told), "{:?}", overview.attention);
    assert_eq!((fleet.unserved.len(), overview.queues[0].workers), (1, 0), "nobody takes what waits");
    assert_eq!(overview.queues[0].modes.len(), 1, "how it would run is known all the same");

    assert_eq!(scene.tell(worker.id(), WorkerOrder::Resume).await, WorkerOrdered::Ordered);
    scene.until("a", JobState::Done).await;
    worker.quiet();
    scene
        .until_worker(&worker, "it to be quiet by itself", |at| {
            at.info.quiet && at.info.quiet_itself == Some(true)
        })
        .await;
    worker.shutdown().await;
}

#[tokio::test]
async fn what_the_workers_can_run_is_without_those_that_are_quiet() {
    let scene = Scene::new().await;
    let now = scene.engine.now().await.unwrap();
    let minute = now.as_millis() - now.as_millis().rem_euclid(60_000);
    let key = format!("{}stats:{minute}", scene.redis.prefix());
    scene.redis.command(&["HSET", &key, "q:default:run3", "2"]).await.unwrap();
    for (name, slots, quiet) in [("live", 3, false), ("quiet", 5, true)] {
        let mut info = WorkerInfo::new(name, "h", 1, now);
        (info.slots, info.quiet) = (slots, quiet);
        scene.redis.store().at(now).heartbeat(name, &serde_json::to_string(&info).unwrap()).await.unwrap();
    }

    let capacity = scene.engine.inspector().capacity().await.unwrap();

    assert_eq!(capacity.map(|capacity| capacity.slots), Some(3));
}

#[tokio::test]
async fn a_worker_told_to_stop_gives_back_what_does_not_finish_and_is_gone() {
    let scene = Scene::new().await;
    let (began, mut begins) = mpsc::channel(1);
    let worker = scene
        .worker()
        .grace(Duration::from_millis(50))
        .handler("k", move |_: JobContext| {
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
    scene.until_worker(&worker, "it to name its job", |at| at.jobs.iter().any(|row| row.id == id("a"))).await;

    assert_eq!(scene.tell(worker.id(), WorkerOrder::Stop).await, WorkerOrdered::Ordered);
    assert_eq!(scene.tell(worker.id(), WorkerOrder::Resume).await, WorkerOrdered::Stopping);
    within("the worker to end", worker.stopped()).await;

    let detail = scene.engine.inspector().job(&id("a")).await.unwrap().unwrap();
    assert_eq!((detail.job.state, detail.job.attempt, detail.job.stalls), (JobState::Ready, 0, 0));
    assert_eq!(detail.attempts[0].result, AttemptResult::Released);
    let fleet = scene.fleet().await;
    assert!(fleet.workers.is_empty(), "it said goodbye");
    assert_eq!(fleet.unserved.len(), 1, "its job waits for somebody");
    assert_eq!(scene.tell(worker.id(), WorkerOrder::Quiet).await, WorkerOrdered::Missing);
    // A program that stops its workers at its end does no harm to one that has ended.
    within("a second end", worker.shutdown()).await;
}

#[tokio::test]
async fn a_silent_worker_comes_first_and_a_forwarder_is_seen() {
    let scene = Scene::new().await;
    let worker = scene.worker().handler("k", |_| async { Ok(()) }).start().await.unwrap();
    let now = scene.engine.now().await.unwrap();
    for (name, ago) in [("silent", 20), ("gone", 120)] {
        let info = WorkerInfo::new(name, "h", 1, now);
        let then = scene.redis.store().at(now - Delay::seconds(ago));
        then.heartbeat(name, &serde_json::to_string(&info).unwrap()).await.unwrap();
    }
    let fleet = within("a forwarder to say so", async {
        loop {
            let fleet = scene.fleet().await;
            if !fleet.forwarders.is_empty() {
                return fleet;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let standings: Vec<_> = fleet.workers.iter().map(|at| (at.info.id.as_str(), at.standing)).collect();
    assert_eq!(
        standings,
        [
            ("silent", WorkerStanding::Silent),
            (worker.id(), WorkerStanding::Live),
            ("gone", WorkerStanding::Gone)
        ]
    );
    assert_eq!(fleet.forwarders[0].pid, std::process::id());
    let is_told = fleet.workers[1].info.memory_bytes.is_some_and(|bytes| bytes > 1_000_000);
    assert!(is_told || !cfg!(target_os = "linux"), "{:?}", fleet.workers[1].info);
    let overview = scene.engine.inspector().overview().await.unwrap();
    assert_eq!((overview.forwarders, overview.forwarding_behind()), (1, Delay::ZERO));
    let later = overview.read_at + Delay::seconds(11);
    assert!(fleet.forwarders[0].is_heard(overview.read_at) && !fleet.forwarders[0].is_heard(later));
    worker.shutdown().await;
}

#[tokio::test]
async fn a_worker_that_is_gone_is_nothing_to_attend_to_and_a_silent_one_is() {
    let scene = Scene::new().await;
    let now = scene.engine.now().await.unwrap();
    for (name, ago) in [("silent", 20), ("gone", 120)] {
        let mut info = WorkerInfo::new(name, "h", 1, now);
        info.busy = 1;
        let then = scene.redis.store().at(now - Delay::seconds(ago));
        then.heartbeat(name, &serde_json::to_string(&info).unwrap()).await.unwrap();
    }

    let overview = scene.engine.inspector().overview().await.unwrap();

    let named = overview.attention.iter().filter_map(|line| match line {
        Attention::SilentWorker { worker, .. } => Some(worker.as_str()),
        _ => None,
    });
    assert_eq!(named.collect::<Vec<_>>(), ["silent"]);
}

#[tokio::test]
async fn those_heard_last_are_seen_however_many_have_gone() {
    let scene = Scene::new().await;
    let now = scene.engine.now().await.unwrap();
    let heartbeat = async |name: &str, at| {
        let info = WorkerInfo::new(name, "h", 1, now);
        scene.redis.store().at(at).heartbeat(name, &serde_json::to_string(&info).unwrap()).await.unwrap();
    };
    for number in 0..=1_000 {
        heartbeat(&format!("old-{number}"), now - Delay::seconds(120)).await;
    }
    // All of those may have taken longer than a worker may be silent.
    heartbeat("fresh", scene.engine.now().await.unwrap()).await;

    let fleet = scene.fleet().await;

    assert_eq!(
        (fleet.workers[0].info.id.as_str(), fleet.workers[0].standing),
        ("fresh", WorkerStanding::Live)
    );
}

#[tokio::test]
async fn an_active_job_knows_when_its_worker_was_last_heard() {
    let scene = Scene::new().await;
    scene.enqueue(vec![job("a", "k"), job("b", "k")]).await;
    let queue = [reprieve::model::QueueName::new("default").unwrap()];
    for worker in ["heard", "never-heard"] {
        scene.engine.claimant(worker).claim(&queue, 1, Delay::minutes(1)).await.unwrap();
    }
    let heard = scene.engine.now().await.unwrap() - Delay::seconds(22);
    let info = WorkerInfo::new("heard", "h", 1, heard);
    scene.redis.store().at(heard).heartbeat("heard", &serde_json::to_string(&info).unwrap()).await.unwrap();

    for (worker, seen) in [("heard", Some(heard)), ("never-heard", None)] {
        let jobs = [id("a"), id("b")];
        let mut found = None;
        for id in &jobs {
            let detail = scene.engine.inspector().job(id).await.unwrap().unwrap();
            if detail.job.worker.as_deref() == Some(worker) {
                found = Some(detail);
            }
        }
        assert_eq!(found.unwrap().worker_seen, seen, "{worker}");
    }
}
