//! What an act on a schedule achieved, in a sentence: from the answer on the spot, or from the word that a plain
//! form left in the address.

use reprieve::model::CronChanged;

use super::said::Said;
use crate::t;

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

/// The sentence for a word in an address; `None` for words nobody wrote.
pub(super) fn said(code: &str) -> Option<Said> {
    let deed = code.strip_prefix("schedule.")?;
    Some(match deed {
        "put.created" => Said::good(t!("schedules-said-created")),
        "put.changed" => Said::good(t!("schedules-said-changed")),
        "put.full" => Said::bad(t!("schedules-said-full")),
        "put.unchanged" | "remove.unchanged" => Said::plain(t!("schedules-said-unchanged")),
        "pause.changed" => Said::good(t!("schedules-said-paused")),
        "pause.unchanged" => Said::plain(t!("schedules-said-paused-already")),
        "resume.changed" => Said::good(t!("schedules-said-resumed")),
        "resume.unchanged" => Said::plain(t!("schedules-said-resumed-already")),
        "remove.changed" => Said::good(t!("schedules-said-removed")),
        "run.job" => Said::good(t!("schedules-said-run")),
        "run.no_room" => Said::bad(t!("schedules-said-no-room")),
        "put.conflict" | "pause.conflict" | "resume.conflict" | "remove.conflict" | "run.conflict" => {
            Said::bad(t!("schedules-said-conflict"))
        }
        "put.missing" | "pause.missing" | "resume.missing" | "remove.missing" | "run.missing" => {
            Said::bad(t!("schedules-said-missing"))
        }
        _ => return None,
    })
}
