//! What becomes of a job when its handler fails, panics, hangs or is missing.

use super::scene::{Scene, id, job};
use reprieve::model::{AttemptResult, Delay, JobState};
use reprieve::{Due, Failure, Job, JobContext};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const SOON: Delay = Delay::millis(20);

#[tokio::test]
async fn a_failing_job_is_retried_until_its_attempts_are_used_up() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .retry_policy(|_: u32| SOON)
        .handler("k", |_| async { Err(Failure::retry("the server said 500")) })
        .start()
        .await
        .unwrap();
    let mut new = job("a", "k");
    new.max_attempts = Some(3);
    scene.enqueue(vec![new]).await;

    scene.until("a", JobState::Dead).await;

    let detail = scene.engine.inspector().job(&id("a")).await.unwrap().unwrap();
    assert_eq!((detail.job.attempt, detail.job.last_error.as_str()), (3, "the server said 500"));
    assert_eq!(detail.attempts.len(), 3);
    assert!(detail.attempts.iter().all(|attempt| attempt.result == AttemptResult::Failed));
    worker.shutdown().await;
}

#[tokio::test]
async fn a_fatal_error_ends_a_job_at_its_first_attempt() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .handler("k", |_| async { Err(Failure::fatal("no such resource")) })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Dead).await;
    assert_eq!(scene.job("a").await.attempt, 1);
    worker.shutdown().await;
}

#[tokio::test]
async fn a_snoozed_job_comes_back_without_losing_an_attempt() {
    let mut scene = Scene::new().await;
    let runs = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&runs);
    let worker = scene
        .worker()
        .handler("k", move |context: JobContext| {
            let run = seen.fetch_add(1, Ordering::SeqCst);
            async move {
                assert_eq!(context.attempt(), 1);
                if run < 2 { Err(Failure::snooze(SOON, "not yet")) } else { Ok(()) }
            }
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Done).await;
    assert_eq!((runs.load(Ordering::SeqCst), scene.job("a").await.attempt), (3, 1));
    worker.shutdown().await;
}

#[tokio::test]
async fn a_panic_fails_that_job_only_and_keeps_its_message() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .handler("bad", |_| async { panic!("index 7 of 3") })
        .handler("worse", |_| -> std::future::Ready<Result<(), Failure>> { panic!("before it began") })
        .handler("good", |_| async { Ok(()) })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "bad"), job("b", "worse"), job("c", "good")]).await;
    scene.until("c", JobState::Done).await;
    for (name, message) in [("a", "index 7 of 3"), ("b", "before it began")] {
        // Its failure may have come before or after the other's end.
        scene.until_read(name, JobState::Retrying).await;
        let error = scene.job(name).await.last_error;
        let (place, said) = error.strip_prefix("panicked at ").unwrap().rsplit_once(": ").unwrap();
        assert_eq!(said, message);
        assert!(place.starts_with("tests/runtime/outcomes.rs:"), "{place}");
    }
    worker.shutdown().await;
}

#[tokio::test]
async fn a_retry_policy_that_panics_costs_neither_slot_nor_job() {
    let mut scene = Scene::new().await;
    let worker = scene
        .engine
        .worker()
        .queue(reprieve::model::QueueName::default(), 1)
        .retry_policy(|_: u32| -> Delay { panic!("no policy") })
        .handler("bad", |_| async { Err(Failure::retry("no")) })
        .handler("good", |_| async { Ok(()) })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "bad"), job("b", "good")]).await;
    scene.until("b", JobState::Done).await;
    // The job is there until its lease is over, as it is here by a clock an hour ahead, and then tried again.
    let ahead = scene.engine.now().await.unwrap() + Delay::hours(1);
    assert_eq!(scene.redis.store().at(ahead).recover(9, Delay::seconds(1), 3).await.unwrap(), 1);
    let a = scene.job("a").await;
    // Whether its worker had its first heartbeat by then is chance.
    assert_eq!((a.state, a.stalls + a.unheard), (JobState::Retrying, 1));
    worker.shutdown().await;
}

#[tokio::test]
async fn an_attempt_beyond_its_time_is_stopped_and_fails() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .handler("k", |context: JobContext| async move {
            context.cancelled().await;
            Err(Failure::retry("stopped"))
        })
        .handler("deaf", |_| std::future::pending::<Result<(), Failure>>())
        .start()
        .await
        .unwrap();
    let jobs = [("a", "k"), ("b", "deaf")].map(|(name, kind)| {
        let mut new = job(name, kind);
        (new.timeout, new.max_attempts) = (Some(Delay::millis(50)), Some(1));
        new
    });
    scene.enqueue(jobs.to_vec()).await;
    scene.until("a", JobState::Dead).await;
    scene.until_read("b", JobState::Dead).await;
    for name in ["a", "b"] {
        assert_eq!(scene.job(name).await.last_error, "took longer than its limit of 50 ms");
    }
    worker.shutdown().await;
}

#[tokio::test]
async fn what_a_handler_is_sure_of_is_heard_after_its_time_as_well() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .retry_policy(|_: u32| Delay::hours(9))
        .handler("k", |context: JobContext| async move {
            context.cancelled().await;
            match context.id().as_str() {
                "done" => Ok(()),
                "fatal" => Err(Failure::fatal("no such resource")),
                "later" => Err(Failure::RetryIn { error: "busy".to_owned(), wait: Delay::hours(2) }),
                _ => Err(Failure::snooze(SOON, "stopped")),
            }
        })
        .start()
        .await
        .unwrap();
    for (name, state, error, wait) in [
        ("done", JobState::Done, "", 0),
        ("fatal", JobState::Dead, "no such resource", 0),
        ("later", JobState::Retrying, "busy", 2),
        ("snoozed", JobState::Retrying, "took longer than its limit of 50 ms", 9),
    ] {
        let mut new = job(name, "k");
        new.timeout = Some(Delay::millis(50));
        scene.enqueue(vec![new]).await;
        scene.until(name, state).await;

        let job = scene.job(name).await;
        assert_eq!((job.state, job.attempt, job.last_error.as_str()), (state, 1, error), "{name}");
        let rest = job.due.millis_since(scene.engine.now().await.unwrap());
        let hours = Delay::hours(1).as_millis() * wait;
        assert!(wait == 0 || (hours - 60_000..=hours).contains(&rest), "{name}: {rest}");
    }
    worker.shutdown().await;
}

#[tokio::test]
async fn an_unknown_kind_is_parked_with_a_reason_and_not_tried_again_and_again() {
    let mut scene = Scene::new().await;
    let worker = scene.worker().handler("known", |_| async { Ok(()) }).start().await.unwrap();
    scene.enqueue(vec![job("a", "unheard-of")]).await;
    scene.until("a", JobState::Active).await;
    scene.until("a", JobState::Delayed).await;

    // Another job passes through meanwhile, so the worker has looked again.
    scene.enqueue(vec![job("b", "known")]).await;
    scene.until("b", JobState::Done).await;

    let parked = scene.job("a").await;
    assert_eq!((parked.state, parked.attempt), (JobState::Delayed, 0));
    assert!(parked.last_error.starts_with("no handler for kind unheard-of"), "{}", parked.last_error);
    assert!(parked.due.millis_since(scene.engine.now().await.unwrap()) > 30_000);
    worker.shutdown().await;
}

#[derive(serde::Serialize, serde::Deserialize)]
struct DeleteResource {
    id: u64,
}

impl Job for DeleteResource {
    const KIND: &'static str = "delete_resource";

    async fn run(self, _context: JobContext) -> Result<(), Failure> {
        if self.id == 4711 { Ok(()) } else { Err(Failure::fatal("another id")) }
    }
}

#[tokio::test]
async fn a_typed_job_runs_and_an_undecodable_one_is_dead_with_the_reason() {
    let mut scene = Scene::new().await;
    let worker = scene.worker().job::<DeleteResource>().start().await.unwrap();
    let client = scene.engine.client();
    client.enqueue(&DeleteResource { id: 4711 }).unwrap().id(id("good")).send().await.unwrap();
    scene.until("good", JobState::Done).await;

    let mut new = job("bad", DeleteResource::KIND);
    new.payload = b"{\"id\":\"text\"}".to_vec();
    scene.enqueue(vec![new]).await;
    scene.until("bad", JobState::Dead).await;
    let error = scene.job("bad").await.last_error;
    assert!(error.starts_with("the payload does not decode: invalid type: string"), "{error}");
    worker.shutdown().await;
}

#[tokio::test]
async fn a_job_rescheduled_to_an_earlier_time_wakes_the_forwarder() {
    let mut scene = Scene::new().await;
    let worker = scene.worker().handler("k", |_| async { Ok(()) }).start().await.unwrap();
    let mut new = job("a", "k");
    new.due = Due::In(Delay::hours(1));
    scene.enqueue(vec![new]).await;
    scene.engine.client().reschedule(&id("a"), Due::In(SOON)).await.unwrap();
    scene.until("a", JobState::Done).await;
    worker.shutdown().await;
}
