//! Redis away, read-only, and back.

use super::scene::{command, connect, durable_server, job, on, until};
use reprieve::testing::RedisServer;
use reprieve::{Error, OutageKind};

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

    let error = engine.client().enqueue_batch(vec![job("a")]).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    let first = engine.outage().unwrap();
    assert_eq!(first.kind, OutageKind::Unreachable);
    engine.now().await.unwrap_err();
    assert_eq!(engine.outage().unwrap().since, first.since);

    server.restart().unwrap();
    until("redis to be found again", || async { engine.now().await.is_ok() }).await;
    assert_eq!(engine.outage(), None);
    assert_eq!(engine.client().enqueue_batch(vec![job("a")]).await.unwrap()[0].word(), "ready");
}

#[tokio::test]
async fn no_redis_at_all_is_unavailable_at_once_and_the_url_that_is_none_is_refused() {
    let mut server = RedisServer::start().unwrap();
    server.kill().unwrap();
    let error = connect(&server).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    let none = reprieve::EngineConfig::new("http://user:secret@example.org");
    let error = reprieve::Engine::connect(none).await.unwrap_err();
    assert!(matches!(&error, Error::Refused { why } if !why.contains("secret")), "{error:?}");
}
