//! Many who look for what is not there, beside the one who works.

use super::scene::{job, within};
use futures_util::future::join_all;
use redis::Value;
use reprieve::model::{Delay, Filter, FilteredQuery, QueueName, StateGroup};
use reprieve::testing::{RedisServer, TestRedis};
use reprieve::{Due, Error, NewJob};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Who looks, and at how many jobs each time: all of them, in two steps.
const CROWD: usize = 8;
const JOBS: usize = 1_000;
/// Steps that Redis is asked for at a time.
const STEPS_MAX: usize = 2;

/// Keeps Redis from answering for so many ms, so that what is asked meanwhile lies there in the order it came.
const BUSY: &str = "local t = redis.call('TIME') local start = t[1] * 1000 + t[2] / 1000
repeat t = redis.call('TIME') until t[1] * 1000 + t[2] / 1000 - start > tonumber(ARGV[1]) return 1";
const BUSY_MS: u32 = 1_500;
/// As long as it takes to ask for something, or longer: of what is asked later less lies there, and the test shows less.
const ASKED: Duration = Duration::from_millis(200);

/// The functions that Redis has called since it was busy, in order.
fn called(connection: &mut redis::Connection) -> Vec<String> {
    let entries: Vec<Vec<Value>> = redis::cmd("SLOWLOG").arg("GET").arg("-1").query(connection).unwrap();
    // The latest comes first.
    let words = |entry: &Vec<Value>| redis::from_redis_value::<Vec<String>>(entry[3].clone()).unwrap();
    let since: Vec<_> = entries.iter().map(words).take_while(|words| words[0] != "EVAL").collect();
    let functions = since.into_iter().rev().filter(|words| words[0].starts_with("FCALL"));
    let called = |words: Vec<String>| {
        // At how many jobs a scan is to look: behind its keys, the time and its direction.
        let most = words.get(5 + words[2].parse::<usize>().unwrap());
        format!("{} {}", words[1], most.map_or("", String::as_str))
    };
    functions.map(called).collect()
}

/// A Redis that writes down what it is asked for, with jobs in it, and the query that looks through all of them.
async fn jobs_to_look_through() -> (RedisServer, TestRedis, FilteredQuery) {
    let server = RedisServer::start().unwrap();
    let redis = TestRedis::on(server.url(), "crowd".parse().unwrap()).await;
    for from in (0..JOBS).step_by(500) {
        let later = |n: usize| {
            let mut later = job(&format!("j{n}"), "k");
            later.due = Due::In(Delay::hours(1));
            later
        };
        let jobs: Vec<NewJob> = (from..from + 500).map(later).collect();
        redis.engine().client().enqueue_batch(jobs).await.unwrap();
    }
    let mut connection = connection_to(&server);
    for (name, value) in [("slowlog-max-len", "10000"), ("slowlog-log-slower-than", "0")] {
        redis::cmd("CONFIG").arg(&["SET", name, value]).exec(&mut connection).unwrap();
    }
    let mut query = FilteredQuery::new("payload.a:nothing".parse::<Filter>().unwrap(), [StateGroup::Delay]);
    query.size = 200;
    (server, redis, query)
}

fn connection_to(server: &RedisServer) -> redis::Connection {
    redis::Client::open(server.url()).unwrap().get_connection().unwrap()
}

/// Keeps Redis busy from soon on.
async fn keep_busy(server: &RedisServer) -> JoinHandle<()> {
    let mut busy = connection_to(server);
    let waiting = std::thread::spawn(move || {
        redis::cmd("EVAL").arg(BUSY).arg(0).arg(BUSY_MS).query::<i32>(&mut busy).unwrap();
    });
    tokio::time::sleep(ASKED).await;
    waiting
}

/// Whether it is one step through the jobs; others only count them.
fn is_step(function: &&String) -> bool {
    function.ends_with("_scan 500")
}

#[tokio::test]
async fn a_crowd_that_looks_through_everything_holds_up_neither_claims_nor_pages() {
    let (server, redis, query) = jobs_to_look_through().await;
    let (engine, inspector) = (redis.engine(), redis.engine().inspector());
    let (queues, lease) = ([QueueName::default()], Delay::minutes(1));
    let claimant = engine.claimant("w");
    // What is asked only once is not asked below.
    inspector.counts(None).await.unwrap();
    claimant.claim(&queues, 10, lease).await.unwrap();
    engine.client().enqueue_batch(vec![job("now", "k")]).await.unwrap();

    // Each looks again and again, and counts how often it was served.
    let (stop, served) = (CancellationToken::new(), [const { AtomicUsize::new(0) }; CROWD]);
    let look = async |served: &AtomicUsize| {
        while !stop.is_cancelled() {
            match inspector.filtered(&query).await {
                Ok(page) => {
                    assert_eq!(page.looked_at, JOBS as u64);
                    served.fetch_add(1, Ordering::Relaxed);
                }
                // While Redis is kept busy it answers the crowd late: it looks again.
                Err(Error::Unavailable { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    };
    let asked = async {
        let all = async {
            while served.iter().any(|served| served.load(Ordering::Relaxed) == 0) {
                tokio::task::yield_now().await;
            }
        };
        within("each to be served", all).await;
        let waiting = keep_busy(&server).await;
        let (claimed, counts) = within("claim and page", async {
            tokio::join!(claimant.claim(&queues, 10, lease), inspector.counts(None))
        })
        .await;
        stop.cancel();
        waiting.join().unwrap();
        (claimed.unwrap().len(), counts.unwrap().delayed)
    };
    let (told, _) = tokio::join!(asked, join_all(served.iter().map(look)));

    assert_eq!(told, (1, JOBS as u64));
    let called = called(&mut connection_to(&server));
    let steps_before = |name: &str| {
        let place = called.iter().position(|function| function.contains(name)).unwrap();
        called[..place].iter().filter(is_step).count()
    };
    let steps = [steps_before("_claim "), steps_before("_survey ")];
    println!("{steps:?} steps of {CROWD} came before claim and page");
    assert!(
        steps.iter().all(|steps| *steps <= STEPS_MAX),
        "{steps:?} steps before claim and page: {called:?}"
    );
}
