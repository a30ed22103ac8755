//! Calling jobs off out of many.

use super::Trial;
use crate::protocol::{Load, Order, now_us};
use anyhow::Result;

/// Callers at once.
const CALLERS: usize = 32;
const AHEAD_US: i64 = 30 * 86_400 * 1_000_000;
const STEP_US: i64 = 1_000;
/// As in the story of a resource that expires: three notices and the deletion.
const JOBS_A_SUBJECT: usize = 4;

pub(crate) async fn run(trial: &mut Trial<'_>) -> Result<()> {
    let of = trial.sizes.cancel_of;
    trial.load(Load::at(of, now_us() + AHEAD_US).step(STEP_US).per_subject(JOBS_A_SUBJECT)).await?;
    let [alone, together, subjects] = trial.sizes.cancels;
    let orders = [
        ("alone", Order::Cancel { count: alone, callers: 1 }),
        ("together", Order::Cancel { count: together, callers: CALLERS }),
        ("by_subject", Order::CancelSubjects { count: subjects }),
    ];
    for (name, order) in orders {
        let Some(cost) = trial.cost(&order).await? else { continue };
        trial.note(format!("{name}_per_s"), cost.rate());
        trial.note(format!("{name}_redis_us"), cost.redis_us_per_job());
        if name == "by_subject" {
            trial.note("subjects_per_s", subjects as f64 * 1e6 / cost.answer.took_us.max(1) as f64);
        }
    }
    Ok(())
}
