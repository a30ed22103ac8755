//! A replica that lags behind and is promoted, and what instances do so that a reprieve outlives it.
//!
//! An instance writes each reprieve it is about to acknowledge into a journal of its own. The data names the replication it
//! belongs to; a process that connects and finds another writes a hold into the data, and no job is given out until every
//! living instance has asserted its journal anew.

use crate::search::never_broken;
use crate::{Broken, Invariant};
use stateright::{Model, Property};

/// A way to build it wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// Nothing is written down.
    NoJournal,
    /// It is kept in memory and dies with the process.
    JournalInMemory,
    /// The person is told before it is written down.
    ToldBeforeJournal,
    /// Jobs are given out while journals are asserted.
    NoHold,
    /// Who notices the failover waits, and tells nobody.
    HoldUntold,
    /// A journal is asserted after the first failover only.
    AssertedOnce,
    /// A reprieve that was taken back stays in the journal.
    TakenBackStays,
}

impl Flaw {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::NoJournal,
        Self::JournalInMemory,
        Self::ToldBeforeJournal,
        Self::NoHold,
        Self::HoldUntold,
        Self::AssertedOnce,
        Self::TakenBackStays,
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stage {
    Waiting,
    Cancelled,
    Claimed,
}

/// What one server holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Data<const J: usize> {
    jobs: [Stage; J],
    /// The replication it was last known to belong to.
    known: u8,
    held: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Instance<const J: usize> {
    /// The replication it is connected to.
    connected: u8,
    /// The replication its journal was last asserted for.
    asserted: u8,
    memory: [bool; J],
    file: [bool; J],
    /// What Redis has done and the person has not been told.
    untold: [Option<Act>; J],
}

/// What a person can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    /// Call the job off.
    Cancel,
    /// Take that back.
    Reinstate,
}

/// What the person who acts on a job was last told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Told {
    Nothing,
    Cancelled,
    /// Asked to take it back, and was not answered yet.
    Wavering,
    Reinstated,
}

/// Everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State<const J: usize, const I: usize> {
    primary: Data<J>,
    replica: Data<J>,
    /// The replication of the primary.
    replication: u8,
    instances: [Instance<J>; I],
    told: [Told; J],
    failovers_left: u8,
    crashes_left: u8,
    broken: Broken,
}

/// `J` jobs and `I` instances; all that acts on job `j` does so through instance `j mod I`.
#[derive(Debug, Clone)]
pub struct Replica<const J: usize, const I: usize> {
    /// How often the replica is promoted.
    pub failovers: u8,
    /// How often an instance dies and comes back with its file.
    pub crashes: u8,
    /// What is built wrongly, if anything.
    pub flaw: Option<Flaw>,
}

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// The replica catches up.
    Replicate,
    /// It is promoted; the old primary is gone.
    Failover,
    /// An instance connects to the present primary.
    Connect(usize),
    /// It asserts its journal.
    Assert(usize),
    /// The hold is over: every living instance had its time.
    EndHold,
    /// Redis does what a person asked of a job.
    Do(usize, Act),
    /// The instance writes it down.
    WriteDown(usize),
    /// The person is told.
    Tell(usize),
    /// A worker of an instance takes a job.
    Claim(usize, usize),
    /// An instance dies and comes back.
    Crash(usize),
}

impl<const J: usize, const I: usize> Model for Replica<J, I> {
    type State = State<J, I>;
    type Action = Step;

    fn init_states(&self) -> Vec<Self::State> {
        let data = Data { jobs: [Stage::Waiting; J], known: 0, held: false };
        let instance =
            Instance { connected: 0, asserted: 0, memory: [false; J], file: [false; J], untold: [None; J] };
        vec![State {
            primary: data.clone(),
            replica: data,
            replication: 0,
            instances: std::array::from_fn(|_| instance.clone()),
            told: [Told::Nothing; J],
            failovers_left: self.failovers,
            crashes_left: self.crashes,
            broken: Broken::default(),
        }]
    }

    fn actions(&self, state: &Self::State, steps: &mut Vec<Step>) {
        if state.replica != state.primary {
            steps.push(Step::Replicate);
        }
        if state.failovers_left > 0 {
            steps.push(Step::Failover);
        }
        let all_asserted = state.instances.iter().all(|instance| instance.asserted == state.replication);
        if state.primary.held && all_asserted {
            steps.push(Step::EndHold);
        }
        for (index, instance) in state.instances.iter().enumerate() {
            if instance.connected != state.replication {
                steps.push(Step::Connect(index));
                continue;
            }
            if instance.asserted != state.replication {
                steps.push(Step::Assert(index));
            }
            if state.crashes_left > 0 {
                steps.push(Step::Crash(index));
            }
            let waits = self.flaw == Some(Flaw::HoldUntold) && instance.asserted != state.replication;
            for (job, stage) in state.primary.jobs.iter().enumerate() {
                let open = !state.primary.held || self.flaw == Some(Flaw::NoHold);
                if *stage == Stage::Waiting && open && !waits {
                    steps.push(Step::Claim(index, job));
                }
            }
        }
        for job in 0..J {
            let instance = &state.instances[job % I];
            match instance.untold[job] {
                None if instance.connected == state.replication => match state.primary.jobs[job] {
                    Stage::Waiting if state.told[job] == Told::Nothing => {
                        steps.push(Step::Do(job, Act::Cancel));
                    }
                    Stage::Cancelled if state.told[job] == Told::Cancelled => {
                        steps.push(Step::Do(job, Act::Reinstate));
                    }
                    _ => {}
                },
                None => {}
                Some(act) => {
                    let written = instance.file[job] == (act == Act::Cancel);
                    if !written && self.writes(act) {
                        steps.push(Step::WriteDown(job));
                    }
                    if written || !self.writes(act) || self.flaw == Some(Flaw::ToldBeforeJournal) {
                        steps.push(Step::Tell(job));
                    }
                }
            }
        }
    }

    fn next_state(&self, state: &Self::State, step: Step) -> Option<Self::State> {
        let mut next = state.clone();
        match step {
            Step::Replicate => next.replica = next.primary.clone(),
            Step::Failover => {
                next.failovers_left -= 1;
                next.replication += 1;
                next.primary = next.replica.clone();
                // What nobody was told of yet gets no answer.
                next.instances.iter_mut().for_each(|instance| instance.untold = [None; J]);
            }
            Step::Connect(index) => {
                next.instances[index].connected = next.replication;
                if next.primary.known != next.replication {
                    next.primary.known = next.replication;
                    next.primary.held = self.flaw != Some(Flaw::HoldUntold);
                }
            }
            Step::Assert(index) => self.assert_journal(&mut next, index),
            Step::EndHold => next.primary.held = false,
            Step::Do(job, act) => {
                next.primary.jobs[job] = if act == Act::Cancel { Stage::Cancelled } else { Stage::Waiting };
                next.instances[job % I].untold[job] = Some(act);
                if act == Act::Reinstate {
                    next.told[job] = Told::Wavering;
                }
            }
            Step::WriteDown(job) => {
                let instance = &mut next.instances[job % I];
                let cancelled = instance.untold[job] == Some(Act::Cancel);
                instance.memory[job] = cancelled;
                instance.file[job] = cancelled;
            }
            Step::Tell(job) => {
                let act = next.instances[job % I].untold[job].take();
                next.told[job] = if act == Some(Act::Cancel) { Told::Cancelled } else { Told::Reinstated };
            }
            Step::Claim(_, job) => {
                next.primary.jobs[job] = Stage::Claimed;
                next.broken.expect(Invariant::HonestReprieve, next.told[job] != Told::Cancelled);
            }
            Step::Crash(index) => {
                next.crashes_left -= 1;
                let instance = &mut next.instances[index];
                let kept = self.flaw != Some(Flaw::JournalInMemory);
                instance.memory = if kept { instance.file } else { [false; J] };
                instance.untold = [None; J];
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            never_broken(Invariant::HonestReprieve, |_, s: &Self::State| {
                s.broken.keeps(Invariant::HonestReprieve)
            }),
            never_broken(Invariant::NoLoss, |_, s: &Self::State| s.broken.keeps(Invariant::NoLoss)),
            Property::eventually(Invariant::Progress.name(), |_, s: &Self::State| !s.primary.held),
        ]
    }
}

impl<const J: usize, const I: usize> Replica<J, I> {
    fn writes(&self, act: Act) -> bool {
        match act {
            Act::Cancel => self.flaw != Some(Flaw::NoJournal),
            Act::Reinstate => !matches!(self.flaw, Some(Flaw::NoJournal | Flaw::TakenBackStays)),
        }
    }

    fn assert_journal(&self, state: &mut State<J, I>, index: usize) {
        let instance = &mut state.instances[index];
        let again = instance.asserted > 0;
        instance.asserted = state.replication;
        if again && self.flaw == Some(Flaw::AssertedOnce) {
            return;
        }
        for job in 0..J {
            if instance.memory[job] && state.primary.jobs[job] == Stage::Waiting {
                state.primary.jobs[job] = Stage::Cancelled;
                state.broken.expect(Invariant::NoLoss, state.told[job] != Told::Reinstated);
            }
        }
    }
}
