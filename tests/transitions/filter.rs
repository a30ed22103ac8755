//! Filters: what they find, in which order, how far one reading goes, and that going on finds each job once.

use super::seed::{DUE, LEASE, Stage, ann, id, plain, subject, t};
use reprieve::model::filter::{GroupPlace, TALLIES_MAX};
use reprieve::model::{
    Filter, FilteredPage, FilteredQuery, JobState, Kind, ListQuery, QueueName, StateGroup, Tally,
};
use reprieve::testing::{RedisServer, TestRedis};
use reprieve::{Engine, NewJob};

fn engine(stage: &Stage, ms: i64) -> Engine {
    stage.redis.engine().at(t(ms))
}

fn query(text: &str, groups: &[StateGroup]) -> FilteredQuery {
    let mut query = FilteredQuery::new(text.parse::<Filter>().unwrap(), groups);
    query.me = "ann".to_owned();
    query.size = 200;
    query
}

fn names(page: &FilteredPage) -> Vec<&str> {
    page.rows.iter().map(|found| found.row.id.as_str()).collect()
}

async fn found(stage: &Stage, text: &str, groups: &[StateGroup]) -> Vec<String> {
    let page = engine(stage, 10_000).inspector().filtered(&query(text, groups)).await.unwrap();
    assert_eq!(page.next, None);
    names(&page).into_iter().map(ToOwned::to_owned).collect()
}

fn job(queue: &str, kind: &str, due: i64, payload: &str) -> NewJob {
    let mut job = plain(due);
    (job.queue, job.kind) = (QueueName::new(queue).unwrap(), Kind::new(kind).unwrap());
    job.payload = payload.as_bytes().to_vec();
    job
}

/// Jobs in every state, with labels, subjects and payloads.
async fn seed(stage: &Stage) {
    let mut a = job("mail", "notice", DUE, r#"{"amount":12,"order":{"id":"9007199254740993"},"to":"Ann B"}"#);
    (a.tags, a.subject) = (vec!["eu".to_owned(), "vip".to_owned()], Some(subject()));
    stage.enqueue(0, "a", a).await;
    let mut b = job("sms", "text", DUE + 1_000, r#"{"amount":9,"items":[{"sku":"x-1"}]}"#);
    b.subject = Some(subject());
    stage.enqueue(0, "b", b).await;
    stage.enqueue(0, "c", job("mail", "notify", 2 * DUE, "not JSON")).await;
    stage.enqueue(0, "held", job("mail", "notice", DUE, r#"{"amount":"100"}"#)).await;
    stage.at(1_000).hold(&id("held"), &ann()).await.unwrap();
    stage.enqueue(0, "off", job("sms", "text", DUE, r#"{"\u4efb\u52a1":["5 \u20ac"]}"#)).await;
    stage.at(2_000).cancel(&id("off"), &ann()).await.unwrap();
    stage.enqueue(0, "dead", job("mail", "notice", 0, "{}")).await;
    stage.at(0).forward(10, 0).await.unwrap();
    let token = stage.at(1_000).claim("w1", LEASE, 1, &[(QueueName::new("mail").unwrap(), 1)]).await.unwrap()
        [0]
    .token;
    stage.at(3_000).fail(&id("dead"), token, "Connection REFUSED\nby host", None).await.unwrap();
}

#[tokio::test]
async fn each_term_finds_the_jobs_it_names() {
    let stage = Stage::new().await;
    seed(&stage).await;
    for (text, expected) in [
        ("", "a b c dead off held"),
        ("state:delayed", "a b c"),
        ("state:delay,held -state:retrying", "a b c held"),
        ("queue:sms", "b off"),
        ("queue:m*", "a c dead held"),
        ("-queue:sms,nowhere", "a c dead held"),
        ("kind:notice", "a dead held"),
        ("kind:noti*", "a c dead held"),
        ("-kind:notice", "b c off"),
        ("subject:resource:4711", "a b"),
        ("subject:resource:4711 -queue:sms", "a"),
        ("subject:resource*", "a b"),
        ("tag:eu", "a"),
        ("tag:eu tag:vip", "a"),
        ("tag:us", ""),
        ("-tag:eu", "b c dead off held"),
        ("id:c,a", "a c"),
        ("id:gone", ""),
        ("due:<1h", "a b dead off held"),
        ("due:>1h", "c"),
        ("due:<0s", "dead"),
        ("-due:<1h", "c"),
        ("ended:<9s", "off dead"),
        ("ended:<7500ms", "dead"),
        ("ended:>7500ms", "off"),
        ("error:refused", "dead"),
        ("error:\"by host\"", "dead"),
        ("-error:refused", "a b c off held"),
        ("by:me", "off held"),
        ("by:ann state:cancelled", "off"),
        ("worker:w*", "dead"),
        ("attempt:>=1", "dead"),
        ("attempt:0 queue:sms", "b off"),
        ("payload.amount:>10", "a held"),
        ("payload.amount:9", "b"),
        ("payload.amount:<=9", "b"),
        ("payload.amount:*", "a b held"),
        ("-payload.amount:* state:delayed", "c"),
        ("payload.order.id:9007199254740993", "a"),
        ("payload.order.id:>9007199254740992", "a"),
        ("payload.order.id:>9007199254740993", ""),
        ("payload.items.0.sku:x*", "b"),
        ("payload.to:\"Ann B\"", "a"),
        ("4711", "a b"),
        ("REFUSED", "dead"),
        ("\"not json\"", "c"),
        ("text -off", "b"),
        // What a payload says, however its JSON is written.
        ("任务", "off"),
        ("\"5 €\"", "off"),
        ("-任务 queue:sms", "b"),
        ("running:>1s", ""),
    ] {
        let expected: Vec<&str> = expected.split_whitespace().collect();
        let mut found = found(&stage, text, &StateGroup::ALL).await;
        // Lists come in the order of the screens: Dead before Cancelled before Held.
        found.sort();
        let mut sorted = expected.clone();
        sorted.sort_unstable();
        assert_eq!(found, sorted, "{text}");
    }
}

#[tokio::test]
async fn an_error_is_found_by_what_people_read_of_it() {
    let stage = Stage::new().await;
    for (name, error) in [
        ("coloured", "\u{1b}[31mtime\u{1b}[0mout\tof \"C:\\temp\"\nat line 7"),
        ("plain", "timeout of C:/temp"),
    ] {
        stage.enqueue(0, name, job("mail", "notice", 0, "{}")).await;
        stage.at(0).forward(10, 0).await.unwrap();
        let mail = (QueueName::new("mail").unwrap(), 1);
        let token = stage.at(1_000).claim("w1", LEASE, 1, &[mail]).await.unwrap()[0].token;
        stage.at(3_000).fail(&id(name), token, error, None).await.unwrap();
    }
    for (text, expected) in [
        ("error:\"timeout of\"", &["coloured", "plain"][..]),
        ("error:\"timeout of \\\"C:\\\\temp\\\" at\"", &["coloured"]),
        ("\"timeout of\"", &["coloured", "plain"]),
        // As it was written, too.
        ("error:\"\u{1b}[31mtime\"", &["coloured"]),
        ("error:\"out\tof\"", &["coloured"]),
    ] {
        let mut found = found(&stage, text, &[StateGroup::Dead]).await;
        found.sort();
        assert_eq!(found, expected, "{text}");
    }
}

#[tokio::test]
async fn lists_come_one_behind_the_other_each_in_its_order() {
    let stage = Stage::new().await;
    seed(&stage).await;
    let all = found(&stage, "", &StateGroup::ALL).await;
    assert_eq!(all, ["a", "b", "c", "dead", "off", "held"]);
    let known = found(&stage, "id:held,dead,c,b,a,off", &StateGroup::ALL).await;
    assert_eq!(known, all, "jobs that an index names come in the same order");
    assert_eq!(found(&stage, "", &[StateGroup::Cancelled, StateGroup::Delay]).await, ["off", "a", "b", "c"]);
}

#[tokio::test]
async fn an_index_answers_where_every_job_looked_at_fits() {
    let stage = Stage::new().await;
    seed(&stage).await;
    let inspector = engine(&stage, 10_000).inspector();
    for (text, groups, indexed, among) in [
        ("", &[StateGroup::Delay][..], true, 3),
        ("due:<1h", &[StateGroup::Delay], true, 2),
        ("queue:mail state:delayed", &[StateGroup::Delay], true, 2),
        ("ended:<9s", &[StateGroup::Dead, StateGroup::Cancelled], true, 2),
        ("due:<1h", &[StateGroup::Dead], false, 1),
        ("kind:notice", &[StateGroup::Delay], false, 3),
        ("subject:resource:4711", &[StateGroup::Delay], true, 2),
    ] {
        let page = inspector.filtered(&query(text, groups)).await.unwrap();
        assert_eq!((page.indexed, page.among), (indexed, among), "{text}");
        let tally = inspector.tally(&text.parse().unwrap(), groups, "ann").await.unwrap();
        assert_eq!(tally, Tally::new(page.rows.len() as u64, false), "{text}");
    }
}

/// Reads page after page; every job in the order it came.
async fn page_through(stage: &Stage, mut query: FilteredQuery) -> (Vec<String>, u32) {
    let (mut all, mut pages) = (Vec::new(), 0);
    loop {
        let page = engine(stage, 10_000).inspector().filtered(&query).await.unwrap();
        assert!(page.rows.len() <= usize::from(query.size));
        all.extend(names(&page).into_iter().map(ToOwned::to_owned));
        pages += 1;
        let Some(next) = page.next else { return (all, pages) };
        assert_eq!(next.to_string().parse::<GroupPlace>().unwrap(), next);
        query.after = Some(next);
        assert!(pages < 500, "the pages never end");
    }
}

#[tokio::test]
async fn going_on_finds_every_job_once_whatever_the_size_and_the_direction() {
    use reprieve::model::Direction;
    let stage = Stage::new().await;
    let mut expected = Vec::new();
    for n in 0..120_i64 {
        let (due, name) = (DUE + n / 20, format!("j{:03}", (n * 37) % 120));
        let queue = ["one", "two", "three"][usize::try_from(n % 3).unwrap()];
        let kind = if n % 4 == 0 { "rare" } else { "common" };
        stage.enqueue(0, &name, job(queue, kind, due, "{}")).await;
        expected.push((due, name, kind));
    }
    expected.sort();
    for direction in [Direction::Ascending, Direction::Descending] {
        for size in [1, 7, 50, 200] {
            for (text, kind) in
                [("", ""), ("kind:rare", "rare"), ("kind:ra*", "rare"), ("-kind:common", "rare")]
            {
                let mut query = query(text, &[StateGroup::Delay, StateGroup::Held]);
                (query.direction, query.size) = (Some(direction), size);
                let (found, _) = page_through(&stage, query).await;
                let mut want: Vec<String> = expected
                    .iter()
                    .filter(|(_, _, of)| kind.is_empty() || *of == kind)
                    .map(|(_, name, _)| name.clone())
                    .collect();
                if direction == Direction::Descending {
                    want.reverse();
                }
                assert_eq!(found, want, "{text} {size} {direction:?}");
            }
        }
    }
}

/// Scripts that were run on the server of a stage.
async fn scripts_run(stage: &Stage) -> u64 {
    let reply = stage.redis.command(&["INFO", "commandstats"]).await.unwrap();
    let text: String = redis::from_redis_value(reply).unwrap();
    let calls = text.lines().filter(|line| line.starts_with("cmdstat_fcall"));
    calls.map(|line| line.split(['=', ',']).nth(1).unwrap().parse::<u64>().unwrap()).sum()
}

#[tokio::test]
async fn a_step_looks_at_as_many_jobs_as_it_may_where_one_of_many_queues_has_most_of_them() {
    use reprieve::model::{Direction, ListQuery};
    let server = RedisServer::start().unwrap();
    let stage = Stage { redis: TestRedis::on(server.url(), "alone".parse().unwrap()).await };
    let mut jobs = Vec::new();
    for n in 0..1_800_i64 {
        let queue = if n % 6 == 0 { format!("q{:03}", n / 6) } else { "dense".to_owned() };
        let kind = if n % 600 == 7 { "rare" } else { "common" };
        // The dense queue has what is first and what is last.
        let due = if n % 6 == 0 { 2 * DUE + n } else { DUE + (n % 2) * 2 * DUE + n / 7 };
        jobs.push((id(&format!("j{:04}", (n * 77) % 1_800)), job(&queue, kind, due, "{}")));
    }
    for batch in jobs.chunks(500) {
        stage.at(0).enqueue("client", batch).await.unwrap();
    }

    for direction in [Direction::Ascending, Direction::Descending] {
        let mut all = Vec::new();
        let mut list = ListQuery::group(StateGroup::Delay).direction(direction).size(200);
        loop {
            let page = engine(&stage, 0).inspector().list(&list).await.unwrap();
            all.extend(page.rows.into_iter().map(|row| (row.id.to_string(), row.kind.to_string())));
            let Some(next) = page.next else { break };
            list = list.after(Some(next));
        }
        assert_eq!(all.len(), 1_800);
        for text in ["", "-tag:none"] {
            let mut filtered = query(text, &[StateGroup::Delay]);
            filtered.direction = Some(direction);
            let (found, _) = page_through(&stage, filtered).await;
            assert!(found.iter().eq(all.iter().map(|(name, _)| name)), "{text} {direction:?}");
        }

        let mut rare = query("kind:rare", &[StateGroup::Delay]);
        rare.direction = Some(direction);
        let before = scripts_run(&stage).await;
        let page = engine(&stage, 0).inspector().filtered(&rare).await.unwrap();
        let run = scripts_run(&stage).await - before;

        let wanted = all.iter().filter(|(_, kind)| kind == "rare").map(|(name, _)| name.as_str());
        assert!(names(&page).into_iter().eq(wanted), "{direction:?}");
        assert_eq!((page.looked_at, page.next), (1_800, None));
        // Four steps of 500 jobs, and what is read around them.
        assert!(run <= 9, "{run} scripts {direction:?}");
    }
}

#[tokio::test]
async fn one_reading_looks_at_five_thousand_jobs_and_says_how_far_it_came() {
    let stage = Stage::new().await;
    let jobs: Vec<_> = (0..5_600)
        .map(|n| {
            (id(&format!("j{n:04}")), job("mail", if n == 5_500 { "rare" } else { "common" }, DUE + n, "{}"))
        })
        .collect();
    for batch in jobs.chunks(500) {
        stage.at(0).enqueue("client", batch).await.unwrap();
    }
    let inspector = engine(&stage, 10_000).inspector();
    let first = inspector.filtered(&query("kind:rare", &[StateGroup::Delay])).await.unwrap();
    assert_eq!((first.rows.len(), first.looked_at, first.among, first.indexed), (0, 5_000, 5_600, false));
    let mut rest = query("kind:rare", &[StateGroup::Delay]);
    rest.after = first.next;
    let second = inspector.filtered(&rest).await.unwrap();
    assert_eq!((names(&second), second.looked_at, &second.next), (vec!["j5500"], 600, &None));
    let tally = inspector.tally(&"kind:rare".parse().unwrap(), &[StateGroup::Delay], "").await.unwrap();
    assert_eq!(tally, Tally::new(0, true));
    let counted = inspector.tally(&"due:<2h".parse().unwrap(), &[StateGroup::Delay], "").await.unwrap();
    assert_eq!(counted, Tally::new(5_600, false));
}

#[tokio::test]
async fn step_by_step_a_filter_is_counted_to_the_end() {
    let stage = Stage::new().await;
    let kind = |n: i64| if n % 3 == 0 { "third" } else { "other" };
    let jobs: Vec<_> =
        (0..5_600).map(|n| (id(&format!("j{n:04}")), job("mail", kind(n), DUE + n, "{}"))).collect();
    for batch in jobs.chunks(500) {
        stage.at(0).enqueue("client", batch).await.unwrap();
    }
    let inspector = engine(&stage, 10_000).inspector();

    let mut third = query("kind:third -tag:none", &[StateGroup::Delay]);
    let first = inspector.count_on(&third).await.unwrap();
    third.after = first.next.clone();
    let second = inspector.count_on(&third).await.unwrap();

    assert_eq!((first.looked_at, first.among), (5_000, 5_600));
    assert_eq!((second.looked_at, second.among, second.next), (600, 5_600, None));
    assert_eq!((first.found, second.found), (1_667, 200));
    let known = inspector.count_on(&query("id:j0003,j0004 kind:third", &[StateGroup::Delay])).await.unwrap();
    assert_eq!((known.found, known.next), (1, None), "an index names them");
}

#[tokio::test]
async fn of_a_subject_with_more_ended_jobs_than_are_read_of_it_all_are_found_and_counted() {
    let stage = Stage::new().await;
    stage.given_many_called_off().await;
    let mut live = plain(DUE);
    live.subject = Some(subject());
    stage.enqueue(4, "live", live).await;
    let inspector = engine(&stage, 10_000).inspector();
    let text = "subject:resource:4711";

    let off = query(text, &[StateGroup::Cancelled]);
    let (mut found, _) = page_through(&stage, off.clone()).await;
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 1_005);
    assert!(!inspector.filtered(&off).await.unwrap().indexed, "they were looked for");
    let counted = inspector.count_on(&off).await.unwrap();
    assert_eq!((counted.found, counted.next), (1_005, None));
    let tally = inspector.tally(&off.filter, &[StateGroup::Cancelled], "ann").await.unwrap();
    assert_eq!(tally, Tally::new(1_005, false));
    let elsewhere = inspector.only_in([QueueName::new("sms").unwrap()]);
    assert_eq!(names(&elsewhere.filtered(&off).await.unwrap()).len(), 3, "behind those of other queues");

    let waiting =
        engine(&stage, 10_000).inspector().filtered(&query(text, &[StateGroup::Delay])).await.unwrap();
    assert_eq!((names(&waiting), waiting.indexed), (vec!["live"], true), "of the others all are known");
}

#[tokio::test]
async fn several_filters_are_counted_with_the_look_of_one() {
    let stage = Stage::new().await;
    seed(&stage).await;
    let jobs: Vec<_> =
        (0..3_000).map(|n| (id(&format!("j{n:04}")), job("many", "bulk", 5 * DUE + n, "{}"))).collect();
    for batch in jobs.chunks(500) {
        stage.at(0).enqueue("client", batch).await.unwrap();
    }
    let inspector = engine(&stage, 10_000).inspector();
    let asked = |lines: &[(&str, StateGroup)]| {
        lines.iter().map(|(text, group)| (text.parse::<Filter>().unwrap(), *group)).collect::<Vec<_>>()
    };

    let tallies = inspector
        .tallies(
            &asked(&[
                ("queue:many", StateGroup::Delay),
                ("", StateGroup::Dead),
                ("id:a,b", StateGroup::Delay),
                ("by:ann", StateGroup::Cancelled),
                ("kind:rare", StateGroup::Delay),
                ("kind:bulk", StateGroup::Delay),
            ]),
            "ann",
        )
        .await
        .unwrap();

    let exact = [3_000, 1, 2, 1].map(|found| Tally::new(found, false));
    assert_eq!(tallies[..4], exact, "an index counts them, or they are few");
    assert_eq!(tallies[4], Tally::new(0, true), "the look ends before the list does");
    assert!(tallies[5].or_more && (1_000..3_000).contains(&tallies[5].found), "{:?}", tallies[5]);

    let many = asked(&[("kind:a", StateGroup::Delay)].repeat(TALLIES_MAX + 1));
    let refused = inspector.tallies(&many, "ann").await.unwrap_err();
    assert!(matches!(refused, reprieve::Error::Invalid { .. }), "{refused}");
    assert_eq!(inspector.tallies(&many[1..], "ann").await.unwrap().len(), TALLIES_MAX);
}

#[tokio::test]
async fn a_column_shows_what_the_payload_has_at_its_path() {
    let stage = Stage::new().await;
    seed(&stage).await;
    let mut query = query("state:delayed", &[StateGroup::Delay]);
    query.columns = vec!["amount".parse().unwrap(), "items.0.sku".parse().unwrap()];
    let page = engine(&stage, 10_000).inspector().filtered(&query).await.unwrap();
    let cells: Vec<&[String]> = page.rows.iter().map(|found| found.cells.as_slice()).collect();
    assert_eq!(cells, [["12", ""], ["9", "x-1"], ["", ""]]);
    let long = "任".repeat(300);
    stage.enqueue(0, "long", job("mail", "long", DUE, &format!("{{\"items\":\"{long}\"}}"))).await;
    let mut of_long = FilteredQuery::new("id:long".parse().unwrap(), [StateGroup::Delay]);
    of_long.columns = vec!["items".parse().unwrap()];
    for (whole, shown) in [(false, format!("{}…", "任".repeat(119))), (true, long)] {
        of_long.whole_values = whole;
        let page = engine(&stage, 10_000).inspector().filtered(&of_long).await.unwrap();
        assert_eq!(page.rows[0].cells, [shown]);
    }
    query.columns = vec!["a".parse().unwrap(); 9];
    assert!(engine(&stage, 0).inspector().filtered(&query).await.is_err());
}

#[tokio::test]
async fn a_damaged_job_hides_no_other() {
    let stage = Stage::new().await;
    seed(&stage).await;
    stage.command(&["DEL", "*job:b"]).await;
    stage.command(&["SET", "*job:b", "text"]).await;
    assert_eq!(found(&stage, "due:<3h", &[StateGroup::Delay]).await, ["a", "c"]);
    assert_eq!(stage.state_of("a").await, Some(JobState::Delayed));
}

#[tokio::test]
async fn facets_count_the_jobs_that_fit_by_queue_kind_and_label() {
    let stage = Stage::new().await;
    seed(&stage).await;
    let inspector = engine(&stage, 10_000).inspector();
    let facets = inspector.facets(&"due:<3h".parse().unwrap(), &[StateGroup::Delay], "").await.unwrap();
    let shown =
        |list: &[(String, u64)]| list.iter().map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>();
    assert_eq!(shown(&facets.queues), ["mail 2", "sms 1"]);
    assert_eq!(shown(&facets.kinds), ["notice 1", "notify 1", "text 1"]);
    assert_eq!(shown(&facets.tags), ["eu 1", "vip 1"]);
    assert_eq!((facets.looked_at, facets.or_more), (3, false));
}

#[tokio::test]
async fn facets_of_jobs_that_an_index_names_are_of_all_of_them() {
    let stage = Stage::new().await;
    let many: Vec<_> =
        (0..2_100).map(|n| (id(&format!("j{n:04}")), job("mail", "common", DUE + n, "{}"))).collect();
    for batch in many.chunks(500) {
        stage.at(0).enqueue("client", batch).await.unwrap();
    }
    let mut last = job("sms", "text", 2 * DUE, "{}");
    last.subject = Some(subject());
    stage.enqueue(0, "last", last).await;
    let inspector = engine(&stage, 10_000).inspector();

    for line in ["id:last", "subject:resource:4711", "id:j0001,last -kind:common"] {
        let facets = inspector.facets(&line.parse().unwrap(), &[StateGroup::Delay], "").await.unwrap();
        assert_eq!(facets.queues, [("sms".to_owned(), 1)], "{line}");
        assert_eq!((facets.looked_at, facets.or_more), (1, false), "{line}");
    }
    let looked = inspector.facets(&"kind:text".parse().unwrap(), &[StateGroup::Delay], "").await.unwrap();
    assert_eq!((looked.queues.len(), looked.looked_at, looked.or_more), (0, 2_000, true));
}

#[tokio::test]
async fn what_all_pages_looked_at_adds_up_to_what_there_is() {
    for cells in [1, 3] {
        let redis = TestRedis::with_shards(cells).await;
        let kind = |n: i64| if n % 3 == 0 { "third" } else { "other" };
        let one = |n: i64| {
            let mut job = job("mail", kind(n), DUE + n, "{}");
            job.id = Some(id(&format!("j{n:03}")));
            job
        };
        for batch in [0..350, 350..700] {
            redis.engine().at(t(0)).client().enqueue_batch(batch.map(one).collect()).await.unwrap();
        }
        let inspector = redis.engine().at(t(10_000)).inspector();
        for line in ["kind:third", "-kind:other", "kind:nothing"] {
            let mut asked = query(line, &[StateGroup::Delay]);
            asked.size = 50;
            let (mut looked_at, mut found) = (0, 0);
            loop {
                let page = inspector.filtered(&asked).await.unwrap();
                assert_eq!(page.among, 700);
                looked_at += page.looked_at;
                found += page.rows.len();
                asked.after = page.next;
                if asked.after.is_none() {
                    break;
                }
            }
            let fitting = if line == "kind:nothing" { 0 } else { 234 };
            assert_eq!((looked_at, found), (700, fitting), "{line} in {cells} cells");
        }
    }
}

#[tokio::test]
async fn what_is_hidden_cannot_be_asked_for_beside_a_list_or_by_a_run() {
    let stage = Stage::new().await;
    seed(&stage).await;
    let engine = engine(&stage, 10_000);
    let ann = engine.operator("ann");
    let line = "payload.to:\"Ann B\"";
    let counted = async || {
        let facets =
            engine.inspector().facets(&line.parse().unwrap(), &[StateGroup::Delay], "").await.unwrap();
        let mut filter = reprieve::model::BulkFilter::default();
        filter.matching = Some(line.parse().unwrap());
        let run = ann.bulk(reprieve::model::BulkVerb::Hold).filter(filter).freeze().await.unwrap();
        (facets.kinds.len(), run.total)
    };
    assert_eq!(counted().await, (1, 1));
    let rule = reprieve::model::RedactionRule { kinds: "*".to_owned(), path: "to".to_owned(), keep: 0 };
    ann.set_redaction(&[rule], "privacy").await.unwrap();
    assert_eq!(counted().await, (0, 0));
}

#[tokio::test]
async fn what_is_no_id_of_ours_hides_no_job_from_a_list_or_a_filter() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(DUE)).await;
    stage.command(&["ZADD", "*q:mail:delayed", "5", "no id of ours"]).await;
    let engine = engine(&stage, 1);
    let inspector = engine.inspector();

    let listed = inspector.list(&ListQuery::group(StateGroup::Delay)).await.unwrap();

    assert_eq!(listed.rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(found(&stage, "queue:mail", &[StateGroup::Delay]).await, ["a"]);
}
