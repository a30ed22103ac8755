//! What people do to jobs, by curl.

use crate::caller::Caller;
use serde_json::{Value, json};

async fn delayed(api: &Caller, id: &str) -> Value {
    api.given(&json!({ "id": id, "kind": "k", "subject": "resource:1", "due_ms": 4_000_000_000_123_i64 }))
        .await
        .body
}

#[tokio::test]
async fn a_cancelled_job_comes_back_at_its_very_time() {
    let api = Caller::new().await;
    delayed(&api, "a").await;

    let cancelled = api.post("/api/v1/jobs/a/cancel", &json!({ "reason": "renewed" })).await;
    assert_eq!((cancelled.status, &cancelled.body["outcome"]), (200, &json!("cancelled")));
    assert_eq!(cancelled.body["state"], "cancelled");
    let job = api.get("/api/v1/jobs/a").await;
    assert_eq!((&job.body["reason"], &job.body["by"]), (&json!("renewed"), &json!("api")));
    assert_eq!(job.body["cancelled_from"], "delayed");

    let back = api.post("/api/v1/jobs/a/reinstate", &json!({})).await;
    assert_eq!((back.status, &back.body["outcome"]), (200, &json!("delayed")));
    assert_eq!(back.body["due_ms"], 4_000_000_000_123_i64);
}

#[tokio::test]
async fn a_time_beyond_what_is_kept_is_refused_and_never_another() {
    let api = Caller::new().await;
    delayed(&api, "a").await;
    api.given(&json!({ "id": "b", "kind": "k", "delay_ms": 60_000 })).await;
    api.post("/api/v1/jobs/b/cancel", &json!({})).await;
    let thousand_years_ms = 366_i64 * 1_000 * 86_400_000;
    for (path, body) in [
        ("/api/v1/jobs/a/reschedule", json!({ "delay_ms": thousand_years_ms + 1 })),
        ("/api/v1/jobs/b/reinstate", json!({ "delay_ms": thousand_years_ms + 1 })),
        ("/api/v1/jobs", json!({ "kind": "k", "delay_ms": thousand_years_ms + 1 })),
    ] {
        let refused = api.post(path, &body).await;
        assert_eq!((refused.status, &refused.body["code"]), (422, &json!("invalid")), "{path}");
        assert!(
            refused.body["detail"].as_str().unwrap().ends_with("is at most a thousand years"),
            "{path}: {refused:?}"
        );
    }
    assert_eq!(api.get("/api/v1/jobs/a").await.body["version"], 1);

    let last = json!({ "due_at": "9999-12-31T23:59:59Z" });
    let moved = api.post("/api/v1/jobs/a/reschedule", &last).await;
    assert_eq!(moved.body["due_ms"], 253_402_300_799_000_i64);
    let beyond =
        api.post("/api/v1/jobs/a/reschedule", &json!({ "due_at": "9999-12-31T23:59:59-01:00" })).await;
    assert_eq!(beyond.body["errors"][0]["detail"], "a time lies between 1970 and 9999");
}

#[tokio::test]
async fn every_verb_answers_with_its_word_and_the_standing() {
    let api = Caller::new().await;
    for (verb, body, outcome) in [
        ("hold", json!({}), "held"),
        ("unhold", json!({}), "delayed"),
        ("reschedule", json!({ "due_ms": 4_000_000_000_500_i64 }), "delayed"),
        ("cancel", json!({}), "cancelled"),
        ("reinstate", json!({ "due_at": "2100-01-01T00:00:00Z" }), "delayed"),
        ("cancel", json!({}), "cancelled"),
        ("reinstate", json!({ "delay_ms": 3_600_000 }), "delayed"),
        ("retry", json!({}), "ready"),
    ] {
        if verb == "hold" {
            delayed(&api, "a").await;
        }
        let answer = api.post(&format!("/api/v1/jobs/a/{verb}"), &body).await;
        assert_eq!((answer.status, &answer.body["outcome"]), (200, &json!(outcome)), "{verb}");
        assert!(answer.body["version"].is_u64() && answer.body["due_ms"].is_i64(), "{verb}");
        assert_eq!(answer.body["id"], "a");
    }
}

#[tokio::test]
async fn what_changed_nothing_is_a_conflict_that_says_where_the_job_stands() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "ready", "kind": "k" })).await;
    delayed(&api, "delayed").await;
    api.given(&json!({ "id": "overdue", "kind": "k", "delay_ms": 1 })).await;
    let overdue = api.redis.engine().inspector();
    // Past its time once Redis's clock has moved on by a millisecond.
    while overdue.job(&"overdue".parse().unwrap()).await.unwrap().unwrap().job.due
        >= api.redis.engine().now().await.unwrap()
    {}
    api.post("/api/v1/jobs/overdue/cancel", &json!({})).await;

    for (path, code, state) in [
        ("ready/hold", "wrong_state", "ready"),
        ("ready/reinstate", "wrong_state", "ready"),
        ("ready/retry", "wrong_state", "ready"),
        ("delayed/unhold", "wrong_state", "delayed"),
        ("overdue/reinstate", "overdue", "cancelled"),
    ] {
        let answer = api.post(&format!("/api/v1/jobs/{path}"), &json!({})).await;
        assert_eq!((answer.status, &answer.body["code"]), (409, &json!(code)), "{path}");
        assert_eq!((&answer.body["outcome"], &answer.body["state"]), (&json!(code), &json!(state)), "{path}");
    }
}

#[tokio::test]
async fn a_cancel_of_a_cancelled_job_is_what_the_caller_wants() {
    let api = Caller::new().await;
    delayed(&api, "a").await;
    api.post("/api/v1/jobs/a/cancel", &json!({})).await;

    let again = api.post("/api/v1/jobs/a/cancel", &json!({})).await;

    assert_eq!((again.status, &again.body["outcome"]), (200, &json!("already_finished")));
    assert_eq!(again.body["state"], "cancelled");
}

#[tokio::test]
async fn an_act_on_an_old_version_changes_nothing() {
    let api = Caller::new().await;
    let seen = delayed(&api, "a").await["version"].as_u64().unwrap();
    api.post("/api/v1/jobs/a/hold", &json!({})).await;

    let stale = api.post("/api/v1/jobs/a/cancel", &json!({ "version": seen })).await;

    assert_eq!((stale.status, &stale.body["code"]), (409, &json!("conflict")));
    assert_eq!((&stale.body["state"], &stale.body["version"]), (&json!("held"), &json!(seen + 1)));
    assert_eq!(api.get("/api/v1/jobs/a").await.body["state"], "held");
}

#[tokio::test]
async fn a_repeat_under_one_key_gets_the_first_answer() {
    let api = Caller::new().await;
    delayed(&api, "a").await;

    let first = api.post_once("/api/v1/jobs/a/cancel", "7c9e6679", &json!({})).await;
    api.post("/api/v1/jobs/a/reinstate", &json!({})).await;
    let repeat = api.post_once("/api/v1/jobs/a/cancel", "7c9e6679", &json!({})).await;

    assert_eq!((first.status, repeat.status), (200, 200));
    assert_eq!(repeat.body["outcome"], "cancelled");
    assert_eq!(api.get("/api/v1/jobs/a").await.body["state"], "delayed", "the repeat called it off again");
}

#[tokio::test]
async fn a_slash_in_an_address_is_escaped() {
    let api = Caller::new().await;
    for id in ["a/b", "a/cancel", "x:y/z@w.v"] {
        delayed(&api, id).await;
        let escaped = id.replace('/', "%2F");
        for path in [escaped.clone(), escaped.replace(':', "%3A").replace('@', "%40")] {
            let job = api.get(&format!("/api/v1/jobs/{path}")).await;
            assert_eq!((job.status, &job.body["id"]), (200, &json!(id)), "{path}");
        }
        let bare = api.post(&format!("/api/v1/jobs/{id}/hold"), &json!({})).await;
        assert_eq!((bare.status, &bare.body["code"]), (404, &json!("no_such_route")), "{id}");
        assert!(bare.body["detail"].as_str().unwrap().contains("%2F"), "{bare:?}");
        let held = api.post(&format!("/api/v1/jobs/{escaped}/hold"), &json!({})).await;
        let cancelled = api.post(&format!("/api/v1/jobs/{escaped}/cancel"), &json!({})).await;
        assert_eq!(
            (&held.body["state"], &cancelled.body["state"]),
            (&json!("held"), &json!("cancelled")),
            "{id}"
        );
    }
}

/// Clients and proxies fold `..` and `//`: the address of one job would become that of a subject or a queue.
#[tokio::test]
async fn a_name_that_addresses_cannot_hold_is_refused_where_it_is_made() {
    let api = Caller::new().await;
    delayed(&api, "v1").await;
    for id in ["x/../../subjects/resource:77", "a/..", "./c", "x/", "/x", "s3://x", "a//b"] {
        let job = api.post("/api/v1/jobs", &json!({ "kind": "k", "id": id, "delay_ms": 60_000 })).await;
        let plan = api.post("/api/v1/plans", &json!({ "id": id, "subject": "s", "steps": [] })).await;
        let batch = api.post("/api/v1/batches", &json!({ "id": id, "jobs": [{ "kind": "k" }] })).await;
        for refused in [job, plan, batch] {
            assert_eq!(refused.status, 422, "{id}: {refused:?}");
            assert!(refused.body.to_string().contains("between slashes"), "{id}: {refused:?}");
        }
        let escaped = id.replace('/', "%2F");
        let cancelled = api.post(&format!("/api/v1/jobs/{escaped}/cancel"), &json!({})).await;
        assert_eq!((cancelled.status, &cancelled.body["code"]), (422, &json!("invalid_name")), "{id}");
    }
    let dots = json!({ "kind": "k", "subject": "x/../../jobs/v1", "delay_ms": 60_000 });
    assert_eq!(api.post("/api/v1/jobs", &dots).await.status, 422);
    assert_eq!(api.get("/api/v1/jobs/v1").await.body["state"], "delayed");
}

#[tokio::test]
async fn a_subject_is_found_by_every_spelling_of_it() {
    let api = Caller::new().await;
    let kept = "ann@2Btest@40example.com";
    for (id, subject) in [("raw", "ann+test@example.com"), ("kept", kept)] {
        let made = json!({ "kind": "k", "id": id, "subject": subject, "delay_ms": 60_000 });
        api.given(&made).await;
        assert_eq!(api.get(&format!("/api/v1/jobs/{id}")).await.body["subject"], kept);
    }
    for spelling in ["ann+test@example.com", "ann%2Btest%40example.com", kept] {
        let about = api.get(&format!("/api/v1/subjects/{spelling}")).await;
        assert_eq!(about.body["items"].as_array().map(Vec::len), Some(2), "{spelling}: {about:?}");
    }
    for spelling in ["ann%2Btest@example.com", kept] {
        let found = api.get(&format!("/api/v1/search?subject={spelling}")).await;
        assert_eq!(found.body["items"].as_array().map(Vec::len), Some(2), "{spelling}: {found:?}");
    }
    let bulk = json!({ "verb": "hold", "subject": "ann+test@example.com" });
    assert_eq!(api.post("/api/v1/bulk", &bulk).await.body["total"], 2);
    let subject = "/api/v1/subjects/ann+test@example.com";
    let cancelled = api.post(&format!("{subject}/cancel"), &json!({ "reason": "asked" })).await;
    assert_eq!(cancelled.body["jobs"].as_array().map(Vec::len), Some(2), "{cancelled:?}");
    let erased = api.post(&format!("{subject}/erase"), &json!({ "reason": "asked" })).await;
    assert_eq!((erased.status, &erased.body["jobs"]), (200, &json!(2)), "{erased:?}");
}

#[tokio::test]
async fn all_jobs_of_a_subject_are_called_off_together() {
    let api = Caller::new().await;
    for day in [23_i64, 28, 29, 30] {
        let id = format!("a:{day}");
        api.given(
            &json!({ "id": id, "kind": "k", "subject": "resource:47/11", "delay_ms": day * 86_400_000 }),
        )
        .await;
    }

    let cancelled =
        api.post("/api/v1/subjects/resource:47%2F11/cancel", &json!({ "reason": "renewed" })).await;
    let subject = api.get("/api/v1/subjects/resource:47%2F11").await;

    assert_eq!((cancelled.status, &cancelled.body["outcome"]), (200, &json!("cancelled")));
    let ids: Vec<_> =
        cancelled.body["jobs"].as_array().unwrap().iter().map(|job| job["id"].clone()).collect();
    assert_eq!(ids, ["a:23", "a:28", "a:29", "a:30"]);
    let items = subject.body["items"].as_array().unwrap();
    assert!(items.len() == 4 && items.iter().all(|job| job["state"] == "cancelled"), "{items:?}");
}

#[tokio::test]
async fn a_queue_is_paused_and_resumed_and_says_whether_that_was_news() {
    let api = Caller::new().await;
    api.given(&json!({ "kind": "k", "queue": "mail", "delay_ms": 60_000 })).await;

    let paused = api.post("/api/v1/queues/mail/pause", &json!({ "reason": "the relay is down" })).await;
    let again = api.post("/api/v1/queues/mail/pause", &json!({})).await;
    let queues = api.get("/api/v1/queues").await;
    let resumed = api.post("/api/v1/queues/mail/resume", &json!({})).await;

    assert_eq!((&paused.body["changed"], &again.body["changed"]), (&json!(true), &json!(false)));
    let mail = &queues.body["items"][0];
    assert_eq!((&mail["name"], &mail["counts"]["delayed"]), (&json!("mail"), &json!(1)));
    assert_eq!(
        (&mail["paused"]["by"], &mail["paused"]["reason"]),
        (&json!("api"), &json!("the relay is down"))
    );
    assert_eq!((&resumed.body["paused"], &resumed.body["changed"]), (&json!(false), &json!(true)));
    assert_eq!(api.get("/api/v1/queues").await.body["items"][0]["paused"], Value::Null);
}
