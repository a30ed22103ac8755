//! Delivery windows: what is due outside of them waits for the next opening.

use super::seed::{START, Stage, ann, id, plain, t};
use reprieve::model::{Delay, JobState, KindRule, Timestamp, Window};
use reprieve::{Error, LatePolicy, Lateness, NewJob};

const MINUTE: i64 = 60_000;

/// The minute of the day at which the tests' clock starts, in UTC.
fn minute() -> u16 {
    u16::try_from(START / MINUTE % 1_440).unwrap()
}

/// Open for an hour that begins so many minutes after the start.
fn hour_in(minutes: u16) -> Window {
    Window::daily("UTC", (minute() + minutes) % 1_440, (minute() + minutes + 60) % 1_440)
}

/// A rule of the kind of [`plain`] jobs.
fn rule(window: Option<Window>) -> KindRule {
    KindRule::new(plain(0).kind, window, None, Vec::new())
}

async fn with(window: &Window) -> Stage {
    let stage = Stage::new().await;
    assert!(stage.at(0).set_rule(&rule(Some(window.clone())), &ann()).await.unwrap());
    stage
}

async fn due_of(stage: &Stage, name: &str) -> (JobState, Timestamp) {
    let (job, ..) = stage.redis.store().job(&id(name)).await.unwrap().unwrap();
    (job.state, job.due)
}

#[tokio::test]
async fn a_job_due_outside_its_window_waits_for_the_opening_to_the_millisecond() {
    let stage = with(&hour_in(10)).await;
    stage.enqueue(0, "a", plain(1_000)).await;

    stage.at(1_000).forward(9, 0).await.unwrap();

    assert_eq!(due_of(&stage, "a").await, (JobState::Delayed, t(10 * MINUTE)));
    let (job, _, history) = stage.redis.store().job(&id("a")).await.unwrap().unwrap();
    assert_eq!(
        (history[0].why.as_str(), history[0].by.as_str()),
        ("outside the window of its kind", "forwarder")
    );
    assert_eq!(history[1].due, t(1_000), "the time it was to run stays visible");
    assert_eq!(job.version.0, 2);
    assert_eq!(stage.at(10 * MINUTE - 1).forward(9, 0).await.unwrap().moved, 0);
    stage.at(10 * MINUTE).forward(9, 0).await.unwrap();
    assert_eq!(stage.claim(10 * MINUTE, 9).await.len(), 1);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_job_that_waits_for_a_worker_when_the_window_closes_is_not_started() {
    let stage = with(&hour_in(0)).await;
    stage.enqueue(0, "a", plain(-1)).await;
    stage.enqueue(0, "b", plain(-1)).await;
    assert_eq!(stage.claim(60 * MINUTE - 1, 1).await.len(), 1);

    assert!(stage.claim(60 * MINUTE, 9).await.is_empty());

    assert_eq!(due_of(&stage, "b").await, (JobState::Delayed, t(1_440 * MINUTE)));
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_job_may_say_that_windows_do_not_concern_it() {
    let stage = with(&hour_in(10)).await;
    let mut job: NewJob = plain(-1);
    job.any_window = true;
    stage.enqueue(0, "a", job).await;
    assert_eq!(stage.claim(1, 9).await.len(), 1);
}

#[tokio::test]
async fn lateness_counts_from_the_time_before_the_window_moved_it() {
    let stage = with(&hour_in(10)).await;
    let mut job = plain(1_000);
    job.lateness = Some(Lateness { most: Delay::minutes(5), policy: LatePolicy::Skip });
    stage.enqueue(0, "a", job.clone()).await;
    stage.at(1_000).forward(9, 0).await.unwrap();
    stage.at(10 * MINUTE).forward(9, 0).await.unwrap();
    assert_eq!(stage.state_of("a").await, Some(JobState::Cancelled));
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_spread_moves_the_jobs_of_an_opening_apart() {
    let stage = with(&hour_in(10).spread(Delay::minutes(5))).await;
    for number in 0..20 {
        stage.enqueue(0, &format!("j{number}"), plain(1_000)).await;
    }
    stage.at(1_000).forward(99, 0).await.unwrap();
    let mut dues = std::collections::BTreeSet::new();
    for number in 0..20 {
        let (_, due) = due_of(&stage, &format!("j{number}")).await;
        assert!(due >= t(10 * MINUTE) && due < t(15 * MINUTE), "{due}");
        dues.insert(due);
    }
    assert!(dues.len() > 10, "{dues:?}");
}

#[tokio::test]
async fn a_spread_beyond_the_opening_is_refused_and_one_that_is_kept_ends_with_it() {
    let stage = with(&hour_in(10)).await;
    let kind = plain(0).kind;
    let three = hour_in(10).spread(Delay::hours(3));
    let refused = stage.at(0).set_rule(&rule(Some(three)), &ann()).await;
    assert!(matches!(refused, Err(Error::Invalid { .. })), "{refused:?}");
    // A rule of before: its openings are shorter than its spread.
    let key = format!("{}rules", stage.redis.prefix());
    let found = stage.redis.command(&["HGET", &key, kind.as_str()]).await.unwrap();
    let redis::Value::BulkString(rule) = found else { panic!("no rule: {found:?}") };
    let rule = String::from_utf8(rule).unwrap();
    let long = rule.replace("\"spread_ms\":\"0\"", "\"spread_ms\":\"10800000\"");
    assert_ne!(rule, long);
    stage.redis.command(&["HSET", &key, kind.as_str(), &long]).await.unwrap();

    for number in 0..40 {
        stage.enqueue(0, &format!("j{number}"), plain(1_000)).await;
    }
    stage.at(1_000).forward(99, 0).await.unwrap();

    for number in 0..40 {
        let (_, due) = due_of(&stage, &format!("j{number}")).await;
        assert!(due >= t(10 * MINUTE) && due < t(69 * MINUTE), "{due}");
    }
    assert_eq!(stage.at(70 * MINUTE - 1).forward(99, 0).await.unwrap().moved, 40);
    assert_eq!(stage.claim(70 * MINUTE - 1, 99).await.len(), 40);
    stage.assert_sound().await;
}

#[tokio::test]
async fn openings_are_kept_ahead_and_what_is_not_known_is_not_taken_for_open() {
    let stage = with(&hour_in(10)).await;
    let kind = plain(0).kind;
    let far = Delay::days(30).as_millis();
    stage.enqueue(0, "a", plain(far)).await;
    // Nobody kept the openings ahead: asked again in a minute, not started.
    stage.at(far).forward(9, 0).await.unwrap();
    assert_eq!(due_of(&stage, "a").await, (JobState::Delayed, t(far + MINUTE)));

    assert_eq!(stage.at(far).refresh_windows().await.unwrap(), 1);
    assert_eq!(stage.at(far).refresh_windows().await.unwrap(), 0);
    stage.at(far + MINUTE).forward(9, 0).await.unwrap();
    assert_eq!(due_of(&stage, "a").await, (JobState::Delayed, t(far + 10 * MINUTE)));

    let rules = stage.at(far).rules().await.unwrap();
    assert_eq!((rules[0].kind.clone(), rules[0].window.clone()), (kind.clone(), Some(hour_in(10))));
    assert_eq!(rules[0].open[0].0, t(far + 10 * MINUTE));
    assert!(stage.at(far).set_rule(&rule(None), &ann()).await.unwrap());
    assert!(!stage.at(far).set_rule(&rule(None), &ann()).await.unwrap());
    let keys = stage.snapshot().await;
    assert!(!keys.contains_key("rules") && keys["meta"].iter().all(|line| !line.starts_with("rules")));
}
