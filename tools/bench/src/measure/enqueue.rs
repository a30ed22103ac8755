//! Jobs taken in, due now.

use super::Trial;
use crate::protocol::{BULK, Load, Order};
use anyhow::Result;

/// Callers at once.
const PRODUCERS: usize = 32;

pub(crate) async fn run(trial: &mut Trial<'_>) -> Result<()> {
    let loads = [
        ("awaiting", Load::now(trial.sizes.awaiting, 1)),
        ("concurrent", Load::now(trial.sizes.concurrent, PRODUCERS)),
        ("bulk", Load::now(trial.sizes.bulk, 1).batch(BULK)),
    ];
    for (name, load) in loads {
        trial.bed.clear().await?;
        let Some(cost) = trial.cost(&Order::Enqueue(load)).await? else { continue };
        trial.note(format!("{name}_per_s"), cost.rate());
        trial.note(format!("{name}_redis_us"), cost.redis_us_per_job());
        trial.note(format!("{name}_driver_us"), cost.driver_us_per_job());
    }
    Ok(())
}
