//! What happened, page by page.

use crate::caller::Caller;
use axum::body::Body;
use http::Request;
use serde_json::{Value, json};

fn jobs(page: &Value) -> Vec<String> {
    let items = page["items"].as_array().unwrap();
    items
        .iter()
        .map(|event| format!("{} {}", event["job"].as_str().unwrap(), event["to"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn events_are_read_page_by_page_from_any_place_on() {
    let api = Caller::new().await;
    for name in ["a", "b", "c"] {
        let job = json!({ "id": name, "kind": "k", "delay_ms": 60_000, "queue": if name == "b" { "mail" } else { "default" } });
        api.post("/api/v1/jobs", &job).await;
    }
    let first = api.get("/api/v1/events?size=2").await.body;
    assert_eq!(jobs(&first), ["a delayed", "b delayed"]);
    assert_eq!((&first["end"], &first["gap"]), (&json!(false), &json!(false)));
    let after = first["next"].as_str().unwrap();
    let second = api.get(&format!("/api/v1/events?after={after}")).await.body;
    assert_eq!((jobs(&second), &second["end"]), (vec!["c delayed".to_owned()], &json!(true)));

    // Nothing is behind the end, and the place is kept; later it goes on from there.
    let end = second["next"].as_str().unwrap();
    assert_eq!(api.get("/api/v1/events?after=latest").await.body["next"], end);
    let nothing = api.get(&format!("/api/v1/events?after={end}")).await.body;
    assert_eq!((jobs(&nothing), &nothing["next"]), (vec![], &json!(end)));
    api.post("/api/v1/jobs/a/cancel", &json!({ "reason": "renewed" })).await;
    let later = api.get(&format!("/api/v1/events?after={end}")).await.body;
    assert_eq!(
        (jobs(&later), &later["items"][0]["reason"]),
        (vec!["a cancelled".to_owned()], &json!("renewed"))
    );
    assert_eq!(jobs(&api.get("/api/v1/events?queue=mail").await.body), ["b delayed"]);
}

#[tokio::test]
async fn a_page_behind_what_is_kept_says_that_something_is_lost() {
    let api = Caller::new().await;
    for name in ["a", "b"] {
        api.post("/api/v1/jobs", &json!({ "id": name, "kind": "k" })).await;
    }
    let first = api.get("/api/v1/events?size=1").await.body;
    let stream = format!("{}events", api.redis.prefix());
    api.redis.command(&["XTRIM", &stream, "MAXLEN", "1"]).await.unwrap();
    api.post("/api/v1/jobs", &json!({ "id": "c", "kind": "k" })).await;
    api.redis.command(&["XTRIM", &stream, "MAXLEN", "1"]).await.unwrap();
    let rest = api.get(&format!("/api/v1/events?after={}", first["next"].as_str().unwrap())).await.body;
    assert_eq!((jobs(&rest), &rest["gap"]), (vec!["c ready".to_owned()], &json!(true)));
    // A failover may have lost the end that somebody has seen: it goes on from the one that there is.
    let end = rest["next"].as_str().unwrap();
    let beyond = api.get("/api/v1/events?after=99999999999999-0").await.body;
    assert_eq!((jobs(&beyond), &beyond["gap"], &beyond["next"]), (vec![], &json!(true), &json!(end)));
    for wrong in ["after=x", "after=1", "after=1-0_2-0", "size=none", "queue=a{b", "since=1"] {
        assert_eq!(api.get(&format!("/api/v1/events?{wrong}")).await.status, 422, "{wrong}");
    }
}

#[tokio::test]
async fn the_trace_of_a_request_is_kept_with_its_jobs() {
    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let api = Caller::new().await;
    let request = |name: &str| {
        let job = json!({ "id": name, "kind": "k" });
        Request::post("/api/v1/jobs")
            .header("content-type", "application/json")
            .header("tracestate", "vendor=1")
            .header("traceparent", if name == "traced" { PARENT } else { "00-no-trace-01" })
            .body(Body::from(job.to_string()))
            .unwrap()
    };
    for name in ["traced", "untraced"] {
        assert_eq!(api.send(request(name)).await.status, 201);
    }
    let headers = api.get("/api/v1/jobs/traced").await.body["headers"].clone();
    assert_eq!(headers, json!({ "traceparent": PARENT, "tracestate": "vendor=1" }));
    assert_eq!(api.get("/api/v1/jobs/untraced").await.body["headers"], json!({}));
}
