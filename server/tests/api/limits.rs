//! Limits of a queue, by curl.

use crate::caller::Caller;
use serde_json::{Value, json};

#[tokio::test]
async fn limits_are_set_shown_and_taken_away() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "k", "concurrency_key": "tenant:7", "delay_ms": 60_000 })).await;
    assert_eq!(api.get("/api/v1/jobs/a").await.body["concurrency_key"], "tenant:7");
    let limits = json!({
        "concurrency": 20, "rate": { "jobs": 100, "per_ms": 1000 }, "concurrency_per_key": 1, "ordered": true, "reason": "the provider asked"
    });
    let set = api.post("/api/v1/queues/default/limits", &limits).await;
    assert_eq!((set.status, &set.body["changed"]), (200, &json!(true)));
    assert_eq!(api.post("/api/v1/queues/default/limits", &limits).await.body["changed"], false);
    let once = async || {
        api.post_once("/api/v1/queues/default/limits", "k1", &json!({ "concurrency_per_key": 2 })).await.body
    };
    assert_eq!(
        (once().await, once().await["changed"].clone()),
        (json!({ "queue": "default", "changed": true }), json!(true))
    );
    api.post("/api/v1/queues/default/limits", &limits).await;

    let shown = api.get("/api/v1/queues").await.body["items"][0]["limits"].clone();
    assert_eq!((&shown["concurrency"], &shown["rate"]["per_ms"]), (&json!(20), &json!(1000)));
    assert_eq!((&shown["by"], &shown["reason"]), (&json!("api"), &json!("the provider asked")));

    assert_eq!(api.post("/api/v1/queues/default/limits", &json!({})).await.body["changed"], true);
    assert_eq!(api.get("/api/v1/queues").await.body["items"][0]["limits"], Value::Null);
}

#[tokio::test]
async fn a_queue_that_people_paused_or_limited_is_shown_before_any_job_is_in_it() {
    let api = Caller::new().await;
    let shown = async || api.get("/api/v1/queues").await.body["items"].clone();
    api.post("/api/v1/queues/mial/pause", &json!({ "reason": "migration" })).await;
    api.post("/api/v1/queues/later/limits", &json!({ "concurrency": 2 })).await;

    let queues = shown().await;
    assert_eq!([&queues[0]["name"], &queues[1]["name"]], [&json!("later"), &json!("mial")]);
    assert_eq!(queues[1]["paused"]["reason"], "migration");

    api.post("/api/v1/queues/mial/limits", &json!({ "concurrency": 2 })).await;
    api.post("/api/v1/queues/mial/resume", &json!({})).await;
    assert_eq!(shown().await[1]["name"], "mial", "it is limited still");
    for queue in ["mial", "later"] {
        api.post(&format!("/api/v1/queues/{queue}/limits"), &json!({})).await;
    }
    assert_eq!(shown().await, json!([]), "nobody has said anything about it any more");
}

#[tokio::test]
async fn limits_that_make_no_sense_change_nothing() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "k", "delay_ms": 60_000 })).await;
    let before = api.redis.snapshot().await;
    for body in [
        json!({ "concurrency": 0 }),
        json!({ "concurrency": -1 }),
        json!({ "concurrency": "many" }),
        json!({ "rate": { "jobs": 1 } }),
        json!({ "rate": { "jobs": 0, "per_ms": 1000 } }),
        json!({ "rate": { "jobs": 1, "per_ms": 0 } }),
        json!({ "rate": { "jobs": 1, "per_ms": 90_000_000 } }),
        json!({ "rate": 7 }),
        json!({ "concurrency_per_key": 1.5 }),
        json!({ "ordered": "yes" }),
        json!({ "limit": 1 }),
    ] {
        let refused = api.post("/api/v1/queues/default/limits", &body).await;
        assert_eq!(refused.status, 422, "{body}");
        let pointer = refused.body["errors"][0]["pointer"].as_str().unwrap();
        assert!(pointer.starts_with('/'), "{body}: {pointer:?}");
    }
    let beyond = json!({ "concurrency": 4_294_967_296_u64 });
    let refused = api.post("/api/v1/queues/default/limits", &beyond).await;
    let detail = refused.body["errors"][0]["detail"].as_str().unwrap();
    assert_eq!((refused.status, detail), (422, "`concurrency` is a whole number from 1 to 4294967295"));
    assert_eq!(api.post("/api/v1/queues/a%20b/limits", &json!({})).await.status, 422);
    assert_eq!(api.redis.snapshot().await, before);
}
