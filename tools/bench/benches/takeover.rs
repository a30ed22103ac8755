//! A queue of BullMQ is taken over and given back, beside what BullMQ itself would do: read its delayed jobs and add them to
//! another queue.
//!
//! `cargo bench -p reprieve-bench --bench takeover [-- JOBS]`. BullMQ's part is left out where it is not installed.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a bench may panic and prints, and nobody calls it"
)]

use redis::aio::MultiplexedConnection;
use reprieve::testing::RedisServer;
use reprieve::{Engine, EngineConfig};
use reprieve_import::{BullmqSource, ImportName, ImportWarningCode, Layout, Source};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const JOBS: usize = 100_000;
/// BullMQ's own way is slow: this many tell its rate.
const JOBS_OF_BULLMQ: usize = 10_000;
/// 2033-05-18, in ms.
const DUE_MS: u64 = 2_000_000_000_000;
/// A script call beyond this keeps others waiting, in microseconds.
const SLOW_US: &str = "1000";
const BATCH: usize = 500;

/// Delayed jobs as BullMQ 5 and 6 write them.
async fn write(connection: &mut MultiplexedConnection, queue: &str, jobs: usize) {
    for first in (0..jobs).step_by(BATCH) {
        let mut writes = redis::pipe();
        for n in first..jobs.min(first + BATCH) {
            let fields = [
                ("name", "note".to_owned()),
                ("data", format!(r#"{{"to":"someone@example.com","n":{n},"pad":"{}"}}"#, "x".repeat(50))),
                (
                    "opts",
                    r#"{"attempts":3,"delay":60000,"backoff":{"type":"exponential","delay":1000}}"#
                        .to_owned(),
                ),
                ("timestamp", "1700000000000".to_owned()),
                ("delay", "60000".to_owned()),
                ("priority", "0".to_owned()),
            ];
            let due_ms = DUE_MS + u64::try_from(n).unwrap();
            writes.hset_multiple(format!("bull:{queue}:{n}"), &fields).ignore();
            writes.zadd(format!("bull:{queue}:delayed"), n, due_ms * 4_096).ignore();
        }
        writes.query_async::<()>(connection).await.unwrap();
    }
}

async fn ask(connection: &mut MultiplexedConnection, words: &[&str]) -> redis::Value {
    redis::cmd(words[0]).arg(&words[1..]).query_async(connection).await.unwrap()
}

/// Processor time of Redis's main thread so far.
async fn spent(connection: &mut MultiplexedConnection) -> f64 {
    let text: String = redis::from_redis_value(ask(connection, &["INFO", "cpu"]).await).unwrap();
    let main = text.lines().filter(|line| line.contains("_main_thread:"));
    main.filter_map(|line| line.split(':').nth(1)?.trim().parse::<f64>().ok()).sum()
}

/// Says what something cost: jobs a second, Redis's time a job, and calls that were too long.
async fn measured<T>(
    what: &str,
    jobs: usize,
    connection: &mut MultiplexedConnection,
    work: impl Future<Output = T>,
) -> T {
    ask(connection, &["SLOWLOG", "RESET"]).await;
    let (before, began) = (spent(connection).await, Instant::now());
    let answer = work.await;
    let took = began.elapsed();
    let redis_us = (spent(connection).await - before) * 1e6 / jobs as f64;
    let slow: u64 = redis::from_redis_value(ask(connection, &["SLOWLOG", "LEN"]).await).unwrap();
    println!(
        "{what:<28} {:>9.0} jobs/s {redis_us:>8.1} Redis µs a job {slow:>6} calls over 1 ms",
        rate(jobs, took)
    );
    answer
}

fn rate(jobs: usize, took: Duration) -> f64 {
    jobs as f64 / took.as_secs_f64()
}

fn bullmq(url: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/bullmq");
    if !folder.join("node_modules").exists() {
        println!("BullMQ is not installed: npm install --ignore-scripts --prefix tools/bench/peers/bullmq");
        return;
    }
    let status = Command::new("node")
        .arg("move.mjs")
        .args([url, "theirs", &JOBS_OF_BULLMQ.to_string()])
        .current_dir(folder)
        .status();
    assert!(status.unwrap().success());
}

#[tokio::main]
async fn main() {
    let jobs = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(JOBS);
    let server = RedisServer::start().unwrap();
    let engine = Engine::connect(EngineConfig::new(server.url())).await.unwrap();
    let client = redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    ask(&mut connection, &["CONFIG", "SET", "slowlog-log-slower-than", SLOW_US]).await;
    ask(&mut connection, &["CONFIG", "SET", "slowlog-max-len", "100000"]).await;
    write(&mut connection, "ours", jobs).await;
    let layout = Layout::Bullmq(BullmqSource::new(vec!["ours".to_owned()]));
    let import =
        reprieve_import::Importer::new(&engine, ImportName::new("bench").unwrap(), Source::here(layout))
            .unwrap();
    let import = import.accepting(&ImportWarningCode::ALL);

    let taken = measured("taken over", jobs, &mut connection, import.take_over(|_| ())).await.unwrap();
    assert_eq!(usize::try_from(taken.taken).unwrap(), jobs, "{taken:?}");
    let back = measured("given back", jobs, &mut connection, import.roll_back(|_| ())).await.unwrap();
    assert_eq!(usize::try_from(back.restored).unwrap(), jobs, "{back:?}");

    write(&mut connection, "theirs", JOBS_OF_BULLMQ).await;
    bullmq(server.url());
}
