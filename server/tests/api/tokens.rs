//! Tokens at the door of the whole router.

use super::house::House;
use axum::Router;
use axum::body::{Body, to_bytes};
use http::{HeaderMap, Request};
use reprieve::model::{AuditFilter, Delay, NewToken, Permission, Role};
use reprieve::testing::TestRedis;
use reprieve_access::Tokens;
use reprieve_server::config::{ApiAuth, Login};
use reprieve_server::{Dashboard, router};
use serde_json::{Value, json};
use tower::ServiceExt as _;

struct Policy {
    redis: TestRedis,
    router: Router,
}

impl Policy {
    async fn new(auth: ApiAuth) -> Self {
        Self::with_login(auth, Login::Off).await
    }

    async fn with_login(auth: ApiAuth, login: Login) -> Self {
        let redis = TestRedis::namespace().await;
        let dashboard = Dashboard::new(redis.engine().clone()).api_auth(auth).login(login);
        Self { router: router(&dashboard, Router::new()), redis }
    }

    async fn token(&self, name: &str, permissions: &[Permission], queues: &[&str]) -> String {
        let queues: Vec<_> = queues.iter().map(|queue| queue.parse().unwrap()).collect();
        let token = NewToken::new(name.parse().unwrap(), permissions).queues(queues);
        Tokens::new(self.redis.engine()).add(&token, "test").await.unwrap()
    }

    async fn send(&self, request: &str, authorization: Option<&str>, body: Value) -> (u16, HeaderMap, Value) {
        let headers: Vec<_> = authorization.into_iter().map(|value| ("authorization", value)).collect();
        self.send_with(request, &headers, body).await
    }

    async fn send_with(
        &self,
        request: &str,
        headers: &[(&str, &str)],
        body: Value,
    ) -> (u16, HeaderMap, Value) {
        let (method, path) = request.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = if body.is_null() {
            Body::empty()
        } else {
            request = request.header("content-type", "application/json");
            Body::from(body.to_string())
        };
        let response = self.router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, 1 << 24).await.unwrap();
        (parts.status.as_u16(), parts.headers, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    async fn with(&self, token: &str, request: &str, body: Value) -> (u16, Value) {
        let (status, _, body) = self.send(request, Some(&format!("Bearer {token}")), body).await;
        (status, body)
    }
}

#[tokio::test]
async fn where_tokens_are_required_nothing_is_answered_without_one() {
    let door = Policy::new(ApiAuth::Required).await;
    for request in [
        "GET /api/v1/jobs",
        "POST /api/v1/jobs",
        "POST /api/v1/jobs/a/cancel",
        "GET /api/v1/search",
        "GET /api/v1/nowhere",
    ] {
        let (status, headers, body) = door.send(request, None, Value::Null).await;
        assert_eq!((status, &body["code"]), (401, &json!("token_required")), "{request}");
        assert_eq!(headers["www-authenticate"], "Bearer realm=\"reprieve\"");
    }
    for request in ["GET /api/v1/openapi.json", "GET /api/docs", "GET /healthz"] {
        assert_eq!(door.send(request, None, Value::Null).await.0, 200, "{request}");
    }
    let open = Policy::new(ApiAuth::Off).await;
    assert_eq!(open.send("GET /api/v1/jobs", None, Value::Null).await.0, 200);
}

#[tokio::test]
async fn a_token_that_is_sent_is_checked_even_where_none_is_required() {
    for auth in [ApiAuth::Off, ApiAuth::Required] {
        let door = Policy::new(auth).await;
        let token = door.token("ci", &[Permission::View], &[]).await;
        let forged = format!("rpv_ci_{}", "0".repeat(64));
        for value in [
            "Bearer",
            "Bearer ",
            "Basic Y2k6Y2k=",
            "Bearer x",
            &format!("Bearer {forged}"),
            &format!("Bearer {token} x"),
            &format!("Token {token}"),
        ] {
            let (status, _, body) = door.send("GET /api/v1/jobs", Some(value), Value::Null).await;
            assert_eq!((status, &body["code"]), (401, &json!("token_invalid")), "{value}");
            assert!(!body.to_string().contains(&token), "the token is repeated");
        }
        assert_eq!(door.with(&token, "GET /api/v1/jobs", Value::Null).await.0, 200);
        Tokens::new(door.redis.engine()).revoke(&"ci".parse().unwrap(), "test", "").await.unwrap();
        assert_eq!(door.with(&token, "GET /api/v1/jobs", Value::Null).await.0, 401);
    }
}

#[tokio::test]
async fn a_token_does_what_it_may_under_its_own_name() {
    let door = Policy::new(ApiAuth::Required).await;
    let producer = door.token("shop", &[Permission::EnqueueJobs, Permission::View], &[]).await;

    let (status, _) = door.with(&producer, "POST /api/v1/jobs", json!({ "id": "a", "kind": "k" })).await;
    assert_eq!(status, 201);
    let (status, refused) = door.with(&producer, "POST /api/v1/jobs/a/cancel", json!({})).await;
    assert_eq!((status, &refused["permission"]), (403, &json!("jobs.cancel")));
    let audit = door.redis.engine().inspector().audit(&AuditFilter::default(), None, 9).await.unwrap();
    let refusals: Vec<_> = audit.items.iter().filter(|entry| entry.is_denied()).collect();
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    assert_eq!((&*refusals[0].by, &*refusals[0].verb), ("token:shop", "POST /api/v1/jobs/a/cancel"));
    let (_, job) = door.with(&producer, "GET /api/v1/jobs/a", Value::Null).await;
    assert_eq!((&job["state"], &job["by"]), (&json!("ready"), &json!("token:shop")));
}

#[tokio::test]
async fn the_audit_says_what_a_token_was_refused_and_names_no_subject() {
    let door = Policy::new(ApiAuth::Required).await;
    let looker = door.token("looker", &[Permission::View], &[]).await;
    for request in [
        "POST /api/v1/subjects/mr.smith/cancel",
        "POST /api/v1/subjects/mr.smith%2Fhome/cancel",
        "POST /api/v1/subjects/mr.smith%2Fhome/erase",
        "POST /api/v1/jobs/a/cancel",
    ] {
        let (status, refused) = door.with(&looker, request, json!({})).await;
        assert_eq!((status, &refused["code"]), (403, &json!("forbidden")), "{request}: {refused}");
    }

    let audit = door.redis.engine().inspector().audit(&AuditFilter::default(), None, 9).await.unwrap();

    let mut asked: Vec<_> =
        audit.items.iter().filter(|entry| entry.is_denied()).map(|entry| &*entry.verb).collect();
    asked.sort_unstable();
    assert_eq!(
        asked,
        [
            "POST /api/v1/jobs/a/cancel",
            "POST /api/v1/subjects/{subject}/cancel",
            "POST /api/v1/subjects/{subject}/cancel",
            "POST /api/v1/subjects/{subject}/erase",
        ]
    );
    assert!(!format!("{audit:?}").contains("smith"), "{audit:?}");
}

#[tokio::test]
async fn to_stop_what_runs_and_to_run_what_waits_takes_a_right_of_its_own() {
    let door = Policy::new(ApiAuth::Required).await;
    let all = door.token("all", &Permission::ALL, &[]).await;
    let [run, stop] = [Permission::RunJobs, Permission::StopJobs];
    let others: Vec<_> = Permission::ALL.into_iter().filter(|right| ![run, stop].contains(right)).collect();
    let most = door.token("most", &others, &[]).await;
    for (id, queue, delay) in [("waits", "later", 3_600_000), ("runs", "now", 0)] {
        let job = json!({ "id": id, "kind": "k", "queue": queue, "delay_ms": delay });
        assert_eq!(door.with(&all, "POST /api/v1/jobs", job).await.0, 201);
    }
    let claim = json!({ "worker": "w", "lease_ms": 60_000 });
    assert_eq!(door.with(&all, "POST /api/v1/queues/now/claim", claim).await.0, 200);
    let freeze = async |body| {
        let (status, run) = door.with(&most, "POST /api/v1/bulk", body).await;
        assert_eq!((status, &run["total"]), (200, &json!(1)), "{run}");
        format!("POST /api/v1/bulk/{}/start", run["id"].as_str().unwrap())
    };
    let bulk_run = freeze(json!({ "verb": "retry_now", "queue": "later", "states": ["delayed"] })).await;
    let bulk_stop = freeze(json!({ "verb": "cancel", "queue": "now", "states": ["active"] })).await;
    // Nothing of it runs yet, but what starts before its turn comes is asked to stop.
    let soon = freeze(json!({ "verb": "cancel", "queue": "later", "states": ["delayed", "active"] })).await;
    let sooner = json!({ "delay_ms": 1_000 });

    for (request, body, right) in [
        ("POST /api/v1/jobs/waits/retry", json!({}), run),
        ("POST /api/v1/jobs/waits/reschedule", sooner.clone(), run),
        ("POST /api/v1/jobs/runs/cancel", json!({}), stop),
        (&bulk_run, json!({}), run),
        (&bulk_stop, json!({}), stop),
        (&soon, json!({}), stop),
    ] {
        let (status, refused) = door.with(&most, request, body).await;
        assert_eq!((status, &refused["permission"]), (403, &json!(right.as_str())), "{request}: {refused}");
    }
    // What they may do as before; one that was called off still waits for its time.
    for (request, body, status, right) in [
        ("POST /api/v1/jobs/waits/reschedule", json!({ "delay_ms": 7_200_000 }), 200, None),
        ("POST /api/v1/jobs/waits/cancel", json!({}), 200, None),
        ("POST /api/v1/jobs/waits/retry", json!({}), 403, Some(run)),
        ("POST /api/v1/jobs/waits/reinstate", sooner.clone(), 403, Some(run)),
        ("POST /api/v1/jobs/waits/reinstate", json!({}), 200, None),
        ("POST /api/v1/jobs/nowhere/retry", json!({}), 404, None),
    ] {
        let (found, answer) = door.with(&most, request, body).await;
        let lacks = right.map_or(Value::Null, |right| json!(right.as_str()));
        assert_eq!((found, &answer["permission"]), (status, &lacks), "{request}: {answer}");
    }
    for (request, body, status) in [
        ("POST /api/v1/jobs/waits/reschedule", sooner, 200),
        ("POST /api/v1/jobs/waits/retry", json!({}), 200),
        ("POST /api/v1/jobs/runs/cancel", json!({}), 202),
    ] {
        assert_eq!(door.with(&all, request, body).await.0, status, "{request}");
    }
}

#[tokio::test]
async fn a_token_of_one_queue_reaches_no_other() {
    let door = Policy::new(ApiAuth::Required).await;
    let all = door.token("all", &Permission::ALL, &[]).await;
    let mail = door.token("mail", &Permission::ALL, &["mail"]).await;
    for queue in ["mail", "other"] {
        let job = json!({ "id": queue, "kind": "k", "queue": queue, "subject": "s", "delay_ms": 60_000 });
        door.with(&all, "POST /api/v1/jobs", job).await;
    }
    for (request, body) in [
        ("POST /api/v1/jobs", json!({ "kind": "k" })),
        ("POST /api/v1/jobs", json!([{ "kind": "k", "queue": "mail" }, { "kind": "k", "queue": "other" }])),
        ("POST /api/v1/queues/other/pause", json!({})),
        ("POST /api/v1/subjects/s/cancel", json!({})),
        ("GET /api/v1/jobs?queue=other", Value::Null),
        ("GET /events", Value::Null),
    ] {
        let (status, refused) = door.with(&mail, request, body).await;
        assert_eq!(status, 403, "{request}: {refused}");
    }
    assert_eq!(door.with(&mail, "GET /api/v1/jobs/other", Value::Null).await.0, 404);
    for request in ["POST /api/v1/jobs/other/cancel", "POST /api/v1/jobs/other/purge"] {
        assert_eq!(door.with(&mail, request, json!({})).await.0, 404, "{request}");
    }
    for request in [
        "GET /api/v1/jobs",
        "GET /api/v1/jobs?queue=mail",
        "GET /api/v1/subjects/s",
        "GET /api/v1/search",
        "GET /api/v1/search?subject=s",
    ] {
        let (status, page) = door.with(&mail, request, Value::Null).await;
        let ids: Vec<_> = page["items"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect();
        assert_eq!((status, ids), (200, vec![json!("mail")]), "{request}");
    }
    let (_, queues) = door.with(&mail, "GET /api/v1/queues", Value::Null).await;
    assert_eq!(queues["items"].as_array().unwrap().len(), 1);
    let (status, _) = door.with(&mail, "POST /api/v1/jobs/mail/cancel", json!({})).await;
    assert_eq!(status, 200);
    assert_eq!(door.with(&all, "GET /api/v1/jobs/other", Value::Null).await.1["state"], "delayed");
}

#[tokio::test]
async fn a_token_of_one_queue_reaches_what_belongs_to_it_and_nothing_beside() {
    let door = Policy::new(ApiAuth::Required).await;
    let all = door.token("all", &Permission::ALL, &[]).await;
    let mail = door.token("mail", &Permission::ALL, &["mail"]).await;
    for queue in ["mail", "other"] {
        let job = json!({ "id": queue, "kind": "k", "queue": queue });
        door.with(&all, "POST /api/v1/jobs", job.clone()).await;
        let cron = json!({ "name": queue, "schedule": "@daily", "job": { "kind": "k", "queue": queue } });
        assert_eq!(door.with(&all, "POST /api/v1/cron", cron).await.0, 200);
        let step = json!({ "name": "a", "offset_ms": 60_000, "job": { "kind": "k", "queue": queue } });
        let plan = json!({ "id": queue, "subject": "s", "steps": [step] });
        assert_eq!(door.with(&all, "POST /api/v1/plans", plan).await.0, 201);
        let batch = json!({ "id": queue, "open": true, "completion": { "kind": "k", "queue": queue } });
        assert_eq!(door.with(&all, "POST /api/v1/batches", batch).await.0, 201);
    }
    let claimed = door.with(&all, "POST /api/v1/queues/other/claim", json!({})).await.1;
    let token = claimed["items"][0]["token"].clone();
    let cron = json!({ "name": "other", "schedule": "@daily", "job": { "kind": "k", "queue": "mail" } });
    let into_other = json!({ "name": "new", "schedule": "@daily", "job": { "kind": "k", "queue": "other" } });
    for (request, body) in [
        ("POST /api/v1/queues/other/claim", json!({})),
        ("POST /api/v1/cron", cron),
        ("POST /api/v1/cron", into_other),
        ("POST /api/v1/batches/mail/cancel", json!({})),
        ("POST /api/v1/batches/mail/jobs", json!({ "jobs": [{ "kind": "k", "queue": "other" }] })),
        ("GET /api/v1/events?queue=other", Value::Null),
        ("POST /api/v1/retention", json!({ "queue": "other", "done_ms": 1 })),
        ("POST /api/v1/retention", json!({ "done_ms": 1 })),
        ("POST /api/v1/rules/k", json!({})),
    ] {
        let (status, refused) = door.with(&mail, request, body).await;
        assert_eq!(status, 403, "{request}: {refused}");
    }
    for (request, body) in [
        ("POST /api/v1/jobs/other/complete", json!({ "token": token })),
        ("POST /api/v1/jobs/other/extend", json!({ "token": token })),
        ("GET /api/v1/jobs/other/log", Value::Null),
        ("GET /api/v1/cron/other", Value::Null),
        ("POST /api/v1/cron/other/pause", json!({})),
        ("POST /api/v1/cron/other/run", json!({})),
        ("GET /api/v1/batches/other", Value::Null),
        ("GET /api/v1/plans/other", Value::Null),
        ("POST /api/v1/plans/other/cancel", json!({})),
    ] {
        let (status, refused) = door.with(&mail, request, body).await;
        assert_eq!(status, 404, "{request}: {refused}");
    }
    let (_, history) = door.with(&mail, "GET /api/v1/cron/other/history", Value::Null).await;
    assert_eq!(history["items"], json!([]));
    let claimed = door.with(&mail, "POST /api/v1/queues/mail/claim", json!({})).await.1;
    let token = claimed["items"][0]["token"].clone();
    for (request, body) in [
        ("POST /api/v1/jobs/mail/extend", json!({ "token": token })),
        ("POST /api/v1/jobs/mail/complete", json!({ "token": token })),
        ("GET /api/v1/jobs/mail/log", Value::Null),
        ("GET /api/v1/cron/mail", Value::Null),
        ("GET /api/v1/cron/mail/history", Value::Null),
        ("POST /api/v1/cron/mail/pause", json!({})),
        ("POST /api/v1/cron/mail/run", json!({})),
        ("GET /api/v1/plans/mail", Value::Null),
        ("POST /api/v1/plans/mail/cancel", json!({})),
        ("GET /api/v1/batches/mail", Value::Null),
        ("POST /api/v1/batches/mail/jobs", json!({ "jobs": [{ "kind": "k", "queue": "mail" }] })),
        ("POST /api/v1/batches/mail/close", json!({})),
        ("POST /api/v1/retention", json!({ "queue": "mail", "done_ms": 1 })),
    ] {
        let (status, answer) = door.with(&mail, request, body).await;
        assert_eq!(status, 200, "{request}: {answer}");
    }
    let (_, cron) = door.with(&mail, "GET /api/v1/cron", Value::Null).await;
    assert_eq!(cron["items"].as_array().unwrap().len(), 1);
    let (_, plans) = door.with(&mail, "GET /api/v1/subjects/s/plans", Value::Null).await;
    assert_eq!(plans["items"].as_array().unwrap().len(), 1);
    let (_, events) = door.with(&mail, "GET /api/v1/events?size=1000", Value::Null).await;
    let queues: Vec<_> =
        events["items"].as_array().unwrap().iter().map(|event| event["queue"].clone()).collect();
    assert!(!queues.is_empty() && queues.iter().all(|queue| queue == "mail"), "{queues:?}");
}

#[tokio::test]
async fn what_stands_under_an_id_in_another_queue_is_neither_told_nor_added_to() {
    let door = Policy::new(ApiAuth::Required).await;
    let all = door.token("all", &Permission::ALL, &[]).await;
    let mail = door.token("mail", &[Permission::EnqueueJobs], &["mail"]).await;
    let step =
        |queue: &str| json!({ "name": "a", "offset_ms": 60_000, "job": { "kind": "k", "queue": queue } });
    for queue in ["mail", "other"] {
        let job = json!({ "id": queue, "kind": "k", "queue": queue, "delay_ms": 60_000 });
        assert_eq!(door.with(&all, "POST /api/v1/jobs", job).await.0, 201);
        let plan = json!({ "id": queue, "subject": "s", "steps": [step(queue)] });
        assert_eq!(door.with(&all, "POST /api/v1/plans", plan).await.0, 201);
        let batch = json!({ "id": queue, "open": true, "completion": { "kind": "k", "queue": queue } });
        assert_eq!(door.with(&all, "POST /api/v1/batches", batch).await.0, 201);
    }
    let batch = async || door.with(&all, "GET /api/v1/batches/other", Value::Null).await.1;
    let before = batch().await;
    let job = |id: &str| json!({ "id": id, "kind": "k", "queue": "mail", "delay_ms": 60_000 });
    let make = |id: &str| json!({ "id": id, "open": true, "completion": { "kind": "k", "queue": "mail" }, "jobs": [] });
    let plan = |id: &str| json!({ "id": id, "subject": "s", "steps": [step("mail")] });

    for (request, body, status, code) in [
        ("POST /api/v1/batches", make("other"), 403, "other_queue"),
        ("POST /api/v1/batches/other/jobs", json!({ "jobs": [job("new")], "close": true }), 404, "not_found"),
        ("POST /api/v1/batches/nowhere/jobs", json!({ "jobs": [job("new")] }), 404, "not_found"),
        ("POST /api/v1/batches/other/close", json!({}), 404, "not_found"),
        ("POST /api/v1/batches/nowhere/close", json!({}), 404, "not_found"),
        ("POST /api/v1/plans", plan("other"), 403, "other_queue"),
        ("POST /api/v1/jobs", job("other"), 409, "id_conflict"),
    ] {
        let (found, refused) = door.with(&mail, request, body).await;
        assert_eq!((found, &refused["code"]), (status, &json!(code)), "{request}: {refused}");
        for field in ["total", "live", "steps", "state", "due_ms", "version"] {
            assert_eq!(refused[field], Value::Null, "{request}: {refused}");
        }
    }
    assert_eq!(batch().await, before);
    let (status, several) = door.with(&mail, "POST /api/v1/jobs", json!([job("other"), job("mail")])).await;
    let taken = json!({ "outcome": "id_conflict", "id": "other" });
    assert_eq!((status, &several["items"][0]), (207, &taken), "{several}");
    assert_eq!(several["items"][1]["outcome"], "exists");
    let mixed = json!({ "jobs": [job("other"), job("new")], "close": true });
    let (status, mixed) = door.with(&mail, "POST /api/v1/batches/mail/jobs", mixed).await;
    assert_eq!((status, &mixed["jobs"][0], &mixed["total"]), (200, &taken, &json!(1)), "{mixed}");
    for (request, body) in [("POST /api/v1/batches", make("mail")), ("POST /api/v1/plans", plan("mail"))] {
        let (status, answer) = door.with(&mail, request, body).await;
        assert_eq!((status, &answer["outcome"]), (200, &json!("exists")), "{request}: {answer}");
    }
}

#[tokio::test]
async fn to_have_a_plan_earlier_or_at_once_takes_the_right_to_run_its_jobs() {
    let door = Policy::new(ApiAuth::Required).await;
    let all = door.token("all", &Permission::ALL, &[]).await;
    let [run, retry] = [Permission::RunJobs, Permission::RetryJobs];
    let others: Vec<_> = Permission::ALL.into_iter().filter(|right| ![run, retry].contains(right)).collect();
    let most = door.token("most", &others, &[]).await;
    let step = json!({ "name": "a", "offset_ms": 3_600_000, "job": { "kind": "k" } });
    let plan = json!({ "id": "p", "subject": "s", "steps": [step] });
    assert_eq!(door.with(&all, "POST /api/v1/plans", plan).await.0, 201);
    let reanchor = "POST /api/v1/plans/p/reanchor";
    for (request, body, status, right) in [
        (reanchor, json!({ "by_ms": -60_000 }), 403, Some(run)),
        (reanchor, json!({ "anchor": { "due_ms": 1_000_000_000_000_i64 }, "past": "run" }), 403, Some(run)),
        (reanchor, json!({ "anchor": { "due_ms": 1_000_000_000_000_i64 }, "past": "skip" }), 403, Some(run)),
        (reanchor, json!({ "by_ms": 60_000, "past": "run" }), 403, Some(run)),
        (reanchor, json!({ "by_ms": 60_000 }), 200, None),
        (reanchor, json!({ "anchor": { "delay_ms": 3_600_000 } }), 200, None),
        ("POST /api/v1/plans/nowhere/reanchor", json!({ "by_ms": -60_000 }), 404, None),
        ("POST /api/v1/plans/p/cancel", json!({}), 200, None),
        (reanchor, json!({ "by_ms": -60_000 }), 403, Some(run)),
        ("POST /api/v1/plans/p/reinstate", json!({ "past": "run" }), 403, Some(retry)),
        ("POST /api/v1/plans/p/reinstate", json!({}), 200, None),
    ] {
        let (found, answer) = door.with(&most, request, body.clone()).await;
        let lacks = right.map_or(Value::Null, |right| json!(right.as_str()));
        assert_eq!((found, &answer["permission"]), (status, &lacks), "{request} {body}: {answer}");
    }
    let (status, answer) = door.with(&all, reanchor, json!({ "by_ms": -60_000 })).await;
    assert_eq!(status, 200, "{answer}");
}

#[tokio::test]
async fn a_token_ends_with_its_time() {
    let door = Policy::new(ApiAuth::Off).await;
    let new = NewToken::new("short".parse().unwrap(), [Permission::View]).good_for(Some(Delay::millis(1)));
    let token = Tokens::new(door.redis.engine()).add(&new, "test").await.unwrap();
    let ends = Tokens::new(door.redis.engine()).list().await.unwrap()[0].expires.unwrap();
    // Redis's clock moves by itself.
    while door.redis.engine().now().await.unwrap() < ends {}

    let (status, refused) = door.with(&token, "GET /api/v1/jobs", Value::Null).await;

    assert_eq!((status, &refused["code"]), (401, &json!("token_expired")));
}

#[tokio::test]
async fn who_guesses_is_stopped_and_who_knows_is_not() {
    let door = Policy::new(ApiAuth::Required).await;
    let token = door.token("ci", &[Permission::View], &[]).await;
    assert_eq!(door.with(&token, "GET /api/v1/jobs", Value::Null).await.0, 200);
    let guess = |n: u32| format!("rpv_ci_{n:064x}");
    for n in 0..20 {
        assert_eq!(door.with(&guess(n), "GET /api/v1/jobs", Value::Null).await.0, 401);
    }

    let (status, headers, body) =
        door.send("GET /api/v1/jobs", Some(&format!("Bearer {}", guess(99))), Value::Null).await;

    assert_eq!((status, &body["code"]), (429, &json!("too_many_failures")));
    assert!(headers["retry-after"].to_str().unwrap().parse::<u16>().unwrap() <= 60);
    assert_eq!(door.with(&token, "GET /api/v1/jobs", Value::Null).await.0, 200);
}

#[tokio::test]
async fn metrics_are_read_with_the_right_for_them_or_the_right_to_look() {
    let door = Policy::new(ApiAuth::Required).await;
    for (name, right, expected) in [
        ("scraper", Permission::SeeMetrics, 200),
        ("looker", Permission::View, 200),
        ("worker", Permission::WorkJobs, 403),
    ] {
        let token = door.token(name, &[right], &[]).await;
        assert_eq!(door.with(&token, "GET /metrics", Value::Null).await.0, expected, "{right}");
    }
    let bound = door.token("bound", &[Permission::SeeMetrics], &["mail"]).await;
    assert_eq!(door.with(&bound, "GET /metrics", Value::Null).await.0, 403, "they are of all queues");
}

#[tokio::test]
async fn what_people_see_too_says_why_a_token_may_not() {
    let door = Policy::new(ApiAuth::Required).await;
    let worker = door.token("worker", &[Permission::WorkJobs], &[]).await;
    let bound = door.token("bound", &[Permission::View], &["mail"]).await;
    for (path, lacks) in [("/events", "view"), ("/metrics", "metrics.view")] {
        let (status, refused) = door.with(&worker, &format!("GET {path}"), Value::Null).await;
        let said = (status, &refused["code"], &refused["permission"]);
        assert_eq!(said, (403, &json!("forbidden"), &json!(lacks)), "{path}: {refused}");
        let (status, refused) = door.with(&bound, &format!("GET {path}"), Value::Null).await;
        assert_eq!((status, &refused["code"]), (403, &json!("other_queue")), "{path}: {refused}");
    }
}

#[tokio::test]
async fn under_the_key_of_somebody_else_an_act_is_an_act_of_its_own() {
    let door = Policy::new(ApiAuth::Required).await;
    let all = Permission::ALL;
    let [mine, theirs] = [door.token("mine", &all, &[]).await, door.token("theirs", &all, &[]).await];
    let under = async |token: &str, request: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str()), ("idempotency-key", "order-4711")];
        let (status, _, body) = door.send_with(request, &headers, json!({})).await;
        assert_eq!(status, 200, "{request}: {body}");
        body
    };
    let job = json!({ "id": "a", "kind": "k", "delay_ms": 3_600_000, "subject": "s:1" });
    assert_eq!(door.with(&mine, "POST /api/v1/jobs", job).await.0, 201);
    let state = async || door.with(&mine, "GET /api/v1/jobs/a", Value::Null).await.1["state"].clone();

    for request in ["POST /api/v1/jobs/a/cancel", "POST /api/v1/subjects/s:1/cancel"] {
        let first = under(&mine, request).await;
        assert_eq!(door.with(&mine, "POST /api/v1/jobs/a/reinstate", json!({})).await.0, 200);
        assert_eq!(under(&mine, request).await, first, "a repeat of their own gets the first answer");
        assert_eq!(state().await, "delayed", "and does nothing");
        under(&theirs, request).await;
        assert_eq!(state().await, "cancelled", "{request}");
        assert_eq!(door.with(&mine, "POST /api/v1/jobs/a/reinstate", json!({})).await.0, 200);
    }
}

#[tokio::test]
async fn calls_that_are_there_to_copy_have_a_place_for_the_token_they_need() {
    let line = "authorization: Bearer TOKEN";
    let house = House::new().await;
    for (role, leads_there) in [(Role::Admin, true), (Role::Viewer, false)] {
        let page = house.send(house.of(role), "GET /", "", "text/html").await.text;
        assert!(page.contains(line) && page.contains("put yours in place of"), "{page}");
        assert_eq!(page.contains("href=\"/people#tokens\""), leads_there, "{role}: {page}");
    }
    house.given("a", "mail", 1).await;
    let page = house.send(house.of(Role::Admin), "GET /job/a", "", "text/html").await.text;
    assert!(page.contains("href=\"/people#tokens\""), "{page}");
    // Of a payload that is no JSON there is no call, and nothing to put a token into.
    let mut job = reprieve::NewJob::new("k".parse().unwrap(), vec![0xff_u8, 0x00]);
    job.id = Some("bytes".parse().unwrap());
    job.due = reprieve::Due::In(Delay::hours(1));
    house.redis.engine().client().enqueue_batch(vec![job]).await.unwrap();
    let page = house.send(house.of(Role::Admin), "GET /job/bytes", "", "text/html").await.text;
    assert!(page.contains("job-more") && !page.contains("#tokens"), "{page}");

    let open = House::of_dashboard(|dashboard: Dashboard| dashboard.api_auth(ApiAuth::Off)).await;
    let page = open.send("", "GET /", "", "text/html").await.text;
    assert!(page.contains("/api/v1/jobs") && !page.contains(line), "{page}");
    assert!(!page.contains("#tokens"), "{page}");
}

/// A job that died of an error of two lines, with a log and a payload.
async fn dead_job(door: &Policy) {
    let all = door.token("all", &Permission::ALL, &[]).await;
    let job = json!({ "id": "j1", "kind": "k", "payload": { "iban": "DE-canary" }, "headers": { "h": "head-canary" } });
    assert_eq!(door.with(&all, "POST /api/v1/jobs", job).await.0, 201);
    let claimed = door.with(&all, "POST /api/v1/queues/default/claim", json!({ "worker": "w" })).await.1;
    let failed = json!({ "token": claimed["items"][0]["token"], "error": "error-canary\ntrace-canary", "fatal": true });
    let failed = door.with(&all, "POST /api/v1/jobs/j1/fail", failed).await;
    assert_eq!(failed.0, 200, "{claimed} {}", failed.1);
}

#[tokio::test]
async fn a_token_sees_of_a_job_what_its_rights_show_to_people_and_the_rest_reads_as_hidden() {
    let door = Policy::new(ApiAuth::Required).await;
    dead_job(&door).await;
    const HIDDEN: &str = "•••• (hidden)";
    let (view, payloads, errors) = (Permission::View, Permission::SeePayloads, Permission::SeeErrors);
    for (name, rights, payload, error) in [
        ("looks", vec![view], json!(HIDDEN), HIDDEN),
        ("reads", vec![view, payloads], json!({ "iban": "DE-canary" }), "error-canary"),
        ("traces", vec![view, errors], json!(HIDDEN), HIDDEN),
        ("both", vec![view, payloads, errors], json!({ "iban": "DE-canary" }), "error-canary\ntrace-canary"),
    ] {
        let token = door.token(name, &rights, &[]).await;
        let (status, job) = door.with(&token, "GET /api/v1/jobs/j1", Value::Null).await;
        assert_eq!((status, &job["payload"]), (200, &payload), "{name}: {job}");
        assert_eq!(
            (&job["last_error"], &job["attempts"][0]["error"]),
            (&json!(error), &json!(error)),
            "{name}"
        );
        assert_eq!(job.to_string().contains("head-canary"), rights.contains(&payloads), "{name}: {job}");
        let row = door.with(&token, "GET /api/v1/jobs?state=dead", Value::Null).await.1["items"][0].clone();
        let line = error.lines().next().unwrap();
        assert_eq!(row["error_line"], line, "{name}: {row}");
        let (status, log) = door.with(&token, "GET /api/v1/jobs/j1/log", Value::Null).await;
        match rights.contains(&errors) {
            true => assert_eq!(status, 200, "{name}: {log}"),
            false => assert_eq!((status, &log["permission"]), (403, &json!("jobs.errors")), "{name}: {log}"),
        }
    }
    for right in [payloads, errors] {
        let token = door.token(right.as_str(), &[right], &[]).await;
        let (status, refused) = door.with(&token, "GET /api/v1/jobs/j1", Value::Null).await;
        assert_eq!((status, &refused["permission"]), (403, &json!("view")), "{right}: {refused}");
    }
}

#[tokio::test]
async fn files_are_taken_away_with_a_token_that_may() {
    let door = Policy::with_login(ApiAuth::Required, Login::Required).await;
    dead_job(&door).await;
    let view = Permission::View;
    for (path, right) in [
        ("/export/jobs.jsonl?list=dead", Permission::ExportLists),
        ("/export/jobs.csv?list=dead", Permission::ExportLists),
        ("/export/payloads.jsonl?list=dead", Permission::ExportPayloads),
        ("/export/audit.jsonl", Permission::ExportAudit),
        ("/export/forecast.csv", view),
    ] {
        let request = format!("GET {path}");
        let (status, headers, refused) = door.send(&request, None, Value::Null).await;
        assert_eq!((status, &refused["code"]), (401, &json!("token_required")), "{path}: {refused}");
        assert!(headers.contains_key("www-authenticate"), "{path}");
        let name = path.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let good = door.token(&format!("good{name}"), &[view, right], &[]).await;
        let (status, body) = door.with(&good, &request, Value::Null).await;
        assert_eq!(status, 200, "{path}: {body}");
        let bad = door.token(&format!("bad{name}"), &[Permission::EnqueueJobs], &[]).await;
        let (status, refused) = door.with(&bad, &request, Value::Null).await;
        assert_eq!((status, &refused["permission"]), (403, &json!(right.as_str())), "{path}: {refused}");
    }
    let bound = door.token("bound", &[view, Permission::ExportLists], &["other"]).await;
    let (status, body) = door.with(&bound, "GET /export/jobs.jsonl?list=dead", Value::Null).await;
    assert_eq!((status, body), (200, Value::Null), "nothing of its queue is dead");
    let (status, refused) = door.with(&bound, "GET /export/jobs.jsonl", Value::Null).await;
    assert_eq!((status, &refused["code"]), (422, &json!("invalid")), "{refused}");
    let exporter = door.token("lists", &[view, Permission::ExportLists], &[]).await;
    let hidden = door.with(&exporter, "GET /export/jobs.jsonl?list=dead&columns=iban", Value::Null).await.1;
    assert!(hidden["id"] == "j1" && !hidden.to_string().contains("canary"), "{hidden}");
}

#[tokio::test]
async fn whether_the_program_is_ready_is_one_word_for_anybody_and_has_its_reason_for_who_may_know() {
    let house = House::new().await;
    let reply = house.call("", "GET /readyz", "").await;
    let said = (reply.status.as_u16(), reply.text.as_str());
    assert_eq!(said, (503, "unavailable\n"), "nothing moves due jobs here");
    assert_eq!(reply.headers["retry-after"], "2");
    let watcher = NewToken::new("watcher".parse().unwrap(), [Permission::SeeMetrics]);
    let watcher = Tokens::new(house.redis.engine()).add(&watcher, "admin").await.unwrap();
    let reply = house.by_token(&watcher, "GET /readyz", &Value::Null).await;
    let told = "unavailable\nredis: answers\njobs: no process has moved due jobs yet\n";
    assert_eq!((reply.status.as_u16(), reply.text.as_str()), (503, told));
    let worker = NewToken::new("worker".parse().unwrap(), [Permission::WorkJobs]);
    let worker = Tokens::new(house.redis.engine()).add(&worker, "admin").await.unwrap();
    assert_eq!(house.by_token(&worker, "GET /readyz", &Value::Null).await.text, "unavailable\n");
    let meta = format!("{}meta", house.redis.prefix());
    house.redis.command(&["HSET", &meta, "halts", "1", "halt", "went_back 1 0 0"]).await.unwrap();
    let reply = house.call("", "GET /readyz", "").await;
    assert_eq!(
        (reply.status.as_u16(), reply.text.as_str()),
        (200, "ready\n"),
        "a person who ends a halt comes by here"
    );
    let reply = house.by_token(&watcher, "GET /readyz", &Value::Null).await;
    assert_eq!(reply.text, "ready\nredis: answers\njobs: halted\n");
    assert_eq!(house.call("", "GET /healthz", "").await.text, "ok\n");
}
