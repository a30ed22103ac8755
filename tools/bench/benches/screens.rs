//! How long the screens' reads take at the server, beside many waiting jobs. Asserts nothing: it prints figures.
//!
//! `cargo bench -p reprieve-bench --bench screens -- 1000000` starts a redis-server of its own, enqueues that many jobs over 400 days in
//! eight queues of three kinds, and reads each screen's material twenty times. Then it has two fields of their payloads
//! indexed, and asks for one of them with the index and without it.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "a bench may panic, and nobody calls it"
)]

use reprieve::model::{
    Delay, Filter, FilteredQuery, JobId, Kind, ListQuery, QueueName, StateGroup, Timestamp,
};
use reprieve::testing::TestRedis;
use reprieve::{Due, NewJob};
use std::time::{Duration, Instant};

/// Unless the command line says otherwise.
const JOBS: u64 = 1_000_000;
/// Jobs of one call.
const BATCH: u64 = 5_000;
const READS: usize = 20;
/// Jobs whose payloads have the same lot.
const LOT: u64 = 500;
/// The longest page.
const PAGE: u16 = 200;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
const QUEUES: [&str; 8] =
    ["mail", "sms", "deletions", "invoices", "reports", "exports", "imports", "reminders"];
const KINDS: [&str; 3] = ["notice", "delete_resource", "invoice"];

#[tokio::main]
async fn main() {
    let jobs = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(JOBS);
    let redis = TestRedis::namespace().await;
    let begun = Instant::now();
    fill(&redis, jobs).await;
    println!("{jobs} delayed jobs in {} queues, enqueued in {:.0?}", QUEUES.len(), begun.elapsed());
    let inspector = redis.engine().inspector();
    let now = redis.engine().now().await.expect("redis answers");
    let midnight = now.as_millis() - now.as_millis().rem_euclid(DAY_MS);
    let bounds = |step: i64, count: i64| -> Vec<Timestamp> {
        (0..=count).map(|place| Timestamp::saturating_from_millis(midnight + place * step)).collect()
    };
    for (name, bounds) in [
        ("forecast, month", bounds(DAY_MS, 42)),
        ("forecast, week by the hour", bounds(HOUR_MS, 168)),
        ("forecast, day by the quarter", bounds(HOUR_MS / 4, 96)),
        ("forecast, 400 days", bounds(DAY_MS, 400)),
    ] {
        report(name, async || drop(inspector.forecast(None, &bounds).await.expect("redis answers"))).await;
    }
    let list = ListQuery::group(StateGroup::Delay).size(PAGE);
    report("list, first page", async || drop(inspector.list(&list).await.expect("redis answers"))).await;
    for text in ["due:<24h", "due:>200d", "queue:mail due:<30d", "kind:invoice due:<30d"] {
        let filter = text.parse::<Filter>().expect("a filter");
        let mut query = FilteredQuery::new(filter, [StateGroup::Delay]);
        query.size = PAGE;
        let name = format!("list, {text}");
        report(&name, async || drop(inspector.filtered(&query).await.expect("redis answers"))).await;
    }
    report("overview", async || drop(inspector.overview().await.expect("redis answers"))).await;
    report("due ahead, 30 days", async || {
        drop(inspector.due_ahead(None, Delay::days(1), 30).await.expect("redis answers"));
    })
    .await;
    report("counts as of a minute", async || {
        drop(inspector.counts_at(now).await.expect("redis answers"));
    })
    .await;
    index(&redis, jobs).await;
}

/// What an index of two fields of payloads costs, and what it saves.
async fn index(redis: &TestRedis, jobs: u64) {
    let engine = redis.engine();
    let (operator, inspector) = (engine.operator("bench"), engine.inspector());
    let wanted: Filter = format!("payload.order:{}", jobs / 2).parse().expect("a filter");
    let mut query = FilteredQuery::new(wanted, [StateGroup::Delay]);
    let (begun, mut looked_at) = (Instant::now(), 0);
    loop {
        let counted = inspector.count_on(&query).await.expect("redis answers");
        looked_at += counted.looked_at;
        query.after = counted.next;
        if query.after.is_none() {
            break;
        }
    }
    println!("one job by a field, without an index: {:.1?} to look at {looked_at} jobs", begun.elapsed());
    let before = memory(redis).await;
    let fields = ["order", "lot"].map(|path| path.parse().expect("a path"));
    operator.set_index_fields(&fields, "").await.expect("redis takes it");
    let begun = Instant::now();
    redis.index().await.expect("redis answers");
    let bytes = memory(redis).await.saturating_sub(before);
    println!(
        "two fields indexed in {:.1?}, without pauses; {} bytes a job",
        begun.elapsed(),
        bytes / jobs.max(1)
    );
    for text in
        [format!("payload.order:{}", jobs / 2), "payload.lot:7".to_owned(), "payload.order:<1000".to_owned()]
    {
        let mut query = FilteredQuery::new(text.parse().expect("a filter"), [StateGroup::Delay]);
        query.size = PAGE;
        let page = inspector.filtered(&query).await.expect("redis answers");
        let name = format!("list, {text}, {} jobs, indexed: {}", page.among, page.indexed);
        report(&name, async || drop(inspector.filtered(&query).await.expect("redis answers"))).await;
    }
}

/// Bytes that Redis has in use.
async fn memory(redis: &TestRedis) -> u64 {
    let told = redis.command(&["INFO", "memory"]).await.expect("redis answers");
    let told: String = redis::from_redis_value(told).expect("a text");
    let line = told.lines().find_map(|line| line.strip_prefix("used_memory:"));
    line.and_then(|bytes| bytes.trim().parse().ok()).unwrap_or_default()
}

/// Enqueues that many jobs, spread over 400 days.
async fn fill(redis: &TestRedis, jobs: u64) {
    let client = redis.engine().client();
    let now = redis.engine().now().await.expect("redis answers").as_millis();
    let step = (400 * DAY_MS as u64 / jobs.max(1)).max(1);
    for first in (0..jobs).step_by(BATCH as usize) {
        let batch = (first..jobs.min(first + BATCH)).map(|number| {
            let pick = usize::try_from(number).unwrap_or(0);
            let payload = format!(r#"{{"order":"{number}","lot":{}}}"#, number / LOT);
            let mut job = NewJob::new(Kind::new(KINDS[pick % KINDS.len()]).expect("a kind"), payload);
            job.id = Some(JobId::new(format!("j{number}")).expect("an id"));
            job.queue = QueueName::new(QUEUES[pick / 3 % QUEUES.len()]).expect("a queue");
            job.due = Due::At(Timestamp::saturating_from_millis(now + HOUR_MS + (number * step) as i64));
            job
        });
        client.enqueue_batch(batch.collect()).await.expect("redis takes them");
    }
}

/// Median and longest of some reads.
async fn report(name: &str, read: impl AsyncFn()) {
    let mut took: Vec<Duration> = Vec::new();
    for _ in 0..READS {
        let begun = Instant::now();
        read().await;
        took.push(begun.elapsed());
    }
    took.sort();
    println!("{name}: median {:.1?}, longest {:.1?}", took[READS / 2], took[READS - 1]);
}
