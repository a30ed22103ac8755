//! Redis away, or full.

use crate::caller::{Answer, Caller};
use crate::house::{House, PASSWORD, Reply, asking};
use axum::body::Body;
use http::StatusCode;
use reprieve::model::{Namespace, Role};
use reprieve::testing::{RedisServer, TestRedis};
use serde_json::{Value, json};

async fn on_its_own_server() -> (RedisServer, Caller) {
    let server = RedisServer::start().unwrap();
    let redis = TestRedis::on(server.url(), Namespace::default()).await;
    (server, Caller::on(redis))
}

#[tokio::test]
async fn without_redis_everything_is_a_503_that_says_when_to_come_back() {
    let (server, api) = on_its_own_server().await;
    drop(server);

    for answer in [
        api.get("/api/v1/queues").await,
        api.post("/api/v1/jobs/a/cancel", &json!({})).await,
        api.post("/api/v1/jobs", &json!({ "kind": "k" })).await,
    ] {
        // The first change goes out on a connection that breaks: whether it left is not known.
        let code = answer.body["code"].as_str().unwrap();
        assert!(
            answer.status == 503 && ["unavailable", "outcome_unknown"].contains(&code),
            "{}",
            answer.body
        );
        assert!(answer.header("retry-after").parse::<u16>().unwrap() > 0);
    }
}

#[tokio::test]
async fn a_change_that_may_have_been_made_is_told_as_such_with_the_key_to_ask_again_under() {
    let mut server = RedisServer::start_with(&["--appendonly", "yes", "--appendfsync", "always"]).unwrap();
    let redis = TestRedis::on(server.url(), Namespace::default()).await;
    let api = Caller::on(redis);
    for id in ["a", "b"] {
        api.given(&json!({ "id": id, "kind": "k", "delay_ms": 60_000 })).await;
    }
    server.kill().unwrap();

    // Nobody can know whether what goes out on a connection that breaks has left; what follows has not.
    let unknown = api.post("/api/v1/jobs/a/hold", &json!({})).await;
    let refused = api.post("/api/v1/jobs/b/hold", &json!({})).await;

    assert_eq!((unknown.status, &unknown.body["code"]), (503, &json!("outcome_unknown")), "{}", unknown.body);
    assert!(unknown.header("retry-after").parse::<u16>().unwrap() > 0);
    assert_eq!((refused.status, &refused.body["code"]), (503, &json!("unavailable")), "{}", refused.body);
    assert_eq!(refused.body["idempotency_key"], Value::Null);

    server.restart().unwrap();
    let key = unknown.body["idempotency_key"].as_str().unwrap();
    let again = api.post_once("/api/v1/jobs/a/hold", key, &json!({})).await;
    assert_eq!((again.status, &again.body["outcome"]), (200, &json!("held")), "{}", again.body);
}

#[tokio::test]
async fn a_full_redis_takes_no_job_but_still_a_cancel() {
    let (_server, api) = on_its_own_server().await;
    api.given(&json!({ "id": "a", "kind": "k", "delay_ms": 60_000 })).await;
    api.redis.command(&["CONFIG", "SET", "maxmemory", "1"]).await.unwrap();

    let refused = api.post("/api/v1/jobs", &json!({ "kind": "k" })).await;
    let cancelled = api.post("/api/v1/jobs/a/cancel", &json!({})).await;

    assert_eq!((refused.status, &refused.body["code"]), (507, &json!("storage_full")));
    assert_eq!((cancelled.status, &cancelled.body["outcome"]), (200, &json!("cancelled")));
}

/// Three hundred jobs, of which the last hundred break off where there are 999 queues: the last of them is in one too many.
fn whose_last_breaks_off(kind: &str) -> Value {
    let job = |number: usize| {
        let queue = match number {
            298 => "new",
            299 => "one-too-many",
            _ => "q1",
        };
        json!({ "kind": kind, "queue": queue, "delay_ms": 60_000 })
    };
    Value::Array((0..300).map(job).collect())
}

/// That of these two hundred are in, taken now or known already, and what broke off the rest.
fn broken_off(answer: &Answer, [taken, known]: [u64; 2]) {
    assert_eq!((answer.status, &answer.body["code"]), (422, &json!("invalid")), "{}", answer.body);
    let told = ["taken", "known", "refused"].map(|name| answer.body[name].clone());
    assert_eq!(told, [json!(taken), json!(known), json!(0)], "{}", answer.body);
}

#[tokio::test]
async fn an_array_that_breaks_off_says_how_much_of_it_is_in_and_its_repeat_doubles_nothing() {
    let api = Caller::new().await;
    api.fill_queues(999).await;
    let jobs = whose_last_breaks_off("k");

    let first = api.post_once("/api/v1/jobs", "key", &jobs).await;
    let again = api.post_once("/api/v1/jobs", "key", &jobs).await;

    for (answer, counts) in [(&first, [200, 0]), (&again, [0, 200])] {
        broken_off(answer, counts);
        let detail = answer.body["detail"].as_str().unwrap();
        assert!(detail.contains("limit of 1,000 queues") && detail.contains("same ids"), "{detail}");
    }
    assert_eq!(api.redis.engine().inspector().counts(None).await.unwrap().delayed, 200);
}

#[tokio::test]
async fn a_batch_that_breaks_off_says_how_many_of_its_jobs_are_in_and_its_repeat_counts_none_twice() {
    let api = Caller::new().await;
    api.fill_queues(999).await;
    let jobs = whose_last_breaks_off("row");
    let completion = json!({ "kind": "report", "queue": "q1" });
    let whole = json!({ "id": "whole", "completion": completion, "jobs": jobs });
    let open = json!({ "id": "grown", "completion": completion, "open": true });
    assert_eq!(api.post("/api/v1/batches", &open).await.status, 201);
    let more = json!({ "jobs": jobs });

    let made = [api.post("/api/v1/batches", &whole).await, api.post("/api/v1/batches", &whole).await];
    let grow = "/api/v1/batches/grown/jobs";
    let added = [api.post_once(grow, "key", &more).await, api.post_once(grow, "key", &more).await];

    for answers in [made, added] {
        for (answer, counts) in answers.iter().zip([[200, 0], [0, 200]]) {
            broken_off(answer, counts);
        }
    }
    for batch in ["whole", "grown"] {
        assert_eq!(api.get(&format!("/api/v1/batches/{batch}")).await.body["total"], 200);
    }
}

/// Where nothing can be known, with what every answer then has.
fn unavailable(reply: &Reply) {
    assert_eq!(reply.status, StatusCode::SERVICE_UNAVAILABLE, "{}", reply.text);
    assert!(reply.headers.contains_key("retry-after"), "{:?}", reply.headers);
}

#[tokio::test]
async fn without_redis_a_person_who_is_signed_in_is_told_on_a_page_which_comes_back_by_itself() {
    let (server, house) = House::on_its_own_server().await;
    let admin = house.of(Role::Admin).to_owned();
    drop(server);

    for page in ["/", "/jobs/delay?queue=mail", "/export/jobs.csv?list=delay"] {
        let reply = house.send(&admin, &format!("GET {page}"), "", "text/html").await;
        unavailable(&reply);
        assert_eq!(reply.headers["refresh"], "5", "{page}");
        for said in ["Redis is unreachable.", "this page goes on by itself", "<title>No answer at present"] {
            assert!(reply.text.contains(said), "{page}, {said}: {}", reply.text);
        }
    }
    let asked = asking(&admin, "GET /", "text/html").header("accept-language", "zh-CN");
    let chinese = house.raw(asked.body(Body::empty()).unwrap()).await;
    assert!(chinese.text.contains("目前无法答复"), "{}", chinese.text);

    // The way in needs nobody to be known, whatever cookie the browser has.
    let way_in = house.send(&admin, "GET /login", "", "text/html").await;
    assert_eq!(way_in.status, StatusCode::OK, "{}", way_in.text);
}

#[tokio::test]
async fn without_redis_a_page_goes_on_by_itself_without_scripts_where_nobody_signs_in() {
    let (server, house) = House::open_on_its_own_server().await;
    drop(server);

    for page in ["/jobs/delay", "/audit"] {
        let reply = house.send("", &format!("GET {page}"), "", "text/html").await;
        let again = r#"<noscript><meta http-equiv="refresh" content="5"></noscript>"#;
        assert!(reply.text.contains(again), "{page}: {}", reply.text);
        // A browser with scripts would lose what is typed.
        assert!(!reply.headers.contains_key("refresh"), "{page}: {:?}", reply.headers);
    }
}

#[tokio::test]
async fn without_redis_a_form_says_what_became_of_it_and_is_not_sent_again() {
    let (server, house) = House::on_its_own_server().await;
    let admin = house.of(Role::Admin).to_owned();
    drop(server);

    let undone = "What you sent was not done.";
    let unknown = "Nothing is known of what you sent.";
    let sign_in = format!("name=admin&password={PASSWORD}");
    for (session, door, form, said) in [
        (&*admin, "/people/remove", "name=viewer", undone),
        (&admin, "/api/fn/cancel_job", "id=a", undone),
        (&admin, "/login", &sign_in, unknown),
        ("", "/login", &sign_in, unknown),
    ] {
        let reply = house.send(session, &format!("POST {door}"), form, "text/html").await;
        unavailable(&reply);
        assert!(reply.text.contains(said), "{door}: {}", reply.text);
        assert!(!reply.headers.contains_key("refresh"), "{door}: {:?}", reply.headers);
    }
}

#[tokio::test]
async fn without_redis_the_script_of_a_page_and_a_program_get_what_they_can_read() {
    let (server, house) = House::on_its_own_server().await;
    let admin = house.of(Role::Admin).to_owned();
    drop(server);

    for request in ["GET /api/fn/whoami", "POST /api/fn/pause_queue"] {
        let reply = house.call(&admin, request, "queue=mail").await;
        unavailable(&reply);
        let error: Value = serde_json::from_str(&reply.text).unwrap();
        assert_eq!(
            (&error["error"], &error["sentence"]),
            (&json!("unavailable"), &json!("Redis is unreachable."))
        );
    }
    let stream = house.send(&admin, "GET /events", "", "text/event-stream").await;
    unavailable(&stream);
    assert_eq!(stream.headers["content-type"], "application/problem+json", "{}", stream.text);
}

#[tokio::test]
async fn on_a_full_redis_somebody_signs_in_and_calls_off_holds_and_pauses() {
    let (_server, house) = House::on_its_own_server().await;
    for id in ["off", "kept", "ended"] {
        house.given(id, "mail", 1).await;
    }
    house.redis.engine().operator("ann").cancel(&"ended".parse().unwrap()).await.unwrap();
    house.redis.command(&["CONFIG", "SET", "maxmemory", "1"]).await.unwrap();

    let form = format!("name=admin&password={PASSWORD}&next=%2Fjobs%2Fdelay");
    let entered = house.send("", "POST /login", &form, "text/html").await;
    assert_eq!((entered.status, entered.location()), (StatusCode::SEE_OTHER, Some("/jobs/delay")));
    let session = entered.cookie("rp").unwrap();
    for (function, form) in [
        ("cancel_job", "id=off&reason=full"),
        ("hold_job", "id=kept"),
        ("purge_job", "id=ended&sure=true"),
        ("pause_queue", "queue=mail"),
    ] {
        let reply = house.call(&session, &format!("POST /api/fn/{function}"), form).await;
        assert_eq!(reply.status, StatusCode::OK, "{function}: {}", reply.text);
    }

    // What needs room is refused by what it needs, not at the door.
    let refused = house.call(&session, "POST /api/fn/reinstate_job", "id=off").await;
    assert_eq!(refused.status, StatusCode::INSUFFICIENT_STORAGE, "{}", refused.text);
    assert!(refused.text.contains("storage_full"), "{}", refused.text);
}
