//! Batches, by curl.

use crate::caller::Caller;
use serde_json::json;

#[tokio::test]
async fn a_batch_is_made_grown_closed_read_and_called_off() {
    let api = Caller::new().await;
    let batch = json!({
        "id": "import-7", "name": "import", "rule": "done", "unmet": "cancel", "open": true,
        "completion": { "kind": "report" },
        "jobs": [{ "kind": "row", "delay_ms": 60_000 }, { "kind": "row", "delay_ms": 60_000, "id": "row-2" }],
    });
    let made = api.post("/api/v1/batches", &batch).await;
    assert_eq!((made.status, &made.body["outcome"]), (201, &json!("made")), "{}", made.body);
    assert_eq!((&made.body["total"], &made.body["jobs"][0]["id"]), (&json!(2), &json!("import-7/1")));
    let again = api.post("/api/v1/batches", &batch).await;
    assert_eq!(
        (again.status, &again.body["outcome"], &again.body["total"]),
        (200, &json!("exists"), &json!(2))
    );

    let more = json!({ "jobs": [{ "kind": "row", "delay_ms": 60_000, "id": "row-3" }], "close": true });
    let added = api.post("/api/v1/batches/import-7/jobs", &more).await;
    assert_eq!((added.status, &added.body["total"]), (200, &json!(3)), "{}", added.body);
    let late = api.post("/api/v1/batches/import-7/jobs", &json!({ "jobs": [{ "kind": "row" }] })).await;
    assert_eq!((late.status, &late.body["code"]), (409, &json!("wrong_state")));
    assert_eq!(api.post("/api/v1/batches/import-7/close", &json!({})).await.body["outcome"], "unchanged");

    let found = api.get("/api/v1/batches/import-7").await.body;
    assert_eq!((&found["live"], &found["rule"]), (&json!(3), &json!("done")));
    assert_eq!(found["created_by"], "api");
    assert_eq!(found["completion_job"]["state"], "held");
    assert_eq!(found["live_jobs"], json!(["import-7/1", "row-2", "row-3"]));
    assert_eq!(api.get("/api/v1/batches").await.body["items"][0]["id"], "import-7");

    let ended = api.post("/api/v1/batches/import-7/cancel", &json!({ "reason": "the wrong file" })).await;
    assert_eq!((ended.status, &ended.body["cancelled"]), (200, &json!(3)));
    let found = api.get("/api/v1/batches/import-7").await.body;
    assert_eq!((&found["live"], &found["completion_job"]["state"]), (&json!(0), &json!("cancelled")));
    let missing = api.get("/api/v1/batches/nobody").await;
    assert_eq!((missing.status, &missing.body["code"]), (404, &json!("not_found")));
}

#[tokio::test]
async fn a_batch_with_mistakes_is_refused_with_all_of_them() {
    let api = Caller::new().await;
    let completion = json!({ "kind": "report" });
    for (bad, code) in [
        (json!({}), "required"),
        (json!({ "id": "a{b", "completion": completion }), "invalid_name"),
        (json!({ "id": "a" }), "required"),
        (json!({ "id": "a", "completion": completion, "rule": "maybe" }), "unknown_word"),
        (json!({ "id": "a", "completion": completion, "jobs": 7 }), "type"),
        (json!({ "id": "a", "completion": completion, "jobs": [{}] }), "required"),
        (json!({ "id": "a", "completion": { "kind": "report", "id": "mine" } }), "invalid"),
        (
            json!({ "id": "a", "completion": completion, "jobs": [{ "kind": "row", "replace": true }] }),
            "invalid",
        ),
        (json!({ "id": "a", "completion": completion, "unknown": 1 }), "unknown_field"),
    ] {
        let refused = api.post("/api/v1/batches", &bad).await;
        assert_eq!(refused.status, 422, "{bad}: {}", refused.body);
        assert!(refused.body["errors"].to_string().contains(code), "{bad}: {}", refused.body);
    }
    assert_eq!(api.get("/api/v1/batches/a").await.status, 404);
}
