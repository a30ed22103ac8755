//! Secrets planted everywhere, and looked for in all that comes out.

use super::log::Log;
use super::{ask, example, filled, operations};
use crate::house::{House, PASSWORD, SECRET, method_of, name, who};
use axum::body::Body;
use futures_util::StreamExt as _;
use http::{Method, Request};
use reprieve::model::{Delay, NewToken, Permission, RedactionRule, Role};
use reprieve::{Due, NewJob};
use reprieve_server::doors;
use std::time::Duration;
use tower::ServiceExt as _;

/// Stands where a rule hides it.
const HIDDEN: &str = "canary-hidden-77aa";

/// A secret, and who may get to see it where.
struct Canary {
    what: &'static str,
    text: String,
    may: fn(Option<Role>, &str) -> bool,
}

async fn planted(house: &House) -> Vec<Canary> {
    let engine = house.redis.engine();
    let hidden = RedactionRule { kinds: "*".to_owned(), path: "**.card".to_owned(), keep: 0 };
    engine.operator("t").set_redaction(&[hidden], "").await.unwrap();
    let mut jobs = Vec::new();
    for (id, hours) in [("waits", 1), ("ready", 0), ("fails", 0), ("held", 1), ("called-off", 1)] {
        let payload =
            format!("{{\"a\":\"{SECRET}\",\"card\":\"{HIDDEN}\",\"in\":[{{\"card\":\"{HIDDEN}\"}}]}}");
        let mut job = NewJob::new("k".parse().unwrap(), payload);
        job.id = Some(id.parse().unwrap());
        job.queue = if id == "fails" { "failing" } else { "mail" }.parse().unwrap();
        job.subject = Some("s:1".parse().unwrap());
        job.due = Due::In(Delay::hours(hours));
        jobs.push(job);
    }
    engine.client().enqueue_batch(jobs).await.unwrap();
    engine.operator("t").hold(&"held".parse().unwrap()).because("r").await.unwrap();
    engine.operator("t").cancel(&"called-off".parse().unwrap()).because("r").await.unwrap();
    house.claim("failing").await;

    let nobody = |_: Option<Role>, _: &str| false;
    let mut all = vec![
        Canary { what: "the hidden part of a payload", text: HIDDEN.to_owned(), may: nobody },
        Canary {
            what: "a payload",
            text: SECRET.to_owned(),
            may: |role, _| role.is_some_and(|role| role.may(Permission::SeePayloads)),
        },
        Canary { what: "a password", text: PASSWORD.to_owned(), may: nobody },
        Canary { what: "the hash of a password", text: "$argon2".to_owned(), may: nobody },
    ];
    for session in house.sessions.values().filter(|session| !session.is_empty()) {
        all.push(Canary { what: "a session", text: session.clone(), may: nobody });
    }
    for (key, _) in house.redis.snapshot().await {
        if let Some(kept) = key.strip_prefix("session:") {
            all.push(Canary { what: "the hash of a session", text: kept.to_owned(), may: nobody });
        }
    }
    let own_page: fn(Option<Role>, &str) -> bool =
        |role, door| role == Some(Role::Support) && door.contains("account");
    let factor = house.people().begin_second_factor(&name("support"), PASSWORD).await.unwrap().unwrap();
    all.push(Canary { what: "the secret of a second factor", text: factor.secret, may: own_page });
    let token = NewToken::new("looks".parse().unwrap(), [Permission::View]);
    let token = engine.tokens().add(&token, "admin").await.unwrap();
    all.push(Canary { what: "a token", text: token, may: nobody });
    let invitation = house.people().add(&name("guest"), Role::Viewer, &[], "admin").await.unwrap();
    all.push(Canary { what: "an invitation", text: invitation.secret, may: nobody });
    all
}

/// Somebody who may looks at the hidden part through each door that shows it, and gets it there.
async fn looked_at(house: &House) {
    let admin = house.of(Role::Admin);
    let by_script =
        house.call(admin, "POST /api/fn/reveal_part", "id=waits&part=%2Fcard&reason=canary").await;
    let form = "id=waits&part=%2Fin%2F0%2Fcard&reason=canary&back=%2Fjob%2Fwaits";
    let by_form = house.send(admin, "POST /reveal", form, "text/html").await;
    let bearer = format!("Bearer {}", house.token().await);
    let headers =
        [("host", "localhost"), ("authorization", bearer.as_str()), ("content-type", "application/json")];
    let body = r#"{"part": "/card", "reason": "canary"}"#;
    let by_api = ask(house, "POST", "/api/v1/jobs/waits/reveal", &headers, body).await.unwrap();
    for reply in [by_script, by_form, by_api] {
        assert!(reply.status.is_success() && reply.text.contains(HIDDEN), "{}", reply.text);
        assert_eq!(reply.headers["cache-control"], "no-store");
        assert!(!format!("{:?}", reply.headers).contains(HIDDEN), "{:?}", reply.headers);
    }
}

/// Everything that can be read, as a method and an address.
fn readable() -> Vec<String> {
    let mut all: Vec<String> = doors()
        .into_iter()
        .filter(|door| method_of(&door.path) == Method::GET && door.path != "/events")
        .flat_map(|door| {
            let ways = [
                "?id=waits&subject=s:1&text=waits&queue=mail&group=delay&list=delay&q=&columns=a,card",
                "?id=fails&subject=s:1&list=held&group=held&columns=card",
                "?id=held&list=ready&group=ready&q=payload.card:canary*",
            ];
            ways.map(|way| format!("GET {}{way}", door.path))
        })
        .collect();
    all.extend(
        [
            "/",
            "/job/waits",
            "/job/fails",
            "/job/held",
            "/job/called-off",
            "/jobs/delay?columns=a,card",
            "/jobs/ready",
            "/jobs/active",
            "/jobs/held",
            "/jobs/cancelled",
            "/desk/s:1",
            "/desk",
            "/dead",
            "/queue/mail",
            "/search?q=waits",
            "/bulk",
            "/import",
            "/redis",
            "/settings",
            "/workers",
            "/forecast",
            "/schedules",
            "/account",
            "/people",
            "/audit",
            "/nowhere",
            "/login",
            "/welcome",
        ]
        .map(|page| format!("GET {page}")),
    );
    for (_, path, operation) in operations().into_iter().filter(|(method, ..)| method == "GET") {
        all.push(format!("GET {}", filled(&path, operation, example)));
        all.push(format!("GET {}", filled(&path, operation, |_| "waits".to_owned())));
    }
    // Mistakes, whose answers like to repeat what they were given.
    all.extend(
        [
            "POST /login",
            "POST /first",
            "POST /welcome",
            "POST /account/password",
            "POST /people/add",
            "POST /api/fn/edit_job",
            "POST /api/fn/cancel_job",
            "POST /api/fn/put_schedule",
        ]
        .map(ToOwned::to_owned),
    );
    all
}

#[tokio::test]
async fn no_secret_comes_out_anywhere_for_whoever_may_not_see_it() {
    let house = House::new().await;
    let log = Log::default();
    let to = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || to.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let canaries = planted(&house).await;
    looked_at(&house).await;
    let requests = readable();
    let (mut answers, mut bytes, mut found, mut seen) = (0, 0, Vec::new(), 0);
    for (&caller, session) in &house.sessions {
        for request in &requests {
            let is_page = !request.contains("/api/") && !request.contains("/export/");
            let accept = if is_page { "text/html" } else { "application/json" };
            let form = format!(
                "name=support&password={PASSWORD}-not&present={PASSWORD}-not&wanted={PASSWORD}&again=x&key=0&id=waits&role=none"
            );
            let form = if request.starts_with("POST") { form.as_str() } else { "" };
            let reply = house.send(session, request, form, accept).await;
            let headers = format!("{:?}", reply.headers);
            for canary in &canaries {
                let is_there = reply.text.contains(&canary.text) || headers.contains(&canary.text);
                if is_there && !(canary.may)(caller, request) {
                    found.push(format!("{} for {}: {request}", canary.what, who(caller)));
                }
                seen += usize::from(is_there);
            }
            answers += 1;
            bytes += reply.text.len();
        }
    }
    // As a program that may only look.
    let token = &canaries.iter().find(|canary| canary.what == "a token").unwrap().text;
    let bearer = format!("Bearer {token}");
    for request in
        requests.iter().filter(|request| request.contains("/api/v1/") || request.contains("/metrics"))
    {
        let (method, path) = request.split_once(' ').unwrap();
        let headers = [("host", "localhost"), ("authorization", bearer.as_str())];
        let reply = ask(&house, method, path, &headers, "").await.unwrap();
        for canary in &canaries {
            // A token that may look sees payloads, but for what is hidden in them.
            if reply.text.contains(&canary.text) && canary.what != "a payload" {
                found.push(format!("{} for a token: {request}", canary.what));
            }
        }
        answers += 1;
    }
    drop(guard);
    let log = log.text();
    for canary in &canaries {
        if let Some(line) = log.lines().find(|line| line.contains(&canary.text)) {
            found.push(format!("{} in the log: {line:.300}", canary.what));
        }
    }
    println!("{} secrets, {answers} answers of {bytes} bytes, {} bytes of log", canaries.len(), log.len());
    assert!(seen > 10, "whoever may see payloads sees none: the search finds nothing");
    assert!(found.is_empty(), "{found:#?}");
}

#[tokio::test]
async fn the_stream_of_events_holds_no_payload_and_no_secret() {
    let house = House::new().await;
    let request = Request::get("/events")
        .header("host", "localhost")
        .header("cookie", format!("rp={}", house.of(Role::Viewer)));
    let response = house.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let mut stream = response.into_body().into_data_stream();
    let canaries = planted(&house).await;
    looked_at(&house).await;
    // Follows the looks, so that whatever they told has been told by then.
    house.given("after", "mail", 1).await;
    let mut text = String::new();
    let ends = tokio::time::Instant::now() + Duration::from_secs(20);
    while !text.contains("after") {
        let piece = tokio::time::timeout_at(ends, stream.next()).await.expect("nothing was told");
        text.push_str(&String::from_utf8_lossy(&piece.unwrap().unwrap()));
    }
    for canary in canaries {
        assert!(!text.contains(&canary.text), "{} in {text}", canary.what);
    }
}
