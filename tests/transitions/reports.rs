//! What workers report: repeats, doubles, stale tokens, attempts.

use super::expect::difference;
use super::seed::{DUE, LEASE, Stage, ann, id, plain, t};
use reprieve::model::{AttemptResult, Delay, JobState, Token};
use reprieve::store::{FailWord, Intent, LeaseWord, ReleaseWord, SnoozeWord};

#[tokio::test]
async fn a_stale_token_cannot_report_once_another_worker_has_the_job() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(-1)).await;
    let stale = stage.claim(0, 1).await[0].token;
    stage.at(13_000).recover(9, Delay::seconds(1), 3).await.unwrap();
    stage.at(14_000).forward(9, 0).await.unwrap();
    let token = stage.claim(14_000, 1).await[0].token;
    assert!(token > stale);
    let before = stage.snapshot().await;

    let store = stage.at(15_000);
    let a = [(id("a"), stale)];
    assert_eq!(store.complete(&a).await.unwrap(), [ReleaseWord::Lost]);
    assert_eq!(store.release("", &a).await.unwrap(), [ReleaseWord::Lost]);
    assert_eq!(store.extend(LEASE, &a).await.unwrap(), [LeaseWord::Lost]);
    assert_eq!(store.fail(&id("a"), stale, "", None).await.unwrap(), FailWord::Lost);
    assert_eq!(store.snooze(&id("a"), stale, LEASE, "", false).await.unwrap(), SnoozeWord::Lost);

    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_repeated_report_gets_the_first_word_even_after_the_job_moved_on() {
    let stage = Stage::new().await;
    for name in ["done", "failed", "snoozed", "released"] {
        stage.enqueue(0, name, plain(-1)).await;
    }
    let jobs = stage.claim(0, 9).await;
    let token = |name: &str| jobs.iter().find(|job| job.id.as_str() == name).unwrap().token;
    let (done, released) = ([(id("done"), token("done"))], [(id("released"), token("released"))]);
    let wait = Some(Delay::seconds(1));
    let report = async |ms| {
        let store = stage.at(ms);
        (
            store.complete(&done).await.unwrap(),
            store.fail(&id("failed"), token("failed"), "no", wait).await.unwrap(),
            store.snooze(&id("snoozed"), token("snoozed"), LEASE, "later", false).await.unwrap(),
            store.release("stop", &released).await.unwrap(),
        )
    };

    let first = report(1).await;
    stage.at(2_000).forward(9, 0).await.unwrap();
    let before = stage.snapshot().await;
    let second = report(2_001).await;

    let expected =
        (vec![ReleaseWord::Done], FailWord::Retrying, SnoozeWord::Delayed, vec![ReleaseWord::Ready]);
    assert_eq!(first, expected);
    assert_eq!(second, expected);
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_batch_of_reports_answers_in_order_and_counts_a_double_once() {
    let stage = Stage::new().await;
    for name in ["a", "b", "c", "d"] {
        stage.enqueue(0, name, plain(-1)).await;
    }
    let jobs = stage.claim(0, 4).await;
    let own = |n: usize| (jobs[n].id.clone(), jobs[n].token);
    let batch = [own(0), (id("nobody"), Token(1)), own(0), (jobs[1].id.clone(), Token(99)), own(1)];

    let words = stage.at(5).complete(&batch).await.unwrap();

    use ReleaseWord::{Done, Lost, Missing, Ready};
    assert_eq!(words, [Done, Missing, Done, Lost, Done]);
    stage.assert_sound().await;

    let words = stage.at(6).release("stop", &[own(2), own(2), own(3), own(0)]).await.unwrap();
    assert_eq!(words, [Ready, Ready, Ready, Done]);
    stage.assert_sound().await;
    let stats = &stage.snapshot().await[&format!("stats:{}", t(0).as_millis())];
    assert!(stats.contains(&"q:mail:done = 2".to_owned()), "{stats:?}");
    assert!(stats.iter().all(|count| count.starts_with("q:mail:")), "by queue alone: {stats:?}");
}

#[tokio::test]
async fn what_was_counted_in_a_minute_is_forgotten_after_eight_days() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(-1)).await;
    let left = stage.seconds_left(&format!("*stats:{}", t(0).as_millis())).await;
    assert!((691_000..=691_200).contains(&left), "{left}");
}

#[tokio::test]
async fn claiming_from_a_queue_named_twice_takes_each_job_once() {
    let stage = Stage::new().await;
    for name in ["a", "b", "c"] {
        stage.enqueue(0, name, plain(-1)).await;
    }
    let mail = super::seed::mail();
    let queues = [(mail.clone(), 2), (mail, 2)];
    let jobs = stage.at(1).claim("w1", LEASE, 4, &queues).await.unwrap();
    let ids: Vec<_> = jobs.iter().map(|job| job.id.as_str().to_owned()).collect();
    assert_eq!(ids, ["a", "b"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn attempts_count_up_and_the_last_failure_is_dead() {
    let stage = Stage::new().await;
    let mut job = plain(-1);
    job.max_attempts = Some(2);
    stage.enqueue(0, "a", job).await;
    for (attempt, word) in [(1, FailWord::Retrying), (2, FailWord::Dead)] {
        let at = i64::from(attempt) * 10_000;
        stage.at(at).forward(9, 0).await.unwrap();
        let claimed = stage.claim(at, 1).await.remove(0);
        assert_eq!(claimed.attempt, attempt);
        let answer = stage.at(at + 1).fail(&id("a"), claimed.token, "no", Some(Delay::seconds(5))).await;
        assert_eq!(answer.unwrap(), word);
    }
    let (job, attempts, _) = stage.redis.store().job(&id("a")).await.unwrap().unwrap();
    assert_eq!((job.attempt, job.last_error.as_str()), (2, "no"));
    assert_eq!(attempts.iter().map(|attempt| attempt.number).collect::<Vec<_>>(), [2, 1]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn unlimited_attempts_never_run_out() {
    let stage = Stage::new().await;
    let mut job = plain(-1);
    job.max_attempts = None;
    stage.enqueue(0, "a", job).await;
    for attempt in 1..=30 {
        let at = i64::from(attempt) * 1_000;
        stage.at(at).forward(9, 0).await.unwrap();
        let claimed = stage.claim(at, 1).await.remove(0);
        assert_eq!((claimed.attempt, claimed.max_attempts), (attempt, None));
        stage.at(at).fail(&id("a"), claimed.token, "no", Some(Delay::millis(1))).await.unwrap();
    }
    let attempts = stage.redis.store().job(&id("a")).await.unwrap().unwrap().1;
    assert_eq!(attempts.len(), 20, "older attempts fall off");
    stage.assert_sound().await;
}

#[tokio::test]
async fn snooze_and_release_give_the_attempt_back() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(-1)).await;
    stage.enqueue(0, "b", plain(-1)).await;
    let jobs = stage.claim(1, 2).await;
    stage.at(2).snooze(&id("a"), jobs[0].token, Delay::seconds(5), "not yet", false).await.unwrap();
    stage.at(3).release("stop", &[(id("b"), jobs[1].token)]).await.unwrap();
    for (name, result) in [("a", AttemptResult::Snoozed), ("b", AttemptResult::Released)] {
        let (job, attempts, _) = stage.redis.store().job(&id(name)).await.unwrap().unwrap();
        assert_eq!((job.attempt, attempts[0].result), (0, result));
    }
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_job_that_its_workers_take_back_without_end_is_dead_at_last_and_says_why() {
    for (way, why) in [("snooze", "not yet"), ("parked", "no handler"), ("release", "stop")] {
        let stage = Stage::new().await;
        let mut unlimited = plain(-1);
        unlimited.max_attempts = None;
        stage.enqueue(0, "a", plain(-1)).await;
        stage.enqueue(0, "b", unlimited).await;
        for name in ["a", "b"] {
            stage.redis.damage(name, "taken_back", "9999").await;
        }
        for claimed in stage.claim(1, 2).await {
            let (store, job) = (stage.at(2), (claimed.id.clone(), claimed.token));
            for _ in 0..2 {
                match way {
                    "release" => drop(store.release(why, std::slice::from_ref(&job)).await.unwrap()),
                    _ => drop(store.snooze(&job.0, job.1, LEASE, why, way == "parked").await.unwrap()),
                }
            }
        }

        let store = stage.redis.store();
        let dead = store.job(&id("a")).await.unwrap().unwrap().0;
        let live = store.job(&id("b")).await.unwrap().unwrap().0;
        assert_eq!((dead.state, live.state.is_final()), (JobState::Dead, false), "{way}");
        let told = &dead.last_error;
        assert!(told.contains("10000 times") && told.ends_with(why), "{way}: {told}");
        stage.at(3).retry_now(&id("a"), &ann()).await.unwrap();
        stage.at(4).release("stop", &[(id("a"), stage.claim(4, 1).await[0].token)]).await.unwrap();
        let again = store.job(&id("a")).await.unwrap().unwrap().0;
        assert_eq!(again.state, JobState::Ready, "{way}: a person's retry counts anew");
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn a_parked_job_says_why_and_is_counted() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(-1)).await;
    let token = stage.claim(0, 1).await[0].token;
    stage
        .at(1)
        .snooze(&id("a"), token, Delay::seconds(60), "no handler for kind notice", true)
        .await
        .unwrap();
    let job = stage.redis.store().job(&id("a")).await.unwrap().unwrap().0;
    assert_eq!((job.state, job.last_error.as_str()), (JobState::Delayed, "no handler for kind notice"));
    let stats = &stage.snapshot().await[&format!("stats:{}", t(0).as_millis())];
    assert!(stats.contains(&"q:mail:parked = 1".to_owned()), "{stats:?}");
}

#[tokio::test]
async fn a_job_asked_to_stop_ends_as_its_worker_reports_and_by_whom_asked() {
    for (report, state) in [
        ("complete", JobState::Done),
        ("fail", JobState::Cancelled),
        ("snooze", JobState::Cancelled),
        ("release", JobState::Cancelled),
        ("recover", JobState::Cancelled),
    ] {
        let stage = Stage::new().await;
        let given = stage.given(JobState::Active).await;
        let token = given.token.unwrap();
        stage.at(given.now).cancel(&given.id, &ann()).await.unwrap();
        let one = [(given.id.clone(), token)];
        assert_eq!(stage.at(given.now).extend(LEASE, &one).await.unwrap(), [LeaseWord::Cancel]);

        let store = stage.at(DUE + 60_000);
        match report {
            "complete" => store.complete(&one).await.map(drop).unwrap(),
            "fail" => store.fail(&given.id, token, "stopped", Some(LEASE)).await.map(drop).unwrap(),
            "snooze" => store.snooze(&given.id, token, LEASE, "later", false).await.map(drop).unwrap(),
            "release" => store.release("stop", &one).await.map(drop).unwrap(),
            _ => store.recover(9, LEASE, 3).await.map(drop).unwrap(),
        }

        let (job, _, history) = stage.redis.store().job(&given.id).await.unwrap().unwrap();
        assert_eq!(job.state, state, "{report}");
        let from = (state == JobState::Cancelled).then_some(JobState::Active);
        assert_eq!((job.cancelled_from, job.cancel_requested), (from, None), "{report}");
        if from.is_some() {
            assert_eq!((job.by.as_str(), job.why.as_str()), ("ann", "the customer called"), "{report}");
            let told: Vec<_> =
                history.iter().map(|step| (step.from, step.to, step.by.as_str())).take(2).collect();
            let reporter = if report == "recover" { "recoverer" } else { "worker:w1" };
            let stopped = (Some(JobState::Active), JobState::Cancelled, reporter);
            assert_eq!(told, [stopped, (Some(JobState::Active), JobState::Active, "ann")], "{report}");
            // Put back and called off by somebody else, it is theirs.
            store.reinstate(&given.id, &Intent::of("bob"), Some(t(9 * DUE))).await.unwrap();
            let job = stage.redis.store().job(&given.id).await.unwrap().unwrap().0;
            assert_eq!(
                (job.state, job.by.as_str(), job.why.as_str()),
                (JobState::Delayed, "bob", ""),
                "{report}"
            );
        }
        stage.assert_sound().await;
    }
}
