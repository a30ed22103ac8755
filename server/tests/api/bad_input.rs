//! What is refused, with the code a program can go by.

use crate::caller::{Answer, Caller};
use axum::body::Body;
use http::Request;
use reprieve_server::reference::document;
use serde_json::{Value, json};

/// One field and how it is refused: (field, its JSON, code).
fn bad_fields() -> Vec<(&'static str, Value, &'static str)> {
    let long = |length: usize| Value::String("x".repeat(length));
    let mut bad = vec![
        ("kind", json!(5), "type"),
        ("kind", json!(null), "required"),
        ("queue", json!("a:b"), "invalid_name"),
        ("id", json!("a{b}"), "invalid_name"),
        ("id", json!("a\u{0}b"), "invalid_name"),
        ("subject", json!("a/../b"), "invalid_name"),
        ("subject", json!("é".repeat(64)), "invalid_name"),
        ("due_ms", json!(-1), "invalid_time"),
        ("due_ms", json!(253_402_300_800_000_i64), "invalid_time"),
        ("due_ms", json!(1.5), "type"),
        ("due_at", json!("yesterday"), "invalid_time"),
        ("due_at", json!("0001-01-01T00:00:00Z"), "invalid_time"),
        ("due_at", json!("1969-12-31T23:59:59Z"), "invalid_time"),
        ("due_at", json!("2025-02-30T00:00:00Z"), "invalid_time"),
        ("due_at", json!("2025-11-21T01:53:20"), "invalid_time"),
        ("delay_ms", json!(-5), "invalid_time"),
        ("delay_ms", json!(i64::MAX), "invalid_time"),
        ("delay_ms", json!(null), "invalid_time"),
        ("due_ms", json!(null), "invalid_time"),
        ("due_at", json!(null), "invalid_time"),
        ("priority", json!(10), "invalid"),
        ("priority", json!(-1), "invalid"),
        ("max_attempts", json!(0), "type"),
        ("max_attempts", json!(-1), "type"),
        ("max_attempts", json!("many"), "type"),
        ("timeout_ms", json!(-1), "invalid_time"),
        ("timeout_ms", json!(1), "invalid"),
        ("retention_ms", json!(-1), "invalid_time"),
        ("unique", json!({ "key": "a" }), "required"),
        ("unique", json!("a"), "type"),
        ("unique", json!(["a", null, null, null, 1]), "type"),
        ("unique", json!({ "ttl_ms": 1 }), "required"),
        ("unique", json!({ "key": "a", "ttl_ms": 1, "mode": { "throttle": null } }), "type"),
        ("unique", json!({ "key": "a", "ttl_ms": 1, "mode": "sometimes" }), "unknown_word"),
        ("headers", json!({ "a": 1 }), "type"),
        ("headers", json!(["a"]), "type"),
        ("headers", json!({ "a": "x".repeat(9_000) }), "invalid"),
        ("tags", json!("a"), "type"),
        ("tags", json!(vec!["t"; 17]), "invalid"),
        ("tags", json!(["a b"]), "invalid"),
        ("replace", json!("yes"), "type"),
        ("payload_base64", json!("?"), "invalid_base64"),
        ("payload_base64", json!(5), "type"),
        ("colour", json!("red"), "unknown_field"),
        ("Kind", json!("k"), "unknown_field"),
    ];
    for name in ["kind", "queue", "id", "subject"] {
        bad.push((name, json!(""), "invalid_name"));
        // A subject is any text.
        if name != "subject" {
            bad.push((name, json!("käse"), "invalid_name"));
        }
        bad.push((name, json!("a\nb"), "invalid_name"));
        bad.push((name, long(129), "invalid_name"));
    }
    bad
}

#[tokio::test]
async fn every_bad_field_is_named_with_its_code() {
    let api = Caller::new().await;
    for (field, value, code) in bad_fields() {
        let mut job = json!({ "kind": "k" });
        job[field] = value;

        let refused = api.post("/api/v1/jobs", &job).await;

        let mistakes = refused.mistakes();
        assert_eq!((refused.status, &refused.body["code"]), (422, &json!("invalid")), "{job}");
        assert_eq!(mistakes.len(), 1, "{job}: {mistakes:?}");
        assert!(
            mistakes[0].0.starts_with(&format!("/{field}")) && mistakes[0].1 == code,
            "{job}: {mistakes:?}"
        );
    }
    assert_eq!(api.redis.engine().inspector().queues().await.unwrap().len(), 0, "something was taken in");
}

#[tokio::test]
async fn all_mistakes_of_values_are_told_together() {
    let api = Caller::new().await;

    let refused = api
        .post_text(
            "/api/v1/jobs",
            r#"{"kind":"k","due_ms":-1,"priority":99,"unique":{"key":"a","ttl_ms":-1},"timeout_ms":1,"payload":{"x":1,"x":2}}"#,
        )
        .await;

    let mut places: Vec<String> = refused.mistakes().into_iter().map(|(place, _)| place).collect();
    places.sort();
    assert_eq!(places, ["/due_ms", "/payload", "/priority", "/timeout_ms", "/unique/ttl_ms"]);
}

#[tokio::test]
async fn a_body_that_is_no_job_is_told_from_one_that_is_no_json() {
    let api = Caller::new().await;
    for (body, status, code) in [
        ("", 400, "invalid_json"),
        ("{", 400, "invalid_json"),
        ("{\"kind\":\"k\"} x", 400, "invalid_json"),
        ("[{\"kind\":\"k\"}", 400, "invalid_json"),
        ("{'kind':'k'}", 400, "invalid_json"),
        ("5", 422, "invalid"),
        ("null", 422, "invalid"),
        ("[]", 422, "invalid"),
        ("[5]", 422, "invalid"),
        ("[[{\"kind\":\"k\"}]]", 422, "invalid"),
    ] {
        let refused = api.post_text("/api/v1/jobs", body).await;
        assert_eq!((refused.status, &refused.body["code"]), (status, &json!(code)), "{body}");
    }
}

#[tokio::test]
async fn bombs_of_depth_and_width_are_refused() {
    let api = Caller::new().await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let wide = format!("[{}0]", "0,".repeat(60_000));
    let keys: String = (0..1_000).map(|key| format!("\"k{key}\":1,")).collect();

    for (body, code) in [
        (format!(r#"{{"kind":"k","payload":{deep}}}"#), "invalid_payload"),
        (format!(r#"{{"kind":"k","payload":{wide}}}"#), "invalid_payload"),
        (format!(r#"{{{keys}"kind":"k"}}"#), "unknown_field"),
        (deep, "type"),
    ] {
        let refused = api.post_text("/api/v1/jobs", &body).await;
        assert_eq!(refused.status, 422, "{:?}", refused.body);
        assert_eq!(refused.mistakes()[0].1, code);
    }
}

#[tokio::test]
async fn sizes_end_at_their_limits() {
    let api = Caller::new().await;
    let text = |bytes: usize| json!({ "kind": "k", "payload": "x".repeat(bytes - 2) });
    assert_eq!(api.post("/api/v1/jobs", &text(256 * 1024)).await.status, 201);

    for (body, code) in [
        (text(256 * 1024 + 1).to_string(), "payload_too_large"),
        (text(512 * 1024).to_string(), "body_too_large"),
        (format!("[{}]", " ".repeat(8 * 1024 * 1024)), "body_too_large"),
        (" ".repeat(600 * 1024), "body_too_large"),
    ] {
        let refused = api.post_text("/api/v1/jobs", &body).await;
        assert_eq!((refused.status, &refused.body["code"]), (413, &json!(code)));
    }
}

#[tokio::test]
async fn only_json_is_read() {
    let api = Caller::new().await;
    for sent in
        [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("application/jsonp")]
    {
        let mut request = Request::post("/api/v1/jobs");
        if let Some(sent) = sent {
            request = request.header("content-type", sent);
        }
        let refused = api.send(request.body(Body::from(r#"{"kind":"k"}"#)).unwrap()).await;
        assert_eq!(
            (refused.status, &refused.body["code"]),
            (415, &json!("unsupported_media_type")),
            "{sent:?}"
        );
    }
    let latin1 = Request::post("/api/v1/jobs").header("content-type", "application/json; charset=utf-8");
    let refused = api.send(latin1.body(Body::from(&b"{\"kind\":\"k\xe4se\"}"[..])).unwrap()).await;
    assert_eq!((refused.status, &refused.body["code"]), (400, &json!("invalid_json")));
}

#[tokio::test]
async fn addresses_that_lead_nowhere_say_so() {
    let api = Caller::new().await;
    for (method, path, status, code) in [
        ("GET", "/api/v1/jobs/none", 404, "not_found"),
        ("POST", "/api/v1/jobs/none/cancel", 404, "not_found"),
        ("POST", "/api/v1/jobs/none", 405, "method_not_allowed"),
        ("POST", "/api/v1/jobs/none/explode", 404, "no_such_route"),
        ("POST", "/api/v1/subjects/none/explode", 404, "no_such_route"),
        ("GET", "/api/v2/jobs", 404, "no_such_route"),
        ("GET", "/api/v1/jobs/a%20b", 422, "invalid_name"),
        ("GET", "/api/v1/jobs/%7Ba%7D", 422, "invalid_name"),
        ("POST", "/api/v1/queues/a%20b/pause", 422, "invalid_name"),
        ("GET", "/api/v1/subjects/a%0Ab", 422, "invalid_name"),
        ("GET", "/api/v1/subjects/a%2F..%2Fb", 422, "invalid_name"),
        ("GET", "/api/v1/subjects/a/b", 404, "no_such_route"),
        ("DELETE", "/api/v1/jobs", 405, "method_not_allowed"),
        ("GET", "/api/v1/queues/a/pause", 405, "method_not_allowed"),
    ] {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        let answer = api.send(request).await;
        assert_eq!((answer.status, &answer.body["code"]), (status, &json!(code)), "{method} {path}");
    }
}

#[tokio::test]
async fn what_an_act_says_is_checked_too() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "k", "delay_ms": 60_000 })).await;
    for (path, body, place, code) in [
        ("cancel", json!({ "version": "1" }), "/version", "type"),
        ("cancel", json!({ "reason": 5 }), "/reason", "type"),
        ("cancel", json!({ "reason": "x".repeat(2_000) }), "/reason", "too_long"),
        ("cancel", json!({ "due_ms": 5 }), "/due_ms", "unknown_field"),
        ("cancel", json!([]), "", "type"),
        ("cancel", json!([1, "why"]), "", "type"),
        ("reschedule", json!({}), "", "required"),
        ("reschedule", json!({ "delay_ms": -1 }), "/delay_ms", "invalid_time"),
        ("reinstate", json!({ "due_ms": 1, "delay_ms": 1 }), "/delay_ms", "several_times"),
    ] {
        let refused = api.post(&format!("/api/v1/jobs/a/{path}"), &body).await;
        assert_eq!(refused.status, 422, "{body}");
        assert_eq!(refused.mistakes(), [(place.to_owned(), code.to_owned())], "{body}");
    }
    let turned = api.post("/api/v1/jobs/a/cancel", &json!({ "reason": "\u{202e}deterf si" })).await;
    assert_eq!((turned.status, &turned.body["code"]), (422, &json!("invalid")), "{turned:?}");
    for key in ["", "a b", &"x".repeat(129)] {
        let refused = api.post_once("/api/v1/jobs/a/cancel", key, &json!({})).await;
        assert_eq!(
            (refused.status, &refused.body["code"]),
            (400, &json!("invalid_idempotency_key")),
            "{key:?}"
        );
    }
    assert_eq!(api.get("/api/v1/jobs/a").await.body["state"], "delayed");
}

#[tokio::test]
async fn a_page_of_no_size_is_refused_and_not_made_another() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "k", "delay_ms": 60_000 })).await;
    for (path, most) in [
        ("/api/v1/jobs?size", 200),
        ("/api/v1/search?size", 200),
        ("/api/v1/events?size", 1_000),
        ("/api/v1/audit?size", 200),
        ("/api/v1/jobs/a/log?size", 1_000),
        ("/api/v1/cron/nightly/history?limit", 100),
    ] {
        for size in [0, most + 1] {
            let refused = api.get(&format!("{path}={size}")).await;
            assert_eq!(refused.status, 422, "{path}={size}");
            assert_eq!(
                refused.body["errors"][0]["detail"],
                format!("a number from 1 to {most} is expected"),
                "{path}={size}"
            );
        }
        assert_eq!(api.get(&format!("{path}={most}")).await.status, 200, "{path}={most}");
    }
}

#[tokio::test]
async fn a_body_that_may_be_left_out_may_be_null_and_an_empty_one_that_is_needed_is_called_empty() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "k", "delay_ms": 60_000 })).await;
    for path in ["/api/v1/jobs/a/hold", "/api/v1/jobs/a/unhold", "/api/v1/queues/default/claim"] {
        assert_eq!(api.post_text(path, "null").await.status, 200, "{path}");
    }
    for path in ["/api/v1/jobs", "/api/v1/plans", "/api/v1/batches"] {
        let refused = api.post_text(path, "").await;
        assert_eq!((refused.status, &refused.body["title"]), (400, &json!("The body is empty")), "{path}");
    }
}

/// A body as some program sends it, with an encoding it names.
async fn sent(api: &Caller, bytes: &[u8], encoding: Option<&str>) -> Answer {
    let mut request = Request::post("/api/v1/jobs").header("content-type", "application/json");
    if let Some(encoding) = encoding {
        request = request.header("content-encoding", encoding);
    }
    api.send(request.body(Body::from(bytes.to_vec())).unwrap()).await
}

#[tokio::test]
async fn a_body_is_utf_8_as_it_is_with_or_without_a_mark() {
    let api = Caller::new().await;
    let job = br#"{"kind":"k"}"#;
    let marked = [&b"\xef\xbb\xbf"[..], job].concat();
    let many = [&b"\xef\xbb\xbf["[..], &[&job[..]; 3].join(&b','), b"]"].concat();
    for (bytes, encoding) in [(job.to_vec(), Some("identity")), (marked, None)] {
        let taken = sent(&api, &bytes, encoding).await;
        assert_eq!(taken.status, 201, "{taken:?}");
    }
    assert_eq!(sent(&api, &many, None).await.status, 201);
    for encoding in ["gzip", "br", "x-anything"] {
        let refused = sent(&api, job, Some(encoding)).await;
        assert_eq!(
            (refused.status, &refused.body["code"]),
            (415, &json!("unsupported_encoding")),
            "{encoding}"
        );
        assert!(refused.body["detail"].as_str().unwrap().contains(encoding), "{refused:?}");
    }
    let utf_16: Vec<u8> = "{\"kind\":\"k\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, named) in
        [(&utf_16[..], "UTF-16"), (b"\x1f\x8b\x08", "gzip"), (b"{\"kind\":\"\xff\"}", "payload_base64")]
    {
        let refused = sent(&api, bytes, None).await;
        assert_eq!((refused.status, &refused.body["code"]), (400, &json!("invalid_json")), "{named}");
        assert!(refused.body["detail"].as_str().unwrap().contains(named), "{refused:?}");
    }
}

#[tokio::test]
async fn an_empty_body_changes_nothing_where_one_is_needed() {
    let api = Caller::new().await;
    let rule = json!({ "protected": true });
    assert_eq!(api.post("/api/v1/rules/k", &rule).await.status, 200);
    let batch = json!({ "id": "b", "completion": { "kind": "k" }, "open": true });
    assert_eq!(api.post("/api/v1/batches", &batch).await.status, 201);
    api.given(&json!({ "id": "delete-4711", "kind": "k", "delay_ms": 60_000 })).await;
    let before = api.redis.snapshot().await;
    for (path, item) in document()["paths"].as_object().unwrap() {
        if item["post"]["requestBody"]["required"] != true {
            continue;
        }
        let path = path.replace("/rules/{kind}", "/rules/k").replace("/batches/{id}", "/batches/b");
        let path = path.replace("{id}", "delete-4711");
        let path = path.split('/').map(|part| if part.starts_with('{') { "x" } else { part });
        let path = path.collect::<Vec<_>>().join("/");
        for text in ["", " ", "\n"] {
            let answer = api.post_text(&path, text).await;
            assert!(matches!(answer.status, 400 | 404 | 422), "{path} {text:?}: {answer:?}");
        }
    }
    assert_eq!(api.redis.snapshot().await, before);
}

#[tokio::test]
async fn a_number_that_no_double_holds_is_kept_as_its_text() {
    let api = Caller::new().await;
    let body = r#"{"id":"big","kind":"k","delay_ms":60000,"payload":{"n":1e400,"m":[-1E+999,0.10]}}"#;
    let answer = api.post_text("/api/v1/jobs", body).await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    let job = api.redis.engine().inspector().job(&"big".parse().unwrap()).await.unwrap().unwrap().job;
    assert_eq!(String::from_utf8(job.payload).unwrap(), r#"{"n":1e400,"m":[-1E+999,0.10]}"#);
}
