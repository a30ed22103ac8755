//! A Redis that is not fit to hold jobs, or that refuses us.

use super::scene::{command, connect};
use reprieve::testing::RedisServer;
use reprieve::{Error, OutageKind};

#[tokio::test]
async fn a_redis_that_would_throw_jobs_away_is_refused_with_what_to_do() {
    let server = RedisServer::start().unwrap();
    for policy in ["allkeys-lru", "allkeys-lfu", "allkeys-random"] {
        command(server.url(), &["CONFIG", "SET", "maxmemory-policy", policy]).unwrap();
        let error = connect(&server).await.unwrap_err();
        let Error::Refused { why } = error else { panic!("{error:?}") };
        assert!(why.contains(policy) && why.contains("CONFIG SET maxmemory-policy noeviction"), "{why}");
    }
    command(server.url(), &["CONFIG", "SET", "maxmemory-policy", "volatile-lru"]).unwrap();
    connect(&server).await.unwrap();
}

#[tokio::test]
async fn data_of_another_layout_is_refused_and_left_alone() {
    let server = RedisServer::start().unwrap();
    let meta = "reprieve:{default}:meta";
    command(server.url(), &["HSET", meta, "schema", "1"]).unwrap();
    let error = connect(&server).await.unwrap_err();
    assert!(matches!(&error, Error::Refused { why } if why.contains("layout 1")), "{error:?}");
    let fields = command(server.url(), &["HLEN", meta]).unwrap();
    assert_eq!(fields, redis::Value::Int(1));
}

#[tokio::test]
async fn a_wrong_password_says_so_and_not_the_password() {
    let server = RedisServer::start().unwrap();
    // As the user whose password is set, also where tests run as another.
    let engine = connect(&server).await.unwrap();
    command(server.url(), &["CONFIG", "SET", "requirepass", "secret"]).unwrap();
    let url = format!("{}?pass=wrong", server.url());
    let error = reprieve::Engine::connect(reprieve::EngineConfig::new(url)).await.unwrap_err();
    assert!(matches!(&error, Error::Unavailable { what } if what.contains("user or password")), "{error:?}");
    assert!(!error.to_string().contains("wrong"), "{error}");

    // Connections that are open go on; new ones are refused.
    let url = format!("{}?pass=secret", server.url());
    command(&url, &["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]).unwrap();
    for _ in 0..3 {
        assert!(engine.now().await.is_err());
    }
    assert_eq!(engine.outage().map(|outage| outage.kind), Some(OutageKind::Denied));
}
