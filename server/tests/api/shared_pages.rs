//! Tabs that ask for the same page because of the same events get one rendering of it; its nonce tells.

use crate::house::{House, Reply, asking};
use axum::body::Body;
use http::StatusCode;
use http::request::Parts;
use reprieve::model::Role;
use reprieve_server::HostUser;

/// Where the queues' jobs are in three of these readings.
const LIST: &str = "/jobs/delay";

async fn read(house: &House, session: &str, path: &str, heard: &str) -> Reply {
    let request = asking(session, &format!("GET {path}"), "text/html").header("x-read-again", "1");
    let request = if heard.is_empty() { request } else { request.header("x-heard", heard) };
    let reply = house.raw(request.body(Body::empty()).unwrap()).await;
    assert_eq!(reply.status, StatusCode::OK);
    reply
}

fn nonce(reply: &Reply) -> &str {
    let policy = reply.headers["content-security-policy"].to_str().unwrap();
    policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap()
}

/// Whether both get one rendering. A busy machine may let the first one grow too old, so they are tried again.
async fn are_one(house: &House, one: (&str, &str, &str), other: (&str, &str, &str)) -> bool {
    for _ in 0..20 {
        let (one, other) =
            tokio::join!(read(house, one.0, one.1, one.2), read(house, other.0, other.1, other.2));
        if nonce(&one) == nonce(&other) {
            assert_eq!(one.text, other.text);
            return true;
        }
    }
    false
}

#[tokio::test]
async fn tabs_of_one_visitor_on_one_page_share_what_the_same_events_made_of_it() {
    let house = House::new().await;
    let operator = house.of(Role::Operator);
    let tab = (operator, LIST, "1700000000000-0");
    assert!(are_one(&house, tab, tab).await);
    // Who knows of less gets what was made of more.
    assert!(are_one(&house, tab, (operator, LIST, "1600000000000-0")).await);
}

#[tokio::test]
async fn nobody_gets_the_page_of_somebody_else_or_another_one_or_an_older_one() {
    let house = House::new().await;
    let operator = house.of(Role::Operator);
    let another_session = house.session("operator").await;
    let tab = (operator, LIST, "1700000000000-0");
    for other in [
        (house.of(Role::Admin), LIST, tab.2),
        (&*another_session, LIST, tab.2),
        (operator, "/jobs/dead", tab.2),
        (operator, "/jobs/delay?q=kind%3Aa", tab.2),
        (operator, LIST, ""),
        (operator, LIST, "not a place"),
        (operator, LIST, "1700000000000-0_1700000000000-0"),
    ] {
        let (one, other) =
            tokio::join!(read(&house, tab.0, tab.1, tab.2), read(&house, other.0, other.1, other.2));
        assert_ne!(nonce(&one), nonce(&other));
    }

    house.given("late", "default", 1).await;
    let before = read(&house, operator, LIST, "1700000000001-0").await;
    house.given("later", "default", 1).await;
    let after = read(&house, operator, LIST, "1700000000002-0").await;

    assert!(before.text.contains("late") && !before.text.contains("later"));
    assert!(after.text.contains("later"), "it heard of the second one");
}

/// The program around the dashboard knows people by a header, so that cookies tell nothing.
#[tokio::test]
async fn who_somebody_is_counts_and_not_only_what_their_browser_sends() {
    let host = |request: &Parts| {
        let role = request.headers.get("x-user")?.to_str().ok()?.parse().ok()?;
        HostUser::new("ann", role).ok()
    };
    let house = House::of_dashboard(|dashboard| dashboard.auth(host)).await;
    let as_role = async |role: &str| {
        let request = asking("", &format!("GET {LIST}"), "text/html").header("x-user", role);
        let request = request.header("x-read-again", "1").header("x-heard", "1700000000000-0");
        house.raw(request.body(Body::empty()).unwrap()).await
    };

    let (admin, viewer) = tokio::join!(as_role("admin"), as_role("viewer"));

    assert_eq!((admin.status, viewer.status), (StatusCode::OK, StatusCode::OK));
    assert_ne!(nonce(&admin), nonce(&viewer));
}

#[tokio::test]
async fn one_who_goes_away_before_the_page_is_there_takes_it_from_nobody() {
    let house = House::new().await;
    let operator = house.of(Role::Operator);
    let heard = "1700000000000-0";
    for _ in 0..5 {
        let mut gone = Box::pin(read(&house, operator, LIST, heard));
        let waits = read(&house, operator, LIST, heard);
        // Polled once, so that it has begun; then it is gone.
        let begun = futures_util::poll!(&mut gone);
        assert!(begun.is_pending());
        let (reply, ()) = tokio::join!(waits, async {
            tokio::task::yield_now().await;
            drop(gone);
        });
        assert!(reply.text.contains("</html>"));
    }
}
