//! Who gets in, and what opens for whom: by raw HTTP, on the whole router.

use super::house::{House, PASSWORD, SECRET, asking, method_of, name, person, who};
use app::api;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use futures_util::StreamExt as _;
use http::{Request, StatusCode};
use reprieve::model::matrix::{ACTIONS, Grant, MATRIX};
use reprieve::model::{CronEntry, Delay, JobId, NewToken, Permission, Role, StateGroup};
use reprieve::{Due, NewJob};
use reprieve_access::{Principal, Tokens};
use reprieve_server::route_policy;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tower::ServiceExt as _;

#[tokio::test]
async fn every_door_opens_for_whom_the_matrix_says_and_for_nobody_else() {
    let house = House::new().await;
    let callers: Vec<Option<Role>> = house.sessions.keys().copied().collect();
    let mut differences = Vec::new();
    let mut opened: BTreeSet<(Permission, Option<Role>)> = BTreeSet::new();
    let mut with_door = BTreeSet::new();
    for door in route_policy() {
        let Some(needs) = door.needs else { continue };
        // Ends the session it is sent with; there is a test for it.
        if door.path == "/logout" || door.path == "/account/sessions/end" {
            continue;
        }
        for &caller in &callers {
            let expected = caller.is_some_and(|role| needs.iter().all(|&right| role.may(right)));
            let list = if door.path.starts_with("/export/") { "?list=delay" } else { "" };
            let request = format!("{} {}{list}", method_of(&door.path), door.path);
            let reply = house.call(&house.sessions[&caller], &request, "").await;
            if reply.is_denied() == expected {
                differences.push(format!("{} {request}: {}", who(caller), reply.status));
            }
            if let [only] = needs.as_slice() {
                with_door.insert(*only);
                if !reply.is_denied() {
                    opened.insert((*only, caller));
                }
            }
        }
    }
    // What is decided where the job is known, or by a page. Who has gone through all doors has acted often enough for a
    // minute.
    let inside = inside(&House::new().await).await;
    let (mut nowhere, mut shards) = (BTreeSet::new(), 0);
    for rule in MATRIX.iter().take(ACTIONS) {
        for &caller in &callers {
            shards += 1;
            let expected = caller.is_some_and(|role| rule.grants[role.column()] != Grant::No);
            let found = match inside.get(&(rule.permission, caller)) {
                Some(&found) => found,
                None if with_door.contains(&rule.permission) => opened.contains(&(rule.permission, caller)),
                None => {
                    nowhere.insert(rule.action);
                    continue;
                }
            };
            if found != expected {
                differences.push(format!("{}: {} is {found}", rule.action, who(caller)));
            }
        }
    }
    println!("{shards} shards, {} differences; without a door: {nowhere:?}", differences.len());
    assert!(differences.is_empty(), "{differences:#?}");
    assert_eq!(shards, 190);
    // What has no door on the screens can be done there by nobody.
    assert_eq!(nowhere.into_iter().collect::<Vec<_>>(), ["erase a subject"]);
}

/// Rights that are asked for where the job is known, or by the page that needs them.
async fn inside(house: &House) -> BTreeMap<(Permission, Option<Role>), bool> {
    let mut found = BTreeMap::new();
    let engine = house.redis.engine();
    for (&caller, session) in &house.sessions {
        let id = format!("in-{}", who(caller));
        house.given(&id, "mail", 1).await;
        let page = house.send(session, &format!("GET /job/{id}"), "", "text/html").await;
        found.insert((Permission::SeePayloads, caller), page.text.contains(SECRET));
        house.redis.damage(&id, "last_error", "first line\nthe-rest").await;
        let whom = caller.map_or_else(Principal::nobody, |role| person(role.as_str(), role, &[]));
        let read = house.read(&whom, api::jobs::get_job(id.parse().unwrap())).await;
        let is_whole = read.is_ok_and(|read| read.job.last_error.contains("the-rest"));
        found.insert((Permission::SeeErrors, caller), is_whole);
        for (right, page) in [(Permission::SeeRedis, "/redis"), (Permission::SeeAudit, "/audit")] {
            let seen = house.call(session, &format!("GET {page}"), "").await;
            found.insert((right, caller), seen.status == StatusCode::OK);
        }
        let run = house.call(session, "POST /api/fn/retry_job", &format!("id={id}")).await;
        found.insert((Permission::RunJobs, caller), run.status == StatusCode::OK);
        let _ = engine.operator("t").retry_now(&id.parse().unwrap()).await;
        house.claim("mail").await;
        let stop = house.call(session, "POST /api/fn/cancel_job", &format!("id={id}")).await;
        found.insert((Permission::StopJobs, caller), stop.status == StatusCode::OK);
    }
    found
}

#[tokio::test]
async fn without_a_session_only_the_way_in_is_open() {
    let house = House::new().await;
    let pages = app::door::PAGES.iter().map(|area| format!("/{area}"));
    let mut paths: Vec<String> = route_policy().into_iter().map(|door| door.path).chain(pages).collect();
    paths.extend(
        ["/nowhere", "/job/a", "/api/v1/jobs", "/api/v1/nowhere", "/api/fn/nowhere"].map(str::to_owned),
    );
    let mut open = Vec::new();
    for path in paths.iter().filter(|path| !["/login", "/welcome", "/first"].contains(&path.as_str())) {
        for method in ["GET", "POST"] {
            let reply = house.call("", &format!("{method} {path}"), "").await;
            let shut = [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED].contains(&reply.status);
            if !reply.is_denied() && !shut {
                open.push(format!("{method} {path}"));
            }
        }
    }
    assert_eq!(open, ["GET /healthz", "GET /readyz"]);
    let page = house.send("", "GET /jobs/delay?queue=mail", "", "text/html").await;
    assert_eq!(page.location(), Some("/login?next=%2Fjobs%2Fdelay%3Fqueue%3Dmail"));
    let login = house.send("", "GET /login?next=//evil.example", "", "text/html").await;
    assert_eq!(login.status, StatusCode::OK);
    assert!(login.text.contains("name=\"next\"") && !login.text.contains("evil"), "{}", login.text);
    assert!(login.text.contains("<title>Sign in · Reprieve</title>"), "{}", login.text);
    assert!(!login.text.contains("live.js"), "nobody runs anything of ours before they are in");
    let csp = login.headers["content-security-policy"].to_str().unwrap();
    assert!(csp.contains("default-src 'none'") && csp.contains("frame-ancestors 'none'"), "{csp}");
}

#[tokio::test]
async fn a_link_from_another_site_leads_a_person_who_is_signed_in_to_the_page_and_nobody_else() {
    let house = House::new().await;
    let ask = async |session: &str, site: &str, place: &str| {
        let mut request = asking(session, &format!("GET {place}"), "text/html");
        request.headers_mut().unwrap().insert("sec-fetch-site", site.parse().unwrap());
        house.raw(request.body(Body::empty()).unwrap()).await
    };
    // Browsers keep the session from the first two, and bring it with the third, which our own page asks for.
    let away = ask("", "cross-site", "/jobs/delay?queue=mail").await;
    let login = "/login?next=%2Fjobs%2Fdelay%3Fqueue%3Dmail";
    assert_eq!(away.location(), Some(login));
    let on = ask("", "cross-site", login).await;
    assert_eq!((on.status, on.cookie("rp")), (StatusCode::OK, None));
    assert_eq!(on.headers["refresh"], "0; url=/jobs/delay?queue=mail");
    assert!(
        on.text.contains("href=\"/jobs/delay?queue=mail\"") && !on.text.contains("password"),
        "{}",
        on.text
    );
    let there = ask(house.of(Role::Viewer), "same-origin", "/jobs/delay?queue=mail").await;
    assert_eq!(there.status, StatusCode::OK);

    // A visitor who is not signed in is shown the form then.
    assert_eq!(ask("", "same-origin", "/jobs/delay?queue=mail").await.location(), Some(login));
    let form = ask("", "same-origin", login).await;
    assert!(
        !form.headers.contains_key("refresh") && form.text.contains("name=\"password\""),
        "{}",
        form.text
    );
    // What a page has to say is said, and nothing leads out of here.
    let said = ask("", "cross-site", "/login?next=%2F&said=account.oidc_group").await;
    assert!(
        !said.headers.contains_key("refresh") && said.text.contains("name=\"password\""),
        "{}",
        said.text
    );
    for next in ["//evil.example", "https://evil.example", "/api/fn/whoami", "/logout"] {
        let on = ask("", "cross-site", &format!("/login?next={next}")).await;
        assert_eq!(on.headers["refresh"], "0; url=/", "{next}");
    }
}

#[tokio::test]
async fn signing_in_gives_a_new_id_and_signing_out_ends_it_for_every_door() {
    let house = House::new().await;
    let planted = "0".repeat(64);
    let form = format!("name=viewer&password={PASSWORD}&next=%2Fworkers");
    let reply = house.send(&planted, "POST /login", &form, "text/html").await;
    assert_eq!((reply.status, reply.location()), (StatusCode::SEE_OTHER, Some("/workers")));
    let set: Vec<_> = reply.headers.get_all("set-cookie").iter().map(|v| v.to_str().unwrap()).collect();
    assert!(set.iter().all(|text| text.contains("HttpOnly; SameSite=Strict")), "{set:?}");
    let session = reply.cookie("rp").unwrap();
    assert_ne!(session, planted);
    assert!(house.call(&planted, "GET /api/fn/whoami", "").await.is_denied());
    assert_eq!(house.call(&session, "GET /api/fn/whoami", "").await.status, StatusCode::OK);

    let bye = house.send(&session, "POST /logout", "", "text/html").await;
    assert_eq!(bye.headers["clear-site-data"], "\"cache\", \"storage\"");
    assert_eq!(bye.cookie("rp").as_deref(), Some(""));
    for door in route_policy().into_iter().filter(|door| door.needs.is_some()) {
        let request = format!("{} {}", method_of(&door.path), door.path);
        assert_eq!(house.call(&session, &request, "").await.status, StatusCode::UNAUTHORIZED, "{request}");
    }
}

#[tokio::test]
async fn a_wrong_proof_says_the_same_of_everybody() {
    let house = House::new().await;
    let mut answers = BTreeSet::new();
    for who in ["viewer", "nobody-here", "ADMIN", "<script>", ""] {
        let form = format!("name={who}&password=wrong&next=%2F");
        let reply = house.send("", "POST /login", &form, "text/html").await;
        let set = reply.headers.contains_key("set-cookie");
        answers.insert((reply.status, reply.location().map(ToOwned::to_owned), set));
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
    for form in ["name=viewer&password=x&role=admin", "name=viewer&name=admin&password=x", "name=viewer"] {
        let reply = house.send("", "POST /login", form, "text/html").await;
        assert!(reply.status.is_client_error(), "{form}: {}", reply.status);
    }
}

#[tokio::test]
async fn the_first_link_is_good_once_and_on_this_machine() {
    let (house, key) = House::empty().await;
    let form = |key: &str, name: &str| format!("key={key}&name={name}&password={PASSWORD}&again={PASSWORD}");
    for wrong in ["", "0", &"0".repeat(32)] {
        let reply = house.call("", "POST /first", &form(wrong, "eve")).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN);
    }
    let far: SocketAddr = "10.0.0.9:1".parse().unwrap();
    let from_far = Request::post("/first")
        .header("host", "localhost")
        .header("content-type", "application/x-www-form-urlencoded")
        .extension(ConnectInfo(far))
        .body(Body::from(form(&key, "eve")))
        .unwrap();
    let refused = house.raw(from_far).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(
        refused.text.contains("link_not_here") && refused.text.contains("people add"),
        "{}",
        refused.text
    );
    assert!(house.people().is_empty().await.unwrap());
    // A visitor who comes through a published port is told what works, before they fill anything in.
    let ask = |path: &str, peer: SocketAddr| {
        let request = Request::get(path).header("host", "localhost").header("accept", "text/html");
        request.extension(ConnectInfo(peer)).body(Body::empty()).unwrap()
    };
    let page = format!("/first?key={key}");
    let sent_on = house.raw(ask(&page, far)).await;
    let said = sent_on.location().unwrap().to_owned();
    assert_eq!(said, format!("/first?key={key}&said=account.first_elsewhere"));
    let shown = house.raw(ask(&said, far)).await.text;
    assert!(shown.contains("reprieve people add NAME --role admin"), "{shown}");
    let here = house.raw(ask(&page, "127.0.0.1:1".parse().unwrap())).await;
    assert_eq!(here.status, StatusCode::OK, "{:?}", here.location());

    let reply = house.send("", "POST /first", &form(&key, "ann"), "text/html").await;
    assert_eq!(reply.location(), Some("/"), "{}", reply.text);
    let session = reply.cookie("rp").unwrap();
    assert_eq!(house.call(&session, "GET /people", "").await.status, StatusCode::OK);
    assert_eq!(house.call("", "POST /first", &form(&key, "eve")).await.status, StatusCode::FORBIDDEN);
    assert!(house.people().get(&name("eve")).await.unwrap().is_none());
    // The link says so before anybody fills anything in.
    let over = house.raw(ask(&page, "127.0.0.1:1".parse().unwrap())).await.location().unwrap().to_owned();
    assert_eq!(over, format!("/first?key={key}&said=account.first_over"));
    assert!(!house.raw(ask(&over, far)).await.text.contains("new-password"));
}

#[tokio::test]
async fn a_first_link_that_is_over_is_told_of_on_its_page_in_the_language_of_the_reader() {
    let (house, _) = House::empty().await;
    let form = format!("key=0&name=eve&password={PASSWORD}&again={PASSWORD}");
    let reply = house.send("", "POST /first", &form, "text/html").await;
    let page = reply.location().unwrap_or_else(|| panic!("{} {}", reply.status, reply.text)).to_owned();
    assert!(page.ends_with("&said=account.first_over"), "{page}");
    for (language, says) in
        [("en", "This link is good once, for 15 minutes"), ("zh-CN", "此链接只能使用一次")]
    {
        let asked = asking("", &format!("GET {page}"), "text/html").header("accept-language", language);
        let shown = house.raw(asked.body(Body::empty()).unwrap()).await.text;
        assert!(shown.contains(says), "{language}: {shown}");
    }
}

#[tokio::test]
async fn rights_hold_in_the_queues_of_a_person_and_a_refusal_stands_in_the_audit() {
    let house = House::new().await;
    house.add("mailer", Role::Operator, &["mail".parse().unwrap()]).await;
    let mailer = house.session("mailer").await;
    for (id, queue) in [("mine", "mail"), ("theirs", "other")] {
        house.given(id, queue, 1).await;
    }
    let before = house.denials().await;
    let mut refused = 0;
    let (shut, gone) = (StatusCode::FORBIDDEN, StatusCode::NOT_FOUND);
    for (request, form, status) in [
        ("POST /api/fn/cancel_job", "id=theirs", gone),
        ("POST /api/fn/reinstate_job", "id=theirs", gone),
        ("POST /api/fn/retry_job", "id=theirs", gone),
        ("POST /api/fn/reschedule_job", "id=theirs&preset=%2B900", gone),
        ("POST /api/fn/hold_job", "id=theirs", gone),
        ("POST /api/fn/unhold_job", "id=theirs", gone),
        ("POST /api/fn/purge_job", "id=theirs&sure=true", gone),
        ("POST /api/fn/reveal_part", "id=theirs&part=%2Fa&reason=r", gone),
        ("POST /api/fn/pause_queue", "queue=other", shut),
        ("POST /api/fn/cancel_subject", "subject=s:1", shut),
        ("POST /api/fn/duplicate_job", "id=theirs&preset=%2B900", gone),
        ("GET /job/theirs", "", gone),
        ("GET /jobs/delay?queue=other", "", shut),
        ("GET /queue/other", "", shut),
        ("GET /dead?queue=other", "", shut),
    ] {
        let reply = house.call(&mailer, request, form).await;
        assert_eq!(reply.status, status, "{request} {form}: {}", reply.text);
        assert!(!reply.text.contains(SECRET));
        refused += usize::from(request.starts_with("POST"));
    }
    assert_eq!(house.denials_up_to(before + refused).await, before + refused);

    for (request, form) in [
        ("GET /job/mine", ""),
        ("GET /jobs/delay?queue=mail", ""),
        ("GET /queue/mail", ""),
        ("POST /api/fn/cancel_job", "id=mine"),
        ("POST /api/fn/pause_queue", "queue=mail"),
    ] {
        let reply = house.call(&mailer, request, form).await;
        assert_eq!(reply.status, StatusCode::OK, "{request} {form}: {}", reply.text);
    }
    let rows = house.call(&mailer, "GET /jobs/delay?part=rows&ids=mine,theirs", "").await;
    assert!(rows.text.contains("job:mine") && !rows.text.contains("job:theirs"), "{}", rows.text);
    let mailer = person("mailer", Role::Operator, &["mail".parse().unwrap()]);
    let counts = house.read(&mailer, api::jobs::count_queues()).await.unwrap();
    assert_eq!(counts.iter().map(|(queue, _)| queue.as_str()).collect::<Vec<_>>(), ["mail"]);
    // Theirs is delayed; mine was called off above.
    let asked =
        [(StateGroup::Cancelled, ""), (StateGroup::Delay, "queue:other"), (StateGroup::Delay, "id:theirs")];
    let asked = asked.map(|(group, line)| (group, line.to_owned()));
    let tallies = house.read(&mailer, api::filter::count_jobs(&asked)).await.unwrap();
    assert_eq!(tallies.iter().map(|tally| tally.found).collect::<Vec<_>>(), [1, 0, 0], "mine alone");
}

#[tokio::test]
async fn support_sees_its_own_acts_and_who_is_bound_to_queues_those_of_the_queues() {
    let house = House::new().await;
    house.add("mailer", Role::Operator, &["mail".parse().unwrap()]).await;
    let mailer = house.session("mailer").await;
    for (id, queue) in [("in-mail", "mail"), ("in-other", "other"), ("by-support", "other")] {
        house.given(id, queue, 1).await;
    }
    for (session, id) in [
        (house.of(Role::Admin), "in-mail"),
        (house.of(Role::Admin), "in-other"),
        (house.of(Role::Support), "by-support"),
    ] {
        let held = house.call(session, "POST /api/fn/hold_job", &format!("id={id}")).await;
        assert_eq!(held.status, StatusCode::OK, "{}", held.text);
    }
    for (session, seen) in [
        (house.of(Role::Admin), ["in-mail", "in-other", "by-support"].as_slice()),
        (house.of(Role::Support), &["by-support"]),
        (&mailer, &["in-mail"]),
    ] {
        let audit = house.send(session, "GET /audit", "", "text/html").await;
        let found: Vec<_> = ["in-mail", "in-other", "by-support"]
            .into_iter()
            .filter(|id| audit.text.contains(&format!("/job/{id}\"")))
            .collect();
        assert_eq!(found, seen, "{}", audit.text);
    }
}

#[tokio::test]
async fn support_puts_a_job_off_by_thirty_days_at_most_through_every_door() {
    let house = House::new().await;
    for (role, [too_far, near]) in [
        (Role::Support, [StatusCode::FORBIDDEN, StatusCode::OK]),
        (Role::Operator, [StatusCode::OK, StatusCode::OK]),
    ] {
        for (days, expected) in [(32, too_far), (29, near)] {
            let id = format!("{role}-{days}");
            house.given(&id, "mail", 1).await;
            let (seconds, minutes) = (days * 86_400, days * 1_440);
            let now = house.redis.engine().now().await.unwrap();
            let then = now + Delay::days(days);
            let written = jiff::Timestamp::from_millisecond(then.as_millis()).unwrap();
            let written = written.strftime("%Y-%m-%dT%H:%M");
            for (door, form) in [
                ("reschedule_job", format!("id={id}&preset=%2B{seconds}")),
                ("freeze_bulk", format!("verb=reschedule&group=delay&all=1&preset=%2B{seconds}")),
                (
                    "freeze_bulk",
                    format!("verb=reschedule&group=delay&all=1&preset=%2B60&spread_minutes={minutes}"),
                ),
                ("freeze_bulk", format!("verb=reschedule&group=delay&all=1&due={written}")),
                (
                    "spread_peak",
                    format!("from={}&to={}&minutes={minutes}", now.as_millis(), then.as_millis()),
                ),
                (
                    "act_on_desk",
                    format!("subject=s:1&verb=postpone&jobs={id}~9&later=%2B{seconds}&operation={id}"),
                ),
                ("cancel_job", format!("id={id}")),
                ("reinstate_job", format!("id={id}&at={written}")),
            ] {
                let expected = if door == "cancel_job" { StatusCode::OK } else { expected };
                let reply = house.call(house.of(role), &format!("POST /api/fn/{door}"), &form).await;
                assert_eq!(reply.status, expected, "{role} {door} {form}: {}", reply.text);
                if expected == StatusCode::FORBIDDEN {
                    assert!(reply.text.contains("too_far"), "{}", reply.text);
                }
            }
        }
    }
}

/// What one right opens is not to be had by an act that another right opens.
#[tokio::test]
async fn who_may_run_no_job_before_its_time_and_stop_none_does_it_by_no_other_door() {
    let house = House::new().await;
    let engine = house.redis.engine();
    for (role, refused) in [(Role::Support, true), (Role::Operator, false)] {
        let asked = async |door: &str, form: String, lacks: &str| {
            let reply = house.call(house.of(role), &format!("POST /api/fn/{door}"), &form).await;
            let expected = if refused { StatusCode::FORBIDDEN } else { StatusCode::OK };
            assert_eq!(reply.status, expected, "{role} {door} {form}: {}", reply.text);
            assert!(!refused || reply.text.contains(lacks), "{door}: {}", reply.text);
            reply
        };
        let row = async |id: &str| {
            engine.inspector().rows(&[id.parse().unwrap()]).await.unwrap().pop().unwrap().unwrap()
        };
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M").to_string();
        for (door, form) in [
            ("reschedule_job", "id={id}&preset=%2B0"),
            ("retry_job", "id={id}"),
            ("freeze_bulk", "verb=retry_now&group=delay&jobs[0]={id}~1"),
            ("freeze_bulk", "verb=reschedule&group=delay&jobs[0]={id}~1&due={now}"),
        ] {
            let id = format!("{role}-{door}-{}", form.len());
            house.given(&id, "mail", 2).await;
            asked(door, form.replace("{id}", &id).replace("{now}", &now), "jobs.run").await;
        }
        // Called off and set going again is run as well.
        let id = format!("{role}-twice");
        house.given(&id, "mail", 2).await;
        engine.operator("t").cancel(&id.parse().unwrap()).await.unwrap();
        asked("reinstate_job", format!("id={id}&at={now}"), "jobs.run").await;
        asked("retry_job", format!("id={id}"), "jobs.run").await;

        let id = format!("{role}-runs");
        house.given(&id, "running", 2).await;
        engine.operator("t").retry_now(&id.parse().unwrap()).await.unwrap();
        house.claim("running").await;
        let version = row(&id).await.version;
        let cancel = format!("verb=cancel&group=active&jobs[0]={id}~{version}");
        asked("freeze_bulk", cancel.clone(), "jobs.stop").await;
        // Nor by starting what somebody else has frozen.
        let frozen = house.call(house.of(Role::Operator), "POST /api/fn/freeze_bulk", &cancel).await;
        let run: Value = serde_json::from_str(&frozen.text).unwrap();
        asked("start_bulk", format!("run={}", run["id"].as_str().unwrap()), "jobs.stop").await;
    }
    let runs = |id: &str| format!("support-{id}").parse::<JobId>().unwrap();
    let stopped = engine.inspector().job(&runs("runs")).await.unwrap().unwrap().job;
    assert_eq!(stopped.cancel_requested, None, "{stopped:?}");
}

#[tokio::test]
async fn a_viewer_gets_no_byte_of_a_payload_anywhere() {
    let house = House::new().await;
    let id = || JobId::new("a").unwrap();
    house.given("a", "mail", 1).await;
    let progress = r#"{"percent":"40","text":"charging canary-4f1c","at":"1","attempt":"1"}"#;
    let last_error = "no charge for canary-4f1c of canary-4f1c\nat line 7";
    let record = [("result", SECRET), ("last_error", last_error), ("progress", progress)];
    for (field, value) in record {
        house.redis.damage("a", field, value).await;
    }
    let mut entry = CronEntry::new("nightly".parse().unwrap(), "@daily", "k".parse().unwrap());
    entry.payload = format!("{{\"a\":\"{SECRET}\"}}").into_bytes();
    entry.headers.insert("authorization".to_owned(), SECRET.to_owned());
    house.redis.engine().operator("t").put_cron(entry).await.unwrap();
    for (role, sees) in [(Role::Viewer, false), (Role::Support, true)] {
        let mut seen = Vec::new();
        for request in [
            "GET /search?find=a",
            "GET /schedules",
            "GET /schedule/nightly",
            "GET /schedule/nightly/edit",
            "GET /job/a",
            "GET /jobs/delay",
            "GET /jobs/delay?columns=a",
            "GET /jobs/delay?open=a",
            "GET /desk/s:1",
        ] {
            let reply = house.send(house.of(role), request, "", "text/html").await;
            assert_eq!(reply.status, StatusCode::OK, "{request}: {}", reply.text);
            if reply.text.contains(SECRET) {
                seen.push(request);
            }
        }
        assert_eq!(!seen.is_empty(), sees, "{role}: {seen:?}");
        let who = person(role.as_str(), role, &[]);
        let read = house.read(&who, api::jobs::get_job(id())).await.unwrap().job.progress.unwrap();
        let said = if sees { "charging canary-4f1c" } else { "•••• (hidden)" };
        assert_eq!(read.text, said, "{role}");
        assert_eq!(read.percent, 40, "how far it is tells nothing of it");
        let alike = house.read(&who, api::detail::get_same_error(id())).await.unwrap();
        assert_eq!(alike.is_some(), sees, "{role}: {alike:?}");
    }
    for (role, q, finds) in [
        (Role::Viewer, "payload.a:canary*", false),
        (Role::Viewer, "error:canary", false),
        (Role::Viewer, "canary", false),
        (Role::Support, "error:canary", true),
        // A person who sees the first lines of errors finds by those alone.
        (Role::Support, "error:\"at line 7\"", false),
        (Role::Operator, "error:\"at line 7\"", true),
    ] {
        let who = person(role.as_str(), role, &[]);
        let guess = api::filter::filter_jobs(StateGroup::Delay, q, None, None, 50, "");
        let guessed = house.read(&who, guess).await.unwrap();
        assert_eq!(guessed.rows.iter().any(|found| found.row.id == id()), finds, "{role} {q}: {guessed:?}");
    }
    for (role, q, total) in [
        (Role::Support, "error:canary", 1),
        (Role::Support, "error:%22at+line+7%22", 0),
        (Role::Operator, "error:%22at+line+7%22", 1),
    ] {
        let run = format!("verb=cancel&group=delay&all=1&q={q}");
        let frozen = house.call(house.of(role), "POST /api/fn/freeze_bulk", &run).await;
        let run: Value = serde_json::from_str(&frozen.text).unwrap();
        assert_eq!(run["total"], total, "a run finds what the list of {role} shows for {q}");
    }
}

#[tokio::test]
async fn what_is_hard_to_take_back_asks_again_who_it_is() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    house.proofs_are_old().await;
    let add = house.call(admin, "POST /people/add", "name=bob&role=viewer").await;
    assert_eq!((add.status, add.text.contains("prove_first")), (StatusCode::FORBIDDEN, true), "{}", add.text);
    let form = house.send(admin, "POST /people/add", "name=bob&role=viewer", "text/html").await;
    assert_eq!(form.location(), Some("/account/prove?next=%2Fpeople"));
    let empty = house.call(admin, "POST /api/fn/empty_list", "queue=mail&group=dead").await;
    assert!(empty.text.contains("prove_first"), "{}", empty.text);
    for (form, next) in [
        ("POST /api/fn/empty_list", "%2F"),
        ("POST /api/fn/clear_halt", "%2F"),
        ("POST /api/fn/set_second_person", "%2Fsettings"),
    ] {
        let led = house.send(admin, form, "", "text/html").await;
        assert_eq!(led.location(), Some(format!("/account/prove?next={next}").as_str()), "{form}");
    }
    for (page, link) in [
        ("/jobs/delay?queue=mail&said=error.prove_first", "/account/prove?next=/jobs/delay%3Fqueue%3Dmail\""),
        ("/account", "/account/prove?next=/account\""),
    ] {
        let shown = house.send(admin, &format!("GET {page}"), "", "text/html").await;
        assert!(shown.text.contains(link), "{page} leads to no proof: {}", shown.text);
    }

    let wrong = house.send(admin, "POST /account/prove", "password=wrong&next=%2Fpeople", "text/html").await;
    assert!(wrong.location().unwrap().ends_with("&said=account.wrong"), "{:?}", wrong.location());
    let proof = format!("password={PASSWORD}&next=%2Fpeople");
    let proved = house.send(admin, "POST /account/prove", &proof, "text/html").await;
    assert_eq!(proved.location(), Some("/people?said=account.proved"));
    let mut fresh = proved.cookie("rp").unwrap();
    assert!(house.call(admin, "GET /api/fn/whoami", "").await.is_denied(), "the id before is dead");
    for (next, place) in [
        ("%2Fjobs%2Fdead%3Fqueue%3Dmail", "/jobs/dead?queue=mail&said=account.proved"),
        ("%2Fjobs%2Fdead%3Fsaid%3Derror.prove_first", "/jobs/dead?said=account.proved"),
        // There nothing was tried that could be done again.
        ("%2Faccount", "/account?said=account.proved_ahead"),
    ] {
        let proof = format!("password={PASSWORD}&next={next}");
        let proved = house.send(&fresh, "POST /account/prove", &proof, "text/html").await;
        assert_eq!(proved.location(), Some(place));
        fresh = proved.cookie("rp").unwrap();
    }
    let account = house.send(&fresh, "GET /account?said=account.proved_ahead", "", "text/html").await;
    assert!(account.text.contains("Confirmed. It holds for five minutes."), "{}", account.text);
    let added = house.call(&fresh, "POST /people/add", "name=bob&role=viewer").await;
    assert_eq!(added.status, StatusCode::OK);
    let link = added.text.split("http://localhost").nth(1).unwrap().split('<').next().unwrap();
    let welcome = house.send("", &format!("GET {}", link.replace("&amp;", "&")), "", "text/html").await;
    assert!(welcome.text.contains("bob"));
}

#[tokio::test]
async fn a_stream_ends_soon_after_its_session() {
    let house = House::new().await;
    let open = async |session: &str| {
        let request =
            Request::get("/events").header("host", "localhost").header("cookie", format!("rp={session}"));
        let response = house.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        response.into_body()
    };
    let streams = [open(house.of(Role::Viewer)).await, open(house.of(Role::Support)).await]
        .map(|stream| tokio::spawn(async move { to_bytes(stream, 1 << 24).await.map(drop) }));
    let began = Instant::now();
    house.people().set_disabled(&name("viewer"), true, "admin", "").await.unwrap();
    house.people().sign_out(house.of(Role::Support)).await.unwrap();
    for stream in streams {
        tokio::time::timeout(Duration::from_secs(20), stream)
            .await
            .expect("the stream goes on")
            .unwrap()
            .unwrap();
    }
    println!("both streams ended after {} ms", began.elapsed().as_millis());
    assert!(house.call(house.of(Role::Viewer), "GET /events", "").await.is_denied());
}

#[tokio::test]
async fn a_header_that_is_for_a_proxy_before_us_keeps_nobody_from_the_stream() {
    let house = House::new().await;
    let ask = async |session: &str, authorization: &str| {
        let request = asking(session, "GET /events", "text/event-stream");
        let request = request.header("authorization", authorization);
        house.raw(request.body(Body::empty()).unwrap()).await.status
    };
    for scheme in ["Basic YTpi", "Digest username=\"a\"", "bearing x"] {
        assert_eq!(ask(house.of(Role::Viewer), scheme).await, StatusCode::OK, "{scheme}");
        assert_eq!(ask("", scheme).await, StatusCode::UNAUTHORIZED, "{scheme}");
    }
    // A token is checked, signed in or not.
    for token in ["Bearer", "bearer x", "BEARER rpv_x"] {
        assert_eq!(ask(house.of(Role::Viewer), token).await, StatusCode::UNAUTHORIZED, "{token}");
    }
}

#[tokio::test]
async fn a_stream_ends_soon_after_its_token() {
    let house = House::new().await;
    let tokens = Tokens::new(house.redis.engine());
    let token = NewToken::new("watcher".parse().unwrap(), [Permission::View]);
    let text = tokens.add(&token, "admin").await.unwrap();
    let request = Request::get("/events").header("host", "localhost");
    let request = request.header("authorization", format!("Bearer {text}")).body(Body::empty()).unwrap();
    let response = house.router.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let stream = tokio::spawn(async move { to_bytes(response.into_body(), 1 << 24).await.map(drop) });
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(!stream.is_finished(), "it is good still");
    assert!(tokens.revoke(&token.name, "admin", "leaked").await.unwrap());
    let ended = tokio::time::timeout(Duration::from_secs(20), stream).await;
    ended.expect("the stream goes on").unwrap().unwrap();
}

#[tokio::test]
async fn what_a_page_reads_by_itself_while_nobody_is_at_it_is_no_use_of_the_session() {
    let house = House::new().await;
    let session = house.of(Role::Operator);
    let seen = async || {
        let all = house.redis.snapshot().await;
        let kept = all.iter().filter(|(key, _)| key.starts_with("session:")).map(|kept| format!("{kept:?}"));
        kept.collect::<Vec<_>>()
    };
    let ask = async |request: &str, form: &str, header: Option<&str>| {
        let mut asked = asking(session, request, "application/json");
        if let Some(name) = header {
            asked = asked.header(name, "1");
        }
        house.raw(asked.body(Body::from(form.to_owned())).unwrap()).await.status
    };
    // Everybody was last there some minutes ago.
    let ago = house.redis.engine().now().await.unwrap() - Delay::minutes(5);
    for (key, _) in house.redis.snapshot().await.iter().filter(|(key, _)| key.starts_with("session:")) {
        let key = format!("{}{key}", house.redis.prefix());
        house.redis.command(&["HSET", &key, "seen_ms", &ago.as_millis().to_string()]).await.unwrap();
    }
    let before = seen().await;

    for (request, form) in [
        ("GET /api/fn/whoami", ""),
        ("GET /jobs/delay?part=rows&ids=a", ""),
        ("GET /jobs/delay?part=count&q=kind:k", ""),
    ] {
        assert_eq!(ask(request, form, Some("x-unattended")).await, StatusCode::OK, "{request}");
        assert_eq!(seen().await, before, "{request}");
    }
    // Nobody acts by being away.
    let pause = ("POST /api/fn/pause_queue", "queue=mail");
    assert_eq!(ask(pause.0, pause.1, Some("x-unattended")).await, StatusCode::OK);
    assert_ne!(seen().await, before);
    let before = seen().await;
    assert_eq!(ask("GET /api/fn/whoami", "", None).await, StatusCode::OK);
    assert_eq!(seen().await, before, "it is written down once a minute");
}

#[tokio::test]
async fn a_caller_who_acts_faster_than_a_person_is_slowed_down() {
    let house = House::new().await;
    let operator = house.of(Role::Operator);
    let mut last = StatusCode::OK;
    for _ in 0..61 {
        last = house.call(operator, "POST /api/fn/pause_queue", "queue=mail").await.status;
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS);
    let looks = house.call(operator, "GET /api/fn/whoami", "").await;
    assert_eq!(looks.status, StatusCode::OK, "looking is not acting");
    for _ in 0..6 {
        last = house.call(operator, "GET /export/jobs.csv?list=delay", "").await.status;
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a_page_knows_when_the_sign_in_ends_whatever_somebody_does() {
    let house = House::new().await;
    let viewer = house.of(Role::Viewer);
    let before = house.redis.engine().now().await.unwrap();
    let page = house.send(viewer, "GET /", "", "text/html").await;
    let told = page.text.split_once("data-ends-ms=\"").expect(&page.text).1.split('"').next().unwrap();
    let left_ms = told.parse::<i64>().unwrap() - before.as_millis();
    assert!((7 * 3_600_000..=8 * 3_600_000).contains(&left_ms), "{left_ms}");

    for house in [House::open().await, House::demo().await] {
        let page = house.send("", "GET /", "", "text/html").await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(!page.text.contains("data-ends-ms"), "{}", page.text);
    }
}

#[tokio::test]
async fn a_form_that_comes_after_the_sign_in_has_ended_is_said_to_be_undone_and_leads_back_to_its_page() {
    let house = House::new().await;
    let gone = "0".repeat(64);
    for (door, next) in [
        ("/api/fn/set_look", "%2Fsettings%3Fsaid%3Derror.signed_out"),
        ("/people/add", "%2Fpeople%3Fsaid%3Derror.signed_out"),
        ("/account/password", "%2Faccount%3Fsaid%3Derror.signed_out"),
        ("/api/fn/act_on_desk", "%2Fdesk%3Fsaid%3Derror.signed_out"),
        ("/api/fn/cancel_job", "%2F%3Fsaid%3Derror.signed_out"),
    ] {
        let reply = house.send(&gone, &format!("POST {door}"), "", "text/html").await;
        let way_in = format!("/login?next={next}&said=error.signed_out");
        assert_eq!((reply.status, reply.location()), (StatusCode::SEE_OTHER, Some(&*way_in)), "{door}");
        for (language, says) in [("en", "so nothing was done"), ("zh-CN", "没有执行任何操作")] {
            let asked = asking("", &format!("GET {way_in}"), "text/html").header("accept-language", language);
            let shown = house.raw(asked.body(Body::empty()).unwrap()).await.text;
            assert!(shown.contains(says), "{language}: {shown}");
        }
    }
    // To sign out when one is out already is no mistake.
    let bye = house.send(&gone, "POST /logout", "", "text/html").await;
    assert_eq!(bye.location(), Some("/login?next=%2F"));

    let form = format!("name=admin&password={PASSWORD}&next=%2Fsettings%3Fsaid%3Derror.signed_out");
    let back = house.send("", "POST /login", &form, "text/html").await;
    assert_eq!(back.location(), Some("/settings?said=error.signed_out"));
}

#[tokio::test]
async fn a_form_that_somebody_may_not_send_or_not_so_often_leads_back_to_its_page() {
    let house = House::new().await;
    for (door, page) in [
        ("/api/fn/set_look", "/settings"),
        ("/people/add", "/people"),
        ("/api/fn/act_on_desk", "/desk"),
        ("/api/fn/put_schedule", "/schedules"),
        ("/api/fn/order_worker", "/workers"),
        ("/api/fn/start_bulk", "/bulk"),
        ("/api/fn/cancel_job", "/"),
    ] {
        let reply = house.send(house.of(Role::Viewer), &format!("POST {door}"), "", "text/html").await;
        let back = format!("{page}?said=error.forbidden");
        assert_eq!((reply.status, reply.location()), (StatusCode::SEE_OTHER, Some(&*back)), "{door}");
    }
    let admin = house.of(Role::Admin);
    for _ in 0..60 {
        house.call(admin, "POST /api/fn/pause_queue", "queue=mail").await;
    }
    for (door, page) in [
        ("/api/fn/set_look", "/settings"),
        ("/account/password", "/account"),
        ("/people/add", "/people"),
        ("/api/fn/pause_queue", "/"),
    ] {
        let reply = house.send(admin, &format!("POST {door}"), "", "text/html").await;
        let back = format!("{page}?said=error.rate_limited");
        assert_eq!((reply.status, reply.location()), (StatusCode::SEE_OTHER, Some(&*back)), "{door}");
    }
}

#[tokio::test]
async fn a_file_is_counted_once_there_is_one() {
    let house = House::new().await;
    let operator = house.of(Role::Operator);
    for (request, status) in [
        ("GET /export/jobs.csv?list=delay&q=kind:", StatusCode::UNPROCESSABLE_ENTITY),
        ("GET /export/outcomes.csv?run=nobodys", StatusCode::NOT_FOUND),
        ("GET /export/forecast.csv?date=tomorrow", StatusCode::UNPROCESSABLE_ENTITY),
        ("HEAD /export/jobs.jsonl?list=delay", StatusCode::OK),
        ("HEAD /export/forecast.csv", StatusCode::OK),
    ] {
        for _ in 0..2 {
            let reply = house.call(operator, request, "").await;
            assert_eq!(reply.status, status, "{request}: {}", reply.text);
            assert!(reply.text.is_empty() || !request.starts_with("HEAD"), "{request}: {}", reply.text);
        }
    }
    for file in ["jobs.csv?list=delay", "jobs.jsonl?list=delay", "forecast.csv", "jobs.csv?list=dead"] {
        let reply = house.call(operator, &format!("GET /export/{file}"), "").await;
        assert_eq!(reply.status, StatusCode::OK, "{file}: {}", reply.text);
    }
    let before = house.denials().await;
    let fifth = house.call(operator, "GET /export/forecast.csv", "").await;
    assert_eq!(fifth.status, StatusCode::OK, "{}", fifth.text);
    for file in ["jobs.csv?list=delay", "forecast.csv"] {
        let sixth = house.call(operator, &format!("GET /export/{file}"), "").await;
        assert_eq!(sixth.status, StatusCode::TOO_MANY_REQUESTS, "{file}: {}", sixth.text);
        assert!(sixth.text.contains("rate_limited") && sixth.headers.contains_key("retry-after"));
    }
    assert_eq!(house.denials().await, before + 2);
}

#[tokio::test]
async fn a_file_under_way_is_cut_when_its_reader_may_not_any_more() {
    let house = House::new().await;
    for number in 0..401 {
        house.given(&format!("j{number}"), "mail", 1).await;
    }
    let parts = async |who: &str, list: &str| {
        let session = house.session(who).await;
        let request = asking(&session, &format!("GET /export/{list}"), "*/*").body(Body::empty()).unwrap();
        let response = house.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        response.into_body().into_data_stream()
    };
    let mut whole = parts("admin", "jobs.csv?list=delay").await;
    let mut cut = parts("operator", "jobs.csv?list=delay").await;
    assert!(whole.next().await.unwrap().is_ok());
    assert!(cut.next().await.unwrap().is_ok());

    house.people().set_role(&name("operator"), Role::Viewer, &[], "admin", "").await.unwrap();

    assert!(cut.next().await.unwrap().is_err(), "nobody takes it for the whole");
    let rest: Vec<_> = whole.collect().await;
    assert!(rest.iter().all(Result::is_ok) && rest.len() == 2, "{} more parts", rest.len());
}

#[tokio::test]
async fn a_file_that_somebody_may_not_have_stands_in_the_audit() {
    let house = House::new().await;
    for (number, file) in ["jobs.csv?list=delay", "payloads.jsonl?list=delay", "audit.csv"].iter().enumerate()
    {
        let reply = house.call(house.of(Role::Viewer), &format!("GET /export/{file}"), "").await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{file}: {}", reply.text);
        assert_eq!(house.denials().await, number + 1, "{file}");
    }
}

#[tokio::test]
async fn payloads_are_taken_away_by_an_admin_who_has_just_proved_who_they_are() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let file = "GET /export/payloads.jsonl?list=delay&q=kind:k&columns=a";
    let refused = house.call(house.of(Role::Operator), file, "").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.text);
    let had = house.send(house.of(Role::Admin), file, "", "text/html").await;
    assert_eq!(had.status, StatusCode::OK, "{}", had.text);
    assert!(had.text.contains(SECRET), "{}", had.text);

    house.proofs_are_old().await;

    let unproved = house.send(house.of(Role::Admin), file, "", "text/html").await;
    let back = "/account/prove?next=%2Fjobs%2Fdelay%3Fq%3Dkind%253Ak%26columns%3Da";
    assert_eq!((unproved.status, unproved.location()), (StatusCode::SEE_OTHER, Some(back)));
    let unproved = house.call(house.of(Role::Admin), file, "").await;
    assert_eq!(unproved.status, StatusCode::FORBIDDEN, "{}", unproved.text);
    assert!(unproved.text.contains("prove_first") && !unproved.text.contains(SECRET), "{}", unproved.text);
}

#[tokio::test]
async fn a_file_that_a_page_does_not_get_leads_back_to_its_list_which_says_why() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let file = "GET /export/payloads.csv?list=delay&q=kind:k";
    let list = "/jobs/delay?q=kind%3Ak&said=";
    let lacking = house.send(house.of(Role::Operator), file, "", "text/html").await;
    let back = format!("{list}error.forbidden");
    assert_eq!((lacking.status, lacking.location()), (StatusCode::SEE_OTHER, Some(&*back)));
    let admin = house.of(Role::Admin);

    // A file under way is the only one of its reader until it is read or dropped.
    let way = asking(&house.session("admin").await, file, "text/html").body(Body::empty()).unwrap();
    let way = house.router.clone().oneshot(way).await.unwrap();
    let second = house.send(admin, file, "", "text/html").await;
    let back = format!("{list}error.export_running");
    assert_eq!((second.status, second.location()), (StatusCode::SEE_OTHER, Some(&*back)));
    let script = house.call(admin, file, "").await;
    assert_eq!(script.status, StatusCode::TOO_MANY_REQUESTS, "{}", script.text);
    drop(way);

    for n in 2..=5 {
        let reply = house.send(admin, file, "", "text/html").await;
        assert_eq!(reply.status, StatusCode::OK, "file {n}: {}", reply.text);
    }
    let sixth = house.send(admin, file, "", "text/html").await;
    assert_eq!(sixth.status, StatusCode::SEE_OTHER, "{}", sixth.text);
    assert!(sixth.location().unwrap().starts_with(&format!("{list}account.wait.")), "{:?}", sixth.location());
    let bare = house.send(admin, "GET /export/payloads.csv?list=delay", "", "text/html").await;
    assert!(bare.location().unwrap().starts_with("/jobs/delay?said=account.wait."), "{:?}", bare.location());
}

#[tokio::test]
async fn ten_runs_of_many_jobs_are_started_within_an_hour_and_small_ones_as_any_act() {
    let house = House::new().await;
    let operator = house.of(Role::Operator);
    let client = house.redis.engine().client();
    for n in 0..26 {
        let mut job = NewJob::new("k".parse().unwrap(), "{}");
        job.id = Some(format!("j{n}").parse().unwrap());
        job.due = Due::In(Delay::hours(1));
        client.enqueue_batch(vec![job]).await.unwrap();
    }
    let start = async |jobs: &str, fields: &str| {
        let frozen = house.call(operator, "POST /api/fn/freeze_bulk", jobs).await;
        let run: Value = serde_json::from_str(&frozen.text).unwrap();
        let form = format!("run={}&reason=a+whole+reason{fields}", run["id"].as_str().unwrap());
        house.call(operator, "POST /api/fn/start_bulk", &form).await.status
    };
    let small = "verb=hold&group=delay&jobs[0]=j1~1";
    for n in 1..=12 {
        assert_eq!(start(small, "").await, StatusCode::OK, "small run {n}");
    }
    let many = "verb=hold&group=delay&all=1";
    for n in 1..=10 {
        assert_eq!(start(many, "&count=26").await, StatusCode::OK, "run {n}");
    }
    assert_eq!(start(many, "&count=26").await, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(start(small, "").await, StatusCode::OK, "small ones go on");
    let audit = house.redis.snapshot().await["audit"].join("\n");
    assert!(audit.contains("too often"), "{audit}");
}

#[tokio::test]
async fn the_demo_signs_visitors_in_as_what_they_choose() {
    let house = House::demo().await;
    let page = house.send("", "GET /", "", "text/html").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("demo-banner"), "it does not say that it is the demo");
    let pause = "POST /api/fn/pause_queue";
    assert_eq!(house.call("", pause, "queue=mail").await.status, StatusCode::OK);
    let chosen = house.call("", "POST /api/fn/set_demo_role", "role=viewer").await;
    assert_eq!(chosen.cookie("demo-role").as_deref(), Some("viewer"));
    let as_viewer = Request::post("/api/fn/pause_queue")
        .header("host", "localhost")
        .header("cookie", "demo-role=viewer")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from("queue=mail"))
        .unwrap();
    assert_eq!(house.raw(as_viewer).await.status, StatusCode::FORBIDDEN);
    let elsewhere = House::new().await;
    let refused =
        elsewhere.call(elsewhere.of(Role::Viewer), "POST /api/fn/set_demo_role", "role=admin").await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_settings_show_everybody_the_table_that_the_gate_goes_by() {
    let house = House::new().await;
    for role in Role::ALL {
        let page = house.send(house.of(role), "GET /settings", "", "text/html").await;
        assert_eq!(page.status, StatusCode::OK, "{role}");

        let table = page.text.split("class=\"table rights\"").nth(1).expect("a table");
        let table = table.split("</table>").next().unwrap();
        let shown: Vec<_> = table.split("<tr data-action=\"").skip(1).map(right_shown).collect();

        let kept: Vec<_> = MATRIX
            .iter()
            .map(|rule| {
                let grants = rule.grants.map(|grant| match grant {
                    Grant::Yes => "yes",
                    Grant::No => "no",
                    Grant::Limited(_) => "limited",
                });
                (rule.action.to_owned(), rule.permission.to_string(), grants.join(" "))
            })
            .collect();
        assert_eq!(shown, kept, "{role}");
        let own = table.split("data-own=\"true\"").count() - 1;
        assert_eq!(own, 1, "{role} sees which column is theirs");
    }
}

#[tokio::test]
async fn a_person_who_is_bound_to_queues_sets_how_the_screens_look_to_them() {
    let house = House::new().await;
    house.add("mailer", Role::Operator, &["mail".parse().unwrap()]).await;
    let page = house.send(&house.session("mailer").await, "GET /settings", "", "text/html").await;
    assert!(page.text.contains("id=\"set-density\""), "{}", page.text);
    assert!(page.text.contains("holds in all of its queues"), "{}", page.text);
    assert!(!page.text.contains("You lack the permission"), "they lack none: {}", page.text);
    assert!(!page.text.contains("id=\"look-title\""), "{}", page.text);
}

/// What a row of the table of rights says: the action, its permission, and what each role gets.
fn right_shown(row: &str) -> (String, String, String) {
    let action = row.split('"').next().unwrap();
    let permission = row.split("<code>").nth(1).and_then(|rest| rest.split('<').next()).unwrap();
    let grants: Vec<_> =
        row.split("data-grant=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    (action.to_owned(), permission.to_owned(), grants.join(" "))
}
