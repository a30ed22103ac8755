//! Every route of the document under input that wants to break it: a typed problem, and nothing changed.

mod addresses;
mod bombs;
mod canaries;
mod demoted;
mod escapes;
mod foreign;
mod guesses;
mod log;
mod scripts;
mod stolen;

use crate::caller::{Answer, Caller};
use crate::house::{House, Reply, method_of};
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::{Method, Request};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use reprieve::model::Namespace;
use reprieve::testing::{RedisServer, Snapshot, TestRedis};
use reprieve_server::reference::document;
use reprieve_server::route_policy;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bodies that each route gets beside those made from its own example.
const BODIES: [&[u8]; 14] = [
    b"{",
    b"[",
    b"null",
    b"5",
    b"\"text\"",
    b"[]",
    b"[[]]",
    b"{\"a\":1}",
    b"{\"__proto__\":{}}",
    b"\xff\xfe",
    b"{\"reason\":\"\xff\"}",
    b"{\"version\":1e400}",
    b"\0",
    b"{}{}",
];

/// Names that try to leave their key, their path or their line.
const NAMES: [&str; 14] = [
    "%7Bx%7D",
    "a%20b",
    "a%00b",
    "%ff",
    "%2e%2e%2f%7B%2e%2e",
    "*",
    "a%0d%0aSet-Cookie:x",
    "%f0%9f%92%a3",
    "%25",
    "a%5Bb%5D",
    "a%22b",
    "a;b",
    "a%7Cb",
    "~",
];

/// Values for a query.
const VALUES: [&str; 10] =
    ["", "-1", "0", "18446744073709551616", "1e9", "%ff", "%7B%7D", "null", "a%00b", "%F0%9F%92%A3"];

/// Another one each time; `REPRIEVE_SEED=<number>`, as it is printed, has the same once more.
fn seeded() -> StdRng {
    let seed =
        std::env::var("REPRIEVE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or_else(rand::random);
    println!("REPRIEVE_SEED={seed}");
    StdRng::seed_from_u64(seed)
}

/// One operation: method, path, what the document says of it.
fn operations() -> Vec<(String, String, &'static Value)> {
    let mut all = Vec::new();
    // What stands beside is among the doors.
    let paths = document()["paths"].as_object().unwrap().iter();
    for (path, item) in paths.filter(|(path, _)| path.starts_with("/api/v1/")) {
        for (method, operation) in item.as_object().unwrap() {
            all.push((method.to_uppercase(), path.clone(), operation));
        }
    }
    all
}

/// The path with each parameter replaced.
fn filled(path: &str, operation: &Value, mut value: impl FnMut(&Value) -> String) -> String {
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    parameters.iter().filter(|parameter| parameter["in"] == "path").fold(
        path.to_owned(),
        |path, parameter| {
            path.replace(&format!("{{{}}}", parameter["name"].as_str().unwrap()), &value(parameter))
        },
    )
}

fn example(parameter: &Value) -> String {
    parameter["example"].as_str().map_or_else(|| parameter["example"].to_string(), ToOwned::to_owned)
}

/// A Redis for these tests alone: some requests look through all keys of a server, and other tests leave theirs behind.
static SERVER: LazyLock<RedisServer> = LazyLock::new(|| RedisServer::start().unwrap());
static NAMESPACES: AtomicU32 = AtomicU32::new(0);

async fn given() -> Caller {
    let number = NAMESPACES.fetch_add(1, Ordering::Relaxed);
    let namespace = Namespace::new(format!("hostile{number}")).unwrap();
    // A body may name any key as a foreign source.
    let rights = ["~*", "+scan", "+slowlog|get"];
    let api = Caller::on(TestRedis::on_beside(SERVER.url(), namespace, &rights).await);
    let job = json!({ "id": "delete-4711", "kind": "delete_resource", "subject": "resource:4711", "delay_ms": 60_000 });
    api.given(&job).await;
    api
}

/// Every key, but for the time that was seen last: looking at a clock may move that.
async fn keys(redis: &TestRedis) -> Snapshot {
    let mut keys = redis.snapshot().await;
    if let Some(meta) = keys.get_mut("meta") {
        meta.retain(|line| !line.starts_with("clock_ms"));
    }
    keys
}

/// Sends it. A refusal must be of the caller's doing, and must have left every key as it was.
async fn survives(api: &Caller, method: &str, path: &str, body: &[u8]) -> Answer {
    let before = keys(&api.redis).await;
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let answer = api.send(request.body(Body::from(body.to_vec())).unwrap()).await;
    let shown: String = String::from_utf8_lossy(body).chars().take(200).collect();
    assert!(answer.status < 500, "{method} {path} with {shown}: {} {}", answer.status, answer.body);
    if answer.status >= 400 {
        assert_eq!(
            keys(&api.redis).await,
            before,
            "{method} {path} with {shown} was refused and changed something"
        );
    }
    answer
}

/// A door through which something can be changed.
struct Changing {
    path: String,
    /// The one content type that it reads.
    kind: &'static str,
    is_api: bool,
}

/// All of them: server functions, forms and the HTTP API.
fn changing() -> Vec<Changing> {
    let forms = route_policy().into_iter().filter(|door| method_of(&door.path) == Method::POST);
    let forms = forms.map(|door| Changing {
        path: door.path,
        kind: "application/x-www-form-urlencoded",
        is_api: false,
    });
    let api = operations().into_iter().filter(|(method, ..)| method == "POST");
    let api = api.map(|(_, path, operation)| Changing {
        path: filled(&path, operation, example),
        kind: "application/json",
        is_api: true,
    });
    forms.chain(api).collect()
}

/// Sends exactly these headers. `None` where the address or a header is none that HTTP can carry.
async fn ask(
    house: &House,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Body>,
) -> Option<Reply> {
    let peer: SocketAddr = "127.0.0.1:1".parse().unwrap();
    let mut request = Request::builder().method(method).uri(path).extension(ConnectInfo(peer));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(body.into()).ok()?;
    Some(house.raw(request).await)
}

/// Something of another type, size or shape.
fn spoilt(random: &mut StdRng, value: &Value) -> Value {
    let others = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!(""),
        json!("a\u{0}b"),
        json!("{x}:*\r\n"),
        json!("x".repeat(70_000)),
        json!([]),
        json!([[[]]]),
        json!({ "a": { "b": [1] } }),
        json!(vec![0; 2_000]),
        value.clone(),
    ];
    others.choose(random).unwrap().clone()
}

/// A body like the example with some members spoilt, doubled, unknown or left out.
fn mutated(random: &mut StdRng, example: &Value) -> Vec<u8> {
    let mut body = example.clone();
    if let Value::Object(members) = &mut body {
        let names: Vec<String> = members.keys().cloned().collect();
        for name in &names {
            match random.random_range(0..4) {
                0 => {
                    let value = spoilt(random, &members[name]);
                    members.insert(name.clone(), value);
                }
                1 => {
                    members.remove(name);
                }
                _ => {}
            }
        }
        if random.random_bool(0.3) {
            members.insert("unknown\u{202e}".to_owned(), spoilt(random, &json!(1)));
        }
        let mut text = body.to_string();
        if random.random_bool(0.2) && text.len() > 2 {
            // The first member once more.
            let name = names.first().cloned().unwrap_or_else(|| "a".to_owned());
            text.insert_str(1, &format!("{}:1,", json!(name)));
        }
        return text.into_bytes();
    }
    spoilt(random, &body).to_string().into_bytes()
}

/// Every example of a body in the document.
fn examples(operation: &Value) -> Vec<Value> {
    let content = &operation["requestBody"]["content"]["application/json"];
    let mut all: Vec<Value> = Vec::new();
    all.extend(
        content["examples"].as_object().into_iter().flatten().map(|(_, named)| named["value"].clone()),
    );
    all.extend(Some(content["example"].clone()).filter(|example| !example.is_null()));
    let choices = content["schema"]["oneOf"].as_array().into_iter().flatten().chain([&content["schema"]]);
    for choice in choices {
        if let Some(name) = choice["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            let example = &document()["components"]["schemas"][name]["example"];
            all.extend(Some(example.clone()).filter(|example| !example.is_null()));
        }
    }
    all
}

#[tokio::test]
async fn no_body_breaks_a_route() {
    let mut random = seeded();
    for (method, path, operation) in operations() {
        if method == "GET" {
            continue;
        }
        let api = given().await;
        let path = filled(&path, operation, example);
        for body in BODIES {
            let answer = survives(&api, &method, &path, body).await;
            let is_text_or_list = !body.starts_with(b"{") || body.ends_with(b"{}{}") || body.len() < 2;
            // A route without a body does not look at one, and where it may be left out it may be null.
            let may_be_null = body == b"null" && operation["requestBody"]["required"] != true;
            if is_text_or_list && !operation["requestBody"].is_null() && !may_be_null {
                assert!(answer.status >= 400, "{path} took {body:?}");
            }
        }
        for example in examples(operation) {
            for _ in 0..25 {
                survives(&api, &method, &path, &mutated(&mut random, &example)).await;
            }
        }
    }
}

#[tokio::test]
async fn no_name_in_an_address_leaves_its_place() {
    for (method, path, operation) in operations() {
        if !path.contains('{') {
            continue;
        }
        let api = given().await;
        let body = examples(operation).first().map(ToString::to_string).unwrap_or_default();
        let long = "x".repeat(129);
        for name in NAMES.iter().copied().chain([long.as_str()]) {
            // A subject is any text without control characters and without a way up.
            let is_text = !["%00", "%0d", "%ff", "%2e%2e"].iter().any(|sign| name.contains(sign));
            let is_subject = path.contains("/subjects/{") && is_text && name.len() <= 128;
            let path = filled(&path, operation, |_| name.to_owned());
            let answer = survives(&api, &method, &path, body.as_bytes()).await;
            let is_refused = matches!(answer.status, 400 | 404 | 405 | 422);
            assert!(is_refused || is_subject && answer.status < 500, "{method} {path}: {}", answer.status);
        }
    }
}

#[tokio::test]
async fn no_query_breaks_a_route() {
    let api = given().await;
    for (method, path, operation) in operations() {
        if method != "GET" {
            continue;
        }
        let path = filled(&path, operation, example);
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let names =
            parameters.iter().filter(|p| p["in"] == "query").map(|p| p["name"].as_str().unwrap().to_owned());
        for name in names.chain(["unknown".to_owned(), "%ff".to_owned()]) {
            for value in VALUES {
                survives(&api, &method, &format!("{path}?{name}={value}"), b"").await;
                survives(&api, &method, &format!("{path}?{name}={value}&{name}={value}"), b"").await;
            }
        }
    }
}
