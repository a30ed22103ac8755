//! A worker dies with jobs in its hands; another one is there. When do they run again?

use super::Trial;
use crate::competitor::Driver;
use crate::protocol::{Load, Order};
use anyhow::Result;
use std::time::{Duration, Instant};

const SLOTS: usize = 10;
/// How long the second worker lives before the first one dies.
const BOTH_LIVE: Duration = Duration::from_millis(300);

pub(crate) async fn run(mut trial: Trial<'_>) -> Result<()> {
    trial.must(&Order::Start { concurrency: SLOTS, hold: true }).await?;
    trial.load(Load::now(SLOTS, 1)).await?;
    let held = trial.wait(SLOTS).await?.count;
    anyhow::ensure!(held == SLOTS, "the worker took {held} of {SLOTS} jobs");
    let second = Driver::start(trial.competitor, &trial.bed.url()).await?;
    let first = std::mem::replace(&mut trial.driver, second);
    trial.worker(SLOTS).await?;
    tokio::time::sleep(BOTH_LIVE).await;
    first.kill().await?;
    let died = Instant::now();
    let again = trial.wait_for(SLOTS, trial.sizes.rescue).await?;
    if again.count == SLOTS {
        trial.note("again_after_s", died.elapsed().as_secs_f64());
    } else {
        let seconds = trial.sizes.rescue.as_secs();
        trial.remark(format!("{} of {SLOTS} ran again within {seconds} s", again.count));
    }
    Ok(())
}
