//! A look at one hidden part of a payload, through each door that shows it.

use crate::caller::Caller;
use crate::house::{House, Reply, SECRET};
use axum::Router;
use http::StatusCode;
use reprieve::model::{AuditFilter, NewToken, Permission, RedactionRule, Role};
use reprieve_access::Tokens;
use reprieve_server::config::{ApiAuth, Login};
use reprieve_server::{Dashboard, router};
use serde_json::{Value, json};

async fn hide(engine: &reprieve::Engine, path: &str) {
    let rule = RedactionRule { kinds: "*".to_owned(), path: path.to_owned(), keep: 0 };
    engine.operator("admin").set_redaction(&[rule], "").await.unwrap();
}

/// A house with a job in mail and one elsewhere, whose only part is hidden.
async fn house() -> House {
    let house = House::new().await;
    house.given("mine", "mail", 1).await;
    house.given("theirs", "other", 1).await;
    hide(house.redis.engine(), "a").await;
    house
}

/// As a program with that token.
async fn by_token(house: &House, token: &str, id: &str) -> Reply {
    let body = json!({ "part": "/a", "reason": "r" });
    house.by_token(token, &format!("POST /api/v1/jobs/{id}/reveal"), &body).await
}

async fn by_script(house: &House, session: &str, id: &str) -> Reply {
    house.call(session, "POST /api/fn/reveal_part", &format!("id={id}&part=%2Fa&reason=r")).await
}

async fn by_form(house: &House, session: &str, id: &str) -> Reply {
    let form =
        format!("id={id}&part=%2Fa&reason=Wrong+number&note=ticket+8812&back=%2Fjobs%2Fdelay%3Fopen%3D{id}");
    house.send(session, "POST /reveal", &form, "text/html").await
}

/// Who looked at which part of which job and why, the latest first.
async fn looks(house: &House) -> Vec<(String, String, String, String)> {
    let inspector = house.redis.engine().inspector();
    let page = inspector.audit(&AuditFilter::default(), None, 200).await.unwrap();
    let looks = page.items.into_iter().filter(|entry| entry.verb == "reveal" && !entry.is_denied());
    looks.map(|entry| (entry.by, entry.target, entry.to, entry.why)).collect()
}

#[tokio::test]
async fn one_call_shows_one_value_and_says_when() {
    let api = Caller::new().await;
    let payload = json!({ "customer": { "phone": "+49 151", "cards": [1, { "n": 2 }] }, "n": 1 });
    api.given(&json!({ "id": "a", "kind": "k", "payload": payload, "delay_ms": 60_000 })).await;
    hide(api.redis.engine(), "customer.*").await;

    let job = api.get("/api/v1/jobs/a").await.body;
    assert_eq!(job["payload"]["customer"]["phone"], "•••• (hidden)");
    for (part, value) in [("/customer/phone", json!("+49 151")), ("/customer/cards", json!([1, { "n": 2 }]))]
    {
        let shown = api.post("/api/v1/jobs/a/reveal", &json!({ "part": part, "reason": "it bounced" })).await;
        assert_eq!((shown.status, &shown.body["value"], &shown.body["part"]), (200, &value, &json!(part)));
        assert!(shown.body["at_ms"].is_i64() && shown.body["id"] == "a", "{}", shown.body);
        assert!(!shown.body.to_string().contains("\"n\":1"), "nothing beside it: {}", shown.body);
    }
    assert_eq!(api.get("/api/v1/jobs/a").await.body["payload"], job["payload"], "it stays hidden");
}

#[tokio::test]
async fn what_is_not_shown_says_why_and_is_not_written_down() {
    let api = Caller::new().await;
    api.given(
        &json!({ "id": "a", "kind": "k", "payload": { "in": { "x": 1 }, "n": 2 }, "delay_ms": 60_000 }),
    )
    .await;
    hide(api.redis.engine(), "in").await;
    let before = api.redis.snapshot().await["audit"].clone();
    for (id, body, status, code) in [
        ("a", json!({ "part": "/n", "reason": "r" }), 409, "not_hidden"),
        ("a", json!({ "part": "", "reason": "r" }), 409, "not_hidden"),
        ("a", json!({ "part": "/in/x", "reason": "r" }), 409, "within"),
        ("a", json!({ "part": "/m", "reason": "r" }), 404, "no_such_part"),
        ("gone", json!({ "part": "/in", "reason": "r" }), 404, "not_found"),
        ("a", json!({ "part": "/in" }), 422, "invalid"),
        ("a", json!({ "part": "/in", "reason": "  " }), 422, "invalid"),
        ("a", json!({ "reason": "r" }), 422, "invalid"),
        ("a", json!({ "part": "in.x", "reason": "r" }), 422, "invalid"),
        ("a", json!({ "part": 3, "reason": "r" }), 422, "invalid"),
        ("a", json!({ "part": "/in", "reason": "r", "parts": ["/n"] }), 422, "invalid"),
        ("a", json!({ "part": "/in", "reason": "x".repeat(1_025) }), 422, "invalid"),
    ] {
        let answer = api.post(&format!("/api/v1/jobs/{id}/reveal"), &body).await;
        assert_eq!(
            (answer.status, answer.body["code"].as_str()),
            (status, Some(code)),
            "{body}: {}",
            answer.body
        );
        if code == "within" {
            assert_eq!(answer.body["part"], "/in");
        }
    }
    assert_eq!(api.redis.snapshot().await["audit"], before);
}

#[tokio::test]
async fn bytes_are_shown_as_base64() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "a", "kind": "k", "payload_base64": "/wA=", "delay_ms": 60_000 })).await;
    hide(api.redis.engine(), "*").await;
    let shown = api.post("/api/v1/jobs/a/reveal", &json!({ "part": "", "reason": "r" })).await;
    assert_eq!((shown.status, &shown.body["value_base64"]), (200, &json!("/wA=")));
    assert!(shown.body.get("value").is_none());
}

#[tokio::test]
async fn every_door_shows_it_and_writes_down_who_looked_and_why() {
    let house = house().await;
    let support = house.of(Role::Support);

    let script = by_script(&house, support, "mine").await;
    let form = by_form(&house, house.of(Role::Operator), "mine").await;
    let token = by_token(&house, &house.token().await, "mine").await;

    for reply in [&script, &form, &token] {
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        assert_eq!(reply.text.matches(SECRET).count(), 1, "{}", reply.text);
        assert!(reply.location().is_none());
    }
    assert!(form.text.contains("/jobs/delay?open=mine") && !form.text.contains("live.js"), "{}", form.text);
    let entry = |by: &str, why: &str| (by.to_owned(), "mine".to_owned(), "/a".to_owned(), why.to_owned());
    assert_eq!(
        looks(&house).await,
        [entry("token:robot", "r"), entry("operator", "Wrong number"), entry("support", "r")]
    );
    let again = house.call(support, "GET /job/mine", "").await;
    assert!(!again.text.contains(SECRET), "{}", again.text);
}

#[tokio::test]
async fn a_caller_who_may_not_look_sees_nothing_and_that_they_tried_is_written_down() {
    let house = house().await;
    house.add("mailer", Role::Support, &["mail".parse().unwrap()]).await;
    let mailer = house.session("mailer").await;
    let token = async |name: &str, right: Permission, queue: &str| {
        let token = NewToken::new(name.parse().unwrap(), [right]).queues([queue.parse().unwrap()]);
        Tokens::new(house.redis.engine()).add(&token, "admin").await.unwrap()
    };
    let looker = token("looks", Permission::RevealFields, "mail").await;
    let reader = token("reads", Permission::View, "other").await;
    let denied = house.denials().await;

    for (reply, status) in [
        (by_script(&house, house.of(Role::Viewer), "mine").await, StatusCode::FORBIDDEN),
        (by_script(&house, &mailer, "theirs").await, StatusCode::NOT_FOUND),
        (by_token(&house, &looker, "theirs").await, StatusCode::NOT_FOUND),
        (by_token(&house, &reader, "theirs").await, StatusCode::FORBIDDEN),
    ] {
        assert_eq!(reply.status, status, "{}", reply.text);
        assert!(!reply.text.contains(SECRET));
    }
    for (session, said) in [(house.of(Role::Viewer), "forbidden"), (mailer.as_str(), "not_found")] {
        let reply = by_form(&house, session, "theirs").await;
        assert!(
            reply.location().is_some_and(|place| place.ends_with(&format!("said=error.{said}"))),
            "{:?}",
            reply.headers
        );
    }
    assert_eq!(by_script(&house, "", "mine").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(
        house.denials_up_to(denied + 6).await,
        denied + 6,
        "two at each of the doors of people and of programs"
    );
    assert_eq!(looks(&house).await, []);
    assert_eq!(by_script(&house, &mailer, "mine").await.status, StatusCode::OK);
    assert_eq!(by_token(&house, &looker, "mine").await.status, StatusCode::OK);
}

#[tokio::test]
async fn support_and_programs_look_twenty_times_an_hour_through_all_doors_of_all_servers() {
    let mut house = house().await;
    let dashboard = Dashboard::new(house.redis.engine().clone());
    let second = router(&dashboard.api_auth(ApiAuth::Required).login(Login::Required), Router::new());
    let servers = [house.router.clone(), second];
    let support = house.of(Role::Support).to_owned();
    let robot = house.token().await;
    for count in 0..20 {
        house.router.clone_from(&servers[count % 2]);
        let shown = if count % 4 < 2 {
            by_script(&house, &support, "mine").await
        } else {
            by_form(&house, &support, "mine").await
        };
        assert_eq!(shown.status, StatusCode::OK, "{count}: {}", shown.text);
        assert_eq!(by_token(&house, &robot, "mine").await.status, StatusCode::OK);
    }

    for server in servers {
        house.router = server;
        let script = by_script(&house, &support, "mine").await;
        let said: Value = serde_json::from_str(&script.text).unwrap();
        assert_eq!(
            (script.status.as_u16(), &said["error"]),
            (429, &json!("rate_limited")),
            "{}",
            script.text
        );
        assert!((3_000..=3_601).contains(&said["seconds"].as_u64().unwrap()), "{said}");
        let form = by_form(&house, &support, "mine").await;
        assert!(form.location().unwrap().ends_with("&said=error.rate_limited"), "{:?}", form.headers);
        let program = by_token(&house, &robot, "mine").await;
        assert_eq!(program.status, StatusCode::TOO_MANY_REQUESTS);
        let wait: u64 = program.headers["retry-after"].to_str().unwrap().parse().unwrap();
        assert!((3_000..=3_601).contains(&wait), "{wait}");
    }
    assert_eq!(looks(&house).await.len(), 40);
    assert!(house.denials().await >= 6);
    for _ in 0..21 {
        assert_eq!(by_script(&house, house.of(Role::Operator), "mine").await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn the_button_is_off_for_a_person_who_may_not_look_and_says_which_right_it_needs() {
    let house = house().await;
    for (role, may) in [(Role::Viewer, false), (Role::Support, true), (Role::Admin, true)] {
        let page = house.send(house.of(role), "GET /job/mine", "", "text/html").await;
        let at = page.text.find("popovertarget=\"reveal-0\"").expect("there is a button");
        let button = &page.text[page.text[..at].rfind("<button").unwrap()..];
        let button = &button[..button.find('>').unwrap()];
        assert_eq!(button.contains("disabled"), !may, "{role}: {button}");
        assert_eq!(button.contains("jobs.reveal"), !may, "{role}: {button}");
        assert!(!page.text.contains(SECRET));
    }
}

#[tokio::test]
async fn a_form_without_script_leads_back_to_its_page_and_says_what_is_wrong() {
    let house = house().await;
    let operator = house.of(Role::Operator);
    for (form, place) in [
        ("id=mine&part=%2Fa&back=%2Fjob%2Fmine", "/job/mine?said=reveal.no_reason"),
        ("id=mine&part=%2Fb&reason=r&back=%2Fjob%2Fmine", "/job/mine?said=reveal.no_such_part"),
        (
            "id=mine&part=%2Fb&reason=r&back=%2Fjob%2Fmine%3Fsaid%3Dedit.refused",
            "/job/mine?said=reveal.no_such_part",
        ),
        ("id=mine&part=a&reason=r", "/job/mine?said=reveal.no_such_part"),
        ("id=mine&part=&reason=r", "/job/mine?said=reveal.not_hidden"),
        ("id=gone&part=%2Fa&reason=r", "/job/gone?said=error.not_found"),
        ("id=mine&part=%2Fa&back=https%3A%2F%2Fevil.example", "/?said=reveal.no_reason"),
        ("part=%2Fa&reason=r", "/?said=error.invalid"),
    ] {
        let reply = house.send(operator, "POST /reveal", form, "text/html").await;
        assert_eq!((reply.status, reply.location()), (StatusCode::SEE_OTHER, Some(place)), "{form}");
    }
    let strange = house.send(operator, "POST /reveal", "id=mine&part=%2Fa&reason=r&all=1", "text/html").await;
    assert!(strange.status.is_client_error(), "{}", strange.status);
    assert_eq!(looks(&house).await, []);
}

#[tokio::test]
async fn a_job_is_duplicated_with_what_is_hidden_of_it() {
    let house = house().await;
    let copied =
        house.call(house.of(Role::Operator), "POST /api/fn/duplicate_job", "id=mine&preset=%2B60").await;
    assert_eq!(copied.status, StatusCode::OK, "{}", copied.text);
    let copied: reprieve::model::Enqueued = serde_json::from_str(&copied.text).unwrap();
    let copy = copied.id().clone();
    let engine = house.redis.engine();
    let shown = engine.inspector().job(&copy).await.unwrap().unwrap().job;
    assert!(!String::from_utf8_lossy(&shown.payload).contains(SECRET), "{shown:?}");
    assert_eq!(shown.by, "operator");
    let whole = engine.operator("t").copy_of(&copy).await.unwrap().unwrap();
    assert_eq!(whole.payload, format!("{{\"a\":\"{SECRET}\"}}").into_bytes());
}

#[tokio::test]
async fn a_schedule_keeps_what_is_hidden_of_it_when_its_form_is_sent() {
    let house = House::new().await;
    let (engine, name) = (house.redis.engine(), "nightly".parse().unwrap());
    let mut entry =
        reprieve::model::CronEntry::new("nightly".parse().unwrap(), "@daily", "k".parse().unwrap());
    entry.payload = format!("{{\"a\":\"{SECRET}\"}}").into_bytes();
    engine.operator("t").put_cron(entry.clone()).await.unwrap();
    hide(engine, "a").await;

    let shown = engine.inspector().cron_entry(&name).await.unwrap().unwrap();
    let text = String::from_utf8(shown.entry.payload).unwrap();
    assert!(!text.contains(SECRET), "{text}");
    let form = |seen: u64, payload: &str| {
        let payload: String = url::form_urlencoded::byte_serialize(payload.as_bytes()).collect();
        format!("name=nightly&seen={seen}&schedule=%40hourly&zone=UTC&kind=k&payload={payload}")
    };
    let admin = house.of(Role::Admin);
    let saved = house.call(admin, "POST /api/fn/put_schedule", &form(1, &text)).await;
    assert_eq!(saved.status, StatusCode::OK, "{}", saved.text);
    let whole = engine.operator("t").cron_entry_whole(&name).await.unwrap().unwrap();
    assert_eq!((whole.entry.schedule.as_str(), whole.entry.payload), ("@hourly", entry.payload));

    // A part that was hidden does not become the payload.
    let changed = text.replace('a', "b");
    let refused = house.call(admin, "POST /api/fn/put_schedule", &form(whole.version, &changed)).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.text);
}
