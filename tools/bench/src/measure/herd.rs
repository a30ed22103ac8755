//! Many jobs, all due at one instant.

use super::Trial;
use super::accuracy::whole_millisecond;
use crate::protocol::{Load, now_us};
use anyhow::Result;
use std::time::Duration;

const SLOTS: usize = 100;
/// Until they are due, beside the time to add them: 20,000 a second, which the slowest manages.
const AHEAD_US: i64 = 2_000_000;
const ADD_US: i64 = 50;
/// Calls that take longer are looked at.
const SLOW: Duration = Duration::from_micros(200);

pub(crate) async fn run(trial: &mut Trial<'_>) -> Result<()> {
    let count = trial.sizes.herd;
    let due = whole_millisecond(now_us() + AHEAD_US + ADD_US * i64::try_from(count)?);
    trial.load(Load::at(count, due)).await?;
    anyhow::ensure!(now_us() < due, "adding {count} jobs took too long");
    trial.bed.watch_slow(SLOW).await?;
    trial.worker(SLOTS).await?;
    let ahead = Duration::from_micros(u64::try_from(due - now_us()).unwrap_or(0));
    let answer = trial.wait_for(count, ahead + trial.sizes.timeout).await?;
    trial.stop().await?;
    trial.note_lateness("herd", &answer.late_us);
    if answer.count < count {
        trial.remark(format!("{} of {count} had not started in time", count - answer.count));
    }
    let slowest_us = trial.bed.slowest_us().await?;
    trial.note("slowest_call_ms", slowest_us / 1_000.0);
    Ok(())
}
