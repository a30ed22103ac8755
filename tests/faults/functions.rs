//! The function library: what one call leaves to the next, and a Redis that does not have it, or has those of others.

use super::scene::{command, id, job, on};
use reprieve::model::{Delay, JobState, Namespace, QueueName, Subject, Timestamp};
use reprieve::store::{Intent, ReleaseWord, Store};
use reprieve::testing::{RedisServer, TestRedis};
use reprieve::{Due, Engine, EngineConfig, NewJob};

const LEASE: Delay = Delay::seconds(12);
/// A full minute in November 2023.
const NOW: i64 = 1_700_000_040_000;

fn now() -> Timestamp {
    Timestamp::from_millis(NOW).unwrap()
}

async fn namespace(server: &RedisServer, name: &str) -> TestRedis {
    TestRedis::on(server.url(), Namespace::new(name).unwrap()).await
}

fn about(name: &str, subject: &str) -> NewJob {
    let mut job = job(name);
    job.subject = Some(Subject::new(subject).unwrap());
    job
}

async fn enqueue(store: &Store, jobs: &[NewJob]) -> reprieve::Result<Vec<&'static str>> {
    let jobs: Vec<_> = jobs.iter().map(|job| (job.id.clone().unwrap(), job.clone())).collect();
    Ok(store.enqueue("client", &jobs).await?.iter().map(|answer| answer.word()).collect())
}

/// Some of everything that keeps something in mind while it runs: one step a number.
async fn step(store: &Store, number: usize) {
    let queue = QueueName::default();
    match number {
        0 => drop(enqueue(store, &[about("one", "s"), about("two", "s"), job("three")]).await.unwrap()),
        1 => {
            let mut later = about("later", "s");
            later.due = Due::At(now() + Delay::hours(1));
            assert_eq!(enqueue(store, &[later]).await.unwrap(), ["delayed"]);
        }
        2 => drop(store.cancel(&id("three"), &Intent::of("ann")).await.unwrap()),
        3 => {
            let claimed = store.claim("w", LEASE, 10, &[(queue, 10)]).await.unwrap();
            let done: Vec<_> = claimed.iter().map(|job| (job.id.clone(), job.token)).collect();
            assert_eq!(store.complete(&done).await.unwrap(), [ReleaseWord::Done, ReleaseWord::Done]);
        }
        _ => drop(store.cancel_subject(&Subject::new("s").unwrap(), &Intent::of("ann"), 10).await.unwrap()),
    }
}

const STEPS: usize = 5;

#[tokio::test]
async fn a_call_that_fails_in_the_middle_leaves_nothing_to_the_next() {
    let server = RedisServer::start().unwrap();
    let (broken, sound, alone) = (
        namespace(&server, "broken").await,
        namespace(&server, "sound").await,
        namespace(&server, "alone").await,
    );
    for number in 0..STEPS {
        step(&alone.store().at(now()), number).await;
    }
    // Events are written when jobs and sets stand already; this stream has no id left for another.
    let events = format!("{}events", broken.prefix());
    let last = format!("{0}-{0}", u64::MAX);
    command(server.url(), &["XADD", &events, &last, "at", "0"]).unwrap();
    for number in 0..STEPS {
        let failed =
            enqueue(&broken.store().at(now()), &[about("one", "s"), job(&format!("j{number}"))]).await;
        let error = failed.unwrap_err().to_string();
        assert!(error.contains("core/events.lua:"), "it names the line of a file: {error}");
        step(&sound.store().at(now()), number).await;
    }
    let mut found = sound.snapshot().await;
    let mut wanted = alone.snapshot().await;
    for snapshot in [&mut found, &mut wanted] {
        snapshot.remove("meta"); // names its namespace
        snapshot.remove("audit"); // and so does this, by a hash
    }
    assert_eq!(found, wanted);
}

#[tokio::test]
async fn calls_of_two_namespaces_in_turn_keep_apart() {
    let server = RedisServer::start().unwrap();
    let (one, other) = (namespace(&server, "one").await, namespace(&server, "other").await);
    for number in 0..STEPS {
        step(&one.store().at(now()), number).await;
        step(&other.store().at(now()), number).await;
    }
    let (mut found, mut wanted) = (other.snapshot().await, one.snapshot().await);
    for snapshot in [&mut found, &mut wanted] {
        assert!(snapshot.remove("meta").is_some());
    }
    assert_eq!(found, wanted);
    assert_eq!(found["stats:1700000040000"].len(), one.snapshot().await["stats:1700000040000"].len());
}

#[tokio::test]
async fn a_full_redis_without_the_library_lets_everything_out() {
    let server = RedisServer::start().unwrap();
    let redis = on(&server).await;
    let store = redis.store();
    let mut waiting = job("waiting");
    waiting.due = Due::In(Delay::hours(1));
    redis.engine().client().enqueue_batch(vec![job("runs"), waiting]).await.unwrap();
    let claimed = store.claim("w", LEASE, 1, &[(QueueName::default(), 1)]).await.unwrap();
    command(server.url(), &["CONFIG", "SET", "maxmemory", "1"]).unwrap();

    // As after an upgrade.
    command(server.url(), &["FUNCTION", "FLUSH"]).unwrap();
    assert_eq!(
        store.complete(&[(claimed[0].id.clone(), claimed[0].token)]).await.unwrap(),
        [ReleaseWord::Done]
    );
    assert_eq!(redis.engine().operator("ann").cancel(&id("waiting")).await.unwrap().word(), "cancelled");
    let refused = redis.engine().client().enqueue_batch(vec![job("new")]).await;
    assert_eq!(refused.unwrap_err(), reprieve::Error::StorageFull);
    let counts = redis.engine().inspector().counts(None).await.unwrap();
    assert_eq!((counts.of(JobState::Done), counts.of(JobState::Cancelled)), (1, 1));
    assert_eq!(reprieve::testing::breaches(&redis.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn libraries_of_other_versions_are_named_and_left_alone() {
    let server = RedisServer::start().unwrap();
    for name in ["reprieve_0123456789abcdef", "somebody_elses"] {
        let text = format!("#!lua name={name}\nredis.register_function('{name}_f', function() return 1 end)");
        command(server.url(), &["FUNCTION", "LOAD", &text]).unwrap();
    }
    let redis = on(&server).await;
    redis.engine().client().enqueue_batch(vec![job("j")]).await.unwrap();
    let found = Engine::examine(&EngineConfig::new(server.url())).await.unwrap();
    assert_eq!(found.other_libraries, Some(vec!["reprieve_0123456789abcdef".to_owned()]));
    let called = command(server.url(), &["FCALL", "reprieve_0123456789abcdef_f", "0"]).unwrap();
    assert_eq!(called, redis::Value::Int(1));
}
