//! Takes bulk runs further. A run that somebody started goes on whatever becomes of the process that started it.

use super::duty::complain;
use crate::error::Result;
use crate::model::{BulkState, RunId};
use crate::store::Store;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How soon a run begins that was started elsewhere; also all that an idle process costs.
const PERIOD_IDLE: Duration = Duration::from_secs(2);
/// Between steps of runs with a rate, and of those that wait for their jobs to end.
const PERIOD_RUNNING: Duration = Duration::from_millis(100);
/// Jobs a step: about two milliseconds of Redis, which serves others in between.
const BATCH: u32 = 50;
/// Steps of a run before its neighbours have their turn.
const TURN: u32 = 20;

/// `home` is the shard where people are kept.
pub(super) async fn run(store: Store, home: Store, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let wait = match round(&store, &home, &stop).await {
            Ok(0) => PERIOD_IDLE,
            Ok(_) => PERIOD_RUNNING,
            Err(error) => {
                complain(&error);
                PERIOD_IDLE
            }
        };
        stop.run_until_cancelled(tokio::time::sleep(wait)).await;
    }
}

/// Takes every run as far as it goes now; how many there are.
async fn round(store: &Store, home: &Store, stop: &CancellationToken) -> Result<usize> {
    let runs = store.bulk_running().await?;
    for run in &runs {
        // Damage in one run must not hold up the others.
        if let Err(error) = turn(store, home, run, stop).await {
            complain(&error);
        }
    }
    Ok(runs.len())
}

async fn turn(store: &Store, home: &Store, run: &RunId, stop: &CancellationToken) -> Result<()> {
    for _ in 0..TURN {
        let Some(step) = store.bulk_go_on(home, run, BATCH).await? else {
            return store.bulk_forget(run).await;
        };
        match step.state {
            BulkState::Running if step.reached < u64::from(BATCH) => return Ok(()),
            BulkState::Running => {}
            BulkState::Stopped => {
                tracing::warn!(bulk.run = %run, left = step.left, "bulk run {run} stopped itself: most jobs failed again");
                return Ok(());
            }
            state => {
                tracing::info!(bulk.run = %run, "bulk run {run} is {state}");
                return Ok(());
            }
        }
        if stop.is_cancelled() {
            return Ok(());
        }
    }
    Ok(())
}
