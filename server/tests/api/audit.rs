//! Who did what, over HTTP.

use crate::caller::Caller;
use crate::house::{House, person};
use app::api::audit::check_audit;
use app::error::ApiError;
use http::StatusCode;
use reprieve::model::Role;
use serde_json::{Value, json};

fn verbs(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|entry| entry["verb"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn acts_are_read_page_by_page_and_by_what_they_are_about() {
    let api = Caller::new().await;
    for name in ["a", "b"] {
        let job = json!({ "id": name, "kind": "k", "delay_ms": 60_000, "queue": if name == "b" { "mail" } else { "default" } });
        api.post("/api/v1/jobs", &job).await;
        api.post(&format!("/api/v1/jobs/{name}/hold"), &json!({ "reason": "Legal hold (ticket 7)" })).await;
    }
    api.post("/api/v1/queues/mail/pause", &json!({})).await;

    let first = api.get("/api/v1/audit?size=2").await.body;
    assert_eq!(verbs(&first), ["pause", "hold"]);
    assert_eq!(
        (&first["items"][1]["reason"], &first["items"][1]["ticket"]),
        (&json!("Legal hold"), &json!("7"))
    );
    let rest = api.get(&format!("/api/v1/audit?before={}", first["next"].as_str().unwrap())).await.body;
    assert_eq!((verbs(&rest), &rest["next"], &rest["cut"]), (vec!["hold"], &Value::Null, &json!(false)));
    assert_eq!(verbs(&api.get("/api/v1/audit?queue=mail").await.body), ["pause", "hold"]);
    assert_eq!(verbs(&api.get("/api/v1/audit?verb=pause&by=ap").await.body), ["pause"]);
    assert!(verbs(&api.get("/api/v1/audit?from_ms=9000000000000").await.body).is_empty());
    for wrong in ["before=x", "size=none", "only=some", "from_ms=yesterday", "queue=a{b", "since=1"] {
        assert_eq!(api.get(&format!("/api/v1/audit?{wrong}")).await.status, 422, "{wrong}");
    }
}

#[tokio::test]
async fn a_check_names_the_entry_that_was_edited() {
    let api = Caller::new().await;
    api.post("/api/v1/queues/mail/pause", &json!({ "reason": "a test" })).await;
    let sound = api.get("/api/v1/audit/check").await.body;
    assert_eq!(
        (&sound["sound"], &sound["checked"], &sound["broken"]),
        (&json!(true), &json!(1), &Value::Null)
    );
    let head = sound["heads"][0].as_str().unwrap();
    assert_eq!(api.get(&format!("/api/v1/audit/check?anchor={head}")).await.body["anchored"], true);

    let audit = format!("{}audit", api.redis.prefix());
    let said = ["at", "5", "by", "eve", "verb", "pause", "target", "mail", "before", head, "hash", head];
    let entry = [&["XADD", &audit, "*"], &said[..]].concat();
    api.redis.command(&entry).await.unwrap();
    let broken = api.get("/api/v1/audit/check").await.body;
    assert_eq!((&broken["sound"], &broken["broken"]["how"]), (&json!(false), &json!("altered")));
    assert_eq!(broken["broken"]["entry"]["by"], "eve");
}

#[tokio::test]
async fn a_reader_of_their_own_acts_alone_learns_that_an_entry_is_wrong_but_not_what_it_says() {
    let house = House::new().await;
    let audit = format!("{}audit", house.redis.prefix());
    let entry =
        ["XADD", &audit, "*", "at", "5", "by", "eve", "verb", "pause", "target", "mail", "hash", "none"];
    house.redis.command(&entry).await.unwrap();
    for (role, is_told) in [(Role::Operator, true), (Role::Support, false)] {
        let check = house.read(&person(role.as_str(), role, &[]), check_audit()).await.unwrap();
        let entry = check.broken.expect("it is found").entry;
        assert_eq!(entry.map(|entry| entry.by), is_told.then(|| "eve".to_owned()), "{role}");
    }
}

#[tokio::test]
async fn who_checks_without_end_is_asked_to_wait() {
    let house = House::new().await;
    let mut found = Vec::new();
    for _ in 0..11 {
        found.push(house.read(&person("operator", Role::Operator, &[]), check_audit()).await);
    }
    assert!(matches!(found.pop(), Some(Err(ApiError::TooOften { .. }))));
    assert!(found.iter().all(Result::is_ok), "{found:?}");
}

#[tokio::test]
async fn a_check_by_the_address_of_the_page_is_one_of_them_and_no_bulk_run() {
    let house = House::new().await;
    let support = house.of(Role::Support);
    let (sound, often) = ("data-sound=\"true\"", "You have done that too often lately.");
    for _ in 0..10 {
        let page = house.send(support, "GET /audit?check=1", "", "text/html").await;
        assert!(page.text.contains(sound) && !page.text.contains(often), "{}", page.text);
    }
    let before = house.denials().await;
    let page = house.send(support, "GET /audit?check=1", "", "text/html").await;
    assert!(!page.text.contains(sound) && page.text.contains(often), "{}", page.text);
    assert_eq!(house.denials().await, before + 1);
    // The page itself is there, and what is counted for others is whole.
    let page = house.send(support, "GET /audit", "", "text/html").await;
    assert!(page.status == StatusCode::OK && !page.text.contains(often), "{}", page.text);
    let hour = std::time::Duration::from_secs(3_600);
    assert_eq!(house.people().spend("bulk", "support", 1, hour).await.unwrap(), None);
}

#[tokio::test]
async fn what_lies_on_a_redis_is_looked_for_as_often_as_a_person_acts_whatever_asks() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    let often = "You have done that too often lately.";
    let minute = std::time::Duration::from_secs(60);
    let first = house.send(admin, "GET /import?from=here", "", "text/html").await;
    assert!(!first.text.contains(often), "{}", first.text);
    for _ in 1..60 {
        assert_eq!(house.people().spend("acts", "admin", 60, minute).await.unwrap(), None);
    }
    let page = house.send(admin, "GET /import?from=here", "", "text/html").await;
    assert!(page.text.contains(often), "{}", page.text);
}
