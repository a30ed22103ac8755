//! What is done to both, and how it is chosen: at random, few names, so that they meet often.

use super::machine::{Ms, Name, New, Rules};
use proptest::option;
use proptest::prelude::*;

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
        5 => (0..IDS).prop_map(Step::Cancel),
        1 => (0..3_u8).prop_map(Step::CancelSubject),
        3 => (0..IDS, option::of(0..9_000_i64)).prop_map(|(id, wait)| Step::Reinstate(id, wait)),
        3 => (0..IDS).prop_map(Step::RetryNow),
        3 => (0..IDS, 0..9_000_i64).prop_map(|(id, wait)| Step::Reschedule(id, wait)),
        3 => (0..IDS).prop_map(Step::Hold),
        3 => (0..IDS).prop_map(Step::Unhold),
        2 => (0..QUEUES, prop::bool::weighted(0.3)).prop_map(|(queue, pauses)| Step::Pause(queue, pauses)),
        2 => (0..QUEUES, rules()).prop_map(|(queue, rules)| Step::Limit(queue, rules)),
    ]
}

/// What is done, one after the other, at most that much.
pub(super) fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..=most)
}
