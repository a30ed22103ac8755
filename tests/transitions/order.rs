//! Which job comes next: bands, first in first out, pauses, batch limits, wake tokens.

use super::expect::difference;
use super::seed::{LEASE, Stage, ann, id, mail, plain, t};
use reprieve::Due;
use reprieve::model::{Delay, JobState, Priority, QueueName};

async fn order(stage: &Stage, ms: i64) -> Vec<String> {
    stage.claim(ms, 100).await.iter().map(|job| job.id.as_str().to_owned()).collect()
}

#[tokio::test]
async fn lower_priorities_run_first_and_inside_one_the_first_in_is_first_out() {
    let stage = Stage::new().await;
    for (name, priority) in [("z9", 9), ("b5", 5), ("a5", 5), ("y0", 0), ("x0", 0), ("c5", 5)] {
        let mut job = plain(-1);
        job.priority = Priority::new(priority).unwrap();
        stage.enqueue(0, name, job).await;
    }
    assert_eq!(order(&stage, 1).await, ["y0", "x0", "b5", "a5", "c5", "z9"]);
}

#[tokio::test]
async fn a_released_job_gets_its_old_place_back() {
    let stage = Stage::new().await;
    for name in ["a", "b", "c"] {
        stage.enqueue(0, name, plain(-1)).await;
    }
    let first = stage.claim(1, 1).await.remove(0);
    stage.at(2).release("stop", &[(first.id, first.token)]).await.unwrap();
    assert_eq!(order(&stage, 3).await, ["a", "b", "c"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn jobs_due_together_become_ready_in_the_order_of_their_ids() {
    let stage = Stage::new().await;
    for name in ["c", "a", "b"] {
        stage.enqueue(0, name, plain(50)).await;
    }
    stage.at(50).forward(10, 0).await.unwrap();
    assert_eq!(order(&stage, 51).await, ["a", "b", "c"]);
}

#[tokio::test]
async fn jobs_become_ready_in_the_order_of_their_due_times_whatever_else_they_have() {
    let stage = Stage::new().await;
    stage.enqueue(0, "retried", plain(-1)).await;
    let failed = stage.claim(1, 1).await.remove(0);
    stage.at(2).fail(&failed.id, failed.token, "no", Some(Delay::millis(28))).await.unwrap();
    for (name, due, tag) in [("plain-40", 40, None), ("tagged-20", 20, Some("x")), ("plain-10", 10, None)] {
        let mut job = plain(due);
        job.tags = tag.iter().map(|tag| tag.parse().unwrap()).collect();
        stage.enqueue(3, name, job).await;
    }
    stage.at(50).forward(10, 0).await.unwrap();
    assert_eq!(order(&stage, 51).await, ["plain-10", "tagged-20", "retried", "plain-40"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn claim_takes_so_many_of_each_queue_and_so_many_in_all_in_the_order_named() {
    let stage = Stage::new().await;
    let other = QueueName::new("other").unwrap();
    for n in 0..5 {
        stage.enqueue(0, &format!("m{n}"), plain(-1)).await;
        let mut job = plain(-1);
        job.queue = other.clone();
        stage.enqueue(0, &format!("o{n}"), job).await;
    }
    let queues = [(other, 2), (mail(), 5)];
    let claimed = stage.at(1).claim("w1", LEASE, 4, &queues).await.unwrap();
    let ids: Vec<_> = claimed.iter().map(|job| job.id.as_str().to_owned()).collect();
    assert_eq!(ids, ["o0", "o1", "m0", "m1"]);
    assert!(claimed.iter().all(|job| job.lease_until == t(1) + LEASE));
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_paused_queue_yields_nothing_until_it_is_resumed() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(-1)).await;
    stage.enqueue(0, "b", plain(100)).await;
    assert!(stage.at(1).pause(&mail(), &ann()).await.unwrap());
    let before = stage.snapshot().await;
    assert!(!stage.at(2).pause(&mail(), &ann()).await.unwrap(), "it was paused already");
    assert!(stage.claim(3, 9).await.is_empty());
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    assert_eq!(stage.at(100).forward(9, 0).await.unwrap().moved, 1, "what is due still becomes ready");

    assert!(stage.at(101).resume(&mail(), &ann()).await.unwrap());
    let before = stage.snapshot().await;
    assert!(!stage.at(102).resume(&mail(), &ann()).await.unwrap(), "it was not paused");
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    assert_eq!(order(&stage, 103).await, ["a", "b"]);
}

#[tokio::test]
async fn forwarding_stops_at_the_batch_limit_and_tells_the_next_due_time() {
    let stage = Stage::new().await;
    for n in 0..7 {
        stage.enqueue(0, &format!("j{n}"), plain(100 + n)).await;
    }
    let store = stage.at(110);
    let first = store.forward(5, 0).await.unwrap();
    assert_eq!((first.moved, first.next_due, first.now), (5, Some(t(105)), t(110)));
    let second = store.forward(5, 0).await.unwrap();
    assert_eq!((second.moved, second.next_due), (2, None));
    stage.assert_sound().await;
}

#[tokio::test]
async fn forwarding_is_never_a_millisecond_early() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(1_000)).await;
    assert_eq!(stage.at(999).forward(9, 0).await.unwrap().moved, 0);
    assert_eq!(stage.state_of("a").await, Some(JobState::Delayed));
    assert_eq!(stage.at(1_000).forward(9, 0).await.unwrap().moved, 1);
}

#[tokio::test]
async fn the_turn_decides_which_queue_is_forwarded_first() {
    let stage = Stage::new().await;
    for name in ["one", "two"] {
        let mut job = plain(10);
        job.queue = QueueName::new(name).unwrap();
        stage.enqueue(0, name, job).await;
    }
    stage.at(10).forward(1, 0).await.unwrap();
    let first = stage.state_of("one").await == Some(JobState::Ready);
    stage.at(10).forward(1, 1).await.unwrap();
    assert_eq!(stage.state_of("one").await, Some(JobState::Ready));
    assert_eq!(stage.state_of("two").await, Some(JobState::Ready));

    let other = Stage::new().await;
    for name in ["one", "two"] {
        let mut job = plain(10);
        job.queue = QueueName::new(name).unwrap();
        other.enqueue(0, name, job).await;
    }
    other.at(10).forward(1, 1).await.unwrap();
    assert_ne!(other.state_of("one").await == Some(JobState::Ready), first, "another turn, another queue");
}

#[tokio::test]
async fn a_token_calls_the_forwarder_for_what_is_due_before_it_looks_again() {
    let stage = Stage::new().await;
    let take = async || {
        let tokens = stage.snapshot().await.get("due:wake").map_or(0, Vec::len);
        stage.command(&["DEL", "*due:wake"]).await;
        tokens
    };
    stage.enqueue(0, "before", plain(700)).await;
    assert_eq!(take().await, 0, "nobody has looked yet");
    stage.at(0).forward(9, 0).await.unwrap();

    stage.enqueue(1, "later", plain(700)).await;
    assert_eq!(take().await, 0, "it looks by then");
    for name in ["sooner", "soonest"] {
        stage.enqueue(2, name, plain(300)).await;
    }
    assert_eq!(take().await, 1);

    stage.at(3).forward(9, 0).await.unwrap();
    stage.enqueue(4, "at-its-time", plain(300)).await;
    assert_eq!(take().await, 0, "it knows of that time");
    stage.at(5).reschedule(&id("later"), &ann(), Due::At(t(200))).await.unwrap();
    assert_eq!(take().await, 1, "a job that was put forward");

    for name in ["before", "later", "sooner", "soonest", "at-its-time"] {
        stage.at(6).cancel(&id(name), &ann()).await.unwrap();
    }
    // It looks for what is no longer there, and then a second later.
    assert_eq!(stage.at(300).forward(9, 0).await.unwrap().next_due, None);
    stage.enqueue(301, "a-second-later", plain(1_300)).await;
    assert_eq!(take().await, 0);
    stage.enqueue(301, "within-that", plain(1_299)).await;
    assert_eq!(take().await, 1);
}

#[tokio::test]
async fn at_most_one_wake_token_lies_in_a_queue_and_claim_leaves_one_while_jobs_remain() {
    let stage = Stage::new().await;
    for n in 0..4 {
        stage.enqueue(0, &format!("j{n}"), plain(-1)).await;
    }
    let tokens = async || stage.snapshot().await.get("q:mail:wake").map_or(0, Vec::len);
    assert_eq!(tokens().await, 1);
    stage.command(&["DEL", "*q:mail:wake"]).await;
    stage.claim(1, 3).await;
    assert_eq!(tokens().await, 1, "one job remains");
    stage.command(&["DEL", "*q:mail:wake"]).await;
    stage.claim(2, 3).await;
    assert_eq!(tokens().await, 0, "none remains");
}

#[tokio::test]
async fn a_job_that_retries_waits_its_full_wait() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(-1)).await;
    let token = stage.claim(0, 1).await[0].token;
    stage.at(10).fail(&id("a"), token, "no", Some(Delay::millis(90))).await.unwrap();
    assert_eq!(stage.at(99).forward(9, 0).await.unwrap().moved, 0);
    assert_eq!(stage.at(100).forward(9, 0).await.unwrap().moved, 1);
}
