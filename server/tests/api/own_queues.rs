//! Many jobs at once, by people and programs who are bound to queues.

use super::house::{House, person};
use app::api;
use axum::body::Body;
use futures_util::StreamExt as _;
use http::{Request, StatusCode};
use reprieve::model::{
    BulkFilter, BulkRun, BulkVerb, CronEntry, Delay, JobState, NewToken, OutcomePlace, Permission, QueueName,
    Role, RunId, WorkerInfo,
};
use reprieve::{Due, NewJob};
use reprieve_access::Tokens;
use serde_json::{Value, json};
use std::time::Duration;
use tower::ServiceExt as _;

const MINE: usize = 49;

/// A house with 49 jobs in `mail`, one in `other`, and an operator who is bound to `mail`.
async fn house() -> (House, String) {
    let house = House::new().await;
    house.add("mailer", Role::Operator, &[mail()]).await;
    for number in 0..MINE {
        house.given(&format!("m{number}"), "mail", 1).await;
    }
    house.given("theirs", "other", 1).await;
    let mailer = house.session("mailer").await;
    (house, mailer)
}

fn mail() -> QueueName {
    "mail".parse().unwrap()
}

/// The form of all fifty, ticked one by one.
async fn ticked(house: &House) -> String {
    let ids: Vec<_> = (0..MINE).map(|number| format!("m{number}")).chain(["theirs".to_owned()]).collect();
    let ids: Vec<_> = ids.iter().map(|id| id.parse().unwrap()).collect();
    let rows = house.redis.engine().inspector().rows(&ids).await.unwrap();
    let jobs = rows
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(at, row)| format!("&jobs[{at}]={}~{}", row.id, row.version.0));
    format!("verb=cancel&group=delay{}", jobs.collect::<String>())
}

async fn run_of(house: &House, id: &str) -> BulkRun {
    house.redis.engine().inspector().bulk_run(&id.parse::<RunId>().unwrap()).await.unwrap().unwrap()
}

async fn frozen(house: &House, session: &str, form: &str) -> BulkRun {
    let reply = house.call(session, "POST /api/fn/freeze_bulk", form).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    let shown: Value = serde_json::from_str(&reply.text).unwrap();
    run_of(house, shown["id"].as_str().unwrap()).await
}

#[tokio::test]
async fn of_fifty_picked_jobs_the_one_of_another_queue_is_refused_by_name_and_the_others_go_on() {
    let (house, mailer) = house().await;
    let before = house.denials().await;

    let run = frozen(&house, &mailer, &ticked(&house).await).await;

    assert_eq!((run.total, run.pending, run.skipped), (50, 49, 1));
    assert_eq!(run.words.into_iter().collect::<Vec<_>>(), [("forbidden".to_owned(), 1)]);
    assert!(!run.split.keys().any(|part| part.contains("other")), "{:?}", run.split);
    let inspector = house.redis.engine().inspector();
    let outcomes = inspector.bulk_outcomes(&run.id, &OutcomePlace::default(), 100).await.unwrap().items;
    assert_eq!(outcomes.len(), 1);
    // Not even in which state it is.
    assert_eq!((outcomes[0].id.as_str(), outcomes[0].from), ("theirs", None));
    assert_eq!(house.denials().await, before + 1);
    let page = inspector.audit(&Default::default(), None, 1).await.unwrap();
    assert_eq!(
        (page.items[0].by.as_str(), page.items[0].why.as_str()),
        ("mailer", "in other queues: theirs")
    );

    let short = format!("run={}&count=50&note=too+short", run.id);
    let refused = house.call(&mailer, "POST /api/fn/start_bulk", &short).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.text);
    assert!(refused.text.contains("reason_too_short"), "{}", refused.text);
    // Zeros before a count say nothing.
    let started = format!("run={}&count=050&reason=the+import+was+wrong", run.id);
    let reply = house.call(&mailer, "POST /api/fn/start_bulk", &started).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    house.redis.engine().operator("maintenance").step_bulk(&run.id, 100).await.unwrap();
    let done = run_of(&house, run.id.as_str()).await;
    assert_eq!((done.changed, done.skipped, done.pending), (49, 1, 0));
    assert_eq!(done.total, done.changed + done.skipped + done.failed);
    let counts = inspector.counts(Some(&"other".parse().unwrap())).await.unwrap();
    assert_eq!(counts.of(JobState::Delayed), 1);

    // What undoes it is bound as it was.
    let undo = house.call(&mailer, "POST /api/fn/undo_bulk", &format!("run={}", run.id)).await;
    let undo: Value = serde_json::from_str(&undo.text).unwrap();
    assert_eq!(undo["only_in"], json!(["mail"]));
}

#[tokio::test]
async fn all_that_match_are_those_of_their_own_queues_and_nothing_tells_how_many_others_there_are() {
    let (house, mailer) = house().await;
    for line in ["", "kind:k", "queue:mail", "subject:s:1"] {
        let run = frozen(&house, &mailer, &format!("verb=cancel&group=delay&all=1&q={line}")).await;
        assert_eq!((run.total, run.looked_at, run.cut), (49, 49, false), "{line:?}");
        assert_eq!(run.split.get("queue:mail"), Some(&49), "{line:?}");
    }
    let run = frozen(&house, &mailer, "verb=cancel&group=delay&all=1&q=queue:other").await;
    assert_eq!((run.total, run.looked_at), (0, 0));
}

#[tokio::test]
async fn an_admin_of_some_queues_decides_nothing_about_people() {
    let house = House::new().await;
    house.add("local", Role::Admin, &[mail()]).await;
    let local = house.session("local").await;
    let token = NewToken::new("theirs".parse().unwrap(), [Permission::View]);
    Tokens::new(house.redis.engine()).add(&token, "admin").await.unwrap();
    let (before, kept) = (house.denials().await, house.people().list().await.unwrap());
    let forms = [
        ("/people/add", "name=eve&role=admin"),
        ("/people/add", "name=eve&role=viewer&queues=mail"),
        ("/people/invite", "name=admin"),
        ("/people/role", "name=admin&role=viewer"),
        ("/people/disable", "name=admin&disabled=1"),
        ("/people/remove", "name=viewer&tokens=1"),
        ("/people/sessions/end", "name=admin"),
        ("/people/tokens/revoke", "name=theirs"),
    ];
    for (path, form) in forms {
        let reply = house.call(&local, &format!("POST {path}"), form).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path} {form}: {}", reply.text);
    }
    assert_eq!(house.denials().await, before + forms.len());
    assert_eq!(house.people().list().await.unwrap(), kept);
    assert_eq!(Tokens::new(house.redis.engine()).list().await.unwrap().len(), 1);
    assert!(!house.call(house.of(Role::Admin), "GET /api/fn/whoami", "").await.is_denied());

    // What is theirs they have: tokens for their queues.
    let form = "name=mine&days=1&may.view=1";
    let made = house.call(&local, "POST /people/tokens/add", form).await;
    assert!(!made.is_denied(), "{}", made.text);
    let people =
        house.read(&person("local", Role::Admin, &[mail()]), api::account::list_people()).await.unwrap();
    let tokens: Vec<_> = people.tokens.iter().map(|token| token.name.as_str()).collect();
    assert_eq!((people.people, tokens), (None, vec!["mine"]));
    let revoked = house.call(&local, "POST /people/tokens/revoke", "name=mine").await;
    assert!(!revoked.is_denied(), "{}", revoked.text);
}

#[tokio::test]
async fn a_run_in_other_queues_is_none() {
    let (house, mailer) = house().await;
    let admin = house.redis.engine().operator("adm");
    let mut there = BulkFilter::default();
    there.queue = Some("other".parse().unwrap());
    let theirs = admin.bulk(BulkVerb::Cancel).filter(there).freeze().await.unwrap();
    let everywhere = admin.bulk(BulkVerb::Cancel).freeze().await.unwrap();
    let mut here = BulkFilter::default();
    here.queue = Some(mail());
    let mine = admin.bulk(BulkVerb::Cancel).filter(here).freeze().await.unwrap();

    for run in [&theirs, &everywhere] {
        for request in ["start_bulk", "abort_bulk", "undo_bulk"] {
            let reply =
                house.call(&mailer, &format!("POST /api/fn/{request}"), &format!("run={}", run.id)).await;
            assert_eq!(reply.status, StatusCode::NOT_FOUND, "{request}: {}", reply.text);
        }
        for more in ["", "?samples=20"] {
            let reply = house.call(&mailer, &format!("GET /bulk/{}{more}", run.id), "").await;
            assert_eq!(reply.status, StatusCode::NOT_FOUND, "{more}: {}", reply.text);
        }
        assert_eq!(run_of(&house, run.id.as_str()).await, *run, "it is as it was");
    }
    let list = house.call(&mailer, "GET /bulk", "").await;
    assert!(list.text.contains(mine.id.as_str()), "{}", list.text);
    assert!(!list.text.contains(theirs.id.as_str()) && !list.text.contains(everywhere.id.as_str()));
    let reply = house.call(&mailer, &format!("GET /bulk/{}", mine.id), "").await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
}

#[tokio::test]
async fn a_token_that_is_bound_to_queues_has_its_runs_there() {
    let (house, _) = house().await;
    let rights = [Permission::View, Permission::RunBulk, Permission::CancelJobs];
    let token = NewToken::new("sweeper".parse().unwrap(), rights).queues([mail()]);
    let token = Tokens::new(house.redis.engine()).add(&token, "admin").await.unwrap();
    let reply = house.by_token(&token, "POST /api/v1/bulk", &json!({ "verb": "cancel" })).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    let shown: Value = serde_json::from_str(&reply.text).unwrap();
    assert_eq!((&shown["total"], &shown["only_in"]), (&49.into(), &json!(["mail"])));

    let everywhere = house.redis.engine().operator("adm").bulk(BulkVerb::Cancel).freeze().await.unwrap();
    for (request, status) in [
        (format!("GET /api/v1/bulk/{}", everywhere.id), StatusCode::NOT_FOUND),
        (format!("POST /api/v1/bulk/{}/start", everywhere.id), StatusCode::NOT_FOUND),
        (format!("POST /api/v1/bulk/{}/start", shown["id"].as_str().unwrap()), StatusCode::OK),
    ] {
        let reply = house.by_token(&token, &request, &json!({})).await;
        assert_eq!(reply.status, status, "{request}: {}", reply.text);
    }
    let again = json!({ "verb": "cancel", "id": everywhere.id });
    let reply = house.by_token(&token, "POST /api/v1/bulk", &again).await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN, "{}", reply.text);
    assert!(!reply.text.contains("adm") && !reply.text.contains("total"), "{}", reply.text);
    assert_eq!(run_of(&house, everywhere.id.as_str()).await, everywhere, "it is as it was");
    let list = house.by_token(&token, "GET /api/v1/bulk", &json!({})).await;
    assert!(!list.text.contains(everywhere.id.as_str()), "{}", list.text);
}

#[tokio::test]
async fn a_failure_is_muted_in_ones_own_queues_alone() {
    let (house, mailer) = house().await;
    for elsewhere in ["", "&queue=other"] {
        let form = format!("mask=vanished&hours=1{elsewhere}");
        for verb in ["mute_failure", "unmute_failure"] {
            let reply = house.call(&mailer, &format!("POST /api/fn/{verb}"), &form).await;
            assert!(reply.is_denied(), "{verb} {form}: {}", reply.text);
        }
    }
    let reply = house.call(&mailer, "POST /api/fn/mute_failure", "mask=vanished&queue=mail&hours=1").await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    for page in ["/settings", "/dead"] {
        let shown = house.send(house.of(Role::Viewer), &format!("GET {page}"), "", "text/html").await;
        assert!(!shown.text.contains("vanished"), "no error without the right: {}", shown.text);
    }
}

#[tokio::test]
async fn the_schedules_of_ones_own_queues_are_acted_on_and_those_of_others_are_not_there() {
    let (house, mailer) = house().await;
    let admin = house.redis.engine().operator("adm");
    for (name, queue) in [("mine", "mail"), ("theirs", "other")] {
        let mut entry = CronEntry::new(name.parse().unwrap(), "0 3 1 1 *", "k".parse().unwrap());
        entry.queue = queue.parse().unwrap();
        admin.put_cron(entry).await.unwrap();
    }
    let theirs = async || {
        let name = "theirs".parse().unwrap();
        house.redis.engine().inspector().cron_entry(&name).await.unwrap().unwrap()
    };
    let before = theirs().await;
    let put = "schedule=%40daily&zone=UTC&kind=k";
    let acts = [
        ("put_schedule", format!("seen=1&queue=mail&{put}")),
        ("pause_schedule", "seen=2".to_owned()),
        ("resume_schedule", "seen=3".to_owned()),
        ("run_schedule", "seen=4".to_owned()),
        ("remove_schedule", "seen=4".to_owned()),
    ];
    for (act, form) in acts {
        let call = async |name: &str| {
            house.call(&mailer, &format!("POST /api/fn/{act}"), &format!("name={name}&{form}")).await
        };
        let (there, nowhere) = (call("theirs").await, call("nobodys").await);
        assert_eq!(there.status, StatusCode::OK, "{act}: {}", there.text);
        // What somebody typed can be saved anew; there is nothing else to do with one that is gone.
        let gone = if act == "put_schedule" { r#"{"Conflict":{"version":0}}"# } else { "Missing" };
        assert!(there.text.contains(gone), "{act}: {}", there.text);
        assert_eq!((there.status, &there.text), (nowhere.status, &nowhere.text), "{act}");
        let nobodys = format!("name=nobodys&{form}");
        let unbound = house.call(house.of(Role::Admin), &format!("POST /api/fn/{act}"), &nobodys).await;
        assert_eq!((unbound.status, &unbound.text), (nowhere.status, &nowhere.text), "{act}");
        let plain = format!("{nobodys}&back=/schedules");
        let plain = house.send(&mailer, &format!("POST /api/fn/{act}"), &plain, "text/html").await;
        let told = match act.trim_end_matches("_schedule") {
            "put" => "/schedules/new?name=nobodys&".to_owned(),
            verb => format!("/schedules?said=schedule.{verb}.missing"),
        };
        assert!(plain.location().is_some_and(|to| to.starts_with(&told)), "{act}: {:?}", plain.location());
        let here = call("mine").await;
        assert_eq!(here.status, StatusCode::OK, "{act}: {}", here.text);
        assert!(!here.text.contains("Conflict"), "{act}: {}", here.text);
    }
    assert_eq!(theirs().await, before);
    let gone = house.send(&mailer, "GET /schedules?said=schedule.run.missing", "", "text/html").await;
    assert!(gone.text.contains("There is no such schedule any more."), "{}", gone.text);

    // A new one goes into their queues alone, and takes nobody's name.
    for (form, status, part) in [
        ("name=new&queue=other", StatusCode::FORBIDDEN, ""),
        ("name=new", StatusCode::FORBIDDEN, ""),
        ("name=theirs&queue=mail", StatusCode::OK, "Taken"),
        ("name=new&queue=mail", StatusCode::OK, "Created"),
        ("name=new&queue=mail", StatusCode::OK, "Taken"),
    ] {
        let form = format!("{form}&seen=0&{put}");
        let reply = house.call(&mailer, "POST /api/fn/put_schedule", &form).await;
        assert_eq!(reply.status, status, "{form}: {}", reply.text);
        assert!(reply.text.contains(part), "{form}: {}", reply.text);
    }
    // And none of theirs is moved out of them.
    let form = format!("name=new&queue=other&seen=1&{put}");
    let moved = house.call(&mailer, "POST /api/fn/put_schedule", &form).await;
    assert_eq!(moved.status, StatusCode::FORBIDDEN, "{}", moved.text);
    assert_eq!(theirs().await, before);
}

#[tokio::test]
async fn one_word_tells_a_page_and_its_stream_whose_they_are() {
    let (house, mailer) = house().await;
    let word = house.call(&mailer, "GET /api/fn/whoami", "").await.text;
    assert_eq!(word, r#""mailer|operator|mail""#);

    let request =
        Request::get("/events").header("host", "localhost").header("cookie", format!("rp={mailer}"));
    let response = house.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let mut stream = response.into_body().into_data_stream();
    let first = tokio::time::timeout(Duration::from_secs(60), stream.next()).await.unwrap().unwrap().unwrap();
    let hello = String::from_utf8_lossy(&first).into_owned();
    assert!(hello.contains(&format!(r#""who":{word}"#)), "{hello}");

    let others = house.call(house.of(Role::Operator), "GET /api/fn/whoami", "").await.text;
    assert_eq!(others, r#""operator|operator|""#, "the role is the same, the queues are not");
}

#[tokio::test]
async fn the_stream_of_a_person_who_is_bound_says_nothing_of_how_much_happens_elsewhere() {
    let (house, mailer) = house().await;
    let request =
        Request::get("/events").header("host", "localhost").header("cookie", format!("rp={mailer}"));
    let response = house.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let mut stream = response.into_body().into_data_stream();
    let mut said = String::new();
    let mut until = async |wanted: &str| {
        while !said.contains(wanted) {
            let part = tokio::time::timeout(Duration::from_secs(60), stream.next()).await;
            said.push_str(&String::from_utf8_lossy(&part.expect(wanted).unwrap().unwrap()));
        }
        said.clone()
    };
    until("event: hello").await;
    let client = house.redis.engine().client();
    let job = |queue: &str, id: String| {
        let mut job = NewJob::new("k".parse().unwrap(), "{}");
        job.queue = queue.parse().unwrap();
        (job.id, job.due) = (Some(id.parse().unwrap()), Due::In(Delay::hours(1)));
        job
    };
    // More than is told one by one, and at once.
    let elsewhere = (0..500).map(|n| job("other", format!("elsewhere-{n}"))).collect();
    client.enqueue_batch(elsewhere).await.unwrap();
    client.enqueue_batch(vec![job("mail", "told-of".to_owned())]).await.unwrap();
    let said = until("told-of").await;
    assert!(!said.contains("event: reset") && !said.contains("elsewhere"), "{said}");
}

#[tokio::test]
async fn what_is_about_all_queues_is_off_and_its_refusal_says_that_others_are_meant() {
    let (house, mailer) = house().await;
    let (store, now) = (house.redis.store(), house.redis.engine().now().await.unwrap());
    let mut info = WorkerInfo::new("w", "host", 1, now);
    info.queues = vec![mail()];
    store.heartbeat("w", &serde_json::to_string(&info).unwrap()).await.unwrap();
    let meta = format!("{}meta", house.redis.prefix());
    let halt = ["HSET", &meta, "halts", "1", "halt", "went_back 1 0 0"];
    house.redis.command(&halt).await.unwrap();

    let unbound = house.of(Role::Operator);
    for (page, needs) in [("/workers", "Needs workers.manage in all"), ("/", "Needs queues.pause in all")] {
        let page = format!("GET {page}");
        let shown = house.send(&mailer, &page, "", "text/html").await;
        assert!(shown.text.contains(needs), "{page}: {}", shown.text);
        let shown = house.send(unbound, &page, "", "text/html").await;
        assert!(!shown.text.contains(needs), "{page}: {}", shown.text);
    }
    let page = house.send(&mailer, "GET /redis", "", "text/html").await;
    assert!(page.text.contains("You have the permission redis.view in your queues"), "{}", page.text);
    assert!(!page.text.contains("You lack the permission"), "{}", page.text);
    let viewer = house.send(house.of(Role::Viewer), "GET /redis", "", "text/html").await;
    assert!(viewer.text.contains("You lack the permission redis.view"), "{}", viewer.text);
    for (act, form) in [("order_worker", "worker=w&order=quiet"), ("clear_halt", "reason=looked+at")] {
        let reply = house.call(&mailer, &format!("POST /api/fn/{act}"), form).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{act}: {}", reply.text);
        // What the page shows of it is no matter of what it believes of their rights.
        let refused: Value = serde_json::from_str(&reply.text).unwrap();
        assert_eq!(refused["elsewhere"], json!(true), "{act}: {refused}");
        let lacking = house.call(house.of(Role::Viewer), &format!("POST /api/fn/{act}"), form).await;
        let refused: Value = serde_json::from_str(&lacking.text).unwrap();
        assert_eq!((refused["error"].as_str(), &refused["elsewhere"]), (Some("forbidden"), &Value::Null));
    }
}
