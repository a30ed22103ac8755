//! Somebody deletes records and entries of sets at random, while jobs come and run.

use super::scene::{id, job, on, until};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use reprieve::model::{Delay, JobState, Kind, QueueName};
use reprieve::testing::{RedisServer, breaches_beside_events};
use reprieve::{Due, JobContext, NewJob};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const WAITING: usize = 5_000;
/// One in a hundred loses its record, and another one in a hundred an entry that names it.
const DAMAGED: usize = WAITING / 100;

#[tokio::test(flavor = "multi_thread")]
async fn one_job_in_a_hundred_that_lost_its_record_or_its_place_is_found_within_a_minute() {
    let server = RedisServer::start().unwrap();
    let redis = on(&server).await;
    let engine = redis.engine().clone();
    let client = engine.client();
    let jobs = (0..WAITING).map(|n| {
        let mut waiting = job(&format!("j{n}"));
        waiting.due = Due::In(Delay::hours(1));
        waiting.subject = Some(format!("customer:{}", n % 500).parse().unwrap());
        waiting
    });
    let jobs: Vec<NewJob> = jobs.collect();
    for batch in jobs.chunks(500) {
        client.enqueue_batch(batch.to_vec()).await.unwrap();
    }
    let ran = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&ran);
    let worker = engine
        .worker()
        .queue(QueueName::default(), 4)
        .handler("now", move |_: JobContext| {
            counted.fetch_add(1, Ordering::Relaxed);
            async { Ok(()) }
        })
        .start()
        .await
        .unwrap();
    let maintenance = engine.maintenance().start();

    let mut rng = StdRng::seed_from_u64(11);
    let mut order: Vec<usize> = (0..WAITING).collect();
    order.shuffle(&mut rng);
    let prefix = redis.prefix();
    let mut enqueued = 0;
    for pair in order[..2 * DAMAGED].chunks(2) {
        let [lost, unnamed] = [pair[0], pair[1]];
        redis.command(&["DEL", &format!("{prefix}job:j{lost}")]).await.unwrap();
        let set = if rng.random() {
            "q:default:delayed".to_owned()
        } else {
            format!("subject:customer:{}", unnamed % 500)
        };
        redis.command(&["ZREM", &format!("{prefix}{set}"), &format!("j{unnamed}")]).await.unwrap();
        client.enqueue_batch(vec![NewJob::new(Kind::new("now").unwrap(), "{}")]).await.unwrap();
        enqueued += 1;
    }
    let (store, snapshot) = (redis.store(), redis.snapshot().await);
    assert!(!breaches_beside_events(&snapshot).is_empty(), "nothing is wrong yet");
    // What was lost has events and no record; all else is to be as it should be.
    let found = until("to find them", || async {
        let found = store.survey(None).await.unwrap();
        found.quarantined == DAMAGED as u64 && breaches_beside_events(&redis.snapshot().await).is_empty()
    })
    .await;
    println!("found within {found:?}");
    let delayed = store.survey(None).await.unwrap().queues[0].counts.of(JobState::Delayed);
    assert_eq!(delayed, (WAITING - DAMAGED) as u64);
    until("the others to run", || async { ran.load(Ordering::Relaxed) == enqueued }).await;
    worker.shutdown().await;
    maintenance.shutdown().await;

    for (place, n) in order.iter().enumerate() {
        let name = format!("j{n}");
        let is_lost = place < 2 * DAMAGED && place % 2 == 0;
        assert_eq!(store.job(&id(&name)).await.unwrap().is_none(), is_lost, "{name}");
    }
    let aside = &redis.snapshot().await["quarantine"];
    let is_aside = |n: usize| aside.iter().any(|line| line.ends_with(&format!(" j{n}")));
    assert!(order[..2 * DAMAGED].chunks(2).all(|pair| is_aside(pair[0]) && !is_aside(pair[1])));
}
