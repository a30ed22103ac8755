//! `recover`: leases that ran out, stalls, poison jobs.

use super::seed::{LEASE, Stage, id, plain, t};
use reprieve::model::{AttemptResult, Delay, JobState};
use reprieve::store::{Intent, Note};

const WAIT: Delay = Delay::seconds(1);

#[tokio::test]
async fn a_lease_is_over_after_its_last_millisecond() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(-1)).await;
    stage.claim(0, 1).await;
    assert_eq!(stage.at(LEASE.as_millis()).recover(9, WAIT, 3).await.unwrap(), 0);
    assert_eq!(stage.at(LEASE.as_millis() + 1).recover(9, WAIT, 3).await.unwrap(), 1);
    let job = stage.redis.store().job(&id("a")).await.unwrap().unwrap().0;
    assert_eq!((job.state, job.due), (JobState::Retrying, t(LEASE.as_millis() + 1_001)));
    assert_eq!(job.last_error, "was handed to w1 and never heard of again");
    stage.assert_sound().await;
}

#[tokio::test]
async fn stalls_are_counted_apart_from_attempts_and_the_third_ends_the_job() {
    let stage = Stage::new().await;
    let mut job = plain(-1);
    job.max_attempts = Some(1);
    stage.enqueue(0, "a", job).await;
    for stall in 1..=3_u32 {
        let at = i64::from(stall) * 100_000;
        stage.at(at).forward(9, 0).await.unwrap();
        let claimed = stage.claim(at, 1).await.remove(0);
        assert_eq!(claimed.attempt, 1, "a stall costs no attempt");
        stage.at(at + 4_000).extend(LEASE, &[(id("a"), claimed.token)]).await.unwrap();
        stage.at(at + 20_000).recover(9, WAIT, 3).await.unwrap();
        let (job, attempts, _) = stage.redis.store().job(&id("a")).await.unwrap().unwrap();
        let state = if stall < 3 { JobState::Retrying } else { JobState::Dead };
        assert_eq!((job.state, job.stalls, job.unheard, job.attempt), (state, stall, 0, 0));
        assert_eq!(attempts[0].result, AttemptResult::Stalled);
    }
    let job = stage.redis.store().job(&id("a")).await.unwrap().unwrap().0;
    assert_eq!(job.last_error, "killed its worker 3 times");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_job_whose_worker_was_never_heard_of_killed_nobody_and_ends_after_the_fifth_time() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(-1)).await;
    for time in 1..=5_u32 {
        let at = i64::from(time) * 100_000;
        stage.at(at).forward(9, 0).await.unwrap();
        assert_eq!(stage.claim(at, 1).await.remove(0).attempt, 1, "it costs no attempt");
        stage.at(at + 20_000).recover(9, WAIT, 3).await.unwrap();
        let (job, attempts, _) = stage.redis.store().job(&id("a")).await.unwrap().unwrap();
        let state = if time < 5 { JobState::Retrying } else { JobState::Dead };
        assert_eq!((job.state, job.stalls, job.unheard, job.attempt), (state, 0, time, 0));
        assert_eq!(attempts[0].result, AttemptResult::Unheard);
    }
    let job = stage.redis.store().job(&id("a")).await.unwrap().unwrap().0;
    assert_eq!(job.last_error, "lost 5 times: was handed to w1 and never heard of again");
    stage.at(900_000).retry_now(&id("a"), &Intent::of("ann")).await.unwrap();
    let job = stage.redis.store().job(&id("a")).await.unwrap().unwrap().0;
    assert_eq!((job.state, job.unheard), (JobState::Ready, 0), "a retry begins anew");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_lease_of_which_nothing_was_heard_is_a_stall_where_the_next_worker_dies_too() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(-1)).await;
    for (time, (stalls, unheard)) in [(1, (0, 1)), (2, (2, 0)), (3, (3, 0))] {
        let at = time * 100_000;
        stage.at(at).forward(9, 0).await.unwrap();
        let claimed = stage.claim(at, 1).await.remove(0);
        assert_eq!(claimed.was_lost, time > 1);
        if claimed.was_lost {
            // As a worker does before it calls the handler.
            stage.at(at).extend(LEASE, &[(id("a"), claimed.token)]).await.unwrap();
        }
        stage.at(at + 20_000).recover(9, WAIT, 3).await.unwrap();
        let job = stage.redis.store().job(&id("a")).await.unwrap().unwrap().0;
        assert_eq!((job.stalls, job.unheard), (stalls, unheard));
    }
    let job = stage.redis.store().job(&id("a")).await.unwrap().unwrap().0;
    assert_eq!((job.state, job.last_error.as_str()), (JobState::Dead, "killed its worker 3 times"));
    stage.assert_sound().await;
}

#[tokio::test]
async fn whatever_a_worker_says_it_was_heard_of() {
    for sign in ["extend", "note", "result"] {
        let stage = Stage::new().await;
        stage.enqueue(0, "a", plain(-1)).await;
        let token = stage.claim(0, 1).await[0].token;
        let store = stage.at(1_000);
        match sign {
            "extend" => drop(store.extend(LEASE, &[(id("a"), token)]).await.unwrap()),
            "note" => {
                let mut note = Note::new(id("a"), token);
                note.progress = Some((50, "half".to_owned()));
                store.note(&[note]).await.unwrap();
            }
            _ => drop(store.keep_result(&id("a"), token, b"1").await.unwrap()),
        }
        stage.at(100_000).recover(9, WAIT, 3).await.unwrap();
        let job = stage.redis.store().job(&id("a")).await.unwrap().unwrap().0;
        assert_eq!((job.stalls, job.unheard), (1, 0), "{sign}");
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn what_was_heard_of_one_lease_says_nothing_of_the_next() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(-1)).await;
    let token = stage.claim(0, 1).await[0].token;
    stage.at(1_000).extend(LEASE, &[(id("a"), token)]).await.unwrap();
    stage.at(100_000).recover(9, WAIT, 3).await.unwrap();
    stage.at(200_000).forward(9, 0).await.unwrap();
    stage.claim(200_000, 1).await;
    stage.at(300_000).recover(9, WAIT, 3).await.unwrap();
    let job = stage.redis.store().job(&id("a")).await.unwrap().unwrap().0;
    assert_eq!((job.stalls, job.unheard), (1, 1));
    // A worker that reports was heard of: only what is lost in a row adds up.
    stage.at(400_000).forward(9, 0).await.unwrap();
    let token = stage.claim(400_000, 1).await[0].token;
    stage.at(400_001).fail(&id("a"), token, "no", Some(WAIT)).await.unwrap();
    let job = stage.redis.store().job(&id("a")).await.unwrap().unwrap().0;
    assert_eq!((job.stalls, job.unheard), (1, 0));
    stage.assert_sound().await;
}

#[tokio::test]
async fn recovery_stops_at_its_limit() {
    let stage = Stage::new().await;
    for n in 0..5 {
        stage.enqueue(0, &format!("j{n}"), plain(-1)).await;
    }
    stage.claim(0, 5).await;
    let late = stage.at(60_000);
    assert_eq!(late.recover(3, WAIT, 3).await.unwrap(), 3);
    assert_eq!(late.recover(3, WAIT, 3).await.unwrap(), 2);
    assert_eq!(late.recover(3, WAIT, 3).await.unwrap(), 0);
    stage.assert_sound().await;
}

#[tokio::test]
async fn an_extended_lease_is_not_recovered() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(-1)).await;
    let token = stage.claim(0, 1).await[0].token;
    stage.at(11_000).extend(LEASE, &[(id("a"), token)]).await.unwrap();
    assert_eq!(stage.at(20_000).recover(9, WAIT, 3).await.unwrap(), 0);
    assert_eq!(stage.at(23_001).recover(9, WAIT, 3).await.unwrap(), 1);
}
