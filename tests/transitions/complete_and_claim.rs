//! A turn leaves what ending jobs and claiming the next ones leave, one after the other.

use super::expect::difference;
use super::seed::{LEASE, Stage, WORKER, ann, id, mail, plain};
use reprieve::model::{ConcurrencyKey, Delay, JobId, QueueLimits, Rate, Token};
use reprieve::store::{ClaimedJob, CompletedAndClaimed, ReleaseWord};
use reprieve::testing::Snapshot;
use reprieve::{LatePolicy, Lateness, NewJob};

const ENDS: i64 = 2_000;

type Report = (JobId, Token);

fn ids(jobs: &[ClaimedJob]) -> Vec<&str> {
    jobs.iter().map(|job| job.id.as_str()).collect()
}

async fn turn(stage: &Stage, reports: &[Report], most: u32) -> CompletedAndClaimed {
    stage.at(ENDS).complete_and_claim(WORKER, LEASE, reports, most, &[(mail(), most)]).await.unwrap()
}

/// The same in two calls.
async fn two_calls(stage: &Stage, reports: &[Report], most: u32) -> (Vec<ReleaseWord>, Vec<ClaimedJob>) {
    let words = stage.at(ENDS).complete(reports).await.unwrap();
    (words, stage.claim(ENDS, most).await)
}

/// Four jobs that run, four that are ready, and what a test adds.
async fn given(jobs: &[NewJob], limits: &QueueLimits) -> (Stage, Vec<Report>) {
    let stage = Stage::new().await;
    for (number, job) in jobs.iter().enumerate() {
        stage.enqueue(0, &format!("a{number}"), job.clone()).await;
    }
    stage.at(0).limit(&mail(), &ann(), limits).await.unwrap();
    let claimed = stage.claim(1, 4).await;
    (stage, claimed.into_iter().map(|job| (job.id, job.token)).collect())
}

/// What a namespace holds, but for its name.
async fn content(stage: &Stage) -> Snapshot {
    let mut keys = stage.snapshot().await;
    keys.entry("meta".to_owned()).or_default().retain(|line| !line.starts_with("namespace"));
    keys
}

/// Entries of the event stream, each of which tells of all changes of a call.
async fn entries(stage: &Stage) -> i64 {
    let key = format!("{}events", stage.redis.prefix());
    redis::from_redis_value(stage.redis.command(&["XLEN", &key]).await.unwrap()).unwrap()
}

fn keyed(name: &str) -> NewJob {
    let mut job = plain(-1);
    job.concurrency_key = Some(ConcurrencyKey::new(name).unwrap());
    job
}

#[tokio::test]
async fn a_turn_leaves_what_two_calls_leave() {
    let none = QueueLimits::default();
    let mut late = plain(-1);
    late.lateness = Some(Lateness { most: Delay::millis(1_000), policy: LatePolicy::Skip });
    let mut kept = plain(-1);
    kept.retention = Some(Delay::days(2));
    let mut about = plain(-1);
    about.subject = Some(super::seed::subject());
    let rate = Rate { jobs: 6, per: Delay::seconds(60) };
    let cases: [(&str, Vec<NewJob>, QueueLimits); 8] = [
        ("plain jobs", vec![plain(-1); 8], none),
        ("fewer than there is room for", vec![plain(-1); 6], none),
        ("nothing left", vec![plain(-1); 4], none),
        ("jobs of a subject", vec![about; 8], none),
        ("a retention of their own", vec![kept; 8], none),
        ("some too late to start", [vec![plain(-1); 5], vec![late; 2], vec![plain(-1); 3]].concat(), none),
        ("four at once", vec![plain(-1); 9], QueueLimits { concurrency: Some(4), ..QueueLimits::default() }),
        ("six a minute", vec![plain(-1); 9], QueueLimits { rate: Some(rate), ..QueueLimits::default() }),
    ];
    for (case, jobs, limits) in cases {
        let (one, reports) = given(&jobs, &limits).await;
        let (two, _) = given(&jobs, &limits).await;

        let turn = turn(&one, &reports, 4).await;
        let (words, claimed) = two_calls(&two, &reports, 4).await;

        assert_eq!(turn.words, words, "{case}");
        assert_eq!(turn.jobs, claimed, "{case}");
        assert_eq!(difference(&content(&two).await, &content(&one).await), Vec::<String>::new(), "{case}");
        one.assert_sound().await;
    }
}

#[tokio::test]
async fn a_turn_tells_all_its_changes_in_one_event() {
    let (stage, reports) = given(&vec![plain(-1); 8], &QueueLimits::default()).await;
    let before = entries(&stage).await;

    turn(&stage, &reports, 4).await;

    assert_eq!(entries(&stage).await, before + 1);
}

#[tokio::test]
async fn a_slot_of_a_concurrency_key_that_a_turn_frees_is_taken_once() {
    let jobs = [keyed("x"), keyed("x"), keyed("x"), plain(-1), plain(-1)];
    let limits = QueueLimits { concurrency_per_key: Some(1), ..QueueLimits::default() };
    let (stage, reports) = given(&jobs, &limits).await;
    let concurrency_key: Vec<_> = reports.iter().filter(|(job, _)| job.as_str() == "a0").cloned().collect();
    assert_eq!((reports.len(), concurrency_key.len()), (2, 1), "of the concurrency key only the first runs");

    let first = turn(&stage, &concurrency_key, 1).await;
    assert_eq!(first.words, [ReleaseWord::Done]);
    assert_eq!(ids(&first.jobs), ["a4"], "who waited comes with the next turn");
    stage.assert_sound().await;

    let next = stage.claim(ENDS, 9).await;
    assert_eq!(ids(&next), ["a1"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_turn_with_a_stale_token_ends_nothing_and_takes_the_next_all_the_same() {
    let (stage, reports) = given(&vec![plain(-1); 6], &QueueLimits::default()).await;
    let reports = [(id("a0"), Token(99)), (id("gone"), Token(2)), reports[1].clone(), reports[1].clone()];

    let turn = turn(&stage, &reports, 1).await;

    let (lost, missing, done) = (ReleaseWord::Lost, ReleaseWord::Missing, ReleaseWord::Done);
    assert_eq!(turn.words, [lost, missing, done, done]);
    assert_eq!(ids(&turn.jobs), ["a4"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_repeated_turn_ends_nothing_twice() {
    let (stage, reports) = given(&vec![plain(-1); 6], &QueueLimits::default()).await;
    let first = turn(&stage, &reports, 2).await;
    assert_eq!(ids(&first.jobs), ["a4", "a5"]);
    let before = stage.snapshot().await;

    // Its reply was lost: what it ended is reported again.
    assert_eq!(turn(&stage, &reports, 2).await.words, [ReleaseWord::Done; 4]);

    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_paused_queue_ends_its_jobs_and_gives_none() {
    let (stage, reports) = given(&vec![plain(-1); 6], &QueueLimits::default()).await;
    stage.at(10).pause(&mail(), &ann()).await.unwrap();

    let turn = turn(&stage, &reports, 4).await;

    assert_eq!(turn.words, [ReleaseWord::Done; 4]);
    assert!(turn.jobs.is_empty());
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_damaged_key_stops_a_turn_before_its_first_write() {
    for key in ["*q:mail:done", "*q:mail:active", "*events", "*expiring"] {
        let (stage, reports) = given(&vec![plain(-1); 6], &QueueLimits::default()).await;
        stage.command(&["DEL", key]).await;
        stage.command(&["SET", key, "damage"]).await;
        let before = stage.snapshot().await;

        let error =
            stage.at(ENDS).complete_and_claim(WORKER, LEASE, &reports, 4, &[(mail(), 4)]).await.unwrap_err();

        assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new(), "{key}: {error}");
    }
}

#[tokio::test]
async fn a_turn_ends_its_jobs_where_those_that_are_ready_cannot_be_read() {
    let (stage, reports) = given(&vec![plain(-1); 6], &QueueLimits::default()).await;
    stage.command(&["DEL", "*q:mail:ready"]).await;
    stage.command(&["SET", "*q:mail:ready", "damage"]).await;

    let turn = stage.at(ENDS).complete_and_claim(WORKER, LEASE, &reports, 4, &[(mail(), 4)]).await.unwrap();

    assert!(turn.jobs.is_empty());
    assert!(turn.words.iter().all(|word| *word == ReleaseWord::Done), "{:?}", turn.words);
}
