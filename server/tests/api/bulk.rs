//! Bulk runs, logs, receipts and erasing, by curl; and what a Prometheus scrapes.

use crate::caller::Caller;
use reprieve::model::RunId;
use serde_json::{Value, json};

async fn waiting(api: &Caller, count: usize) {
    for n in 0..count {
        let job = json!({ "id": format!("j{n}"), "kind": "k", "subject": "resource:1", "due_ms": 4_000_000_000_000_i64 });
        api.given(&job).await;
    }
}

/// Takes a started run to its end, as the maintenance of a server does.
async fn carried_out(api: &Caller, run: &str) -> Value {
    let operator = api.redis.engine().operator("test");
    let id = RunId::new(run).unwrap();
    while operator.step_bulk(&id, 2).await.unwrap().is_some_and(|step| step.left > 0) {}
    api.get(&format!("/api/v1/bulk/{run}")).await.body
}

#[tokio::test]
async fn a_bulk_cancel_is_frozen_started_watched_and_undone() {
    let api = Caller::new().await;
    waiting(&api, 3).await;
    let frozen =
        api.post("/api/v1/bulk", &json!({ "verb": "cancel", "subject": "resource:1", "id": "r1" })).await;
    assert_eq!(
        (frozen.status, &frozen.body["state"], &frozen.body["total"]),
        (200, &json!("frozen"), &json!(3))
    );
    assert_eq!(frozen.body["samples"].as_array().unwrap().len(), 3);
    assert_eq!(api.get("/api/v1/jobs/j0").await.body["state"], "delayed");

    let started = api.post("/api/v1/bulk/r1/start", &json!({ "reason": "as agreed" })).await;
    assert_eq!((started.status, &started.body["state"]), (200, &json!("running")));
    let done = carried_out(&api, "r1").await;
    assert_eq!((&done["state"], &done["changed"], &done["undoable"]), (&json!("done"), &json!(3), &json!(3)));
    let outcomes = api.get("/api/v1/bulk/r1/outcomes?size=2").await.body;
    assert_eq!((outcomes["items"].as_array().unwrap().len(), &outcomes["next"]), (2, &json!(2)));

    let undo = api.post("/api/v1/bulk/r1/undo", &json!({ "reason": "a mistake" })).await;
    assert_eq!((undo.status, &undo.body["undo_of"]), (200, &json!("r1")));
    let id = undo.body["id"].as_str().unwrap().to_owned();
    api.post(&format!("/api/v1/bulk/{id}/start"), &json!({})).await;
    assert_eq!(carried_out(&api, &id).await["changed"], 3);
    assert_eq!(api.get("/api/v1/jobs/j0").await.body["state"], "delayed");
    assert_eq!(api.get("/api/v1/bulk").await.body["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_bulk_cancel_leaves_alone_what_started_unless_running_jobs_are_named() {
    let api = Caller::new().await;
    for (states, spares, word) in [
        (Value::Null, true, "started"),
        (json!(["delayed", "ready"]), true, "started"),
        (json!(["ready", "active"]), false, "requested"),
    ] {
        let id = format!("runs-{word}-{}", states.is_null());
        api.given(&json!({ "id": id, "kind": "k", "queue": id })).await;
        let mut body = json!({ "verb": "cancel", "queue": id, "id": id });
        if !states.is_null() {
            body["states"] = states;
        }
        let frozen = api.post("/api/v1/bulk", &body).await.body;
        assert_eq!((&frozen["total"], &frozen["spares_started"]), (&json!(1), &json!(spares)), "{frozen}");
        let claim = json!({ "worker": "w", "lease_ms": 60_000 });
        api.post(&format!("/api/v1/queues/{id}/claim"), &claim).await;

        api.post(&format!("/api/v1/bulk/{id}/start"), &json!({})).await;

        assert_eq!(carried_out(&api, &id).await["words"], json!({ word: 1 }));
    }
}

#[tokio::test]
async fn a_run_is_spread_over_as_much_as_a_year() {
    let api = Caller::new().await;
    waiting(&api, 1).await;
    let days = |days: i64| json!({ "verb": "reschedule", "shift_ms": 1, "spread_ms": days * 86_400_000 });
    for spread in [0, 49, 50, 365] {
        let frozen = api.post("/api/v1/bulk", &days(spread)).await;
        assert_eq!((frozen.status, &frozen.body["total"]), (200, &json!(1)), "{spread}: {}", frozen.body);
    }
    for spread in [-1, 400] {
        let refused = api.post("/api/v1/bulk", &days(spread)).await;
        assert_eq!(refused.status, 422, "{spread}: {}", refused.body);
        assert!(refused.body.to_string().contains("spread"), "{}", refused.body);
    }
}

#[tokio::test]
async fn a_bulk_run_that_cannot_be_made_says_all_that_is_wrong() {
    let api = Caller::new().await;
    for (body, code) in [
        (json!({}), "required"),
        (json!({ "verb": "explode" }), "unknown_word"),
        (json!({ "verb": "cancel", "states": ["gone"] }), "unknown_word"),
        (json!({ "verb": "cancel", "queue": "a b" }), "invalid_name"),
        (json!({ "verb": "cancel", "due_from_ms": -1 }), "invalid_time"),
        (json!({ "verb": "reschedule", "due_ms": 1, "shift_ms": 1 }), "several_times"),
        (json!({ "verb": "cancel", "colour": "red" }), "unknown_field"),
        (json!({ "verb": ["cancel"] }), "type"),
    ] {
        let answer = api.post("/api/v1/bulk", &body).await;
        assert!(answer.status >= 400 && answer.body.to_string().contains(code), "{body}: {}", answer.body);
    }
    for (body, field) in [
        (json!({ "verb": "cancel", "rate": 0 }), "/rate"),
        (json!({ "verb": "cancel", "shift_ms": 1 }), "/verb"),
        (json!({ "verb": "cancel", "states": ["done"] }), "/states"),
        (json!({ "verb": "cancel", "stop_when_most_fail": true }), "/stop_when_most_fail"),
    ] {
        let answer = api.post("/api/v1/bulk", &body).await;
        let told = answer.mistakes();
        assert_eq!(
            (answer.status, told.as_slice()),
            (422, [(field.to_owned(), "invalid".to_owned())].as_slice()),
            "{body}"
        );
    }
    assert_eq!(api.post("/api/v1/bulk", &json!({ "verb": "reschedule" })).await.status, 422);
    assert_eq!(api.get("/api/v1/bulk").await.body["items"], json!([]));
    for path in ["/api/v1/bulk/nobody", "/api/v1/bulk/nobody/outcomes"] {
        assert_eq!(api.get(path).await.status, 404, "{path}");
    }
    for verb in ["start", "abort", "undo"] {
        assert_eq!(api.post(&format!("/api/v1/bulk/nobody/{verb}"), &json!({})).await.status, 404, "{verb}");
    }
}

#[tokio::test]
async fn a_subject_is_erased_once_its_jobs_have_ended() {
    let api = Caller::new().await;
    waiting(&api, 2).await;
    let refused = api.post("/api/v1/subjects/resource:1/erase", &json!({})).await;
    assert_eq!((refused.status, &refused.body["code"]), (409, &json!("subject_live")));
    let erased = api.post("/api/v1/subjects/resource:1/erase", &json!({ "cancel_first": true })).await;
    assert_eq!((erased.status, &erased.body["jobs"]), (200, &json!(2)));
    assert_eq!(api.get("/api/v1/jobs/j0").await.status, 404);
    assert_eq!(api.get("/api/v1/subjects/resource:1/receipts").await.body["items"], json!([]));
}

#[tokio::test]
async fn a_job_without_a_log_has_an_empty_one_and_a_missing_job_has_none() {
    let api = Caller::new().await;
    waiting(&api, 1).await;
    let log = api.get("/api/v1/jobs/j0/log").await;
    assert_eq!((log.status, &log.body), (200, &json!({ "items": [], "next": null, "total": 0 })));
    assert_eq!(api.get("/api/v1/jobs/nobody/log").await.status, 404);
    assert_eq!(api.get("/api/v1/jobs/j0/log?after=x").await.status, 422);
    let job = api.get("/api/v1/jobs/j0").await.body;
    assert_eq!(
        (&job["progress"], &job["result"], &job["log_lines"]),
        (&json!(null), &json!(null), &json!(0))
    );
}
