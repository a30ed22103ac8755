//! Leases: kept while handlers block, lost when somebody else has the job.

use super::scene::{Scene, hold, id, job, queue, within};
use crate::sinks::scene::Lines;
use redis::InfoDict;
use reprieve::model::{Cancelled, Delay, JobState, QueueName};
use reprieve::testing::{RedisServer, TestRedis};
use reprieve::{Due, Engine, EngineConfig, Failure, JobContext, NewJob};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};

#[tokio::test]
async fn handlers_that_block_every_thread_cost_neither_their_leases_nor_the_forwarders_punctuality() {
    // Longer than the lease of 12 s and the recoverer's next look, so that only heartbeats can save the jobs.
    const BLOCKED: Duration = Duration::from_secs(15);
    // What waits for the blocked threads waits for ten seconds: the jobs of the other queue are due within the first five.
    const LATE_MS_MAX: i64 = 5_000;
    let scene = Scene::new().await;
    let (began, mut begins) = mpsc::channel(2);
    let (ended, mut ends) = mpsc::channel(2);
    let blocking = scene
        .worker()
        .handler_threads(2)
        .handler("k", move |_| {
            let (began, ended) = (began.clone(), ended.clone());
            async move {
                began.send(()).await.unwrap();
                // On purpose: it holds the thread, as a careless handler does.
                std::thread::sleep(BLOCKED);
                ended.send(()).await.unwrap();
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    let other =
        scene.engine.worker().queue(queue("other"), 4).handler("k", |_| async { Ok(()) }).start().await;
    scene.enqueue(vec![job("a", "k"), job("b", "k")]).await;
    for _ in 0..2 {
        within("a job to begin", begins.recv()).await.unwrap();
    }

    let delayed = |n: i64| {
        let mut new = job(&format!("d{n}"), "k");
        (new.queue, new.due) = (queue("other"), Due::In(Delay::millis(100 * n)));
        new
    };
    scene.enqueue((1..=50).map(delayed).collect::<Vec<NewJob>>()).await;
    for _ in 0..2 {
        within("a blocked job to end", ends.recv()).await.unwrap();
    }
    blocking.shutdown().await;
    other.unwrap().shutdown().await;

    for name in ["a", "b"] {
        let job = scene.job(name).await;
        assert_eq!((job.state, job.attempt, job.stalls), (JobState::Done, 1, 0), "{name}");
    }
    for n in 1..=50 {
        let job = scene.job(&format!("d{n}")).await;
        let late = job.started.unwrap().millis_since(job.due);
        assert!((0..LATE_MS_MAX).contains(&late), "d{n} was {late} ms late");
    }
}

#[tokio::test]
async fn a_connection_that_a_handler_finds_lost_serves_everybody_while_the_handler_blocks() {
    let server = RedisServer::start().unwrap();
    let redis = TestRedis::on(server.url(), "lost".parse().unwrap()).await;
    let engine = redis.engine();
    let (told, mut tells) = mpsc::unbounded_channel();
    let go = Arc::new(Notify::new());
    let (inspector, goes) = (engine.inspector(), Arc::clone(&go));
    let (release, block) = hold();
    let worker = engine
        .worker()
        .queue(QueueName::default(), 1)
        .handler_threads(1)
        .handler("k", move |_| {
            let (told, inspector, go) = (told.clone(), inspector.clone(), Arc::clone(&goes));
            let block = block.clone();
            async move {
                told.send("it runs").unwrap();
                go.notified().await;
                while inspector.job(&id("a")).await.is_err() {
                    // Until there is a new connection.
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                told.send("it has read").unwrap();
                // On purpose: it goes on without letting anything else run.
                block();
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    engine.client().enqueue_batch(vec![job("a", "k")]).await.unwrap();
    assert_eq!(within("the job to begin", tells.recv()).await, Some("it runs"));
    redis.command(&["CLIENT", "KILL", "TYPE", "normal"]).await.unwrap();
    go.notify_one();
    assert_eq!(within("the handler to read", tells.recv()).await, Some("it has read"));

    let read = within("a read beside the blocked handler", engine.inspector().job(&id("a"))).await;

    assert!(matches!(read, Ok(Some(_))), "{read:?}");
    drop(release);
    worker.shutdown().await;
}

/// How many connections that server has accepted.
fn connections(connection: &mut redis::Connection) -> u64 {
    let info: InfoDict = redis::cmd("INFO").arg("stats").query(connection).unwrap();
    info.get("total_connections_received").unwrap()
}

#[tokio::test]
async fn a_connection_that_a_handler_opens_for_an_act_serves_the_next_one_while_the_handler_blocks() {
    let server = RedisServer::start().unwrap();
    let plain = Engine::connect(EngineConfig::new(server.url())).await.unwrap();
    // Nobody follows this server: an act is answered after a second, and says so.
    let engine = Engine::connect(EngineConfig::new(server.url()).confirm_replicas(1)).await.unwrap();
    let (told, mut tells) = mpsc::unbounded_channel();
    let (release, block) = hold();
    let operator = engine.operator("the handler");
    let worker = plain
        .worker()
        .queue(QueueName::default(), 1)
        .handler_threads(1)
        .handler("k", move |_| {
            let (told, operator, block) = (told.clone(), operator.clone(), block.clone());
            async move {
                operator.cancel(&id("b")).await.unwrap();
                told.send(()).unwrap();
                // On purpose: it goes on without letting anything else run.
                block();
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    let later = |name: &str| {
        let mut new = job(name, "k");
        new.due = Due::In(Delay::hours(1));
        new
    };
    plain.client().enqueue_batch(vec![later("b"), later("c"), job("a", "k")]).await.unwrap();
    within("the handler to act", tells.recv()).await.unwrap();

    let mut beside = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    // A connection that nobody serves would be given up after six seconds, for a new one.
    let before = connections(&mut beside);
    let acted =
        within("the act beside the blocked handler", async { engine.operator("ann").cancel(&id("c")).await })
            .await;

    assert!(matches!(acted, Ok(Cancelled::Now(_))), "{acted:?}");
    assert_eq!(connections(&mut beside), before, "it is the connection that the handler has opened");
    drop(release);
    worker.shutdown().await;
}

#[tokio::test]
async fn a_worker_that_was_frozen_between_a_claim_and_its_start_gives_the_job_back_unstarted() {
    // Each longer than the lease of 12 s, the freeze the longest: nobody can tell the worker before the handler's turn.
    const BLOCKED: Duration = Duration::from_secs(14);
    const FROZEN: Duration = Duration::from_secs(15);
    let mut scene = Scene::new().await;
    let (began, mut begins) = mpsc::unbounded_channel();
    let (release, block) = hold();
    let worker = scene
        .worker()
        .handler_threads(1)
        .handler("blocking", move |_| {
            let block = block.clone();
            async move {
                block();
                Ok(())
            }
        })
        .handler("k", move |context: JobContext| {
            began.send((context.token(), context.held_for())).unwrap();
            async { Ok(()) }
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("first", "blocking")]).await;
    scene.until("first", JobState::Active).await;
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Active).await;
    let claimed = scene.job("a").await.version;

    // From here on, so that what came before may take as long as it likes.
    let releasing = std::thread::spawn(move || {
        std::thread::sleep(BLOCKED);
        drop(release);
    });
    // This thread is that of the worker's heartbeats: the whole process but for its handlers stands still.
    std::thread::sleep(FROZEN);
    releasing.join().unwrap();

    let (token, held_for) = within("the job to begin", begins.recv()).await.unwrap();
    assert!(token.0 > claimed.0, "it began with the token of the lease that was over: {token:?}");
    assert!(held_for < Duration::from_secs(12), "{held_for:?}");
    scene.until("a", JobState::Done).await;
    worker.shutdown().await;
}

#[tokio::test]
async fn a_lost_lease_stops_the_old_run_whose_report_changes_nothing_and_leaves_the_new_one_alone() {
    let mut scene = Scene::new().await;
    let runs = Arc::new(AtomicU32::new(0));
    let (began, mut begins) = mpsc::unbounded_channel();
    let (stopped, mut stops) = mpsc::unbounded_channel();
    let worker = scene
        .worker()
        .handler("k", move |context: JobContext| {
            let run = runs.fetch_add(1, Ordering::SeqCst);
            let (began, stopped) = (began.clone(), stopped.clone());
            async move {
                began.send(context.token()).unwrap();
                context.cancelled().await;
                stopped.send(run).unwrap();
                Err(Failure::retry(format!("run {run} was stopped")))
            }
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    let first = within("the first run", begins.recv()).await.unwrap();

    // Somebody with a clock an hour ahead takes the lease for over, and the same worker gets the job again.
    let ahead = scene.engine.now().await.unwrap() + Delay::hours(1);
    assert_eq!(scene.redis.store().at(ahead).recover(9, Delay::seconds(1), 3).await.unwrap(), 1);
    scene.engine.operator("ann").retry_now(&id("a")).await.unwrap();
    let second = within("the second run", begins.recv()).await.unwrap();
    assert!(second > first);

    assert_eq!(within("the first run to be stopped", stops.recv()).await, Some(0));
    scene.engine.operator("ann").cancel(&id("a")).await.unwrap();
    assert_eq!(within("the second run to be stopped", stops.recv()).await, Some(1));
    scene.until("a", JobState::Cancelled).await;
    assert_eq!(scene.job("a").await.last_error, "run 1 was stopped");
    worker.shutdown().await;
}

#[tokio::test]
async fn a_worker_dropped_without_shutdown_gives_its_jobs_back() {
    let mut scene = Scene::new().await;
    let (began, mut begins) = mpsc::channel(1);
    let dropped = scene
        .worker()
        .handler("k", move |_| {
            let began = began.clone();
            async move {
                began.send(()).await.unwrap();
                std::future::pending::<Result<(), Failure>>().await
            }
        })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    within("the job to begin", begins.recv()).await.unwrap();
    drop(dropped);

    let other =
        scene.engine.worker().queue(QueueName::default(), 1).handler("k", |_| async { Ok(()) }).start().await;
    scene.until("a", JobState::Done).await;
    assert_eq!((scene.job("a").await.stalls, scene.job("a").await.attempt), (0, 1));
    other.unwrap().shutdown().await;
}

#[tokio::test]
async fn a_worker_tells_before_it_begins_a_job_whose_lease_was_lost_before() {
    let scene = Scene::new().await;
    let store = scene.redis.store();
    scene.enqueue(vec![job("a", "k")]).await;
    // Given: somebody claimed it, of whom nothing was heard until the lease was over.
    let wanted = [(QueueName::default(), 1)];
    let lost = store.claim("gone", Delay::millis(1), 1, &wanted).await.unwrap().remove(0);
    assert!(!lost.was_lost);
    within("the lease to be over", async {
        while scene.job("a").await.unheard == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await; // it is somebody else's now
        }
    })
    .await;

    let (began, mut begins) = mpsc::channel(1);
    let worker = scene.worker().handler("k", move |_| {
        let began = began.clone();
        async move {
            began.send(()).await.unwrap();
            std::future::pending::<Result<(), Failure>>().await
        }
    });
    let worker = worker.start().await.unwrap();
    within("it to begin", begins.recv()).await.unwrap();

    // Then: as if the process had died in that moment, by a clock an hour ahead.
    let ahead = scene.engine.now().await.unwrap() + Delay::hours(1);
    assert_eq!(scene.redis.store().at(ahead).recover(9, Delay::hours(1), 3).await.unwrap(), 1);
    assert_eq!((scene.job("a").await.stalls, scene.job("a").await.unheard), (2, 0));
    worker.shutdown().await;
}

#[tokio::test]
async fn heartbeats_that_fail_are_logged_once_for_each_reason_and_once_when_they_get_through_again() {
    let (lines, _guard) = Lines::of_this_thread();
    let mut server = RedisServer::start().unwrap();
    let engine = Engine::connect(EngineConfig::new(server.url())).await.unwrap();
    let worker = engine.worker().queue(QueueName::default(), 1).handler("k", |_| async { Ok(()) });
    let worker = worker.start().await.unwrap();
    server.kill().unwrap();

    within("a heartbeat to fail", async {
        while lines.with("heartbeats fail").is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    // Several more fail in this time.
    tokio::time::sleep(Duration::from_secs(4)).await;
    server.restart().unwrap();
    within("heartbeats to get through", async {
        while lines.with("heartbeats get through again").is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;

    let told = lines.with("heartbeats fail");
    let reasons: BTreeSet<_> = told.iter().map(|line| line.split_once("leases run").unwrap().1).collect();
    assert_eq!(reasons.len(), told.len(), "{told:#?}");
    worker.shutdown().await;
}
