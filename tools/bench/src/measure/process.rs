//! No-op jobs that wait already, run by one worker process.

use super::Trial;
use crate::protocol::{BULK, Load, Order};
use anyhow::Result;

pub(crate) async fn run(trial: &mut Trial<'_>) -> Result<()> {
    for (concurrency, count) in [10, 100].into_iter().zip(trial.sizes.process) {
        let Some(taken) = trial.cost(&Order::Enqueue(Load::now(count, 1).batch(BULK))).await? else {
            continue;
        };
        let cost = trial.process(concurrency, count).await?;
        if cost.answer.count < 2 {
            continue;
        }
        trial.note(format!("at_{concurrency}_per_s"), cost.rate());
        trial.note(format!("at_{concurrency}_redis_us"), cost.redis_us_per_job());
        trial.note(format!("at_{concurrency}_driver_us"), cost.driver_us_per_job());
        trial.note(
            format!("at_{concurrency}_life_redis_us"),
            taken.redis_us_per_job() + cost.redis_us_per_job(),
        );
    }
    Ok(())
}
