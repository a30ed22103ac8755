//! Requests that are sent twice.

use crate::caller::Caller;
use serde_json::json;

#[tokio::test]
async fn a_repeated_enqueue_gets_the_first_answer_and_adds_nothing() {
    let api = Caller::new().await;
    let one = json!({ "kind": "k", "delay_ms": 60_000 });
    let many = json!([{ "kind": "k" }, { "kind": "k", "id": "own" }, { "kind": "k", "delay_ms": 5_000 }]);
    for (key, body, total) in [("one", &one, 1), ("many", &many, 4)] {
        let first = api.post_once("/api/v1/jobs", key, body).await;
        let again = api.post_once("/api/v1/jobs", key, body).await;

        assert_eq!((first.status, again.status), (201, 201), "{:?}", again.body);
        assert_eq!((&first.body, first.header("location")), (&again.body, again.header("location")));
        let counts = api.redis.engine().inspector().counts(None).await.unwrap();
        assert_eq!(counts.delayed + counts.ready, total, "{key}");
    }
}

#[tokio::test]
async fn a_key_with_another_body_is_refused_and_changes_nothing() {
    let api = Caller::new().await;
    api.post_once("/api/v1/jobs", "key", &json!({ "kind": "k", "id": "a" })).await;

    let refused = api.post_once("/api/v1/jobs", "key", &json!({ "kind": "k", "id": "b" })).await;

    assert_eq!((refused.status, &refused.body["code"]), (422, &json!("idempotency_key_reused")));
    assert_eq!(api.get("/api/v1/jobs/b").await.status, 404);
    // The same key is another one for another route.
    let paused = api.post_once("/api/v1/queues/default/pause", "key", &json!({})).await;
    assert_eq!((paused.status, &paused.body["changed"]), (200, &json!(true)));
}

#[tokio::test]
async fn a_repeated_pause_says_what_the_first_one_did() {
    let api = Caller::new().await;
    let body = json!({ "reason": "audit" });
    for (verb, paused) in [("pause", true), ("resume", false)] {
        let path = format!("/api/v1/queues/mail/{verb}");
        for _ in 0..2 {
            let answer = api.post_once(&path, "same", &body).await;
            assert_eq!(answer.body, json!({ "queue": "mail", "paused": paused, "changed": true }), "{verb}");
        }
        assert_eq!(api.post(&path, &body).await.body["changed"], false);
    }
}

#[tokio::test]
async fn what_was_refused_can_be_tried_again_under_its_key() {
    let api = Caller::new().await;
    let unique = json!({ "key": "once", "ttl_ms": 60_000 });
    api.given(&json!({ "id": "holder", "kind": "k", "delay_ms": 60_000, "unique": unique.clone() })).await;
    let job = json!({ "kind": "k", "unique": unique });
    assert_eq!(api.post_once("/api/v1/jobs", "key", &job).await.status, 409);

    api.post("/api/v1/jobs/holder/cancel", &json!({})).await;

    assert_eq!(api.post_once("/api/v1/jobs", "key", &job).await.status, 201);
    let mistaken = api.post_once("/api/v1/jobs", "fresh", &json!({ "kind": 5 })).await;
    let mended = api.post_once("/api/v1/jobs", "fresh", &json!({ "kind": "k" })).await;
    assert_eq!((mistaken.status, mended.status), (422, 201));
}

#[tokio::test]
async fn what_only_the_engine_refuses_can_be_mended_and_tried_again_under_its_key_too() {
    let api = Caller::new().await;
    let hours = |zone: &str| json!({ "window": { "hours": "08:00-21:00", "zone": zone } });
    for (path, refused, mended) in [
        (
            "/api/v1/queues/mail/limits",
            json!({ "ordered": true }),
            json!({ "ordered": true, "concurrency_per_key": 1 }),
        ),
        ("/api/v1/rules/notice", hours("Mars/Olympus"), hours("Europe/Berlin")),
        ("/api/v1/retention", json!({ "dead_most": 0 }), json!({ "dead_most": 1 })),
        (
            "/api/v1/settings/reasons",
            json!({ "value": ["Paid"], "seen": ["Moved"] }),
            json!({ "value": ["Paid"], "seen": [] }),
        ),
    ] {
        let first = api.post_once(path, "key", &refused).await;
        let second = api.post_once(path, "key", &mended).await;
        assert!(matches!(first.status, 409 | 422), "{path}: {}", first.body);
        assert_eq!(second.status, 200, "{path}: {}", second.body);
    }

    let rows = |count: usize| json!({ "jobs": vec![json!({ "kind": "row" }); count] });
    assert_eq!(api.post_once("/api/v1/batches/b/jobs", "key", &rows(1)).await.status, 404);
    let batch = json!({ "id": "b", "open": true, "completion": { "kind": "report" } });
    assert_eq!(api.post("/api/v1/batches", &batch).await.status, 201);
    assert_eq!(api.post_once("/api/v1/batches/b/jobs", "key", &rows(2)).await.status, 200);

    api.fill_queues(1_000).await;
    let job = |queue: &str| json!({ "kind": "k", "queue": queue });
    assert_eq!(api.post_once("/api/v1/jobs", "key", &job("one-too-many")).await.status, 422);
    assert_eq!(api.post_once("/api/v1/jobs", "key", &job("q1")).await.status, 201);
}

#[tokio::test]
async fn many_at_once_under_one_key_are_one_and_have_one_answer() {
    let api = Caller::new().await;
    let there = json!({ "kind": "k", "delay_ms": 60_000, "id": "there" });
    api.given(&there).await;
    let one = json!({ "kind": "k", "delay_ms": 60_000 });
    let replaces = json!({ "kind": "k", "delay_ms": 90_000, "id": "there", "replace": true });
    for (key, body, outcome) in [("one", one, "delayed"), ("replaces", replaces, "replaced")] {
        let sent = (0..20).map(|_| api.post_once("/api/v1/jobs", key, &body));

        let answers = futures_util::future::join_all(sent).await;

        let told: std::collections::BTreeSet<_> =
            answers.iter().map(|answer| (answer.status, answer.body.to_string())).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!((answers[0].status, &answers[0].body["outcome"]), (201, &json!(outcome)));
    }
    let job = api.get("/api/v1/jobs/there").await.body;
    assert_eq!(job["version"], 2, "it is replaced once");
    assert_eq!(api.redis.engine().inspector().counts(None).await.unwrap().delayed, 2);
}

#[tokio::test]
async fn a_key_of_a_removed_job_neither_reaches_nor_tells_of_the_one_that_has_its_id() {
    let api = Caller::new().await;
    let job = json!({ "kind": "k", "id": "a", "delay_ms": 3_600_000 });
    let first = api.post_once("/api/v1/jobs", "make", &job).await;
    assert_eq!(api.post_once("/api/v1/jobs/a/cancel", "off", &json!({})).await.status, 200);
    assert_eq!(api.post_once("/api/v1/jobs/a/purge", "gone", &json!({})).await.status, 200);
    let other = api.given(&job).await.body;

    let made = api.post_once("/api/v1/jobs", "make", &job).await;
    assert_eq!((made.status, made.body), (first.status, first.body), "it says what was made then");
    for (verb, key) in [("cancel", "off"), ("purge", "gone")] {
        let repeat = api.post_once(&format!("/api/v1/jobs/a/{verb}"), key, &json!({})).await;
        assert_eq!((repeat.status, &repeat.body["code"]), (409, &json!("conflict")), "{verb}");
    }
    let there = api.get("/api/v1/jobs/a").await.body;
    assert_eq!((&there["state"], &there["version"]), (&json!("delayed"), &other["version"]));
}
