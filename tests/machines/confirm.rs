//! Confirmed writes: what a person does is answered once a replica has it, or with the word that none had.

use crate::machines::ports::TIMEOUT;
use crate::machines::replicas::pair;
use reprieve::model::{Cancelled, Delay, JobId, Kind};
use reprieve::{Due, Engine, EngineConfig, NewJob};
use std::time::Instant;

/// Takes a job in, calls it off, and returns how many replicas had that when it was answered.
async fn call_off(engine: &Engine, name: &str) -> Option<u32> {
    let id = JobId::new(name).unwrap();
    let mut job = NewJob::new(Kind::new("notice").unwrap(), "{}");
    job.id = Some(id.clone());
    job.due = Due::In(Delay::hours(1));
    engine.client().enqueue_batch(vec![job]).await.unwrap();
    let began = Instant::now();
    let outcome = tokio::time::timeout(TIMEOUT, engine.operator("ann").cancel(&id)).await;
    let Cancelled::Now(standing) = outcome.expect("an answer in bounded time").unwrap() else {
        panic!("{name} is called off at once")
    };
    println!("{name}: {:?} replicas, after {:?}", standing.replicas, began.elapsed());
    standing.replicas
}

/// Calls jobs off until an answer says that the replica has it: on a busy machine one may take longer than is waited for.
async fn is_confirmed_in_the_end(engine: &Engine, name: &str) -> bool {
    for number in 0..20 {
        match call_off(engine, &format!("{name}-{number}")).await {
            Some(0) => {}
            confirmed => return confirmed == Some(1),
        }
    }
    false
}

#[tokio::test]
async fn an_answer_says_how_many_replicas_have_what_a_person_did() {
    let (master, replica) = tokio::task::spawn_blocking(pair).await.unwrap();
    let plain = Engine::connect(EngineConfig::new(master.url())).await.unwrap();
    let confirmed = Engine::connect(EngineConfig::new(master.url()).confirm_replicas(1)).await.unwrap();
    assert_eq!(call_off(&plain, "plain").await, None, "nobody asked");
    assert!(is_confirmed_in_the_end(&confirmed, "followed").await);

    // The replica hangs with its connection open: the master cannot tell that from a slow one.
    replica.signal("-STOP");
    assert_eq!(
        call_off(&confirmed, "alone").await,
        Some(0),
        "the change is made, and the answer says by whom"
    );
    assert_eq!(call_off(&plain, "unasked").await, None);
    replica.signal("-CONT");
    assert!(is_confirmed_in_the_end(&confirmed, "caught-up").await);

    let health = confirmed.inspector().overview().await.unwrap().redis;
    let durability = health.durability.to_string();
    assert!(durability.contains("1 replica, which may lag"), "{durability}");
    assert!(durability.ends_with("what people do is confirmed by 1 replica"), "{durability}");
}
