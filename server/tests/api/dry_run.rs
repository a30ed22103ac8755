//! What the page of a run says before it starts, and of a run that is not there.

use super::house::{House, Reply};
use app::vocabulary::{KindWords, Vocabulary, Word};
use axum::body::Body;
use http::{Request, StatusCode};
use reprieve::model::{BulkFilter, BulkVerb, Delay, KindRule, ListQuery, StateGroup, Timestamp};
use reprieve::{Again, Due, NewJob};
use reprieve_server::Dashboard;
use serde_json::{Value, json};

async fn given(house: &House, id: &str, kind: &str) {
    let mut job = NewJob::new(kind.parse().unwrap(), "{}".to_owned());
    job.id = Some(id.parse().unwrap());
    job.due = Due::In(Delay::hours(1));
    house.redis.engine().client().enqueue_batch(vec![job]).await.unwrap();
}

/// The page of a run that was frozen with that form.
async fn frozen(house: &House, form: &str) -> String {
    let frozen = house.send("", "POST /api/fn/freeze_bulk", form, "text/html").await;
    assert_eq!(frozen.status, StatusCode::FOUND, "{}", frozen.text);
    let page = frozen.location().unwrap().to_owned();
    house.send("", &format!("GET {page}"), "", "text/html").await.text
}

#[tokio::test]
async fn a_dry_run_names_protected_kinds_and_what_customers_feel() {
    let words = KindWords { step: Word::new("Text message", "短信"), ..KindWords::default() };
    let words = Vocabulary::default().kind("sms", words);
    let house = House::of_dashboard(|dashboard: Dashboard| dashboard.vocabulary(words)).await;
    for (id, kind) in [("a", "sms"), ("b", "sms"), ("c", "invoice"), ("d", "backup")] {
        given(&house, id, kind).await;
    }
    let operator = house.redis.engine().operator("t");
    let rule = KindRule::new("invoice".parse().unwrap(), None, None, Vec::new()).protected(true);
    operator.set_rule(&rule, "").await.unwrap();

    let all = frozen(&house, "verb=cancel&group=delay&all=1&q=").await;
    assert!(all.contains("1 of them is of a kind that a rule protects from bulk runs."), "{all}");
    assert!(all.contains("Customers will not get:"), "{all}");
    assert!(all.contains("<li>Text message: 2<"), "{all}");
    assert!(!all.contains("<li>Backup"), "customers feel nothing of it: {all}");

    operator.hold(&"a".parse().unwrap()).await.unwrap();
    let picked = frozen(&house, "verb=hold&group=delay&jobs[0]=a~2&jobs[1]=b~1&q=").await;
    assert!(picked.contains("<li>Text message: 2 at most<"), "one of them may be left alone: {picked}");
    let inner = frozen(&house, "verb=cancel&group=delay&all=1&q=kind:backup").await;
    assert!(!inner.contains("What customers would have felt"), "{inner}");
    assert!(!inner.contains("a rule protects"), "{inner}");
}

#[tokio::test]
async fn emptying_the_ready_list_leaves_alone_what_starts_before_its_turn_comes() {
    let house = House::open().await;
    house.given("a", "mail", 1).await;
    house.redis.engine().operator("t").retry_now(&"a".parse().unwrap()).await.unwrap();
    let emptied =
        house.send("", "POST /api/fn/empty_list", "queue=mail&group=ready&back=/", "text/html").await;
    let page = emptied.location().unwrap().to_owned();

    let shown = house.send("", &format!("GET {page}"), "", "text/html").await.text;

    assert!(shown.contains("A job that starts first is skipped."), "{shown}");
    let run = page.rsplit('/').next().unwrap().split('?').next().unwrap().parse().unwrap();
    assert!(house.redis.engine().inspector().bulk_run(&run).await.unwrap().unwrap().spares_started);
    let mut filter = BulkFilter::default();
    filter.queue = Some("mail".parse().unwrap());
    let operator = house.redis.engine().operator("t");
    let all = operator.bulk(BulkVerb::Cancel).filter(filter).freeze().await.unwrap();
    let shown = house.send("", &format!("GET /bulk/{}", all.id), "", "text/html").await.text;
    assert!(shown.contains("A job that starts first is asked to stop."), "{shown}");
}

#[tokio::test]
async fn a_run_that_had_to_stop_looking_does_not_say_that_no_job_fits() {
    let house = House::open().await;
    let frozen = house.send("", "POST /api/fn/freeze_bulk", "verb=cancel&group=delay&all=1&q=", "text/html");
    let page = frozen.await.location().unwrap().to_owned();
    let shown = house.send("", &format!("GET {page}"), "", "text/html").await.text;
    assert!(shown.contains("No job fits."), "{shown}");

    let run = format!("{}bulk:{}", house.redis.prefix(), page.rsplit('/').next().unwrap());
    house.redis.command(&["HSET", &run, "cut", "1", "looked_at", "1000000"]).await.unwrap();

    let shown = house.send("", &format!("GET {page}"), "", "text/html").await.text;
    let says = "None of the first 1,000,000 that were looked at fits; there are more than one run looks at.";
    assert!(shown.contains(says), "{shown}");
    assert!(!shown.contains("only the first ones"), "{shown}");
    assert!(!shown.contains("No job fits."), "{shown}");
}

/// So many dead jobs of a queue.
async fn died(house: &House, queue: &str, count: usize) {
    let worker = house.redis.engine().claimant("w");
    let jobs = (0..count).map(|_| {
        let mut job = NewJob::new("k".parse().unwrap(), "{}".to_owned());
        job.queue = queue.parse().unwrap();
        job
    });
    house.redis.engine().client().enqueue_batch(jobs.collect()).await.unwrap();
    for job in worker.claim(&[queue.parse().unwrap()], 100, Delay::minutes(1)).await.unwrap() {
        worker.fail(&job.id, job.token, "gone", Again::Never).await.unwrap();
    }
}

#[tokio::test]
async fn a_group_of_dead_jobs_is_retried_as_it_was_read_and_a_large_one_looked_at_first() {
    let house = House::open().await;
    for (queue, count, state) in [("mail", 25, "running"), ("sms", 26, "frozen")] {
        died(&house, queue, count).await;
        let read_at = house.redis.engine().now().await.unwrap().as_millis();
        // So that the clock of Redis, which counts in ms, is behind what was read.
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        died(&house, queue, 1).await;

        let form = format!("mask=gone&queue={queue}&rate=10&read_at={read_at}");
        let reply = house.call("", "POST /api/fn/retry_failures", &form).await;

        let run: Value = serde_json::from_str(&reply.text).unwrap();
        assert_eq!((&run["state"], &run["total"]), (&json!(state), &json!(count)), "{run}");
        let back = format!("{form}&back=/dead");
        let reply = house.send("", "POST /api/fn/retry_failures", &back, "text/html").await;
        let place = reply.location().unwrap();
        assert_eq!(place.starts_with("/bulk/"), state == "frozen", "{place}");
    }
}

#[tokio::test]
async fn what_was_to_be_looked_at_first_is_even_if_few_are_left_of_it() {
    let house = House::open().await;
    died(&house, "mail", 26).await;
    let page = house.send("", "GET /dead", "", "text/html").await.text;
    assert!(page.contains("name=\"looks\" value=\"1\""), "{page}");
    let read_at = house.redis.engine().now().await.unwrap();
    let dead = house.redis.engine().inspector().list(&ListQuery::group(StateGroup::Dead)).await.unwrap();
    for row in &dead.rows[..2] {
        house.redis.engine().operator("ann").retry_now(&row.id).await.unwrap();
    }

    let form = format!("mask=gone&queue=mail&rate=10&read_at={}&looks=1", read_at.as_millis());
    let reply = house.call("", "POST /api/fn/retry_failures", &form).await;

    let run: Value = serde_json::from_str(&reply.text).unwrap();
    assert_eq!((&run["state"], &run["total"]), (&json!("frozen"), &json!(24)), "{run}");
}

#[tokio::test]
async fn a_run_of_a_due_range_says_which_one() {
    let house = House::open().await;
    let operator = house.redis.engine().operator("t");
    let mut filter = BulkFilter::default();
    filter.due_from = Timestamp::from_millis(1_900_000_000_000);
    let open_ended = operator.bulk(BulkVerb::Cancel).filter(filter.clone()).freeze().await.unwrap();
    filter.queue = Some("mail".parse().unwrap());
    filter.due_before = Timestamp::from_millis(1_900_003_600_000);
    let both = operator.bulk(BulkVerb::Cancel).filter(filter).freeze().await.unwrap();
    for (run, from, before, queue) in [(open_ended, true, false, false), (both, true, true, true)] {
        let page = house.send("", &format!("GET /bulk/{}", run.id), "", "text/html").await.text;
        let says = |text: &str| page.contains(text);
        assert_eq!(
            (says("due from"), says("due before"), says("queue:mail")),
            (from, before, queue),
            "{page}"
        );
        assert!(!says("all of these states"), "{page}");
    }
}

#[tokio::test]
async fn a_run_that_has_more_to_look_at_says_how_far_it_is_and_goes_on() {
    let house = House::open().await;
    for _ in 0..6 {
        let jobs = (0..100).map(|_| {
            let mut job = NewJob::new("k".parse().unwrap(), "{}".to_owned());
            job.due = Due::In(Delay::hours(1));
            job
        });
        house.redis.engine().client().enqueue_batch(jobs.collect()).await.unwrap();
    }
    for (who, goes_on) in [("someone at the dashboard", true), ("ann", false)] {
        let bulk = house.redis.engine().operator(who).bulk(BulkVerb::Hold);
        let run = bulk.within(std::time::Duration::ZERO).freeze().await.unwrap();
        let path = format!("/bulk/{}", run.id);
        let page = house.send("", &format!("GET {path}"), "", "text/html").await.text;
        assert!(page.contains("500 found among 500 looked at so far"), "{page}");
        let button = page.contains("<button type=\"submit\" class=\"button only-plain\">Go on looking");
        assert_eq!(button, goes_on, "with scripts it goes on by itself: {page}");
        assert!(!page.contains("name=\"count\""), "it cannot be started yet: {page}");

        let form = format!("run={}&back={path}", run.id);
        let reply = house.send("", "POST /api/fn/collect_bulk", &form, "text/html").await;

        assert!(reply.location().unwrap().starts_with(&path), "{:?}", reply.location());
        let page = house.send("", &format!("GET {path}"), "", "text/html").await.text;
        assert_eq!(page.contains("Exactly these 600 jobs"), goes_on, "{page}");
    }
}

#[tokio::test]
async fn where_scripts_run_the_page_of_the_maker_of_a_run_goes_on_looking_for_its_jobs() {
    let house = House::open().await;
    let jobs = |_| {
        let mut job = NewJob::new("k".parse().unwrap(), "{}".to_owned());
        job.due = Due::In(Delay::hours(1));
        job
    };
    for _ in 0..6 {
        house.redis.engine().client().enqueue_batch((0..100).map(jobs).collect()).await.unwrap();
    }
    for (who, goes_on) in [("someone at the dashboard", true), ("ann", false)] {
        let bulk = house.redis.engine().operator(who).bulk(BulkVerb::Hold);
        let run = bulk.within(std::time::Duration::ZERO).freeze().await.unwrap();
        let read_by_script = Request::get(format!("/bulk/{}", run.id))
            .header("host", "localhost")
            .header("accept", "text/html")
            .header("x-read-again", "1");

        let page = house.raw(read_by_script.body(Body::empty()).unwrap()).await.text;

        assert_eq!(page.contains("Exactly these 600 jobs"), goes_on, "{page}");
    }
}

/// A page as somebody sees it who has that cookie.
async fn with_cookie(house: &House, path: &str, cookie: &str) -> Reply {
    let request = Request::get(path).header("host", "localhost").header("accept", "text/html");
    house.raw(request.header("cookie", cookie).body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn the_next_page_after_a_run_has_ended_says_so_once() {
    let house = House::open().await;
    for id in ["a", "b"] {
        given(&house, id, "k").await;
    }
    let freeze = "verb=hold&group=delay&jobs[0]=a~1&jobs[1]=b~1";
    let page = house.send("", "POST /api/fn/freeze_bulk", freeze, "text/html").await;
    let run = page.location().unwrap().rsplit('/').next().unwrap().to_owned();

    let started =
        house.send("", "POST /api/fn/start_bulk", &format!("run={run}&back=/bulk/{run}"), "text/html").await;

    let name = format!("run-{run}");
    let cookie = format!("{name}={}", started.cookie(&name).unwrap());
    let going = with_cookie(&house, "/settings", &cookie).await;
    assert!(!going.text.contains("data-news"), "{}", going.text);
    assert_eq!(going.cookie(&name), None, "it is waited for");
    assert!(going.text.contains("data-every=\"5\""), "the page asks again: {}", going.text);

    house.redis.engine().operator("t").abort_bulk(&run.parse().unwrap(), "").await.unwrap();
    let ended = with_cookie(&house, "/settings", &cookie).await;
    assert!(ended.text.contains("Hold 2 jobs"), "{}", ended.text);
    assert_eq!(ended.text.matches("data-news").count(), 1);
    assert_eq!(ended.cookie(&name).as_deref(), Some(""), "and once only");
    assert!(!ended.text.contains("data-every=\"5\""), "{}", ended.text);

    let unknown = with_cookie(&house, "/settings", "run-none=1").await;
    assert!(!unknown.text.contains("data-news"), "{}", unknown.text);
    assert_eq!(unknown.cookie("run-none").as_deref(), Some(""));
}

#[tokio::test]
async fn of_a_run_that_is_not_there_the_page_says_so_and_leads_to_all_runs() {
    let house = House::open().await;
    for (language, says) in [("en", "There is no such bulk run"), ("zh-CN", "没有这个批量操作")] {
        let request = Request::get("/bulk/none")
            .header("host", "localhost")
            .header("accept", "text/html")
            .header("accept-language", language);
        let page = house.raw(request.body(Body::empty()).unwrap()).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND);
        let heading = page.text.split("<h1").nth(1).and_then(|rest| rest.split("</h1>").next()).unwrap();
        assert!(heading.contains(says), "{heading}");
        let told = page.text.split("class=\"empty\"").nth(1).and_then(|rest| rest.split("</div>").next());
        assert!(told.is_some_and(|told| told.contains("href=\"/bulk\"")), "{}", page.text);
    }
}
