//! Jobs sent at the same time share a call, and nothing else.

use reprieve::Error;
use reprieve::model::{Enqueued, Kind, Subject};
use reprieve::testing::{RedisServer, TestRedis};
use std::time::Duration;
use tokio::task::JoinSet;

fn kind() -> Kind {
    Kind::new("notice").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_sent_at_the_same_time_are_all_answered_each_with_its_own() {
    let redis = TestRedis::namespace().await;
    let client = redis.engine().client();

    let mut sending = JoinSet::new();
    for n in 0..300 {
        let client = client.clone();
        sending.spawn(async move {
            let id = format!("j{n}").parse().unwrap();
            (n, client.enqueue_raw(kind(), "{}").id(id).send().await)
        });
    }

    while let Some(sent) = sending.join_next().await {
        let (n, answer) = sent.unwrap();
        let answer = answer.unwrap();
        assert!(matches!(answer, Enqueued::Ready(_)), "{answer:?}");
        assert_eq!(answer.id().as_str(), format!("j{n}"));
    }
}

#[tokio::test]
async fn a_job_that_cannot_be_taken_in_costs_the_others_nothing() {
    let redis = TestRedis::namespace().await;
    let client = redis.engine().client();
    redis.command(&["SET", &format!("{}subject:broken", redis.prefix()), "no set"]).await.unwrap();

    let send = |subject: &'static str| {
        client.enqueue_raw(kind(), "{}").subject(Subject::new(subject).unwrap()).send()
    };
    // The first goes alone; the others gather meanwhile.
    let (first, good, broken, last) = tokio::join!(send("a"), send("b"), send("broken"), send("c"));

    assert!(first.is_ok() && good.is_ok() && last.is_ok(), "{first:?} {good:?} {last:?}");
    assert!(broken.is_err(), "{broken:?}");
}

#[tokio::test]
async fn a_caller_who_gives_up_does_not_stop_those_who_wait_behind_it() {
    let server = RedisServer::start().unwrap();
    let redis = TestRedis::on(server.url(), "gather".parse().unwrap()).await;
    let client = redis.engine().client();
    client.enqueue_raw(kind(), "{}").send().await.unwrap();
    redis.command(&["CLIENT", "PAUSE", "300", "WRITE"]).await.unwrap();

    let impatient = tokio::time::timeout(Duration::from_millis(50), client.enqueue_raw(kind(), "{}").send());
    let (gave_up, second, third) = tokio::join!(
        impatient,
        client.enqueue_raw(kind(), "{}").send(),
        client.enqueue_raw(kind(), "{}").send()
    );

    assert!(gave_up.is_err(), "it was to give up");
    assert!(second.is_ok() && third.is_ok(), "{second:?} {third:?}");
}

#[tokio::test]
async fn without_redis_everyone_is_told_and_nobody_hangs() {
    let mut server = RedisServer::start().unwrap();
    let redis = TestRedis::on(server.url(), "gather".parse().unwrap()).await;
    let client = redis.engine().client();
    server.kill().unwrap();

    let send = || client.enqueue_raw(kind(), "{}").send();
    let (first, second, third) = tokio::join!(send(), send(), send());

    for answer in [first, second, third] {
        assert!(matches!(answer, Err(Error::Unavailable { .. })), "{answer:?}");
    }
}
