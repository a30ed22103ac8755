//! Epochs: what a failover makes doubtful, and what is done before anything starts there.
//!
//! A server has its data from another one that lagged behind: it may have forgotten claims, cancels and what was put back.
//! The data names the server at which somebody looked last, and every script compares. At another server nothing starts;
//! the first look there begins an epoch. Each process says again what it had acknowledged, and tells so with its next look.
//! The epoch is settled when all whom the data knows have done so, or have been waited for in vain.
//!
//! The model takes for granted what the engine has to take for granted, too:
//!
//! * the old server answers nobody once another has taken over; it comes back as a replica, and gets its data anew;
//! * what takes over has heard of the latest epoch: two failovers are further apart than a replica lags;
//! * who lives, and has acknowledged something, looks before those whom the data does not know are waited for no longer,
//!   and has spoken before nobody is.
//!
//! What a process acknowledged dies with it. An attempt goes on although the new server has forgotten its claim: a person
//! who calls the job off there is not told that it is too late. The heartbeats by which a look finds a missing one are left
//! out: they find a failover, too, and what is sound without them is sound with them.

mod outcomes;
mod people;
mod process;
mod scripts;
mod steps;

use crate::search::never_broken;
use crate::{Broken, Invariant};
use people::Promise;
use process::Process;
use scripts::Data;
use stateright::{Model, Property};

pub use steps::Step;

/// A way to build it wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// Scripts do not compare servers, or not any more when the failover took its time: until somebody looks, jobs start.
    NoComparison,
    /// The epoch is settled when the first process has spoken.
    FirstSettles,
    /// Nobody waits for those whom the data does not know.
    UnknownNotAwaited,
    /// A process that has just come counts as one that has spoken.
    NewcomerHasSpoken,
    /// A look counts as speaking: what is said again comes after it.
    LookCounts,
    /// A process that died is waited for until it speaks.
    DeadAwaited,
    /// Tokens go on from where the data has them.
    TokensGoOn,
    /// What people do counts no epochs: an act that was lost may have a higher version than one that came after it.
    ActsGoOn,
    /// What is said again is a new act, with a version of its own, and none where the job is so already.
    SaidAnew,
    /// What was acknowledged is said again, whatever happened to the job since.
    SaidBlindly,
    /// Whether a job has heard of an act is told from its version and its history, which another server has made otherwise.
    ByHistory,
    /// A job that changes while an act is said again is left as it is.
    ConflictLeaves,
    /// The old server's answer is handed on, although its process has spoken at the new one.
    LateAnswer,
}

impl Flaw {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::NoComparison,
        Self::FirstSettles,
        Self::UnknownNotAwaited,
        Self::NewcomerHasSpoken,
        Self::LookCounts,
        Self::DeadAwaited,
        Self::TokensGoOn,
        Self::ActsGoOn,
        Self::SaidAnew,
        Self::SaidBlindly,
        Self::ByHistory,
        Self::ConflictLeaves,
        Self::LateAnswer,
    ];
}

/// How often each thing may happen that nobody has to do; all of them in any order and at any moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chances {
    /// Replicas that take over.
    pub failovers: u8,
    /// Processes that die; as many others come, at any time.
    pub crashes: u8,
    /// Answers that are lost.
    pub losses: u8,
    /// Attempts that fail.
    pub failures: u8,
    /// What people do.
    pub acts: u8,
}

/// What a person can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    /// Call the job off.
    Cancel,
    /// Take that back.
    Reinstate,
}

/// One attempt at a job, in the process that began it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Run {
    job: u8,
    process: u8,
    token: u8,
}

/// Everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State<const J: usize, const P: usize> {
    /// What the present server has.
    master: Data<J, P>,
    /// What the next one has heard of, if there is to be one.
    replica: Option<Data<J, P>>,
    /// How many servers there were before.
    failovers: u8,
    processes: [Process<J>; P],
    /// In order, so that equal runs are equal states.
    runs: Vec<Run>,
    left: Chances,
    // The observer's.
    promises: [Promise; J],
    /// The tokens that each job was begun with, a bit each.
    begun: [u64; J],
    broken: Broken,
}

impl<const J: usize, const P: usize> State<J, P> {
    /// The name of the present server. There are two.
    const fn server(&self) -> u8 {
        self.failovers % 2
    }

    /// Forgets what no step asks for any more after the last failover, so that states with one future are one state.
    fn forget(&mut self) {
        if self.left.failovers > 0 {
            return;
        }
        self.replica = None;
        if self.master.is_at(self.server()) {
            let spoken = |process: &&mut Process<J>| process.released_on == Some(self.master.ground);
            self.processes.iter_mut().filter(spoken).for_each(|process| process.journal = [None; J]);
        }
    }
}

/// `J` jobs and `P` processes, all of which work, look, and take what people ask for.
#[derive(Debug, Clone)]
pub struct Epochs<const J: usize, const P: usize> {
    /// How many of the processes come later, at any time.
    pub newcomers: usize,
    /// What may happen.
    pub chances: Chances,
    /// What is built wrongly, if anything.
    pub flaw: Option<Flaw>,
}

impl<const J: usize, const P: usize> Epochs<J, P> {
    fn has(&self, flaw: Flaw) -> bool {
        self.flaw == Some(flaw)
    }

    /// Nothing more can happen.
    fn is_at_rest(&self, state: &State<J, P>) -> bool {
        let mut steps = Vec::new();
        self.actions(state, &mut steps);
        steps.is_empty()
    }
}

impl<const J: usize, const P: usize> Model for Epochs<J, P> {
    type State = State<J, P>;
    type Action = Step;

    fn init_states(&self) -> Vec<Self::State> {
        let here = P - self.newcomers;
        let data = Data::known_to(here);
        vec![State {
            replica: (self.chances.failovers > 0).then(|| data.clone()),
            master: data,
            failovers: 0,
            processes: std::array::from_fn(
                |index| if index < here { Process::known() } else { Process::to_come() },
            ),
            runs: Vec::new(),
            left: self.chances,
            promises: [Promise::default(); J],
            begun: [0; J],
            broken: Broken::default(),
        }]
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Step>) {
        steps::possible(self, state, actions);
    }

    fn next_state(&self, state: &Self::State, step: Step) -> Option<Self::State> {
        let mut next = state.clone();
        outcomes::take(self, &mut next, step);
        next.forget();
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            // What was put back, and acknowledged by a process that lives, is not called off in the end.
            Property::always(Invariant::NoLoss.name(), |model: &Self, s: &Self::State| {
                let is_lost = |job: usize| s.promises[job].is_put_back() && s.master.jobs[job].is_cancelled();
                !(0..J).any(is_lost) || !model.is_at_rest(s)
            }),
            never_broken(Invariant::HonestReprieve, |_, s: &Self::State| {
                s.broken.keeps(Invariant::HonestReprieve)
            }),
            never_broken(Invariant::Effects, |_, s: &Self::State| s.broken.keeps(Invariant::Effects)),
            // Chances are counted, so every way ends; and at its end every job has.
            Property::always(Invariant::Progress.name(), |model: &Self, s: &Self::State| {
                s.master.jobs.iter().all(scripts::Job::has_ended) || !model.is_at_rest(s)
            }),
        ]
    }
}
