//! Doing it, in one step: by the verbs of a plan, or of its jobs where there is none.

use super::{Desk, DeskAnswer, DeskOutcome, DeskVerb, Step, StepOutcome, Told};
use crate::error::Result;
use crate::inspector::Operator;
use crate::model::{
    Delay, JobId, JobState, JobsAnswer, JobsWord, Offset, Past, PlanAnswer, PlanId, PlanWord, Standing,
    Version,
};
use crate::new_plan::Anchor;

/// What somebody wants done, and what they saw.
#[derive(Debug)]
pub struct DeskWish {
    /// What.
    pub verb: DeskVerb,
    /// How much later, for a postponement.
    pub later: Delay,
    /// What becomes of steps whose time has passed.
    pub past: Past,
    /// Why; empty where nothing was said.
    pub why: String,
    /// Under which a repeat gets the first answer; empty for none.
    pub operation: String,
}

impl Operator {
    /// Does it to a plan, in one step.
    ///
    /// # Errors
    /// Those of the verbs of [plans](Operator::plan).
    pub async fn desk_plan(
        &self,
        desk: &Desk,
        plan: &PlanId,
        seen: Option<Version>,
        wish: &DeskWish,
    ) -> Result<DeskAnswer> {
        let acts = self.plan(plan);
        let act = match wish.verb {
            DeskVerb::CallOff => acts.cancel(),
            DeskVerb::PutBack => acts.reinstate(),
            DeskVerb::Postpone => acts.reanchor(Anchor::By(Offset::after(wish.later))),
            DeskVerb::Hold => acts.hold(),
            DeskVerb::Release => acts.unhold(),
        };
        // To call it off is to call off whatever it has become.
        let seen = seen.filter(|_| wish.verb != DeskVerb::CallOff);
        let act = act.past(wish.past).seen_if(seen).because(&wish.why).operation(&wish.operation);
        Ok(of_plan(wish.verb, desk, &act.await?))
    }

    /// Does it to the jobs that were on screen, in one step. What came since then was not on anybody's mind.
    ///
    /// # Errors
    /// Those of the verbs of [jobs](Operator::jobs_of).
    pub async fn desk_jobs(
        &self,
        desk: &Desk,
        seen: &[(JobId, Version)],
        wish: &DeskWish,
    ) -> Result<DeskAnswer> {
        let of_none = || desk.plans.iter().filter(|plan| plan.id.is_none()).flat_map(|plan| &plan.steps);
        let jobs = seen.iter().filter(|(id, _)| of_none().any(|step| step.id == *id)).cloned();
        let acts = self.jobs_of(&desk.subject, jobs);
        let act = match wish.verb {
            DeskVerb::CallOff => acts.cancel(),
            DeskVerb::PutBack => acts.reinstate(),
            DeskVerb::Postpone => acts.postpone(wish.later),
            DeskVerb::Hold => acts.hold(),
            DeskVerb::Release => acts.unhold(),
        };
        let answer = act.past(wish.past).because(&wish.why).operation(&wish.operation).await?;
        Ok(of_jobs(wish.verb, of_none(), &answer))
    }
}

fn of_plan(verb: DeskVerb, desk: &Desk, answer: &PlanAnswer) -> DeskAnswer {
    let known = |id: &JobId| desk.plans.iter().flat_map(|plan| &plan.steps).find(|step| step.id == *id);
    let steps: Vec<Told> = answer
        .steps
        .iter()
        .filter_map(|step| {
            let standing = step.standing.as_ref()?;
            let outcome = outcome(verb, &step.outcome, standing, StepOutcome::UnderWay, false);
            Some(Told { kind: known(&standing.id)?.kind.clone(), due: Some(standing.due), outcome })
        })
        .collect();
    let outcome = match answer.outcome {
        PlanWord::Past => DeskOutcome::Past,
        PlanWord::Conflict => DeskOutcome::Conflict,
        PlanWord::Unchanged => DeskOutcome::Nothing,
        // What goes on is on hold with its plan once it would be tried again; what a plan is put back without stays called off.
        _ => match summed(&steps, verb != DeskVerb::PutBack) {
            DeskOutcome::GoesOn if verb == DeskVerb::Hold => DeskOutcome::Partly,
            outcome => outcome,
        },
    };
    DeskAnswer { verb, outcome, steps, at: answer.at }
}

/// Nothing to do, or something done, and whether anything goes on all the same. A plan leaves a step out whose time has passed; a job of none stays as it was.
fn summed(steps: &[Told], leaves_out: bool) -> DeskOutcome {
    let idle = |told: &Told| match told.outcome {
        StepOutcome::Past => !leaves_out,
        outcome => outcome.is_before() || matches!(outcome, StepOutcome::Stays | StepOutcome::GoesOn),
    };
    let goes_on = steps.iter().any(|told| told.outcome == StepOutcome::GoesOn);
    match (steps.iter().all(idle), goes_on) {
        (false, false) => DeskOutcome::Done,
        (false, true) => DeskOutcome::Partly,
        (true, true) => DeskOutcome::GoesOn,
        (true, false) => DeskOutcome::Nothing,
    }
}

fn of_jobs<'a>(verb: DeskVerb, steps: impl Iterator<Item = &'a Step>, answer: &JobsAnswer) -> DeskAnswer {
    let told = |step: &Step| {
        let came = answer.jobs.iter().find(|job| job.standing.id == step.id)?;
        let outcome = outcome(verb, &came.outcome, &came.standing, asked(step), step.gate.is_some());
        Some(Told { kind: step.kind.clone(), due: Some(step.due), outcome })
    };
    let mut steps: Vec<Told> = steps.filter_map(told).collect();
    steps.sort_by_key(|told| told.due);
    let outcome = match answer.outcome {
        JobsWord::Past => DeskOutcome::Past,
        JobsWord::Conflict => DeskOutcome::Conflict,
        _ => summed(&steps, false),
    };
    DeskAnswer { verb, outcome, steps, at: answer.at }
}

/// Whether a step that was left as it was happens all the same, against what was asked for. What a person holds does not;
/// what waits for others does, once they are done.
const fn goes_on(verb: DeskVerb, state: JobState, is_gated: bool) -> bool {
    matches!(verb, DeskVerb::Hold | DeskVerb::Postpone)
        && match state {
            JobState::Delayed | JobState::Ready | JobState::Active | JobState::Retrying => true,
            JobState::Held => is_gated,
            _ => false,
        }
}

/// What became of a step that stands so now, by the engine's word for it. `asked` is what asking it to stop comes to.
fn outcome(verb: DeskVerb, word: &str, now: &Standing, asked: StepOutcome, is_gated: bool) -> StepOutcome {
    let runs = matches!(now.state, JobState::Ready | JobState::Delayed) && now.due <= now.at;
    match word {
        "requested" => asked,
        "already_finished" => StepOutcome::before(now.state),
        "past" | "skipped" => StepOutcome::Past,
        "stays" if goes_on(verb, now.state, is_gated) => StepOutcome::GoesOn,
        "stays" | "duplicate" | "subject_full" => StepOutcome::Stays,
        _ if verb == DeskVerb::PutBack && runs => StepOutcome::AtOnce,
        _ => StepOutcome::Done,
    }
}

/// What asking it to stop comes to: a step that was asked before is asked no second time, and nothing is written down.
const fn asked(step: &Step) -> StepOutcome {
    if step.asked_to_stop { StepOutcome::OffBefore } else { StepOutcome::UnderWay }
}

#[cfg(test)]
mod tests {
    use super::super::tests::step;
    use super::*;
    use crate::model::{Kind, Timestamp};

    #[test]
    fn a_job_that_was_left_alone_is_nothing_done_and_a_step_that_was_left_out_is() {
        let past = Told {
            kind: Kind::new("notice").unwrap(),
            due: Timestamp::from_millis(1_786_525_200_000),
            outcome: StepOutcome::Past,
        };
        let done = Told { outcome: StepOutcome::Done, ..past.clone() };
        let alone = std::slice::from_ref(&past);
        assert_eq!(summed(alone, false), DeskOutcome::Nothing);
        assert_eq!(summed(alone, true), DeskOutcome::Done);
        assert_eq!(summed(&[past, done], false), DeskOutcome::Done);
    }

    #[test]
    fn what_happens_all_the_same_is_neither_all_done_nor_nothing_to_do() {
        for (verb, state, is_gated, expected) in [
            (DeskVerb::Hold, JobState::Retrying, false, true),
            (DeskVerb::Hold, JobState::Active, false, true),
            (DeskVerb::Hold, JobState::Held, false, false),
            (DeskVerb::Hold, JobState::Held, true, true),
            (DeskVerb::Postpone, JobState::Ready, false, true),
            (DeskVerb::Postpone, JobState::Done, false, false),
            (DeskVerb::Release, JobState::Delayed, false, false),
        ] {
            assert_eq!(goes_on(verb, state, is_gated), expected, "{verb:?} {state}");
        }
        let told = |outcome| Told { kind: Kind::new("delete").unwrap(), due: None, outcome };
        let (goes_on, done) = (told(StepOutcome::GoesOn), told(StepOutcome::Done));
        assert_eq!(summed(std::slice::from_ref(&goes_on), false), DeskOutcome::GoesOn);
        assert_eq!(summed(&[goes_on, done], false), DeskOutcome::Partly);
    }

    #[test]
    fn what_was_asked_to_stop_is_asked_no_second_time() {
        let one = |asked_to_stop| Step { asked_to_stop, ..step("a", JobState::Active, Timestamp::EPOCH) };
        assert_eq!(asked(&one(false)), StepOutcome::UnderWay);
        assert_eq!(asked(&one(true)), StepOutcome::OffBefore);
    }
}
