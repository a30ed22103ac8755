//! Ids of sessions that must not open anything: planted, ended, of somebody who may no more, of another place.

use super::ask;
use crate::house::{House, PASSWORD, method_of, name};
use axum::body::{Body, to_bytes};
use http::{Request, StatusCode};
use reprieve::model::Role;
use reprieve_server::route_policy;
use std::time::Duration;
use tower::ServiceExt as _;

/// Who asks, and that nobody answers them at any door.
async fn opens_nothing(house: &House, why: &str, id: &str) -> usize {
    let mut tried = 0;
    for door in route_policy().into_iter().filter(|door| door.needs.is_some()) {
        let request = format!("{} {}", method_of(&door.path), door.path);
        let reply = house.call(id, &request, "id=a&queue=mail").await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{why}: {request}");
        tried += 1;
    }
    tried
}

#[tokio::test]
async fn no_planted_ended_or_foreign_id_opens_a_door() {
    let (house, elsewhere) = (House::new().await, House::new().await);
    for who in ["demoted", "narrowed", "disabled", "removed", "renewed", "ended", "out"] {
        house.forget_guesses().await;
        house.add(who, Role::Operator, &[]).await;
    }
    let planted = "0".repeat(64);
    let form = format!("name=operator&password={PASSWORD}");
    let after = house.send(&planted, "POST /login", &form, "text/html").await.cookie("rp").unwrap();
    assert_ne!(after, planted);

    let mut ids = vec![("planted before the sign-in", planted)];
    for who in ["demoted", "narrowed", "disabled", "removed", "renewed", "ended", "out"] {
        house.forget_guesses().await;
        ids.push((who, house.session(who).await));
    }
    let people = house.people();
    people.set_role(&name("demoted"), Role::Viewer, &[], "admin", "").await.unwrap();
    let one = ["mail".parse().unwrap()];
    people.set_role(&name("narrowed"), Role::Operator, &one, "admin", "").await.unwrap();
    people.set_disabled(&name("disabled"), true, "admin", "").await.unwrap();
    people.remove(&name("removed"), "admin", "").await.unwrap();
    house.forget_guesses().await;
    let here = house.session("renewed").await;
    let new = "another-horse-battery";
    assert!(people.change_password(&name("renewed"), PASSWORD, new, &here).await.unwrap());
    people.end_sessions(&name("ended"), "", None, "admin", "").await.unwrap();
    let out = ids.last().unwrap().1.clone();
    house.send(&out, "POST /logout", "", "text/html").await;

    ids.push(("of another namespace", elsewhere.of(Role::Admin).to_owned()));
    let good = house.of(Role::Admin).to_owned();
    ids.push(("in capitals", good.to_uppercase()));
    ids.push(("cut short", good[..good.len() - 1].to_owned()));
    ids.push(("longer", format!("{good}0")));
    ids.push(("in quotes", format!("\"{good}\"")));
    ids.push(("twice", format!("{good}; rp={good}")));
    for (key, _) in house.redis.snapshot().await {
        // What Redis keeps of an id is no id.
        if let Some(kept) = key.strip_prefix("session:") {
            ids.push(("as Redis keeps it", kept.to_owned()));
        }
    }
    let mut tried = 0;
    for (why, id) in &ids {
        tried += opens_nothing(&house, why, id).await;
    }
    println!("{tried} requests with {} ids", ids.len());
    for role in Role::ALL {
        let looks = house.call(house.of(role), "GET /api/fn/whoami", "").await;
        assert_eq!(looks.status, StatusCode::OK, "{role} is still in");
    }
    let replayed = house.call(&here, "GET /api/fn/whoami", "").await;
    assert_eq!(replayed.status, StatusCode::OK, "the person who changed the password stays in here");
}

#[tokio::test]
async fn an_id_is_read_from_its_cookie_alone() {
    let house = House::new().await;
    let id = house.of(Role::Admin);
    let bearer = format!("Bearer {id}");
    let other_cookies = [
        format!("__Host-rp={id}"),
        format!("RP={id}"),
        format!("rp-device={id}"),
        format!("session={id}"),
        format!("rp[]={id}"),
    ];
    let mut headers: Vec<(&str, &str)> = vec![("authorization", &bearer), ("x-session", id), ("rp", id)];
    headers.extend(other_cookies.iter().map(|cookie| ("cookie", cookie.as_str())));
    for header in headers {
        for path in ["/api/fn/whoami", "/metrics", "/api/v1/jobs", "/events"] {
            let sent = [("host", "localhost"), header];
            let reply = ask(&house, "GET", path, &sent, "").await.unwrap();
            assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{path} with {}", header.0);
        }
    }
    for path in ["/api/fn/whoami", "/export/jobs.csv", "/events"] {
        let reply = house.call("", &format!("GET {path}?rp={id}&session={id}&list=delay"), "").await;
        assert!(reply.is_denied(), "{path}: {}", reply.status);
    }
}

#[tokio::test]
async fn a_link_is_good_once_and_for_whom_it_is() {
    let house = House::new().await;
    let invitation = house.people().add(&name("ann"), Role::Viewer, &[], "admin").await.unwrap();
    house.people().add(&name("ben"), Role::Admin, &[], "admin").await.unwrap();
    let form =
        |who: &str| format!("key={}&name={who}&password={PASSWORD}&again={PASSWORD}", invitation.secret);
    for (who, comes_in) in [("ben", false), ("admin", false), ("ann", true), ("ann", false), ("ben", false)] {
        let reply = house.send("", "POST /welcome", &form(who), "text/html").await;
        assert_eq!(reply.cookie("rp").is_some(), comes_in, "{who}: {:?}", reply.location());
    }
}

#[tokio::test]
async fn the_streams_of_a_person_who_may_less_end() {
    let house = House::new().await;
    let mut streams = Vec::new();
    for who in ["demoted", "narrowed", "removed", "ended"] {
        house.add(who, Role::Operator, &[]).await;
        house.forget_guesses().await;
        let session = house.session(who).await;
        let request = Request::get("/events").header("host", "localhost");
        let request = request.header("cookie", format!("rp={session}")).body(Body::empty()).unwrap();
        let response = house.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let ended = tokio::spawn(async move { to_bytes(response.into_body(), 1 << 24).await.map(drop) });
        streams.push((who, session, ended));
    }
    let people = house.people();
    people.set_role(&name("demoted"), Role::Viewer, &[], "admin", "").await.unwrap();
    let one = ["mail".parse().unwrap()];
    people.set_role(&name("narrowed"), Role::Operator, &one, "admin", "").await.unwrap();
    people.remove(&name("removed"), "admin", "").await.unwrap();
    people.end_sessions(&name("ended"), "", None, "admin", "").await.unwrap();
    for (who, session, ended) in streams {
        let ended = tokio::time::timeout(Duration::from_secs(20), ended).await;
        ended.unwrap_or_else(|_| panic!("the stream of {who} goes on")).unwrap().unwrap();
        assert!(house.call(&session, "GET /events", "").await.is_denied(), "{who} opens it again");
    }
}
