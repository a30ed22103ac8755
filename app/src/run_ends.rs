//! Tells a person that a bulk run that they started has ended, on whatever page they are by then.
//!
//! Each such run has a cookie. While it is there, the pages of that person look at the run; without it nothing is read.

use leptos::prelude::*;
use reprieve::model::{BulkRun, BulkState, RunId};

use crate::access;
use crate::error::ApiError;
use crate::i18n::{self, Said, Tone};
use crate::light::{RefreshedEvery, suspended};
use crate::{cookie, t};

/// What the name of such a cookie begins with; the rest is the id of the run.
const COOKIE: &str = "run-";
/// For how long the end of a run is waited for, in seconds: a day.
const KEPT_S: u32 = 86_400;
/// So many runs are looked at for one page.
const RUNS_MAX: usize = 8;
/// How often a page that would not be read again by itself looks at them, in seconds.
const PULSE_SECONDS: u32 = 5;

/// Has the pages of the person who sent this request tell when the run ends. Not of one that does not go.
pub(crate) fn wait_for(run: &BulkRun) {
    if run.state == BulkState::Running {
        cookie::lend(&format!("{COOKIE}{}", run.id), "1", KEPT_S);
    }
}

fn forget(run: &RunId) {
    cookie::lend(&format!("{COOKIE}{run}"), "", 0);
}

/// Says which of the runs have ended. The script makes a notice of it; without scripts it stands above the page, once. The
/// element around it is there on every page, so that nothing beside it moves.
pub(crate) fn ended() -> AnyView {
    let runs: Vec<RunId> =
        cookie::names(COOKIE).iter().filter_map(|id| id.parse().ok()).take(RUNS_MAX).collect();
    if runs.is_empty() {
        return view! { <div class="run-ends"></div> }.into_any();
    }
    let ends = suspended(async move {
        let (mut ended, mut is_any_going) = (Vec::new(), false);
        for id in runs {
            match read(&id).await {
                Ok(run) if run.state == BulkState::Running => is_any_going = true,
                Ok(run) => {
                    forget(&id);
                    ended.extend(run.state.is_over().then(|| said(&run)));
                }
                Err(ApiError::NoRun | ApiError::Forbidden { .. }) => forget(&id),
                // What cannot be read now may be later.
                Err(_) => is_any_going = true,
            }
        }
        let again = is_any_going.then(|| view! { <RefreshedEvery seconds=PULSE_SECONDS by_events=true/> });
        let ended = ended.into_iter().map(|Said { tone, text }| {
            view! { <p class="form-outcome" role="status" data-tone=tone.as_str() data-news="">{text}</p> }
        });
        view! { {again} {ended.collect_view()} }
    });
    view! { <div class="run-ends">{ends}</div> }.into_any()
}

/// How it ended. The numbers add up to all of its jobs, whatever became of each.
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

/// A run, if it is theirs to know of.
async fn read(run: &RunId) -> Result<BulkRun, ApiError> {
    Ok(access::caller()?.bulk_run(run).await?.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hold of ten jobs of which four are still to come.
    fn run(state: BulkState) -> BulkRun {
        serde_json::from_value(serde_json::json!({
            "id": "r1", "verb": "hold", "state": state, "spread_ms": 0, "stops_itself": false,
            "acts_on_changed": false, "spares_started": false, "by": "ann", "reason": "", "created_ms": 1,
            "ended_by": "", "ended_why": "", "looked_at": 10, "cut": false, "total": 10, "pending": 4,
            "changed": 3, "skipped": 2, "failed": 1, "words": {}, "split": {}, "went_well": 0,
            "failed_again": 0, "undoable": 3,
        }))
        .unwrap()
    }

    #[test]
    fn however_a_run_ended_what_is_said_of_it_adds_up_to_all_of_its_jobs() {
        for (state, end) in [
            (BulkState::Aborted, "aborted. 3 changed, 2 skipped, 1 failed, 4 left alone."),
            (BulkState::Stopped, "stopped by itself. 3 changed, 2 skipped, 1 failed, 4 to come."),
        ] {
            let said = said(&run(state));
            assert!(said.text.replace(['\u{2068}', '\u{2069}'], "").ends_with(end), "{}", said.text);
            assert_eq!(said.tone, Tone::Bad);
        }
    }

    #[test]
    fn a_run_that_was_made_of_dead_jobs_has_the_verb_of_their_button() {
        let mut run = run(BulkState::Done);
        run.verb = reprieve::model::BulkVerb::RetryNow;
        for (state, act) in [("dead", "Retry 10 jobs now"), ("delayed", "Run 10 jobs now")] {
            run.split = [(format!("state:{state}"), 10)].into();
            let text = said(&run).text.replace(['\u{2068}', '\u{2069}'], "");
            assert!(text.starts_with(act), "{text}");
        }
    }
}
