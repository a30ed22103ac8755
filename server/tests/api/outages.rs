//! Redis away, or full.

use crate::caller::Caller;
use reprieve::model::Namespace;
use reprieve::testing::{RedisServer, TestRedis};
use serde_json::json;

async fn on_its_own_server() -> (RedisServer, Caller) {
    let server = RedisServer::start().unwrap();
    let redis = TestRedis::on(server.url(), Namespace::default()).await;
    (server, Caller::on(redis))
}

#[tokio::test]
async fn without_redis_everything_is_a_503_that_says_when_to_come_back() {
    let (server, api) = on_its_own_server().await;
    drop(server);

    for answer in [
        api.get("/api/v1/queues").await,
        api.post("/api/v1/jobs", &json!({ "kind": "k" })).await,
        api.post("/api/v1/jobs/a/cancel", &json!({})).await,
    ] {
        assert_eq!((answer.status, &answer.body["code"]), (503, &json!("unavailable")));
        assert!(answer.header("retry-after").parse::<u16>().unwrap() > 0);
    }
}

#[tokio::test]
async fn a_full_redis_takes_no_job_but_still_a_cancel() {
    let (_server, api) = on_its_own_server().await;
    api.given(&json!({ "id": "a", "kind": "k", "delay_ms": 60_000 })).await;
    api.redis.command(&["CONFIG", "SET", "maxmemory", "1"]).await.unwrap();

    let refused = api.post("/api/v1/jobs", &json!({ "kind": "k" })).await;
    let cancelled = api.post("/api/v1/jobs/a/cancel", &json!({})).await;

    assert_eq!((refused.status, &refused.body["code"]), (507, &json!("storage_full")));
    assert_eq!((cancelled.status, &cancelled.body["outcome"]), (200, &json!("cancelled")));
}
