//! What a process holds true goes with its calls; where it does not fit what Redis has, nothing starts.

use reprieve::model::{
    BatchId, BulkState, BulkVerb, Delay, HaltReason, JobId, JobState, Kind, Namespace, Offset, Past, PlanId,
    QueueName, Subject, Timestamp,
};
use reprieve::store::{Intent, PlanVerb};
use reprieve::testing::{RedisServer, TestRedis};
use reprieve::{Anchor, Due, NewBatch, NewJob, NewPlan, NewStep};

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
pub(super) async fn call(
    redis: &TestRedis,
    verb: &str,
    arguments: &[&str],
) -> Result<Vec<String>, redis::RedisError> {
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
        ("purge", with(&["100"]), 2),
        ("cron_due", with(&["50"]), 2),
    ]
}

#[tokio::test]
async fn on_a_clock_or_data_that_cannot_be_nothing_starts_and_nothing_is_written() {
    let redis = seeded().await;
    let month = NOW + 40 * 86_400_000;
    call(&redis, "watch", &[&NOW.to_string(), "", "0", "0", "0", "0", "g", ""]).await.unwrap();
    let before = redis.snapshot().await;
    // The latest time that can be, then the heartbeat that was seen.
    for (latest, heartbeat, why) in
        [(month - 1, 1, "the clock is a millisecond too far"), (month, 2, "a heartbeat is missing")]
    {
        for (verb, arguments, length) in calls(&format!("{month};{latest};{heartbeat}")) {
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
        call(&redis, "set_halt", &[&NOW.to_string(), "clock_ahead", "3600000"]).await.unwrap(),
        ["standing"]
    );
    let again = call(&redis, "set_halt", &[&NOW.to_string(), "clock_back", "1"]).await.unwrap();
    assert_eq!(again, ["unchanged"], "the first reason stays");

    assert_eq!(at.forward(100, 1).await.unwrap().moved, 0);
    assert_eq!(at.recover(100, Delay::ZERO, 3).await.unwrap(), 0);
    assert_eq!(redis.store().at(t(40 * 86_400_000)).purge(9).await.unwrap(), 0);
    at.enqueue("test", &[job("new", -1), job("later", 60_000)]).await.unwrap();
    assert_eq!(at.claim("w", Delay::seconds(9), 9, &[(queue.clone(), 9)]).await.unwrap(), []);
    let (ended, queues) = ([(running.id.clone(), running.token)], [(queue.clone(), 9)]);
    let turn = at.complete_and_claim("w", Delay::seconds(9), &ended, 9, &queues).await.unwrap();
    assert_eq!((turn.words.len(), turn.jobs.len()), (1, 0), "what ran is done, what waits goes on waiting");
    let later = JobId::new("later").unwrap();
    assert_eq!(at.cancel(&later, &Intent::of("ann")).await.unwrap().standing().state, JobState::Cancelled);

    let standing = redis.engine().inspector().halt().await.unwrap().unwrap();
    assert_eq!((standing.why, standing.at, standing.by_ms), (HaltReason::ClockAhead, t(0), 3_600_000));
    assert_eq!(standing.until, None);
    assert_eq!(
        call(&redis, "clear_halt", &[&NOW.to_string(), "2", "ann", "?"]).await.unwrap(),
        ["unchanged"]
    );
    assert_eq!(
        call(&redis, "clear_halt", &[&NOW.to_string(), "1", "ann", "right"]).await.unwrap(),
        ["cleared"]
    );
    assert_eq!(at.forward(100, 1).await.unwrap().moved, 1);
    let audit = &redis.snapshot().await["audit"].join("\n");
    for said in ["set_halt", "clock_ahead", "clear_halt", "right"] {
        assert!(audit.contains(said), "{said}: {audit}");
    }
}

#[tokio::test]
async fn a_look_tells_which_halt_a_person_ended() {
    let redis = TestRedis::namespace().await;
    let now = NOW.to_string();
    let allowed = async || look(&redis, NOW, ("", "0", "0"), "0", ("ann", "0")).await[8].clone();
    for (which, expected) in [("1", "0"), ("", "2"), ("3", "2")] {
        call(&redis, "set_halt", &[&now, "clock_back", "9000"]).await.unwrap();
        assert_eq!(call(&redis, "clear_halt", &[&now, which, "ann", ""]).await.unwrap(), ["cleared"]);
        assert_eq!(allowed().await, expected, "{which}");
    }
}

#[tokio::test]
async fn a_lease_that_was_given_by_a_clock_that_was_ahead_lasts_as_long_as_it_should() {
    const MINUTE_MS: i64 = 60_000;
    const AHEAD_MS: i64 = 30 * MINUTE_MS;
    let redis = TestRedis::namespace().await;
    let at = |ms: i64| redis.store().at(t(ms));
    let queue = [(QueueName::default(), 1)];
    // When each is claimed, how long the lease is, and when it ends after the jump was seen.
    let cases = [
        ("long", 0, 50 * MINUTE_MS, 50 * MINUTE_MS),
        ("extended", 0, 91 * MINUTE_MS, 61 * MINUTE_MS),
        ("wrong", AHEAD_MS, 9_000, 9_000),
        ("unread", AHEAD_MS, 9_000, AHEAD_MS + 9_000),
    ];
    for (id, claimed, lease_ms, _) in cases {
        at(-10).enqueue("test", &[job(id, -10)]).await.unwrap();
        let lease = Delay::millis(lease_ms);
        let claimed = at(claimed).claim("w", lease, 1, &queue).await.unwrap();
        assert_eq!(claimed[0].id.as_str(), id);
    }
    redis.command(&["DEL", &format!("{}job:unread", redis.prefix())]).await.unwrap();

    let now = (NOW + AHEAD_MS + 700).to_string();
    let standing = call(&redis, "set_halt", &[&now, "clock_ahead", &AHEAD_MS.to_string()]).await.unwrap();
    assert_eq!(standing, ["standing"]);
    let mut expected = cases.map(|(id, _, _, ends)| format!("{} {id}", NOW + ends));
    expected.sort();
    let mut leases = redis.snapshot().await["q:default:active"].clone();
    leases.sort();
    assert_eq!(leases, expected);
    let wrong = JobId::new("wrong").unwrap();
    let found = redis.engine().inspector().job(&wrong).await.unwrap().unwrap();
    assert_eq!(found.job.started, Some(t(0)), "half an hour before the clock that was ahead");
    call(&redis, "clear_halt", &[&(NOW + 8_000).to_string(), "1", "reprieve", ""]).await.unwrap();
    let taken = async |ms| at(ms).recover(9, Delay::ZERO, 3).await.unwrap();
    assert_eq!(taken(13_999).await, 0, "a live worker has the time of a heartbeat to say so");
    assert_eq!(taken(14_001).await, 1, "its worker is taken for dead");
}

#[tokio::test]
async fn a_lease_by_a_clock_that_went_back_for_good_lasts_as_long_as_it_should() {
    const BACK_MS: i64 = 1_800_000;
    let redis = TestRedis::namespace().await;
    let at = |ms: i64| redis.store().at(t(ms));
    at(-BACK_MS).enqueue("test", &[job("a", -BACK_MS)]).await.unwrap();
    at(0).claim("w", Delay::seconds(12), 1, &[(QueueName::default(), 1)]).await.unwrap();
    let meta = format!("{}meta", redis.prefix());
    redis.command(&["HSET", &meta, "clock_ms", &NOW.to_string()]).await.unwrap();
    let now = (NOW - BACK_MS).to_string();
    call(&redis, "set_halt", &[&now, "clock_back", &BACK_MS.to_string()]).await.unwrap();

    // A person says that it is right.
    assert_eq!(call(&redis, "clear_halt", &[&now, "", "ann", ""]).await.unwrap(), ["cleared"]);

    assert_eq!(redis.snapshot().await["q:default:active"], [format!("{} a", NOW - BACK_MS + 12_000)]);
    let found = redis.engine().inspector().job(&JobId::new("a").unwrap()).await.unwrap().unwrap();
    assert_eq!(found.job.started, Some(t(-BACK_MS)));
    let taken = async |ms: i64| at(ms - BACK_MS).recover(9, Delay::ZERO, 3).await.unwrap();
    assert_eq!((taken(11_999).await, taken(12_001).await), (0, 1), "its worker is taken for dead");
}

#[tokio::test]
async fn many_leases_by_a_clock_that_went_back_for_good_all_last_as_long_as_they_should() {
    const BACK_MS: i64 = 1_800_000;
    const LEASES: u32 = 2_100;
    let redis = TestRedis::namespace().await;
    let at = |ms: i64| redis.store().at(t(ms));
    let jobs: Vec<_> = (0..LEASES).map(|n| job(&format!("j{n}"), -BACK_MS)).collect();
    for jobs in jobs.chunks(100) {
        at(-BACK_MS).enqueue("test", jobs).await.unwrap();
        at(0).claim("w", Delay::seconds(12), 100, &[(QueueName::default(), 100)]).await.unwrap();
    }
    let meta = format!("{}meta", redis.prefix());
    redis.command(&["HSET", &meta, "clock_ms", &NOW.to_string()]).await.unwrap();
    let now = (NOW - BACK_MS).to_string();
    call(&redis, "set_halt", &[&now, "clock_back", &BACK_MS.to_string()]).await.unwrap();

    assert_eq!(call(&redis, "clear_halt", &[&now, "", "ann", ""]).await.unwrap(), ["cleared"]);

    let leases = redis.snapshot().await["q:default:active"].clone();
    let right = format!("{} ", NOW - BACK_MS + 12_000);
    let wrong: Vec<_> = leases.iter().filter(|lease| !lease.starts_with(&right)).take(3).collect();
    assert_eq!((leases.len(), wrong), (2_100, Vec::new()));
}

/// Ten minutes, in ms.
const JUMP_MS: i64 = 600_000;

/// A running job in a namespace that was looked at, and whose latest change was made, so far from the present time, in
/// ms; its token, and that time.
async fn running(looked_ms: i64, kept_ms: i64) -> (TestRedis, String, i64) {
    let redis = TestRedis::namespace().await;
    redis.store().enqueue("test", &[job("a", -9_000)]).await.unwrap();
    let queue = [(QueueName::default(), 1)];
    let claimed = redis.store().claim("w", Delay::hours(2), 1, &queue).await.unwrap();
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let now = i64::try_from(since.as_millis()).unwrap();
    call(&redis, "watch", &["", "", "0", "0", "0", "0", "g", ""]).await.unwrap();
    let meta = format!("{}meta", redis.prefix());
    let (looked, kept) = ((now + looked_ms).to_string(), (now + kept_ms).to_string());
    redis.command(&["HSET", &meta, "heartbeat_ms", &looked, "clock_ms", &kept]).await.unwrap();
    (redis, claimed[0].token.0.to_string(), now)
}

/// When a lease of 12 s ends, from that time, in ms, once it was extended by somebody who holds that time to be possible.
async fn extended(redis: &TestRedis, token: &str, now: i64, latest_ms: i64) -> i64 {
    let clock_samples = format!(";{};0", now + latest_ms);
    assert_eq!(call(redis, "extend", &[&clock_samples, "12000", "a", token]).await.unwrap(), ["held"]);
    let leases = redis.snapshot().await["q:default:active"].clone();
    leases[0].split_once(' ').unwrap().0.parse::<i64>().unwrap() - now
}

#[tokio::test]
async fn a_call_that_was_held_up_until_the_clock_went_back_does_not_take_time_back_with_it() {
    // Before the clock went back it showed ten minutes more, and others have written since the call was sent.
    let (redis, token, now) = running(JUMP_MS, JUMP_MS).await;
    let ends = extended(&redis, &token, now, JUMP_MS - 3_000).await;
    assert!((JUMP_MS + 12_000..JUMP_MS + 14_000).contains(&ends), "{ends}");
    let clock_samples = format!(";{};0", now + JUMP_MS - 3_000);
    assert_eq!(call(&redis, "recover", &[&clock_samples, "9", "0", "3"]).await.unwrap()[0], "0");
    call(&redis, "claim", &[&clock_samples, "w", "12000", "1", "default", "1"]).await.unwrap();
    let kept = redis.snapshot().await["meta"].join("\n");
    assert!(kept.contains(&format!("clock_ms = {}", now + JUMP_MS)), "{kept}");
}

#[tokio::test]
async fn a_time_that_was_kept_while_the_clock_was_ahead_counts_no_further_than_since_the_latest_look() {
    // The clock is ten minutes ahead for an instant, and somebody who does not look has written.
    let (redis, token, now) = running(-JUMP_MS, 0).await;
    let ends = extended(&redis, &token, now, -JUMP_MS + 2_500).await;
    assert!((-JUMP_MS + 12_000..-JUMP_MS + 16_000).contains(&ends), "{ends}");
    // It is right again, and nobody has seen that it was ahead.
    let (redis, token, now) = running(-500, JUMP_MS).await;
    let ends = extended(&redis, &token, now, 2_000).await;
    assert!((12_000..14_000).contains(&ends), "{ends}");
}

#[tokio::test]
async fn a_jump_that_is_told_when_the_clock_is_right_again_is_none() {
    let (redis, _, now) = running(-500, 0).await;
    let clock_samples = format!(";{};0", now - 3_000);
    let told = ["clock_ahead", &JUMP_MS.to_string()];
    let answer =
        call(&redis, "set_halt", &[&[clock_samples.as_str()], told.as_slice()].concat()).await.unwrap();
    assert_eq!(answer, ["unchanged"]);
    let clock_samples = format!(";{};0", now - JUMP_MS + 3_000);
    let answer =
        call(&redis, "set_halt", &[&[clock_samples.as_str()], told.as_slice()].concat()).await.unwrap();
    assert_eq!(answer, ["standing"], "it is ahead of what the caller holds possible, by as much");
}

#[tokio::test]
async fn a_start_that_a_clock_told_that_was_ahead_for_a_moment_is_put_right_by_the_next_heartbeat() {
    let (redis, _, now) = running(-500, 0).await;
    let at = redis.store().at(Timestamp::from_millis(now + JUMP_MS).unwrap());
    at.enqueue("test", &[job("b", -9_000)]).await.unwrap();
    let claimed = at.claim("w", Delay::seconds(12), 1, &[(QueueName::default(), 1)]).await.unwrap();
    let clock_samples = format!(";{};0", now + 2_000);
    let token = claimed[0].token.0.to_string();
    call(&redis, "extend", &[&clock_samples, "12000", "b", &token]).await.unwrap();
    let id = JobId::new("b").unwrap();
    let started = redis.engine().inspector().job(&id).await.unwrap().unwrap().job.started.unwrap();
    assert!((now - 1_000..now + 5_000).contains(&started.as_millis()), "{started:?}");
}

/// A look by somebody who knows generation, heartbeat and time, and the epoch; with its name and the epoch for which it has
/// spoken. Generation, heartbeat, time, server, epoch, halts, the present one, and where the clock was seen before.
async fn look(
    redis: &TestRedis,
    now: i64,
    (generation, heartbeat, time): (&str, &str, &str),
    epoch: &str,
    (name, said): (&str, &str),
) -> Vec<String> {
    call(redis, "watch", &[&now.to_string(), generation, heartbeat, time, epoch, said, name, ""])
        .await
        .unwrap()
}

#[tokio::test]
async fn a_clock_where_nobody_saw_it_is_no_ground_for_those_who_do_not_know() {
    // The clock was seen at NOW. What the next one saw last, if anything; when it looks; where the clock was seen then.
    let cases = [
        (None, NOW + 3_000, NOW + 3_000),
        (None, NOW + 3_001, NOW),
        (None, NOW - 3_000, NOW - 3_000),
        (None, NOW - 3_001, NOW),
        (Some(NOW), NOW + 3_000, NOW + 3_000),
        (Some(NOW), NOW + 3_001, NOW),
        (Some(NOW), NOW - 3_001, NOW),
        (Some(NOW + 3_600_000), NOW + 3_601_000, NOW + 3_601_000),
    ];
    for (saw, now, expected) in cases {
        let redis = TestRedis::namespace().await;
        let first = look(&redis, NOW, ("", "0", "0"), "0", ("ann", "0")).await;
        assert_eq!(first[7], "0", "nobody looked before");
        let time = saw.unwrap_or_default().to_string();
        let known = if saw.is_some() { (first[0].as_str(), "1", time.as_str()) } else { ("", "0", "0") };
        let second = look(&redis, now, known, "0", ("bob", "0")).await;
        assert_eq!(second[7], NOW.to_string(), "{saw:?} at {now}");
        let third = look(&redis, now, ("", "0", "0"), "0", ("eve", "0")).await;
        assert_eq!(third[7], expected.to_string(), "{saw:?} at {now}");
    }
}

/// A namespace whose processes tell how far Redis is from their clocks.
struct Clocks {
    redis: TestRedis,
    heartbeat: u64,
    generation: String,
}

impl Clocks {
    async fn new() -> Self {
        let redis = TestRedis::namespace().await;
        let generation = look(&redis, NOW, ("", "0", "0"), "0", ("first", "0")).await[0].clone();
        Self { redis, heartbeat: 1, generation }
    }

    /// A process looks at that time and says where it found Redis's clock a second before: how far ahead of its own, and
    /// how far it had moved. The halt, and how far Redis may be ahead.
    async fn tells(&mut self, at: i64, name: &str, ahead: i64, moved: i64) -> (String, String) {
        let (now, heartbeat, seen) =
            ((NOW + at).to_string(), self.heartbeat.to_string(), (NOW + at - 1_000).to_string());
        let (ahead, moved) = (ahead.to_string(), moved.to_string());
        let words =
            [&now, self.generation.as_str(), &heartbeat, &seen, "0", "0", name, "", &seen, &ahead, &moved];
        let reply = call(&self.redis, "watch", &words).await.unwrap();
        self.heartbeat += 1;
        let mut standing = reply[6].split(' ');
        let (why, _, by) = (standing.next().unwrap(), standing.next(), standing.next().unwrap_or_default());
        (format!("{why} {by}").trim().to_owned(), reply[9].clone())
    }

    async fn stands(&mut self, at: i64, name: &str, ahead: i64, moved: i64) -> String {
        self.tells(at, name, ahead, moved).await.0
    }
}

const HOUR_MS: i64 = 3_600_000;

#[tokio::test]
async fn a_clock_that_creeps_is_measured_by_where_it_was_first() {
    let mut clocks = Clocks::new().await;
    for (at, moved, expected) in [
        (1_000, 0, ""),
        (2_000, 1_900, ""),
        (3_000, 3_800, ""),
        (4_000, 5_000, ""),
        (5_000, 5_001, "clock_apart 5001"),
        (6_000, 2_001, "clock_apart 5001"),
        (7_000, 2_000, ""),
        (8_000, -5_000, ""),
        (9_000, -5_001, "clock_apart 5001"),
    ] {
        assert_eq!(clocks.stands(at, "ann", 40 + moved, moved).await, expected, "{moved} at {at}");
    }
}

#[tokio::test]
async fn one_that_finds_the_clock_where_it_was_is_enough() {
    let mut clocks = Clocks::new().await;
    assert_eq!(clocks.stands(1_000, "ann", 0, 0).await, "");
    assert_eq!(clocks.stands(1_100, "bob", 0, 0).await, "");
    assert_eq!(clocks.stands(2_000, "ann", 9_000, 9_000).await, "", "bob says otherwise");
    assert_eq!(clocks.stands(2_100, "bob", 9_000, 9_000).await, "clock_apart 9000", "nobody does");
    assert_eq!(clocks.stands(3_000, "bob", 0, 0).await, "");
}

#[tokio::test]
async fn one_machine_with_a_wrong_clock_stops_nobody_else() {
    let mut clocks = Clocks::new().await;
    assert_eq!(clocks.stands(1_000, "ann", 0, 0).await, "");
    assert_eq!(clocks.stands(1_500, "bob", 2 * HOUR_MS, 0).await, "", "ann knows that it is bob's");
    assert_eq!(clocks.stands(2_000, "ann", 1, 0).await, "");
    // Ann is gone, and bob knows that Redis's clock goes as it did.
    assert_eq!(clocks.stands(20_000, "bob", 2 * HOUR_MS, 0).await, "");
    assert_eq!(clocks.stands(21_000, "eve", 0, 0).await, "");
    // The first to come, with a clock that is far away, is not what the others are measured by.
    let mut clocks = Clocks::new().await;
    assert_eq!(clocks.stands(1_000, "bob", 400_000, 0).await, "");
    assert_eq!(clocks.stands(2_000, "ann", 0, 0).await, "");
    assert_eq!(clocks.stands(3_000, "bob", 400_000, 0).await, "");
}

#[tokio::test]
async fn a_clock_that_was_set_while_nobody_looked_waits_for_a_person_or_for_the_clock() {
    for (later, name, ahead, expected) in [
        (HOUR_MS, "eve", 5_000, ""),
        (HOUR_MS, "eve", 5_001, "clock_apart 5001"),
        (HOUR_MS, "eve", -2 * HOUR_MS, "clock_apart 7200000"),
        // Killed, and back at once: what it said before the clock was set counts nothing.
        (2 * HOUR_MS, "ann", 2 * HOUR_MS, "clock_apart 7200000"),
    ] {
        let mut clocks = Clocks::new().await;
        assert_eq!(clocks.stands(1_000, "old", 0, 0).await, "");
        assert_eq!(clocks.stands(later, name, ahead, 0).await, expected, "{ahead}");
        if expected.is_empty() {
            continue;
        }
        // Another machine has the clock by which they agreed: then it is this one's that is wrong.
        let (mut other, now) = (clocks, later + 1_000);
        assert_eq!(other.stands(now, "bob", 3, 0).await, "", "{ahead}");

        let mut clocks = Clocks::new().await;
        clocks.stands(1_000, "old", 0, 0).await;
        clocks.stands(later, name, ahead, 0).await;
        assert_eq!(clocks.tells(later + 1_000, name, ahead, 0).await.1, "0");
        call(&clocks.redis, "clear_halt", &[&(NOW + later + 1_500).to_string(), "", "ann", "right"])
            .await
            .unwrap();
        let (standing, base) = clocks.tells(later + 2_000, name, ahead, 0).await;
        assert_eq!((standing.as_str(), base), ("", ahead.to_string()), "a person said that it is right");
        assert_eq!(clocks.stands(later + 3_000, name, ahead, 0).await, "");
    }
}

#[tokio::test]
async fn a_clock_that_was_wrong_before_anybody_looked_and_is_set_right_lets_jobs_start() {
    let (mut clocks, wrong) = (Clocks::new().await, 600_000);
    assert_eq!(clocks.stands(1_000, "old", 0, 0).await, "");
    let store = clocks.redis.store();
    store.at(t(-10)).enqueue("test", &[job("a", -10)]).await.unwrap();
    let (lease, queue) = (Delay::millis(9_000), [(QueueName::default(), 1)]);
    assert_eq!(store.at(t(wrong + 59_000)).claim("w", lease, 1, &queue).await.unwrap().len(), 1);
    assert_eq!(clocks.stands(wrong + 60_000, "eve", wrong, 0).await, "clock_apart 600000");

    // The one that looks sees it jump to where it was.
    let at = (NOW + 61_000).to_string();
    assert_eq!(call(&clocks.redis, "set_halt", &[&at, "clock_back", "600000"]).await.unwrap(), ["unchanged"]);

    assert_eq!(clocks.stands(62_000, "eve", 0, -wrong).await, "");
    let leases = &clocks.redis.snapshot().await["q:default:active"];
    assert_eq!(leases, &[format!("{} a", NOW + 68_000)], "its worker may be dead");
}

#[tokio::test]
async fn what_was_measured_before_the_clock_jumped_tells_nothing() {
    let mut clocks = Clocks::new().await;
    assert_eq!(clocks.stands(1_000, "ann", 0, 0).await, "");
    let (now, seen) = ((NOW + 5_000).to_string(), (NOW + 1_999).to_string());
    let words = [&now, clocks.generation.as_str(), "2", &seen, "0", "0", "ann", "", &seen, "9000", "9000"];
    let reply = call(&clocks.redis, "watch", &words).await.unwrap();
    assert_eq!(reply[6], "");
}

#[tokio::test]
async fn a_backup_waits_for_a_person_and_a_failover_does_not() {
    const SEEN: i64 = NOW + 100_000;
    // What a process knows, what the data has (generation, heartbeat, its time), and the halt that comes of it.
    let cases = [
        (("g", 7, SEEN), ("g", 7, SEEN), ""),
        (("g", 7, SEEN), ("g", 9, SEEN), ""),
        (("", 0, 0), ("g", 9, SEEN), ""),
        (("g", 7, SEEN), ("g", 6, SEEN - 30_000), "went_back 30000 10000"),
        (("g", 7, SEEN), ("g", 6, SEEN - 30_001), "went_back 30001 0"),
        (("g", 7, SEEN), ("h", 9, SEEN), "replaced 0 0"),
        (("g", 7, SEEN), ("", 0, 0), "replaced 0 0"),
    ];
    for (known, (generation, heartbeat, time), expected) in cases {
        let redis = TestRedis::namespace().await;
        let meta = format!("{}meta", redis.prefix());
        if !generation.is_empty() {
            let (heartbeat, time) = (heartbeat.to_string(), time.to_string());
            let fields =
                ["HSET", &meta, "generation", generation, "heartbeat", &heartbeat, "heartbeat_ms", &time];
            redis.command(&fields).await.unwrap();
        }
        let (now, at) = (SEEN + 1_000, known.2.to_string());
        let answer = look(&redis, now, (known.0, &known.1.to_string(), &at), "0", ("new", "0")).await;
        let standing = match expected.split(' ').collect::<Vec<_>>()[..] {
            [why, by, until] => {
                let until: i64 = until.parse().unwrap();
                format!("{why} {now} {by} {}", if until == 0 { 0 } else { now + until })
            }
            _ => String::new(),
        };
        assert_eq!(answer[6], standing, "{known:?} on {generation} {heartbeat}");
        let is_new = if expected.is_empty() { "0" } else { "1" };
        assert_eq!(
            (answer[4] != "0", answer[5].as_str()),
            (is_new == "1", is_new),
            "an epoch begins with it"
        );
        // The process that knew more has been heard: the next look at the same data finds nothing new.
        let next = look(&redis, now, (&answer[0], &answer[1], &answer[2]), &answer[4], ("new", "0")).await;
        assert_eq!(next[3..7], answer[3..7], "{known:?}");
        assert_eq!(next[7], answer[2], "the clock was seen there before");
    }
}

/// Another server has the data, as far as the data can tell.
async fn move_to_another_server(redis: &TestRedis) {
    let meta = format!("{}meta", redis.prefix());
    redis.command(&["HSET", &meta, "server", "the-one-before"]).await.unwrap();
}

#[tokio::test]
async fn where_another_server_has_the_data_nothing_starts_before_everybody_has_spoken() {
    let redis = seeded().await;
    let knows = |answer: &[String]| (answer[0].clone(), answer[1].clone(), answer[2].clone());
    let look = async |at: i64, (generation, heartbeat, time): &(String, String, String), epoch: &str, by| {
        look(&redis, NOW + at, (generation, heartbeat, time), epoch, by).await
    };
    let nothing = (String::new(), "0".to_owned(), "0".to_owned());
    let (ann, bob) =
        (look(-900, &nothing, "0", ("ann", "0")).await, look(-800, &nothing, "0", ("bob", "0")).await);
    let seen = (NOW - 900).to_string();
    assert_eq!([&ann[4..9], &bob[4..9]], [["0", "0", "", "0", "0"], ["0", "0", "", seen.as_str(), "0"]]);

    move_to_another_server(&redis).await;
    // A worker there knows nothing of it, and starts nothing all the same.
    let before = redis.snapshot().await;
    let idle = async |at: i64| {
        for (verb, arguments, length) in calls(&(NOW + at).to_string()) {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            assert_eq!(call(&redis, verb, &arguments).await.unwrap().len(), length, "{verb} after {at} ms");
        }
    };
    idle(0).await;
    assert_eq!(redis.snapshot().await, before);

    let first = look(0, &knows(&ann), "0", ("ann", "0")).await;
    let epoch = first[4].as_str();
    assert!(epoch.parse::<u64>().unwrap() > 0);
    let standing = format!("took_over {NOW} 0 {}", NOW + 10_000);
    assert_eq!(first[5..8], ["1".to_owned(), standing, (NOW - 800).to_string()]);
    // Ann has spoken, at once; Bob has not looked.
    let ended = |answer: &[String], at: i64| answer[6] == format!("took_over {NOW} 0 {}", NOW + at);
    let spoken = look(10, &knows(&first), epoch, ("ann", epoch)).await;
    let alone = look(9_900, &knows(&spoken), epoch, ("ann", epoch)).await;
    assert!(ended(&spoken, 10_000) && ended(&alone, 10_000), "{alone:?}");
    let number_of_it = ["1", "reprieve", "too early"];
    let early = (NOW + 9_950).to_string();
    let answer = call(&redis, "clear_halt", &[&[early.as_str()], &number_of_it[..]].concat()).await.unwrap();
    assert_eq!(answer, ["unchanged"], "no process ends it for all");
    idle(9_960).await;
    let both = look(9_970, &knows(&bob), "0", ("bob", "0")).await;
    assert!(ended(&both, 10_000), "he looks, and has not spoken: {both:?}");
    let both = look(9_980, &knows(&both), epoch, ("bob", epoch)).await;
    assert!(ended(&both, 9_980), "{both:?}");
    assert_eq!(both[4], epoch, "one epoch for all who find the same");
    let now = (NOW + 9_981).to_string();
    let answer = call(&redis, "clear_halt", &[&[now.as_str()], &number_of_it[..]].concat()).await.unwrap();
    assert_eq!(answer, ["cleared"]);
    assert_eq!(redis.store().at(t(9_982)).forward(100, 1).await.unwrap().moved, 1);
}

#[tokio::test]
async fn nobody_is_waited_for_who_has_left_or_was_gone_before_or_for_more_than_ten_seconds() {
    // Who looked, at which heartbeat of twenty; whether that one said that it leaves; and when jobs may start again.
    let cases = [("20", false, 10_000), ("20", true, 1_250), ("9", false, 1_250), ("10", false, 10_000)];
    for (heartbeat, leaves, expected) in cases {
        let redis = seeded().await;
        let meta = format!("{}meta", redis.prefix());
        let time = (NOW - 500).to_string();
        let fields = [
            "HSET",
            &meta,
            "generation",
            "g",
            "heartbeat",
            "20",
            "heartbeat_ms",
            &time,
            "server",
            "the-one-before",
        ];
        redis.command(&fields).await.unwrap();
        let watchers = format!("{}watchers", redis.prefix());
        redis.command(&["HSET", &watchers, "ann", "20 0", "bob", &format!("{heartbeat} 0")]).await.unwrap();
        let mut ann = look(&redis, NOW, ("g", "20", &time), "0", ("ann", "0")).await;
        assert_eq!(ann[6], format!("took_over {NOW} 0 {}", NOW + 10_000));
        if leaves {
            call(&redis, "watch", &[&NOW.to_string(), "g", "20", &time, "0", "0", "bob", "leave"])
                .await
                .unwrap();
        }
        for at in [1, 1_249, 1_250, 9_999] {
            let epoch = ann[4].clone();
            ann = look(&redis, NOW + at, ("g", &ann[1], &ann[2]), &epoch, ("ann", &epoch)).await;
            let until = if at < expected { 10_000 } else { expected };
            let case = format!("bob at {heartbeat} of 20, leaving: {leaves}, after {at} ms");
            assert_eq!(ann[6], format!("took_over {NOW} 0 {}", NOW + until), "{case}");
        }
    }
}

#[tokio::test]
async fn a_clock_that_jumped_with_a_failover_outlasts_it_and_a_backup_outlasts_both() {
    let redis = seeded().await;
    let first = look(&redis, NOW, ("", "0", "0"), "0", ("ann", "0")).await;
    move_to_another_server(&redis).await;
    let meta = format!("{}meta", redis.prefix());
    redis.command(&["HSET", &meta, "clock_ms", &NOW.to_string()]).await.unwrap();
    // The other server's clock is an hour behind: what ends by itself there must not make it believed.
    let back = NOW - 3_600_000;
    let over = look(&redis, back, (&first[0], &first[1], &first[2]), "0", ("ann", "0")).await;
    assert_eq!(over[6], format!("took_over {back} 0 {}", back + 10_000));
    let at = (back + 10_000).to_string();
    assert_eq!(call(&redis, "set_halt", &[&at, "clock_back", "3600000"]).await.unwrap(), ["standing"]);
    // A person who saw the failover's halt ends no other.
    assert_eq!(call(&redis, "clear_halt", &[&at, "1", "reprieve", ""]).await.unwrap(), ["unchanged"]);
    assert_eq!(call(&redis, "set_halt", &[&at, "clock_ahead", "5"]).await.unwrap(), ["unchanged"]);
    look(&redis, back + 1_000, (&over[0], &over[1], &over[2]), &over[4], ("ann", &over[4])).await;
    let later =
        look(&redis, back + 10_001, (&over[0], "99", &(NOW + 1_000).to_string()), "1", ("bob", "0")).await;
    assert_eq!(later[6], format!("went_back {} 3600000 0", back + 10_001), "an hour was lost: a backup");
    assert_eq!(call(&redis, "set_halt", &[&at, "clock_back", "3600000"]).await.unwrap(), ["unchanged"]);

    // The end of a failover alone leaves the time where it was.
    let redis = seeded().await;
    let first = look(&redis, NOW, ("", "0", "0"), "0", ("ann", "0")).await;
    move_to_another_server(&redis).await;
    let meta = format!("{}meta", redis.prefix());
    redis.command(&["HSET", &meta, "clock_ms", &NOW.to_string()]).await.unwrap();
    look(&redis, back, (&first[0], &first[1], &first[2]), "0", ("ann", "0")).await;
    assert_eq!(call(&redis, "clear_halt", &[&at, "1", "reprieve", ""]).await.unwrap(), ["cleared"]);
    let kept = redis.command(&["HGET", &meta, "clock_ms"]).await.unwrap();
    assert!(redis::from_redis_value::<i64>(kept).unwrap() >= NOW, "time does not go back");
}

#[tokio::test]
async fn a_new_server_at_which_nobody_looks_holds_up_nothing_for_longer_than_half_a_minute() {
    let redis = seeded().await;
    look(&redis, NOW, ("", "0", "0"), "0", ("ann", "0")).await;
    move_to_another_server(&redis).await;
    assert_eq!(redis.store().at(t(30_000)).forward(100, 1).await.unwrap().moved, 0);
    assert_eq!(redis.store().at(t(30_001)).forward(100, 1).await.unwrap().moved, 1);
}

#[tokio::test]
async fn a_failover_may_take_longer_than_half_a_minute() {
    let redis = seeded().await;
    let meta = format!("{}meta", redis.prefix());
    let hour_ago = redis.store().now().await.unwrap().as_millis() - 3_600_000;
    redis.command(&["HSET", &meta, "heartbeat", "9", "heartbeat_ms", &hour_ago.to_string()]).await.unwrap();
    move_to_another_server(&redis).await;
    assert_eq!(redis.store().forward(100, 1).await.unwrap().moved, 0);
    redis.command(&["HDEL", &meta, "server"]).await.unwrap();
    assert!(redis.store().forward(100, 1).await.unwrap().moved > 0, "something was due");
}

#[tokio::test]
async fn no_token_comes_twice_although_the_data_does_not_know_it() {
    let redis = seeded().await;
    let (at, queue) = (redis.store().at(t(0)), QueueName::default());
    // One is plain, the other has lines beyond the first.
    let mut tagged = job("tagged", -1);
    tagged.1.tags = vec!["x".parse().unwrap()];
    at.enqueue("test", &[job("plain", -1), tagged]).await.unwrap();
    let ids = ["plain", "tagged"].map(|id| JobId::new(id).unwrap());
    let meta = format!("{}meta", redis.prefix());
    let mut tokens = Vec::new();
    for epoch in ["0", "0", "2", "2", "3"] {
        redis.command(&["HSET", &meta, "epoch", epoch]).await.unwrap();
        let claimed = at.claim("w", Delay::seconds(9), 9, &[(queue.clone(), 9)]).await.unwrap();
        let of = |id: &JobId| claimed.iter().find(|job| job.id == *id).map(|job| (job.id.clone(), job.token));
        let ours: Vec<_> = ids.iter().filter_map(of).collect();
        tokens.push(ours.iter().map(|(_, token)| token.0).collect::<Vec<_>>());
        let words = at.release("w", &ours).await.unwrap();
        assert_eq!(words.len(), 2, "{epoch}");
    }
    assert_eq!(tokens, [[2, 2], [4, 4], [200_006, 200_006], [200_008, 200_008], [300_010, 300_010]]);

    // The history of one that nobody had written anything down of has its changes in order.
    at.enqueue("test", &[job("ends", -1)]).await.unwrap();
    let ends = JobId::new("ends").unwrap();
    let claimed = at.claim("w", Delay::seconds(9), 9, &[(queue, 9)]).await.unwrap();
    let token = claimed.iter().find(|job| job.id == ends).unwrap().token;
    at.complete(&[(ends.clone(), token)]).await.unwrap();
    let (job, _, history) = at.job(&ends).await.unwrap().unwrap();
    let lines: Vec<_> = history.iter().rev().map(|entry| (entry.version.0, entry.to.as_str())).collect();
    assert_eq!(lines, [(300_001, "ready"), (300_002, "active"), (300_003, "done")]);
    assert_eq!(job.version.0, 300_003);
}

#[tokio::test]
async fn two_servers_whose_data_parted_begin_epochs_of_their_own() {
    /// From which second on they are named: the beginning of 2025.
    const FROM_S: u64 = 1_735_689_600;
    const LATER: i64 = 1_800_000_000_000;
    let mut epochs = Vec::new();
    for known in [0, 7, 200_000_000] {
        // Each with a name of its own, as a master that came back and the replica that was promoted instead have.
        let server = RedisServer::start().unwrap();
        let redis = TestRedis::on(server.url(), Namespace::new("parted").unwrap()).await;
        let meta = format!("{}meta", redis.prefix());
        redis.command(&["HSET", &meta, "epoch", &known.to_string()]).await.unwrap();
        look(&redis, LATER, ("", "0", "0"), &known.to_string(), ("ann", "0")).await;
        move_to_another_server(&redis).await;
        let begun = look(&redis, LATER, ("", "0", "0"), &known.to_string(), ("ann", "0")).await;
        let info = redis.command(&["INFO", "server"]).await.unwrap();
        let info: String = redis::from_redis_value(info).unwrap();
        let name = info.split("run_id:").nth(1).unwrap().get(..3).unwrap();
        let own = u64::from_str_radix(name, 16).unwrap();
        let second = u64::try_from(LATER / 1_000).unwrap() - FROM_S;
        assert_eq!(begun[4].parse::<u64>().unwrap(), known.max(second) + 1 + own);
        epochs.push(begun[4].clone());
    }
    assert!(
        epochs.iter().all(|epoch| epoch.len() + 5 <= 14),
        "{epochs:?}: tokens of fourteen digits at most"
    );
}

#[tokio::test]
async fn a_forgotten_cancel_holds_although_the_job_has_changed_as_often_since() {
    let redis = seeded().await;
    let (at, ann) = (redis.store().at(t(0)), Intent::of("ann"));
    let id = JobId::new("active").unwrap();
    let key = format!("{}job:active", redis.prefix());
    let token = at.job(&id).await.unwrap().unwrap().0.version;
    let kept = redis.command(&["GET", &key]).await.unwrap();
    let kept: String = redis::from_redis_value(kept).unwrap();
    assert_eq!(at.cancel(&id, &ann).await.unwrap().word(), "requested");
    assert_eq!(redis.say_again().await.unwrap(), 0, "it is there");

    // A replica that has not heard of it takes over, and the attempt fails: as many changes as with the cancel.
    redis.command(&["SET", &key, &kept]).await.unwrap();
    at.fail(&id, reprieve::model::Token(token.0), "no", Some(Delay::seconds(60))).await.unwrap();
    assert_eq!(at.job(&id).await.unwrap().unwrap().0.version.0, token.0 + 1);
    assert_eq!(redis.say_again().await.unwrap(), 1);
    assert_eq!(at.job(&id).await.unwrap().unwrap().0.state, JobState::Cancelled);

    // Who put it back since has the last word.
    at.reinstate(&id, &Intent::of("bob"), Some(t(60_000))).await.unwrap();
    assert_eq!(redis.say_again().await.unwrap(), 0);
    assert_eq!(at.job(&id).await.unwrap().unwrap().0.state, JobState::Delayed);
}

/// Sets the record of a job back to what it was, as a replica that has not heard of the rest would have it.
async fn forget_since(redis: &TestRedis, id: &JobId, kept: &str) {
    redis.command(&["SET", &format!("{}job:{id}", redis.prefix()), kept]).await.unwrap();
    redis.command(&["DEL", &format!("{}history:{id}", redis.prefix())]).await.unwrap();
}

/// The record of a job.
async fn kept_of(redis: &TestRedis, id: &JobId) -> String {
    let kept = redis.command(&["GET", &format!("{}job:{id}", redis.prefix())]).await.unwrap();
    redis::from_redis_value(kept).unwrap()
}

#[tokio::test]
async fn a_forgotten_cancel_holds_although_the_clock_was_set_back_before_it() {
    // Taken in, or replaced, before the clock was set back; and how many changes Redis forgot.
    for replaced in [false, true] {
        let redis = TestRedis::namespace().await;
        let (at, ann) = (|ms| redis.store().at(t(ms)), Intent::of("ann"));
        let (id, mut new) = job("a", FAR_MS);
        at(9_000).enqueue("test", &[(id.clone(), new.clone())]).await.unwrap();
        let mut kept = kept_of(&redis, &id).await;
        at(1_000).cancel(&id, &ann).await.unwrap();
        if replaced {
            at(1_100).reinstate(&id, &ann, None).await.unwrap();
            new.replace = true;
            at(9_500).enqueue("test", &[(id.clone(), new)]).await.unwrap();
            kept = kept_of(&redis, &id).await;
            at(1_200).cancel(&id, &ann).await.unwrap();
        }
        forget_since(&redis, &id, &kept).await;

        assert_eq!(redis.say_again().await.unwrap(), 1, "{replaced}");
        assert_eq!(at(9_900).job(&id).await.unwrap().unwrap().0.state, JobState::Cancelled);
    }
}

#[tokio::test]
async fn a_job_under_the_id_of_one_that_was_purged_is_not_called_off_for_it() {
    let redis = TestRedis::namespace().await;
    let (at, ann, id) = (|ms| redis.store().at(t(ms)), Intent::of("ann"), JobId::new("a").unwrap());
    at(0).enqueue("test", &[job("a", 60_000)]).await.unwrap();
    at(1).cancel(&id, &ann).await.unwrap();
    at(2).purge_job(&id, &ann).await.unwrap();
    at(3).enqueue("test", &[job("a", 60_000)]).await.unwrap();

    assert_eq!(redis.say_again().await.unwrap(), 0);

    assert_eq!(at(4).job(&id).await.unwrap().unwrap().0.state, JobState::Delayed);
}

#[tokio::test]
async fn a_job_whose_cancel_and_purge_were_forgotten_is_called_off_again() {
    let redis = TestRedis::namespace().await;
    let (at, ann, id) = (|ms| redis.store().at(t(ms)), Intent::of("ann"), JobId::new("a").unwrap());
    at(0).enqueue("test", &[job("a", 60_000)]).await.unwrap();
    let kept = kept_of(&redis, &id).await;
    at(1).cancel(&id, &ann).await.unwrap();
    at(2).purge_job(&id, &ann).await.unwrap();
    forget_since(&redis, &id, &kept).await;

    assert_eq!(redis.say_again().await.unwrap(), 1);
    assert_eq!(at(3).job(&id).await.unwrap().unwrap().0.state, JobState::Cancelled);
}

#[tokio::test]
async fn a_job_that_was_replaced_after_its_cancel_was_forgotten_is_called_off_again() {
    let redis = TestRedis::namespace().await;
    let (at, ann, id) = (|ms| redis.store().at(t(ms)), Intent::of("ann"), JobId::new("a").unwrap());
    at(0).enqueue("test", &[job("a", 60_000)]).await.unwrap();
    let kept = kept_of(&redis, &id).await;
    at(1).cancel(&id, &ann).await.unwrap();
    forget_since(&redis, &id, &kept).await;
    let (_, mut again) = job("a", 70_000);
    again.replace = true;
    let answer = at(3).enqueue("test", &[(id.clone(), again)]).await.unwrap().remove(0);
    assert!(matches!(answer, reprieve::model::Enqueued::Replaced(_)), "{answer:?}");

    assert_eq!(redis.say_again().await.unwrap(), 1);
    assert_eq!(at(4).job(&id).await.unwrap().unwrap().0.state, JobState::Cancelled);
}

#[tokio::test]
async fn a_job_that_was_to_run_at_once_is_not_called_off_by_an_older_act_and_runs_although_that_was_forgotten()
 {
    // What Redis has kept: the job as it came in, or called off.
    for of_the_cancel in [false, true] {
        let redis = TestRedis::namespace().await;
        let (at, ann, id) = (|ms| redis.store().at(t(ms)), Intent::of("ann"), JobId::new("a").unwrap());
        at(0).enqueue("test", &[job("a", 60_000)]).await.unwrap();
        let new = kept_of(&redis, &id).await;
        at(1).cancel(&id, &ann).await.unwrap();
        let kept = if of_the_cancel { kept_of(&redis, &id).await } else { new };
        assert_eq!(at(2).retry_now(&id, &Intent::of("ann")).await.unwrap().word(), "ready");
        forget_since(&redis, &id, &kept).await;

        assert_eq!(redis.say_again().await.unwrap(), 0);
        assert_eq!(redis.let_go_again().await.unwrap(), 1);

        let job = at(3).job(&id).await.unwrap().unwrap().0;
        assert_eq!((job.state, job.why.as_str()), (JobState::Ready, "said again: Redis had forgotten it"));
    }
}

#[tokio::test]
async fn what_another_process_calls_off_again_does_not_run_because_it_was_to_run_at_once() {
    let redis = TestRedis::namespace().await;
    let (at, id) = (|ms| redis.store().at(t(ms)), JobId::new("a").unwrap());
    at(0).enqueue("test", &[job("a", 60_000)]).await.unwrap();
    let kept = kept_of(&redis, &id).await;
    at(1).retry_now(&id, &Intent::of("ann")).await.unwrap();
    forget_since(&redis, &id, &kept).await;
    let mut again = Intent::of("bob");
    "said again: Redis had forgotten it".clone_into(&mut again.why);
    let other = TestRedis::on(redis.url(), redis.name().clone()).await;
    other.store().at(t(2)).cancel(&id, &again).await.unwrap();

    redis.let_go_again().await.unwrap();

    assert_eq!(at(3).job(&id).await.unwrap().unwrap().0.state, JobState::Cancelled);
}

/// Due when nobody runs these tests any more: what is done again is done by Redis's own clock.
const FAR_MS: i64 = 1_000_000_000_000;

/// Does a verb to jobs `a` and `b` by a bulk run.
async fn bulk(redis: &TestRedis, ms: i64, verb: BulkVerb) {
    let operator = redis.engine().at(t(ms)).operator("ann");
    let mut picked = vec![];
    for name in ["a", "b"] {
        let id = JobId::new(name).unwrap();
        let (job, ..) = redis.store().job(&id).await.unwrap().unwrap();
        picked.push((id, job.version));
    }
    let frozen = operator.bulk(verb).jobs(picked).freeze().await.unwrap();
    operator.start_bulk(&frozen.id, None, "").await.unwrap();
    assert_eq!(operator.step_bulk(&frozen.id, 50).await.unwrap().unwrap().state, BulkState::Done);
}

#[tokio::test]
async fn what_bulk_runs_have_done_is_done_again_and_counts_more_than_what_was_done_before() {
    // A verb on one job, then a run; the state in which the run leaves it, and whether that stops it.
    let cases = [
        (None, BulkVerb::Cancel, JobState::Cancelled, true),
        (None, BulkVerb::Hold, JobState::Held, true),
        (Some("hold"), BulkVerb::Unhold, JobState::Delayed, false),
        (Some("cancel"), BulkVerb::Reinstate, JobState::Delayed, false),
        (Some("cancel"), BulkVerb::RetryNow, JobState::Ready, false),
    ];
    for (before, verb, expected, stops) in cases {
        let redis = TestRedis::namespace().await;
        let (at, ann) = (|ms| redis.store().at(t(ms)), Intent::of("ann"));
        let ids = ["a", "b"].map(|name| JobId::new(name).unwrap());
        at(0).enqueue("test", &[job("a", FAR_MS), job("b", FAR_MS)]).await.unwrap();
        let mut kept = vec![];
        for id in &ids {
            kept.push(kept_of(&redis, id).await);
            match before {
                Some("hold") => drop(at(1).hold(id, &ann).await.unwrap()),
                Some(_) => drop(at(1).cancel(id, &ann).await.unwrap()),
                None => {}
            }
            if verb != BulkVerb::Cancel && verb != BulkVerb::Hold {
                *kept.last_mut().unwrap() = kept_of(&redis, id).await;
            }
        }
        bulk(&redis, 2, verb).await;
        for (id, kept) in ids.iter().zip(&kept) {
            forget_since(&redis, id, kept).await;
        }

        assert_eq!(redis.say_again().await.unwrap(), if stops { 2 } else { 0 }, "{verb}");
        assert_eq!(redis.let_go_again().await.unwrap(), if stops { 0 } else { 2 }, "{verb}");

        for id in &ids {
            let job = at(3).job(id).await.unwrap().unwrap().0;
            assert_eq!(job.state, expected, "{verb}");
            assert!(job.why.starts_with("bulk run ") && job.why.contains("said again"), "{}", job.why);
        }
    }
}

#[tokio::test]
async fn what_was_put_back_held_is_held_whatever_of_it_redis_has_forgotten() {
    // How many changes it has forgotten, and how many jobs are held again for that.
    for (forgotten, again) in [(1, 1), (2, 0), (3, 1)] {
        let redis = TestRedis::namespace().await;
        let (at, ann) = (|ms| redis.store().at(t(ms)), Intent::of("ann"));
        let id = JobId::new("a").unwrap();
        let mut kept = vec![];
        at(0).enqueue("test", &[job("a", FAR_MS)]).await.unwrap();
        kept.push(kept_of(&redis, &id).await);
        at(1).hold(&id, &ann).await.unwrap();
        kept.push(kept_of(&redis, &id).await);
        at(2).cancel(&id, &ann).await.unwrap();
        kept.push(kept_of(&redis, &id).await);
        assert_eq!(at(3).reinstate(&id, &ann, None).await.unwrap().word(), "held");
        forget_since(&redis, &id, &kept[3 - forgotten]).await;

        assert_eq!(redis.say_again().await.unwrap(), again, "{forgotten}");
        assert_eq!(redis.let_go_again().await.unwrap(), 0, "{forgotten}");
        assert_eq!(at(4).job(&id).await.unwrap().unwrap().0.state, JobState::Held);

        if forgotten == 3 {
            continue;
        }
        // Another process had called it off, and says so after this one has looked.
        forget_since(&redis, &id, &kept[1]).await;
        redis.say_again().await.unwrap();
        let other = TestRedis::on(redis.url(), redis.name().clone()).await;
        other.store().at(t(5)).cancel(&id, &ann).await.unwrap();
        assert_eq!(redis.let_go_again().await.unwrap(), 1);
        assert_eq!(at(6).job(&id).await.unwrap().unwrap().0.state, JobState::Held);
    }
}

#[tokio::test]
async fn what_was_called_off_with_its_batch_is_called_off_again() {
    let redis = TestRedis::namespace().await;
    let client = redis.engine().at(t(0)).client();
    let report = NewJob::new(Kind::new("report").unwrap(), "{}");
    let members = (0..250).map(|number| {
        let (id, mut job) = job(&format!("m{number:03}"), 3_600_000);
        job.id = Some(id);
        job
    });
    let batch = NewBatch::new(BatchId::new("im").unwrap(), report).jobs(members);
    client.make_batch(&batch).await.unwrap();
    let ids = ["m000", "m249"].map(|name| JobId::new(name).unwrap());
    let mut kept = vec![];
    for id in &ids {
        kept.push(kept_of(&redis, id).await);
    }
    redis.engine().at(t(1)).operator("ann").batch(&batch.id).cancel().await.unwrap();
    for (id, kept) in ids.iter().zip(&kept) {
        forget_since(&redis, id, kept).await;
    }

    assert_eq!(redis.say_again().await.unwrap(), 2);

    for id in &ids {
        assert_eq!(redis.store().job(id).await.unwrap().unwrap().0.state, JobState::Cancelled);
    }
}

#[tokio::test]
async fn a_step_that_was_skipped_because_its_time_had_passed_is_called_off_again() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine().at(t(0));
    let step = NewStep::new(
        "a".parse().unwrap(),
        Offset::millis(3_600_000),
        NewJob::new(Kind::new("k").unwrap(), "{}"),
    );
    let plan = NewPlan::new(PlanId::new("pl").unwrap(), Subject::new("resource:1").unwrap()).step(step);
    engine.client().make_plan(&plan).await.unwrap();
    let id = JobId::new("pl/a").unwrap();
    let kept = kept_of(&redis, &id).await;
    let back = PlanVerb::Reanchor(Anchor::To(Due::At(t(-7_200_000))));
    let store = redis.store().at(t(1));
    let answer = store.act_on_plan(&plan.id, back, Past::Skip, &Intent::of("ann")).await.unwrap();
    assert_eq!(answer.steps[0].outcome, "skipped");
    forget_since(&redis, &id, &kept).await;

    assert_eq!(redis.say_again().await.unwrap(), 1);
    assert_eq!(store.job(&id).await.unwrap().unwrap().0.state, JobState::Cancelled);
}

#[tokio::test]
async fn a_history_is_told_right_beyond_a_hundred_thousand_changes() {
    // The version with the latest line, the epoch that begins behind it, and the version with which the job is started.
    let cases = [
        (99_998, 0, 100_000),
        (99_999, 0, 100_001),
        (100_000, 0, 100_002),
        (299_999, 0, 300_001),
        (99_999, 7, 700_001),
        (42, 7, 700_044),
    ];
    for (told, epoch, started) in cases {
        let redis = TestRedis::namespace().await;
        let (at, ann, id) = (|ms| redis.store().at(t(ms)), Intent::of("ann"), JobId::new("a").unwrap());
        at(0).enqueue("test", &[job("a", 60_000)]).await.unwrap();
        at(1).reschedule(&id, &ann, Due::At(t(10))).await.unwrap();
        let kept = kept_of(&redis, &id).await.replacen("delayed 2 ", &format!("delayed {told} "), 1);
        let kept = kept.replacen("told_version=2", &format!("told_version={told}"), 1);
        redis.command(&["SET", &format!("{}job:a", redis.prefix()), &kept]).await.unwrap();
        let meta = format!("{}meta", redis.prefix());
        redis.command(&["HSET", &meta, "epoch", &epoch.to_string()]).await.unwrap();
        at(10).forward(9, 0).await.unwrap();
        at(11).claim("w", Delay::seconds(9), 1, &[(QueueName::default(), 1)]).await.unwrap();

        let (_, _, history) = at(12).job(&id).await.unwrap().unwrap();

        let lines: Vec<_> = history.iter().map(|line| (line.version.0, line.from, line.to)).collect();
        let (delayed, ready) = (Some(JobState::Delayed), Some(JobState::Ready));
        let latest = [(started, ready, JobState::Active), (told + 1, delayed, JobState::Ready)];
        assert_eq!(lines[..2], latest, "{lines:?}");
        assert_eq!(lines.len(), 4, "{lines:?}");
    }
}

#[tokio::test]
async fn a_clock_samples_that_does_not_read_changes_nothing() {
    let redis = seeded().await;
    let before = redis.snapshot().await;
    for time in ["5;x;1", "5;1", ";;", "5;1;", "x;1;1", "5;-1;1", "5;1;1;1", ";1e9;1"] {
        let answer = call(&redis, "claim", &[time, "w", "1000", "10", "default", "10"]).await;
        assert!(answer.is_err(), "{time}: {answer:?}");
        assert_eq!(redis.snapshot().await, before, "{time}");
    }
}
