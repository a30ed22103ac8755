//! Redis away, or full.

use crate::caller::Caller;
use reprieve::model::Namespace;
use reprieve::testing::{RedisServer, TestRedis};
use serde_json::{Value, json};

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

#[tokio::test]
async fn an_array_that_breaks_off_says_how_much_of_it_is_in_and_its_repeat_doubles_nothing() {
    let api = Caller::new().await;
    api.fill_queues(999).await;
    let job = |number: usize| {
        let queue = match number {
            298 => "new",
            299 => "one-too-many",
            _ => "q1",
        };
        json!({ "kind": "k", "queue": queue, "delay_ms": 60_000 })
    };
    let jobs = Value::Array((0..300).map(job).collect());

    let first = api.post_once("/api/v1/jobs", "key", &jobs).await;
    let again = api.post_once("/api/v1/jobs", "key", &jobs).await;

    for (answer, taken, known) in [(&first, 200, 0), (&again, 0, 200)] {
        assert_eq!((answer.status, &answer.body["code"]), (422, &json!("invalid")), "{}", answer.body);
        let told = ["taken", "known", "refused"].map(|name| answer.body[name].clone());
        assert_eq!(told, [json!(taken), json!(known), json!(0)], "{}", answer.body);
        let detail = answer.body["detail"].as_str().unwrap();
        assert!(detail.contains("limit of 1,000 queues") && detail.contains("same ids"), "{detail}");
    }
    assert_eq!(api.redis.engine().inspector().counts(None).await.unwrap().delayed, 200);
}
