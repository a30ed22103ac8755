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

    // One that comes while the failure is reported lists it beside its slot.
    let listed = within("a heartbeat to list it, and its slot to be free again", async {
        loop {
            let workers = scene.engine.inspector().workers().await.unwrap();
            if workers[0].stuck > 0 && workers[0].busy == 0 {
                return workers.into_iter().next().unwrap();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    let stuck = &listed.stuck_handlers[0];
    assert_eq!((stuck.job.as_str(), stuck.kind.as_str(), stuck.reason), ("a", "k", StuckReason::Timeout));

    tokio::task::spawn_blocking(move || gate.wait()).await.unwrap();
    within("the next heartbeat to forget it", async {
        while scene.engine.inspector().workers().await.unwrap()[0].stuck > 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    worker.shutdown().await;
}

#[tokio::test]
async fn of_several_stuck_handlers_each_is_listed_and_goes_when_it_ends() {
    let mut scene = Scene::new().await;
    let gates = ["a", "b"].map(|name| (name, Arc::new(Barrier::new(2))));
    let held = gates.clone();
    let worker = scene
        .worker()
        .handler_threads(3)
        .retry_policy(|_: u32| Delay::hours(1))
        .handler("k", move |context: JobContext| {
            let gate = held.iter().find(|(name, _)| *name == context.id().as_str()).unwrap().1.clone();
            async move {
                gate.wait();
                Ok(())
            }
        })
        .start()
        .await
        .unwrap();
    let jobs = ["a", "b"].map(|name| {
        let mut new = job(name, "k");
        new.timeout = Some(Delay::millis(50));
        new
    });
    scene.enqueue(jobs.into()).await;
    scene.until("b", JobState::Retrying).await;

    let inspector = scene.engine.inspector();
    let listed = async |wanted: &[&str]| {
        within("a heartbeat to list them", async {
            loop {
                let worker = inspector.workers().await.unwrap().remove(0);
                let mut names: Vec<_> =
                    worker.stuck_handlers.iter().map(|stuck| stuck.job.as_str()).collect();
                names.sort_unstable();
                if names == wanted {
                    return assert_eq!(worker.stuck, wanted.len() as u64);
                }
                tokio::time::sleep(Duration::from_millis(50)).await; // a heartbeat tells nobody
            }
        })
        .await;
    };
    listed(&["a", "b"]).await;
    let [(_, of_a), (_, of_b)] = gates;
    tokio::task::spawn_blocking(move || of_a.wait()).await.unwrap();
    listed(&["b"]).await;
    tokio::task::spawn_blocking(move || of_b.wait()).await.unwrap();
    listed(&[]).await;
    worker.shutdown().await;
}
