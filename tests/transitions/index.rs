//! The index of fields of payloads: filters find by it exactly what they find without it, at every moment.

use super::seed::{DUE, Stage, WORKER, ann, id, mail, plain, subject, t};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reprieve::model::filter::{GroupPlace, PayloadPath};
use reprieve::model::{
    ConcurrencyKey, Delay, Edited, Enqueued, Filter, FilteredPage, FilteredQuery, Kind, Priority, Purged,
    QueueLimits, QueueName, RedactionRule, StateGroup, Subject,
};
use reprieve::testing::{TestRedis, breaches, breaches_beside_events};
use reprieve::{Due, NewJob};
use std::collections::BTreeMap;

fn paths(texts: &[&str]) -> Vec<PayloadPath> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn job(payload: &str) -> NewJob {
    let mut job = plain(DUE);
    job.payload = payload.as_bytes().to_vec();
    job
}

async fn page(redis: &TestRedis, text: &str) -> FilteredPage {
    let mut query = FilteredQuery::new(text.parse::<Filter>().unwrap(), StateGroup::ALL);
    query.size = 200;
    redis.engine().at(t(10_000)).inspector().filtered(&query).await.unwrap()
}

/// The jobs that a filter finds, by name, and whether an index answered.
async fn found(redis: &TestRedis, text: &str) -> (String, bool) {
    let page = page(redis, text).await;
    let mut names: Vec<String> = page.rows.iter().map(|found| found.row.id.to_string()).collect();
    names.sort();
    (names.join(" "), page.indexed)
}

async fn indexed(stage: &Stage, fields: &[&str]) {
    stage.redis.engine().operator("ann").set_index_fields(&paths(fields), "").await.unwrap();
    stage.redis.index().await.unwrap();
}

fn by_index(names: &str) -> (String, bool) {
    (names.to_owned(), true)
}

fn looked_through(names: &str) -> (String, bool) {
    (names.to_owned(), false)
}

/// What the index itself has of jobs: id and values in turn.
async fn kept(redis: &TestRedis) -> Vec<String> {
    let key = format!("{}index:jobs", redis.prefix());
    let mut told: Vec<String> =
        redis::from_redis_value(redis.command(&["HGETALL", &key]).await.unwrap()).unwrap();
    let values: Vec<String> = redis::from_redis_value(
        redis.command(&["ZRANGE", &format!("{}index:values", redis.prefix()), "0", "-1"]).await.unwrap(),
    )
    .unwrap();
    told.extend(values);
    told
}

#[tokio::test]
async fn a_job_is_found_by_a_field_from_the_moment_it_is_there_until_it_is_gone() {
    let stage = Stage::new().await;
    stage.enqueue(0, "before", job(r#"{"order":{"id":"4711"},"amount":12}"#)).await;
    assert_eq!(found(&stage.redis, "payload.order.id:4711").await, looked_through("before"));
    indexed(&stage, &["order.id", "amount"]).await;
    assert_eq!(found(&stage.redis, "payload.order.id:4711").await, by_index("before"));
    // Nothing has entered this one yet.
    stage.enqueue(1_000, "after", job(r#"{"order":{"id":"4712"},"amount":"7"}"#)).await;
    for entered in [false, true] {
        if entered {
            stage.redis.index().await.unwrap();
        }
        for (text, names) in [
            ("payload.order.id:4712", "after"),
            ("payload.order.id:471*", "after before"),
            ("payload.order.id:4711,4712 state:delayed", "after before"),
            ("payload.order.id:47", ""),
            ("payload.amount:<10", "after"),
            ("payload.amount:>=7 -payload.amount:12", "after"),
            ("payload.amount:12", "before"),
        ] {
            assert_eq!(found(&stage.redis, text).await, by_index(names), "{text}, entered: {entered}");
        }
    }
    stage.at(2_000).edit(&id("after"), &ann(), br#"{"order":{"id":"9"}}"#, None).await.unwrap();
    assert_eq!(found(&stage.redis, "payload.order.id:9").await, by_index("after"));
    assert_eq!(found(&stage.redis, "payload.order.id:4712").await, by_index(""));
    let mut other = job(r#"{"order":{"id":"10"}}"#);
    (other.replace, other.due) = (true, Due::Now);
    stage.enqueue(3_000, "before", other).await;
    assert_eq!(found(&stage.redis, "payload.order.id:10").await, by_index("before"));
    stage.redis.index().await.unwrap();
    assert_eq!(found(&stage.redis, "payload.order.id:1*").await, by_index("before"));
    stage.at(4_000).cancel(&id("after"), &ann()).await.unwrap();
    stage.at(5_000).purge_job(&id("after"), &ann()).await.unwrap();
    let told = kept(&stage.redis).await;
    assert!(!told.iter().any(|line| line.contains("after")), "{told:?}");
    assert!(told.iter().any(|line| line.contains("before")), "{told:?}");
    let rules = breaches(&stage.snapshot().await);
    assert!(rules.is_empty(), "{rules:?}");
}

#[tokio::test]
async fn numbers_are_compared_by_every_digit_with_the_index_and_without() {
    let stage = Stage::new().await;
    for (id, payload) in [
        ("1", r#"{"n":19.90}"#),
        ("2", r#"{"n":10.0}"#),
        ("3", r#"{"n":10}"#),
        ("4", r#"{"n":1e1}"#),
        ("5", r#"{"n":100000000000000000001}"#),
        ("6", r#"{"n":100000000000000000002}"#),
        ("7", r#"{"n":"19.90"}"#),
        ("8", r#"{"n":-0.5}"#),
    ] {
        stage.enqueue(0, id, job(payload)).await;
    }
    for with_index in [false, true] {
        if with_index {
            indexed(&stage, &["n"]).await;
        }
        for (term, names) in [
            ("19.90", "1 7"),
            // A text is what is written there, a number what it is worth.
            ("19.9", "1"),
            ("19.900", "1"),
            ("10", "2 3 4"),
            ("10.00", "2 3 4"),
            ("1e1", "2 3 4"),
            ("-.50", "8"),
            ("100000000000000000001", "5"),
            ("100000000000000000002", "6"),
            ("1e20", ""),
            ("19.90,100000000000000000002", "1 6 7"),
            ("10.*", "2"),
            (">100000000000000000001", "6"),
            (">=100000000000000000001", "5 6"),
            ("<=10", "2 3 4 8"),
            (">19.89 -payload.n:>20", "1 7"),
        ] {
            let expected = (names.to_owned(), with_index);
            assert_eq!(found(&stage.redis, &format!("payload.n:{term}")).await, expected, "{term}");
        }
    }
    let mut query = FilteredQuery::new("id:1,4,6".parse::<Filter>().unwrap(), StateGroup::ALL);
    query.columns = paths(&["n"]);
    let page = stage.redis.engine().at(t(10_000)).inspector().filtered(&query).await.unwrap();
    let mut cells: Vec<String> = page.rows.into_iter().flat_map(|row| row.cells).collect();
    cells.sort();
    assert_eq!(cells, ["100000000000000000002", "19.90", "1e1"]);
}

#[tokio::test]
async fn erasing_a_subject_leaves_nothing_of_it_in_the_index() {
    let stage = Stage::new().await;
    let mut one = job(r#"{"name":"Ann B"}"#);
    one.subject = Some(subject());
    stage.enqueue(0, "a", one).await;
    indexed(&stage, &["name"]).await;
    assert!(!kept(&stage.redis).await.is_empty());
    let operator = stage.redis.engine().operator("ann");
    operator.erase_subject(&subject(), true, "asked for").await.unwrap();
    assert_eq!(kept(&stage.redis).await, Vec::<String>::new());
}

#[tokio::test]
async fn what_somebody_may_not_see_is_not_found_by_it() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", job(r#"{"phone":"555 1234","city":"Ulm"}"#)).await;
    indexed(&stage, &["phone", "city"]).await;
    assert_eq!(found(&stage.redis, "payload.phone:555*").await, by_index("a"));
    let rule = RedactionRule { kinds: "*".to_owned(), path: "phone".to_owned(), keep: 4 };
    stage.redis.engine().operator("ann").set_redaction(&[rule], "").await.unwrap();
    assert_eq!(found(&stage.redis, "payload.phone:555*").await, by_index(""));
    assert_eq!(found(&stage.redis, "payload.city:Ulm").await, by_index("a"));
    // What stands there instead is in no index.
    assert_eq!(found(&stage.redis, "payload.phone:••••*").await, looked_through("a"));
}

#[tokio::test]
async fn what_the_index_does_not_tell_is_looked_for_without_it() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", job(r#"{"n":1,"list":[1,2]}"#)).await;
    stage.enqueue(0, "b", job(r#"{"n":null}"#)).await;
    indexed(&stage, &["n", "list"]).await;
    for (text, expected) in [
        ("payload.n:*", looked_through("a")),
        ("-payload.n:1", looked_through("b")),
        ("payload.list:\"[1,2]\"", looked_through("a")),
        ("payload.other:1", looked_through("")),
        ("payload.n:null", by_index("b")),
    ] {
        assert_eq!(found(&stage.redis, text).await, expected, "{text}");
    }
    indexed(&stage, &[]).await;
    assert_eq!(found(&stage.redis, "payload.n:1").await, looked_through("a"));
    assert_eq!(kept(&stage.redis).await, Vec::<String>::new());
}

#[tokio::test]
async fn where_events_are_lost_the_index_is_not_asked_and_is_made_anew() {
    let stage = Stage::new().await;
    indexed(&stage, &["n"]).await;
    for number in 0..3 {
        stage.enqueue(0, &format!("j{number}"), job(r#"{"n":1}"#)).await;
    }
    assert_eq!(found(&stage.redis, "payload.n:1").await, looked_through("j0 j1 j2"), "since its beginning");
    stage.redis.index().await.unwrap();
    assert_eq!(found(&stage.redis, "payload.n:1").await, by_index("j0 j1 j2"));
    stage.enqueue(0, "j3", job(r#"{"n":1}"#)).await;
    stage.enqueue(0, "j4", job(r#"{"n":1}"#)).await;
    let events = format!("{}events", stage.redis.prefix());
    for most in ["1", "0"] {
        stage.redis.command(&["XTRIM", &events, "MAXLEN", most]).await.unwrap();
        assert_eq!(found(&stage.redis, "payload.n:1").await, looked_through("j0 j1 j2 j3 j4"), "{most} left");
    }
    stage.redis.index().await.unwrap();
    stage.enqueue(0, "j5", job(r#"{"n":1}"#)).await;
    stage.redis.index().await.unwrap();
    assert_eq!(found(&stage.redis, "payload.n:1").await, by_index("j0 j1 j2 j3 j4 j5"));
    let rules = breaches_beside_events(&stage.snapshot().await);
    assert!(rules.is_empty(), "{rules:?}");
}

#[tokio::test]
async fn what_other_hands_do_to_the_index_costs_time_and_no_job() {
    let stage = Stage::new().await;
    for number in 0..20 {
        stage.enqueue(0, &format!("j{number:02}"), job(&format!(r#"{{"n":{}}}"#, number % 2))).await;
    }
    let all = (0..20).step_by(2).map(|number| format!("j{number:02}")).collect::<Vec<_>>().join(" ");
    indexed(&stage, &["n"]).await;
    let key = |name: &str| format!("{}{name}", stage.redis.prefix());
    let (state, values, jobs) = (key("index"), key("index:values"), key("index:jobs"));
    for (damage, looked) in [
        (vec!["DEL", &values], true),
        (vec!["DEL", &jobs], true),
        (vec!["DEL", &state], true),
        (vec!["SET", &values, "x"], true),
        (vec!["SET", &jobs, "x"], true),
        (vec!["SET", &state, "x"], true),
        (vec!["HDEL", &state, "at"], true),
        // As when it had been under way on another server.
        (vec!["HSET", &state, "cursor", "77", "server", "another"], true),
    ] {
        stage.redis.command(&damage).await.unwrap();
        assert_eq!(found(&stage.redis, "payload.n:0").await, (all.clone(), !looked), "{damage:?}");
        stage.redis.index().await.unwrap();
        assert_eq!(found(&stage.redis, "payload.n:0").await, by_index(&all), "{damage:?}");
    }
    // A job can be removed all the same.
    stage.redis.command(&["SET", &values, "x"]).await.unwrap();
    stage.at(1_000).cancel(&id("j00"), &ann()).await.unwrap();
    stage.at(2_000).purge_job(&id("j00"), &ann()).await.unwrap();
    stage.redis.index().await.unwrap();
    assert_eq!(found(&stage.redis, "payload.n:0 id:j00").await.0, "");
}

#[tokio::test]
async fn more_than_one_answer_looks_at_are_looked_through() {
    let stage = Stage::new().await;
    indexed(&stage, &["n"]).await;
    for part in 0..26 {
        let jobs: Vec<_> =
            (0..200).map(|number| (id(&format!("j{part}-{number}")), job(r#"{"n":1}"#))).collect();
        stage.at(0).enqueue("client", &jobs).await.unwrap();
    }
    stage.enqueue(0, "one", job(r#"{"n":2}"#)).await;
    stage.redis.index().await.unwrap();
    let many = page(&stage.redis, "payload.n:1").await;
    assert_eq!((many.rows.len(), many.indexed), (200, false));
    assert_eq!(found(&stage.redis, "payload.n:2").await, by_index("one"));
    let state = stage.redis.engine().inspector().index_state().await.unwrap();
    assert_eq!((state.jobs, state.complete, state.fields), (5_201, true, paths(&["n"])));
}

/// The names of a list's jobs behind a place, where it goes on, and how many were counted from there.
async fn read(
    stage: &Stage,
    group: StateGroup,
    after: Option<GroupPlace>,
    size: u16,
    by_index: bool,
) -> (Vec<String>, Option<GroupPlace>, u64) {
    indexed(stage, if by_index { &["n"] } else { &[] }).await;
    let mut query = FilteredQuery::new("payload.n:1".parse::<Filter>().unwrap(), [group]);
    (query.after, query.size) = (after, size);
    let inspector = stage.redis.engine().at(t(10_000)).inspector();
    let page = inspector.filtered(&query).await.unwrap();
    assert_eq!(page.indexed, by_index);
    let counted = inspector.count_on(&query).await.unwrap().found;
    let names = page.rows.iter().map(|found| found.row.id.to_string()).collect();
    (names, page.next, counted)
}

#[tokio::test]
async fn a_list_goes_on_where_it_was_whether_an_index_answers_or_a_look() {
    let stage = Stage::new().await;
    // What is first by its priority and by its lease is last by its due time.
    for n in 0..9_u8 {
        let mut new = job(r#"{"n":1}"#);
        (new.due, new.priority) = (Due::At(t(-1 - i64::from(n))), Priority::new(n).unwrap());
        stage.enqueue(0, &format!("j{n}"), new).await;
    }
    let all = (0..9).map(|n| format!("j{n}")).collect::<Vec<_>>();
    for group in [StateGroup::Ready, StateGroup::Active] {
        if group == StateGroup::Active {
            for seconds in 10..19 {
                let claimed = stage.at(1_000).claim(WORKER, Delay::seconds(seconds), 1, &[(mail(), 1)]).await;
                assert_eq!(claimed.unwrap().len(), 1);
            }
        }
        for first_by_index in [false, true] {
            assert_eq!(
                read(&stage, group, None, 200, first_by_index).await,
                (all.clone(), None, 9),
                "{group}"
            );
            let (first, next, _) = read(&stage, group, None, 4, first_by_index).await;
            let (second, end, counted) = read(&stage, group, next, 200, !first_by_index).await;
            assert_eq!((&first[..], &second[..], end), (&all[..4], &all[4..], None), "{group}");
            assert_eq!(counted, 5, "what was counted before is not counted again");
        }
    }
}

#[tokio::test]
async fn what_waits_for_a_concurrency_key_stands_last_whether_an_index_answers_or_a_look() {
    let stage = Stage::new().await;
    for name in ["a0", "a1", "a2", "j0", "j1"] {
        let mut new = job(r#"{"n":1}"#);
        new.due = Due::At(t(-1));
        match name.starts_with('a') {
            true => new.concurrency_key = Some(ConcurrencyKey::new("a").unwrap()),
            false => new.queue = QueueName::new("sms").unwrap(),
        }
        stage.enqueue(0, name, new).await;
    }
    let limits = QueueLimits { concurrency_per_key: Some(1), ..QueueLimits::default() };
    stage.at(0).limit(&mail(), &ann(), &limits).await.unwrap();
    assert_eq!(stage.claim(1, 9).await.len(), 1, "the others of its concurrency key are passed over");

    let all = ["j0", "j1", "a1", "a2"];
    for first_by_index in [false, true] {
        let (whole, ..) = read(&stage, StateGroup::Ready, None, 200, first_by_index).await;
        assert_eq!(whole, all, "by index: {first_by_index}");
        let (first, next, _) = read(&stage, StateGroup::Ready, None, 3, first_by_index).await;
        let (second, ..) = read(&stage, StateGroup::Ready, next, 200, !first_by_index).await;
        assert_eq!([first, second].concat(), all, "by index first: {first_by_index}");
    }
}

#[tokio::test]
async fn a_round_enters_few_jobs_however_many_came_at_once() {
    let stage = Stage::new().await;
    indexed(&stage, &["n"]).await;
    for part in 0..30 {
        let jobs: Vec<_> =
            (0..100).map(|number| (id(&format!("j{part}-{number}")), job(r#"{"n":1}"#))).collect();
        stage.at(0).enqueue("client", &jobs).await.unwrap();
    }
    let inspector = stage.redis.engine().inspector();
    let mut before = 0;
    let small_steps = stage.redis.index_while(async |more| {
        let there = inspector.index_state().await.unwrap().jobs;
        assert!(there - before <= 400, "{} at once", there - before);
        before = there;
        more
    });
    small_steps.await.unwrap();
    assert_eq!(before, 3_000);
    assert!(inspector.index_state().await.unwrap().complete);
}

#[tokio::test]
async fn a_stream_of_single_jobs_does_not_outrun_the_index() {
    let stage = Stage::new().await;
    indexed(&stage, &["n"]).await;
    let inspector = stage.redis.engine().inspector();
    let events = format!("{}events", stage.redis.prefix());
    let (mut rounds, mut sent, mut before) = (0, 0, 0);
    // In each round three times the entries that a round reads by itself. What is more than four rounds behind is lost.
    let rounds = stage.redis.index_while(async |_| {
        let there = inspector.index_state().await.unwrap().jobs;
        assert!(there >= before, "it began anew after {rounds} rounds: {there} jobs instead of {before}");
        (rounds, before) = (rounds + 1, there);
        for _ in 0..60 {
            stage.enqueue(0, &format!("j{sent}"), job(r#"{"n":1}"#)).await;
            sent += 1;
        }
        stage.redis.command(&["XTRIM", &events, "MAXLEN", "240"]).await.unwrap();
        rounds < 20
    });
    rounds.await.unwrap();
    stage.redis.index().await.unwrap();
    let state = inspector.index_state().await.unwrap();
    assert_eq!((state.jobs, state.complete), (20 * 60, true));
}

#[tokio::test]
async fn in_several_shards_too() {
    let redis = TestRedis::with_shards(3).await;
    redis.engine().operator("ann").set_index_fields(&paths(&["n"]), "").await.unwrap();
    let jobs = (0..12).map(|number| {
        let mut new = NewJob::new(Kind::new("notice").unwrap(), format!(r#"{{"n":{number}}}"#));
        new.id = Some(id(&format!("j{number}")));
        new.subject = Some(Subject::new(format!("order:{number}")).unwrap());
        new
    });
    redis.engine().client().enqueue_batch(jobs.collect()).await.unwrap();
    assert!(!redis.engine().inspector().index_state().await.unwrap().complete);
    redis.index().await.unwrap();
    redis.index().await.unwrap();
    let state = redis.engine().inspector().index_state().await.unwrap();
    assert_eq!((state.jobs, state.complete), (12, true));
    assert_eq!(found(&redis, "payload.n:>9").await, by_index("j10 j11"));
}

/// Whatever happens in whatever order, a filter finds by the index what it is to find.
#[tokio::test]
async fn at_every_moment_it_finds_what_is_there() {
    let seed =
        std::env::var("REPRIEVE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or_else(rand::random);
    println!("REPRIEVE_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let stage = Stage::new().await;
    stage.enqueue(0, "first", job("{}")).await;
    indexed(&stage, &["n", "word"]).await;
    let mut there: BTreeMap<String, (i64, String)> = BTreeMap::new();
    for step in 0..300 {
        let name = format!("j{:02}", random.random_range(0..30));
        let (n, word) = (random.random_range(-5..5_i64), ["", "a", "ab", "b"][random.random_range(0..4)]);
        let payload = format!(r#"{{"n":{n},"word":"{word}"}}"#);
        let now = stage.at(step);
        match random.random_range(0..10) {
            0..4 => {
                let mut new = job(&payload);
                new.replace = true;
                new.due = if random.random() { Due::Now } else { Due::At(t(DUE)) };
                let done = now.enqueue("forwarder", &[(id(&name), new)]).await.unwrap();
                if !matches!(done[0], Enqueued::Exists(_)) {
                    there.insert(name, (n, word.to_owned()));
                }
            }
            4..6 => {
                let done = now.edit(&id(&name), &ann(), payload.as_bytes(), None).await;
                if done.is_ok_and(|done| !matches!(done, Edited::Refused(_))) {
                    there.insert(name, (n, word.to_owned()));
                }
            }
            6 => drop(now.cancel(&id(&name), &ann()).await),
            7 => {
                if let Ok(Purged::Now(_)) = now.purge_job(&id(&name), &ann()).await {
                    there.remove(&name);
                }
            }
            _ => stage.redis.index().await.unwrap(),
        }
        for (text, fits) in [
            (
                format!("payload.n:>={n}"),
                Box::new(|one: &(i64, String)| one.0 >= n) as Box<dyn Fn(&(i64, String)) -> bool>,
            ),
            (format!("payload.n:{n}"), Box::new(|one| one.0 == n)),
            ("payload.word:a*".to_owned(), Box::new(|one| one.1.starts_with('a'))),
        ] {
            let expected: Vec<&str> =
                there.iter().filter(|(_, one)| fits(one)).map(|(name, _)| name.as_str()).collect();
            assert_eq!(
                found(&stage.redis, &text).await,
                by_index(&expected.join(" ")),
                "step {step}: {text}"
            );
        }
    }
    let rules = breaches(&stage.snapshot().await);
    assert!(rules.is_empty(), "{rules:?}");
}
