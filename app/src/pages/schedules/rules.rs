//! Rules, outcomes and marks in words.

use reprieve::model::{CronOutcome, Missed, Overlap, TickNote};

use crate::i18n::{json_word, word};

/// What happens to missed ticks, in a few words.
pub(super) fn missed(missed: Missed) -> String {
    word("schedules-missed", missed.as_str())
}

/// What happens while an earlier job is live, in a few words.
pub(super) fn overlap(overlap: Overlap) -> String {
    word("schedules-overlap", overlap.as_str())
}

/// What came of a tick.
pub(super) fn outcome(outcome: CronOutcome) -> String {
    word("schedules-outcome", &json_word(&outcome))
}

/// The same for the style sheet.
pub(super) const fn outcome_key(outcome: CronOutcome) -> &'static str {
    match outcome {
        CronOutcome::Enqueued | CronOutcome::RunNow => "good",
        CronOutcome::Overlapped => "plain",
        _ => "bad",
    }
}

/// What daylight saving does to a tick.
pub(super) fn note(note: TickNote) -> String {
    word("schedules-note", &json_word(&note))
}
