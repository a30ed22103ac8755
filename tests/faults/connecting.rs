//! Redis away, read-only, and back.

use super::scene::{command, connect, durable_server, job, on, until, within};
use reprieve::model::QueueName;
use reprieve::testing::RedisServer;
use reprieve::{Engine, EngineConfig, Error, OutageKind};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// Processes that lose their Redis at once.
const INSTANCES: u32 = 10;
/// Connections that one has: for writes, for reads, for what it waits for.
const CONNECTIONS_MAX: u32 = 8;
/// Attempts of one to reconnect in a second, over all that wants Redis in it.
const ATTEMPTS_MAX: u32 = 40;

#[tokio::test]
async fn a_read_only_replica_is_said_to_be_one_and_reads_go_on() {
    let server = RedisServer::start().unwrap();
    let redis = on(&server).await;
    let engine = redis.engine();
    engine.client().enqueue_batch(vec![job("a")]).await.unwrap();
    // A replica of nobody: it keeps its data and takes no writes.
    command(server.url(), &["REPLICAOF", "127.0.0.1", "1"]).unwrap();

    let error = engine.client().enqueue_batch(vec![job("b")]).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    let outage = engine.outage().unwrap();
    assert_eq!(outage.kind, OutageKind::ReadOnly, "{outage:?}");
    assert_eq!(engine.inspector().counts(None).await.unwrap().ready, 1, "reads still work");
    assert_eq!(engine.outage(), Some(outage), "a read proves nothing of writes");

    command(server.url(), &["REPLICAOF", "NO", "ONE"]).unwrap();
    engine.client().enqueue_batch(vec![job("b")]).await.unwrap();
    assert_eq!(engine.outage(), None);
}

#[tokio::test]
async fn an_outage_begins_once_and_ends_with_the_first_answer() {
    let mut server = durable_server();
    let redis = on(&server).await;
    let engine = redis.engine();
    server.kill().unwrap();

    // On a connection that broke nobody knows whether the call had left.
    let error = engine.client().enqueue_batch(vec![job("a")]).await.unwrap_err();
    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error:?}");
    let first = engine.outage().unwrap();
    assert_eq!(first.kind, OutageKind::Unreachable);
    engine.now().await.unwrap_err();
    assert_eq!(engine.outage().unwrap().since, first.since);

    server.restart().unwrap();
    until("redis to be found again", || async { engine.now().await.is_ok() }).await;
    assert_eq!(engine.outage(), None);
    // Its writes go by a connection of their own, which may have given up looking before there was a Redis again.
    until("a job to be taken in", || async {
        let taken = engine.client().enqueue_batch(vec![job("a")]).await;
        taken.is_ok_and(|taken| taken[0].word() == "ready")
    })
    .await;
}

#[tokio::test]
async fn no_redis_at_all_is_unavailable_at_once_and_the_url_that_is_none_is_refused() {
    let mut server = RedisServer::start().unwrap();
    server.kill().unwrap();
    let error = connect(&server).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    let none = EngineConfig::new("http://user:secret@example.org");
    let error = Engine::connect(none).await.unwrap_err();
    assert!(matches!(&error, Error::Refused { why } if !why.contains("secret")), "{error:?}");
}

#[tokio::test]
async fn a_redis_that_comes_back_is_met_by_few_and_by_no_storm() {
    // Given: instances that do everything they do, on a port that stays the same.
    let port = crate::machines::ports::free(1)[0];
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let number = port.to_string();
    let options = ["--port", &number, "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"];
    let mut server = RedisServer::start_with(&options).unwrap();
    let mut running = Vec::new();
    for _ in 0..INSTANCES {
        let engine = Engine::connect(EngineConfig::new(format!("redis://{address}"))).await.unwrap();
        let worker = engine.worker().queue(QueueName::default(), 4).handler_for_all(|_| async { Ok(()) });
        let (worker, maintenance) = (worker.start().await.unwrap(), engine.maintenance().start());
        running.push((engine.events().subscribe(), worker, maintenance, engine));
    }

    // When: something takes every connection and closes it, as a Redis does that has no place for it.
    server.kill().unwrap();
    let attempts = Arc::<AtomicU32>::default();
    let counted = Arc::clone(&attempts);
    let closing = tokio::spawn(async move {
        let listener = TcpListener::bind(address).await.unwrap();
        while listener.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let began = Instant::now();
    tokio::time::sleep(Duration::from_secs(3)).await; // at least so long they try
    until("each to have tried", || async { attempts.load(Ordering::Relaxed) >= INSTANCES }).await;
    closing.abort();
    let _ = closing.await;
    let (tried, took) = (attempts.load(Ordering::Relaxed), began.elapsed());

    // Then: none tried again and again; and who comes back takes no more than it had.
    let allowed = u64::from(INSTANCES * ATTEMPTS_MAX) * (took.as_secs() + 1);
    assert!(u64::from(tried) <= allowed, "{tried} attempts of {INSTANCES} in {took:?}");
    server.restart().unwrap();
    for (_, _, _, engine) in &running {
        until("redis to be found again", || async { engine.now().await.is_ok() }).await;
    }
    let engine = &running[0].3;
    // Another of its connections than the one that was asked may still be one of those that were closed.
    until("a job to be taken in", || async { engine.client().enqueue_batch(vec![job("a")]).await.is_ok() })
        .await;
    until("work to go on", || async {
        engine.inspector().counts(None).await.is_ok_and(|counts| counts.done == 1)
    })
    .await;
    let stats =
        redis::from_redis_value::<String>(command(server.url(), &["INFO", "stats"]).unwrap()).unwrap();
    let stat = |name: &str| {
        let line = stats.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim_start_matches(':').trim().parse::<u32>().unwrap()
    };
    assert_eq!(stat("rejected_connections"), 0);
    let connected = stat("total_connections_received");
    assert!(connected <= INSTANCES * CONNECTIONS_MAX, "{connected} connections of {INSTANCES}");
    for (_, worker, maintenance, _) in running {
        worker.shutdown().await;
        maintenance.shutdown().await;
    }
}

/// What was done and cannot be said, since Redis is away, is not said for five minutes before a worker ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_ends_within_seconds_of_its_grace_period_while_redis_is_away() {
    let mut server = durable_server();
    let redis = on(&server).await;
    let engine = redis.engine();
    let (began, done) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begins, ends) = (Arc::clone(&began), Arc::clone(&done));
    let handler = move |_| {
        let (begins, ends) = (Arc::clone(&begins), Arc::clone(&ends));
        async move {
            begins.notify_one();
            ends.notified().await;
            Ok(())
        }
    };
    let worker = engine
        .worker()
        .queue(QueueName::default(), 1)
        .grace(Duration::from_millis(50))
        .handler("k", handler)
        .start()
        .await
        .unwrap();
    engine.client().enqueue_batch(vec![job("a")]).await.unwrap();
    within("the job to begin", began.notified()).await;
    server.kill().unwrap();
    done.notify_one();

    // Grace, and four seconds for the last words.
    within("the end of its reports", worker.shutdown()).await;
}

/// A claim that Redis does not answer is waited for no longer than handlers are.
#[tokio::test]
async fn a_worker_ends_within_seconds_of_its_grace_period_while_a_claim_is_not_answered() {
    let server = RedisServer::start().unwrap();
    let redis = on(&server).await;
    let worker = redis
        .engine()
        .worker()
        .queue(QueueName::default(), 1)
        .grace(Duration::from_millis(50))
        .handler("k", |_| async { Ok(()) })
        .start()
        .await
        .unwrap();
    // It has not claimed yet: its tasks begin when this one waits.
    let _silent = Silent::from_now_on(&server);
    tokio::time::sleep(Duration::from_millis(50)).await; // now it does

    // The grace period, and four seconds for its last words. Redis answers nothing before this is given up.
    within("the end, without the answer", worker.shutdown()).await;
}

/// A Redis that takes connections and answers nothing. It goes on when this is dropped, since it is asked things at the
/// end of a test: what it holds, or whether it refused anything.
struct Silent(u32);

impl Silent {
    fn from_now_on(server: &RedisServer) -> Self {
        let silent = Self(server.pid());
        assert!(silent.signal("-STOP"), "it cannot be stopped");
        silent
    }

    fn signal(&self, signal: &str) -> bool {
        Command::new("kill").args([signal, &self.0.to_string()]).status().unwrap().success()
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        self.signal("-CONT");
    }
}
