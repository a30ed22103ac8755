//! How long the screens' reads take at the server, beside many waiting jobs. Asserts nothing: it prints figures.
//!
//! `cargo bench --bench screens -- 1000000` starts a redis-server of its own, enqueues that many jobs over 400 days in
//! eight queues of three kinds, and reads each screen's material twenty times.

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
}

/// Enqueues that many jobs, spread over 400 days.
async fn fill(redis: &TestRedis, jobs: u64) {
    let client = redis.engine().client();
    let now = redis.engine().now().await.expect("redis answers").as_millis();
    let step = (400 * DAY_MS as u64 / jobs.max(1)).max(1);
    for first in (0..jobs).step_by(BATCH as usize) {
        let batch = (first..jobs.min(first + BATCH)).map(|number| {
            let pick = usize::try_from(number).unwrap_or(0);
            let mut job =
                NewJob::new(Kind::new(KINDS[pick % KINDS.len()]).expect("a kind"), b"{\"n\":1}".to_vec());
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
