//! Limits of queues: how many at once, how fast, and how many of a concurrency key.

use super::expect::difference;
use super::seed::{LEASE, Stage, ann, id, mail, plain, t};
use reprieve::model::{ConcurrencyKey, Delay, JobState, QueueLimits, Rate};
use reprieve::store::ClaimedJob;

fn names(jobs: &[ClaimedJob]) -> Vec<&str> {
    jobs.iter().map(|job| job.id.as_str()).collect()
}

async fn limit(stage: &Stage, ms: i64, limits: QueueLimits) -> bool {
    stage.at(ms).limit(&mail(), &ann(), &limits).await.unwrap()
}

fn at_once(concurrency: u32) -> QueueLimits {
    QueueLimits { concurrency: Some(concurrency), ..QueueLimits::default() }
}

pub(super) fn concurrency_keys(per_key: u32, ordered: bool) -> QueueLimits {
    QueueLimits { concurrency_per_key: Some(per_key), ordered, ..QueueLimits::default() }
}

/// Ready jobs named by their concurrency key and a number: `a1`, `a2`, `b1`; `-1` is without a concurrency key.
async fn given_keyed(stage: &Stage, jobs: &[&str]) {
    for name in jobs {
        let mut job = plain(-1);
        job.concurrency_key =
            name.chars().next().filter(char::is_ascii_alphabetic).map(|c| ConcurrencyKey::new(c).unwrap());
        job.max_attempts = Some(2);
        stage.enqueue(0, name, job).await;
    }
}

async fn done(stage: &Stage, ms: i64, job: &ClaimedJob) {
    stage.at(ms).complete(&[(job.id.clone(), job.token)]).await.unwrap();
}

/// Tokens in the queue's wake list.
async fn tokens(stage: &Stage) -> usize {
    stage.snapshot().await.get("q:mail:wake").map_or(0, Vec::len)
}

#[tokio::test]
async fn a_queue_runs_no_more_at_once_than_its_limit_for_all_callers_together() {
    let stage = Stage::new().await;
    given_keyed(&stage, &["1", "2", "3", "4"]).await;
    assert!(limit(&stage, 0, at_once(3)).await);
    assert!(!limit(&stage, 0, at_once(3)).await, "it has them already");

    let first = stage.claim(1, 2).await;
    let second = stage.at(1).claim("w2", LEASE, 9, &[(mail(), 9)]).await.unwrap();
    assert_eq!((names(&first), names(&second)), (vec!["1", "2"], vec!["3"]));
    stage.command(&["DEL", "*q:mail:wake"]).await;
    assert!(stage.claim(2, 9).await.is_empty());
    assert_eq!(tokens(&stage).await, 0, "a full queue calls nobody");

    done(&stage, 3, &first[0]).await;
    assert_eq!(tokens(&stage).await, 1, "the end of a job does");
    assert_eq!(names(&stage.claim(4, 9).await), ["4"]);
    assert!(limit(&stage, 5, QueueLimits::default()).await, "taken away again");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_rate_lets_jobs_start_to_the_millisecond() {
    let stage = Stage::new().await;
    let jobs: Vec<String> = (1..=9).map(|n| n.to_string()).collect();
    given_keyed(&stage, &jobs.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let rate = Rate { jobs: 3, per: Delay::millis(1_000) };
    limit(&stage, 0, QueueLimits { rate: Some(rate), ..QueueLimits::default() }).await;

    assert_eq!(stage.claim(0, 9).await.len(), 3, "what one span allows, at once");
    // A third of a second and no less; 333 ms give 999 of the 1,000 parts of a job.
    for (ms, started) in [(333, 0), (334, 1), (666, 0), (667, 1), (1_000, 1), (1_001, 0)] {
        assert_eq!(stage.claim(ms, 9).await.len(), started, "at {ms}");
    }
    assert_eq!(stage.claim(60_000, 9).await.len(), 3, "nothing is saved up beyond one span");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_rate_counts_from_now_when_a_clock_that_was_ahead_is_right_again() {
    let stage = Stage::new().await;
    let jobs: Vec<String> = (1..=9).map(|n| n.to_string()).collect();
    given_keyed(&stage, &jobs.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let rate = Rate { jobs: 3, per: Delay::millis(1_000) };
    limit(&stage, 0, QueueLimits { rate: Some(rate), ..QueueLimits::default() }).await;
    assert_eq!(stage.claim(36_000_000, 9).await.len(), 3, "all of it, ten hours ahead");

    for (ms, started) in [(0, 0), (333, 0), (334, 1), (1_000, 2), (1_001, 0)] {
        assert_eq!(stage.claim(ms, 9).await.len(), started, "at {ms}");
    }
}

#[tokio::test]
async fn what_has_started_counts_on_when_the_limits_of_a_queue_are_changed() {
    let stage = Stage::new().await;
    let jobs: Vec<String> = (1..=9).map(|n| n.to_string()).collect();
    given_keyed(&stage, &jobs.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let of = |jobs, concurrency| {
        let rate = Some(Rate { jobs, per: Delay::millis(1_000) });
        QueueLimits { rate, concurrency, ..QueueLimits::default() }
    };
    limit(&stage, 0, of(2, None)).await;
    assert_eq!(stage.claim(0, 9).await.len(), 2);

    assert!(limit(&stage, 100, of(2, Some(50))).await);
    for (ms, started) in [(100, 0), (499, 0), (500, 1)] {
        assert_eq!(stage.claim(ms, 9).await.len(), started, "the same rate, at {ms}");
    }
    // Half of what two in a second give is half of what four in a second do.
    assert!(limit(&stage, 1_000, of(4, Some(50))).await);
    for (ms, started) in [(1_000, 2), (1_249, 0), (1_250, 1)] {
        assert_eq!(stage.claim(ms, 9).await.len(), started, "twice the rate, at {ms}");
    }
    stage.assert_sound().await;
}

#[tokio::test]
async fn limits_that_have_changed_since_they_were_seen_stay_as_they_are() {
    let stage = Stage::new().await;
    let set = async |limits: QueueLimits, seen: QueueLimits| {
        stage.at(1).limit_having_seen(&mail(), &ann(), &limits, Some(&seen)).await
    };
    assert!(set(at_once(2), QueueLimits::default()).await.unwrap());
    let before = stage.snapshot().await;

    let late = set(at_once(3), QueueLimits::default()).await;

    assert!(matches!(late, Err(reprieve::Error::SettingChanged { .. })), "{late:?}");
    assert_eq!(stage.snapshot().await, before);
    assert!(!set(at_once(2), QueueLimits::default()).await.unwrap(), "what is there already is no conflict");
    assert!(set(at_once(3), at_once(2)).await.unwrap());
}

#[tokio::test]
async fn a_concurrency_key_runs_so_many_at_once_and_the_others_pass_it() {
    let stage = Stage::new().await;
    given_keyed(&stage, &["a1", "a2", "a3", "b1", "-1"]).await;
    limit(&stage, 0, concurrency_keys(1, false)).await;

    let first = stage.claim(1, 9).await;
    assert_eq!(names(&first), ["a1", "b1", "-1"]);
    assert_eq!(stage.state_of("a2").await, Some(JobState::Ready));
    stage.assert_sound().await;
    let before = stage.snapshot().await;
    assert!(stage.claim(2, 9).await.is_empty());
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new(), "waiting costs nothing");

    done(&stage, 3, &first[0]).await;
    assert_eq!(tokens(&stage).await, 1);
    assert_eq!(names(&stage.claim(4, 9).await), ["a2"], "in its order");
    stage.assert_sound().await;
}

#[tokio::test]
async fn whatever_ends_a_lease_gives_the_slot_back() {
    for end in ["complete", "fail", "fail for good", "release", "recover", "snooze"] {
        let stage = Stage::new().await;
        given_keyed(&stage, &["a1", "a2"]).await;
        limit(&stage, 0, concurrency_keys(1, false)).await;
        let job = stage.claim(1, 9).await.remove(0);
        let store = stage.at(20_000);
        let wait = Delay::days(1);
        match end {
            "complete" => store.complete(&[(job.id, job.token)]).await.map(drop).unwrap(),
            "fail" => store.fail(&job.id, job.token, "no", Some(wait)).await.map(drop).unwrap(),
            "fail for good" => store.fail(&job.id, job.token, "no", None).await.map(drop).unwrap(),
            "snooze" => store.snooze(&job.id, job.token, wait, "", false).await.map(drop).unwrap(),
            "release" => store.release("stop", &[(job.id, job.token)]).await.map(drop).unwrap(),
            _ => store.recover(9, wait, 3).await.map(drop).unwrap(),
        }
        stage.assert_sound().await;
        let next = stage.claim(20_001, 9).await;
        assert_eq!(names(&next), [if end == "release" { "a1" } else { "a2" }], "after {end}");
    }
}

#[tokio::test]
async fn in_an_ordered_queue_a_job_that_is_retried_holds_back_its_concurrency_key() {
    for (end, frees) in [("retried", false), ("dead", true), ("cancelled", true)] {
        let stage = Stage::new().await;
        given_keyed(&stage, &["a1", "a2", "b1"]).await;
        limit(&stage, 0, concurrency_keys(1, true)).await;
        let first = stage.claim(1, 9).await;
        assert_eq!(names(&first), ["a1", "b1"]);

        let wait = (end != "dead").then_some(Delay::millis(100));
        stage.at(2).fail(&id("a1"), first[0].token, "no", wait).await.unwrap();
        if end == "cancelled" {
            stage.at(3).cancel(&id("a1"), &ann()).await.unwrap();
        }
        assert_eq!(names(&stage.claim(4, 9).await), if frees { vec!["a2"] } else { vec![] }, "{end}");
        stage.assert_sound().await;
        if end == "retried" {
            stage.at(102).forward(9, 0).await.unwrap();
            let again = stage.claim(103, 9).await;
            assert_eq!(names(&again), ["a1"], "the first comes first");
            done(&stage, 104, &again[0]).await;
            assert_eq!(names(&stage.claim(105, 9).await), ["a2"]);
        }
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn a_waiting_job_can_be_called_off_and_nobody_waits_for_it() {
    let stage = Stage::new().await;
    given_keyed(&stage, &["a1", "a2", "a3"]).await;
    limit(&stage, 0, concurrency_keys(1, false)).await;
    let job = stage.claim(1, 9).await.remove(0);
    stage.at(2).cancel(&id("a2"), &ann()).await.unwrap();
    stage.assert_sound().await;
    done(&stage, 3, &job).await;
    assert_eq!(names(&stage.claim(4, 9).await), ["a3"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_job_that_was_let_into_its_concurrency_key_and_leaves_before_it_starts_lets_the_next_one_in() {
    for leaving in ["cancelled", "moved to another concurrency key"] {
        let stage = Stage::new().await;
        given_keyed(&stage, &["a1", "a2", "a3"]).await;
        limit(&stage, 0, concurrency_keys(1, false)).await;
        let first = stage.claim(1, 9).await.remove(0);
        done(&stage, 2, &first).await;
        match leaving {
            "cancelled" => drop(stage.at(3).cancel(&id("a2"), &ann()).await.unwrap()),
            "put off" => {
                drop(stage.at(3).reschedule(&id("a2"), &ann(), reprieve::Due::At(t(90_000))).await.unwrap());
            }
            _ => {
                let mut job = plain(60_000);
                job.concurrency_key = Some(ConcurrencyKey::new("b").unwrap());
                job.replace = true;
                stage.enqueue(3, "a2", job).await;
            }
        }
        stage.assert_sound().await;
        assert_eq!(names(&stage.claim(4, 9).await), ["a3"], "after one was {leaving}");
    }
}

#[tokio::test]
async fn a_concurrency_key_limit_that_is_taken_away_leaves_nobody_waiting() {
    let stage = Stage::new().await;
    given_keyed(&stage, &["a1", "a2", "a3", "a4"]).await;
    limit(&stage, 0, concurrency_keys(1, false)).await;
    let job = stage.claim(1, 9).await.remove(0);
    limit(&stage, 2, QueueLimits::default()).await;
    done(&stage, 3, &job).await;
    assert_eq!(names(&stage.claim(4, 9).await), ["a2", "a3", "a4"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn hundreds_of_jobs_of_a_full_concurrency_key_do_not_hold_up_the_one_behind_them() {
    let stage = Stage::new().await;
    let names_of: Vec<String> = (0..300).map(|n| format!("a{n:03}")).chain(["b1".to_owned()]).collect();
    given_keyed(&stage, &names_of.iter().map(String::as_str).collect::<Vec<_>>()).await;
    limit(&stage, 0, concurrency_keys(1, false)).await;
    let mut claimed = Vec::new();
    for round in 0..40 {
        claimed.extend(stage.claim(round, 10).await);
    }
    assert_eq!(names(&claimed), ["a000", "b1"]);
    assert_eq!(tokens(&stage).await, 1, "the first token lies there still; the last claim left none");
    stage.assert_sound().await;
}

#[tokio::test]
async fn the_overview_shows_the_limits_and_who_set_them() {
    let stage = Stage::new().await;
    given_keyed(&stage, &["a1"]).await;
    let limits = QueueLimits {
        concurrency: Some(4),
        rate: Some(Rate { jobs: 10, per: Delay::seconds(1) }),
        concurrency_per_key: Some(2),
        ordered: true,
    };
    limit(&stage, 5, limits).await;
    let queue = stage.redis.engine().inspector().queues().await.unwrap().remove(0);
    let set = queue.limits.unwrap();
    assert_eq!((set.limits, set.at, set.by.as_str()), (limits, t(5), "ann"));
    let job = stage.redis.store().job(&id("a1")).await.unwrap().unwrap().0;
    assert_eq!(job.concurrency_key, Some(ConcurrencyKey::new("a").unwrap()));
}

#[tokio::test]
async fn damaged_limits_and_concurrency_keys_stop_nothing_half_way() {
    for key in ["q:mail:limits", "q:mail:concurrency", "q:mail:concurrency:a"] {
        let stage = Stage::new().await;
        given_keyed(&stage, &["a1", "a2"]).await;
        limit(&stage, 0, concurrency_keys(1, false)).await;
        let damaged = format!("*{key}");
        stage.command(&["DEL", &damaged]).await;
        stage.command(&["SET", &damaged, "damage"]).await;
        let before = stage.snapshot().await;
        match stage.at(1).claim("w1", LEASE, 9, &[(mail(), 9)]).await {
            Ok(claimed) => {
                for job in claimed {
                    done(&stage, 2, &job).await;
                }
            }
            Err(error) => {
                assert_eq!(error.code(), "corrupt_data", "{key}");
                assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new(), "{key}");
            }
        }
    }
    for (field, value) in [
        ("rate", "x"),
        ("period_ms", "nan"),
        ("credit", "-1"),
        ("concurrency_per_key", "1e300"),
        ("concurrency", ""),
    ] {
        let stage = Stage::new().await;
        given_keyed(&stage, &["a1", "a2"]).await;
        let rate = Rate { jobs: 3, per: Delay::millis(1_000) };
        limit(&stage, 0, QueueLimits { rate: Some(rate), concurrency_per_key: Some(1), ..at_once(2) }).await;
        stage.command(&["HSET", "*q:mail:limits", field, value]).await;
        assert!(!stage.claim(1, 9).await.is_empty(), "{field} {value:?} is as good as none");
    }
}
