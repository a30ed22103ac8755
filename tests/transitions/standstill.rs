//! What a process holds true goes with its calls; where it does not fit what Redis has, nothing starts.

use reprieve::model::{Delay, JobId, JobState, Kind, QueueName, StandstillReason, Timestamp};
use reprieve::store::Intent;
use reprieve::testing::TestRedis;
use reprieve::{Due, NewJob};

const NOW: i64 = 1_700_000_000_000;

fn t(ms: i64) -> Timestamp {
    Timestamp::from_millis(NOW + ms).unwrap()
}

fn job(id: &str, due: i64) -> (JobId, NewJob) {
    let mut job = NewJob::new(Kind::new("k").unwrap(), "{}");
    job.due = Due::At(t(due));
    (JobId::new(id).unwrap(), job)
}

/// Sends a call as its header says, the time first, and gives the texts of its answer.
async fn call(redis: &TestRedis, verb: &str, arguments: &[&str]) -> Result<Vec<String>, redis::RedisError> {
    // Whatever calls a function loads the library first.
    redis.store().survey(None).await.unwrap();
    let listed = format!("{:?}", redis.command(&["FUNCTION", "LIST"]).await.unwrap());
    let is_it = |name: &&str| {
        name.strip_prefix("reprieve_").and_then(|rest| rest.split_once('_')).is_some_and(|(_, it)| it == verb)
    };
    let function = listed.split(['\'', '"']).find(is_it).unwrap().to_owned();
    let prefix = redis.prefix();
    let words = [&["FCALL", &function, "1", &prefix], arguments].concat();
    let redis::Value::Array(items) = redis.command(&words).await? else { panic!("a list was expected") };
    let text = |item| match item {
        redis::Value::Array(_) => "list".to_owned(),
        item => redis::from_redis_value::<String>(item).unwrap(),
    };
    Ok(items.into_iter().map(text).collect())
}

/// A namespace with a job that is due, one that is ready, one whose lease is over and one that may be purged.
async fn seeded() -> TestRedis {
    let redis = TestRedis::namespace().await;
    let (queue, lease) = (QueueName::default(), Delay::seconds(1));
    let at = |ms| redis.store().at(t(ms));
    at(-9_000).enqueue("test", &[job("done", -9_000), job("active", -9_000)]).await.unwrap();
    let claimed = at(-9_000).claim("w", lease, 2, &[(queue, 2)]).await.unwrap();
    let done = claimed.iter().find(|job| job.id.as_str() == "done").unwrap();
    at(-8_000).complete(&[(done.id.clone(), done.token)]).await.unwrap();
    at(-8_000).enqueue("test", &[job("ready", -8_000), job("due", -1)]).await.unwrap();
    redis
}

/// The calls that start, take back or remove something, each with what it answers when it does nothing.
fn calls(time: &str) -> [(&'static str, Vec<String>, usize); 5] {
    let with = |rest: &[&str]| [&[time], rest].concat().into_iter().map(ToOwned::to_owned).collect();
    [
        ("forward", with(&["100", "1"]), 3),
        ("claim", with(&["w", "1000", "10", "default", "10"]), 1),
        ("recover", with(&["100", "1000", "3"]), 1),
        ("purge", with(&["100"]), 1),
        ("cron_due", with(&["50"]), 2),
    ]
}

#[tokio::test]
async fn on_a_clock_or_data_that_cannot_be_nothing_starts_and_nothing_is_written() {
    let redis = seeded().await;
    let month = NOW + 40 * 86_400_000;
    call(&redis, "watch", &[&NOW.to_string(), "", "0", "0", "g"]).await.unwrap();
    let before = redis.snapshot().await;
    // The latest time that can be, then the beat that was seen.
    for (latest, beat, why) in
        [(month - 1, 1, "the clock is a millisecond too far"), (month, 2, "a beat is missing")]
    {
        for (verb, arguments, length) in calls(&format!("{month};{latest};{beat}")) {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let answer = call(&redis, verb, &arguments).await.unwrap();
            assert_eq!(answer.len(), length, "{verb}, {why}: {answer:?}");
            assert_eq!(redis.snapshot().await, before, "{verb}, {why}");
        }
    }
    let all = calls(&format!("{month};{month};1"));
    for (verb, arguments, _) in &all[..4] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let before = redis.snapshot().await;
        call(&redis, verb, &arguments).await.unwrap();
        assert_ne!(redis.snapshot().await, before, "{verb} has nothing to do: the test shows nothing");
    }
}

#[tokio::test]
async fn a_namespace_that_stands_still_takes_in_calls_off_and_ends_and_starts_nothing() {
    let redis = seeded().await;
    let (at, queue) = (redis.store().at(t(0)), QueueName::default());
    let running = at.claim("w", Delay::seconds(9), 1, &[(queue.clone(), 1)]).await.unwrap().remove(0);
    assert_eq!(
        call(&redis, "stand_still", &[&NOW.to_string(), "clock_ahead", "3600000"]).await.unwrap(),
        ["standing"]
    );
    let again = call(&redis, "stand_still", &[&NOW.to_string(), "clock_back", "1"]).await.unwrap();
    assert_eq!(again, ["unchanged"], "the first reason stays");

    assert_eq!(at.forward(100, 1).await.unwrap().moved, 0);
    assert_eq!(at.recover(100, Delay::ZERO, 3).await.unwrap(), 0);
    at.enqueue("test", &[job("new", -1), job("later", 60_000)]).await.unwrap();
    assert_eq!(at.claim("w", Delay::seconds(9), 9, &[(queue.clone(), 9)]).await.unwrap(), []);
    let (ended, queues) = ([(running.id.clone(), running.token)], [(queue.clone(), 9)]);
    let turn = at.turn("w", Delay::seconds(9), &ended, 9, &queues).await.unwrap();
    assert_eq!((turn.words.len(), turn.jobs.len()), (1, 0), "what ran is done, what waits goes on waiting");
    let later = JobId::new("later").unwrap();
    assert_eq!(at.cancel(&later, &Intent::of("ann")).await.unwrap().standing().state, JobState::Cancelled);

    let standing = redis.engine().inspector().standstill().await.unwrap().unwrap();
    assert_eq!((standing.why, standing.at, standing.by_ms), (StandstillReason::ClockAhead, t(0), 3_600_000));
    assert_eq!(standing.until, None);
    assert_eq!(call(&redis, "go_on", &[&NOW.to_string(), "2", "ann", "?"]).await.unwrap(), ["unchanged"]);
    assert_eq!(call(&redis, "go_on", &[&NOW.to_string(), "1", "ann", "right"]).await.unwrap(), ["gone_on"]);
    assert_eq!(at.forward(100, 1).await.unwrap().moved, 1);
    let audit = &redis.snapshot().await["audit"].join("\n");
    for said in ["stand_still", "clock_ahead", "go_on", "right"] {
        assert!(audit.contains(said), "{said}: {audit}");
    }
}

#[tokio::test]
async fn a_backup_waits_for_a_person_and_a_failover_does_not() {
    const SEEN: i64 = NOW + 100_000;
    // What a process knows, what the data has (generation, beat, its time), and the standstill that comes of it.
    let cases = [
        (("g", 7, SEEN), ("g", 7, SEEN), ""),
        (("g", 7, SEEN), ("g", 9, SEEN), ""),
        (("", 0, 0), ("g", 9, SEEN), ""),
        (("g", 7, SEEN), ("g", 6, SEEN - 30_000), "went_back 30000 4000"),
        (("g", 7, SEEN), ("g", 6, SEEN - 30_001), "went_back 30001 0"),
        (("g", 7, SEEN), ("h", 9, SEEN), "replaced 0 0"),
        (("g", 7, SEEN), ("", 0, 0), "replaced 0 0"),
    ];
    for (known, (generation, beat, time), expected) in cases {
        let redis = TestRedis::namespace().await;
        let meta = format!("{}meta", redis.prefix());
        if !generation.is_empty() {
            let (beat, time) = (beat.to_string(), time.to_string());
            let fields = ["HSET", &meta, "generation", generation, "beat", &beat, "beat_ms", &time];
            redis.command(&fields).await.unwrap();
        }
        let (now, at) = (SEEN + 1_000, known.2.to_string());
        let answer =
            call(&redis, "watch", &[&now.to_string(), known.0, &known.1.to_string(), &at, "new"]).await;
        let answer = answer.unwrap();
        let standing = match expected.split(' ').collect::<Vec<_>>()[..] {
            [why, by, until] => {
                let until: i64 = until.parse().unwrap();
                format!("{why} {now} {by} {}", if until == 0 { 0 } else { now + until })
            }
            _ => String::new(),
        };
        assert_eq!(answer[4], standing, "{known:?} on {generation} {beat}");
        assert_eq!(answer[3], if expected.is_empty() { "0" } else { "1" });
        // Whoever knew more has been heard: the next look at the same data finds nothing new.
        let (generation, beat, time) = (&answer[0], &answer[1], &answer[2]);
        let next = call(&redis, "watch", &[&now.to_string(), generation, beat, time, "new"]).await.unwrap();
        assert_eq!(next[3..], answer[3..], "{known:?}");
    }
}

#[tokio::test]
async fn a_belief_that_does_not_read_changes_nothing() {
    let redis = seeded().await;
    let before = redis.snapshot().await;
    for time in ["5;x;1", "5;1", ";;", "5;1;", "x;1;1", "5;-1;1", "5;1;1;1", ";1e9;1"] {
        let answer = call(&redis, "claim", &[time, "w", "1000", "10", "default", "10"]).await;
        assert!(answer.is_err(), "{time}: {answer:?}");
        assert_eq!(redis.snapshot().await, before, "{time}");
    }
}
