//! Handlers that do not end when they should.

use super::scene::{Scene, job, within};
use reprieve::JobContext;
use reprieve::model::{Delay, JobState, StuckReason};
use std::sync::{Arc, Barrier};
use std::time::Duration;

#[tokio::test]
async fn a_handler_that_blocks_beyond_its_time_is_listed_until_it_ends() {
    let mut scene = Scene::new().await;
    let gate = Arc::new(Barrier::new(2));
    let held = Arc::clone(&gate);
    let worker = scene
        .worker()
        .handler_threads(2)
        .retry_policy(|_: u32| Delay::hours(1))
        .handler("k", move |_: JobContext| {
            let held = Arc::clone(&held);
            // Never yields: nothing can stop it from outside.
            async move {
                held.wait();
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    let mut new = job("a", "k");
    new.timeout = Some(Delay::millis(50));
    scene.enqueue(vec![new]).await;
    scene.until("a", JobState::Retrying).await;

    let listed = within("a heartbeat to list it", async {
        loop {
            let workers = scene.engine.inspector().workers().await.unwrap();
            if workers[0].stuck > 0 {
                return workers.into_iter().next().unwrap();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    let stuck = &listed.stuck_handlers[0];
    assert_eq!((stuck.job.as_str(), stuck.kind.as_str(), stuck.reason), ("a", "k", StuckReason::Timeout));
    assert_eq!(listed.busy, 0, "its slot is free again");

    tokio::task::spawn_blocking(move || gate.wait()).await.unwrap();
    within("the next heartbeat to forget it", async {
        while scene.engine.inspector().workers().await.unwrap()[0].stuck > 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    worker.shutdown().await;
}
