//! Guesses at passwords, from fifty addresses at once, at three servers that share one Redis. How few a day of them are is
//! shown in `tests/people/guesses.rs`.

use super::log::Log;
use crate::house::{House, PASSWORD, name};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use futures_util::future::join_all;
use http::{Request, Response};
use reprieve::model::Role;
use reprieve_server::config::{ApiAuth, Login};
use reprieve_server::sse::Live;
use reprieve_server::{Dashboard, router};
use std::net::SocketAddr;
use std::time::Instant;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

const GUESSES: usize = 600;
const ADDRESSES: usize = 50;
const SERVERS: usize = 3;
/// Guesses under way at once at each server.
const AT_ONCE: usize = 8;

/// What the page says after somebody tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    In,
    Wrong,
    Wait,
    Busy,
}

/// One more server, which knows of the others only by Redis.
fn server(house: &House) -> Router {
    let engine = house.redis.engine();
    let live = Live::start(engine.clone(), "test", CancellationToken::new());
    let dashboard = Dashboard::new(engine.clone()).api_auth(ApiAuth::Required).login(Login::Required);
    router(&dashboard, live.router())
}

async fn sign_in(server: &Router, address: usize, form: &str, device: &str) -> Said {
    let peer = SocketAddr::from(([10, 0, 1, u8::try_from(address).unwrap()], 1));
    let mut request = Request::builder()
        .method("POST")
        .uri("/login")
        .header("host", "localhost")
        .header("accept", "text/html")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded");
    if !device.is_empty() {
        request = request.header("cookie", format!("rp-device={device}"));
    }
    let request = request.extension(ConnectInfo(peer)).body(Body::from(form.to_owned())).unwrap();
    said(&server.clone().oneshot(request).await.unwrap())
}

fn said(answer: &Response<Body>) -> Said {
    if answer.status() == 429 {
        return Said::Busy;
    }
    let place = answer.headers()["location"].to_str().unwrap();
    match place.split_once("said=account.").map(|(_, word)| word) {
        None => Said::In,
        Some("wrong") => Said::Wrong,
        Some(word) if word.starts_with("wait.") => Said::Wait,
        Some(other) => panic!("{other}"),
    }
}

/// Everybody guesses at once; how many of them were answered how.
async fn guess(servers: &[Router], form: impl Fn(usize) -> String) -> Vec<(Said, usize)> {
    let form = &form;
    let lane = |lane: usize| async move {
        let mut answers = Vec::new();
        for guess in (lane..GUESSES).step_by(SERVERS * AT_ONCE) {
            answers.push(sign_in(&servers[guess % SERVERS], guess % ADDRESSES, &form(guess), "").await);
        }
        answers
    };
    let answers: Vec<Said> = join_all((0..SERVERS * AT_ONCE).map(lane)).await.concat();
    let count = |what| (what, answers.iter().filter(|said| **said == what).count());
    [Said::In, Said::Wrong, Said::Wait, Said::Busy].map(count).to_vec()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_at_three_servers_are_as_few_as_at_one() {
    let house = House::new().await;
    let servers: Vec<Router> = (0..SERVERS).map(|_| server(&house)).collect();
    // The owner has signed in from this browser before.
    let known =
        house.send("", "POST /login", &format!("name=operator&password={PASSWORD}"), "text/html").await;
    let device = known.cookie("rp-device").unwrap();
    let began = Instant::now();

    // Every hundredth guess is right: one that is not looked at says nothing.
    let guesses = guess(&servers, |guess| {
        let password = if guess % 100 == 99 { PASSWORD.to_owned() } else { format!("guess-number-{guess}") };
        format!("name=operator&password={password}")
    });
    let answers = guesses.await;

    let took = began.elapsed();
    println!("{answers:?} in {took:?}");
    let of = |what| answers.iter().find(|(said, _)| *said == what).unwrap().1;
    assert_eq!(answers.iter().map(|(_, count)| count).sum::<usize>(), GUESSES);
    // Five for nothing, the sixth, and one more for each wait that ended meanwhile: at most every minute.
    let most = 6 + usize::try_from(took.as_secs() / 60).unwrap();
    assert!((6..=most).contains(&(of(Said::Wrong) + of(Said::Busy))), "{answers:?} in {took:?}");
    assert_eq!(of(Said::In), 0, "what is not looked at lets nobody in");

    // Nobody new gets in as operator, at any server; the owner does, from the browser that is known.
    let right = format!("name=operator&password={PASSWORD}");
    for server in &servers {
        assert_eq!(sign_in(server, 77, &right, "").await, Said::Wait);
        assert_eq!(sign_in(server, 78, &right, "made-up").await, Said::Wait);
    }
    assert_eq!(sign_in(&servers[2], 79, &right, &device).await, Said::In);
    // Others are not theirs to lock out.
    assert_eq!(sign_in(&servers[0], 80, &format!("name=viewer&password={PASSWORD}"), "").await, Said::In);
}

#[tokio::test]
async fn each_wrong_proof_and_each_wait_is_a_line_of_the_log_without_the_proof() {
    let house = House::new().await;
    let log = Log::default();
    let guard = log.listen(tracing::Level::WARN);
    let (before, wrong) = (house.denials().await, "canary-of-a-proof");

    for _ in 0..7 {
        house.send("", "POST /login", &format!("name=viewer&password={wrong}"), "text/html").await;
    }
    let operator = house.of(Role::Operator);
    let form = format!("present={wrong}&wanted={wrong}&again={wrong}");
    house.send(operator, "POST /account/password", &form, "text/html").await;
    house.send(operator, "POST /account/prove", &format!("password={wrong}"), "text/html").await;
    let form = format!("key={wrong}&name=invited&password={wrong}&again={wrong}");
    house.send("", "POST /welcome", &form, "text/html").await;
    // Into the wrong field.
    house.send("", "POST /login", "name=Canary+Of+A+Proof&password=x", "text/html").await;
    drop(guard);

    let text = log.text();
    let lines = |what: &str, whom: &str| {
        text.lines()
            .filter(|line| line.contains(what) && line.contains(whom) && line.contains("127.0.0.1"))
            .count()
    };
    assert_eq!(lines("a wrong password or code was given at /login", "viewer"), 6, "{text}");
    assert_eq!(lines("a proof at /login", "viewer"), 1, "{text}");
    assert_eq!(lines("a wrong password or code was given at /account ", "operator"), 1, "{text}");
    assert_eq!(lines("a wrong password or code was given at /account/prove", "operator"), 1, "{text}");
    assert_eq!(lines("a wrong password or code was given at /welcome", "invited"), 1, "{text}");
    assert_eq!(lines("a wrong password or code was given at /login", "for \"\""), 1, "{text}");
    assert!(!text.to_lowercase().contains("canary"), "{text}");
    assert_eq!(house.denials().await, before + 1, "that viewer has to wait");
}

#[tokio::test]
async fn a_name_that_nobody_has_is_looked_at_as_often_as_one_that_somebody_has() {
    let house = House::new().await;
    let people = house.people();
    people.add(&name("invited"), Role::Viewer, &[], "admin").await.unwrap();
    people.set_disabled(&name("support"), true, "admin", "").await.unwrap();
    for (number, who) in
        ["viewer", "nobody-at-all", "invited", "support", "no name at all!", ""].into_iter().enumerate()
    {
        let people = house.people();
        for guess in 0..8 {
            let address = format!("10.2.{number}.{guess}").parse().unwrap();
            let proof = reprieve_access::Proof { name: who, password: "guessed wrongly", code: "" };
            let visitor = reprieve_access::Visitor { address: Some(address), ..Default::default() };
            let tried = people.sign_in(&proof, &visitor).await.unwrap();
            let expected = if guess < 6 { reprieve_access::SignIn::Wrong } else { tried.clone() };
            assert_eq!(tried, expected, "{who:?}");
            assert_eq!(matches!(tried, reprieve_access::SignIn::Wait(_)), guess >= 6, "{who:?}");
        }
        assert_eq!(people.passwords_checked(), 6, "{who:?}: one hash for each guess that is looked at");
    }
}
