//! A worker on a queue that may only start so many jobs in a span of time.

use super::scene::within;
use redis::InfoDict;
use reprieve::model::{Delay, Kind, QueueLimits, QueueName, Rate};
use reprieve::testing::{RedisServer, TestRedis};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// How often scripts were called on that server.
fn calls(connection: &mut redis::Connection) -> u64 {
    let info: InfoDict = redis::cmd("INFO").arg("commandstats").query(connection).unwrap();
    let of = |command: &str| {
        let line: String = info.get(command).unwrap_or_default();
        line.strip_prefix("calls=").and_then(|rest| rest.split(',').next()?.parse().ok()).unwrap_or(0)
    };
    of("cmdstat_fcall") + of("cmdstat_evalsha")
}

#[tokio::test]
async fn a_worker_that_waits_for_a_rate_looks_no_more_often_the_more_was_sent_meanwhile() {
    let server = RedisServer::start().unwrap();
    let redis = TestRedis::on(server.url(), "rates".parse().unwrap()).await;
    let mut connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let engine = redis.engine();
    let rate = Some(Rate { jobs: 1, per: Delay::hours(1) });
    let limits = QueueLimits { rate, ..QueueLimits::default() };
    engine.operator("ann").limit(&QueueName::default(), limits, "").await.unwrap();
    let (ran, mut runs) = mpsc::unbounded_channel();
    let worker = engine
        .worker()
        .queue(QueueName::default(), 4)
        .handler("k", move |_| {
            ran.send(()).unwrap();
            async { Ok(()) }
        })
        .start()
        .await
        .unwrap();
    let send = async || engine.client().enqueue_raw(Kind::new("k").unwrap(), "{}").send().await.unwrap();
    send().await;
    within("the only job of this hour", runs.recv()).await.unwrap();
    for _ in 0..40 {
        send().await;
        // So that the worker is called for each of them by itself.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (before, began) = (calls(&mut connection), Instant::now());

    // What is counted is how often it asks in that time, in which nothing happens.
    tokio::time::sleep(Duration::from_secs(2)).await;

    let (asked, took) = (calls(&mut connection) - before, began.elapsed());
    assert!(asked as f64 <= 15.0 * took.as_secs_f64(), "{asked} calls in {took:?}");
    assert!(runs.try_recv().is_err());
    worker.shutdown().await;
}
