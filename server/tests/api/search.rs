//! Finding jobs, and what was counted.

use crate::caller::Caller;
use serde_json::{Value, json};

fn ids(found: &Value) -> Vec<&str> {
    found["items"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_search_narrows_by_everything_it_is_asked_for() {
    let api = Caller::new().await;
    for job in [
        json!({ "id": "a", "kind": "notice", "subject": "shop/7", "due_ms": 4_000_000_000_000_i64, "tags": ["vip"] }),
        json!({ "id": "b", "kind": "notice", "queue": "mail", "due_ms": 4_000_000_000_500_i64 }),
        json!({ "id": "c", "kind": "delete", "subject": "shop/7" }),
    ] {
        api.given(&job).await;
    }
    for (query, expected) in [
        ("", &["a", "b", "c"][..]),
        ("id=b", &["b"]),
        ("subject=shop/7", &["a", "c"]),
        ("subject=shop/7&kind=delete", &["c"]),
        ("subject=shop/7&tag=vip", &["a"]),
        ("queue=mail", &["b"]),
        ("state=ready", &["c"]),
        ("state=delayed,ready&kind=notice", &["a", "b"]),
        ("tag=vip", &["a"]),
        ("state=delayed&due_from_ms=4000000000001", &["b"]),
        ("due_to_ms=4000000000000", &["a", "c"]),
        ("error=boom", &[]),
        ("id=none", &[]),
    ] {
        let found = api.get(&format!("/api/v1/search?{query}")).await;
        assert_eq!((found.status, ids(&found.body)), (200, expected.to_vec()), "{query}: {:?}", found.body);
        assert_eq!((&found.body["next"], &found.body["complete"]), (&Value::Null, &json!(true)), "{query}");
    }
}

#[tokio::test]
async fn a_search_goes_on_from_its_next() {
    let api = Caller::new().await;
    let jobs: Vec<_> =
        (0..7).map(|n| json!({ "id": format!("j{n}"), "kind": "k", "delay_ms": 60_000 })).collect();
    api.post("/api/v1/jobs", &json!(jobs)).await;
    let (mut next, mut seen) = (String::new(), Vec::new());
    loop {
        let found = api.get(&format!("/api/v1/search?size=3&after={next}")).await;
        seen.extend(ids(&found.body).into_iter().map(ToOwned::to_owned));
        match &found.body["next"] {
            Value::String(text) => next.clone_from(text),
            _ => break,
        }
    }
    assert_eq!(seen, ["j0", "j1", "j2", "j3", "j4", "j5", "j6"]);
}

#[tokio::test]
async fn a_search_with_mistakes_names_each_of_them() {
    let api = Caller::new().await;
    let refused = api
        .get("/api/v1/search?id=a%20b&state=gone&size=0&due_from_ms=x&after=nowhere&colour=red&kind=a%3Ab&queue=a&queue=b")
        .await;
    assert_eq!(refused.status, 422);
    let places: Vec<_> = refused.mistakes().into_iter().map(|(place, _)| place).collect();
    for name in ["id", "state", "size", "due_from_ms", "after", "colour", "kind", "queue"] {
        assert!(places.iter().any(|place| place == name), "{name} is not among {places:?}");
    }
}

#[tokio::test]
async fn what_was_counted_and_who_works_can_be_read() {
    let api = Caller::new().await;
    api.given(&json!({ "kind": "k" })).await;

    let stats = api.get("/api/v1/stats?minutes=2&queue=default").await;
    assert_eq!(stats.body["items"].as_array().unwrap().len(), 2);
    let enqueued: u64 =
        stats.body["items"].as_array().unwrap().iter().map(|m| m["enqueued"].as_u64().unwrap()).sum();
    assert_eq!(enqueued, 1);
    assert_eq!(api.get("/api/v1/workers").await.body, json!({ "items": [] }));
    for query in ["minutes=0", "minutes=1441", "minutes=x", "queue=a%20b", "colour=red"] {
        assert_eq!(api.get(&format!("/api/v1/stats?{query}")).await.status, 422, "{query}");
    }
}

#[tokio::test]
async fn an_ended_job_is_removed_and_a_waiting_one_gets_another_payload() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "k", "delay_ms": 60_000, "payload": 1 })).await;

    let edited = api.post("/api/v1/jobs/a/edit", &json!({ "payload": { "n": 2 }, "reason": "wrong" })).await;
    assert_eq!((edited.status, &edited.body["outcome"]), (200, &json!("delayed")), "{:?}", edited.body);
    // Only what is another payload is told as one.
    api.post("/api/v1/jobs/a/edit", &json!({ "payload": { "n": 2 } })).await;
    api.post("/api/v1/jobs/a/hold", &json!({})).await;
    let job = api.get("/api/v1/jobs/a").await.body;
    let told = |change: &Value| (change["version"].as_u64(), change["edited"].as_bool());
    let changes: Vec<_> = job["history"].as_array().unwrap().iter().map(told).collect();
    let [no, yes] = [Some(false), Some(true)];
    assert_eq!(changes, [(Some(4), no), (Some(3), no), (Some(2), yes), (Some(1), no)]);
    assert_eq!(job["payload"], json!({ "n": 2 }));
    // Of what differs the history has the name and not the value.
    api.post("/api/v1/jobs/a/edit", &json!({ "payload": { "n": 2, "to": "ann@example.com" } })).await;
    let job = api.get("/api/v1/jobs/a").await.body;
    let parts: Vec<_> = job["history"].as_array().unwrap().iter().map(|change| &change["parts"]).collect();
    assert_eq!(parts, ["to", "", "", "", ""]);
    for body in
        [json!({}), json!({ "payload": 1, "payload_base64": "MQ==" }), json!({ "payload_base64": "?" })]
    {
        assert_eq!(api.post("/api/v1/jobs/a/edit", &body).await.status, 422, "{body}");
    }

    let early = api.post("/api/v1/jobs/a/purge", &json!({})).await;
    assert_eq!((early.status, &early.body["code"]), (409, &json!("wrong_state")));
    api.post("/api/v1/jobs/a/cancel", &json!({})).await;
    let gone = api.post("/api/v1/jobs/a/purge", &json!({})).await;
    assert_eq!((gone.status, &gone.body["outcome"]), (200, &json!("purged")));
    assert_eq!(api.get("/api/v1/jobs/a").await.status, 404);
}
