//! Forwarders and a clock that jumps: what is due is decided by Redis's clock, and each forwarder holds it against its own,
//! which only ever runs forward.
//!
//! A forwarder says with each look what it takes Redis's clock to be, by its anchor: the time at its latest look, and how
//! long ago that was. The script moves nothing when the two disagree, and the forwarder then writes a hold, which stops
//! them all. A forwarder that has just started has no anchor; it watches for a while before it moves anything, so that
//! those who have one see a jump first. A jump that nobody lived through cannot be seen by anybody.

use crate::search::never_broken;
use crate::{Broken, Invariant};
use stateright::{Model, Property};

/// How far the clocks may be apart.
const TOLERANCE: i8 = 1;
/// How far the clock jumps: an hour, where a unit is a quarter of it.
const JUMP: i8 = 4;

/// A way to build it wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// Nobody compares clocks.
    NoGuard,
    /// The clock is compared by a call of its own, before the one that moves.
    ComparedBefore,
    /// Who notices the jump refrains, and tells nobody.
    HoldUntold,
    /// A forwarder that has just started moves jobs at once.
    NewcomerMoves,
    /// A newcomer whose anchor is younger than the jump lifts the hold.
    AnybodyLifts,
    /// A process that disagrees takes a new anchor, and agrees the next time.
    AnchorFollows,
    /// What is due is pushed, and removed by a second call.
    PushBeforeRemove,
}

impl Flaw {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::NoGuard,
        Self::ComparedBefore,
        Self::HoldUntold,
        Self::NewcomerMoves,
        Self::AnybodyLifts,
        Self::AnchorFollows,
        Self::PushBeforeRemove,
    ];
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Forwarder {
    /// Redis's clock and the true time at the latest look that agreed.
    anchor: Option<(i8, i8)>,
    /// When it started to watch.
    since: i8,
    /// It has watched for long enough: a jump before its anchor would have been told by now.
    settled: bool,
    /// It has looked in this unit of time.
    looked: bool,
    /// It disagreed, and has not told yet.
    alarmed: bool,
    /// It found by a call of its own that the clock is right: for a flaw.
    assured: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Job {
    due: i8,
    moves: u8,
    in_delayed: bool,
}

/// Everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State<const J: usize, const F: usize> {
    time: i8,
    /// How far Redis's clock is from the true time.
    offset: i8,
    /// The latest time that Redis wrote down: it never goes below it.
    latest: i8,
    held: bool,
    /// How often a person lifted the hold: from then on, the clock counts as right.
    lifted: u8,
    jobs: [Job; J],
    forwarders: [Forwarder; F],
    jumps_left: u8,
    restarts_left: u8,
    broken: Broken,
}

/// `J` jobs, due one unit after the other, and `F` forwarders.
#[derive(Debug, Clone)]
pub struct Clocks<const J: usize, const F: usize> {
    /// How often the clock jumps.
    pub jumps: u8,
    /// How often a forwarder's process is started again.
    pub restarts: u8,
    /// Whether a person may lift the hold.
    pub person: bool,
    /// What is built wrongly, if anything.
    pub flaw: Option<Flaw>,
}

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// A unit of time passes.
    Pass,
    /// Redis's clock jumps forward.
    JumpAhead,
    /// It jumps back.
    JumpBack,
    /// A forwarder looks for what is due.
    Look(usize),
    /// A forwarder compares clocks by a call of its own.
    Compare(usize),
    /// A forwarder that disagreed writes the hold.
    Hold(usize),
    /// A forwarder's process is started again.
    Restart(usize),
    /// A person says that the clock is right as it is.
    Lift,
}

impl<const J: usize, const F: usize> Clocks<J, F> {
    /// When the last job is due, and a while later.
    fn end() -> i8 {
        i8::try_from(J).unwrap_or(i8::MAX - 8) + 5
    }

    fn look(&self, state: &mut State<J, F>, index: usize) {
        let (raw, time) = (state.time + state.offset, state.time);
        let forwarder = &mut state.forwarders[index];
        forwarder.looked = true;
        let agrees = |anchor: (i8, i8)| (raw - (anchor.0 + time - anchor.1)).abs() <= TOLERANCE;
        let agreed = match forwarder.anchor {
            Some(anchor) => agrees(anchor),
            None => true,
        };
        let guarded = !matches!(self.flaw, Some(Flaw::NoGuard | Flaw::ComparedBefore));
        if guarded && !agreed {
            if self.flaw == Some(Flaw::AnchorFollows) {
                forwarder.anchor = Some((raw, time));
            }
            forwarder.alarmed = !state.held && self.flaw != Some(Flaw::HoldUntold);
            return;
        }
        forwarder.alarmed = false;
        if state.held {
            // Only who knew the clock before the jump knows that it is right again.
            if self.flaw == Some(Flaw::AnybodyLifts) {
                forwarder.settled |= forwarder.anchor.is_some() && forwarder.since + 1 < time;
            }
            state.held = !forwarder.settled;
            if !forwarder.settled {
                // A watch that met a hold begins again.
                let keeps = self.flaw == Some(Flaw::AnybodyLifts);
                if !keeps {
                    (forwarder.anchor, forwarder.since) = (None, time);
                }
            }
            return;
        }
        forwarder.anchor = Some((raw, time));
        forwarder.settled |= forwarder.since + 1 < time;
        if !forwarder.settled && self.flaw != Some(Flaw::NewcomerMoves) {
            return;
        }
        if self.flaw == Some(Flaw::ComparedBefore) && !std::mem::take(&mut forwarder.assured) {
            return;
        }
        let now = raw.max(state.latest);
        state.latest = now;
        for job in &mut state.jobs {
            if job.in_delayed && job.due <= now {
                job.moves += 1;
                job.in_delayed = self.flaw == Some(Flaw::PushBeforeRemove) && job.moves < 2;
                state.broken.expect(Invariant::Effects, job.moves == 1);
                // When a person has said that the clock is right, it is.
                state.broken.expect(Invariant::NeverEarly, state.lifted > 0 || job.due <= time + TOLERANCE);
            }
        }
    }
}

impl<const J: usize, const F: usize> Model for Clocks<J, F> {
    type State = State<J, F>;
    type Action = Step;

    fn init_states(&self) -> Vec<Self::State> {
        let forwarder = Forwarder {
            anchor: Some((0, 0)),
            since: 0,
            settled: true,
            looked: false,
            alarmed: false,
            assured: false,
        };
        let due = |index: usize| i8::try_from(index).unwrap_or(i8::MAX - 4) + 3;
        vec![State {
            time: 0,
            offset: 0,
            latest: 0,
            held: false,
            lifted: 0,
            jobs: std::array::from_fn(|index| Job { due: due(index), moves: 0, in_delayed: true }),
            forwarders: std::array::from_fn(|_| forwarder.clone()),
            jumps_left: self.jumps,
            restarts_left: self.restarts,
            broken: Broken::default(),
        }]
    }

    fn actions(&self, state: &Self::State, steps: &mut Vec<Step>) {
        // Forwarders look at least once in a unit of time: that is what they promise each other. One that noticed
        // something tells it before the next.
        let all_looked = state.forwarders.iter().all(|forwarder| forwarder.looked && !forwarder.alarmed);
        if all_looked && state.time < Self::end() {
            steps.push(Step::Pass);
        }
        if state.jumps_left > 0 {
            steps.extend([Step::JumpAhead, Step::JumpBack]);
        }
        for (index, forwarder) in state.forwarders.iter().enumerate() {
            steps.push(Step::Look(index));
            if self.flaw == Some(Flaw::ComparedBefore) && !forwarder.assured {
                steps.push(Step::Compare(index));
            }
            if forwarder.alarmed {
                steps.push(Step::Hold(index));
            }
            // As long as one of them has an anchor somebody can notice a jump.
            let others = state.forwarders.iter().enumerate();
            let somebody_knows = others.filter(|(other, _)| *other != index).any(|(_, other)| other.settled);
            if state.restarts_left > 0 && somebody_knows {
                steps.push(Step::Restart(index));
            }
        }
        if self.person && state.held && state.lifted == 0 {
            steps.push(Step::Lift);
        }
    }

    fn next_state(&self, state: &Self::State, step: Step) -> Option<Self::State> {
        let mut next = state.clone();
        match step {
            Step::Pass => {
                next.time += 1;
                next.forwarders.iter_mut().for_each(|forwarder| forwarder.looked = false);
            }
            Step::JumpAhead | Step::JumpBack => {
                next.jumps_left -= 1;
                next.offset += if step == Step::JumpAhead { JUMP } else { -JUMP };
            }
            Step::Look(index) => self.look(&mut next, index),
            Step::Compare(index) => {
                let forwarder = &mut next.forwarders[index];
                let raw = next.time + next.offset;
                forwarder.assured = forwarder
                    .anchor
                    .is_none_or(|anchor| (raw - (anchor.0 + next.time - anchor.1)).abs() <= TOLERANCE);
            }
            Step::Hold(index) => {
                next.forwarders[index].alarmed = false;
                next.held = true;
            }
            Step::Restart(index) => {
                next.restarts_left -= 1;
                next.forwarders[index] = Forwarder {
                    anchor: None,
                    since: next.time,
                    settled: false,
                    looked: false,
                    alarmed: false,
                    assured: false,
                };
            }
            Step::Lift => {
                next.lifted += 1;
                next.held = false;
                let here = (next.time + next.offset, next.time);
                for forwarder in &mut next.forwarders {
                    (forwarder.anchor, forwarder.settled) = (Some(here), true);
                }
            }
        }
        // A look that finds nothing is no step: else there would be no end.
        (next != *state).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            never_broken(Invariant::NeverEarly, |_, s: &Self::State| s.broken.keeps(Invariant::NeverEarly)),
            never_broken(Invariant::Effects, |_, s: &Self::State| s.broken.keeps(Invariant::Effects)),
            // With a clock that is right at the end, or a person who said that it is, nothing waits any more.
            Property::eventually(Invariant::Progress.name(), |_, s: &Self::State| {
                s.offset != 0 || s.held || s.jobs.iter().all(|job| job.moves > 0)
            }),
        ]
    }
}
