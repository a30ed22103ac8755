//! `mend`: what other hands have damaged, and no other script would meet.

use super::expect::difference;
use super::seed::{DUE, Stage, ann, full, id, plain, subject};
use reprieve::model::{Delay, JobState};
use reprieve::store::Mended;
use reprieve::testing::Snapshot;
use std::collections::BTreeSet;

const STATES: [JobState; 8] = [
    JobState::Delayed,
    JobState::Held,
    JobState::Ready,
    JobState::Active,
    JobState::Retrying,
    JobState::Done,
    JobState::Dead,
    JobState::Cancelled,
];

/// Makes a whole round. What was put right and what was set aside in it, and in how many steps.
pub(super) async fn round(stage: &Stage, from: i64, keys: u32) -> (u64, u64, usize) {
    let (mut put_right, mut set_aside) = (0, 0);
    for steps in 1..10_000 {
        let step: Mended = stage.at(from + i64::try_from(steps).unwrap()).mend(keys).await.unwrap();
        put_right += step.put_right;
        set_aside += step.set_aside;
        if step.is_round_over {
            return (put_right, set_aside, steps);
        }
    }
    panic!("the round does not end");
}

/// What differs, but for what is counted and what the clock has kept.
fn differs(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    difference(before, after).into_iter().filter(|line| !line[2..].starts_with("meta ")).collect()
}

#[tokio::test]
async fn a_sound_namespace_is_looked_through_and_left_as_it_is() {
    for state in STATES {
        let stage = Stage::new().await;
        let given = stage.given(state).await;
        let before = stage.snapshot().await;
        let (put_right, set_aside, _) = round(&stage, given.now, 100).await;
        assert_eq!((put_right, set_aside), (0, 0), "{state}");
        assert_eq!(differs(&before, &stage.snapshot().await), Vec::<String>::new(), "{state}");
    }
}

#[tokio::test]
async fn whatever_names_a_job_names_it_again() {
    let mut cases = 0;
    for state in STATES {
        let places = [format!("q:mail:{state}"), "subject:resource:4711".to_owned(), "expiring".to_owned()];
        for key in places {
            let stage = Stage::new().await;
            let given = stage.given(state).await;
            let before = stage.snapshot().await;
            let Some(members) = before.get(&key) else { continue };
            for damage in ["ZREM", "ZADD"] {
                if damage == "ZADD" && state == JobState::Active && key.starts_with("q:") {
                    // The end of a lease stands nowhere else: no time is wrong there.
                    continue;
                }
                let member = members[0].split_once(' ').unwrap().1;
                // For all jobs that were done in a millisecond only the entry itself is looked at.
                if damage == "ZADD" && member.contains(' ') {
                    continue;
                }
                let damaged = format!("*{key}");
                let words = if damage == "ZREM" {
                    vec!["ZREM", &damaged, member]
                } else {
                    vec!["ZADD", &damaged, "XX", "77", member]
                };
                stage.command(&words).await;
                assert_ne!(stage.snapshot().await, before, "{key} of a {state} job");
                assert_eq!(round(&stage, given.now, 100).await.0, 1, "{damage} in {key} of a {state} job");
                let mut after = stage.snapshot().await;
                if state == JobState::Active && damage == "ZREM" && key.starts_with("q:") {
                    assert_eq!(after[&key], ["0 a1"], "its lease is over");
                    after.insert(key.clone(), members.clone());
                }
                assert_eq!(
                    differs(&before, &after),
                    Vec::<String>::new(),
                    "{damage} in {key} of a {state} job"
                );
                cases += 1;
            }
        }
    }
    assert_eq!(
        cases,
        8 + 7 + 8 + 8 + 3 + 2,
        "sets, their scores, subjects, their scores, what is kept, its times"
    );
}

#[tokio::test]
async fn a_job_that_no_set_named_runs_although_nobody_else_would_have_met_it() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a1", plain(DUE)).await;
    stage.enqueue(0, "a2", plain(-1)).await;
    stage.command(&["DEL", "*q:mail:delayed", "*q:mail:ready", "*q:mail:wake", "*queues"]).await;
    assert_eq!(stage.at(DUE).forward(9, 0).await.unwrap().moved, 0);
    assert_eq!(round(&stage, DUE, 100).await.0, 3, "two jobs, and the name of the queue they share");
    assert_eq!(stage.at(DUE).forward(9, 0).await.unwrap().moved, 1);
    assert_eq!(stage.claim(DUE, 9).await.len(), 2);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_unique_key_that_was_lost_is_held_again_until_its_time() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a1", full()).await;
    stage.command(&["DEL", "*unique:expiry-4711"]).await;
    let hour = Delay::hours(1).as_millis();
    assert_eq!(round(&stage, hour, 100).await.0, 1);
    let left = stage.seconds_left("*unique:expiry-4711").await;
    assert!((23 * 3_600 - 60..=23 * 3_600).contains(&left), "{left} s");
    assert_eq!(stage.enqueue(hour, "a2", full()).await.word(), "duplicate");
    stage.assert_sound().await;

    stage.command(&["DEL", "*unique:expiry-4711"]).await;
    assert_eq!(round(&stage, 25 * hour, 100).await.0, 0, "its time is over");
}

#[tokio::test]
async fn what_no_record_confirms_is_taken_out() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a1", full()).await;
    let before = stage.snapshot().await;
    for key in ["*q:mail:dead", "*q:sms:delayed", "*subject:another:1", "*expiring"] {
        stage.command(&["ZADD", key, "5", "a1"]).await;
    }
    stage.command(&["SET", "*unique:stuck", "a1"]).await;
    stage.command(&["SET", "*unique:of-nobody", "a9"]).await;
    let (put_right, set_aside, _) = round(&stage, 10, 100).await;
    assert_eq!((put_right, set_aside), (6, 0));
    assert_eq!(differs(&before, &stage.snapshot().await), Vec::<String>::new());
    stage.assert_sound().await;
}

#[tokio::test]
async fn an_id_without_a_record_is_set_aside_once_wherever_it_is_named() {
    let stage = Stage::new().await;
    stage.given(JobState::Dead).await;
    stage.enqueue(0, "b1", plain(DUE)).await;
    stage.command(&["SET", "*job:b1", "no record"]).await;
    stage.command(&["DEL", "*job:a1"]).await;
    // The set, the subject and what is kept name a1; its attempts belong to it. The set names b1, whose record is none.
    let (put_right, set_aside, _) = round(&stage, 2 * DUE, 100).await;
    assert_eq!((put_right, set_aside), (4, 2));
    let after = stage.snapshot().await;
    // The round goes through keys in no order.
    let aside: BTreeSet<&str> =
        after["quarantine"].iter().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
    assert_eq!(aside, ["a1", "b1"].into());
    assert!(after.contains_key("attempts:a1"), "what is left of it is left: {:?}", after.keys());
    let names = ["q:mail:dead", "q:mail:delayed", "expiring"].iter().any(|key| after.contains_key(*key));
    assert!(!names && !after.contains_key(&format!("subject:{}", subject())), "{:?}", after.keys());

    assert_eq!(round(&stage, 3 * DUE, 100).await.1, 0, "a second round counts nobody twice");
    assert_eq!(stage.at(3 * DUE).survey(None).await.unwrap().quarantined, 2);
}

#[tokio::test]
async fn a_round_of_small_steps_comes_to_everything() {
    let stage = Stage::new().await;
    let jobs = 300;
    for n in 0..jobs {
        let mut job = plain(DUE + n);
        job.subject = Some(format!("customer:{}", n % 7).parse().unwrap());
        stage.enqueue(0, &format!("j{n}"), job).await;
    }
    for n in (0..jobs).step_by(10) {
        stage.command(&["ZREM", "*q:mail:delayed", &format!("j{n}")]).await;
        stage.command(&["DEL", &format!("*job:j{}", n + 5)]).await;
    }
    let (put_right, set_aside, steps) = round(&stage, 10, 20).await;
    // Each of the lost records was named by its queue and its subject.
    assert_eq!((put_right, set_aside), (30 + 2 * 30, 30));
    assert!(steps > 20, "{steps}");
    let due = stage.at(2 * DUE).forward(500, 0).await.unwrap();
    assert_eq!(due.moved, 270);
}

#[tokio::test]
async fn a_key_of_another_type_holds_nobody_up() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a1", full()).await;
    stage.enqueue(0, "a2", plain(DUE)).await;
    stage.at(1).cancel(&id("a2"), &ann()).await.unwrap();
    for key in ["*q:mail:delayed", "*subject:resource:4711", "*unique:expiry-4711", "*expiring", "*queues"] {
        stage.command(&["DEL", key]).await;
        stage.command(&["HSET", key, "a", "b"]).await;
    }
    stage.command(&["ZREM", "*q:mail:cancelled", "a2"]).await;
    let before = stage.snapshot().await;
    assert_eq!(round(&stage, 10, 100).await.0, 1);
    let after = stage.snapshot().await;
    assert_eq!(after["q:mail:cancelled"].len(), 1);
    let rest: Vec<String> = differs(&before, &after);
    assert_eq!(rest.len(), 1, "{rest:?}");
}

#[tokio::test]
async fn who_comes_too_early_is_told_to_wait_and_nothing_is_done_while_time_stands_still() {
    let stage = Stage::new().await;
    for n in 0..200 {
        stage.enqueue(0, &format!("j{n}"), plain(DUE)).await;
    }
    let store = stage.redis.store();
    // Sent in one go, and once more where a busy machine let more pass between them than these 30 ms.
    let mut waits = false;
    for _ in 0..10 {
        let (first, other) = tokio::join!(store.mend(5), store.mend(5));
        let (first, other) = (first.unwrap(), other.unwrap());
        assert_eq!((first.again_in, first.is_round_over), (Delay::millis(30), false));
        waits = other.again_in == Delay::seconds(30);
        if waits {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(40)).await;
    }
    assert!(waits, "somebody makes the steps already");
    stage.command(&["ZREM", "*q:mail:delayed", "j1"]).await;
    stage.command(&["HSET", "*meta", "halt", "data_other 1 0"]).await;
    tokio::time::sleep(std::time::Duration::from_millis(40)).await;
    assert_eq!(store.mend(5).await.unwrap().again_in, Delay::seconds(30));
    assert!(!stage.snapshot().await["q:mail:delayed"].iter().any(|line| line.ends_with(" j1")));
}
