//! What may be asked for has limits, and what was started ends with its holder.

use super::scene::{id, job, queue, within};
use reprieve::Error;
use reprieve::model::{BulkVerb, Delay, JobState, QueueName, Version};
use reprieve::testing::TestRedis;
use std::time::Duration;

#[tokio::test]
async fn a_claim_outside_its_limits_is_refused_and_takes_nothing() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    engine.client().enqueue_batch(vec![job("a", "k")]).await.unwrap();
    let claimant = engine.claimant("w");
    let queues = |count: usize| (0..count).map(|n| queue(&format!("q{n}"))).collect::<Vec<_>>();
    let mut with_default = queues(49);
    with_default.push(QueueName::default());
    let lease = Delay::minutes(1);

    for (queues, most, lease) in [
        (queues(0), 1, lease),
        (queues(51), 1, lease),
        (queues(52), 1, lease),
        (with_default.clone(), 0, lease),
        (with_default.clone(), 101, lease),
        (with_default.clone(), 1, Delay::millis(999)),
        (with_default.clone(), 1, Delay::millis(3_600_001)),
    ] {
        let refused = claimant.claim(&queues, most, lease).await;
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{} {most} {lease:?}", queues.len());
    }

    let claimed = claimant.claim(&with_default, 100, Delay::hours(1)).await.unwrap();
    assert_eq!(claimed.iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), ["a"]);
}

#[tokio::test]
async fn the_duties_end_when_their_handle_is_dropped() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let inspector = engine.inspector();
    let forwarders = async |wanted: usize| {
        within("the forwarder to come or go", async {
            while inspector.fleet().await.unwrap().forwarders.len() != wanted {
                tokio::time::sleep(Duration::from_millis(20)).await; // it says so in Redis alone
            }
        })
        .await;
    };
    let duties = engine.maintenance().start();
    forwarders(1).await;

    drop(duties);

    // Its last word, long before its sign of life would be too old.
    forwarders(0).await;
    let mut later = job("later", "k");
    later.due = reprieve::Due::In(Delay::millis(1));
    engine.client().enqueue_batch(vec![later]).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1_200)).await; // longer than a forwarder ever sleeps
    let found = inspector.job(&id("later")).await.unwrap().unwrap().job;
    assert_eq!(found.state, JobState::Delayed);
}

#[tokio::test]
async fn the_duties_write_down_each_minute_and_take_bulk_runs_to_their_end() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let waiting = ["a", "b"].map(|name| {
        let mut new = job(name, "k");
        new.due = reprieve::Due::In(Delay::hours(1));
        new
    });
    engine.client().enqueue_batch(waiting.into()).await.unwrap();
    let operator = engine.operator("ann");
    let both = ["a", "b"].map(|name| (id(name), Version(1)));
    let run = operator.bulk(BulkVerb::Hold).jobs(both.into()).freeze().await.unwrap();
    operator.start_bulk(&run.id, None, "a test").await.unwrap();

    let duties = engine.maintenance().start();

    within("the bulk run to hold both", async {
        for name in ["a", "b"] {
            while engine.inspector().job(&id(name)).await.unwrap().unwrap().job.state != JobState::Held {
                tokio::time::sleep(Duration::from_millis(20)).await; // no event for the end of a step
            }
        }
    })
    .await;
    within("the minute to be written down", async {
        while !redis.snapshot().await.keys().any(|key| key.starts_with("counts:")) {
            tokio::time::sleep(Duration::from_millis(20)).await; // nor for that
        }
    })
    .await;
    duties.shutdown().await;
}

#[tokio::test]
async fn what_stands_for_no_job_any_more_does_not_hold_up_what_is_over() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let key = format!("{}expiring", redis.prefix());
    let members: Vec<String> = (1..=3_000).map(|ended| format!("done default {ended}")).collect();
    let places = members.iter().flat_map(|member| ["1", member.as_str()]);
    let add: Vec<&str> = ["ZADD", key.as_str()].into_iter().chain(places).collect();
    redis.command(&add).await.unwrap();
    // Behind all of those, one that was to be kept until long ago.
    let then = engine.at(engine.now().await.unwrap() - Delay::days(400));
    then.client().enqueue_batch(vec![job("over", "k")]).await.unwrap();
    let claimant = then.claimant("w");
    let claimed = claimant.claim(&[QueueName::default()], 1, Delay::minutes(1)).await.unwrap();
    claimant.complete(&claimed[0].id, claimed[0].token).await.unwrap();
    assert!(engine.inspector().job(&id("over")).await.unwrap().is_some());

    let duties = engine.maintenance().start();

    // A hundred at a time, with a rest of five seconds only after fewer.
    within("what is over to go", async {
        while engine.inspector().job(&id("over")).await.unwrap().is_some() {
            tokio::time::sleep(Duration::from_millis(20)).await; // nothing tells of it
        }
    })
    .await;
    assert!(!redis.snapshot().await.contains_key("expiring"));
    duties.shutdown().await;
}
