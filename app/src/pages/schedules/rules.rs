//! Rules, outcomes and marks in words.

use reprieve::model::{CronOutcome, Missed, Overlap, TickNote};

use crate::t;

/// What happens to missed ticks, in a few words.
pub(super) fn missed(missed: Missed) -> String {
    match missed {
        Missed::Skip => t!("schedules-missed-skip"),
        Missed::Once => t!("schedules-missed-once"),
        Missed::All => t!("schedules-missed-all"),
    }
}

/// What happens while an earlier job is live, in a few words.
pub(super) fn overlap(overlap: Overlap) -> String {
    match overlap {
        Overlap::Allow => t!("schedules-overlap-allow"),
        Overlap::Skip => t!("schedules-overlap-skip"),
    }
}

/// What came of a tick.
pub(super) fn outcome(outcome: CronOutcome) -> String {
    match outcome {
        CronOutcome::Enqueued => t!("schedules-outcome-enqueued"),
        CronOutcome::Overlapped => t!("schedules-outcome-overlapped"),
        CronOutcome::Missed => t!("schedules-outcome-missed"),
        CronOutcome::Refused => t!("schedules-outcome-refused"),
        CronOutcome::RunNow => t!("schedules-outcome-run"),
        _ => t!("schedules-outcome-other"),
    }
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
    match note {
        TickNote::Shifted => t!("schedules-note-shifted"),
        TickNote::FirstOfTwo => t!("schedules-note-first"),
        TickNote::SecondOfTwo => t!("schedules-note-second"),
    }
}
