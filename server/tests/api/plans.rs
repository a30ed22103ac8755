//! Plans, and who wins among repeats, by curl.

use crate::caller::Caller;
use serde_json::json;

#[tokio::test]
async fn a_plan_is_made_read_moved_held_called_off_and_put_back() {
    let api = Caller::new().await;
    let plan = json!({
        "id": "expiry-4711", "subject": "resource:9", "name": "expiry",
        "steps": [
            { "name": "notice", "offset_ms": 60_000, "job": { "kind": "notice" } },
            { "name": "delete", "offset_ms": 120_000, "after": ["notice"], "unmet": "hold", "job": { "kind": "delete" } },
        ],
    });
    let made = api.post("/api/v1/plans", &plan).await;
    assert_eq!((made.status, &made.body["outcome"]), (201, &json!("planned")), "{}", made.body);
    assert_eq!(made.body["steps"][1]["id"], "expiry-4711/delete");
    assert_eq!(api.post("/api/v1/plans", &plan).await.body["outcome"], "exists");

    let found = api.get("/api/v1/plans/expiry-4711").await.body;
    assert_eq!((&found["steps"][0]["job"]["state"], &found["held"]), (&json!("delayed"), &json!(null)));
    assert_eq!(api.get("/api/v1/subjects/resource:9/plans").await.body["items"][0], found);

    let moved = api.post("/api/v1/plans/expiry-4711/reanchor", &json!({ "by_ms": 1_000 })).await;
    assert_eq!((moved.status, &moved.body["version"]), (200, &json!(2)));
    let past = api.post("/api/v1/plans/expiry-4711/reanchor", &json!({ "by_ms": -86_400_000 })).await;
    assert_eq!((past.status, &past.body["code"]), (409, &json!("past")));
    let stale = api.post("/api/v1/plans/expiry-4711/hold", &json!({ "version": 1 })).await;
    assert_eq!((stale.status, &stale.body["code"]), (409, &json!("conflict")));

    let held = api.post("/api/v1/plans/expiry-4711/hold", &json!({ "reason": "legal" })).await;
    assert_eq!(held.body["outcome"], "held");
    assert_eq!(api.get("/api/v1/plans/expiry-4711").await.body["held"]["reason"], "legal");
    let none = json!({});
    assert_eq!(api.post("/api/v1/plans/expiry-4711/unhold", &none).await.body["outcome"], "released");
    assert_eq!(api.post("/api/v1/plans/expiry-4711/cancel", &none).await.body["outcome"], "cancelled");
    assert_eq!(api.post("/api/v1/plans/expiry-4711/reinstate", &none).await.body["outcome"], "reinstated");
    let missing = api.get("/api/v1/plans/nobody").await;
    assert_eq!((missing.status, &missing.body["code"]), (404, &json!("not_found")));
}

#[tokio::test]
async fn a_plan_with_mistakes_is_refused_with_all_of_them() {
    let api = Caller::new().await;
    for (bad, code) in [
        (json!({}), "required"),
        (json!({ "id": "a{b", "subject": "s", "steps": [] }), "invalid_name"),
        (json!({ "id": "a", "subject": "s", "steps": [] }), "invalid"),
        (json!({ "id": "a", "subject": "s", "past": "maybe", "steps": [] }), "unknown_word"),
        (json!({ "id": "a", "subject": "s", "steps": 7 }), "type"),
        (json!({ "id": "a", "subject": "s", "steps": [{ "name": "n" }] }), "required"),
        (json!({ "id": "a", "subject": "s", "anchor": { "due_ms": -1 }, "steps": [] }), "invalid_time"),
        (
            json!({ "id": "a", "subject": "s", "steps": [{ "name": "n", "offset_ms": 1, "job": { "kind": "k", "delay_ms": 5 } }] }),
            "invalid",
        ),
    ] {
        let refused = api.post("/api/v1/plans", &bad).await;
        assert_eq!(refused.status, 422, "{bad}: {}", refused.body);
        assert!(refused.body["errors"].to_string().contains(code), "{bad}: {}", refused.body);
    }
    assert_eq!(api.get("/api/v1/plans/a").await.status, 404);
}

#[tokio::test]
async fn who_wins_among_repeats_is_said_with_the_key() {
    let api = Caller::new().await;
    let job = |id: &str, unique: serde_json::Value| json!({ "id": id, "kind": "notice", "delay_ms": 60_000, "payload": { "n": 1 }, "unique": unique });
    let by_content = json!({ "by": "content", "ttl_ms": 60_000 });
    assert_eq!(api.post("/api/v1/jobs", &job("c1", by_content.clone())).await.status, 201);
    let second = api.post("/api/v1/jobs", &job("c2", by_content)).await;
    assert_eq!((second.status, &second.body["holder"]), (409, &json!("c1")));
    let last_wins = json!({ "key": "k", "ttl_ms": 60_000, "mode": "debounce", "max_wait_ms": 5_000 });
    api.post("/api/v1/jobs", &job("d1", last_wins.clone())).await;
    let second = api.post("/api/v1/jobs", &job("d2", last_wins)).await;
    assert_eq!(
        (second.status, &second.body["outcome"], &second.body["id"]),
        (200, &json!("debounced"), &json!("d1"))
    );
    for bad in [
        json!({ "by": "size", "ttl_ms": 1 }),
        json!({ "key": "k", "by": "content", "ttl_ms": 1 }),
        json!({ "key": "k", "ttl_ms": 1, "mode": "sometimes" }),
        json!({ "key": "k", "ttl_ms": 1, "max_wait_ms": 1 }),
        json!({ "key": "k" }),
    ] {
        assert_eq!(api.post("/api/v1/jobs", &job("x", bad.clone())).await.status, 422, "{bad}");
    }
    let mut late = job("l", json!(null));
    late["lateness"] = json!({ "most_ms": 1_000, "then": "dead" });
    late["any_window"] = json!(true);
    late["spread_ms"] = json!(10);
    assert_eq!(api.post("/api/v1/jobs", &late).await.status, 201);
    late["lateness"] = json!({ "then": "later" });
    assert_eq!(api.post("/api/v1/jobs", &late).await.status, 422);
}

#[tokio::test]
async fn a_plan_without_room_is_told_to_look_again() {
    let api = Caller::new().await;
    let plan = |id: &str, subject: &str| {
        let step = json!({ "name": "a", "offset_ms": 60_000, "job": { "kind": "k" } });
        json!({ "id": id, "subject": subject, "steps": [step] })
    };
    let refused = async |path: &str, body: &serde_json::Value, code: &str| {
        let refused = api.post(path, body).await;
        assert_eq!((refused.status, &refused.body["code"]), (409, &json!(code)), "{}", refused.body);
    };

    assert_eq!(api.post("/api/v1/plans", &plan("off", "resource:1")).await.status, 201);
    assert_eq!(api.post("/api/v1/plans/off/cancel", &json!({})).await.status, 200);
    let live = json!({ "kind": "k", "subject": "resource:1", "delay_ms": 60_000 });
    for _ in 0..2 {
        assert_eq!(api.post("/api/v1/jobs", &json!(vec![live.clone(); 500])).await.status, 201);
    }
    refused("/api/v1/plans", &plan("new", "resource:1"), "subject_full").await;
    refused("/api/v1/plans/off/reinstate", &json!({}), "subject_full").await;

    for number in 0..100 {
        let made = api.post("/api/v1/plans", &plan(&format!("p{number}"), "resource:2")).await;
        assert_eq!(made.status, 201, "{}", made.body);
    }
    refused("/api/v1/plans", &plan("new", "resource:2"), "plans_full").await;

    api.given(&json!({ "id": "new/a", "kind": "k", "delay_ms": 60_000 })).await;
    refused("/api/v1/plans", &plan("new", "resource:3"), "id_conflict").await;
    assert_eq!(api.get("/api/v1/plans/new").await.status, 404);
}

#[tokio::test]
async fn plans_with_one_anchor_are_spread_by_their_own_ids() {
    let api = Caller::new().await;
    let anchor = 4_000_000_000_000_i64;
    let mut dues = Vec::new();
    for id in ["a", "b"] {
        let job = json!({ "kind": "k", "spread_ms": 3_600_000 });
        let plan = json!({
            "id": id, "subject": "s", "anchor": { "due_ms": anchor },
            "steps": [{ "name": "n", "offset_ms": 60_000, "job": job }],
        });
        assert_eq!(api.post("/api/v1/plans", &plan).await.status, 201);
        let step = api.get(&format!("/api/v1/plans/{id}")).await.body["steps"][0].clone();
        let due = step["job"]["due_ms"].as_i64().unwrap();
        assert_eq!(step["offset_ms"], due - anchor);
        assert!((60_000..3_660_000).contains(&(due - anchor)), "{due}");
        dues.push(due);
    }
    assert_ne!(dues[0], dues[1]);
}
