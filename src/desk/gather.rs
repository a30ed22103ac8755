//! From plans and jobs to what a person on the telephone wants to know.

use super::{
    Desk, DeskKinds, DeskPlan, Doing, Gate, Holder, LeftOut, Outcome, STEPS_SHOWN, Step, TIME_PASSED,
};
use crate::model::{About, JobId, JobRow, JobState, Kind, Plan, Timestamp};
use std::collections::BTreeSet;

/// What has ended is told for so long: ninety days in ms.
const OUTCOMES_MS: i64 = 90 * 86_400_000;
/// And so many of it.
const OUTCOMES_MAX: usize = 20;
/// How the reason begins that scripts give for what would have come too late (`lua/core/constraints.lua`).
const EXPIRED: &str = "expired: ";
/// The desk calls jobs off in one step, programs do so one after the other, and once more when that broke off: within this many
/// milliseconds of each other it is one act.
const REPEAT_MS: i64 = 60_000;

impl Desk {
    /// What the page of a subject shows, without whether there are receipts: of what was called off only the latest is of
    /// interest, and what somebody is asked about, which is the plan with the key `of`.
    #[must_use]
    pub fn of(about: &About, kinds: &DeskKinds, of: Option<&str>) -> Self {
        let mut plans = plans(about, kinds);
        let mut seen_off = false;
        plans.retain(|plan| {
            let is_latest = plan.off.is_some() && !std::mem::replace(&mut seen_off, true);
            let is_under_way = plan.ahead().next().is_some();
            is_under_way || plan.off.is_none() || is_latest || of.is_some_and(|of| plan.key() == of)
        });
        with(about, kinds, plans)
    }

    /// The same with all that was called off: what a receipt leads back to, and what can be acted on.
    #[must_use]
    pub fn whole(about: &About, kinds: &DeskKinds) -> Self {
        with(about, kinds, plans(about, kinds))
    }
}

fn with(about: &About, kinds: &DeskKinds, plans: Vec<DeskPlan>) -> Desk {
    Desk {
        subject: about.subject.clone(),
        outcomes: outcomes(about, &plans, kinds),
        plans,
        read_at: about.read_at,
    }
}

/// Everything that is to come or was called off, the next to happen first.
fn plans(about: &About, kinds: &DeskKinds) -> Vec<DeskPlan> {
    let mut plans: Vec<DeskPlan> = about.plans.iter().filter_map(|plan| of_plan(plan, kinds)).collect();
    let of_plans: BTreeSet<&JobId> =
        about.plans.iter().flat_map(|plan| plan.steps.iter().map(|step| &step.id)).collect();
    let loose: Vec<&JobRow> =
        about.jobs.iter().filter(|row| !of_plans.contains(&row.id) && !kinds.is_hidden(&row.kind)).collect();
    plans.extend(of_jobs(&loose, kinds));
    plans.sort_by_key(|plan| (plan.off.is_some(), next(plan)));
    plans
}

/// When the next of it happens; of what was called off, the latest first.
fn next(plan: &DeskPlan) -> i64 {
    match &plan.off {
        Some(off) => off.at.as_millis().saturating_neg(),
        None => plan.ahead().map(|step| step.due.as_millis()).min().unwrap_or(i64::MAX),
    }
}

fn step(row: &JobRow, kinds: &DeskKinds) -> Step {
    Step {
        id: row.id.clone(),
        version: row.version,
        kind: row.kind.clone(),
        state: row.state,
        due: row.due,
        started: row.started,
        ended: row.ended,
        kept_until: row.kept_until,
        asked_to_stop: row.state == JobState::Active && row.cancel_requested.is_some(),
        was_held: row.held_again,
        gate: gate(row),
        main: kinds.is_main(&row.kind),
    }
}

/// What keeps a held job that no person holds: scripts write who moved it and why (`lua/core/constraints.lua`).
fn gate(row: &JobRow) -> Option<Gate> {
    let is_held_by_script = row.state == JobState::Held && is_script(&row.by);
    let waits = row.why.starts_with("waits for ") || row.why.starts_with("its batch ");
    is_held_by_script.then_some(if waits { Gate::Waits } else { Gate::Shut })
}

/// Whether a name is one of those that scripts have: what they hold or leave out was no act of a person's.
fn is_script(by: &str) -> bool {
    matches!(by, "forwarder" | "gate")
}

/// A plan as the desk shows it; `None` when all of it has happened.
fn of_plan(stored: &Plan, kinds: &DeskKinds) -> Option<DeskPlan> {
    let rows: Vec<&JobRow> = stored.steps.iter().filter_map(|step| step.job.as_ref()).collect();
    let mut plan = plan(&rows, kinds)?;
    plan.id = Some(stored.id.clone());
    plan.version = Some(stored.version);
    plan.name.clone_from(&stored.name);
    plan.since = stored.created;
    plan.held = stored.held.as_ref().map(|held| holder(&held.by, &held.why));
    Some(plan)
}

/// The jobs of no plan, put together like plans: those that are to come with what belongs to them, and those that were called off, by act.
fn of_jobs(rows: &[&JobRow], kinds: &DeskKinds) -> Vec<DeskPlan> {
    let acts = acts(rows);
    let first_live = rows.iter().filter(|row| !row.state.is_final()).map(|row| row.created).min();
    // What was enqueued together with it, or later, belongs to it; what is older is another story.
    let belongs = |row: &JobRow, first| !row.state.is_final() || row.created >= first && !is_called_off(row);
    let live =
        first_live.map(|first| rows.iter().copied().filter(|row| belongs(row, first)).collect::<Vec<_>>());
    let of_rows = |rows: Vec<&JobRow>| {
        let mut plan = plan(&rows, kinds)?;
        let held = rows.iter().filter(|row| row.state == JobState::Held && gate(row).is_none());
        plan.held = held.max_by_key(|row| row.version).map(|row| holder(&row.by, &row.why));
        Some(plan)
    };
    live.into_iter().chain(acts).filter_map(of_rows).collect()
}

/// What somebody called off, by act: the same person for the same reason, each job within a minute of the one before. A
/// repeat of what broke off half-way is part of it.
fn acts<'a>(rows: &[&'a JobRow]) -> Vec<Vec<&'a JobRow>> {
    let mut off: Vec<&JobRow> = rows.iter().copied().filter(|row| is_called_off(row)).collect();
    off.sort_by_key(|row| (ran(row), row.ended));
    let mut acts: Vec<Vec<&JobRow>> = Vec::new();
    for row in off {
        let is_of = |act: &&mut Vec<&JobRow>| match (act.first(), act.last()) {
            (Some(first), Some(last)) if first.by == row.by && first.why == row.why => match ran(row) {
                // It ran when it was asked to stop, and took its time.
                true => row.started <= first.ended && first.ended <= row.ended,
                false => is_soon_after(row, last),
            },
            _ => false,
        };
        match acts.iter_mut().rfind(is_of) {
            Some(act) => act.push(row),
            None => acts.push(vec![row]),
        }
    }
    acts
}

/// Jobs that belong together; `None` when all of them have happened.
fn plan(rows: &[&JobRow], kinds: &DeskKinds) -> Option<DeskPlan> {
    let mut steps: Vec<Step> = rows.iter().map(|row| step(row, kinds)).collect();
    steps.sort_by(|a, b| (a.due, &a.id).cmp(&(b.due, &b.id)));
    let is_live = steps.iter().any(|step| !step.state.is_final());
    // What runs and was asked to stop keeps nothing of the rest from being put back.
    let is_ahead = steps.iter().any(|step| !step.state.is_final() && !step.asked_to_stop);
    let off = if is_ahead { None } else { off(rows, kinds) };
    if off.is_none() && !is_live {
        return None;
    }
    shorten(&mut steps, off.is_some());
    // What has been done already is nothing to call off: it does not name what is still to come.
    let counts = |row: &JobRow| off.is_some() || !row.state.is_final();
    let main = rows.iter().filter(|row| kinds.is_main(&row.kind) && counts(row));
    let comes_to = main.max_by_key(|row| row.due).map(|row| row.kind.clone());
    let since = rows.iter().map(|row| row.created).min()?;
    let (id, version, name, held) = (None, None, None, None);
    Some(DeskPlan { id, version, name, comes_to, since, held, off, has_receipt: false, steps })
}

/// Leaves out what has ended, the oldest first, until no more is left than is shown at once. What can still be acted on
/// stays, however much that is.
fn shorten(steps: &mut Vec<Step>, is_off: bool) {
    let mut beyond = steps.len().saturating_sub(STEPS_SHOWN);
    steps.retain(|step| {
        let counts = !step.state.is_final() || is_off && step.state == JobState::Cancelled;
        let stays = counts || beyond == 0;
        beyond = beyond.saturating_sub(usize::from(!stays));
        stays
    });
}

/// Who called it off, when and why; `None` where what everything is about has happened, failed, or was left out.
fn off(rows: &[&JobRow], kinds: &DeskKinds) -> Option<Doing> {
    let main = rows.iter().filter(|row| kinds.is_main(&row.kind)).max_by_key(|row| row.due);
    let main = main.or_else(|| rows.iter().max_by_key(|row| row.due))?;
    if !is_called_off(main) {
        return None;
    }
    let called_off = || rows.iter().filter(|row| is_called_off(row));
    let last = called_off().max_by_key(|row| (!ran(row), row.ended))?;
    // What ran ended when its worker stopped, which is not when the act was.
    let together = called_off().filter(|row| !ran(row) && row.by == last.by && row.why == last.why);
    let mut times: Vec<Timestamp> = together.filter_map(|row| row.ended).collect();
    times.sort_unstable_by(|a, b| b.cmp(a));
    let first =
        times.into_iter().reduce(|first, at| if first.millis_since(at) <= REPEAT_MS { at } else { first });
    Some(doing(first.or(last.ended).unwrap_or(last.due), &last.by, &last.why))
}

/// Whether somebody called it off, and neither its time nor what it waited for did.
fn is_called_off(row: &JobRow) -> bool {
    row.state == JobState::Cancelled && row.why != TIME_PASSED && !is_script(&row.by)
}

/// Whether it was under way when it was called off.
fn ran(row: &JobRow) -> bool {
    row.cancelled_from == Some(JobState::Active)
}

/// Whether a job was called off within a minute of another one.
fn is_soon_after(row: &JobRow, other: &JobRow) -> bool {
    let after_ms = row.ended.zip(other.ended).map(|(ended, before)| ended.millis_since(before));
    after_ms.is_some_and(|ms| ms <= REPEAT_MS)
}

fn holder(by: &str, why: &str) -> Holder {
    Holder { by: by.to_owned(), why: why.to_owned() }
}

fn doing(at: Timestamp, by: &str, why: &str) -> Doing {
    Doing { at, by: by.to_owned(), why: why.to_owned() }
}

/// What has ended and is not part of what is shown above it.
fn outcomes(about: &About, plans: &[DeskPlan], kinds: &DeskKinds) -> Vec<Outcome> {
    let shown: BTreeSet<&JobId> =
        plans.iter().flat_map(|plan| plan.steps.iter().map(|step| &step.id)).collect();
    let kept = about.jobs.iter().filter(|row| !shown.contains(&row.id) && !kinds.is_hidden(&row.kind));
    let kept = kept.filter(|row| row.state.is_final()).filter_map(|row| {
        let at = row.ended?;
        let when = if at == row.created { LeftOut::Made } else { LeftOut::Later };
        Some(outcome(row.kind.clone(), row.state, at, (&row.by, &row.why), when))
    });
    let gone = about.receipts.iter().filter(|receipt| !kinds.is_hidden(&receipt.kind)).map(|receipt| {
        let who = (receipt.by.as_str(), receipt.why.as_str());
        outcome(receipt.kind.clone(), receipt.state, receipt.at, who, LeftOut::Later)
    });
    let recent = |outcome: &Outcome| about.read_at.millis_since(outcome.at) <= OUTCOMES_MS;
    let mut outcomes: Vec<Outcome> = kept.chain(gone).filter(recent).collect();
    outcomes.sort_by_key(|outcome| std::cmp::Reverse(outcome.at));
    outcomes.truncate(OUTCOMES_MAX);
    outcomes
}

/// What became of one job; `late` is how it was left out, if its time had passed.
fn outcome(kind: Kind, state: JobState, at: Timestamp, (by, why): (&str, &str), late: LeftOut) -> Outcome {
    let is_cancelled = state == JobState::Cancelled;
    let left_out = match is_cancelled {
        true if why == TIME_PASSED || is_script(by) && why.starts_with(EXPIRED) => Some(late),
        true if is_script(by) => Some(LeftOut::Waited),
        _ => None,
    };
    let told = |text: &str| if is_cancelled { text.to_owned() } else { String::new() };
    Outcome { kind, state, at, by: told(by), why: told(why), left_out }
}

#[cfg(test)]
mod tests {
    use super::super::DeskVerb;
    use super::super::tests::row as given;
    use super::*;
    use crate::model::{Offset, PlanId, PlanStep, StepName, Subject};
    use serde_json::json;

    /// What the clock shows in these tests, in ms.
    const NOW: i64 = 1_786_525_200_000;

    fn kinds() -> DeskKinds {
        DeskKinds { main: ["delete".to_owned()].into(), ..DeskKinds::default() }
    }

    /// A job as lists show it, due so many hours from now, without its end.
    fn row(kind: &str, state: &str, hours: i64) -> JobRow {
        given(&json!({
            "id": format!("{kind}-{hours}"), "kind": kind, "subject": "resource:1", "state": state, "by": "api",
            "due": NOW + hours * 3_600_000, "created": NOW - 86_400_000, "created_by": "api",
        }))
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
        Desk::of(&about, &kinds(), None)
    }

    #[test]
    fn a_deletion_that_is_done_is_not_there_to_be_called_off() {
        let late = of(vec![row("notice", "ready", -2), ended(row("delete", "done", -1), 1)]);
        let plan = &late.plans[0];
        assert_eq!((&plan.comes_to, plan.main().unwrap().kind.as_str()), (&None, "notice"));

        let early = of(vec![ended(row("notice", "done", -2), 2), row("delete", "delayed", 1)]);
        let plan = &early.plans[0];
        let main = &plan.main().unwrap().kind;
        assert_eq!((plan.comes_to.as_ref(), main.as_str()), (Some(main), "delete"));
    }

    #[test]
    fn without_a_main_step_the_next_that_has_not_begun_is_postponed() {
        let several =
            of(vec![row("notice", "active", -1), row("notice", "delayed", 5), row("notice", "delayed", 9)]);
        assert_eq!(several.plans[0].main().unwrap().due.as_millis(), NOW + 5 * 3_600_000);
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
            let plan = of(vec![held]).plans.remove(0);
            assert_eq!(plan.steps[0].gate, gate, "{why}");
            assert_eq!(plan.held.is_some(), gate.is_none(), "{why}");
            assert_eq!(plan.passed(DeskVerb::Release, now).is_empty(), gate.is_some(), "{why}");
        }
    }

    #[test]
    fn nobody_is_asked_for_the_time_of_what_is_put_back_on_hold() {
        let now = Timestamp::from_millis(NOW).unwrap();
        let mut held = ended(row("notice", "cancelled", -2), 3);
        (held.cancelled_from, held.held_again) = (Some(JobState::Held), true);
        // It waited for the notice when it was called off: its time is asked for.
        let mut waited = ended(row("delete", "cancelled", -1), 3);
        waited.cancelled_from = Some(JobState::Held);
        let off = of(vec![held, waited]);
        let mut plan = off.plans[0].clone();

        let passed = plan.passed(DeskVerb::PutBack, now);
        let passed: Vec<_> = passed.iter().map(|step| step.kind.as_str()).collect();
        assert_eq!(passed, ["delete"]);

        // Its plan is held: all of it is put back on hold.
        plan.held = Some(holder("ann", ""));
        assert!(plan.passed(DeskVerb::PutBack, now).is_empty());
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
        let mut too_late = ended(row("notice", "cancelled", -3), 2);
        (too_late.by, too_late.why) =
            ("forwarder".to_owned(), "expired: 9 ms late, at most 1 are allowed".to_owned());
        let mut shut = ended(row("notice", "cancelled", -2), 1);
        (shut.by, shut.why) = ("gate".to_owned(), "first is dead".to_owned());

        let desk = of(vec![at_once, later, by_hand, too_late, shut, deletion]);

        let left_out: Vec<_> = desk.outcomes.iter().map(|outcome| outcome.left_out).collect();
        let expected = [LeftOut::Waited, LeftOut::Later, LeftOut::Later, LeftOut::Made];
        assert_eq!(left_out, expected.map(Some), "the one that somebody called off stands above");
        assert_eq!(desk.plans[1].off.as_ref().unwrap().why, "Customer asked");
    }

    /// A job that ran when Ann asked it to stop `asked_ms` before now, and stopped `stopped_ms` before now.
    fn stopped(mut row: JobRow, asked_ms: i64, stopped_ms: i64) -> JobRow {
        row.started = Timestamp::from_millis(NOW - asked_ms - 1_000);
        row.cancelled_from = Some(JobState::Active);
        off_by(row, "ann", "Customer asked", stopped_ms)
    }

    /// A job that was called off so long before now.
    fn off_by(mut row: JobRow, by: &str, why: &str, before_ms: i64) -> JobRow {
        (row.by, row.why, row.state) = (by.to_owned(), why.to_owned(), JobState::Cancelled);
        row.ended = Timestamp::from_millis(NOW - before_ms);
        row
    }

    fn ids(plan: &DeskPlan) -> Vec<&str> {
        plan.steps.iter().map(|step| step.id.as_str()).collect()
    }

    #[test]
    fn what_stops_long_after_it_was_asked_takes_the_act_with_it_to_no_other_time() {
        let by_ann =
            |hours, before_ms| off_by(row("delete", "cancelled", hours), "ann", "Customer asked", before_ms);
        let rows = vec![
            stopped(row("notice", "cancelled", -1), 90_000, 30_000),
            by_ann(1, 90_000),
            // What broke off half-way was done once more.
            by_ann(2, 60_000),
            off_by(row("notice", "cancelled", 3), "ben", "Customer asked", 60_000),
            off_by(row("notice", "cancelled", 4), "ann", "Duplicate", 60_000),
            by_ann(5, 7_200_000),
        ];
        let mut about = About::new(Subject::new("resource:1").unwrap(), Timestamp::from_millis(NOW).unwrap());
        about.jobs = rows;

        let plans = Desk::whole(&about, &kinds()).plans;

        let act = plans.iter().find(|plan| plan.steps.len() > 1).unwrap();
        assert_eq!(ids(act), ["notice--1", "delete-1", "delete-2"]);
        assert_eq!(act.off.as_ref().unwrap().at.as_millis(), NOW - 90_000, "when it was asked for");
        assert_eq!(plans.len(), 4);
        let keys: BTreeSet<String> = plans.iter().map(DeskPlan::key).collect();
        assert_eq!(keys.len(), 4, "{keys:?}");
    }

    #[test]
    fn what_was_called_off_can_be_put_back_while_something_newer_is_to_come() {
        let mut newer = row("notice", "delayed", 5);
        newer.created = Timestamp::from_millis(NOW).unwrap();
        let off = off_by(row("delete", "cancelled", 9), "ann", "Customer asked", 3_600_000);

        let desk = of(vec![off, newer]);

        let shown: Vec<_> = desk.plans.iter().map(|plan| (plan.off.is_some(), ids(plan))).collect();
        assert_eq!(shown, [(false, vec!["notice-5"]), (true, vec!["delete-9"])]);
        assert!(desk.plans[0].key() != desk.plans[1].key());
        assert_eq!(desk.outcomes, [], "it is told once");
    }

    #[test]
    fn what_somebody_is_asked_about_is_shown_beside_what_was_called_off_last() {
        let mut about = About::new(Subject::new("resource:1").unwrap(), Timestamp::from_millis(NOW).unwrap());
        let by_ann = |hours, before_ms| off_by(row("delete", "cancelled", hours), "ann", "", before_ms);
        about.jobs = vec![by_ann(1, 3_600_000), by_ann(2, 7_200_000), by_ann(3, 9_000_000)];
        let shown = |of: Option<&str>| -> Vec<String> {
            let plans = Desk::of(&about, &kinds(), of).plans;
            plans.iter().flat_map(ids).map(ToOwned::to_owned).collect()
        };

        let asked = Desk::whole(&about, &kinds()).plans[1].key();

        assert_eq!(shown(Some(&asked)), ["delete-1", "delete-2"]);
        assert_eq!(shown(None), ["delete-1"]);
        assert_eq!(shown(Some("gone since")), ["delete-1"]);
    }

    #[test]
    fn what_is_to_come_is_there_however_much_it_is_and_what_has_ended_makes_room() {
        let mut rows: Vec<JobRow> = (1..=40).map(|hours| row("notice", "delayed", hours)).collect();
        rows.extend((1..=9).map(|hours| ended(row("notice", "done", -hours), hours)));
        let plan = of(rows).plans.remove(0);
        assert_eq!(plan.steps.len(), 40);
        assert_eq!(plan.steps[0].id.as_str(), "notice-1", "the soonest of all");
        assert!(plan.steps.iter().any(|step| step.id.as_str() == "notice-40"));

        let mut rows: Vec<JobRow> = (1..=30).map(|hours| row("notice", "delayed", hours)).collect();
        rows.extend((1..=9).map(|hours| ended(row("notice", "done", -hours), hours)));
        let plan = of(rows).plans.remove(0);
        assert_eq!(plan.steps.len(), STEPS_SHOWN);
        assert_eq!(plan.steps[0].id.as_str(), "notice--2", "the latest that has been");
    }

    #[test]
    fn what_has_happened_was_called_off_by_nobody_whatever_was_left_out_of_it() {
        let ran = |rows: &[JobRow]| off(&rows.iter().collect::<Vec<_>>(), &kinds());
        let done = ended(row("delete", "done", -1), 1);
        let by_ann = off_by(row("notice", "cancelled", -3), "ann", "Customer asked", 3 * 3_600_000);
        let late = off_by(row("delete", "cancelled", -1), "api", TIME_PASSED, 3_600_000);
        let shut = off_by(row("delete", "cancelled", -1), "gate", "notice is dead", 3_600_000);
        for main in [done, late, shut] {
            assert_eq!(ran(&[by_ann.clone(), main.clone()]), None, "{}", main.why);
        }
        let both = ran(&[by_ann, off_by(row("delete", "cancelled", -1), "ben", "", 7_000_000)]);
        assert_eq!(both.unwrap().by, "ben", "the latest act");
    }

    #[test]
    fn what_was_partly_called_off_can_be_put_back_while_the_rest_still_runs() {
        let asked = |kind, hours| {
            let mut row = row(kind, "active", hours);
            row.cancel_requested = Timestamp::from_millis(NOW - 60_000);
            row
        };
        let by_ann = |kind, hours| off_by(row(kind, "cancelled", hours), "ann", "", 60_000);
        let plan = |name: &str, rows: Vec<JobRow>| {
            let (id, now) = (PlanId::new(name).unwrap(), Timestamp::from_millis(NOW).unwrap());
            let mut plan = Plan::new(id, Subject::new("resource:1").unwrap(), now, now);
            for (row, step) in rows.into_iter().zip(["a", "b"]) {
                let name = StepName::new(step).unwrap();
                plan.steps.push(PlanStep::new(name, Offset::millis(0), row.id.clone()));
                plan.steps.last_mut().unwrap().job = Some(row);
            }
            plan
        };
        let shown = |plans: Vec<Plan>| {
            let mut about =
                About::new(Subject::new("resource:1").unwrap(), Timestamp::from_millis(NOW).unwrap());
            about.plans = plans;
            Desk::of(&about, &kinds(), None).plans
        };

        let partly = plan("partly", vec![asked("notice", -1), by_ann("delete", 1)]);
        let off = shown(vec![partly.clone()]).remove(0);
        assert_eq!(off.off.as_ref().unwrap().by, "ann");
        assert_eq!(off.comes_to.as_ref().map(Kind::as_str), Some("delete"));
        assert_eq!(off.steps.len(), 2);

        for goes_on in [
            vec![row("notice", "active", -1), by_ann("delete", 1)],
            vec![by_ann("notice", -1), asked("delete", 1)],
            vec![asked("notice", -1)],
        ] {
            assert_eq!(shown(vec![plan("p", goes_on)]).remove(0).off, None);
        }

        let later = plan("later", vec![off_by(row("delete", "cancelled", 2), "ann", "", 1_000)]);
        assert_eq!(shown(vec![partly, later]).len(), 2, "what runs is shown, whatever was called off since");
    }

    #[test]
    fn what_was_called_off_one_after_the_other_was_called_off_when_the_first_of_it_was() {
        let by_ann = |hours, before_ms| off_by(row("notice", "cancelled", hours), "ann", "", before_ms);
        let rows = vec![by_ann(1, 200_000), by_ann(2, 150_000), by_ann(3, 100_000), by_ann(4, 60_000)];
        let plan = of(rows).plans.remove(0);
        assert_eq!(plan.steps.len(), 4);
        assert_eq!(plan.off.unwrap().at.as_millis(), NOW - 200_000);
    }
}
