//! Rules of kinds and of retention, and settings, by curl.

use crate::caller::Caller;
use serde_json::{Value, json};

#[tokio::test]
async fn a_rule_of_a_kind_is_set_read_and_taken_away() {
    let api = Caller::new().await;
    let rule = json!({
        "window": { "hours": "08:00-21:00", "zone": "Europe/Berlin", "days": "mon-fri", "spread_ms": 60_000 },
        "lateness": { "most_ms": 3_600_000, "then": "dead" }, "protected": true,
        "reason": "nobody is called at night",
    });
    let set = api.post("/api/v1/rules/notice", &rule).await;
    assert_eq!((set.status, &set.body["changed"]), (200, &json!(true)), "{}", set.body);

    let read = &api.get("/api/v1/rules").await.body["items"][0];
    assert_eq!(
        (&read["kind"], &read["lateness"]),
        (&json!("notice"), &json!({ "most_ms": 3_600_000, "then": "dead" }))
    );
    assert_eq!(read["protected"], true);
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
        json!({ "protected": "yes" }),
        json!({ "late": 1 }),
        json!([]),
    ] {
        let refused = api.post("/api/v1/rules/notice", &bad).await;
        assert_eq!(refused.status, 422, "{bad}: {}", refused.body);
    }
    assert_eq!(api.get("/api/v1/rules").await.body["items"], json!([]));
}

#[tokio::test]
async fn lateness_is_refused_in_the_same_words_for_a_kind_and_for_a_job() {
    let api = Caller::new().await;
    for lateness in [
        json!({}),
        json!({ "most_ms": -1 }),
        json!({ "most_ms": 1, "then": "explode" }),
        json!({ "most_ms": 1, "more": 1 }),
    ] {
        let of_kind = api.post("/api/v1/rules/notice", &json!({ "lateness": lateness })).await;
        let of_job = api.post("/api/v1/jobs", &json!({ "kind": "notice", "lateness": lateness })).await;
        assert_eq!((of_kind.status, of_job.status), (422, 422), "{lateness}");
        assert_eq!(of_kind.body["errors"], of_job.body["errors"], "{lateness}");
    }
}

#[tokio::test]
async fn retention_is_set_for_a_queue_and_read() {
    let api = Caller::new().await;
    let set = api.post("/api/v1/retention", &json!({ "queue": "mail", "done_ms": 86_400_000 })).await;
    assert_eq!((set.status, &set.body["rule"]["done_ms"]), (200, &json!(86_400_000)), "{}", set.body);
    let read = api.get("/api/v1/retention").await.body;
    assert_eq!(
        read["queues"],
        json!({ "mail": {
            "done_ms": 86_400_000, "dead_ms": null, "cancelled_ms": null, "done_most": null, "dead_most": null,
        } })
    );
    assert_eq!(read["namespace"]["dead_ms"], 7_776_000_000_i64);
    let set = api.post("/api/v1/retention", &json!({ "queue": "mail", "dead_most": 100_000 })).await;
    let stands = json!({
        "done_ms": 86_400_000, "dead_ms": null, "cancelled_ms": null, "done_most": null, "dead_most": 100_000,
    });
    assert_eq!((set.status, &set.body["rule"]), (200, &stands), "what is not named stays");
    assert_eq!(api.get("/api/v1/retention").await.body["queues"]["mail"], stands);
    let cleared = json!({ "queue": "mail", "done_ms": null, "dead_most": null });
    assert_eq!(api.post("/api/v1/retention", &cleared).await.body["rule"]["done_ms"], Value::Null);
    assert_eq!(api.get("/api/v1/retention").await.body["queues"], json!({}));
    let one = api.post("/api/v1/retention", &json!({ "cancelled_ms": 3_600_000 })).await.body["rule"].clone();
    assert_eq!(
        [&one["cancelled_ms"], &one["done_ms"], &one["dead_ms"]],
        [&json!(3_600_000), &json!(604_800_000), &json!(7_776_000_000_i64)]
    );
    for bad in [
        json!({}),
        json!({ "queue": "mail", "reason": "nothing" }),
        json!({ "done_ms": -1 }),
        json!({ "done": 1 }),
        json!({ "queue": "a{b", "done_ms": 1 }),
        json!({ "dead_most": 0 }),
        json!({ "done_most": -1 }),
        json!({ "done_most": 1_000_000_001_u64 }),
        json!({ "cancelled_most": 1 }),
    ] {
        assert_eq!(api.post("/api/v1/retention", &bad).await.status, 422, "{bad}");
    }
}

#[tokio::test]
async fn a_setting_is_set_read_and_not_overwritten_unseen() {
    let api = Caller::new().await;
    let set = api
        .post(
            "/api/v1/settings/reasons",
            &json!({ "value": ["Moved house"], "seen": [], "reason": "the desk" }),
        )
        .await;
    assert_eq!((set.status, &set.body["changed"]), (200, &json!(true)), "{}", set.body);
    assert_eq!(api.get("/api/v1/settings").await.body["reasons"], json!(["Moved house"]));

    let late = api.post("/api/v1/settings/reasons", &json!({ "value": ["Paid"], "seen": [] })).await;
    assert_eq!((late.status, &late.body["code"]), (409, &json!("setting_changed")), "{}", late.body);
    let seen =
        api.post("/api/v1/settings/reasons", &json!({ "value": ["Paid"], "seen": ["Moved house"] })).await;
    assert_eq!(seen.status, 200, "{}", seen.body);

    let rule = json!({ "value": [{ "kinds": "*", "path": "card", "keep": 0 }] });
    assert_eq!(api.post("/api/v1/settings/redaction", &rule).await.body["changed"], true);
    let tested = api.post("/api/v1/settings/alerts/test", &json!({})).await;
    assert_eq!(tested.status, 201, "{}", tested.body);
    let job = tested.body["id"].as_str().unwrap();
    assert_eq!(api.get(&format!("/api/v1/jobs/{job}")).await.body["kind"], "reprieve_alert");
}

#[tokio::test]
async fn settings_with_mistakes_are_refused() {
    let api = Caller::new().await;
    for (name, bad) in [
        ("look", json!({})),
        ("look", json!({ "value": { "colour": "plaid" } })),
        ("reasons", json!({ "value": "Moved" })),
        ("reasons", json!({ "value": [""] })),
        ("reasons", json!({ "value": [], "sene": [] })),
        ("redaction", json!({ "value": [{ "kinds": "a b", "path": "x" }] })),
        ("alerts", json!({ "value": [{ "what": "rain", "over": 1 }] })),
        ("look", json!({ "value": { "titel": "Shop" } })),
        ("look", json!({ "value": { "title": "Shop" }, "seen": { "color": "red" } })),
        ("redaction", json!({ "value": [{ "kinds": "*", "path": "card", "kept": 4 }] })),
        (
            "alerts",
            json!({ "value": [{ "what": "late", "over": 1 }, { "what": "dead", "quue": "mail", "over": 1 }] }),
        ),
    ] {
        let refused = api.post(&format!("/api/v1/settings/{name}"), &bad).await;
        assert_eq!(refused.status, 422, "{name} {bad}: {}", refused.body);
    }
    let mistyped = json!({ "value": { "titel": "Shop" } });
    let refused = api.post("/api/v1/settings/look", &mistyped).await.body.to_string();
    assert!(refused.contains("titel") && refused.contains("title, colour, environment, zone"), "{refused}");
    let every = json!({ "value": { "title": "Shop", "colour": "red", "environment": "test", "zone": "" } });
    assert_eq!(api.post("/api/v1/settings/look", &every).await.status, 200);
    assert_eq!(
        api.post(
            "/api/v1/settings/alerts",
            &json!({
                "value": [{ "what": "dead", "queue": null, "over": 1 }]
            })
        )
        .await
        .status,
        200
    );
    assert_eq!(api.post("/api/v1/settings/weather", &json!({ "value": 1 })).await.status, 404);
    let settings = api.get("/api/v1/settings").await.body;
    assert_eq!((&settings["reasons"], &settings["redaction"]), (&json!([]), &json!([])));
}
