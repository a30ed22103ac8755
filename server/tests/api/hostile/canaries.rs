//! Secrets planted everywhere, and looked for in all that comes out.

use super::log::Log;
use super::{ask, example, filled, operations};
use crate::house::{House, PASSWORD, SECRET, method_of, name, who};
use crate::sink::Sink;
use axum::body::Body;
use futures_util::StreamExt as _;
use http::{Method, Request, StatusCode};
use reprieve::model::{
    AlertKind, AlertRule, BulkVerb, CronEntry, Delay, JobState, NewToken, Permission, QueueName,
    RedactionRule, Role, Timestamp,
};
use reprieve::{Due, Failure, JobContext, NewJob};
use reprieve_access::Tokens;
use reprieve_server::config::WebhookConfig;
use reprieve_server::route_policy;
use reprieve_server::webhook::Sender;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use tower::ServiceExt as _;

/// Stands where a rule hides it.
const HIDDEN: &str = "canary-hidden-77aa";
/// The first line of an error, which a person who sees payloads sees too. In letters alone: digits are masked in places.
const ERROR: &str = "canary of an error";
/// Stands below the first line of that error.
const TRACE: &str = "canary of a trace";
/// A line of a log.
const LINE: &str = "canary of a log";
/// Doors that nobody gets through here: there is no provider, and without a forwarder nothing is ready.
const SHUT: [&str; 3] = ["/login/oidc", "/login/oidc/callback", "/readyz"];

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
    let payload = json!({ "a": SECRET, "card": HIDDEN, "in": [{ "card": HIDDEN }] });
    for (id, queue, hours) in [
        ("waits", "mail", 1),
        ("ready", "mail", 0),
        ("fails", "failing", 0),
        ("held", "mail", 1),
        ("called-off", "mail", 1),
        ("dead", "ending", 0),
        ("done", "ending", 0),
    ] {
        let mut job = NewJob::new("k".parse().unwrap(), payload.to_string());
        job.id = Some(id.parse().unwrap());
        job.queue = queue.parse().unwrap();
        job.subject = Some("s:1".parse().unwrap());
        job.due = Due::In(Delay::hours(hours));
        jobs.push(job);
    }
    engine.client().enqueue_batch(jobs).await.unwrap();
    engine.operator("t").hold(&"held".parse().unwrap()).because("r").await.unwrap();
    engine.operator("t").cancel(&"called-off".parse().unwrap()).because("r").await.unwrap();
    house.claim("failing").await;
    ended(house).await;
    let mut entry = CronEntry::new("nightly".parse().unwrap(), "@daily", "k".parse().unwrap());
    entry.payload = payload.to_string().into_bytes();
    engine.operator("t").put_cron(entry).await.unwrap();
    engine.operator("t").bulk(BulkVerb::Cancel).id("run".parse().unwrap()).freeze().await.unwrap();
    let robot = house.token().await;
    let plan = json!({ "id": "plan", "subject": "s:1",
        "steps": [{ "name": "a", "offset_ms": 3_600_000, "job": { "kind": "k", "payload": payload } }] });
    let batch = json!({ "id": "batch", "completion": { "kind": "k", "payload": payload },
        "jobs": [{ "kind": "k", "delay_ms": 3_600_000, "payload": payload }] });
    for (path, body) in [("plans", plan), ("batches", batch)] {
        let made = house.by_token(&robot, &format!("POST /api/v1/{path}"), &body).await;
        assert_eq!(made.status, StatusCode::CREATED, "{path}: {}", made.text);
    }

    let nobody = |_: Option<Role>, _: &str| false;
    let mut all = vec![
        Canary { what: "the hidden part of a payload", text: HIDDEN.to_owned(), may: nobody },
        Canary {
            what: "a payload",
            text: SECRET.to_owned(),
            may: |role, _| role.is_some_and(|role| role.may(Permission::SeePayloads)),
        },
        Canary {
            what: "an error",
            text: ERROR.to_owned(),
            may: |role, _| role.is_some_and(|role| role.may(Permission::SeePayloads)),
        },
        Canary {
            what: "a trace",
            text: TRACE.to_owned(),
            may: |role, _| role.is_some_and(|role| role.may(Permission::SeeErrors)),
        },
        Canary {
            what: "a log",
            text: LINE.to_owned(),
            may: |role, _| role.is_some_and(|role| role.may(Permission::SeeErrors)),
        },
        Canary { what: "a token of everything", text: robot, may: nobody },
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
    let token = Tokens::new(engine).add(&token, "admin").await.unwrap();
    all.push(Canary { what: "a token", text: token, may: nobody });
    let invitation = house.people().add(&name("guest"), Role::Viewer, &[], "admin").await.unwrap();
    all.push(Canary { what: "an invitation", text: invitation.secret, may: nobody });
    all
}

/// Has a worker say what came of two jobs, of which one dies. No rule looks into errors and logs: nothing hidden is in them.
async fn ended(house: &House) {
    let engine = house.redis.engine();
    let worker = engine.worker().queue("ending".parse().unwrap(), 2).handler("k", async |job: JobContext| {
        job.log(LINE);
        job.set_result(&json!({ "a": SECRET, "card": HIDDEN }))?;
        match job.id().as_str() {
            "dead" => Err(Failure::fatal(format!("{ERROR}\n{TRACE}"))),
            _ => Ok(()),
        }
    });
    let worker = worker.start().await.unwrap();
    let ends = tokio::time::Instant::now() + Duration::from_secs(60);
    for (id, state) in [("dead", JobState::Dead), ("done", JobState::Done)] {
        let id = id.parse().unwrap();
        while engine.inspector().job(&id).await.unwrap().unwrap().job.state != state {
            assert!(tokio::time::Instant::now() < ends, "{id} is not {state}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    worker.shutdown().await;
}

/// When the job was called off that is: the name of its receipt.
async fn called_off_at(house: &House) -> Timestamp {
    let found = house.redis.engine().inspector().job(&"called-off".parse().unwrap()).await.unwrap().unwrap();
    found.job.ended.unwrap()
}

/// Somebody who may looks at the hidden part through each door that shows it, and gets it there.
async fn looked_at(house: &House, canaries: &[Canary]) {
    let admin = house.of(Role::Admin);
    let by_script =
        house.call(admin, "POST /api/fn/reveal_part", "id=waits&part=%2Fcard&reason=canary").await;
    let form = "id=waits&part=%2Fin%2F0%2Fcard&reason=canary&back=%2Fjob%2Fwaits";
    let by_form = house.send(admin, "POST /reveal", form, "text/html").await;
    let robot = canaries.iter().find(|canary| canary.what == "a token of everything").unwrap();
    let bearer = format!("Bearer {}", robot.text);
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

/// The doors that are read through, but for the stream.
fn read_through() -> impl Iterator<Item = String> {
    route_policy()
        .into_iter()
        .map(|door| door.path)
        .filter(|path| method_of(path) == Method::GET && path != "/events")
}

/// What a door has to be asked for, so that it shows what is planted.
fn asked(door: &str) -> String {
    let asked = match door.rsplit('/').next().unwrap() {
        "outcomes.csv" | "outcomes.jsonl" => "run=run",
        "jobs.csv" | "jobs.jsonl" => "list=delay&columns=a,card",
        "payloads.csv" | "payloads.jsonl" => "list=delay",
        _ => return door.to_owned(),
    };
    format!("{door}?{asked}")
}

/// What is planted there, by the name that an address of the HTTP API has for it.
fn planted_there(path: &str, parameter: &Value) -> String {
    let planted = match parameter["name"].as_str().unwrap() {
        "subject" => "s:1",
        "run" => "run",
        "name" => "nightly",
        _ if path.starts_with("/api/v1/plans") => "plan",
        _ if path.starts_with("/api/v1/batches") => "batch",
        _ => "dead",
    };
    planted.to_owned()
}

/// Everything of the HTTP API that is read, asked for what is planted.
fn read_by_programs() -> Vec<String> {
    let reads = operations().into_iter().filter(|(method, ..)| method == "GET");
    let asked = |(_, path, operation): (String, String, &'static Value)| {
        let asked = filled(&path, operation, |parameter| planted_there(&path, parameter));
        let needed = if path.ends_with("/cron-preview") { "?schedule=@daily" } else { "" };
        format!("GET {asked}{needed}")
    };
    reads.map(asked).collect()
}

/// Everything that can be read, as a method and an address.
fn readable(called_off: Timestamp) -> Vec<String> {
    let mut all: Vec<String> = read_through()
        .flat_map(|door| {
            let ways = [
                "?id=waits&subject=s:1&text=waits&queue=mail&group=delay&list=delay&q=&columns=a,card",
                "?id=fails&subject=s:1&list=held&group=held&columns=card",
                "?id=held&list=ready&group=ready&q=payload.card:canary*",
            ];
            let asked = format!("GET {}", asked(&door));
            ways.map(|way| format!("GET {door}{way}")).into_iter().chain([asked])
        })
        .collect();
    all.extend(
        [
            "/",
            "/job/waits",
            "/job/fails",
            "/job/held",
            "/job/called-off",
            "/job/dead",
            "/job/done",
            "/bulk/run",
            "/schedule/nightly",
            "/jobs/dead?columns=a,card",
            "/jobs/done?columns=a,card",
            "/jobs/delay?columns=a,card",
            "/jobs/ready",
            "/jobs/active",
            "/jobs/held",
            "/jobs/cancelled",
            "/jobs/dead?part=facets",
            "/jobs/dead?open=dead",
            "/desk/s:1",
            "/desk",
            "/desk?find=s:1",
            "/dead",
            "/queue/mail",
            "/search?find=waits",
            "/bulk/run?samples=0",
            "/bulk",
            "/import",
            "/redis",
            "/settings",
            "/workers",
            "/forecast",
            "/schedules",
            "/schedules/new?schedule=%40daily&zone=UTC",
            "/account",
            "/people",
            "/audit",
            "/nowhere",
            "/login",
            "/welcome",
        ]
        .map(|page| format!("GET {page}")),
    );
    all.push(format!("GET /desk/s:1?receipt={}", called_off.as_millis()));
    for (_, path, operation) in operations().into_iter().filter(|(method, ..)| method == "GET") {
        all.push(format!("GET {}", filled(&path, operation, example)));
        all.push(format!("GET {}", filled(&path, operation, |_| "waits".to_owned())));
    }
    all.extend(read_by_programs());
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

/// As if nobody had taken a file away: five an hour are few for this.
async fn forget_files(house: &House) {
    let pattern = format!("{}spent:*", house.redis.prefix());
    let reply = house.redis.command(&["KEYS", &pattern]).await.unwrap();
    let spent: Vec<String> = redis::from_redis_value(reply).unwrap();
    for key in spent {
        house.redis.command(&["DEL", &key]).await.unwrap();
    }
}

#[tokio::test]
async fn no_secret_comes_out_anywhere_for_a_reader_who_may_not_see_it() {
    let house = House::new().await;
    let log = Log::default();
    let guard = log.listen(tracing::Level::DEBUG);
    let canaries = planted(&house).await;
    looked_at(&house, &canaries).await;
    let called_off = called_off_at(&house).await;
    let requests = readable(called_off);
    let (mut answers, mut bytes, mut found, mut seen) = (0, 0, Vec::new(), BTreeSet::new());
    let mut answered = BTreeSet::new();
    for (&caller, session) in &house.sessions {
        for request in &requests {
            let is_page = !request.contains("/api/") && !request.contains("/export/");
            let accept = if is_page { "text/html" } else { "application/json" };
            let form = format!(
                "name=support&password={PASSWORD}-not&present={PASSWORD}-not&wanted={PASSWORD}&again=x&key=0&id=waits&role=none"
            );
            let form = if request.starts_with("POST") { form.as_str() } else { "" };
            if request.contains("/export/") {
                forget_files(&house).await;
            }
            let reply = house.send(session, request, form, accept).await;
            if reply.status == StatusCode::OK {
                answered.insert(request.clone());
            }
            let headers = format!("{:?}", reply.headers);
            for canary in &canaries {
                let is_there = reply.text.contains(&canary.text) || headers.contains(&canary.text);
                if is_there && !(canary.may)(caller, request) {
                    found.push(format!("{} for {}: {request}", canary.what, who(caller)));
                }
                if is_there {
                    seen.insert(canary.what);
                }
            }
            answers += 1;
            bytes += reply.text.len();
        }
    }
    // As a program that may only look, and as one that may do everything.
    for what in ["a token", "a token of everything"] {
        let token = &canaries.iter().find(|canary| canary.what == what).unwrap().text;
        let bearer = format!("Bearer {token}");
        for request in requests
            .iter()
            .filter(|request| ["/api/v1/", "/metrics", "/export/"].iter().any(|door| request.contains(door)))
        {
            let (method, path) = request.split_once(' ').unwrap();
            let headers = [("host", "localhost"), ("authorization", bearer.as_str())];
            let reply = ask(&house, method, path, &headers, "").await.unwrap();
            for canary in &canaries {
                // What only those see who may: a token that may do no more than look sees none of it.
                let told = ["a payload", "an error", "a trace", "a log"].contains(&canary.what);
                let may = told && what == "a token of everything";
                if reply.text.contains(&canary.text) && !may {
                    found.push(format!("{} for {what}: {request}", canary.what));
                }
            }
            if reply.status == StatusCode::OK {
                answered.insert(request.clone());
            }
            answers += 1;
        }
    }
    drop(guard);
    let log = log.text();
    // A worker logs what a job of its died of: that is what its operator looks for there.
    let told = ["an error", "a trace"];
    for canary in canaries.iter().filter(|canary| !told.contains(&canary.what)) {
        if let Some(line) = log.lines().find(|line| line.contains(&canary.text)) {
            found.push(format!("{} in the log: {line:.300}", canary.what));
        }
    }
    println!("{} secrets, {answers} answers of {bytes} bytes, {} bytes of log", canaries.len(), log.len());
    for what in ["a payload", "an error", "a trace", "a log"] {
        assert!(seen.contains(what), "a person who may see {what} sees none: the search finds nothing");
    }
    let doors = read_through().filter(|door| !SHUT.contains(&door.as_str()));
    let doors = doors.map(|door| format!("GET {}", asked(&door)));
    let mute: Vec<_> =
        doors.chain(read_by_programs()).filter(|request| !answered.contains(request)).collect();
    assert!(mute.is_empty(), "nobody was answered, so nothing could come out: {mute:#?}");
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
    looked_at(&house, &canaries).await;
    // Follows the looks, so that whatever they told has been told by then.
    house.given("after", "mail", 1).await;
    let mut text = String::new();
    let ends = tokio::time::Instant::now() + Duration::from_secs(60);
    while !text.contains("after") {
        let piece = tokio::time::timeout_at(ends, stream.next()).await.expect("nothing was told");
        text.push_str(&String::from_utf8_lossy(&piece.unwrap().unwrap()));
    }
    for canary in canaries {
        assert!(!text.contains(&canary.text), "{} in {text}", canary.what);
    }
}

#[tokio::test]
async fn what_an_alert_sends_holds_no_payload_and_no_secret() {
    let house = House::new().await;
    let canaries = planted(&house).await;
    let engine = house.redis.engine();
    let sink = Sink::answering(Some((200, Vec::new(), Vec::new()))).await;
    let webhook = WebhookConfig::from_flag(&format!("reprieve_alert=http://{}/in", sink.address), true);
    let sender = Sender::new(vec![webhook.unwrap()]).unwrap();
    let accepting = sender.clone();
    let worker = engine
        .worker()
        .queue(QueueName::new("reprieve_alerts").unwrap(), 1)
        .accepts(move |kind, queue| accepting.accepts(kind, queue))
        .handler_for_all(move |job| {
            let sender = sender.clone();
            async move { sender.deliver(job).await }
        });
    let worker = worker.start().await.unwrap();
    let rule = AlertRule { what: AlertKind::Dead, queue: None, over: 0 };
    engine.operator("t").set_alerts(&[rule], "").await.unwrap();

    let maintenance = engine.maintenance().start();
    let delivery = sink.deliveries(1).await.remove(0);

    let sent = format!("{:?} {}", delivery.headers, String::from_utf8_lossy(&delivery.body));
    assert!(sent.contains("ending"), "it tells of the queue in which a job died: {sent}");
    for canary in canaries {
        assert!(!sent.contains(&canary.text), "{} in {sent}", canary.what);
    }
    maintenance.shutdown().await;
    worker.shutdown().await;
}
