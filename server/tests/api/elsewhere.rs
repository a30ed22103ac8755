//! What people and programs see who are bound to queues: what is in theirs, and of what is elsewhere nothing, not even
//! that it is there.

use super::house::{House, Reply, person};
use app::api::forecast::get_forecast;
use app::api::{desk, detail, failures, filter, jobs, overview, schedules, views, workers};
use app::forecast::{Asked, View};
use app::series::StatsSpan;
use http::StatusCode;
use reprieve::model::list::ListQuery;
use reprieve::model::{
    CronEntry, CronName, Delay, JobId, JobState, NewToken, Offset, Permission, QueueName, Role, SavedView,
    StateGroup, WorkerInfo,
};
use reprieve::{Again, Due, NewJob, NewPlan, NewStep};
use reprieve_access::{Principal, Tokens};
use serde_json::{Value, json};

/// Stands in the name of everything that is elsewhere, and of nothing else.
const ELSEWHERE: &str = "zz-";

fn mail() -> QueueName {
    "mail".parse().unwrap()
}

fn there() -> QueueName {
    "zz-there".parse().unwrap()
}

fn job(queue: &QueueName, kind: &str, id: &str) -> NewJob {
    let mut job = NewJob::new(kind.parse().unwrap(), "{}");
    job.id = Some(id.parse().unwrap());
    job.queue = queue.clone();
    job.subject = Some("s:1".parse().unwrap());
    job.due = Due::In(Delay::hours(30));
    job
}

/// A house in which an operator and a person of support are bound to `mail`, where there is some of everything.
async fn house() -> House {
    let house = House::new().await;
    house.add("mailer", Role::Operator, &[mail()]).await;
    house.add("helper", Role::Support, &[mail()]).await;
    fill(&house, &mail(), "").await;
    house
}

/// One subject, of which three jobs wait, one is under way and one is dead; a plan, a schedule, a view, a bulk run.
async fn fill(house: &House, queue: &QueueName, mark: &str) {
    let engine = house.redis.engine();
    let named = |name: &str| format!("{mark}{name}");
    let mut last = job(queue, &named("kind"), &named("dead"));
    last.max_attempts = Some(1);
    last.due = Due::Now;
    engine.client().enqueue_batch(vec![last]).await.unwrap();
    let worker = engine.claimant("w");
    let claimed =
        worker.claim(std::slice::from_ref(queue), 1, Delay::minutes(5)).await.unwrap().pop().unwrap();
    worker.fail(&claimed.id, claimed.token, &named("no such address"), Again::Never).await.unwrap();
    let mut busy = job(queue, &named("kind"), &named("busy"));
    busy.due = Due::Now;
    let waiting = ["a", "b", "c"].map(|id| {
        let mut job = job(queue, &named("kind"), &named(id));
        job.tags = vec![named("tag")];
        job
    });
    engine.client().enqueue_batch(waiting.into_iter().chain([busy]).collect()).await.unwrap();
    worker.claim(std::slice::from_ref(queue), 1, Delay::minutes(5)).await.unwrap();

    let mut step = job(queue, &named("kind"), "x");
    (step.id, step.subject, step.due) = (None, None, Due::Now);
    let plan = NewPlan::new(named("plan").parse().unwrap(), "s:1".parse().unwrap())
        .from(Due::In(Delay::hours(50)))
        .step(NewStep::new(named("step").parse().unwrap(), Offset::millis(0), step));
    let admin = engine.operator("admin");
    admin.make_plan(&plan).await.unwrap();
    let mut entry =
        CronEntry::new(CronName::new(named("nightly")).unwrap(), "0 3 * * *", named("kind").parse().unwrap());
    entry.queue = queue.clone();
    admin.put_cron(entry).await.unwrap();
    let mut view = SavedView::new(named("view"), StateGroup::Dead, format!("queue:{queue}").parse().unwrap());
    view.shared = true;
    admin.save_view(view).await.unwrap();
}

/// A worker of both queues says which jobs it has.
async fn heartbeat(house: &House, jobs: &[&str]) {
    let now = house.redis.engine().now().await.unwrap();
    let mut info = WorkerInfo::new("w", "host", 1, now);
    info.queues = vec![mail(), there()];
    info.slots = 10;
    info.busy = jobs.len() as u64;
    info.jobs = jobs.iter().map(|id| id.parse().unwrap()).collect();
    house.redis.store().heartbeat("w", &serde_json::to_string(&info).unwrap()).await.unwrap();
}

/// What the pages show, each by a name: read as for that person, without the times at which it was read.
async fn read_all(house: &House, who: &Principal, busy: &[&str]) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    macro_rules! read {
        ($($name:literal => $reading:expr),+ $(,)?) => {
            $(
                // Before each, for reading all of them takes longer than a worker may be silent.
                heartbeat(house, busy).await;
                let read = house.read(who, $reading).await.unwrap_or_else(|error| panic!("{}: {error}", $name));
                all.push(($name, settled(&format!("{read:#?}"))));
            )+
        };
    }
    let filtered = |line| filter::filter_jobs(StateGroup::Delay, line, None, None, 50, "");
    let of_group = |group| async move { jobs::list_jobs(&ListQuery::group(group)).await };
    let stats = |minutes| async move {
        let mut spans = overview::get_stats(None, minutes, minutes).await?;
        // How many there are before and behind the others depends on when one asks.
        spans.retain(|span| span.enqueued + span.done + span.failed > 0);
        Ok(spans)
    };
    let forecast = |view| get_forecast(Asked { view, ..Asked::default() });
    read! {
        "overview" => overview::get_overview(),
        "counts" => overview::get_counts(None),
        "counts of the queues" => jobs::count_queues(),
        "counts then" => overview::get_counts_at(0),
        "a day" => stats(1_440),
        "two days" => stats(2_880),
        "due ahead" => overview::get_due_ahead(None, 86_400, 10),
        "delayed jobs" => of_group(StateGroup::Delay),
        "dead jobs" => of_group(StateGroup::Dead),
        "all delayed jobs" => filtered(""),
        "a subject" => filtered("subject:s:1"),
        "subjects" => filtered("subject:s*"),
        "a tag" => filtered("tag:tag"),
        "a tag there" => filtered("tag:zz-tag"),
        "their queue" => filtered("queue:zz-there"),
        "other queues" => filtered("-queue:mail"),
        "a job there" => filtered("id:zz-a"),
        "facets" => filter::get_facets(StateGroup::Delay, ""),
        "failures" => failures::get_failures(None),
        "jobs with the same error" => detail::get_same_error("dead".parse().unwrap()),
        "a job" => jobs::get_job("a".parse().unwrap()),
        "subjects of that name" => desk::find_subjects("s:1"),
        "the desk" => desk::get_desk("s:1".parse().unwrap(), None),
        "a month" => forecast(View::Month),
        "a week" => forecast(View::Week),
        "schedules" => schedules::list_schedules(),
        "the fleet" => workers::get_fleet(),
        "views" => views::list_views(),
        "views of the navigation" => views::pinned_views(),
    }
    all
}

/// A text of `{:#?}` without what is another when a moment has passed: times, how much of a minute has, and Redis's memory.
fn settled(text: &str) -> String {
    const MOVING: [&str; 4] = ["redis", "passed_ms", "in_per_minute", "out_per_minute"];
    let mut settled = String::new();
    let mut skipped: Option<usize> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        match skipped {
            Some(depth) if indent > depth => continue,
            Some(depth) if indent == depth && line.trim_start().starts_with(['}', ')', ']']) => {
                skipped = None;
                continue;
            }
            _ => skipped = None,
        }
        let name = line.trim_start().split(':').next().unwrap_or_default();
        if MOVING.contains(&name) {
            skipped = Some(indent);
        } else if !is_time(line.trim()) {
            settled.push_str(line);
            settled.push('\n');
        }
    }
    settled
}

/// Whether a line is a time in milliseconds: so large a number is nothing else.
fn is_time(line: &str) -> bool {
    let number = line.rsplit(' ').next().unwrap_or_default().trim_end_matches(',');
    number.len() >= 13 && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// The pages.
const PAGES: [&str; 18] = [
    "/search?find=s:1",
    "/search?find=zz-a",
    "/search?find=kind",
    "/search?find=there",
    "/search?find=zz",
    "/desk?find=s",
    "/export/forecast.csv?view=month",
    "/export/jobs.csv?list=delay",
    "/",
    "/jobs/delay",
    "/jobs/delay?q=subject:s*&part=facets",
    "/dead",
    "/desk/s:1",
    "/forecast",
    "/schedules",
    "/workers",
    "/job/a",
    "/job/a?part=log",
];

/// The same of the HTTP API.
const ASKED_BY_PROGRAMS: [&str; 13] = [
    "/api/v1/jobs?state=delay",
    "/api/v1/jobs?state=dead&size=1",
    "/api/v1/jobs/a",
    "/api/v1/queues",
    "/api/v1/workers",
    "/api/v1/cron",
    "/api/v1/search",
    "/api/v1/search?kind=zz-kind",
    "/api/v1/search?id=zz-a",
    "/api/v1/stats?minutes=60",
    "/api/v1/subjects/s:1",
    "/api/v1/subjects/s:1/plans",
    "/api/v1/subjects/s:1/receipts",
];

/// What was answered but for the times at which it was read or seen, which differ from call to call, and for what is
/// another when a minute is over.
fn without_times(text: &str) -> Value {
    let Ok(mut answer) = serde_json::from_str(text) else { return Value::Null };
    strip(&mut answer);
    answer
}

fn strip(value: &mut Value) {
    const TIMES: [&str; 15] = [
        "read_at",
        "read_at_ms",
        "now",
        "seen",
        "started",
        "started_ms",
        "seen_ms",
        "redis",
        "at",
        "at_ms",
        "last_tick",
        "forwarder_tick",
        "passed_ms",
        "in_per_minute",
        "out_per_minute",
    ];
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !TIMES.contains(&name.as_str()));
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => {
            items.iter_mut().for_each(strip);
            items.retain(|item| !is_quiet_minute(item));
        }
        _ => {}
    }
}

/// Whether it is what was counted in a minute in which nothing was. How many there are before and behind the others
/// depends on when one asks.
fn is_quiet_minute(value: &Value) -> bool {
    fn is_nothing(value: &Value) -> bool {
        match value {
            Value::Object(fields) => fields.values().all(is_nothing),
            Value::Array(items) => items.iter().all(is_nothing),
            Value::Null => true,
            value => value.as_u64() == Some(0),
        }
    }
    value.get("enqueued").is_some() && is_nothing(value)
}

/// Whether an answer tells of what is elsewhere; what was asked for may stand in it.
fn tells(path: &str, reply: &Reply) -> bool {
    let asked = path.split(['=', ':', '/', '?']).filter(|part| part.starts_with(ELSEWHERE));
    let text = asked.fold(reply.text.clone(), |text, asked| text.replace(asked, "…"));
    text.contains(ELSEWHERE)
}

#[tokio::test]
async fn a_person_who_is_bound_to_queues_sees_all_of_theirs_and_nothing_of_others() {
    let house = house().await;
    let people = [("mailer", Role::Operator), ("helper", Role::Support)];
    let [mailer, helper] = people.map(|(who, role)| person(who, role, &[mail()]));
    let rights = [Permission::View];
    let token = NewToken::new("reader".parse().unwrap(), rights).queues([mail()]);
    let token = Tokens::new(house.redis.engine()).add(&token, "admin").await.unwrap();
    let before = read_all(&house, &mailer, &["busy"]).await;
    let mut told = Vec::new();
    for path in ASKED_BY_PROGRAMS {
        heartbeat(&house, &["busy"]).await;
        told.push(without_times(&house.by_token(&token, &format!("GET {path}"), &json!({})).await.text));
    }

    // The same once more elsewhere, in the hands of the same worker.
    fill(&house, &there(), ELSEWHERE).await;
    let busy = ["busy", "zz-busy"];
    let after = read_all(&house, &mailer, &busy).await;
    for ((name, before), (_, after)) in before.iter().zip(&after) {
        assert_eq!(after, before, "{name}: no count is another");
    }
    for (name, text) in after.iter().chain(&read_all(&house, &helper, &busy).await) {
        assert!(!text.contains(ELSEWHERE), "{name}: {text}");
    }
    for (who, _) in people {
        let session = house.session(who).await;
        for path in PAGES {
            heartbeat(&house, &busy).await;
            let reply = ask(&house, &session, path).await;
            assert_eq!(reply.status, StatusCode::OK, "{who} {path}: {}", reply.text);
            assert!(!tells(path, &reply), "{who} {path}: {}", reply.text);
        }
    }
    for (path, before) in ASKED_BY_PROGRAMS.into_iter().zip(told) {
        heartbeat(&house, &busy).await;
        let reply = house.by_token(&token, &format!("GET {path}"), &json!({})).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}: {}", reply.text);
        assert!(!tells(path, &reply), "{path}: {}", reply.text);
        assert_eq!(without_times(&reply.text), before, "{path}: no count is another");
    }
    // What is theirs is there.
    for (name, theirs) in [
        ("overview", "\"mail\""),
        ("delayed jobs", "\"a\""),
        ("a tag", "\"b\""),
        ("subjects of that name", "s:1"),
        ("the desk", "\"plan\""),
        ("schedules", "nightly"),
        ("the fleet", "busy"),
        ("views", "view"),
        ("views of the navigation", "view"),
    ] {
        let (_, text) = after.iter().find(|(read, _)| *read == name).unwrap();
        assert!(text.contains(theirs), "{name}: {text}");
    }
    let found = ask(&house, &house.session("mailer").await, "/search?find=a").await;
    assert!(found.text.contains("/job/a\""), "{}", found.text);
    // To somebody who is bound to none, most of these tell of what is elsewhere: they would have told it here.
    let everywhere = read_all(&house, &person("admin", Role::Admin, &[]), &busy).await;
    let mut telling = everywhere.iter().filter(|(_, text)| text.contains(ELSEWHERE)).count();
    for path in PAGES {
        telling += usize::from(tells(path, &ask(&house, house.of(Role::Admin), path).await));
    }
    let all = everywhere.len() + PAGES.len();
    println!("{telling} of {all} tell of other queues to whom they are theirs");
    assert!(telling >= 25, "{telling}");
}

async fn ask(house: &House, session: &str, path: &str) -> Reply {
    let accept = if path.contains("/api/") { "application/json" } else { "text/html" };
    house.send(session, &format!("GET {path}"), "", accept).await
}

#[tokio::test]
async fn counts_are_those_of_their_queues() {
    let house = house().await;
    fill(&house, &there(), ELSEWHERE).await;
    heartbeat(&house, &["busy", "zz-busy"]).await;
    let mailer = person("mailer", Role::Operator, &[mail()]);

    for (group, total) in [(StateGroup::Delay, 4), (StateGroup::Dead, 1)] {
        let page = house.read(&mailer, jobs::list_jobs(&ListQuery::group(group))).await.unwrap();
        assert_eq!(page.total, total, "{group}");
    }
    let filtered = filter::filter_jobs(StateGroup::Delay, "", None, None, 50, "");
    let filtered = house.read(&mailer, filtered).await.unwrap();
    assert_eq!((filtered.among, filtered.rows.len()), (4, 4));
    let due = house.read(&mailer, overview::get_due_ahead(None, 86_400, 10)).await.unwrap();
    assert_eq!(due.iter().sum::<u64>(), 4);
    let stats = house.read(&mailer, overview::get_stats(None, 60, 60)).await.unwrap();
    let sum = |what: fn(&StatsSpan) -> u64| stats.iter().map(what).sum::<u64>();
    assert_eq!((sum(|span| span.enqueued), sum(|span| span.failed)), (6, 1), "{stats:?}");
    let fleet = house.read(&mailer, workers::get_fleet()).await.unwrap();
    let worker = &fleet.workers[0].info;
    assert_eq!((worker.busy, &worker.queues), (1, &vec![mail()]), "{worker:?}");
    let counts = async |queue| house.read(&mailer, overview::get_counts(queue)).await.unwrap();
    assert_eq!(counts(None).await, counts(Some(mail())).await);
}

#[tokio::test]
async fn lists_of_several_queues_go_on_from_page_to_page() {
    let house = House::new().await;
    let queues: [QueueName; 2] = [mail(), "sms".parse().unwrap()];
    let both = person("both", Role::Viewer, &queues);
    for number in 0..6_i64 {
        let queue = ["mail", "sms", "zz-there"][usize::try_from(number % 3).unwrap()];
        house.given(&format!("{queue}-{number}"), queue, 10 + number).await;
    }
    let (mut query, mut seen) = (ListQuery::group(StateGroup::Delay).size(1), Vec::new());
    loop {
        let page = house.read(&both, jobs::list_jobs(&query)).await.unwrap();
        assert_eq!(page.total, 4);
        seen.extend(page.rows.iter().map(|row| row.id.to_string()));
        if page.next.is_none() {
            break;
        }
        query = query.after(page.next);
    }
    assert_eq!(seen, ["mail-0", "sms-1", "mail-3", "sms-4"]);
}

#[tokio::test]
async fn a_job_of_another_queue_is_answered_as_one_that_is_not_there() {
    let house = house().await;
    fill(&house, &there(), ELSEWHERE).await;
    let mailer = house.session("mailer").await;
    let before = house.denials().await;
    let doors = [
        ("POST /api/fn/cancel_job", "id={id}"),
        ("POST /api/fn/reinstate_job", "id={id}"),
        ("POST /api/fn/retry_job", "id={id}"),
        ("POST /api/fn/reschedule_job", "id={id}&preset=%2B900"),
        ("POST /api/fn/hold_job", "id={id}"),
        ("POST /api/fn/unhold_job", "id={id}"),
        ("POST /api/fn/purge_job", "id={id}&sure=true"),
        ("POST /api/fn/duplicate_job", "id={id}&preset=%2B900"),
        ("POST /api/fn/reveal_part", "id={id}&part=%2Fa&reason=r"),
        ("GET /job/{id}", ""),
        ("POST /reveal", "id={id}&part=%2Fa&reason=r"),
    ];
    for (request, form) in doors {
        let accept = if request.contains("/api/") { "application/json" } else { "text/html" };
        let with = |id: &str| (request.replace("{id}", id), form.replace("{id}", id));
        let mut answers = Vec::new();
        for id in ["zz-a", "nn-a"] {
            let (request, form) = with(id);
            let reply = house.send(&mailer, &request, &form, accept).await;
            let place = reply.location().map(|place| place.replace(id, "…"));
            answers.push((reply.status, place, plain(&reply.text.replace(id, "…"))));
        }
        let (status, place, _) = &answers[0];
        let not_there = *status == StatusCode::NOT_FOUND
            || place.as_ref().is_some_and(|place| place.ends_with("error.not_found"));
        assert!(not_there, "{request}: {:?}", answers[0]);
        assert_eq!(answers[0], answers[1], "{request}");
    }
    // That somebody tried is known to those who may know it.
    assert!(house.denials_up_to(before + 10).await >= before + 10);
    let id: JobId = "zz-a".parse().unwrap();
    let row = house.redis.engine().inspector().rows(&[id]).await.unwrap().pop().flatten().unwrap();
    assert_eq!(row.state, JobState::Delayed);
}

/// A page without what is new in every answer: its nonce, the clock, and the ids of what may be done on it.
fn plain(text: &str) -> String {
    let numbers = |letter: char| letter.is_ascii_hexdigit() || letter == '-';
    let text = text.split("nonce=\"").map(|part| part.split_once('"').map_or(part, |(_, rest)| rest));
    text.collect::<String>().replace(numbers, "")
}

#[tokio::test]
async fn to_a_token_of_other_queues_a_job_is_not_there() {
    let house = house().await;
    fill(&house, &there(), ELSEWHERE).await;
    let token = NewToken::new("robot".parse().unwrap(), Permission::ALL).queues([mail()]);
    let token = Tokens::new(house.redis.engine()).add(&token, "admin").await.unwrap();
    let (before, mut acts) = (house.denials().await, 0);
    for (request, body) in [
        ("GET /api/v1/jobs/{id}", json!({})),
        ("GET /api/v1/jobs/{id}/log", json!({})),
        ("POST /api/v1/jobs/{id}/cancel", json!({})),
        ("POST /api/v1/jobs/{id}/hold", json!({})),
        ("POST /api/v1/jobs/{id}/retry", json!({})),
        ("POST /api/v1/jobs/{id}/complete", json!({ "token": 1 })),
        ("POST /api/v1/jobs/{id}/reveal", json!({ "part": "/a", "reason": "r" })),
        ("GET /api/v1/plans/{id}", json!({})),
        ("POST /api/v1/plans/{id}/cancel", json!({})),
        ("GET /api/v1/cron/{id}", json!({})),
        ("POST /api/v1/cron/{id}/pause", json!({})),
        ("POST /api/v1/cron/{id}/run", json!({})),
    ] {
        let there = if request.contains("plans") {
            "zz-plan"
        } else if request.contains("cron") {
            "zz-nightly"
        } else {
            "zz-a"
        };
        let mut answers = Vec::new();
        for id in [there, "nn-a"] {
            let reply = house.by_token(&token, &request.replace("{id}", id), &body).await;
            answers.push((reply.status, reply.text.replace(id, "…")));
        }
        assert_eq!(answers[0].0, StatusCode::NOT_FOUND, "{request}: {:?}", answers[0]);
        assert_eq!(answers[0], answers[1], "{request}");
        acts += usize::from(request.starts_with("POST"));
        // What is in no queue at all is worth no line, nor is looking.
        assert_eq!(
            house.denials_up_to(before + acts).await,
            before + acts,
            "{request}: that it tried is known"
        );
    }
    // What is taken is not overwritten by a program that does not see it.
    let entry =
        json!({ "name": "zz-nightly", "schedule": "@daily", "job": { "kind": "k", "queue": "mail" } });
    let reply = house.by_token(&token, "POST /api/v1/cron", &entry).await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN, "{}", reply.text);
    assert!(!reply.text.contains("zz-there"), "{}", reply.text);
    let kept =
        house.redis.engine().inspector().cron_entry(&"zz-nightly".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(kept.entry.queue, there());
}

#[tokio::test]
async fn at_the_desk_they_act_on_what_is_theirs_and_are_told_that_it_may_not_be_all() {
    let house = house().await;
    fill(&house, &there(), ELSEWHERE).await;
    let helper = house.session("helper").await;
    let sentence = "There may be more that you are not allowed to see.";
    for page in ["/desk", "/desk/s:1", "/desk/nobody-knows"] {
        assert!(ask(&house, &helper, page).await.text.contains(sentence), "{page}");
        let everywhere = ask(&house, house.of(Role::Support), page).await;
        assert!(!everywhere.text.contains(sentence), "{page}");
    }

    let act = |form: &str| {
        let form = format!("subject=s:1&verb=call_off&reason=Customer+asked&{form}");
        let (house, helper) = (&house, &helper);
        async move { house.call(helper, "POST /api/fn/act_on_desk", &form).await }
    };
    let elsewhere = act("plan=zz-plan").await;
    assert_eq!(elsewhere.status, StatusCode::NOT_FOUND, "{}", elsewhere.text);
    assert_eq!(act("plan=nn-plan").await.text, elsewhere.text, "as if it were not there");
    let jobs = act("jobs=a=1,zz-a=1").await;
    assert_eq!(jobs.status, StatusCode::OK, "{}", jobs.text);
    let plan = act("plan=plan").await;
    assert_eq!(plan.status, StatusCode::OK, "{}", plan.text);
    let ids = ["a", "zz-a", "plan/step", "zz-plan/zz-step"].map(|id| id.parse().unwrap());
    let rows = house.redis.engine().inspector().rows(&ids).await.unwrap();
    let states: Vec<_> = rows.into_iter().map(|row| row.unwrap().state).collect();
    assert_eq!(states, [JobState::Cancelled, JobState::Delayed, JobState::Cancelled, JobState::Delayed]);
}

#[tokio::test]
async fn a_plan_of_several_queues_is_none_to_whom_one_of_them_is_not_theirs() {
    let house = house().await;
    let step = |queue: &QueueName, name: &str| {
        let mut job = job(queue, "kind", "x");
        (job.id, job.subject, job.due) = (None, None, Due::Now);
        NewStep::new(name.parse().unwrap(), Offset::millis(0), job)
    };
    let plan = NewPlan::new("mixed".parse().unwrap(), "s:2".parse().unwrap())
        .from(Due::In(Delay::hours(50)))
        .step(step(&mail(), "notice"))
        .step(step(&there(), "zz-delete"));
    house.redis.engine().operator("admin").make_plan(&plan).await.unwrap();
    let who = person("mailer", Role::Operator, &[mail()]);

    let desk = house.read(&who, desk::get_desk("s:2".parse().unwrap(), None)).await.unwrap();

    let text = format!("{desk:?}");
    assert!(text.contains("mixed/notice") && !text.contains(ELSEWHERE), "{text}");
    assert_eq!(desk.plans[0].id, None, "its own step is a job like any other");
    let mailer = house.session("mailer").await;
    let form = "subject=s:2&verb=call_off&plan=mixed&reason=Customer+asked";
    let reply = house.call(&mailer, "POST /api/fn/act_on_desk", form).await;
    assert_eq!(reply.status, StatusCode::NOT_FOUND, "{}", reply.text);
}

#[tokio::test]
async fn what_spans_all_queues_stays_shut() {
    let house = house().await;
    let mailer = house.session("mailer").await;
    for path in [
        "/redis",
        "/settings",
        "/jobs/delay?queue=zz-there",
        "/queue/zz-there",
        "/forecast?queue=zz-there",
        "/metrics",
    ] {
        let reply = house.call(&mailer, &format!("GET {path}"), "").await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path}: {}", reply.text);
    }
    let reply = house.call(&mailer, "POST /api/fn/cancel_subject", "subject=s:1").await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN, "{}", reply.text);
    let token = NewToken::new("robot".parse().unwrap(), Permission::ALL).queues([mail()]);
    let token = Tokens::new(house.redis.engine()).add(&token, "admin").await.unwrap();
    for path in ["/api/v1/rules", "/api/v1/retention", "/api/v1/settings", "/api/v1/batches", "/api/v1/halt"]
    {
        let reply = house.by_token(&token, &format!("GET {path}"), &json!({})).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path}: {}", reply.text);
    }
    // What is taken over goes into whatever queue is named.
    for act in ["observe", "take-over", "roll-back", "standing"] {
        let reply = house.by_token(&token, &format!("POST /api/v1/imports/x/{act}"), &json!({})).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{act}: {}", reply.text);
    }
}

#[tokio::test]
async fn they_keep_views_of_their_own() {
    let house = house().await;
    let mailer = house.session("mailer").await;
    let saved = house.call(&mailer, "POST /api/fn/save_view", "name=mine&list=dead&q=kind:k").await;
    assert_eq!(saved.status, StatusCode::OK, "{}", saved.text);
    let who = person("mailer", Role::Operator, &[mail()]);
    let saved = house.read(&who, views::list_views()).await.unwrap();
    assert!(saved.iter().any(|view| view.name == "mine"), "{saved:?}");
    let pinned = house.read(&who, views::pinned_views()).await.unwrap();
    let own = &pinned.views[0];
    let count = own.count.map(|tally| (tally.found, tally.or_more));
    assert_eq!(
        (own.name.as_str(), own.href.as_str(), count),
        ("mine", "/jobs/dead?q=kind:k", Some((0, false)))
    );
    let removed = house.call(&mailer, "POST /api/fn/remove_view", "name=mine").await;
    assert_eq!((removed.status, removed.text.as_str()), (StatusCode::OK, "true"));
}

#[tokio::test]
async fn a_shared_view_of_another_is_removed_by_a_person_who_manages_people() {
    let house = house().await;
    let mailer = house.session("mailer").await;
    for form in ["name=mine&list=dead&q=kind:k", "name=ours&list=dead&q=kind:k&shared=on"] {
        let saved = house.call(&mailer, "POST /api/fn/save_view", form).await;
        assert_eq!(saved.status, StatusCode::OK, "{}", saved.text);
    }
    let (operator, admin) = (house.of(Role::Operator), house.of(Role::Admin));
    let button = "Remove ours of mailer";
    for (who, is_there) in [(operator, false), (admin, true)] {
        let page = house.send(who, "GET /jobs/dead", "", "text/html").await.text;
        assert_eq!(page.contains(button), is_there, "{page}");
        assert!(!page.contains("mine of mailer"));
    }

    let refused = house.call(operator, "POST /api/fn/remove_view", "name=ours&owner=mailer").await;
    let private = house.call(admin, "POST /api/fn/remove_view", "name=mine&owner=mailer").await;
    let shared = house.call(admin, "POST /api/fn/remove_view", "name=ours&owner=mailer").await;

    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.text);
    assert_eq!((private.text.as_str(), shared.text.as_str()), ("false", "true"));
    let page = house.send(admin, "GET /audit", "", "text/html").await.text;
    assert!(page.contains("Remove a shared view") && page.contains("mailer/ours"), "{page}");
    let own = house.call(&mailer, "POST /api/fn/remove_view", "name=mine&owner=mailer").await;
    assert_eq!((own.status, own.text.as_str()), (StatusCode::OK, "true"));
}

#[tokio::test]
async fn a_view_keeps_of_its_columns_what_reads_and_is_refused_with_too_many() {
    let house = house().await;
    let mailer = house.session("mailer").await;
    let save = async |columns: &str| {
        let form = format!("name=mine&list=dead&replace=on&columns={columns}");
        house.call(&mailer, "POST /api/fn/save_view", &form).await
    };

    let saved = save(":job,:queue,a.b,%22bad+path%22,c").await;
    let many = save("a,b,c,d,e,f,g,h,i").await;

    let view: Value = serde_json::from_str(&saved.text).unwrap();
    assert_eq!(view["columns"], ":job,:queue,a.b,c", "{}", saved.text);
    assert_eq!(many.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", many.text);
    assert!(many.text.contains("eight columns"), "{}", many.text);
}
