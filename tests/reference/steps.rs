//! What is done to both, and how it is chosen: at random, few names, so that they meet often.

use super::groups::{COMPLETION, NewStep, PlanAct, STEPS};
use super::machine::{Ms, Name, New, Rules};
use proptest::option;
use proptest::prelude::*;
use reprieve::model::Past;
use std::collections::BTreeMap;

/// Which lease a report is about, counted back from the latest claim.
pub(super) type Back = usize;

#[derive(Debug, Clone)]
pub(super) enum Step {
    Wait(Ms),
    Enqueue(Name, New),
    Forward,
    Claim { most: u32, queues: Vec<Name> },
    CompleteAndClaim { leases: Vec<Back>, most: u32, queues: Vec<Name> },
    Complete(Vec<Back>),
    Release(Vec<Back>),
    Extend(Vec<Back>),
    Fail(Back, Option<Ms>),
    Snooze(Back, Ms),
    Recover,
    Purge,
    Cancel(Name),
    CancelSubject(Name),
    Reinstate(Name, Option<Ms>),
    RetryNow(Name),
    Reschedule(Name, Ms),
    Hold(Name),
    Unhold(Name),
    Pause(Name, bool),
    Limit(Name, Rules),
    MakePlan { anchor: Ms, past: Past, steps: Vec<NewStep> },
    ActOnPlan(PlanAct, Past),
    MakeBatch { asks_for_done: bool, is_held: bool, completion: New, jobs: Vec<(Name, New)>, closes: bool },
    AddToBatch { jobs: Vec<(Name, New)>, closes: bool },
    CloseBatch,
    CancelBatch,
}

/// So long every wait is at least where time goes on by itself: nothing comes due during a run.
const FAR: Ms = 30 * 86_400_000;

impl Step {
    /// The same where time goes on by itself: what waits, waits for long, and what is due is due at once.
    pub(super) fn far(self) -> Self {
        let far = |wait: Ms| wait + FAR;
        let new = |mut new: New| {
            new.due = new.due.filter(|wait| *wait >= 0).map(far);
            new
        };
        let all = |jobs: Vec<(Name, New)>| jobs.into_iter().map(|(id, job)| (id, new(job))).collect();
        match self {
            Self::Wait(_) => Self::Wait(0),
            Self::Enqueue(id, job) => Self::Enqueue(id, new(job)),
            Self::Fail(back, wait) => Self::Fail(back, wait.map(far)),
            Self::Snooze(back, wait) => Self::Snooze(back, far(wait)),
            Self::Reinstate(id, wait) => Self::Reinstate(id, wait.map(far)),
            Self::Reschedule(id, wait) => Self::Reschedule(id, far(wait)),
            Self::MakePlan { anchor, past, steps } => Self::MakePlan { anchor: far(anchor), past, steps },
            Self::ActOnPlan(PlanAct::ReanchorTo(wait), past) => {
                Self::ActOnPlan(PlanAct::ReanchorTo(far(wait)), past)
            }
            Self::MakeBatch { asks_for_done, is_held, completion, jobs, closes } => {
                let completion = new(completion);
                Self::MakeBatch { asks_for_done, is_held, completion, jobs: all(jobs), closes }
            }
            Self::AddToBatch { jobs, closes } => Self::AddToBatch { jobs: all(jobs), closes },
            other => other,
        }
    }
}

pub(super) const IDS: Name = 9;
const QUEUES: Name = 2;

fn new_job() -> impl Strategy<Value = New> {
    let due = prop_oneof![2 => Just(None), 1 => Just(Some(-5)), 4 => (0..20_000_i64).prop_map(Some)];
    let names = (option::of(0..3_u8), option::weighted(0.3, 0..3_u8), option::weighted(0.6, 0..2_u8));
    (0..QUEUES, due, 4..7_u8, option::weighted(0.8, 1..4_u32), names).prop_map(
        |(queue, due, priority, max_attempts, (subject, unique, concurrency_key))| New {
            queue,
            due,
            priority,
            max_attempts,
            subject,
            unique,
            concurrency_key,
        },
    )
}

fn rules() -> impl Strategy<Value = Rules> {
    (option::weighted(0.3, 1..4_u32), option::weighted(0.7, 1..3_u32), any::<bool>()).prop_map(
        |(concurrency, per_key, is_ordered)| Rules {
            concurrency,
            per_key,
            is_ordered: is_ordered && per_key.is_some(),
        },
    )
}

fn leases() -> impl Strategy<Value = Vec<Back>> {
    prop_oneof![4 => prop::collection::vec(0..6_usize, 1), 1 => prop::collection::vec(0..12_usize, 1..4)]
}

fn queues() -> impl Strategy<Value = Vec<Name>> {
    prop_oneof![Just(vec![0]), Just(vec![1]), Just(vec![0, 1]), Just(vec![1, 0])]
}

fn past() -> impl Strategy<Value = Past> {
    prop_oneof![Just(Past::Refuse), Just(Past::Run), Just(Past::Skip)]
}

/// Each waits for some of those before it.
fn plan() -> impl Strategy<Value = Vec<NewStep>> {
    let step = |(offset, after, is_held): (Ms, [bool; 2], bool)| (offset, after, is_held);
    prop::collection::vec((-2_000..9_000_i64, any::<[bool; 2]>(), any::<bool>()).prop_map(step), STEPS.len())
        .prop_map(|steps| {
            let of = |(place, (offset, after, is_held)): (usize, (Ms, [bool; 2], bool))| NewStep {
                offset,
                after: (0..place).filter(|earlier| after[*earlier]).collect(),
                is_held,
            };
            steps.into_iter().enumerate().map(of).collect()
        })
}

fn act_on_plan() -> impl Strategy<Value = PlanAct> {
    prop_oneof![
        2 => (-3_000..9_000_i64).prop_map(PlanAct::ReanchorTo),
        1 => (-3_000..9_000_i64).prop_map(PlanAct::ReanchorBy),
        2 => Just(PlanAct::Hold),
        2 => Just(PlanAct::Unhold),
        1 => Just(PlanAct::Cancel),
        2 => Just(PlanAct::Reinstate),
    ]
}

/// Jobs of a batch, none twice.
fn jobs() -> impl Strategy<Value = Vec<(Name, New)>> {
    prop::collection::vec((0..IDS, new_job()), 0..4)
        .prop_map(|jobs| jobs.into_iter().collect::<BTreeMap<_, _>>().into_iter().collect())
}

/// What completes a batch has no unique key.
fn completion() -> impl Strategy<Value = New> {
    new_job().prop_map(|new| New { unique: None, ..new })
}

/// Any job, also those of the plan and the one that completes the batch.
fn job() -> impl Strategy<Value = Name> {
    prop_oneof![9 => 0..IDS, 3 => prop::sample::select(&STEPS[..]), 1 => Just(COMPLETION)]
}

fn step() -> impl Strategy<Value = Step> {
    // The longer waits end leases and what is kept; a clock that jumped ahead looks no different.
    let wait = prop_oneof![12 => 0..400_i64, 4 => 1_000..15_000_i64, 1 => Just(100 * 86_400_000_i64)];
    prop_oneof![
        8 => wait.prop_map(Step::Wait),
        10 => (0..IDS, new_job()).prop_map(|(id, new)| Step::Enqueue(id, new)),
        6 => Just(Step::Forward),
        8 => (1..4_u32, queues()).prop_map(|(most, queues)| Step::Claim { most, queues }),
        5 => (leases(), 1..4_u32, queues())
            .prop_map(|(leases, most, queues)| Step::CompleteAndClaim { leases, most, queues }),
        4 => leases().prop_map(Step::Complete),
        3 => leases().prop_map(Step::Release),
        3 => leases().prop_map(Step::Extend),
        4 => (0..6_usize, option::weighted(0.8, 0..9_000_i64)).prop_map(|(back, wait)| Step::Fail(back, wait)),
        3 => (0..6_usize, 0..9_000_i64).prop_map(|(back, wait)| Step::Snooze(back, wait)),
        3 => Just(Step::Recover),
        1 => Just(Step::Purge),
        5 => job().prop_map(Step::Cancel),
        1 => (0..3_u8).prop_map(Step::CancelSubject),
        3 => (job(), option::of(0..9_000_i64)).prop_map(|(id, wait)| Step::Reinstate(id, wait)),
        3 => job().prop_map(Step::RetryNow),
        3 => (job(), 0..9_000_i64).prop_map(|(id, wait)| Step::Reschedule(id, wait)),
        3 => job().prop_map(Step::Hold),
        3 => job().prop_map(Step::Unhold),
        2 => (0..QUEUES, prop::bool::weighted(0.3)).prop_map(|(queue, pauses)| Step::Pause(queue, pauses)),
        2 => (0..QUEUES, rules()).prop_map(|(queue, rules)| Step::Limit(queue, rules)),
        3 => (0..3_000_i64, past(), plan())
            .prop_map(|(anchor, past, steps)| Step::MakePlan { anchor, past, steps }),
        5 => (act_on_plan(), past()).prop_map(|(act, past)| Step::ActOnPlan(act, past)),
        2 => (any::<bool>(), any::<bool>(), completion(), jobs(), any::<bool>()).prop_map(
            |(asks_for_done, is_held, completion, jobs, closes)| Step::MakeBatch {
                asks_for_done,
                is_held,
                completion,
                jobs,
                closes,
            }
        ),
        2 => (jobs(), prop::bool::weighted(0.3)).prop_map(|(jobs, closes)| Step::AddToBatch { jobs, closes }),
        1 => Just(Step::CloseBatch),
        1 => Just(Step::CancelBatch),
    ]
}

/// What is done, one after the other, at most that much.
pub(super) fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..=most)
}
