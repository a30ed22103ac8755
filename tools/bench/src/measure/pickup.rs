//! From the call that enqueues to the start of the handler, on a worker with nothing to do.

use super::Trial;
use crate::protocol::Load;
use anyhow::Result;
use rand::Rng;
use std::time::{Duration, Instant};

const SLOTS: usize = 10;
/// Between two jobs, so that no poll is met in its stride.
const PAUSE_MS: std::ops::Range<u64> = 3..15;

pub(crate) async fn run(trial: &mut Trial<'_>) -> Result<()> {
    trial.worker(SLOTS).await?;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let began = Instant::now();
    let mut late_us = Vec::new();
    // A scheme that polls each second gets as long as the others, for fewer jobs.
    while late_us.len() < trial.sizes.pickups && began.elapsed() < trial.sizes.timeout {
        let pause = rand::rng().random_range(PAUSE_MS);
        tokio::time::sleep(Duration::from_millis(pause)).await;
        trial.load(Load::now(1, 1)).await?;
        late_us.extend(trial.wait(1).await?.late_us);
    }
    trial.note_lateness("pickup", &late_us);
    // What the last job left behind is not idling, nor is looking for the next one.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let before = trial.bed.processor_us().await?;
    let idle = trial.sizes.idle;
    let commands = trial.bed.commands_during(idle).await?;
    let spent_us = trial.bed.processor_us().await? - before;
    trial.note("idle_commands_per_s", commands as f64 / idle.as_secs_f64());
    trial.note("idle_redis_us_per_s", spent_us / idle.as_secs_f64());
    trial.stop().await
}
