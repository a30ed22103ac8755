//! Workers that speak HTTP: claim, report, extend, give back.

use crate::caller::Caller;
use crate::house::{House, SECRET};
use reprieve::model::{NewToken, Permission};
use reprieve::testing::TestRedis;
use reprieve_access::Tokens;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

async fn claimed(api: &Caller, queue: &str) -> Value {
    let answer = api.post(&format!("/api/v1/queues/{queue}/claim"), &json!({ "worker": "w-1" })).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["items"][0].clone()
}

async fn state(api: &Caller, id: &str) -> Value {
    api.get(&format!("/api/v1/jobs/{id}")).await.body["state"].clone()
}

#[tokio::test]
async fn a_worker_claims_a_job_and_reports_that_it_is_done() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a/1", "kind": "notice", "subject": "order:1", "payload": { "n": 1 } })).await;

    let job = claimed(&api, "default").await;

    assert_eq!(
        [&job["id"], &job["kind"], &job["subject"], &job["payload"], &job["attempt"]],
        [&json!("a/1"), &json!("notice"), &json!("order:1"), &json!({ "n": 1 }), &json!(1)]
    );
    let shown = api.get("/api/v1/jobs/a%2F1").await.body;
    assert_eq!((&shown["state"], &shown["worker"]), (&json!("active"), &json!("w-1")));
    let nothing_left = api.post("/api/v1/queues/default/claim", &json!({ "wait_ms": 1 })).await;
    assert_eq!(nothing_left.body, json!({ "items": [], "order": "resume" }));

    let report = json!({ "token": job["token"] });
    for _ in 0..2 {
        let done = api.post("/api/v1/jobs/a%2F1/complete", &report).await;
        assert_eq!((done.status, done.body), (200, json!({ "outcome": "done" })));
    }
    assert_eq!(state(&api, "a%2F1").await, "done");
}

#[tokio::test]
async fn what_a_job_came_to_is_kept_with_its_end() {
    let api = Caller::new().await;
    for (id, result) in
        [("a", json!({ "sent": [1, "é"] })), ("b", json!(false)), ("c", json!("")), ("d", Value::Null)]
    {
        api.given(&json!({ "id": id, "kind": "notice", "queue": id })).await;
        let token = claimed(&api, id).await["token"].clone();
        let complete = format!("/api/v1/jobs/{id}/complete");
        let done = api.post(&complete, &json!({ "token": token, "result": result })).await;
        assert_eq!((done.status, &done.body), (200, &json!({ "outcome": "done" })), "{id}");

        // Its answer was lost, and the worker thinks otherwise by now.
        let again = api.post(&complete, &json!({ "token": token, "result": "another" })).await;

        assert_eq!((again.status, again.body), (200, done.body), "{id}");
        let job = api.get(&format!("/api/v1/jobs/{id}")).await.body;
        assert_eq!((&job["state"], &job["result"]), (&json!("done"), &result), "{id}");
    }
}

#[tokio::test]
async fn a_result_that_cannot_be_kept_is_refused_and_the_job_is_still_its_workers() {
    const BYTES_MAX: usize = 64 * 1024;
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "notice" })).await;
    let token = claimed(&api, "default").await["token"].clone();
    let complete = async |result: &str| {
        let body = format!(r#"{{"token":{token},"result":{result}}}"#);
        api.post_text("/api/v1/jobs/a/complete", &body).await
    };
    let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));

    let large = complete(&text(BYTES_MAX + 1)).await;
    assert_eq!(large.body["errors"][0]["detail"], "`result` has 65537 bytes, at most 65536 are allowed");
    for refused in [large, complete(r#"{"n":1,"n":2}"#).await, complete(r#""\ud800""#).await] {
        assert_eq!(refused.status, 422, "{refused:?}");
        assert_eq!(refused.mistakes(), [("/result".to_owned(), "invalid".to_owned())]);
    }
    let job = api.get("/api/v1/jobs/a").await.body;
    assert_eq!((&job["state"], &job["result"]), (&json!("active"), &Value::Null));

    assert_eq!(complete(&text(BYTES_MAX)).await.body, json!({ "outcome": "done" }));
    assert_eq!(api.get("/api/v1/jobs/a").await.body["result"].as_str().unwrap().len(), BYTES_MAX - 2);
}

#[tokio::test]
async fn a_result_is_not_kept_without_the_lease() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "notice" })).await;
    let lost = claimed(&api, "default").await["token"].clone();
    api.post("/api/v1/jobs/a/release", &json!({ "token": lost })).await;
    let report = json!({ "token": lost, "result": "of the first" });
    // All that Redis holds, but for the latest time it was asked.
    let all = async || {
        let mut all = api.redis.snapshot().await;
        all.remove("meta");
        all
    };
    let refused = async || {
        let before = all().await;
        let answer = api.post("/api/v1/jobs/a/complete", &report).await;
        assert_eq!((answer.status, &answer.body["code"]), (409, &json!("lease_lost")));
        assert_eq!(all().await, before, "nothing was written");
    };

    refused().await;
    let token = claimed(&api, "default").await["token"].clone();
    refused().await;
    api.post("/api/v1/jobs/a/complete", &json!({ "token": token })).await;
    refused().await;

    let job = api.get("/api/v1/jobs/a").await.body;
    assert_eq!((&job["state"], &job["result"]), (&json!("done"), &Value::Null));
}

#[tokio::test]
async fn who_may_not_see_payloads_sees_no_results() {
    let house = House::new().await;
    house.given("a", "mail", 0).await;
    let token = async |name: &str, rights: &[Permission]| {
        let token = NewToken::new(name.parse().unwrap(), rights);
        Tokens::new(house.redis.engine()).add(&token, "admin").await.unwrap()
    };
    let worker = token("works", &[Permission::WorkJobs]).await;
    let reader = token("reads", &[Permission::View]).await;
    let trusted = token("sees", &[Permission::View, Permission::SeePayloads]).await;
    let claim = house.by_token(&worker, "POST /api/v1/queues/mail/claim", &json!({})).await.text;
    let claimed: Value = serde_json::from_str(&claim).unwrap();
    let report = json!({ "token": claimed["items"][0]["token"], "result": { "card": SECRET } });

    let refused = house.by_token(&reader, "POST /api/v1/jobs/a/complete", &report).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    let done = house.by_token(&worker, "POST /api/v1/jobs/a/complete", &report).await;
    assert_eq!(done.status, 200, "{}", done.text);

    let shown = async |token: &str| {
        let job = house.by_token(token, "GET /api/v1/jobs/a", &Value::Null).await.text;
        serde_json::from_str::<Value>(&job).unwrap()["result"].clone()
    };
    assert_eq!(shown(&trusted).await, json!({ "card": SECRET }));
    assert_eq!(shown(&reader).await, "•••• (hidden)");
}

#[tokio::test]
async fn a_waiting_claim_ends_the_older_ones_of_its_worker_and_queue_in_every_process() {
    let api = Caller::new().await;
    // Another process of the namespace, behind the same balancer.
    let beside = Caller::on(TestRedis::on(api.redis.url(), api.redis.name().clone()).await);
    let claim = async |api: &Caller, worker: &str, queue: &str, wait_ms: u64| {
        let body = json!({ "worker": worker, "wait_ms": wait_ms });
        let began = Instant::now();
        let answer = api.post(&format!("/api/v1/queues/{queue}/claim"), &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        (answer.body["items"].as_array().unwrap().len(), began.elapsed())
    };
    // The client of the first has gone, and a proxy keeps its request. It ends while the newest waits, which then gets the job.
    let gone = async {
        let gone = claim(&api, "w", "default", 9_000).await;
        api.given(&json!({ "id": "a", "kind": "notice" })).await;
        gone
    };
    let newest = async {
        let waits = format!("{}waiting:default:w", api.redis.prefix());
        while api.redis.command(&["EXISTS", &waits]).await.unwrap() == redis::Value::Int(0) {
            tokio::task::yield_now().await;
        }
        claim(&beside, "w", "default", 5_000).await
    };

    let (gone, elsewhere, other, newest) =
        tokio::join!(gone, claim(&api, "w", "sms", 1_500), claim(&api, "v", "sms", 1_500), newest);

    assert_eq!((gone.0, newest.0), (0, 1), "only the newest takes a job");
    for still in [elsewhere, other] {
        assert!(
            still.1 >= Duration::from_millis(1_500),
            "another queue, and another worker, wait on: {still:?}"
        );
    }
}

#[tokio::test]
async fn claims_without_a_name_may_be_anybodys_and_wait_beside_each_other() {
    let api = Caller::new().await;
    let claim = async || {
        let began = Instant::now();
        api.post("/api/v1/queues/default/claim", &json!({ "wait_ms": 1_000 })).await;
        began.elapsed()
    };
    let (one, other) = tokio::join!(claim(), claim());
    assert!(one.min(other) >= Duration::from_secs(1), "{one:?} {other:?}");
}

#[tokio::test]
async fn a_worker_over_http_is_among_the_workers_and_hears_that_it_is_to_be_quiet() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "notice" })).await;
    claimed(&api, "default").await;

    let workers = api.get("/api/v1/workers").await.body["items"].clone();
    let worker = &workers[0];
    assert_eq!([&worker["id"], &worker["claims"]], [&json!("w-1"), &json!(true)]);
    assert_eq!(
        (&worker["busy"], &worker["jobs"], &worker["queues"]),
        (&json!(1), &json!(["a"]), &json!(["default"]))
    );
    assert_eq!([&worker["host"], &worker["pid"], &worker["slots"]], [&Value::Null; 3]);
    assert_eq!(api.get("/api/v1/queues").await.body["items"][0]["workers"], 1);

    let told = |order: &str| json!({ "order": order, "reason": "deploy" });
    let stopped = api.post("/api/v1/workers/w-1/order", &told("stop")).await;
    assert_eq!((stopped.status, &stopped.body["code"]), (409, &json!("wrong_state")));
    assert_eq!(api.post("/api/v1/workers/w-1/order", &told("quiet")).await.body["outcome"], "ordered");
    api.given(&json!({ "id": "b", "kind": "notice" })).await;
    // It hears of it within four seconds, or with its first claim from another queue.
    for queue in ["other", "default"] {
        let quiet = api.post(&format!("/api/v1/queues/{queue}/claim"), &json!({ "worker": "w-1" })).await;
        assert_eq!(quiet.body, json!({ "items": [], "order": "quiet" }));
    }
}

#[tokio::test]
async fn a_claim_goes_on_behind_jobs_that_may_not_start_any_more() {
    let api = Caller::new().await;
    let now = api.redis.engine().now().await.unwrap().as_millis();
    let late = json!({ "most_ms": 3_600_000, "then": "skip" });
    for n in 0..30 {
        let id = format!("late-{n}");
        api.given(&json!({ "id": id, "kind": "notice", "due_ms": now - 7_200_000, "lateness": late })).await;
    }
    api.given(&json!({ "id": "good", "kind": "notice" })).await;

    assert_eq!(claimed(&api, "default").await["id"], "good");
    assert_eq!(state(&api, "late-29").await, "cancelled");
}

#[tokio::test]
async fn a_failure_is_retried_when_it_says_or_never() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "soon", "kind": "notice", "queue": "one" })).await;
    api.given(&json!({ "id": "never", "kind": "notice", "queue": "two" })).await;
    let (soon, never) = (claimed(&api, "one").await, claimed(&api, "two").await);

    let report = json!({ "token": soon["token"], "error": "busy", "retry_in_ms": 60_000 });
    assert_eq!(api.post("/api/v1/jobs/soon/fail", &report).await.body, json!({ "outcome": "retrying" }));
    let report = json!({ "token": never["token"], "error": "no such address", "fatal": true });
    assert_eq!(api.post("/api/v1/jobs/never/fail", &report).await.body, json!({ "outcome": "dead" }));

    let (soon, never) = (api.get("/api/v1/jobs/soon").await.body, api.get("/api/v1/jobs/never").await.body);
    assert_eq!((&soon["state"], &soon["last_error"]), (&json!("retrying"), &json!("busy")));
    assert_eq!((&never["state"], &never["last_error"]), (&json!("dead"), &json!("no such address")));
}

#[tokio::test]
async fn a_snooze_puts_a_job_off_and_costs_no_attempt() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "notice" })).await;
    let token = claimed(&api, "default").await["token"].clone();

    let report = json!({ "token": token, "delay_ms": 60_000, "reason": "the shop is closed" });
    for _ in 0..2 {
        let snoozed = api.post("/api/v1/jobs/a/snooze", &report).await;
        assert_eq!((snoozed.status, snoozed.body), (200, json!({ "outcome": "delayed" })));
    }

    let job = api.get("/api/v1/jobs/a").await.body;
    assert_eq!((&job["state"], &job["attempt"]), (&json!("delayed"), &json!(0)));
    let attempt = &job["attempts"][0];
    assert_eq!((&attempt["result"], &attempt["error"]), (&json!("snoozed"), &json!("the shop is closed")));
    let waits = job["due_ms"].as_i64().unwrap() - attempt["ended_ms"].as_i64().unwrap();
    assert_eq!(waits, 60_000);
}

#[tokio::test]
async fn extending_tells_of_a_cancel_and_giving_back_costs_no_attempt() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "notice" })).await;
    let token = claimed(&api, "default").await["token"].clone();
    let report = json!({ "token": token, "lease_ms": 600_000 });

    let held = api.post("/api/v1/jobs/a/extend", &report).await.body;
    assert_eq!(held, json!({ "outcome": "held", "cancel_requested": false }));
    assert_eq!(
        api.post("/api/v1/jobs/a/release", &json!({ "token": token })).await.body,
        json!({ "outcome": "ready" })
    );
    assert_eq!(api.get("/api/v1/jobs/a").await.body["attempt"], 0);

    let token = claimed(&api, "default").await["token"].clone();
    assert_eq!(api.post("/api/v1/jobs/a/cancel", &json!({})).await.status, 202);
    let asked = api.post("/api/v1/jobs/a/extend", &json!({ "token": token })).await.body;
    assert_eq!(asked, json!({ "outcome": "held", "cancel_requested": true }));
    assert_eq!(
        api.post("/api/v1/jobs/a/release", &json!({ "token": token })).await.body,
        json!({ "outcome": "cancelled" })
    );
}

#[tokio::test]
async fn a_stale_token_changes_nothing_and_an_unknown_job_is_not_found() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "notice" })).await;
    claimed(&api, "default").await;

    for verb in ["complete", "fail", "extend", "release", "snooze"] {
        let mut report = json!({ "token": 1 });
        if verb == "snooze" {
            report["delay_ms"] = json!(1_000);
        }
        let lost = api.post(&format!("/api/v1/jobs/a/{verb}"), &report).await;
        assert_eq!((lost.status, &lost.body["code"]), (409, &json!("lease_lost")), "{verb}");
        let missing = api.post(&format!("/api/v1/jobs/nobody/{verb}"), &report).await;
        assert_eq!((missing.status, &missing.body["code"]), (404, &json!("not_found")), "{verb}");
    }
    assert_eq!(state(&api, "a").await, "active");
}

#[tokio::test]
async fn what_was_reported_once_is_not_reported_otherwise() {
    let api = Caller::new().await;
    for (id, first, body, other) in [
        ("a", "fail", json!({ "retry_in_ms": 3_600_000 }), "complete"),
        ("b", "release", json!({}), "complete"),
        ("c", "complete", json!({}), "release"),
    ] {
        api.given(&json!({ "id": id, "kind": "notice", "queue": id })).await;
        let token = claimed(&api, id).await["token"].clone();
        let report = |body: &Value| {
            let mut report = body.clone();
            report["token"] = token.clone();
            report
        };
        let done = api.post(&format!("/api/v1/jobs/{id}/{first}"), &report(&body)).await;
        assert_eq!(
            api.post(&format!("/api/v1/jobs/{id}/{first}"), &report(&body)).await.body,
            done.body,
            "{first}"
        );

        let refused = api.post(&format!("/api/v1/jobs/{id}/{other}"), &report(&json!({}))).await;

        assert_eq!(
            (refused.status, &refused.body["code"]),
            (409, &json!("lease_lost")),
            "{other} after {first}"
        );
    }
}

#[tokio::test]
async fn a_claim_or_report_out_of_its_limits_is_refused() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "notice" })).await;
    for (path, body) in [
        ("/api/v1/queues/default/claim", json!({ "most": 0 })),
        ("/api/v1/queues/default/claim", json!({ "most": 101 })),
        ("/api/v1/queues/default/claim", json!({ "most": "many" })),
        ("/api/v1/queues/default/claim", json!({ "lease_ms": 999 })),
        ("/api/v1/queues/default/claim", json!({ "lease_ms": 3_600_001 })),
        ("/api/v1/queues/default/claim", json!({ "wait_ms": 10_001 })),
        ("/api/v1/queues/default/claim", json!({ "worker": "a b" })),
        ("/api/v1/queues/default/claim", json!({ "lese_ms": 5_000 })),
        ("/api/v1/queues/a{b}/claim", json!({})),
        ("/api/v1/jobs/a/complete", json!({})),
        ("/api/v1/jobs/a/complete", json!({ "token": -1 })),
        ("/api/v1/jobs/a/complete", json!([])),
        ("/api/v1/jobs/a/release", json!({ "token": 1, "result": 1 })),
        ("/api/v1/jobs/a/fail", json!({ "token": 1, "retry_in_ms": -5 })),
        ("/api/v1/jobs/a/snooze", json!({ "token": 1 })),
        ("/api/v1/jobs/a/extend", json!({ "token": 1, "lease_ms": 999 })),
    ] {
        let refused = api.post(path, &body).await;
        assert!((400..500).contains(&refused.status) && refused.status != 404, "{path} {body}: {refused:?}");
        assert!(
            !refused.mistakes().is_empty() || path.contains('{'),
            "it says where: {path} {body}: {refused:?}"
        );
    }
    let unnamed = api.post("/api/v1/queues/default/claim", &json!({ "worker": "a b" })).await;
    assert_eq!(unnamed.body["errors"][0]["detail"], "worker contains ' ', allowed are A-Z a-z 0-9 . _ -");
    assert_eq!(state(&api, "a").await, "ready", "nothing was claimed");
}
