//! One delayed job through the whole engine.

use reprieve::model::{Cancelled, Delay, Enqueued, JobState, Kind, QueueName, Reinstated};
use reprieve::testing::TestRedis;
use std::time::Duration;

#[tokio::test]
async fn a_job_is_enqueued_called_off_put_back_and_run_at_its_time() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let client = engine.client();
    let operator = engine.operator("ann");
    let (ran, mut runs) = tokio::sync::mpsc::unbounded_channel();

    let enqueued =
        client.enqueue_raw(Kind::new("delete").unwrap(), "{}").in_(Delay::seconds(2)).send().await.unwrap();
    let Enqueued::Delayed(before) = enqueued else { panic!("{enqueued:?}") };

    let cancelled = operator.cancel(&before.id).seen(before.version).because("renewed").await.unwrap();
    assert_eq!(cancelled.word(), "cancelled");
    assert!(matches!(cancelled, Cancelled::Now(_)));
    let reinstated = operator.reinstate(&before.id).await.unwrap();
    assert!(matches!(&reinstated, Reinstated::Delayed(after) if after.due == before.due), "{reinstated:?}");

    let maintenance = engine.maintenance().start();
    let worker = engine
        .worker()
        .queue(QueueName::default(), 4)
        .handler("delete", move |context| {
            let ran = ran.clone();
            async move {
                ran.send(context.due()).unwrap();
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    let due = tokio::time::timeout(Duration::from_secs(60), runs.recv()).await.unwrap().unwrap();
    assert_eq!(due, before.due);
    worker.shutdown().await;
    maintenance.shutdown().await;

    let detail = engine.inspector().job(&before.id).await.unwrap().unwrap();
    assert_eq!(detail.job.state, JobState::Done);
    let started = detail.job.started.unwrap();
    assert!(started >= before.due, "started {started} before {}", before.due);
    println!("late by {} ms", started.millis_since(before.due));
    let states: Vec<_> = detail.history.iter().rev().map(|entry| entry.to.as_str()).collect();
    assert_eq!(states, ["delayed", "cancelled", "delayed", "ready", "active", "done"]);
    let overview = engine.inspector().overview().await.unwrap();
    assert_eq!(overview.counts().done, 1);
    println!("{overview:#?}");
}
