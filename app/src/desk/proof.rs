//! What a receipt says of each step: from the audit, and from what has become of the jobs since.

use reprieve::model::{About, ActNoted, JobRow, JobState, Kind, Receipt as Gone, Timestamp};

use super::vocabulary::Vocabulary;
use super::{Doing, RECEIPT_SPREAD_MS, StepOutcome, Told};

/// An act that called something off, as it was written down.
pub(crate) struct Proof {
    pub(crate) doing: Doing,
    pub(crate) steps: Vec<Told>,
    /// Some of what was called off is to come again, or has happened since.
    pub(crate) taken_back: bool,
}

/// The act of exactly that time, with what the same person did to others right after it and for the same reason. `None`
/// where nothing that is about this subject was called off then.
pub(crate) fn of(about: &About, noted: &[ActNoted], at: Timestamp, words: &Vocabulary) -> Option<Proof> {
    let acts: Vec<(&ActNoted, Vec<Known>)> = noted.iter().map(|act| (act, reached(about, act))).collect();
    let mut acts = acts.into_iter().filter(|(_, jobs)| !jobs.is_empty()).peekable();
    let (first, _) = acts.peek().filter(|(act, _)| act.at.millis_since(at) == 0)?;
    let doing = Doing { at: first.at, by: first.by.clone(), why: first.why.clone() };
    let (mut steps, mut taken_back) = (Vec::new(), false);
    for (act, jobs) in acts.filter(|(act, _)| act.by == doing.by && act.why == doing.why) {
        for job in jobs {
            let outcome = job.outcome(act);
            taken_back |= outcome == StepOutcome::Done && !job.is_off_since(act.at);
            steps.push(Told { label: words.step(job.kind()), due: job.due(), outcome });
        }
    }
    steps.sort_by_key(|told| (told.due.is_none(), told.due));
    Some(Proof { doing, steps, taken_back })
}

/// A job that an act was about, or what is left of it.
enum Known<'a> {
    Row(&'a JobRow),
    Gone(&'a Gone),
}

/// The jobs of the subject that an act called off or found ended; none for an act that calls nothing off.
fn reached<'a>(about: &'a About, act: &ActNoted) -> Vec<Known<'a>> {
    let is_its = |id: &str| match act.verb.as_str() {
        "cancel" => id == act.target,
        "cancel_plan" => is_step(id, &act.target),
        _ => false,
    };
    let plan = about.plans.iter().find(|plan| act.verb == "cancel_plan" && plan.id.as_str() == act.target);
    let rows: Vec<&JobRow> = match plan {
        Some(plan) => plan.steps.iter().filter_map(|step| step.job.as_ref()).collect(),
        None => about.jobs.iter().filter(|row| is_its(row.id.as_str())).collect(),
    };
    let is_kept = |id: &str| rows.iter().any(|row| row.id.as_str() == id);
    let gone = about.receipts.iter().filter(|gone| is_its(gone.id.as_str()) && !is_kept(gone.id.as_str()));
    let gone: Vec<Known> = gone.map(Known::Gone).collect();
    rows.iter().copied().map(Known::Row).chain(gone).collect()
}

/// Whether a job is a step of that plan: `<plan>/<step>`, and no name of a step has a stroke.
fn is_step(id: &str, plan: &str) -> bool {
    let step = id.strip_prefix(plan).and_then(|rest| rest.strip_prefix('/'));
    step.is_some_and(|step| !step.contains('/'))
}

impl Known<'_> {
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
            ("cancel", "requested", _) => StepOutcome::UnderWay,
            ("cancel", "cancelled", _) => StepOutcome::Done,
            ("cancel", _, Self::Row(row)) => StepOutcome::before(row.state),
            ("cancel", _, Self::Gone(gone)) => StepOutcome::before(gone.state),
            (_, _, Self::Row(row)) => of_step(row, act.at),
            (_, _, Self::Gone(gone)) => of_gone(gone, act.at),
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
    use reprieve::model::{JobId, QueueName, Subject};
    use serde_json::json;

    use super::*;

    /// When the act was, in ms.
    const AT: i64 = 1_786_525_200_000;

    fn time(after_ms: i64) -> Timestamp {
        Timestamp::from_millis(AT + after_ms).unwrap()
    }

    /// A step in that state, begun and ended so long after the act.
    fn row(state: &str, started: Option<i64>, ended: Option<i64>, cancelled_from: Option<&str>) -> JobRow {
        serde_json::from_value(json!({
            "id": "p/delete", "queue": "mail", "kind": "delete", "subject": "resource:1", "state": state, "version": 4,
            "attempt": 1, "max_attempts": null, "priority": 5, "due": AT - 60_000, "created": AT - 90_000, "ready": null,
            "started": started.map(|ms| AT + ms), "ended": ended.map(|ms| AT + ms), "kept_until": null,
            "lease_until": null, "worker": null, "error_line": "",
            "cancel_requested": (state == "active").then_some(AT), "by": "ann", "why": "", "preview": "",
            "created_by": "api", "percent": null, "held": null, "cancelled_from": cancelled_from,
        }))
        .unwrap()
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
        let act = |after_ms, verb: &str, target: &str| {
            let mut act = ActNoted::new(time(after_ms), "ann".to_owned(), verb.to_owned(), target.to_owned());
            act.outcome = "cancelled".to_owned();
            act
        };
        let words = Vocabulary::default();
        let told = |acts: &[ActNoted]| {
            let proof = of(&about, acts, time(0), &words)?;
            Some((proof.steps.iter().map(|told| told.outcome).collect::<Vec<_>>(), proof.taken_back))
        };

        let (outcomes, taken_back) = told(&[act(0, "cancel_plan", "p"), act(5, "cancel", "loose")]).unwrap();
        assert_eq!(outcomes, [StepOutcome::Done, StepOutcome::Ended, StepOutcome::Done]);
        assert!(!taken_back);
        assert!(told(&[act(0, "cancel_plan", "other")]).is_none(), "of another subject");
        assert!(told(&[act(5, "cancel", "loose")]).is_none(), "at another time");
        assert!(told(&[act(0, "purge", "loose")]).is_none(), "calls nothing off");
    }
}
