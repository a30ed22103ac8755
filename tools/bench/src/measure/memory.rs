//! Bytes of Redis that a delayed job of 100 bytes takes, everything included that was made for it.

use super::Trial;
use crate::protocol::{Load, now_us};
use anyhow::Result;

const AHEAD_US: i64 = 30 * 86_400 * 1_000_000;
const STEP_US: i64 = 1_000;

pub(crate) async fn run(trial: &mut Trial<'_>) -> Result<()> {
    let count = trial.sizes.delayed;
    // The bounded stream of events is full from here on, as it is in any Redis in use; the rest grows with jobs.
    trial.load(Load::at(count, now_us() + AHEAD_US).step(STEP_US)).await?;
    let before = trial.bed.memory_bytes().await?;
    trial.load(Load::at(count, now_us() + 2 * AHEAD_US).step(STEP_US)).await?;
    let after = trial.bed.memory_bytes().await?;
    trial.note("bytes_per_job", (after - before) / count as f64);
    Ok(())
}
