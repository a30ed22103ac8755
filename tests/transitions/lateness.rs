//! Jobs that may start only so late: judged when they are forwarded and when they are claimed.

use super::seed::{Stage, ann, id, mail, plain, t};
use reprieve::model::{Delay, JobState, Kind, KindRule, Window};
use reprieve::{Error, LatePolicy, Lateness, NewJob};

fn at_most(ms: i64, policy: LatePolicy) -> NewJob {
    let mut job = plain(1_000);
    job.lateness = Some(Lateness { most: Delay::millis(ms), policy });
    job
}

#[tokio::test]
async fn a_job_that_is_forwarded_too_late_goes_where_its_policy_says() {
    for (policy, state) in [
        (LatePolicy::Run, JobState::Ready),
        (LatePolicy::Skip, JobState::Cancelled),
        (LatePolicy::Dead, JobState::Dead),
    ] {
        let stage = Stage::new().await;
        stage.enqueue(0, "in-time", at_most(500, policy)).await;
        stage.at(1_500).forward(9, 0).await.unwrap();
        assert_eq!(stage.state_of("in-time").await, Some(JobState::Ready), "{policy:?}");
        stage.enqueue(0, "late", at_most(500, policy)).await;
        stage.at(1_501).forward(9, 0).await.unwrap();

        let (job, ..) = stage.redis.store().job(&id("late")).await.unwrap().unwrap();
        assert_eq!(job.state, state, "{policy:?}");
        if state != JobState::Ready {
            assert_eq!(job.why, "expired: 501 ms late, at most 500 are allowed");
        }
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn a_job_that_waited_too_long_for_a_worker_is_not_started() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", at_most(500, LatePolicy::Skip)).await;
    stage.enqueue(0, "b", plain(1_000)).await;
    stage.at(1_000).forward(9, 0).await.unwrap();

    let claimed = stage.claim(2_000, 9).await;

    assert_eq!(claimed.iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(stage.state_of("a").await, Some(JobState::Cancelled));
    let minutes = stage.at(2_000).stats(Some(&mail()), 1).await.unwrap();
    assert_eq!((minutes[0].expired, minutes[0].cancelled, minutes[0].started), (1, 1, 1));
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_later_attempt_is_late_by_its_own_time() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", at_most(500, LatePolicy::Dead)).await;
    stage.at(1_000).forward(9, 0).await.unwrap();
    let token = stage.claim(1_000, 1).await[0].token;
    stage.at(1_100).fail(&id("a"), token, "no", Some(Delay::millis(5_000))).await.unwrap();
    stage.at(6_500).forward(9, 0).await.unwrap();
    assert_eq!(stage.claim(6_600, 1).await.len(), 1);
    stage.assert_sound().await;
}

#[tokio::test]
async fn an_expired_job_can_be_put_back_at_another_time() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", at_most(500, LatePolicy::Skip)).await;
    stage.at(9_000).forward(9, 0).await.unwrap();
    stage.at(9_001).retry_now(&id("a"), &ann()).await.unwrap();
    assert_eq!(stage.claim(9_100, 1).await.len(), 1);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_rule_of_its_kind_holds_for_jobs_that_do_not_say_themselves() {
    let stage = Stage::new().await;
    let ann = |ms| stage.redis.operator_at(t(ms), "ann");
    let late = Lateness { most: Delay::millis(500), policy: LatePolicy::Dead };
    let rule = |lateness| KindRule::new(plain(0).kind, None, lateness, Vec::new());
    stage.enqueue(0, "by-rule", plain(1_000)).await;
    stage.enqueue(0, "by-itself", at_most(500, LatePolicy::Run)).await;

    assert!(ann(10).set_rule(&rule(Some(late)), "a report of yesterday helps nobody").await.unwrap());
    assert!(!ann(11).set_rule(&rule(Some(late)), "").await.unwrap());
    stage.at(1_501).forward(9, 0).await.unwrap();

    let (job, ..) = stage.redis.store().job(&id("by-rule")).await.unwrap().unwrap();
    assert_eq!(
        (job.state, job.why.as_str()),
        (JobState::Dead, "expired: 501 ms late, at most 500 are allowed")
    );
    assert_eq!(stage.state_of("by-itself").await, Some(JobState::Ready));
    assert!(ann(1_502).set_rule(&rule(None), "").await.unwrap());
    assert_eq!(stage.redis.engine().inspector().rules().await.unwrap(), []);
    stage.enqueue(0, "free", plain(1_000)).await;
    stage.at(9_000).forward(9, 0).await.unwrap();
    assert_eq!(stage.state_of("free").await, Some(JobState::Ready));
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_rule_takes_the_place_of_the_one_before_with_its_window_and_its_lateness() {
    let stage = Stage::new().await;
    let ann = stage.redis.operator_at(t(0), "ann");
    let rules = async || stage.redis.engine().inspector().rules().await.unwrap();
    let window = Window::daily("UTC", 480, 1_260);
    let late = Some(Lateness { most: Delay::hours(1), policy: LatePolicy::Skip });
    let rule = |window, lateness| KindRule::new(plain(0).kind, window, lateness, Vec::new());

    ann.set_rule(&rule(Some(window.clone()), late), "").await.unwrap();
    let both = &rules().await[0];
    assert_eq!((both.window.as_ref(), both.lateness, both.open.len()), (Some(&window), late, 16));

    ann.set_rule(&rule(None, late), "").await.unwrap();
    assert_eq!(rules().await, [rule(None, late)]);
    // Without a window nothing waits for an opening.
    stage.enqueue(1, "now", plain(0)).await;
    assert_eq!(stage.claim(1, 9).await.len(), 1);

    assert!(ann.set_rule(&rule(None, None), "").await.unwrap());
    assert_eq!(rules().await, []);
}

#[tokio::test]
async fn a_namespace_has_two_hundred_rules_and_no_more() {
    let stage = Stage::new().await;
    let ann = stage.redis.operator_at(t(0), "ann");
    let rule = |n: usize| KindRule::new(Kind::new(format!("k{n}")).unwrap(), None, None, Vec::new());
    for n in 0..200 {
        assert!(ann.set_rule(&rule(n).protected(true), "").await.unwrap());
    }

    let refused = ann.set_rule(&rule(200).protected(true), "").await;

    assert!(matches!(&refused, Err(Error::Invalid { field: "kind", .. })), "{refused:?}");
    let mut late = rule(7);
    late.lateness = Some(Lateness { most: Delay::hours(1), policy: LatePolicy::Skip });
    assert!(ann.set_rule(&late, "").await.unwrap(), "those that are there change");
    assert!(ann.set_rule(&rule(0), "").await.unwrap());
    assert!(ann.set_rule(&rule(200).protected(true), "").await.unwrap(), "there is room again");
}
