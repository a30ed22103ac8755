//! The support desk: not jobs in queues, but what will happen to a customer's thing, when, and whether it can still be
//! called off. Which kinds of work count is the caller's to say ([`DeskKinds`]); what they are called is known to screens.

mod act;
mod gather;
mod number;
mod proof;
mod read;

pub use self::act::DeskWish;
pub use self::number::{receipt_number, receipt_time};

use crate::model::{JobId, JobState, Kind, PlanId, Subject, Timestamp, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The reason that the engine writes for what was left out of a plan since its time had passed (`lua/core/plan.lua`).
pub const TIME_PASSED: &str = "its time had passed";

/// What a place says of its kinds of work.
#[derive(Debug, Clone, Default)]
pub struct DeskKinds {
    /// What a plan comes to, as a deletion; all others are on the way to it, as a notice.
    pub main: BTreeSet<String>,
    /// Work that is no business of a customer's, as a backup: the desk neither shows nor touches it.
    pub hidden: BTreeSet<String>,
}

impl DeskKinds {
    fn is_main(&self, kind: &Kind) -> bool {
        self.main.contains(kind.as_str())
    }

    fn is_hidden(&self, kind: &Kind) -> bool {
        self.hidden.contains(kind.as_str())
    }
}

/// Everything the desk shows of one subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Desk {
    /// The subject.
    pub subject: Subject,
    /// What is planned or was called off last, the next to happen first.
    pub plans: Vec<DeskPlan>,
    /// What became of it in the last ninety days, the latest first.
    pub outcomes: Vec<Outcome>,
    /// When it was read, by Redis's clock.
    pub read_at: Timestamp,
}

/// Things that belong together: a plan, or the jobs of the subject that belong to none.
#[derive(Debug, Clone, PartialEq)]
pub struct DeskPlan {
    /// Which plan; `None` for jobs of no plan.
    pub id: Option<PlanId>,
    /// The version of the plan as it was read; `None` without a plan.
    pub version: Option<Version>,
    /// What the plan is called; `None` where it has no name, and without one.
    pub name: Option<Kind>,
    /// The main kind that it comes to; `None` where it has none, and once that has happened.
    pub comes_to: Option<Kind>,
    /// When it was begun.
    pub since: Timestamp,
    /// Who holds it; `None` while it is not held.
    pub held: Option<Holder>,
    /// Who called it off; `None` while something of it is to come.
    pub off: Option<Doing>,
    /// A receipt tells of it: it was called off by an act of its own, and that is still in the audit.
    pub has_receipt: bool,
    /// Its steps, in the order of their times. All that can be acted on; of the rest no more than [`STEPS_SHOWN`].
    pub steps: Vec<Step>,
}

/// Steps of a plan that are shown at once: as many as a plan may have.
pub const STEPS_SHOWN: usize = 32;

impl DeskPlan {
    /// What tells it from the other plans of its subject.
    pub fn key(&self) -> String {
        match (&self.id, &self.off) {
            (Some(plan), _) => plan.to_string(),
            (None, None) => String::new(),
            // No plan is called so: its id has no blanks.
            (None, Some(off)) => format!("off {} {}", off.at, off.by),
        }
    }

    /// The steps that are still to come or under way.
    pub fn ahead(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| !step.state.is_final())
    }

    /// The step that everything is about: of what is still to come the last that somebody called the main one, else
    /// the next that has not begun. Of a plan that is over, the last.
    pub fn main(&self) -> Option<&Step> {
        let open = || self.ahead().filter(|step| step.state != JobState::Active);
        open()
            .filter(|step| step.main)
            .last()
            .or_else(|| open().next())
            .or_else(|| self.ahead().next())
            .or_else(|| self.steps.iter().rfind(|step| step.main).or(self.steps.last()))
    }

    /// Whether something of it can be put on hold: of a plan all that waits can, of other jobs only what waits for its time.
    pub fn can_be_held(&self) -> bool {
        match self.id {
            Some(_) => self.held.is_none(),
            None => self.steps.iter().any(|step| step.state == JobState::Delayed),
        }
    }

    /// The steps that happen all the same when the rest is put on hold.
    pub fn beyond_hold(&self) -> impl Iterator<Item = &Step> {
        let of_plan = self.id.is_some();
        self.ahead().filter(move |step| match step.state {
            JobState::Active => true,
            JobState::Ready | JobState::Retrying => !of_plan,
            JobState::Held => !of_plan && step.gate.is_some(),
            _ => false,
        })
    }

    /// The steps that somebody has to be asked about before this is done, since their time has passed.
    ///
    /// None while there is nothing to put back or to take off hold: a notice that was left out of a plan that goes on
    /// is no question.
    pub fn passed(&self, verb: DeskVerb, now: Timestamp) -> Vec<&Step> {
        let state = match verb {
            DeskVerb::PutBack if self.off.is_some() && self.held.is_none() => JobState::Cancelled,
            DeskVerb::Release if self.held.is_some() => JobState::Held,
            _ => return Vec::new(),
        };
        let asks = |step: &&Step| step.state == state && !step.was_held && step.gate.is_none();
        self.steps.iter().filter(asks).filter(|step| step.due <= now).collect()
    }
}

/// Who did something, when and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doing {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub by: String,
    /// Why, as it was kept; empty when nothing was said.
    pub why: String,
}

/// Who holds something, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Who.
    pub by: String,
    /// Why, as it was kept; empty when nothing was said.
    pub why: String,
}

/// One thing that happens to a customer's thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its job.
    pub id: JobId,
    /// The version of the job as it was read.
    pub version: Version,
    /// What it does.
    pub kind: Kind,
    /// Where it stands.
    pub state: JobState,
    /// When it is due.
    pub due: Timestamp,
    /// When it was begun; `None` before.
    pub started: Option<Timestamp>,
    /// When it ended; `None` before.
    pub ended: Option<Timestamp>,
    /// Until when its job is kept; `None` before it has ended.
    pub kept_until: Option<Timestamp>,
    /// It runs and was asked to stop.
    pub asked_to_stop: bool,
    /// It was called off while somebody held it: put back, it is held again, and nobody has to be asked for a time.
    pub was_held: bool,
    /// What keeps it, where that is other steps and no person.
    pub gate: Option<Gate>,
    /// What everything is about: the deletion, not the notices before it.
    pub main: bool,
}

/// What keeps a step whose time has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Gate {
    /// What it waits for is not done yet.
    Waits,
    /// What it waits for will not be done.
    Shut,
}

/// What became of something that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What it was.
    pub kind: Kind,
    /// How it ended.
    pub state: JobState,
    /// When.
    pub at: Timestamp,
    /// Who called it off; empty for what nobody did.
    pub by: String,
    /// Why; empty when nothing was said.
    pub why: String,
    /// That nobody called it off: it was left out by itself. `None` for everything else.
    pub left_out: Option<LeftOut>,
}

/// When a step was left out, since its time had passed; or why else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// When its plan was made.
    Made,
    /// When its plan was moved or taken off hold; or nobody knows any more.
    Later,
    /// What it waited for was not done.
    Waited,
}

words! {
    /// What can be done about a plan.
    pub enum DeskVerb {
        /// Nothing of it shall happen.
        CallOff = "call_off",
        /// It shall happen after all, at the times it had.
        PutBack = "put_back",
        /// It shall happen later.
        Postpone = "postpone",
        /// It shall wait until somebody lets it go.
        Hold = "hold",
        /// It need not wait any more.
        Release = "release",
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeskOutcome {
    /// It was done to all that it concerns; of what was called off, see the steps.
    Done,
    /// It was done, but some steps go on as before; see which.
    Partly,
    /// Nothing was changed: all that is still to come goes on as before.
    GoesOn,
    /// The time of some steps has passed, and somebody has to choose. Nothing was changed.
    Past,
    /// It changed while somebody looked. Nothing was changed.
    Conflict,
    /// There was nothing to do.
    Nothing,
}

/// What became of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    /// What was asked for.
    Done,
    /// It was put back, and happens now: its time has passed.
    AtOnce,
    /// It was under way: it is asked to stop, but may be finished.
    UnderWay,
    /// It had been done before.
    Ended,
    /// It had been called off or left out before.
    OffBefore,
    /// It had failed before.
    FailedBefore,
    /// Its time has passed.
    Past,
    /// Nothing; it was not concerned.
    Stays,
    /// Nothing, and it happens all the same: it runs, is about to, or is to be tried again.
    GoesOn,
}

impl StepOutcome {
    /// Of a step that had ended before, by how it had.
    pub const fn before(state: JobState) -> Self {
        match state {
            JobState::Done => Self::Ended,
            JobState::Dead => Self::FailedBefore,
            // What was called off and waits again since is told as it was then.
            _ => Self::OffBefore,
        }
    }

    /// Nothing was left to do with it.
    pub const fn is_before(self) -> bool {
        matches!(self, Self::Ended | Self::OffBefore | Self::FailedBefore)
    }
}

/// What became of one step, for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// What it does.
    pub kind: Kind,
    /// Its time; `None` where that is known no more.
    pub due: Option<Timestamp>,
    /// What became of it.
    pub outcome: StepOutcome,
}

/// The answer to a verb.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeskAnswer {
    /// What was asked for.
    pub verb: DeskVerb,
    /// What came of it as a whole.
    pub outcome: DeskOutcome,
    /// And of each step.
    pub steps: Vec<Told>,
    /// When it was done: the name of its receipt.
    pub at: Timestamp,
}

/// The proof that something was called off.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    /// When, by whom and why.
    pub doing: Doing,
    /// What became of each step then.
    pub steps: Vec<Told>,
    /// Some of what was called off is to come again, or has happened since.
    pub taken_back: bool,
    /// The jobs that were called off then and still are.
    pub still_off: Vec<JobId>,
    /// How the subject stands now.
    pub desk: Desk,
}

/// How far an act that calls off came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Nothing of what was still to come happens.
    All,
    /// Some of it does not; some was under way and may be finished.
    Partly,
    /// All of it was under way: nobody knows whether it was stopped.
    Unsure,
    /// There was nothing left to stop.
    Nothing,
}

impl Receipt {
    /// How far it came.
    pub fn reach(&self) -> Reach {
        let any = |outcome| self.steps.iter().any(|told| told.outcome == outcome);
        match (any(StepOutcome::Done), any(StepOutcome::UnderWay)) {
            (true, false) => Reach::All,
            (true, true) => Reach::Partly,
            (false, true) => Reach::Unsure,
            (false, false) => Reach::Nothing,
        }
    }

    /// What was called off, if any of it still is: what can be put back. A plan is put back as a whole; of jobs of none
    /// those that the receipt tells of, whatever else was called off soon before or after them.
    pub fn plan(&self) -> Option<DeskPlan> {
        let is_theirs = |plan: &&DeskPlan| plan.off.as_ref().is_some_and(|off| off.by == self.doing.by);
        let is_told = |step: &Step| self.still_off.contains(&step.id);
        let has = |plan: &&DeskPlan| plan.steps.iter().any(is_told);
        let mut plan = self.desk.plans.iter().filter(is_theirs).find(has)?.clone();
        if plan.id.is_none() {
            plan.steps.retain(is_told);
        }
        Some(plan)
    }
}

/// Programs call jobs of no plan off one after the other: each within this many milliseconds of the one before it is one act.
pub const RECEIPT_SPREAD_MS: i64 = 10_000;

impl Step {
    /// One of which nothing else is to be said: for the engine and for tests of screens.
    #[must_use]
    pub const fn new(id: JobId, kind: Kind, state: JobState, due: Timestamp) -> Self {
        Self {
            id,
            version: Version(1),
            kind,
            state,
            due,
            started: None,
            ended: None,
            kept_until: None,
            asked_to_stop: false,
            was_held: false,
            gate: None,
            main: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::JobRow;
    use serde_json::{Value, json};

    /// A job as lists show it, of which a test says what matters.
    pub(super) fn row(more: &Value) -> JobRow {
        let mut row = json!({ "queue": "mail", "version": 1, "attempt": 0, "priority": 5, "error_line": "", "reason": "", "preview": "" });
        row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(row).unwrap()
    }

    /// A step of which nothing else is to be said.
    pub(super) fn step(id: &str, state: JobState, due: Timestamp) -> Step {
        Step::new(JobId::new(id).unwrap(), Kind::new("delete").unwrap(), state, due)
    }

    #[test]
    fn a_receipt_claims_no_more_than_is_known() {
        use StepOutcome::{Done, Ended, UnderWay};
        let at = Timestamp::from_millis(1_786_525_200_000).unwrap();
        let desk = Desk {
            subject: Subject::new("resource:1").unwrap(),
            plans: Vec::new(),
            outcomes: Vec::new(),
            read_at: at,
        };
        for (outcomes, reach) in [
            (vec![Ended, Done], Reach::All),
            (vec![UnderWay, Done], Reach::Partly),
            (vec![Ended, UnderWay], Reach::Unsure),
            (vec![Ended], Reach::Nothing),
        ] {
            let told = |outcome: &StepOutcome| Told {
                kind: Kind::new("delete").unwrap(),
                due: Some(at),
                outcome: *outcome,
            };
            let doing = Doing { at, by: String::new(), why: String::new() };
            let steps = outcomes.iter().map(told).collect();
            let receipt =
                Receipt { doing, steps, taken_back: false, still_off: Vec::new(), desk: desk.clone() };
            assert_eq!(receipt.reach(), reach, "{outcomes:?}");
        }
    }

    #[test]
    fn what_a_receipt_tells_of_can_be_put_back_whenever_the_rest_of_it_stopped() {
        let time = |after_ms: i64| Timestamp::from_millis(1_786_525_200_000 + after_ms).unwrap();
        let step = |id: &str, after_ms| Step {
            ended: Some(time(after_ms)),
            ..step(id, JobState::Cancelled, time(0))
        };
        let doing = |after_ms| Doing { at: time(after_ms), by: "ann".to_owned(), why: String::new() };
        let plan = |off, steps| DeskPlan {
            id: None,
            version: None,
            name: None,
            comes_to: None,
            since: time(0),
            held: None,
            off: Some(off),
            has_receipt: true,
            steps,
        };
        let repeated = plan(doing(0), vec![step("first", 0), step("ran", 20_000), step("repeated", 30_000)]);
        let later = plan(doing(50_000), vec![step("later", 50_000)]);
        let receipt = |after_ms, still_off: &[&str]| Receipt {
            doing: doing(after_ms),
            steps: Vec::new(),
            taken_back: false,
            still_off: still_off.iter().map(|id| JobId::new(*id).unwrap()).collect(),
            desk: Desk {
                subject: Subject::new("resource:1").unwrap(),
                plans: vec![later.clone(), repeated.clone()],
                outcomes: Vec::new(),
                read_at: time(60_000),
            },
        };
        for (after_ms, still_off, found) in [
            (0, ["first", "gone"].as_slice(), Some((&repeated, "first"))),
            (0, &["ran"], Some((&repeated, "ran"))),
            (30_000, &["repeated"], Some((&repeated, "repeated"))),
            (50_000, &["later"], Some((&later, "later"))),
            // Another of theirs was called off right after it: that is another's to put back.
            (49_000, &["gone"], None),
            (-20_000, &[], None),
        ] {
            let expected = found.map(|(plan, told)| DeskPlan {
                steps: plan.steps.iter().filter(|step| step.id.as_str() == told).cloned().collect(),
                ..plan.clone()
            });
            assert_eq!(receipt(after_ms, still_off).plan(), expected, "{after_ms} {still_off:?}");
        }
    }
}
