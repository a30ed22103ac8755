//! A cell that does not answer costs nobody the jobs of the others.

use crate::scene::{CELLS, Scene, about, subject_of};
use reprieve::model::{Delay, QueueName};
use reprieve::{Due, NewJob};
use std::collections::BTreeSet;

/// The cell that does not answer: not the first, which keeps what belongs to the namespace as a whole.
const SILENT: u16 = 1;
const LEASE: Delay = Delay::minutes(1);

fn queues() -> [QueueName; 1] {
    [QueueName::default()]
}

fn due(mut job: NewJob) -> NewJob {
    job.due = Due::Now;
    job
}

#[tokio::test]
async fn what_a_claim_has_taken_is_handed_out_although_another_cell_fails() {
    let scene = Scene::new().await;
    for number in 0..3 {
        for cell in 0..CELLS {
            scene.enqueue(due(about(&subject_of(cell), &format!("job{cell}.{number}")))).await;
        }
    }
    let active = format!("{}q:default:active", scene.redis.prefix().replace(".0}", &format!(".{SILENT}}}")));
    scene.redis.command(&["SET", &active, "of another type"]).await.unwrap();

    let claimant = scene.engine.claimant("elsewhere");
    let mut handed_out = BTreeSet::new();
    // Each begins at a random cell and ends at the broken one, so that no single call has all.
    while handed_out.len() < 9 {
        let jobs = claimant.claim(&queues(), 2, LEASE).await.unwrap();
        assert!(!jobs.is_empty(), "cells that answer have jobs left");
        handed_out.extend(jobs.into_iter().map(|job| job.id.to_string()));
    }

    // With nothing to hand out it is told.
    assert!(claimant.claim(&queues(), 2, LEASE).await.is_err());
}
