//! The same work with an append-only file, synced each second, and without.

use super::Trial;
use crate::bed::Bed;
use crate::competitor::Competitor;
use crate::figures::Figures;
use crate::protocol::{Load, Order};
use crate::sizes::Sizes;
use anyhow::Result;

const SLOTS: usize = 100;
const PRODUCERS: usize = 32;

pub(crate) async fn run(
    bed: &Bed,
    sizes: &Sizes,
    competitor: &Competitor,
    found: &mut Figures,
) -> Result<()> {
    let logged = Bed::start(&["--appendonly", "yes", "--appendfsync", "everysec"]).await?;
    let mut rates = Vec::new();
    for (name, bed) in [("memory", bed), ("everysec", &logged)] {
        let mut trial = Trial::start("durability", bed, sizes, competitor, found).await?;
        let count = sizes.concurrent;
        let Some(taken) = trial.cost(&Order::Enqueue(Load::now(count, PRODUCERS))).await? else {
            return Ok(());
        };
        let run = trial.process(SLOTS, count).await?;
        // Whole lives a second: in by 32 producers, then out.
        let rate = 1.0 / (1.0 / taken.rate() + 1.0 / run.rate());
        trial.note(format!("{name}_lives_per_s"), rate);
        trial.note(format!("{name}_life_redis_us"), taken.redis_us_per_job() + run.redis_us_per_job());
        rates.push(rate);
        if let [without, with] = rates[..] {
            trial.note("everysec_ratio", with / without);
        }
    }
    Ok(())
}
