//! Jobs sent or called off at the same time share a call, and nothing else.

use super::scene::{hold, within};
use reprieve::Error;
use reprieve::model::{Cancelled, Delay, Enqueued, Kind, QueueName, Subject, Version};
use reprieve::testing::{RedisServer, TestRedis};
use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
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
    let mut connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let mut tell = |what: &[&str]| redis::cmd("CLIENT").arg(what).exec(&mut connection).unwrap();
    tell(&["PAUSE", "60000", "WRITE"]);

    let impatient = async {
        let sending = client.enqueue_raw(kind(), "{}").send();
        let gave_up = tokio::time::timeout(Duration::from_millis(50), sending).await;
        tell(&["UNPAUSE"]);
        gave_up
    };
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
        let error = answer.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. } | Error::OutcomeUnknown { .. }), "{error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_called_off_at_the_same_time_are_all_answered_each_with_its_own() {
    let redis = TestRedis::namespace().await;
    let client = redis.engine().client();
    let jobs = (0..200).map(|n| {
        let mut job = reprieve::NewJob::new(kind(), "{}");
        job.id = Some(format!("j{n}").parse().unwrap());
        job.due = reprieve::Due::In(Delay::hours(1));
        job
    });
    client.enqueue_batch(jobs.collect()).await.unwrap();

    let mut cancelling = JoinSet::new();
    // Each of them twice, and some that nobody has heard of.
    for n in 0..220 {
        for _ in 0..2 {
            let client = client.clone();
            let id = format!("j{n}").parse().unwrap();
            cancelling.spawn(async move { (n, client.cancel(&id).because("not needed").await) });
        }
    }

    let (mut now, mut before, mut missing) = (0, 0, 0);
    while let Some(answer) = cancelling.join_next().await {
        match answer.unwrap() {
            (n, Ok(Cancelled::Now(standing))) if standing.id.as_str() == format!("j{n}") => now += 1,
            (n, Ok(Cancelled::AlreadyFinal(standing))) if standing.id.as_str() == format!("j{n}") => {
                before += 1;
            }
            (n, Err(Error::NotFound { id })) if id.as_str() == format!("j{n}") => missing += 1,
            (n, other) => panic!("j{n}: {other:?}"),
        }
    }
    assert_eq!((now, before, missing), (200, 200, 40), "each is called off once");
}

#[tokio::test]
async fn a_job_that_cannot_be_called_off_costs_the_others_nothing() {
    let redis = TestRedis::namespace().await;
    let client = redis.engine().client();
    let send = |id: &'static str| {
        let job = client.enqueue_raw(kind(), "{}").id(id.parse().unwrap()).in_(Delay::hours(1));
        job.subject(Subject::new(id).unwrap()).send()
    };
    for id in ["a", "b", "broken", "c"] {
        send(id).await.unwrap();
    }
    let key = format!("{}subject:broken", redis.prefix());
    redis.command(&["DEL", &key]).await.unwrap();
    redis.command(&["SET", &key, "no set"]).await.unwrap();

    let ids = ["a", "b", "broken", "c"].map(|id| id.parse().unwrap());
    let [first, good, broken, last] = ids.each_ref().map(|id| client.cancel(id).into_future());
    let (first, good, broken, last) = tokio::join!(first, good, broken, last);

    assert!(first.is_ok() && good.is_ok() && last.is_ok(), "{first:?} {good:?} {last:?}");
    assert!(broken.is_err(), "{broken:?}");
}

#[tokio::test]
async fn a_caller_who_saw_another_version_is_told_so_among_others() {
    let redis = TestRedis::namespace().await;
    let client = redis.engine().client();
    for id in ["a", "b", "c"] {
        client.enqueue_raw(kind(), "{}").id(id.parse().unwrap()).in_(Delay::hours(1)).send().await.unwrap();
    }
    let [a, b, c] = ["a", "b", "c"].map(|id| id.parse().unwrap());

    let (first, stale, again) = tokio::join!(
        client.cancel(&a).into_future(),
        client.cancel(&b).seen(Version(9)).into_future(),
        client.cancel(&c).seen(Version(1)).operation("once").into_future()
    );

    assert!(matches!(first, Ok(Cancelled::Now(_))), "{first:?}");
    assert!(matches!(stale, Err(Error::Conflict(_))), "{stale:?}");
    assert!(matches!(again, Ok(Cancelled::Now(_))), "{again:?}");
    let repeated = client.cancel(&c).operation("once").await.unwrap();
    assert!(
        matches!(repeated, Cancelled::Now(_)),
        "a repeated operation gets its first answer: {repeated:?}"
    );
}

#[tokio::test]
async fn a_handler_that_enqueues_and_then_blocks_holds_up_nobody_who_enqueues_with_it() {
    let server = RedisServer::start().unwrap();
    let redis = TestRedis::on(server.url(), "gather".parse().unwrap()).await;
    let client = redis.engine().client();
    let (told, mut tells) = mpsc::unbounded_channel();
    let go = Arc::new(Notify::new());
    let (handlers, goes) = (client.clone(), Arc::clone(&go));
    let (release, block) = hold();
    let worker = redis
        .engine()
        .worker()
        .queue(QueueName::default(), 1)
        .handler_threads(1)
        .handler("blocking", move |_| {
            let (told, client, go) = (told.clone(), handlers.clone(), Arc::clone(&goes));
            let block = block.clone();
            async move {
                told.send("it runs").unwrap();
                go.notified().await;
                let sending = client.enqueue_raw(kind(), "{}").in_(Delay::hours(1)).send();
                let (sent, ()) = tokio::join!(sending, async { told.send("it has asked").unwrap() });
                sent.unwrap();
                // On purpose: it goes on without letting anything else run.
                block();
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    client.enqueue_raw(Kind::new("blocking").unwrap(), "{}").send().await.unwrap();
    assert_eq!(within("the handler to run", tells.recv()).await, Some("it runs"));
    // As long as this lasts its call is under way, and the others gather behind it.
    redis.command(&["CLIENT", "PAUSE", "300", "WRITE"]).await.unwrap();
    go.notify_one();
    assert_eq!(within("the handler to ask", tells.recv()).await, Some("it has asked"));

    let send = || client.enqueue_raw(kind(), "{}").in_(Delay::hours(1)).send();
    let sent = async { tokio::join!(send(), send(), send()) };
    let (first, second, third) = within("sending beside the blocked handler", sent).await;

    assert!(first.is_ok() && second.is_ok() && third.is_ok(), "{first:?} {second:?} {third:?}");
    drop(release);
    worker.shutdown().await;
}

// On one thread all callers have come before the first call is answered.
#[tokio::test]
async fn a_full_redis_is_asked_once_for_all_who_enqueue_together() {
    let server = RedisServer::start().unwrap();
    let redis = TestRedis::on(server.url(), "full".parse().unwrap()).await;
    let client = redis.engine().client();
    client.enqueue_raw(kind(), "{}").send().await.unwrap();
    let calls = async || -> u64 {
        let told = redis.command(&["INFO", "commandstats"]).await.unwrap();
        let text: String = redis::from_redis_value(told).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("cmdstat_fcall:")).unwrap();
        let of = |name: &str| line.split(',').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        ["calls", "rejected_calls"].iter().map(|name| of(name).unwrap().parse::<u64>().unwrap()).sum()
    };
    redis.command(&["CONFIG", "SET", "maxmemory", "1"]).await.unwrap();
    let before = calls().await;

    let send = || client.enqueue_raw(kind(), "{}").send();
    let answers = futures_util::future::join_all((0..100).map(|_| send())).await;

    assert!(answers.iter().all(|answer| matches!(answer, Err(Error::StorageFull))), "{answers:?}");
    let asked = calls().await - before;
    assert!(asked <= 4, "{asked} calls for 100 callers");
    redis.command(&["CONFIG", "SET", "maxmemory", "0"]).await.unwrap();
}
