//! What a receipt says of each step: from the audit, and from what has become of the jobs since.

use super::{DeskKinds, Doing, RECEIPT_SPREAD_MS, StepOutcome, Told};
use crate::model::{
    About, ActNoted, JobId, JobRow, JobState, Kind, Plan, PlanId, Receipt as Gone, Timestamp,
};
use std::collections::BTreeSet;

/// An act that called something off, as it was written down.
pub(super) struct Proof {
    pub(super) doing: Doing,
    pub(super) steps: Vec<Told>,
    /// Some of what was called off is to come again, or has happened since.
    pub(super) taken_back: bool,
    /// The jobs that it called off and that are called off still.
    pub(super) still_off: Vec<JobId>,
}

/// How calling one job off is written down.
const ONE: &str = "cancel";
/// And a plan.
const PLAN: &str = "cancel_plan";

/// The act of exactly that time. A plan is called off by one act; of jobs what the same person did to others right after it,
/// and for the same reason, is part of it, unless those are steps of another plan. `None` where nothing that is about this
/// subject was called off then.
pub(super) fn of(about: &About, noted: &[ActNoted], at: Timestamp, kinds: &DeskKinds) -> Option<Proof> {
    let mut acts =
        noted.iter().map(|act| (act, reached(about, act, kinds))).filter(|(_, jobs)| !jobs.is_empty());
    let (first, jobs) = acts.next().filter(|(act, _)| act.at == at)?;
    let plan = plan_of(about, first);
    let is_more = |act: &ActNoted| {
        act.verb == ONE && act.by == first.by && act.why == first.why && plan_of(about, act) == plan
    };
    let (mut told, mut last, mut met) = (vec![(first, jobs)], first.at, BTreeSet::from([&first.target]));
    for (act, jobs) in acts.filter(|(act, _)| first.verb == ONE && is_more(act)) {
        if act.at.millis_since(last) > RECEIPT_SPREAD_MS {
            break;
        }
        last = act.at;
        if met.insert(&act.target) {
            told.push((act, jobs));
        }
    }
    let doing = Doing { at: first.at, by: first.by.clone(), why: first.why.clone() };
    let (mut steps, mut taken_back, mut still_off) = (Vec::new(), false, Vec::new());
    for (act, job) in told.iter().flat_map(|(act, jobs)| jobs.iter().map(move |job| (act, job))) {
        let outcome = job.outcome(act);
        let is_off = match outcome {
            StepOutcome::Done => job.is_off_since(act.at),
            StepOutcome::UnderWay => job.has_stopped_since(act.at),
            _ => false,
        };
        taken_back |= outcome == StepOutcome::Done && !is_off;
        still_off.extend(is_off.then(|| job.id().clone()));
        steps.push(Told { kind: job.kind().clone(), due: job.due(), outcome });
    }
    steps.sort_by_key(|told| (told.due.is_none(), told.due));
    Some(Proof { doing, steps, taken_back, still_off })
}

/// Until when there may be more of the act of that time, by what is known to have been written down.
pub(super) fn until(noted: &[ActNoted], at: Timestamp) -> Timestamp {
    let begun: Vec<&ActNoted> = noted.iter().filter(|act| act.verb == ONE && act.at == at).collect();
    let is_of = |act: &&ActNoted| {
        act.verb == ONE && begun.iter().any(|first| first.by == act.by && first.why == act.why)
    };
    let last = noted.iter().filter(is_of).map(|act| act.at).max().unwrap_or(at);
    Timestamp::saturating_from_millis(last.as_millis().saturating_add(RECEIPT_SPREAD_MS))
}

/// The plan whose step a job is that was called off by itself.
fn plan_of<'a>(about: &'a About, act: &ActNoted) -> Option<&'a PlanId> {
    let has = |plan: &&Plan| plan.steps.iter().any(|step| step.id.as_str() == act.target);
    about.plans.iter().find(has).map(|plan| &plan.id)
}

/// A job that an act was about, or what is left of it.
enum Known<'a> {
    Row(&'a JobRow),
    Gone(&'a Gone),
}

/// The jobs of the subject that an act called off or found ended; none for an act that calls nothing off. What the desk
/// leaves alone is none of its business here either, unless it is a step of a plan, which is shown as a whole.
fn reached<'a>(about: &'a About, act: &ActNoted, kinds: &DeskKinds) -> Vec<Known<'a>> {
    let is_one = match act.verb.as_str() {
        ONE => true,
        PLAN => false,
        _ => return Vec::new(),
    };
    let is_its = |id: &str| if is_one { id == act.target } else { is_step(id, &act.target) };
    let plan = about.plans.iter().find(|plan| !is_one && plan.id.as_str() == act.target);
    let rows: Vec<&JobRow> = match plan {
        Some(plan) => plan.steps.iter().filter_map(|step| step.job.as_ref()).collect(),
        None => about.jobs.iter().filter(|row| is_its(row.id.as_str())).collect(),
    };
    let is_kept = |id: &str| rows.iter().any(|row| row.id.as_str() == id);
    let gone = about.receipts.iter().filter(|gone| is_its(gone.id.as_str()) && !is_kept(gone.id.as_str()));
    let gone: Vec<Known> = gone.map(Known::Gone).collect();
    let is_shown = |job: &Known| !is_one || !kinds.is_hidden(job.kind()) || plan_of(about, act).is_some();
    rows.iter().copied().map(Known::Row).chain(gone).filter(is_shown).collect()
}

/// Whether a job is a step of that plan: `<plan>/<step>`, and no name of a step has a stroke.
fn is_step(id: &str, plan: &str) -> bool {
    let step = id.strip_prefix(plan).and_then(|rest| rest.strip_prefix('/'));
    step.is_some_and(|step| !step.contains('/'))
}

impl Known<'_> {
    const fn id(&self) -> &JobId {
        match self {
            Self::Row(row) => &row.id,
            Self::Gone(gone) => &gone.id,
        }
    }

    const fn kind(&self) -> &Kind {
        match self {
            Self::Row(row) => &row.kind,
            Self::Gone(gone) => &gone.kind,
        }
    }

    fn due(&self) -> Option<Timestamp> {
        match self {
            Self::Row(row) => Some(row.due),
            Self::Gone(_) => None,
        }
    }

    /// What became of it by that act. Of a single job that is written down; of a plan's steps it is told from how they
    /// stand.
    fn outcome(&self, act: &ActNoted) -> StepOutcome {
        match (act.verb.as_str(), act.outcome.as_str(), self) {
            (ONE, "requested", _) => StepOutcome::UnderWay,
            (ONE, "cancelled", _) => StepOutcome::Done,
            (ONE, _, Self::Row(row)) => StepOutcome::before(row.state),
            (ONE, _, Self::Gone(gone)) => StepOutcome::before(gone.state),
            (_, _, Self::Row(row)) => of_step(row, act.at),
            (_, _, Self::Gone(gone)) => of_gone(gone, act.at),
        }
    }

    /// Whether it ran then and was stopped by that act, and not in a run that came later.
    fn has_stopped_since(&self, at: Timestamp) -> bool {
        match self {
            Self::Row(row) => {
                row.state == JobState::Cancelled
                    && row.cancelled_from == Some(JobState::Active)
                    && row.started.is_some_and(|started| started <= at)
            }
            Self::Gone(_) => false,
        }
    }

    /// Whether it is called off as it was then, and not once more since.
    fn is_off_since(&self, at: Timestamp) -> bool {
        let (state, ended) = match self {
            Self::Row(row) => (row.state, row.ended),
            Self::Gone(gone) => (gone.state, Some(gone.at)),
        };
        state == JobState::Cancelled && ended.is_some_and(|ended| ended.millis_since(at) <= RECEIPT_SPREAD_MS)
    }
}

/// What became of a plan's step when the plan was called off: what had not ended by then was called off, unless it ran.
/// What ran and was done all the same says nothing any more of being asked to stop.
fn of_step(row: &JobRow, at: Timestamp) -> StepOutcome {
    // What was called off ended at that very instant; anything else that ended at it had ended before.
    let before = |ended: Timestamp| ended < at || ended == at && row.state != JobState::Cancelled;
    if row.ended.is_some_and(before) {
        return StepOutcome::before(row.state);
    }
    let ran = row.started.is_some_and(|started| started <= at)
        && match row.state {
            JobState::Done => true,
            JobState::Cancelled => row.cancelled_from == Some(JobState::Active),
            JobState::Active => row.attempt > 0 && row.cancel_requested.is_some(),
            _ => false,
        };
    if ran { StepOutcome::UnderWay } else { StepOutcome::Done }
}

/// The same of a step that is gone. One that ended later either ran then or was put back; which of the two is known no
/// more, so no more is claimed than that it may have been finished.
fn of_gone(gone: &Gone, at: Timestamp) -> StepOutcome {
    match gone.state {
        JobState::Cancelled if gone.at == at => StepOutcome::Done,
        state if gone.at <= at => StepOutcome::before(state),
        JobState::Done | JobState::Cancelled => StepOutcome::UnderWay,
        // What is asked to stop does not die.
        _ => StepOutcome::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::row as given;
    use super::*;
    use crate::model::{Offset, PlanStep, QueueName, StepName, Subject};
    use serde_json::json;

    /// When the act was, in ms.
    const AT: i64 = 1_786_525_200_000;

    fn time(after_ms: i64) -> Timestamp {
        Timestamp::from_millis(AT + after_ms).unwrap()
    }

    /// A step in that state, begun and ended so long after the act.
    fn row(state: &str, started: Option<i64>, ended: Option<i64>, cancelled_from: Option<&str>) -> JobRow {
        given(&json!({
            "id": "p/delete", "kind": "delete", "subject": "resource:1", "state": state, "version": 4, "attempt": 1,
            "due": AT - 60_000, "created": AT - 90_000, "by": "ann", "created_by": "api",
            "started": started.map(|ms| AT + ms), "ended": ended.map(|ms| AT + ms),
            "cancel_requested": (state == "active").then_some(AT), "cancelled_from": cancelled_from,
        }))
    }

    #[test]
    fn what_ran_when_its_plan_was_called_off_is_never_said_to_be_called_off() {
        use StepOutcome::{Done, Ended, FailedBefore, OffBefore, UnderWay};
        for (state, started, ended, from, expected) in [
            ("active", Some(-9), None, None, UnderWay),
            ("done", Some(-9), Some(20_000), None, UnderWay),
            ("cancelled", Some(-9), Some(20_000), Some("active"), UnderWay),
            ("cancelled", Some(-9), Some(0), Some("retrying"), Done),
            ("cancelled", None, Some(0), Some("delayed"), Done),
            ("done", Some(-9), Some(-5), None, Ended),
            ("done", Some(-9), Some(0), None, Ended),
            ("dead", Some(-9), Some(-5), None, FailedBefore),
            ("cancelled", None, Some(-5), Some("delayed"), OffBefore),
            // Put back since, and done then.
            ("done", Some(30_000), Some(40_000), None, Done),
            ("delayed", Some(-9), None, None, Done),
        ] {
            let outcome = of_step(&row(state, started, ended, from), time(0));
            assert_eq!(outcome, expected, "{state} {started:?} {ended:?} {from:?}");
        }
    }

    #[test]
    fn a_receipt_outlives_its_jobs() {
        let mut about = About::new(Subject::new("resource:1").unwrap(), time(90_000));
        let gone = |id: &str, state, after_ms| {
            let (id, by, why) = (JobId::new(id).unwrap(), "ann".to_owned(), String::new());
            let (kind, queue) = (Kind::new("delete").unwrap(), QueueName::new("mail").unwrap());
            Gone::new(id, kind, queue, state, time(after_ms), by, why, time(60_000))
        };
        about.receipts = vec![
            gone("p/delete", JobState::Cancelled, 0),
            gone("p/notice", JobState::Done, -9),
            gone("p/q/delete", JobState::Cancelled, 0),
            gone("loose", JobState::Cancelled, 5),
        ];
        let kinds = DeskKinds::default();
        let told = |acts: &[ActNoted]| {
            let proof = of(&about, acts, time(0), &kinds)?;
            Some((proof.steps.iter().map(|told| told.outcome).collect::<Vec<_>>(), proof.taken_back))
        };

        let (outcomes, taken_back) = told(&[act(0, "cancel_plan", "p"), act(5, "cancel", "loose")]).unwrap();
        assert_eq!(outcomes, [StepOutcome::Done, StepOutcome::Ended], "a plan is an act of its own");
        assert!(!taken_back);
        assert!(told(&[act(0, "cancel_plan", "other")]).is_none(), "of another subject");
        assert!(told(&[act(5, "cancel", "loose")]).is_none(), "at another time");
        assert!(told(&[act(0, "purge", "loose")]).is_none(), "calls nothing off");
    }

    /// What is known of a subject with a plan of one step, and these jobs of no plan, each called off so long after the act.
    fn about(loose: &[(&str, &str, i64)]) -> About {
        let mut about = About::new(Subject::new("resource:1").unwrap(), time(90_000));
        let step = row("cancelled", None, Some(9), Some("delayed"));
        about.jobs = loose
            .iter()
            .map(|(id, kind, after_ms)| {
                let mut row = row("cancelled", None, Some(*after_ms), Some("delayed"));
                (row.id, row.kind) = (JobId::new(*id).unwrap(), Kind::new(*kind).unwrap());
                row
            })
            .collect();
        about.jobs.push(step.clone());
        let mut plan = Plan::new(PlanId::new("p").unwrap(), about.subject.clone(), time(0), time(-90_000));
        plan.steps.push(PlanStep::new(StepName::new("delete").unwrap(), Offset::millis(0), step.id.clone()));
        plan.steps[0].job = Some(step);
        about.plans.push(plan);
        about
    }

    /// One of Ann's acts, so long after the first.
    fn act(after_ms: i64, verb: &str, target: &str) -> ActNoted {
        let mut act = ActNoted::new(time(after_ms), "ann".to_owned(), verb.to_owned(), target.to_owned());
        act.outcome = "cancelled".to_owned();
        act
    }

    /// The jobs that the act of that time called off and that are called off still.
    fn still_off(about: &About, acts: &[ActNoted], after_ms: i64, kinds: &DeskKinds) -> Option<Vec<String>> {
        let proof = of(about, acts, time(after_ms), kinds)?;
        assert_eq!(proof.steps.len(), proof.still_off.len());
        Some(proof.still_off.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_receipt_tells_of_a_plan_or_of_jobs_of_none_and_never_of_both() {
        let about = about(&[("a", "notice", 0), ("b", "notice", 12)]);
        let acts = [
            act(0, "cancel", "a"),
            act(6, "cancel", "p/delete"),
            act(9, "cancel_plan", "p"),
            act(12, "cancel", "b"),
        ];
        let off = |after_ms| still_off(&about, &acts, after_ms, &DeskKinds::default()).unwrap();

        assert_eq!(off(0), ["a", "b"]);

        let acts = &acts[2..];
        let of_plan = still_off(&about, acts, 9, &DeskKinds::default()).unwrap();
        assert_eq!(of_plan, ["p/delete"]);
    }

    #[test]
    fn jobs_that_were_called_off_one_after_the_other_are_one_act_however_long_that_took() {
        let about = about(&[
            ("a", "notice", 0),
            ("b", "notice", 8_000),
            ("c", "notice", 15_000),
            ("d", "notice", 25_001),
        ]);
        let mut acts: Vec<ActNoted> = about
            .jobs
            .iter()
            .take(4)
            .map(|row| act(row.ended.unwrap().millis_since(time(0)), "cancel", row.id.as_str()))
            .collect();
        let mut other = act(9_000, "cancel", "z");
        other.by = "ben".to_owned();
        acts.insert(2, other);

        assert_eq!(still_off(&about, &acts, 0, &DeskKinds::default()).unwrap(), ["a", "b", "c"]);
        assert_eq!(still_off(&about, &acts[4..], 25_001, &DeskKinds::default()).unwrap(), ["d"]);
        assert_eq!(until(&acts[..1], time(0)), time(10_000));
        assert_eq!(until(&acts[..4], time(0)), time(25_000));
        assert_eq!(until(&[act(0, "cancel_plan", "p"), act(5, "cancel", "a")], time(0)), time(10_000));
    }

    #[test]
    fn what_the_desk_leaves_alone_is_on_no_receipt_unless_it_is_a_step_of_a_plan() {
        let hidden = ["backup", "delete"].map(str::to_owned).into();
        let kinds = DeskKinds { hidden, ..DeskKinds::default() };
        let about = about(&[("a", "notice", 0), ("b", "backup", 0)]);

        let acts = [act(0, "cancel", "b"), act(0, "cancel", "a")];
        assert_eq!(still_off(&about, &acts, 0, &kinds).unwrap(), ["a"]);
        assert!(still_off(&about, &acts[..1], 0, &kinds).is_none());
        assert_eq!(still_off(&about, &[act(9, "cancel_plan", "p")], 9, &kinds).unwrap(), ["p/delete"]);
        assert_eq!(still_off(&about, &[act(9, "cancel", "p/delete")], 9, &kinds).unwrap(), ["p/delete"]);
    }
}
