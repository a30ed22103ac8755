//! Jobs on their way in.

use crate::caller::Caller;
use serde_json::{Value, json};

#[tokio::test]
async fn a_job_with_everything_reads_back_as_it_was_sent() {
    let api = Caller::new().await;

    let taken = api
        .given(&json!({
            "id": "order/7:mail", "queue": "mail", "kind": "invoice.send", "subject": "resource:4711",
            "payload": { "big": 1, "text": "é" }, "due_ms": 4_000_000_000_123_i64, "priority": 2,
            "max_attempts": null, "timeout_ms": 5_000, "retention_ms": 60_000,
            "unique": { "key": "mail:7", "ttl_ms": 1_000 }, "headers": { "traceparent": "00-abc" },
            "tags": ["vip"], "replace": false,
        }))
        .await;
    let job = api.get("/api/v1/jobs/order%2F7:mail").await;

    assert_eq!(taken.header("location"), "/api/v1/jobs/order%2F7:mail");
    assert_eq!(taken.body["outcome"], "delayed");
    assert_eq!(job.status, 200);
    for (field, value) in [
        ("id", json!("order/7:mail")),
        ("queue", json!("mail")),
        ("kind", json!("invoice.send")),
        ("subject", json!("resource:4711")),
        ("state", json!("delayed")),
        ("version", taken.body["version"].clone()),
        ("payload", json!({ "big": 1, "text": "é" })),
        ("due_ms", json!(4_000_000_000_123_i64)),
        ("priority", json!(2)),
        ("attempt", json!(0)),
        ("max_attempts", Value::Null),
        ("timeout_ms", json!(5_000)),
        ("retention_ms", json!(60_000)),
        ("unique_key", json!("mail:7")),
        ("headers", json!({ "traceparent": "00-abc" })),
        ("tags", json!(["vip"])),
        ("started_ms", Value::Null),
        ("by", json!("api")),
    ] {
        assert_eq!(job.body[field], value, "{field}");
    }
    assert!(job.body["created_ms"].is_i64() && job.body["read_at_ms"].is_i64());
    assert!(job.body.get("payload_base64").is_none());
}

#[tokio::test]
async fn the_least_a_job_needs_is_its_kind() {
    let api = Caller::new().await;

    let taken = api.given(&json!({ "kind": "ping" })).await;

    assert_eq!(taken.body["outcome"], "ready");
    assert!(taken.body.get("note").is_none(), "nobody asked for another time: {:?}", taken.body);
    let job = api.get(&format!("/api/v1/jobs/{}", taken.body["id"].as_str().unwrap())).await;
    assert_eq!(job.body["queue"], "default");
    assert_eq!(job.body["max_attempts"], 25);
    assert_eq!(job.body["payload"], Value::Null);
}

#[tokio::test]
async fn a_time_in_the_past_runs_at_once_and_says_so() {
    let api = Caller::new().await;

    for body in [
        json!({ "kind": "ping", "due_ms": 1_000_000_000_000_i64 }),
        json!({ "kind": "ping", "due_at": "2001-02-03T04:05:06Z" }),
    ] {
        let taken = api.given(&body).await;
        assert_eq!(taken.body["outcome"], "ready");
        let note = taken.body["note"].as_str().unwrap();
        assert!(note.contains("ago") && note.contains("runs at once"), "{note}");
    }
}

#[tokio::test]
async fn a_payload_keeps_its_very_text() {
    let api = Caller::new().await;
    let payload = r#"{"n":123456789012345678901234567890, "x":1.10}"#;

    api.post_text("/api/v1/jobs", &format!(r#"{{"id":"a","kind":"k","payload":{payload}}}"#)).await;

    let detail = api.redis.engine().inspector().job(&"a".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(String::from_utf8(detail.job.payload).unwrap(), payload);
}

#[tokio::test]
async fn bytes_go_in_and_out_as_base64() {
    let api = Caller::new().await;

    api.given(&json!({ "id": "a", "kind": "k", "payload_base64": "AP/+" })).await;

    let job = api.get("/api/v1/jobs/a").await;
    assert_eq!(job.body["payload_base64"], "AP/+");
    assert!(job.body.get("payload").is_none());
}

#[tokio::test]
async fn the_same_id_again_changes_nothing_unless_asked() {
    let api = Caller::new().await;
    let job = json!({ "id": "a", "kind": "k", "delay_ms": 60_000, "payload": 1 });
    api.given(&job).await;

    let again = api.post("/api/v1/jobs", &json!({ "id": "a", "kind": "k", "payload": 2 })).await;
    assert_eq!((again.status, &again.body["outcome"]), (200, &json!("exists")));
    assert!(again.body["note"].as_str().unwrap().contains("delayed already"));
    assert_eq!(api.get("/api/v1/jobs/a").await.body["payload"], 1);

    let replaced =
        api.given(&json!({ "id": "a", "kind": "k", "delay_ms": 5_000, "payload": 3, "replace": true })).await;
    assert_eq!(replaced.body["outcome"], "replaced");
    assert_eq!(api.get("/api/v1/jobs/a").await.body["payload"], 3);
}

#[tokio::test]
async fn a_unique_key_admits_one_live_job() {
    let api = Caller::new().await;
    let unique = json!({ "key": "once", "ttl_ms": 60_000 });
    api.given(&json!({ "id": "a", "kind": "k", "delay_ms": 60_000, "unique": unique })).await;

    let second = api.post("/api/v1/jobs", &json!({ "id": "b", "kind": "k", "unique": unique })).await;

    assert_eq!((second.status, &second.body["code"]), (409, &json!("duplicate")));
    assert_eq!(second.body["holder"], "a");
    assert_eq!(api.get("/api/v1/jobs/b").await.status, 404);
}

#[tokio::test]
async fn an_array_answers_for_each_job_in_order() {
    let api = Caller::new().await;
    let unique = json!({ "key": "once", "ttl_ms": 60_000 });

    let all_new = api.post("/api/v1/jobs", &json!([{ "id": "a", "kind": "k", "delay_ms": 9_000 }])).await;
    let some_known =
        api.post("/api/v1/jobs", &json!([{ "id": "a", "kind": "k" }, { "id": "b", "kind": "k" }])).await;
    let some_refused = api
        .post(
            "/api/v1/jobs",
            &json!([{ "id": "c", "kind": "k", "unique": unique }, { "id": "d", "kind": "k", "unique": unique }]),
        )
        .await;

    let outcomes = |answer: &crate::caller::Answer| -> Vec<String> {
        let items = answer.body["items"].as_array().unwrap().iter();
        items.map(|item| item["outcome"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((all_new.status, outcomes(&all_new)), (201, vec!["delayed".to_owned()]));
    assert_eq!(
        (some_known.status, outcomes(&some_known)),
        (200, vec!["exists".to_owned(), "ready".to_owned()])
    );
    assert_eq!(
        (some_refused.status, outcomes(&some_refused)),
        (207, vec!["ready".to_owned(), "duplicate".to_owned()])
    );
}

#[tokio::test]
async fn five_hundred_at_once_and_not_one_more() {
    let api = Caller::new().await;
    let jobs = |count: usize| Value::Array(vec![json!({ "kind": "k", "queue": "many" }); count]);

    let taken = api.post("/api/v1/jobs", &jobs(500)).await;
    let refused = api.post("/api/v1/jobs", &jobs(501)).await;

    assert_eq!((taken.status, taken.body["items"].as_array().unwrap().len()), (201, 500));
    assert_eq!((refused.status, &refused.body["code"]), (413, &json!("batch_too_large")));
}

#[tokio::test]
async fn mistakes_in_an_array_are_told_for_each_job_and_none_is_taken_in() {
    let api = Caller::new().await;

    let refused = api
        .post(
            "/api/v1/jobs",
            &json!([{ "id": "a", "kind": "k" }, { "kind": "k k" }, { "kind": "k", "queue": "" }]),
        )
        .await;

    assert_eq!(refused.status, 422);
    assert_eq!(
        refused.mistakes(),
        [
            ("/1/kind".to_owned(), "invalid_name".to_owned()),
            ("/2/queue".to_owned(), "invalid_name".to_owned())
        ]
    );
    assert_eq!(api.get("/api/v1/jobs/a").await.status, 404);
}
