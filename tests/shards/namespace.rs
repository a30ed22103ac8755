//! The number of shards is part of a namespace.

use reprieve::model::Namespace;
use reprieve::testing::TestRedis;
use reprieve::{Engine, EngineConfig, Error};

async fn refusal(redis: &TestRedis, namespace: &str, shards: u16) -> String {
    let config = EngineConfig::new(redis.url()).namespace(Namespace::new(namespace).unwrap()).shards(shards);
    match Engine::connect(config).await {
        Err(Error::Refused { why }) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_process_with_another_number_of_shards_is_refused() {
    let four = TestRedis::with_shards(4).await;
    let one = TestRedis::namespace().await;
    for (redis, shards, has) in [(&four, 1, 4), (&four, 3, 4), (&four, 8, 4), (&one, 2, 1)] {
        let why = refusal(redis, redis.name().as_str(), shards).await;
        assert!(
            why.contains(&format!("has {has} shards")) && why.contains(&format!("set to {shards}")),
            "{why}"
        );
    }
}

#[tokio::test]
async fn a_namespace_from_before_there_were_shards_has_one() {
    let redis = TestRedis::namespace().await;
    let meta = format!("{}meta", redis.prefix());
    redis.command(&["HDEL", &meta, "shards", "namespace"]).await.unwrap();

    let why = refusal(&redis, redis.name().as_str(), 4).await;
    assert!(why.contains("has 1 shards"), "{why}");
    let same = EngineConfig::new(redis.url()).namespace(redis.name().clone());
    Engine::connect(same).await.unwrap();
}

#[tokio::test]
async fn a_namespace_that_is_named_like_a_shard_of_another_is_refused() {
    let four = TestRedis::with_shards(4).await;
    let why = refusal(&four, &format!("{}.2", four.name()), 1).await;
    assert!(why.contains("shards") || why.contains("belong to namespace"), "{why}");
}

#[tokio::test]
async fn there_are_1_to_256_shards() {
    let redis = TestRedis::namespace().await;
    for shards in [0, 257, u16::MAX] {
        let config =
            EngineConfig::new(redis.url()).namespace(Namespace::new("other").unwrap()).shards(shards);
        let error = Engine::connect(config).await.unwrap_err();
        assert!(matches!(error, Error::Invalid { field: "shards", .. }), "{error:?}");
    }
}

#[tokio::test]
async fn who_only_looks_leaves_the_number_of_shards_open_and_is_refused_another_one() {
    let redis = TestRedis::namespace().await;
    let fresh = Namespace::new(format!("{}-fresh", redis.name())).unwrap();
    let config = || EngineConfig::new(redis.url()).namespace(fresh.clone());

    let engine = Engine::visit(config()).await.unwrap();

    assert!(engine.inspector().queues().await.unwrap().is_empty());
    Engine::connect(config().shards(4)).await.unwrap();
    let refused = Engine::visit(config()).await.unwrap_err();
    assert!(matches!(&refused, Error::Refused { why } if why.contains("has 4 shards")), "{refused:?}");
    Engine::visit(config().shards(4)).await.unwrap();
}
