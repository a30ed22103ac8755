//! Rules of kinds and of retention, by curl.

use crate::caller::Caller;
use serde_json::json;

#[tokio::test]
async fn a_rule_of_a_kind_is_set_read_and_taken_away() {
    let api = Caller::new().await;
    let rule = json!({
        "window": { "hours": "08:00-21:00", "zone": "Europe/Berlin", "days": "mon-fri", "spread_ms": 60_000 },
        "lateness": { "most_ms": 3_600_000, "then": "dead" }, "reason": "nobody is called at night",
    });
    let set = api.post("/api/v1/rules/notice", &rule).await;
    assert_eq!((set.status, &set.body["changed"]), (200, &json!(true)), "{}", set.body);

    let read = &api.get("/api/v1/rules").await.body["items"][0];
    assert_eq!(
        (&read["kind"], &read["lateness"]),
        (&json!("notice"), &json!({ "most_ms": 3_600_000, "then": "dead" }))
    );
    let window = &read["window"];
    assert_eq!((&window["hours"], &window["zone"]), (&json!("08:00-21:00"), &json!("Europe/Berlin")));
    assert_eq!(window["days"], json!(["mon", "tue", "wed", "thu", "fri"]));
    assert!(window["open"][0][0].as_i64() < window["open"][0][1].as_i64());

    assert_eq!(api.post("/api/v1/rules/notice", &json!({})).await.body["changed"], true);
    assert_eq!(api.get("/api/v1/rules").await.body["items"], json!([]));
}

#[tokio::test]
async fn rules_with_mistakes_are_refused() {
    let api = Caller::new().await;
    for bad in [
        json!({ "window": {} }),
        json!({ "window": { "hours": "8-21" } }),
        json!({ "window": { "hours": "08:00-21:00", "zone": "Mars/Olympus" } }),
        json!({ "window": { "hours": "08:00-21:00", "days": "monday" } }),
        json!({ "window": { "hours": "08:00-21:00", "spread_ms": 90_000_000 } }),
        json!({ "lateness": {} }),
        json!({ "lateness": { "most_ms": -1 } }),
        json!({ "lateness": { "most_ms": 1, "then": "explode" } }),
        json!({ "late": 1 }),
        json!([]),
    ] {
        let refused = api.post("/api/v1/rules/notice", &bad).await;
        assert_eq!(refused.status, 422, "{bad}: {}", refused.body);
    }
    assert_eq!(api.get("/api/v1/rules").await.body["items"], json!([]));
}

#[tokio::test]
async fn retention_is_set_for_a_queue_and_read() {
    let api = Caller::new().await;
    let set = api.post("/api/v1/retention", &json!({ "queue": "mail", "done_ms": 86_400_000 })).await;
    assert_eq!((set.status, &set.body["rule"]["done_ms"]), (200, &json!(86_400_000)), "{}", set.body);
    let read = api.get("/api/v1/retention").await.body;
    assert_eq!(
        read["queues"],
        json!({ "mail": { "done_ms": 86_400_000, "dead_ms": null, "cancelled_ms": null } })
    );
    assert_eq!(read["namespace"]["dead_ms"], 7_776_000_000_i64);
    assert_eq!(api.post("/api/v1/retention", &json!({ "queue": "mail" })).await.status, 200);
    assert_eq!(api.get("/api/v1/retention").await.body["queues"], json!({}));
    for bad in [json!({ "done_ms": -1 }), json!({ "done": 1 }), json!({ "queue": "a{b", "done_ms": 1 })] {
        assert_eq!(api.post("/api/v1/retention", &bad).await.status, 422, "{bad}");
    }
}
