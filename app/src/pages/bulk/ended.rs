//! That a run has ended, to whoever started it and went on to other pages.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use reprieve::model::{BulkRun, BulkState, OutcomePlace, RunId};

use crate::api::get_bulk_run;
use crate::error::ApiError;
use crate::i18n::{self, Said, Tone};
use crate::live::Live;
use crate::notice::Notices;
use crate::t;

/// Between two looks.
const PAUSE: Duration = Duration::from_secs(2);

/// Says so in a notice, which the list behind the bell keeps, as long as this tab is open. Whatever became of each job, the
/// numbers add up to how many there were. Of a run that was not started
/// after all it says nothing. It asks nothing while the screen is paused or nobody can see the tab.
pub(super) fn tell_when_ended(run: RunId, notices: Notices, live: Live) {
    let look = move || {
        if live.rests() {
            return tell_when_ended(run, notices, live);
        }
        spawn_local(async move {
            match get_bulk_run(run.clone(), OutcomePlace::default()).await.map(|view| view.run) {
                Ok(run) if run.state.is_over() => notices.tell(said(&run)),
                Ok(BulkRun { state: BulkState::Running, .. }) => tell_when_ended(run, notices, live),
                Ok(_) | Err(ApiError::NoRun | ApiError::NotFound | ApiError::Forbidden { .. }) => {}
                // Whoever cannot be asked now may be later.
                Err(_) => tell_when_ended(run, notices, live),
            }
        });
    };
    set_timeout(look, PAUSE);
}

fn said(run: &BulkRun) -> Said {
    let act = i18n::bulk_act(run);
    let tone = if run.failed > 0 || run.state != BulkState::Done { Tone::Bad } else { Tone::Good };
    let (changed, skipped, failed, left) = (run.changed, run.skipped, run.failed, run.pending);
    let text = match run.state {
        BulkState::Aborted => {
            t!(
                "bulk-said-cut-off",
                act = act,
                changed = changed,
                skipped = skipped,
                failed = failed,
                left = left
            )
        }
        BulkState::Stopped => {
            t!(
                "bulk-said-stopped",
                act = act,
                changed = changed,
                skipped = skipped,
                failed = failed,
                left = left
            )
        }
        _ => t!("bulk-said-ended", act = act, changed = changed, skipped = skipped, failed = failed),
    };
    Said { tone, text }
}

#[cfg(test)]
mod tests {
    use super::super::example;
    use super::*;

    #[test]
    fn however_a_run_ended_what_is_said_of_it_adds_up_to_all_of_its_jobs() {
        for (state, end) in [
            (BulkState::Aborted, "aborted. 3 changed, 2 skipped, 1 failed, 4 left alone."),
            (BulkState::Stopped, "stopped by itself. 3 changed, 2 skipped, 1 failed, 4 to come."),
        ] {
            let said = said(&example::run("r1", state));
            assert!(said.text.replace(['\u{2068}', '\u{2069}'], "").ends_with(end), "{}", said.text);
            assert_eq!(said.tone, Tone::Bad);
        }
    }

    #[test]
    fn a_run_that_was_made_of_dead_jobs_has_the_verb_of_their_button() {
        let mut run = example::run("r1", BulkState::Done);
        run.verb = reprieve::model::BulkVerb::RetryNow;
        for (state, act) in [("dead", "Retry 10 jobs now"), ("delayed", "Run 10 jobs now")] {
            run.split = [(format!("state:{state}"), 10)].into();
            let text = said(&run).text.replace(['\u{2068}', '\u{2069}'], "");
            assert!(text.starts_with(act), "{text}");
        }
    }
}
