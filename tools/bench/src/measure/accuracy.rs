//! How late jobs start, and whether ever early.

use super::Trial;
use crate::protocol::{Load, now_us};
use anyhow::Result;
use std::time::Duration;

const SLOTS: usize = 100;
/// Until the first is due: time to add them all.
const AHEAD_US: i64 = 2_000_000;
const MILLISECOND_US: i64 = 1_000;
const SECOND_US: i64 = 1_000_000;

pub(crate) async fn run(trial: &mut Trial<'_>) -> Result<()> {
    trial.worker(SLOTS).await?;
    let (count, first) = (trial.sizes.due_times, whole_millisecond(now_us() + AHEAD_US));
    trial.load(Load::at(count, first).step(MILLISECOND_US)).await?;
    let spread = Duration::from_millis(u64::try_from(count)?);
    let answer = trial.wait_for(count, spread + trial.sizes.timeout).await?;
    missing(trial, count, answer.count);
    trial.note_lateness("each_ms", &answer.late_us);

    let (bursts, burst) = (trial.sizes.bursts, trial.sizes.burst);
    let mut due = whole_millisecond(now_us() + AHEAD_US);
    for _ in 0..bursts {
        trial.load(Load::at(burst, due)).await?;
        due += SECOND_US;
    }
    let spread = Duration::from_secs(u64::try_from(bursts)?);
    let answer = trial.wait_for(bursts * burst, spread + trial.sizes.timeout).await?;
    missing(trial, bursts * burst, answer.count);
    trial.note_lateness("bursts", &answer.late_us);
    trial.stop().await
}

/// The finest that every competitor can express.
pub(super) const fn whole_millisecond(time_us: i64) -> i64 {
    time_us / MILLISECOND_US * MILLISECOND_US
}

fn missing(trial: &mut Trial<'_>, wanted: usize, came: usize) {
    if came < wanted {
        trial.remark(format!("{} of {wanted} had not started in time", wanted - came));
    }
}
