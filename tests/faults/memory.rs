//! Redis at its memory limit: nothing new, but everything that is there can be ended and called off.

use super::scene::{command, connect, id, job, on, until, within};
use reprieve::model::{Delay, JobState, QueueName, Timestamp};
use reprieve::store::{FailWord, Intent, LeaseWord, ReleaseWord};
use reprieve::testing::RedisServer;
use reprieve::{Due, Engine, EngineConfig, Error, JobContext, OutageKind, Retention};
use std::sync::Arc;
use tokio::sync::Notify;

const LEASE: Delay = Delay::seconds(12);

#[tokio::test]
async fn a_full_redis_takes_nothing_in_and_lets_everything_out() {
    let server = RedisServer::start().unwrap();
    let redis = on(&server).await;
    let (engine, store) = (redis.engine(), redis.store());
    let client = engine.client();
    client.enqueue_batch((0..6).map(|n| job(&format!("run{n}"))).collect()).await.unwrap();
    let mut waiting = job("waiting");
    waiting.due = Due::In(Delay::hours(1));
    client.enqueue_batch(vec![waiting]).await.unwrap();
    let jobs = store.claim("w", LEASE, 6, &[(QueueName::default(), 6)]).await.unwrap();
    let lease = |n: usize| (jobs[n].id.clone(), jobs[n].token);

    command(server.url(), &["CONFIG", "SET", "maxmemory", "1"]).unwrap();
    let before = redis.snapshot().await;

    // Nothing comes in, and nothing is half there.
    assert_eq!(client.enqueue_batch(vec![job("new")]).await.unwrap_err(), Error::StorageFull);
    assert_eq!(redis.snapshot().await, before);
    assert_eq!(engine.outage().map(|outage| outage.kind), Some(OutageKind::Full));

    // What is there can end.
    assert_eq!(store.extend(LEASE, &[lease(0)]).await.unwrap(), [LeaseWord::Held]);
    assert_eq!(store.complete(&[lease(0)]).await.unwrap(), [ReleaseWord::Done]);
    let wait = Some(Delay::seconds(1));
    assert_eq!(store.fail(&lease(1).0, lease(1).1, "no", wait).await.unwrap(), FailWord::Retrying);
    assert_eq!(store.fail(&lease(2).0, lease(2).1, "no", None).await.unwrap(), FailWord::Dead);
    assert_eq!(store.release("stop", &[lease(3)]).await.unwrap(), [ReleaseWord::Ready]);
    store.snooze(&lease(4).0, lease(4).1, LEASE, "later", false).await.unwrap();
    let operator = engine.operator("ann");
    assert_eq!(operator.cancel(&id("waiting")).because("full").await.unwrap().word(), "cancelled");
    assert_eq!(operator.cancel(&lease(5).0).await.unwrap().word(), "requested");
    store.cancel(&lease(1).0, &Intent::of("ann")).await.unwrap();
    let later = Timestamp::from_millis(engine.now().await.unwrap().as_millis() + 60_000).unwrap();
    assert_eq!(store.at(later).recover(10, LEASE, 3).await.unwrap(), 1);
    assert!(operator.pause(&QueueName::default(), "full").await.unwrap());
    assert_eq!(store.at(later + Delay::days(400)).purge(100).await.unwrap(), 5);
    assert_eq!(engine.outage().map(|outage| outage.kind), Some(OutageKind::Full), "it is still full");

    // And with room again, all goes on.
    command(server.url(), &["CONFIG", "SET", "maxmemory", "0"]).unwrap();
    assert!(operator.resume(&QueueName::default(), "").await.unwrap());
    assert_eq!(client.enqueue_batch(vec![job("new")]).await.unwrap()[0].word(), "ready");
    assert_eq!(engine.outage(), None);
    assert_eq!(reprieve::testing::breaches(&redis.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_process_comes_back_to_a_full_redis() {
    let server = RedisServer::start().unwrap();
    let redis = on(&server).await;
    redis.engine().client().enqueue_batch(vec![job("a")]).await.unwrap();
    command(server.url(), &["CONFIG", "SET", "maxmemory", "1"]).unwrap();

    let engine = connect(&server).await.unwrap();

    assert_eq!(engine.operator("ann").cancel(&id("a")).await.unwrap().word(), "cancelled");
    let retention = Retention { done: Some(Delay::days(2)), ..Retention::default() };
    let config = EngineConfig::new(server.url()).retention(retention);
    let engine = Engine::connect(config).await.unwrap();
    assert_ne!(
        engine.inspector().retention().await.unwrap().namespace.done,
        retention.done,
        "there was no room for it"
    );
    assert_eq!(engine.configure_retention(retention).await, Err(Error::StorageFull));
}

#[tokio::test]
async fn what_a_job_came_to_is_kept_on_a_full_redis_as_its_end_is() {
    let server = RedisServer::start().unwrap();
    let redis = on(&server).await;
    let engine = redis.engine();
    let (began, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begins, goes) = (Arc::clone(&began), Arc::clone(&go));
    let worker = engine
        .worker()
        .queue(QueueName::default(), 1)
        .handler_returning("k", move |context: JobContext| {
            let (began, go) = (Arc::clone(&begins), Arc::clone(&goes));
            async move {
                began.notify_one();
                go.notified().await;
                context.log("no room for this");
                Ok(42)
            }
        })
        .start()
        .await
        .unwrap();
    engine.client().enqueue_batch(vec![job("a")]).await.unwrap();
    within("the job to begin", began.notified()).await;

    command(server.url(), &["CONFIG", "SET", "maxmemory", "1"]).unwrap();
    go.notify_one();

    let read = async || engine.inspector().job(&id("a")).await.unwrap().unwrap().job;
    until("the job to be done", || async { read().await.state == JobState::Done }).await;
    assert_eq!(read().await.result, b"42");
    command(server.url(), &["CONFIG", "SET", "maxmemory", "0"]).unwrap();
    worker.shutdown().await;
}
