//! What an act on a schedule achieved, as the word that a plain form leaves in the address.

use reprieve::model::CronChanged;

/// The word of an answer in an address: `schedule.pause.changed`.
pub fn schedule_code(verb: &str, changed: &CronChanged) -> String {
    let word = match changed {
        CronChanged::Created { .. } => "created",
        CronChanged::Changed { .. } => "changed",
        CronChanged::Unchanged { .. } => "unchanged",
        CronChanged::Conflict { .. } => "conflict",
        CronChanged::Missing => "missing",
        CronChanged::Full => "full",
        _ => "unknown",
    };
    format!("schedule.{verb}.{word}")
}
