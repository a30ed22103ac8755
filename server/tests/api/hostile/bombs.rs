//! Requests that want more time, or a longer answer, than they are worth, through the whole router.

use super::{ask, changing, operations};
use crate::house::{House, Reply, method_of};
use http::{Method, StatusCode};
use reprieve_server::route_policy;
use serde_json::json;
use std::time::{Duration, Instant};

/// A request that takes longer than this does not end.
const ENDS: Duration = Duration::from_secs(60);
/// What an answer to nonsense may have, in bytes: a page "not found" with its frame.
const ANSWER_BYTES_MAX: usize = 256 * 1024;

/// What a client can put into a body that is small to send.
fn bodies() -> Vec<(&'static str, Vec<u8>)> {
    let wide: Vec<String> = (0..5_000).map(|number| format!("\"k{number}\":0")).collect();
    let wide = format!("{{{}}}", wide.join(","));
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let deep_object = format!("{}1{}", "{\"a\":".repeat(5_000), "}".repeat(5_000));
    let jobs = vec![json!({ "kind": "k" }); 3_000];
    vec![
        ("wide", wide.clone().into_bytes()),
        ("deep", deep.into_bytes()),
        ("deep, never closed", "[".repeat(60_000).into_bytes()),
        ("deep objects", deep_object.clone().into_bytes()),
        ("deep in a payload", format!("{{\"kind\":\"k\",\"payload\":{deep_object}}}").into_bytes()),
        ("wide in a payload", format!("{{\"kind\":\"k\",\"payload\":{wide}}}").into_bytes()),
        (
            "one name again and again",
            format!("{{{}\"kind\":\"k\"}}", "\"kind\":\"k\",".repeat(4_000)).into_bytes(),
        ),
        (
            "a number of many digits",
            format!("{{\"token\":{0},\"delay_ms\":{0}}}", "9".repeat(40_000)).into_bytes(),
        ),
        ("a huge exponent", b"{\"token\":1e999999999,\"delay_ms\":-1e999999999,\"kind\":\"k\"}".to_vec()),
        ("half a pair", b"{\"kind\":\"\\ud800\",\"reason\":\"\\ud800\\ud800\"}".to_vec()),
        ("blanks", format!("{}{{}}", " ".repeat(200_000)).into_bytes()),
        ("many jobs", json!({ "jobs": jobs }).to_string().into_bytes()),
        ("a list of jobs", json!(jobs).to_string().into_bytes()),
        ("a long reason", json!({ "reason": "\u{202e}".repeat(20_000) }).to_string().into_bytes()),
    ]
}

fn is_bounded(reply: &Reply, what: &str) {
    assert!(!reply.status.is_server_error(), "{what}: {} {:.300}", reply.status, reply.text);
    assert!(reply.text.len() < ANSWER_BYTES_MAX, "{what}: an answer of {} bytes", reply.text.len());
}

#[tokio::test]
async fn no_body_takes_long_or_has_a_long_answer_at_any_route_of_the_api() {
    let house = House::new().await;
    let bearer = format!("Bearer {}", house.token().await);
    let headers = [("host", "localhost"), ("content-type", "application/json"), ("authorization", &bearer)];
    let (mut tried, mut longest) = (0, (Duration::ZERO, String::new()));
    for door in changing().into_iter().filter(|door| door.is_api) {
        for (name, body) in bodies() {
            let what = format!("{} with a body that is {name}", door.path);
            let began = Instant::now();
            let reply = tokio::time::timeout(ENDS, ask(&house, "POST", &door.path, &headers, body)).await;
            is_bounded(&reply.expect(&what).unwrap(), &what);
            longest = longest.max((began.elapsed(), what));
            tried += 1;
        }
        let much = vec![b' '; 17 * 1024 * 1024];
        let reply = ask(&house, "POST", &door.path, &headers, much).await.unwrap();
        assert!(
            reply.status.is_client_error() || reply.status.is_success(),
            "{}: {}",
            door.path,
            reply.status
        );
    }
    println!("{tried} bodies; the longest took {} ms: {}", longest.0.as_millis(), longest.1);
}

/// Forms that a page never sends.
fn forms() -> Vec<(&'static str, String)> {
    let many: Vec<String> = (0..5_000).map(|number| format!("f{number}=1")).collect();
    vec![
        ("nothing", String::new()),
        ("many fields", many.join("&")),
        ("one field again and again", "id=a&".repeat(5_000)),
        ("a long value", format!("id={}", "x".repeat(60_000))),
        ("a long name", format!("{}=1", "x".repeat(60_000))),
        ("nested", format!("id{}=1", "[a]".repeat(10_000))),
        ("lists in lists", format!("ids{}=1", "[]".repeat(10_000))),
        ("a far place of a list", "ids[4294967295]=a&ids[18446744073709551615]=b&id[999999999]=c".to_owned()),
        ("broken escapes", "id=%&queue=%zz&back=%ff&%=%00&text=%u0000".to_owned()),
        ("separators", "&".repeat(60_000)),
        ("equals", "=".repeat(60_000)),
        ("numbers", "version=1e400&token=-1&size=99999999999999999999&over=NaN&keep=256&clock=-1".to_owned()),
    ]
}

#[tokio::test]
async fn no_form_and_no_query_takes_long_or_has_a_long_answer_at_any_door() {
    let house = House::open().await;
    let ours = [("host", "localhost"), ("sec-fetch-site", "same-origin")];
    let form = "application/x-www-form-urlencoded";
    let (mut tried, mut longest) = (0, (Duration::ZERO, String::new()));
    let mut broken = Vec::new();
    let doors = route_policy()
        .into_iter()
        // The one goes on, the other says that nobody forwards here.
        .filter(|door| !["/events", "/readyz"].contains(&door.path.as_str()))
        .map(|door| (method_of(&door.path), door.path));
    let pages = app::door::PAGES.iter().map(|area| (Method::GET, format!("/{area}")));
    let api = operations()
        .into_iter()
        .filter(|(method, path, _)| method == "GET" && !path.contains('{') && path != "/api/v1/events");
    let api = api.map(|(_, path, _)| (Method::GET, path));
    for (method, path) in doors.chain(pages).chain(api) {
        for (name, fields) in forms() {
            let what = format!("{method} {path} with {name}");
            let headers =
                [ours.as_slice(), &[("content-type", form), ("accept", "application/json")]].concat();
            let began = Instant::now();
            let asked = if method == Method::POST {
                tokio::time::timeout(ENDS, ask(&house, "POST", &path, &headers, fields)).await
            } else {
                tokio::time::timeout(ENDS, ask(&house, "GET", &format!("{path}?{fields}"), &headers, ""))
                    .await
            };
            let Some(reply) = asked.expect(&what) else { continue };
            if reply.status.is_server_error() {
                broken.push(format!("{what}: {} {:.200}", reply.status, reply.text));
            } else {
                is_bounded(&reply, &what);
            }
            longest = longest.max((began.elapsed(), what));
            tried += 1;
        }
    }
    println!("{tried} forms; the longest took {} ms: {}", longest.0.as_millis(), longest.1);
    assert!(broken.is_empty(), "{} of them: {:#?}", broken.len(), &broken[..broken.len().min(40)]);
}

#[tokio::test]
async fn no_door_has_a_method_that_nobody_uses() {
    let house = House::open().await;
    let ours = [("host", "localhost"), ("sec-fetch-site", "same-origin")];
    for door in route_policy() {
        let odd = [
            "PUT",
            "PATCH",
            "DELETE",
            "OPTIONS",
            "TRACE",
            "CONNECT",
            "PROPFIND",
            "MOVE",
            "DEBUG",
            "get",
            "POST\u{7f}",
        ];
        for method in odd {
            let Some(reply) = ask(&house, method, &door.path, &ours, "").await else { continue };
            assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {}", door.path);
        }
        // And a function that changes something is not there for a reader.
        if method_of(&door.path) == Method::POST && door.path.starts_with("/api/fn/") {
            for method in ["GET", "HEAD"] {
                let reply = ask(&house, method, &door.path, &ours, "").await.unwrap();
                assert!(reply.status.is_client_error(), "{method} {}: {}", door.path, reply.status);
            }
        }
    }
}

#[tokio::test]
async fn no_length_of_an_address_breaks_a_door() {
    let house = House::new().await;
    let cookie = format!("rp={}", house.of(reprieve::model::Role::Admin));
    let headers = [("host", "localhost"), ("cookie", cookie.as_str()), ("accept", "text/html")];
    for start in [
        "/",
        "/job/",
        "/jobs/",
        "/desk/",
        "/queue/",
        "/bulk/",
        "/schedule/",
        "/search?q=",
        "/jobs/delay?q=",
        "/assets/",
        "/api/fn/",
        "/api/fn/whoami?id=",
        "/login?next=/jobs/",
        "/welcome?key=",
    ] {
        for (unit, times) in [
            ("x", 60_000),
            ("a/", 30_000),
            ("%2e", 20_000),
            ("(", 20_000),
            ("!", 20_000),
            ("%f0%9f%92%a3", 4_000),
        ] {
            let what = format!("{start} and {times} times {unit}");
            let path = format!("{start}{}", unit.repeat(times));
            let reply =
                tokio::time::timeout(ENDS, ask(&house, "GET", &path, &headers, "")).await.expect(&what);
            let Some(reply) = reply else { continue };
            assert!(!reply.status.is_server_error(), "{what}: {}", reply.status);
            // A page may show what it was asked for, a few times over.
            assert!(
                reply.text.len() < 4 * ANSWER_BYTES_MAX,
                "{what}: an answer of {} bytes",
                reply.text.len()
            );
        }
    }
}
