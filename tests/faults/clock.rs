//! Redis's clock jumps: what is due by it alone is not started, and what runs is not taken away.

use super::scene::{command, connect, halt, job, looks, looks_so_far, stood_still, until};
use reprieve::model::{Delay, HaltReason, QueueName, Subject, Timestamp};
use reprieve::testing::RedisServer;
use reprieve::{Due, Engine, EngineConfig, JobContext};
use std::os::unix::fs::FileExt as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3_600);

/// A Redis whose clock the test moves.
struct Moved {
    server: RedisServer,
    skew: std::fs::File,
    _folder: tempfile::TempDir,
}

impl Moved {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (library, file) = (folder.path().join("clock_shim.so"), folder.path().join("skew"));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/proof/shim/clock.c");
        let built =
            Command::new("cc").args(["-shared", "-fPIC", "-O2", "-o"]).arg(&library).arg(source).status();
        assert!(built.unwrap().success(), "the linker of Rust programs is a compiler of C too");
        std::fs::write(&file, [0; 4_096]).unwrap();
        let skew = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
        let environment = [("LD_PRELOAD", library.to_str().unwrap()), ("SKEW_FILE", file.to_str().unwrap())];
        let options = ["--save", "", "--appendonly", "no"];
        Self { server: RedisServer::start_under(&environment, &options).unwrap(), skew, _folder: folder }
    }

    /// From now on its clock shows so much more than the real one, or less.
    fn jump(&self, ms: i64) {
        self.skew.write_all_at(&(ms * 1_000).to_le_bytes(), 0).unwrap();
    }
}

/// Runs a worker that counts what it starts; jobs of kind `k` end at once, those of kind `long` never.
async fn counting(engine: &Engine) -> (reprieve::Worker, Arc<AtomicUsize>) {
    let started = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&started);
    let worker = engine
        .worker()
        .queue(QueueName::default(), 4)
        .handler("k", move |_: JobContext| {
            count.fetch_add(1, Ordering::SeqCst);
            async { Ok(()) }
        })
        .handler("long", |_: JobContext| std::future::pending())
        .start()
        .await
        .unwrap();
    (worker, started)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_jumps_ahead_starts_nothing_and_one_that_comes_back_is_trusted_again() {
    let redis = Moved::start();
    let engine = connect(&redis.server).await.unwrap();
    let maintenance = engine.maintenance().start();
    let (worker, started) = counting(&engine).await;
    let mut later = job("later");
    later.due = Due::In(Delay::minutes(30));
    let mut long = job("long");
    long.kind = "long".parse().unwrap();
    engine.client().enqueue_batch(vec![later, long, job("now")]).await.unwrap();
    until("the job that is due to run", || async { started.load(Ordering::SeqCst) == 1 }).await;
    // A look at the right clock comes before the jump: without one there is nothing to compare with.
    looks(redis.server.url(), 2).await;

    redis.jump(i64::try_from(HOUR.as_millis()).unwrap());
    let seen = until("the jump to be seen", || async { halt(&engine).await.is_some() }).await;
    println!("seen after {seen:?}");
    assert_eq!(halt(&engine).await, Some(HaltReason::ClockAhead));
    // The job that became due by the wrong clock, a second try of the one whose lease is over by it, and a new one.
    engine.client().enqueue_batch(vec![job("meanwhile")]).await.unwrap();
    looks(redis.server.url(), 4).await;
    assert_eq!(started.load(Ordering::SeqCst), 1);
    let counts = engine.inspector().counts(None).await.unwrap();
    assert_eq!((counts.delayed, counts.active, counts.ready), (1, 1, 1), "{counts:?}");

    redis.jump(0);
    until("the clock to be trusted again", || async { halt(&engine).await.is_none() }).await;
    let counts = async || engine.inspector().counts(None).await.unwrap();
    until("what waited to be done", || async { counts().await.done == 2 }).await;
    let counts = counts().await;
    assert_eq!((counts.delayed, counts.active, started.load(Ordering::SeqCst)), (1, 1, 2), "{counts:?}");
    drop(worker);
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_decides_that_a_clock_that_went_back_is_right() {
    let redis = Moved::start();
    // As far ahead as a process puts up with that has never seen another clock.
    redis.jump(4 * 60_000);
    let engine = connect(&redis.server).await.unwrap();
    let maintenance = engine.maintenance().start();
    let (worker, started) = counting(&engine).await;
    engine.client().enqueue_batch(vec![job("before")]).await.unwrap();
    until("a job to run", || async { started.load(Ordering::SeqCst) == 1 }).await;
    looks(redis.server.url(), 2).await;

    redis.jump(0);
    until("the jump to be seen", || async { halt(&engine).await.is_some() }).await;
    assert_eq!(halt(&engine).await, Some(HaltReason::ClockBack));
    engine.client().enqueue_batch(vec![job("meanwhile")]).await.unwrap();
    assert!(engine.operator("ann").clear_halt("set by the time service").await.unwrap());
    assert!(!engine.operator("ann").clear_halt("").await.unwrap());
    until("what waited to run", || async { started.load(Ordering::SeqCst) == 2 }).await;
    // By the clock as it is now, not by the minutes that it was ahead.
    let mut soon = job("soon");
    soon.due = Due::In(Delay::millis(500));
    engine.client().enqueue_batch(vec![soon]).await.unwrap();
    until("a job to be forwarded by the new time", || async { started.load(Ordering::SeqCst) == 3 }).await;
    assert_eq!(halt(&engine).await, None);
    drop(worker);
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_ahead_for_a_moment_that_nobody_sees_starts_nothing_before_its_time() {
    let redis = Moved::start();
    let engine = connect(&redis.server).await.unwrap();
    let maintenance = engine.maintenance().start();
    let (worker, started) = counting(&engine).await;
    // A producer does no duties, and knows nothing of clocks.
    let producer = connect(&redis.server).await.unwrap();
    looks(redis.server.url(), 2).await; // as above

    let hour_ms = i64::try_from(HOUR.as_millis()).unwrap();
    let now = std::time::UNIX_EPOCH.elapsed().unwrap() + HOUR / 2;
    let half_hour = Timestamp::from_millis(i64::try_from(now.as_millis()).unwrap()).unwrap();
    let mut later = job("later");
    later.due = Due::At(half_hour);
    redis.jump(hour_ms);
    producer.client().enqueue_batch(vec![later, job("now")]).await.unwrap();
    redis.jump(0);

    until("the job of that moment to run", || async { started.load(Ordering::SeqCst) == 1 }).await;
    until("the clock to be trusted", || async { halt(&engine).await.is_none() }).await;
    let mut soon = job("soon");
    soon.due = Due::In(Delay::millis(500));
    producer.client().enqueue_batch(vec![soon]).await.unwrap();
    until("a job to be forwarded by the right time", || async { started.load(Ordering::SeqCst) == 2 }).await;
    let counts = engine.inspector().counts(None).await.unwrap();
    assert_eq!(counts.delayed, 1, "{counts:?}");
    drop(worker);
    maintenance.shutdown().await;
}

/// While each of those who look has done so a few times.
async fn assert_stays_trusted(redis: &Moved, engine: &Engine, who_look: u64) {
    for _ in 0..3 {
        assert_eq!(halt(engine).await, None, "somebody says that the right clock is wrong");
        looks(redis.server.url(), who_look).await;
    }
    assert_eq!(halt(engine).await, None, "somebody says that the right clock is wrong");
}

/// Two ways to be wrong: by ten minutes each.
const TEN_MINUTES_MS: i64 = 600_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_comes_while_the_clock_is_wrong_takes_the_time_from_those_who_know() {
    tokio::join!(
        comes_while_the_clock_is_wrong(-TEN_MINUTES_MS),
        comes_while_the_clock_is_wrong(TEN_MINUTES_MS)
    );
}

async fn comes_while_the_clock_is_wrong(wrong_ms: i64) {
    let redis = Moved::start();
    let old = connect(&redis.server).await.unwrap();
    let duties = old.maintenance().start();
    let mut later = job("later");
    later.due = Due::In(Delay::minutes(5));
    old.client().enqueue_batch(vec![later]).await.unwrap();
    // Until it is old enough to say that a clock is right again.
    tokio::time::sleep(Duration::from_secs(12)).await;

    redis.jump(wrong_ms);
    let young = connect(&redis.server).await.unwrap();
    let young_duties = young.maintenance().start();
    let (worker, started) = counting(&young).await;
    until("the jump to be seen", || async { halt(&old).await.is_some() }).await;
    let standing = old.inspector().halt().await.unwrap().unwrap();
    assert!(standing.by_ms.abs_diff(TEN_MINUTES_MS.unsigned_abs()) < 5_000, "{standing:?}");
    // The young one has looked at the clock, and heard of it.
    looks(redis.server.url(), 4).await;
    old.client().enqueue_batch(vec![job("meanwhile")]).await.unwrap();
    redis.jump(0);

    until("the clock to be trusted again", || async { halt(&old).await.is_none() }).await;
    until("what waited to run", || async { started.load(Ordering::SeqCst) == 1 }).await;
    assert_stays_trusted(&redis, &old, 2).await;
    let done = old.inspector().job(&"meanwhile".parse().unwrap()).await.unwrap().unwrap().job;
    let took = done.ended.unwrap().millis_since(done.created);
    assert!((0..60_000).contains(&took), "done {took} ms after it came, {wrong_ms}");
    assert_eq!(started.load(Ordering::SeqCst), 1);

    // Where the young one met it is not where it belongs.
    redis.jump(wrong_ms);
    until("the second jump to be seen", || async { halt(&old).await.is_some() }).await;
    looks(redis.server.url(), 2).await;
    let halts = stood_still(redis.server.url());
    looks(redis.server.url(), 6).await;
    assert_eq!(
        stood_still(redis.server.url()),
        halts,
        "somebody ends it, and takes the wrong clock for right"
    );
    assert_eq!(started.load(Ordering::SeqCst), 1);
    redis.jump(0);
    until("the clock to be trusted once more", || async { halt(&old).await.is_none() }).await;
    drop(worker);
    young_duties.shutdown().await;
    duties.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_comes_back_to_a_clock_that_nobody_saw_doubts_it_for_two_seconds() {
    let redis = Moved::start();
    let engine = connect(&redis.server).await.unwrap();
    let maintenance = engine.maintenance().start();
    let mut later = job("later");
    later.due = Due::In(Delay::minutes(5));
    engine.client().enqueue_batch(vec![later]).await.unwrap();
    looks(redis.server.url(), 2).await;
    maintenance.shutdown().await;
    drop(engine);

    redis.jump(TEN_MINUTES_MS);
    let before = looks_so_far(redis.server.url());
    let engine = connect(&redis.server).await.unwrap();
    let maintenance = engine.maintenance().start();
    let (worker, started) = counting(&engine).await;
    // It has looked, and doubts for two seconds from then on.
    until("it to look", || async { looks_so_far(redis.server.url()) > before }).await;
    assert_eq!(started.load(Ordering::SeqCst), 0, "the clock is believed at first sight");
    redis.jump(0);
    engine.client().enqueue_batch(vec![job("now")]).await.unwrap();
    until("a job of now to run", || async { started.load(Ordering::SeqCst) == 1 }).await;
    assert_eq!(halt(&engine).await, None);

    // One that stays there is not where the processes agreed that it is: a person has to say that it is right.
    maintenance.shutdown().await;
    drop(worker);
    drop(engine);
    redis.jump(TEN_MINUTES_MS);
    let engine = connect(&redis.server).await.unwrap();
    let maintenance = engine.maintenance().start();
    let (worker, started) = counting(&engine).await;
    until("the clock to be found elsewhere", || async { halt(&engine).await.is_some() }).await;
    let standing = engine.inspector().halt().await.unwrap().unwrap();
    assert_eq!((standing.why, standing.until), (HaltReason::ClockApart, None));
    let ten_minutes = TEN_MINUTES_MS.unsigned_abs();
    assert!(standing.by_ms.abs_diff(ten_minutes) < 5_000, "{standing:?}");
    looks(redis.server.url(), 3).await;
    assert_eq!(started.load(Ordering::SeqCst), 0, "what became due while nobody looked is not started");
    assert!(engine.operator("ann").clear_halt("the other machines were wrong").await.unwrap());
    until("the job that is due by now to run", || async { started.load(Ordering::SeqCst) == 1 }).await;
    assert_stays_trusted(&redis, &engine, 1).await;
    drop(worker);
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_meets_clocks_apart_does_not_take_that_time_for_right() {
    let redis = Moved::start();
    let engine = connect(&redis.server).await.unwrap();
    let maintenance = engine.maintenance().start();
    looks(redis.server.url(), 3).await;
    maintenance.shutdown().await;

    // Less than what makes a process doubt its own clock.
    redis.jump(-60_000);
    let maintenance = engine.maintenance().start();
    until("the clock to be found elsewhere", || async { halt(&engine).await.is_some() }).await;
    assert_eq!(halt(&engine).await, Some(HaltReason::ClockApart));
    // However long it lasts.
    tokio::time::sleep(Duration::from_secs(12)).await;
    redis.jump(0);
    until("the clock to be trusted again", || async { halt(&engine).await.is_none() }).await;
    assert_stays_trusted(&redis, &engine, 1).await;
    assert_eq!(stood_still(redis.server.url()), ["clock_apart"], "it says that the right clock is wrong");
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_others_contradict_takes_their_word_for_the_time() {
    let redis = Moved::start();
    let url = redis.server.url();
    let engine = connect(&redis.server).await.unwrap();
    let meta = "reprieve:{default}:meta";
    // What it is told of the clock when it comes is wrong, and after ten seconds it believes that.
    command(url, &["HSET", meta, "halt", "clock_back 1700000000000 600000 0", "halts", "1"]).unwrap();
    let maintenance = engine.maintenance().start();
    tokio::time::sleep(Duration::from_secs(12)).await;
    // As those do who know the clock.
    let end = || command(url, &["HDEL", meta, "halt"]).unwrap();
    end();
    until("it to say that the clock is wrong", || async {
        halt(&engine).await == Some(HaltReason::ClockBack)
    })
    .await;
    end();
    let (worker, started) = counting(&engine).await;
    engine.client().enqueue_batch(vec![job("now")]).await.unwrap();
    until("a job of now to run", || async { started.load(Ordering::SeqCst) == 1 }).await;
    assert_stays_trusted(&redis, &engine, 1).await;
    assert_eq!(stood_still(url), ["clock_back"], "it says so again");
    drop(worker);
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_creeps_away_starts_nothing_until_it_is_back() {
    let redis = Moved::start();
    let engine = connect(&redis.server).await.unwrap();
    let maintenance = engine.maintenance().start();
    let (worker, started) = counting(&engine).await;
    looks(redis.server.url(), 3).await;
    // Each step less than a jump, of which no look says anything.
    for step in 1..=3 {
        redis.jump(step * 1_500);
        looks(redis.server.url(), 2).await;
        assert_eq!(halt(&engine).await, None, "after {step} steps");
    }
    redis.jump(4 * 1_500);
    until("the clock to be found elsewhere", || async { halt(&engine).await.is_some() }).await;
    assert_eq!(halt(&engine).await, Some(HaltReason::ClockApart));
    engine.client().enqueue_batch(vec![job("meanwhile")]).await.unwrap();
    looks(redis.server.url(), 2).await;
    assert_eq!(started.load(Ordering::SeqCst), 0);

    redis.jump(0);
    until("what waited to run", || async { started.load(Ordering::SeqCst) == 1 }).await;
    assert_stays_trusted(&redis, &engine, 1).await;
    drop(worker);
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_whose_clock_is_far_from_redis_starts_nothing_until_they_agree() {
    for wrong_ms in [TEN_MINUTES_MS, -TEN_MINUTES_MS] {
        let redis = Moved::start();
        redis.jump(wrong_ms);
        let engine = connect(&redis.server).await.unwrap();
        let maintenance = engine.maintenance().start();
        looks(redis.server.url(), 1).await;
        let (worker, started) = counting(&engine).await;
        engine.client().enqueue_batch(vec![job("now")]).await.unwrap();
        looks(redis.server.url(), 3).await;
        assert_eq!(started.load(Ordering::SeqCst), 0, "{wrong_ms}");
        // Nobody knows whose clock is wrong: the others go on.
        assert_eq!(halt(&engine).await, None, "{wrong_ms}");

        redis.jump(0);
        until("it to run", || async { started.load(Ordering::SeqCst) == 1 }).await;
        drop(worker);
        maintenance.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_comes_when_the_clock_is_right_again_does_not_take_it_for_wrong() {
    let redis = Moved::start();
    let engine = connect(&redis.server).await.unwrap();
    // A halt that somebody is about to end: the clock was an hour ahead, and is not any more.
    let set =
        ["HSET", "reprieve:{default}:meta", "halt", "clock_ahead 1700000000000 3600000 0", "halts", "1"];
    command(redis.server.url(), &set).unwrap();
    let maintenance = engine.maintenance().start();
    let (worker, started) = counting(&engine).await;
    engine.client().enqueue_batch(vec![job("meanwhile")]).await.unwrap();
    looks(redis.server.url(), 2).await;
    assert_eq!(halt(&engine).await, Some(HaltReason::ClockAhead));
    assert!(engine.operator("ann").clear_halt("it is right").await.unwrap());
    until("what waited to run", || async { started.load(Ordering::SeqCst) == 1 }).await;
    assert_stays_trusted(&redis, &engine, 1).await;
    drop(worker);
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_shard_halts_for_the_clock_and_a_person_ends_it_in_all_of_them() {
    const SHARDS: u16 = 3;
    let moved = Moved::start();
    // As far ahead as a process puts up with that has never seen another clock.
    moved.jump(4 * 60_000);
    let url = moved.server.url();
    let engine = Engine::connect(EngineConfig::new(url).shards(SHARDS)).await.unwrap();
    let maintenance = engine.maintenance().start();
    let (worker, started) = counting(&engine).await;
    let meta = |shard: u16, field: &str| -> Option<String> {
        let key = format!("reprieve:{{default.{shard}}}:meta");
        redis::from_redis_value(command(url, &["HGET", &key, field]).unwrap()).unwrap()
    };
    let looks = |shard| meta(shard, "heartbeat").map_or(0, |count| count.parse::<u64>().unwrap());
    let looked = async |more: u64| {
        let before: Vec<u64> = (0..SHARDS).map(looks).collect();
        let is_so = || async { (0..SHARDS).zip(&before).all(|(shard, count)| looks(shard) >= count + more) };
        until("each shard to be looked at", is_so).await;
    };
    looked(2).await;

    moved.jump(0);
    let halts = || async { (0..SHARDS).all(|shard| meta(shard, "halt").is_some()) };
    until("each shard to halt", halts).await;
    let jobs = (0..12).map(|number| {
        let mut job = job(&format!("j{number}"));
        job.subject = Some(Subject::new(format!("resource:{number}")).unwrap());
        job
    });
    engine.client().enqueue_batch(jobs.collect()).await.unwrap();
    for shard in 0..SHARDS {
        let ready = format!("reprieve:{{default.{shard}}}:q:default:ready");
        assert_eq!(
            command(url, &["EXISTS", &ready]).unwrap(),
            redis::Value::Int(1),
            "shard {shard} has jobs"
        );
    }
    looked(2).await;
    assert_eq!(started.load(Ordering::SeqCst), 0);

    assert!(engine.operator("ann").clear_halt("set by the time service").await.unwrap());

    until("the jobs of all shards to run", || async { started.load(Ordering::SeqCst) == 12 }).await;
    assert_eq!(halt(&engine).await, None);
    drop(worker);
    maintenance.shutdown().await;
}
