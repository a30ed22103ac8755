//! From plans and jobs to what a person on the telephone wants to know.

use std::collections::BTreeSet;

use reprieve::model::{About, JobId, JobRow, JobState, Plan, Timestamp};

use super::vocabulary::Vocabulary;
use super::{Desk, Doing, Gate, Holder, LeftOut, Matter, Outcome, RECEIPT_SPREAD_MS, Step};
use crate::i18n::TIME_PASSED;

/// What has ended is told for so long: ninety days in ms.
const OUTCOMES_MS: i64 = 90 * 86_400_000;
/// And so many of it.
const OUTCOMES_MAX: usize = 20;
/// Steps of one matter: as many as a plan may have.
const STEPS_MAX: usize = 32;

/// What the page of a subject shows: of what was called off only the latest is of interest, and only while nothing else is
/// to come.
pub(crate) fn desk(about: &About, words: &Vocabulary) -> Desk {
    let mut matters = matters(about, words);
    let is_live = matters.iter().any(|matter| matter.off.is_none());
    let mut seen_off = false;
    matters.retain(|matter| matter.off.is_none() || !is_live && !std::mem::replace(&mut seen_off, true));
    with(about, words, matters)
}

/// The same with all that was called off: what a receipt leads back to, and what can be acted on.
pub(crate) fn whole(about: &About, words: &Vocabulary) -> Desk {
    with(about, words, matters(about, words))
}

fn with(about: &About, words: &Vocabulary, matters: Vec<Matter>) -> Desk {
    Desk {
        subject: about.subject.clone(),
        label: words.label(&about.subject),
        outcomes: outcomes(about, &matters, words),
        matters,
        read_at: about.read_at,
    }
}

/// Everything that is to come or was called off, the next to happen first.
fn matters(about: &About, words: &Vocabulary) -> Vec<Matter> {
    let mut matters: Vec<Matter> = about.plans.iter().filter_map(|plan| of_plan(plan, words)).collect();
    let of_plans: BTreeSet<&JobId> =
        about.plans.iter().flat_map(|plan| plan.steps.iter().map(|step| &step.id)).collect();
    let loose: Vec<&JobRow> =
        about.jobs.iter().filter(|row| !of_plans.contains(&row.id) && !words.is_hidden(&row.kind)).collect();
    matters.extend(of_jobs(&loose, words));
    matters.sort_by_key(|matter| (matter.off.is_some(), next(matter)));
    matters
}

/// When the next of it happens; of what was called off, the latest first.
fn next(matter: &Matter) -> i64 {
    match &matter.off {
        Some(off) => off.at.as_millis().saturating_neg(),
        None => matter.ahead().map(|step| step.due.as_millis()).min().unwrap_or(i64::MAX),
    }
}

fn step(row: &JobRow, words: &Vocabulary) -> Step {
    Step {
        id: row.id.clone(),
        version: row.version,
        label: words.step(&row.kind),
        state: row.state,
        due: row.due,
        started: row.started,
        ended: row.ended,
        asked_to_stop: row.state == JobState::Active && row.cancel_requested.is_some(),
        was_held: row.cancelled_from == Some(JobState::Held),
        gate: gate(row),
        main: words.is_main(&row.kind),
    }
}

/// What keeps a held job that no person holds: scripts write who moved it and why (`lua/lib/terms.lua`).
fn gate(row: &JobRow) -> Option<Gate> {
    let is_held_by_script = row.state == JobState::Held && matches!(row.by.as_str(), "forwarder" | "gate");
    let waits = row.why.starts_with("waits for ") || row.why.starts_with("its batch ");
    is_held_by_script.then_some(if waits { Gate::Waits } else { Gate::Shut })
}

/// A plan as a matter; `None` when all of it has happened.
fn of_plan(plan: &Plan, words: &Vocabulary) -> Option<Matter> {
    let rows: Vec<&JobRow> = plan.steps.iter().filter_map(|step| step.job.as_ref()).collect();
    let mut matter = matter(&rows, words)?;
    matter.plan = Some(plan.id.clone());
    matter.version = Some(plan.version);
    matter.name = plan.name.as_ref().map(|name| words.step(name)).unwrap_or_default();
    matter.since = plan.created;
    matter.held = plan.held.as_ref().map(|held| holder(&held.by, &held.why));
    Some(matter)
}

/// The jobs of no plan as a matter: those that are to come with what belongs to them, or what was called off last.
fn of_jobs(rows: &[&JobRow], words: &Vocabulary) -> Option<Matter> {
    let first_live = rows.iter().filter(|row| !row.state.is_final()).map(|row| row.created).min();
    let chosen: Vec<&JobRow> = match first_live {
        // What was enqueued together with it, or later, belongs to it; what is older is another story.
        Some(first) => {
            rows.iter().copied().filter(|row| !row.state.is_final() || row.created >= first).collect()
        }
        None => {
            let last =
                rows.iter().filter(|row| row.state == JobState::Cancelled).max_by_key(|row| row.ended)?;
            let ended = last.ended?;
            let together = |row: &&JobRow| {
                row.state == JobState::Cancelled
                    && row.by == last.by
                    && row.ended.is_some_and(|at| ended.millis_since(at) <= RECEIPT_SPREAD_MS)
            };
            rows.iter().copied().filter(together).collect()
        }
    };
    let mut matter = matter(&chosen, words)?;
    let held = chosen.iter().filter(|row| row.state == JobState::Held && gate(row).is_none());
    matter.held = held.max_by_key(|row| row.version).map(|row| holder(&row.by, &row.why));
    Some(matter)
}

/// Jobs that belong together; `None` when all of them have happened.
fn matter(rows: &[&JobRow], words: &Vocabulary) -> Option<Matter> {
    let mut steps: Vec<Step> = rows.iter().map(|row| step(row, words)).collect();
    steps.sort_by(|a, b| (a.due, &a.id).cmp(&(b.due, &b.id)));
    // The last ones are the ones that matter.
    steps.drain(..steps.len().saturating_sub(STEPS_MAX));
    let is_live = steps.iter().any(|step| !step.state.is_final());
    let off = rows.iter().filter(|row| row.state == JobState::Cancelled).max_by_key(|row| row.ended);
    let off = match (is_live, off) {
        (false, None) => return None,
        (false, Some(row)) => Some(doing(first_off(rows, row), &row.by, &row.why)),
        (true, _) => None,
    };
    // What has been done already is nothing to call off: it does not name what is still to come.
    let kinds = rows.iter().filter(|row| words.is_main(&row.kind) && !(is_live && row.state.is_final()));
    let noun = kinds.max_by_key(|row| row.due).map(|row| words.noun(&row.kind)).unwrap_or_default();
    let since = rows.iter().map(|row| row.created).min()?;
    Some(Matter { plan: None, version: None, name: String::new(), noun, since, held: None, off, steps })
}

/// When the act began that called this job off with others.
fn first_off(rows: &[&JobRow], last: &JobRow) -> Timestamp {
    let ended = last.ended.unwrap_or(last.due);
    let near = |at: &Timestamp| ended.millis_since(*at) <= RECEIPT_SPREAD_MS;
    let together = rows.iter().filter(|row| row.state == JobState::Cancelled && row.by == last.by);
    together.filter_map(|row| row.ended).filter(near).min().unwrap_or(ended)
}

fn holder(by: &str, why: &str) -> Holder {
    Holder { by: by.to_owned(), why: why.to_owned() }
}

fn doing(at: Timestamp, by: &str, why: &str) -> Doing {
    Doing { at, by: by.to_owned(), why: why.to_owned() }
}

/// What has ended and is not part of what is shown above it.
fn outcomes(about: &About, matters: &[Matter], words: &Vocabulary) -> Vec<Outcome> {
    let shown: BTreeSet<&JobId> =
        matters.iter().flat_map(|matter| matter.steps.iter().map(|step| &step.id)).collect();
    let who =
        |state: JobState, by: &str| if state == JobState::Cancelled { by.to_owned() } else { String::new() };
    let kept = about.jobs.iter().filter(|row| !shown.contains(&row.id) && !words.is_hidden(&row.kind));
    let kept = kept.filter(|row| row.state.is_final()).filter_map(|row| {
        let why = if row.state == JobState::Cancelled { row.why.clone() } else { String::new() };
        let (by, at) = (who(row.state, &row.by), row.ended?);
        let when = if at == row.created { LeftOut::Made } else { LeftOut::Later };
        let left_out = (why == TIME_PASSED).then_some(when);
        Some(Outcome { label: words.step(&row.kind), state: row.state, at, by, why, left_out })
    });
    let gone =
        about.receipts.iter().filter(|receipt| !words.is_hidden(&receipt.kind)).map(|receipt| Outcome {
            label: words.step(&receipt.kind),
            state: receipt.state,
            at: receipt.at,
            by: who(receipt.state, &receipt.by),
            why: if receipt.state == JobState::Cancelled { receipt.why.clone() } else { String::new() },
            left_out: (receipt.state == JobState::Cancelled && receipt.why == TIME_PASSED)
                .then_some(LeftOut::Later),
        });
    let recent = |outcome: &Outcome| about.read_at.millis_since(outcome.at) <= OUTCOMES_MS;
    let mut outcomes: Vec<Outcome> = kept.chain(gone).filter(recent).collect();
    outcomes.sort_by_key(|outcome| std::cmp::Reverse(outcome.at));
    outcomes.truncate(OUTCOMES_MAX);
    outcomes
}

#[cfg(test)]
mod tests {
    use reprieve::model::Subject;
    use serde_json::json;

    use super::super::DeskVerb;
    use super::super::vocabulary::{KindWords, Word};
    use super::*;

    /// What the clock shows in these tests, in ms.
    const NOW: i64 = 1_786_525_200_000;

    fn words() -> Vocabulary {
        let kind = |step: &str, noun: &str| KindWords {
            step: Word::new(step, ""),
            noun: Word::new(noun, ""),
            hidden: false,
        };
        Vocabulary::default().kind("notice", kind("Notice", "")).kind("delete", kind("Deletion", "deletion"))
    }

    /// A job as lists show it, due so many hours from now, without its end.
    fn row(kind: &str, state: &str, hours: i64) -> JobRow {
        serde_json::from_value(json!({
            "id": format!("{kind}-{hours}"), "queue": "mail", "kind": kind, "subject": "resource:1", "state": state,
            "version": 1, "attempt": 0, "max_attempts": null, "priority": 5, "due": NOW + hours * 3_600_000,
            "created": NOW - 86_400_000, "ready": null, "started": null, "ended": null, "kept_until": null,
            "lease_until": null, "worker": null, "error_line": "", "cancel_requested": null, "by": "api", "why": "",
            "preview": "", "created_by": "api", "percent": null, "held": null, "cancelled_from": null,
        }))
        .unwrap()
    }

    /// The same, ended so many hours ago.
    fn ended(mut row: JobRow, hours: i64) -> JobRow {
        row.ended = Timestamp::from_millis(NOW - hours * 3_600_000);
        row
    }

    fn of(jobs: Vec<JobRow>) -> Desk {
        let now = Timestamp::from_millis(NOW).unwrap();
        let mut about = About::new(Subject::new("resource:1").unwrap(), now);
        about.jobs = jobs;
        desk(&about, &words())
    }

    #[test]
    fn a_deletion_that_is_done_is_not_there_to_be_called_off() {
        let late = of(vec![row("notice", "ready", -2), ended(row("delete", "done", -1), 1)]);
        let matter = &late.matters[0];
        assert_eq!((matter.noun.as_str(), matter.main().unwrap().label.as_str()), ("", "Notice"));

        let early = of(vec![ended(row("notice", "done", -2), 2), row("delete", "delayed", 1)]);
        let matter = &early.matters[0];
        assert_eq!((matter.noun.as_str(), matter.main().unwrap().label.as_str()), ("deletion", "Deletion"));
    }

    #[test]
    fn without_a_main_step_the_next_that_has_not_begun_is_postponed() {
        let several =
            of(vec![row("notice", "active", -1), row("notice", "delayed", 5), row("notice", "delayed", 9)]);
        assert_eq!(several.matters[0].main().unwrap().due.as_millis(), NOW + 5 * 3_600_000);
    }

    #[test]
    fn what_waits_for_other_steps_is_held_by_nobody_and_is_no_question() {
        let now = Timestamp::from_millis(NOW).unwrap();
        for (by, why, gate) in [
            ("forwarder", "waits for notice", Some(Gate::Waits)),
            ("gate", "waits for its batch", Some(Gate::Waits)),
            ("gate", "its batch is open", Some(Gate::Waits)),
            ("gate", "notice is dead", Some(Gate::Shut)),
            ("ann", "waits for a letter", None),
        ] {
            let mut held = row("delete", "held", -1);
            (held.by, held.why) = (by.to_owned(), why.to_owned());
            let matter = of(vec![held]).matters.remove(0);
            assert_eq!(matter.steps[0].gate, gate, "{why}");
            assert_eq!(matter.held.is_some(), gate.is_none(), "{why}");
            assert_eq!(matter.passed(DeskVerb::Release, now).is_empty(), gate.is_some(), "{why}");
        }
    }

    #[test]
    fn nobody_is_asked_for_the_time_of_what_is_put_back_on_hold() {
        let now = Timestamp::from_millis(NOW).unwrap();
        let mut held = ended(row("notice", "cancelled", -2), 3);
        held.cancelled_from = Some(JobState::Held);
        let off = of(vec![held, ended(row("delete", "cancelled", -1), 3)]);
        let mut matter = off.matters[0].clone();

        let passed: Vec<_> = matter.passed(DeskVerb::PutBack, now).iter().map(|step| &step.label).collect();
        assert_eq!(passed, ["Deletion"]);

        // Its plan is held: all of it is put back on hold.
        matter.held = Some(holder("ann", ""));
        assert!(matter.passed(DeskVerb::PutBack, now).is_empty());
    }

    #[test]
    fn what_was_left_out_for_its_time_was_called_off_by_nobody() {
        let mut at_once = row("notice", "cancelled", -30);
        (at_once.why, at_once.ended) = (TIME_PASSED.to_owned(), Some(at_once.created));
        let mut later = ended(row("notice", "cancelled", -9), 8);
        later.why = TIME_PASSED.to_owned();
        let mut by_hand = ended(row("notice", "cancelled", -5), 6);
        by_hand.why = "Customer asked".to_owned();
        let mut deletion = row("delete", "delayed", 9);
        // Enqueued after all of them: they are another story.
        deletion.created = Timestamp::from_millis(NOW).unwrap();

        let outcomes = of(vec![at_once, later, by_hand, deletion]).outcomes;

        let left_out: Vec<_> = outcomes.iter().map(|outcome| outcome.left_out).collect();
        assert_eq!(left_out, [None, Some(LeftOut::Later), Some(LeftOut::Made)]);
    }
}
