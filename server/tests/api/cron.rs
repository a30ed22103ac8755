//! Cron entries, by curl.

use crate::caller::Caller;
use serde_json::{Value, json};

fn nightly() -> Value {
    json!({
        "name": "nightly", "schedule": "30 2 * * *", "zone": "Europe/Berlin", "overlap": "skip", "missed": "once",
        "job": { "kind": "report", "queue": "reports", "payload": { "full": true }, "tags": ["daily"] },
        "reason": "finance asked for it"
    })
}

#[tokio::test]
async fn an_entry_is_made_read_paused_run_and_removed() {
    let api = Caller::new().await;
    let made = api.post("/api/v1/cron", &nightly()).await;
    assert_eq!(
        (made.status, &made.body["outcome"], &made.body["version"]),
        (200, &json!("created"), &json!(1))
    );

    let entry = api.get("/api/v1/cron/nightly").await.body;
    assert_eq!(entry["zone"], "Europe/Berlin");
    assert_eq!(entry["job"]["payload"], json!({ "full": true }));
    assert_eq!((&entry["by"], &entry["reason"]), (&json!("api"), &json!("finance asked for it")));
    assert!(entry["next_ms"].is_i64() && entry["words"].is_string(), "{entry}");
    assert_eq!(api.get("/api/v1/cron").await.body["items"][0], entry);

    let paused =
        api.post("/api/v1/cron/nightly/pause", &json!({ "version": 1, "reason": "month end" })).await;
    assert_eq!((paused.status, &paused.body["version"]), (200, &json!(2)));
    let entry = api.get("/api/v1/cron/nightly").await.body;
    assert_eq!((&entry["paused"]["reason"], &entry["next_ms"]), (&json!("month end"), &Value::Null));
    assert_eq!(api.post("/api/v1/cron/nightly/resume", &json!({})).await.body["outcome"], "changed");

    let ran = api.post_once("/api/v1/cron/nightly/run", "run-1", &json!({})).await;
    let again = api.post_once("/api/v1/cron/nightly/run", "run-1", &json!({})).await;
    assert_eq!((ran.status, &ran.body), (200, &again.body));
    assert_eq!(ran.body["state"], "ready");
    let history = api.get("/api/v1/cron/nightly/history").await.body;
    assert_eq!(history["items"].as_array().unwrap().len(), 1);
    assert_eq!(history["items"][0]["job"], ran.body["id"]);
    let beside = api.post("/api/v1/cron/nightly/run", &json!({})).await;
    assert_eq!((beside.status, &beside.body["code"]), (409, &json!("duplicate")));
    assert_eq!(beside.body["holder"], ran.body["id"], "the one in the way is named");

    let gone = api.post("/api/v1/cron/nightly/delete", &json!({})).await;
    assert_eq!(gone.status, 200);
    let missing = api.get("/api/v1/cron/nightly").await;
    assert_eq!((missing.status, &missing.body["code"]), (404, &json!("no_such_cron_entry")));
}

#[tokio::test]
async fn an_entry_that_moved_on_is_a_conflict() {
    let api = Caller::new().await;
    api.post("/api/v1/cron", &nightly()).await;
    for (path, body) in [
        ("/api/v1/cron/nightly/pause", json!({ "version": 9 })),
        ("/api/v1/cron/nightly/resume", json!({ "version": 9 })),
        ("/api/v1/cron/nightly/delete", json!({ "version": 9 })),
        ("/api/v1/cron/nightly/run", json!({ "version": 9 })),
        (
            "/api/v1/cron",
            json!({ "name": "nightly", "schedule": "@daily", "job": { "kind": "k" }, "version": 0 }),
        ),
    ] {
        let answer = api.post(path, &body).await;
        assert_eq!((answer.status, &answer.body["code"]), (409, &json!("conflict")), "{path}");
    }
}

#[tokio::test]
async fn a_preview_marks_what_daylight_saving_does() {
    let api = Caller::new().await;
    let preview = api.get("/api/v1/cron-preview?schedule=30+2+*+*+*&zone=Europe/Berlin&limit=100").await;
    assert_eq!(preview.status, 200, "{:?}", preview.body);
    assert_eq!(preview.body["items"].as_array().unwrap().len(), 100);
    let wrong = api.get("/api/v1/cron-preview?schedule=0+0+30+2+*").await;
    assert_eq!(wrong.status, 422);
    assert!(wrong.body["detail"].as_str().unwrap().contains("never fires"));
}

#[tokio::test]
async fn mistakes_of_an_entry_are_told_and_nothing_is_made() {
    let api = Caller::new().await;
    let before = api.redis.snapshot().await;
    let table = [
        (json!({}), vec![("/name", "required")]),
        (json!([]), vec![("", "type")]),
        (json!({ "name": "a b" }), vec![("/name", "invalid_name")]),
        (json!({ "schedule": 7 }), vec![("/schedule", "type")]),
        (json!({ "zone": [] }), vec![("/zone", "type")]),
        (json!({ "overlap": "maybe" }), vec![("/overlap", "unknown_word")]),
        (json!({ "missed": 1 }), vec![("/missed", "type")]),
        (json!({ "job": { "kind": "x y" } }), vec![("/job/kind", "invalid_name")]),
        (json!({ "when": 1 }), vec![("/when", "unknown_field")]),
        (
            json!({ "name": "n", "schedule": "x", "job": { "kind": "k", "id": "x", "delay_ms": 5 } }),
            vec![("/job/id", "not_here"), ("/job/due_ms", "not_here"), ("/schedule", "invalid")],
        ),
        (
            json!({ "name": "n", "schedule": "0 0 30 2 *", "job": { "kind": "k" } }),
            vec![("/schedule", "invalid")],
        ),
        (
            json!({ "name": "n", "schedule": "@daily", "zone": "Mars/Olympus", "job": { "kind": "k" } }),
            vec![("/schedule", "invalid")],
        ),
    ];
    for (body, expected) in table {
        let answer = api.post("/api/v1/cron", &body).await;
        assert_eq!(answer.status, 422, "{body}: {:?}", answer.body);
        let expected: Vec<(String, String)> =
            expected.into_iter().map(|(place, code)| (place.to_owned(), code.to_owned())).collect();
        assert_eq!(answer.mistakes(), expected, "{body}");
    }
    for path in ["/api/v1/cron/a%20b", "/api/v1/cron/%7B%7D", "/api/v1/cron/a%00b"] {
        assert_eq!(api.get(path).await.status, 422, "{path}");
    }
    assert_eq!(api.redis.snapshot().await, before);
}
