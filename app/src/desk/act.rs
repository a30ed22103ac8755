//! Doing it: by the verbs of a plan, or job by job where there is none.

use reprieve::model::{
    Cancelled, Delay, HeldBack, JobId, JobState, Offset, Past, PlanAnswer, PlanId, PlanWord, Reinstated,
    Released, Rescheduled, RetriedNow, Timestamp, Version,
};
use reprieve::{Anchor, Due, Error, Operator};

use super::{Desk, DeskAnswer, DeskOutcome, DeskVerb, Step, StepOutcome, Told};
use crate::error::ApiError;

/// What somebody wants done, and what they saw.
pub(crate) struct Wish {
    pub(crate) verb: DeskVerb,
    /// How much later, for a postponement.
    pub(crate) later: Delay,
    /// What becomes of steps whose time has passed.
    pub(crate) past: Past,
    pub(crate) why: String,
    pub(crate) operation: String,
}

/// Does it to a plan, in one step.
pub(crate) async fn on_plan(
    operator: &Operator,
    desk: &Desk,
    plan: &PlanId,
    seen: Option<Version>,
    wish: &Wish,
) -> Result<DeskAnswer, ApiError> {
    let acts = operator.plan(plan);
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

fn of_plan(verb: DeskVerb, desk: &Desk, answer: &PlanAnswer) -> DeskAnswer {
    let known = |id: &JobId| desk.plans.iter().flat_map(|plan| &plan.steps).find(|step| step.id == *id);
    let steps: Vec<Told> = answer
        .steps
        .iter()
        .filter_map(|step| {
            let standing = step.standing.as_ref()?;
            let outcome = match step.outcome.as_str() {
                "requested" => StepOutcome::UnderWay,
                "already_finished" => StepOutcome::before(standing.state),
                "past" | "skipped" => StepOutcome::Past,
                "stays" if goes_on(verb, standing.state, false) => StepOutcome::GoesOn,
                "stays" | "gone" => StepOutcome::Stays,
                _ => StepOutcome::Done,
            };
            Some(Told { label: known(&standing.id)?.label.clone(), due: Some(standing.due), outcome })
        })
        .collect();
    let outcome = match answer.outcome {
        PlanWord::Past => DeskOutcome::Past,
        PlanWord::Conflict => DeskOutcome::Conflict,
        PlanWord::Unchanged => DeskOutcome::Nothing,
        // What goes on is on hold with its plan once it would be tried again.
        _ => match summed(&steps, true) {
            DeskOutcome::GoesOn if verb == DeskVerb::Hold => DeskOutcome::Partly,
            outcome => outcome,
        },
    };
    DeskAnswer { verb, outcome, steps, at: answer.at }
}

/// Nothing to do, or something done, and whether anything goes on all the same. A plan leaves a step out whose time has passed; a job of none stays as it was.
fn summed(steps: &[Told], of_plan: bool) -> DeskOutcome {
    let idle = |told: &Told| match told.outcome {
        StepOutcome::Past => !of_plan,
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

/// Does it to the jobs that were on screen, one after the other, what matters most first.
pub(crate) async fn on_jobs(
    operator: &Operator,
    desk: &Desk,
    seen: &[(JobId, Version)],
    wish: &Wish,
) -> Result<DeskAnswer, ApiError> {
    let now = desk.read_at;
    let version = |step: &Step| seen.iter().find(|(id, _)| *id == step.id).map(|(_, version)| *version);
    // What came since then was not on anybody's mind.
    let of_none = desk.plans.iter().filter(|plan| plan.id.is_none());
    let mut steps: Vec<(&Step, Version)> =
        of_none.flat_map(|plan| &plan.steps).filter_map(|step| Some((step, version(step)?))).collect();
    // First what may turn out to have to be asked about: nothing else is done by then.
    let may_be_late = |step: &Step| wish.verb == DeskVerb::PutBack && step.waited && step.due <= now;
    steps.sort_by_key(|(step, _)| (!may_be_late(step), !step.main, std::cmp::Reverse(step.due)));
    let told = |step: &Step, outcome| Told { label: step.label.clone(), due: Some(step.due), outcome };
    if wish.verb != DeskVerb::CallOff
        && steps.iter().any(|(step, seen)| concerns(wish.verb, step) && step.version != *seen)
    {
        let (verb, outcome) = (wish.verb, DeskOutcome::Conflict);
        return Ok(DeskAnswer { verb, outcome, steps: Vec::new(), at: now });
    }
    let late: Vec<Told> = steps
        .iter()
        .filter(|(step, _)| asks(wish.verb, step) && postponed(step, wish.later) <= now)
        .map(|(step, _)| told(step, StepOutcome::Past))
        .collect();
    if !late.is_empty() && wish.past == Past::Refuse {
        return Ok(DeskAnswer { verb: wish.verb, outcome: DeskOutcome::Past, steps: late, at: now });
    }
    let (mut answers, mut first) = (Vec::new(), None);
    for (step, _) in steps {
        let is_left = asks(wish.verb, step) && postponed(step, wish.later) <= now && wish.past == Past::Skip;
        let (outcome, at) =
            if is_left { (StepOutcome::Past, now) } else { one(operator, step, now, wish).await? };
        let is_idle = outcome == StepOutcome::Stays;
        let goes_on = is_idle && goes_on(wish.verb, step.state, step.gate.is_some());
        let outcome = if goes_on { StepOutcome::GoesOn } else { outcome };
        first = first.or((outcome == StepOutcome::Done || outcome == StepOutcome::UnderWay).then_some(at));
        answers.push(told(step, outcome));
        if outcome == StepOutcome::Past && wish.past == Past::Refuse {
            break;
        }
    }
    answers.sort_by_key(|told| told.due);
    let is_past = answers.iter().any(|told| told.outcome == StepOutcome::Past);
    let outcome =
        if is_past && wish.past == Past::Refuse { DeskOutcome::Past } else { summed(&answers, false) };
    Ok(DeskAnswer { verb: wish.verb, outcome, steps: answers, at: first.unwrap_or(now) })
}

/// Whether a verb is about a step that stands so.
const fn concerns(verb: DeskVerb, step: &Step) -> bool {
    match verb {
        DeskVerb::CallOff => true,
        DeskVerb::PutBack => matches!(step.state, JobState::Cancelled),
        DeskVerb::Postpone => matches!(step.state, JobState::Delayed | JobState::Held | JobState::Retrying),
        DeskVerb::Hold => matches!(step.state, JobState::Delayed),
        DeskVerb::Release => matches!(step.state, JobState::Held) && step.gate.is_none(),
    }
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

/// Whether somebody has to be asked about a step whose time has passed, or will have passed still. What is held runs at
/// no time.
const fn asks(verb: DeskVerb, step: &Step) -> bool {
    let runs = match verb {
        DeskVerb::PutBack | DeskVerb::Release => true,
        DeskVerb::Postpone => !matches!(step.state, JobState::Held),
        DeskVerb::CallOff | DeskVerb::Hold => false,
    };
    // What waited for others may wait still: when it turns out not to, the person who puts it back is asked.
    let may_wait = matches!(verb, DeskVerb::PutBack) && step.waited;
    runs && concerns(verb, step) && !step.was_held && !may_wait
}

/// What asking it to stop comes to: a step that was asked before is asked no second time, and nothing is written down.
const fn asked(step: &Step) -> StepOutcome {
    if step.asked_to_stop { StepOutcome::OffBefore } else { StepOutcome::UnderWay }
}

/// When a step is due then; later by nothing, as it is.
fn postponed(step: &Step, later: Delay) -> Timestamp {
    Timestamp::saturating_from_millis(step.due.as_millis().saturating_add(later.as_millis()))
}

/// What came of one job, and when.
type Came = (StepOutcome, Timestamp);

/// Does it to one job.
async fn one(operator: &Operator, step: &Step, now: Timestamp, wish: &Wish) -> Result<Came, ApiError> {
    let stays = |at| (StepOutcome::Stays, at);
    if !concerns(wish.verb, step) {
        return Ok(stays(now));
    }
    let operation = format!("{}:{}", wish.operation, step.version);
    let seen = step.version;
    let came = match wish.verb {
        DeskVerb::CallOff => {
            let act = operator.cancel(&step.id).because(&wish.why).operation(&operation);
            gone_is_over(act.await)?.map(|outcome| {
                let (at, state) = (outcome.standing().at, outcome.standing().state);
                match outcome {
                    Cancelled::Now(standing) => (StepOutcome::Done, standing.ended.unwrap_or(at)),
                    Cancelled::Requested(_) => (asked(step), at),
                    _ => (StepOutcome::before(state), at),
                }
            })
        }
        DeskVerb::PutBack if step.due <= now && !step.was_held && !step.waited => {
            run_now(operator, step, wish, &operation).await?
        }
        DeskVerb::PutBack => {
            let act = operator.reinstate(&step.id).seen(seen).because(&wish.why).operation(&operation);
            match gone_is_over(act.await)? {
                Some(Reinstated::Overdue(_)) if wish.past == Past::Run => {
                    run_now(operator, step, wish, &operation).await?
                }
                outcome => outcome.map(|outcome| match outcome {
                    Reinstated::Delayed(standing) | Reinstated::Held(standing) => {
                        (StepOutcome::Done, standing.at)
                    }
                    Reinstated::Overdue(standing) => (StepOutcome::Past, standing.at),
                    refused => stays(refused.standing().at),
                }),
            }
        }
        DeskVerb::Postpone => {
            let due = Due::At(postponed(step, wish.later));
            let act = operator.reschedule(&step.id, due).seen(seen).because(&wish.why).operation(&operation);
            gone_is_over(act.await)?.map(|outcome| match outcome {
                Rescheduled::Refused(standing) => stays(standing.at),
                moved => (StepOutcome::Done, moved.standing().at),
            })
        }
        DeskVerb::Hold => {
            let act = operator.hold(&step.id).seen(seen).because(&wish.why).operation(&operation);
            gone_is_over(act.await)?.map(|outcome| match outcome {
                HeldBack::Held(standing) => (StepOutcome::Done, standing.at),
                refused => stays(refused.standing().at),
            })
        }
        DeskVerb::Release => {
            let act = operator.unhold(&step.id).seen(seen).because(&wish.why).operation(&operation);
            gone_is_over(act.await)?.map(|outcome| match outcome {
                Released::Delayed(standing) => (StepOutcome::Done, standing.at),
                refused => stays(refused.standing().at),
            })
        }
    };
    Ok(came.unwrap_or_else(|| stays(now)))
}

/// Does a step at once that was called off; `None` for one that moved on meanwhile.
async fn run_now(
    operator: &Operator,
    step: &Step,
    wish: &Wish,
    operation: &str,
) -> Result<Option<Came>, ApiError> {
    let act = operator.retry_now(&step.id).seen(step.version).because(&wish.why).operation(operation);
    Ok(gone_is_over(act.await)?.map(|outcome| match outcome {
        RetriedNow::Ready(standing) => (StepOutcome::Done, standing.at),
        refused => (StepOutcome::Stays, refused.standing().at),
    }))
}

/// One of several jobs may move or go between the look and the act: then nothing was done to it, and that is told.
/// What is wrong with all of them stays an error.
fn gone_is_over<T>(answer: Result<T, Error>) -> Result<Option<T>, ApiError> {
    match answer {
        Ok(outcome) => Ok(Some(outcome)),
        Err(
            Error::NotFound { .. } | Error::Conflict(_) | Error::Duplicate { .. } | Error::SubjectFull { .. },
        ) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Jobs and versions as a form sends them; what does not read is left out.
pub(crate) fn seen(jobs: &str) -> Vec<(JobId, Version)> {
    let one = |pair: &str| {
        let (id, version) = pair.split_once('=')?;
        Some((JobId::new(id).ok()?, Version(version.parse().ok()?)))
    };
    jobs.split(',').filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_was_left_alone_is_nothing_done_and_a_step_that_was_left_out_is() {
        let past = Told {
            label: "Notice".to_owned(),
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
        let told = |outcome| Told { label: "Deletion".to_owned(), due: None, outcome };
        let (goes_on, done) = (told(StepOutcome::GoesOn), told(StepOutcome::Done));
        assert_eq!(summed(std::slice::from_ref(&goes_on), false), DeskOutcome::GoesOn);
        assert_eq!(summed(&[goes_on, done], false), DeskOutcome::Partly);
    }

    fn step(state: JobState) -> Step {
        Step::plain(state, Timestamp::EPOCH)
    }

    #[test]
    fn what_may_wait_for_others_still_is_put_back_before_anybody_is_asked() {
        let off = step(JobState::Cancelled);
        assert!(asks(DeskVerb::PutBack, &off));
        assert!(!asks(DeskVerb::PutBack, &Step { waited: true, ..off.clone() }));
        assert!(!asks(DeskVerb::PutBack, &Step { was_held: true, ..off }));
    }

    #[test]
    fn what_was_asked_to_stop_is_asked_no_second_time() {
        let step = |asked_to_stop| Step { asked_to_stop, ..step(JobState::Active) };
        assert_eq!(asked(&step(false)), StepOutcome::UnderWay);
        assert_eq!(asked(&step(true)), StepOutcome::OffBefore);
    }
}
