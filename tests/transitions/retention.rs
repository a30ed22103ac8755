//! How long ended jobs stay, and what is left of them afterwards.

use super::expect::difference;
use super::seed::{DUE, Stage, ann, full, id, plain, t};
use reprieve::model::{Delay, JobState};

async fn kept_until(stage: &Stage) -> i64 {
    let job = stage.redis.store().job(&id("a1")).await.unwrap().unwrap().0;
    job.kept_until.unwrap().millis_since(t(0))
}

#[tokio::test]
async fn each_way_to_end_has_its_own_retention() {
    let day = Delay::days(1).as_millis();
    let ended = DUE + 2_000;
    for (state, expected) in [
        (JobState::Done, ended + 7 * day),
        (JobState::Dead, ended + 90 * day),
        (JobState::Cancelled, 1_000 + 30 * day),
    ] {
        let stage = Stage::new().await;
        stage.given(state).await;
        assert_eq!(kept_until(&stage).await, expected, "{state}");
        assert_eq!(stage.at(expected - 1).purge(9).await.unwrap(), 0, "{state}");
        assert_eq!(stage.at(expected).purge(9).await.unwrap(), 1, "{state}");
    }
}

#[tokio::test]
async fn a_cancelled_job_stays_until_it_could_have_run_and_a_day_longer() {
    let stage = Stage::new().await;
    let due = Delay::days(300).as_millis();
    stage.enqueue(0, "a1", plain(due)).await;
    stage.at(1_000).cancel(&id("a1"), &ann()).await.unwrap();
    assert_eq!(kept_until(&stage).await, due + Delay::days(1).as_millis());
}

#[tokio::test]
async fn a_jobs_own_retention_counts_but_a_cancelled_one_can_still_be_put_back() {
    let stage = Stage::new().await;
    let mut job = plain(-1);
    job.retention = Some(Delay::millis(50));
    stage.enqueue(0, "a1", job).await;
    let token = stage.claim(0, 1).await[0].token;
    stage.at(10).complete(&[(id("a1"), token)]).await.unwrap();
    assert_eq!(kept_until(&stage).await, 60);

    let stage = Stage::new().await;
    let mut job = plain(DUE);
    job.retention = Some(Delay::millis(50));
    stage.enqueue(0, "a1", job).await;
    stage.at(10).cancel(&id("a1"), &ann()).await.unwrap();
    assert_eq!(kept_until(&stage).await, DUE + Delay::days(1).as_millis());
}

#[tokio::test]
async fn purge_leaves_nothing_of_a_job_but_its_events() {
    let stage = Stage::new().await;
    let empty = stage.snapshot().await;
    for state in [JobState::Done, JobState::Dead, JobState::Cancelled] {
        stage.given(state).await;
        stage.at(Delay::days(400).as_millis()).purge(9).await.unwrap();
        let left: Vec<_> = difference(&empty, &stage.snapshot().await)
            .into_iter()
            .filter(|line| {
                !["+ events", "+ audit", "+ stats:", "+ sequence", "+ queues", "+ meta", "+ q:mail:wake"]
                    .iter()
                    .any(|key| line.starts_with(key))
            })
            .collect();
        assert_eq!(left, Vec::<String>::new(), "after a {state} job");
    }
    stage.assert_sound().await;
}

#[tokio::test]
async fn purge_stops_at_its_limit() {
    let stage = Stage::new().await;
    for n in 0..5 {
        stage.enqueue(0, &format!("j{n}"), plain(DUE)).await;
        stage.at(1).cancel(&id(&format!("j{n}")), &ann()).await.unwrap();
    }
    let late = stage.at(Delay::days(400).as_millis());
    assert_eq!(
        [late.purge(3).await.unwrap(), late.purge(3).await.unwrap(), late.purge(3).await.unwrap()],
        [3, 2, 0]
    );
}

#[tokio::test]
async fn a_job_that_came_back_to_life_is_not_purged() {
    let stage = Stage::new().await;
    stage.given(JobState::Dead).await;
    stage.at(2 * DUE).retry_now(&id("a1"), &ann()).await.unwrap();
    assert_eq!(stage.at(Delay::days(400).as_millis()).purge(9).await.unwrap(), 0);
    assert_eq!(stage.enqueue(2 * DUE, "again", full()).await.word(), "duplicate", "it holds its key again");
    stage.assert_sound().await;
}
