//! What another site makes a browser send, to every door through which something can be changed.

use super::{ask, changing, keys};
use crate::house::House;
use http::StatusCode;
use reprieve::model::Role;

/// Names and values.
type Headers = &'static [(&'static str, &'static str)];

/// Sixteen ways in which a browser says that it was not one of our pages, all with the admin's cookie.
const FOREIGN: [(&str, Headers); 16] = [
    ("cross site", &[("host", "localhost:8080"), ("sec-fetch-site", "cross-site")]),
    ("same site", &[("host", "localhost:8080"), ("sec-fetch-site", "same-site")]),
    ("from the address bar", &[("host", "localhost:8080"), ("sec-fetch-site", "none")]),
    ("mixed case", &[("host", "localhost:8080"), ("sec-fetch-site", "Same-Origin")]),
    (
        "said twice",
        &[("host", "localhost:8080"), ("sec-fetch-site", "same-origin"), ("sec-fetch-site", "same-origin")],
    ),
    ("empty", &[("host", "localhost:8080"), ("sec-fetch-site", "")]),
    ("a list", &[("host", "localhost:8080"), ("sec-fetch-site", "same-origin, cross-site")]),
    (
        "cross site, with our origin",
        &[("host", "localhost:8080"), ("sec-fetch-site", "cross-site"), ("origin", "http://localhost:8080")],
    ),
    ("no origin", &[("host", "localhost:8080"), ("origin", "null")]),
    ("another port", &[("host", "localhost:8080"), ("origin", "http://localhost:8081")]),
    ("another scheme", &[("host", "localhost:8080"), ("origin", "https://localhost:8080")]),
    ("another name", &[("host", "localhost:8080"), ("origin", "http://evil.example")]),
    ("a longer name", &[("host", "localhost:8080"), ("origin", "http://localhost:8080.evil.example")]),
    (
        "two origins",
        &[("host", "localhost:8080"), ("origin", "http://localhost:8080"), ("origin", "http://evil.example")],
    ),
    ("a cookie and nothing else", &[("host", "localhost:8080")]),
    ("under a name of its own", &[("host", "evil.example"), ("sec-fetch-site", "same-origin")]),
];

/// Bodies of other types than the door reads; `None` for no type at all.
const KINDS: [Option<&str>; 6] = [
    Some("text/plain"),
    Some("multipart/form-data; boundary=x"),
    Some("application/octet-stream"),
    Some("text/plain; application/json; application/x-www-form-urlencoded"),
    Some(""),
    None,
];

/// The session as a browser has it that came by `localhost` and by `localhost:8080`.
fn at_both_addresses(session: &str) -> String {
    format!("rp={session}; rp-8080={session}")
}

#[tokio::test]
async fn no_other_site_changes_anything_through_any_door() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let bearer = format!("Bearer {}", house.token().await);
    let cookie = at_both_addresses(house.of(Role::Admin));
    let before = keys(&house.redis).await;
    let (doors, mut tried) = (changing(), 0);
    assert!(doors.len() > 100, "too few doors were found: {}", doors.len());
    for door in &doors {
        for (name, said) in FOREIGN {
            let mut headers = vec![("cookie", cookie.as_str()), ("content-type", door.kind)];
            headers.extend(said);
            if door.is_api {
                headers.push(("authorization", &bearer));
            }
            let reply = ask(&house, "POST", &door.path, &headers, "id=a&queue=mail").await.unwrap();
            let code = if said[0].1 == "evil.example" { "unknown_host" } else { "foreign_origin" };
            assert!(reply.text.contains(code), "{}, {name}: {} {}", door.path, reply.status, reply.text);
            assert!(!reply.headers.contains_key("set-cookie"), "{}, {name}", door.path);
            tried += 1;
        }
        assert_eq!(keys(&house.redis).await, before, "{} changed something", door.path);
    }
    println!("{tried} foreign requests at {} doors", doors.len());
}

#[tokio::test]
async fn no_body_of_another_type_changes_anything_through_any_door() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let bearer = format!("Bearer {}", house.token().await);
    let cookie = format!("rp={}", house.of(Role::Admin));
    let before = keys(&house.redis).await;
    for door in changing() {
        let of_the_others =
            if door.is_api { "application/x-www-form-urlencoded" } else { "application/json" };
        for kind in KINDS.into_iter().chain([Some(of_the_others)]) {
            let mut headers = vec![("host", "localhost"), ("sec-fetch-site", "same-origin")];
            headers.push(if door.is_api { ("authorization", &bearer) } else { ("cookie", &cookie) });
            headers.extend(kind.map(|kind| ("content-type", kind)));
            let reply = ask(&house, "POST", &door.path, &headers, "id=a&queue=mail").await.unwrap();
            assert_eq!(reply.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{} with {kind:?}", door.path);
        }
        assert_eq!(keys(&house.redis).await, before, "{} changed something", door.path);
    }
}

#[tokio::test]
async fn our_own_pages_get_through_to_every_door() {
    let house = House::new().await;
    let cookie = at_both_addresses(house.of(Role::Viewer));
    for door in changing() {
        for ours in [("sec-fetch-site", "same-origin"), ("origin", "http://localhost:8080")] {
            let headers =
                [("host", "localhost:8080"), ("cookie", cookie.as_str()), ("content-type", door.kind), ours];
            let reply = ask(&house, "POST", &door.path, &headers, "x=1").await.unwrap();
            let stopped = ["foreign_origin", "unknown_host", "unsupported_media_type"];
            assert!(
                !stopped.iter().any(|code| reply.text.contains(code)),
                "{}: {} {}",
                door.path,
                reply.status,
                reply.text
            );
        }
    }
}

#[tokio::test]
async fn a_proxy_that_drops_the_port_is_named_and_a_setting_mends_it() {
    let form = "name=admin&password=correct-horse-battery";
    let from = [
        ("host", "jobs.test"),
        ("origin", "http://jobs.test:8090"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let house = House::answering_to("jobs.test").await;
    let reply = ask(&house, "POST", "/login", &from, form).await.unwrap();
    assert_eq!(reply.status, StatusCode::FORBIDDEN, "{}", reply.text);
    for said in ["foreign_origin", "http://jobs.test:8090", "this is http://jobs.test;", "allowed_hosts = ["]
    {
        assert!(reply.text.contains(said), "{said}: {}", reply.text);
    }

    let house = House::answering_to("http://jobs.test:8090").await;
    let reply = ask(&house, "POST", "/login", &from, form).await.unwrap();
    assert_eq!(reply.location(), Some("/"), "{} {}", reply.status, reply.text);
    assert!(reply.cookie("rp-8090").is_some(), "a cookie of that port: {:?}", reply.headers);
    let elsewhere = [("host", "jobs.test"), ("origin", "http://jobs.test:8091"), from[2]];
    let reply = ask(&house, "POST", "/login", &elsewhere, form).await.unwrap();
    assert_eq!(reply.status, StatusCode::FORBIDDEN, "another port is another site: {}", reply.text);
}

#[tokio::test]
async fn a_host_that_is_not_ours_is_named_in_the_refusal() {
    let house = House::new().await;
    let reply = ask(&house, "GET", "/healthz", &[("host", "rp")], "").await.unwrap();
    assert_eq!(reply.status, StatusCode::MISDIRECTED_REQUEST);
    for said in ["the host \\\"rp\\\"", "allowed_hosts", "urn:reprieve:problem:unknown_host"] {
        assert!(reply.text.contains(said), "{said}: {}", reply.text);
    }
}
