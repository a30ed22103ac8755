//! What a job costs while others wait for days to come.

use super::Trial;
use crate::figures::percentile;
use crate::protocol::{BULK, Load, Order, now_us};
use anyhow::Result;

const SLOTS: usize = 100;
/// The first of those that wait is due in thirty days, the others a millisecond apart.
const AHEAD_US: i64 = 30 * 86_400 * 1_000_000;
const STEP_US: i64 = 1_000;
/// Runs at each size, of which the middle one counts.
const RUNS: usize = 3;

pub(crate) async fn run(trial: &mut Trial<'_>) -> Result<()> {
    let most = if trial.competitor.is_own() { usize::MAX } else { trial.sizes.backlog_peers };
    let (mut waiting, mut first) = (0, None);
    for size in trial.sizes.backlog.iter().copied().filter(|size| *size <= most) {
        let due = now_us() + AHEAD_US;
        trial.load(Load::at(size - waiting, due).step(STEP_US)).await?;
        waiting = size;
        let (mut costs, mut rates) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let count = trial.sizes.backlog_run;
            let Some(taken) = trial.cost(&Order::Enqueue(Load::now(count, 1).batch(BULK))).await? else {
                return Ok(());
            };
            let cost = trial.process(SLOTS, count).await?;
            anyhow::ensure!(cost.answer.count == count, "not all ran beside {size} waiting jobs");
            costs.push(taken.redis_us_per_job() + cost.redis_us_per_job());
            rates.push(cost.rate());
        }
        let (cost, rate) = (percentile(&costs, 50.0), percentile(&rates, 50.0));
        trial.note(format!("{size}_redis_us"), cost);
        trial.note(format!("{size}_per_s"), rate);
        let base = *first.get_or_insert(cost);
        trial.note(format!("{size}_times_least"), cost / base);
    }
    Ok(())
}
