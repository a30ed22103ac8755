//! Somebody loses a right while their page is open: from the answer on no act of theirs succeeds, and their stream tells
//! nothing that is older than what an instance may keep in mind.

use stateright::{Model, Property};

/// For how many units of time an instance may keep a right in mind for what it only shows.
const KEPT: u8 = 1;
/// How long a day is here.
const END: u8 = 5;

/// That a demotion acts at once: no invariant of jobs, but a promise to the person who demotes.
pub const DEMOTION: &str = "demotion acts at once";

/// A way to build it wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// A stream is asked for its right when it opens, and never again.
    AskedAtOpening,
    /// What is kept in mind never grows old.
    KeptForEver,
    /// An act is judged by what is kept in mind.
    ActFromMemory,
    /// A bulk run is judged when it starts, and never again.
    BulkAtStart,
    /// Using what is kept in mind makes it young again.
    UseRenews,
}

impl Flaw {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::AskedAtOpening, Self::KeptForEver, Self::ActFromMemory, Self::BulkAtStart, Self::UseRenews];
}

/// What an instance keeps in mind of one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Memory {
    may: bool,
    age: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Instance {
    memory: Option<Memory>,
    stream: bool,
    bulk: bool,
    /// Steps of the bulk run since the demotion was answered.
    steps_after: u8,
}

/// Everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State<const I: usize> {
    time: u8,
    may: bool,
    /// When the demotion was answered.
    demoted: Option<u8>,
    instances: [Instance; I],
    /// Events and steps that may still come.
    left: u8,
    late: bool,
}

/// `I` instances that serve one person.
#[derive(Debug, Clone)]
pub struct Streams<const I: usize> {
    /// How many events and acts there are.
    pub events: u8,
    /// What is built wrongly, if anything.
    pub flaw: Option<Flaw>,
}

/// One step; the number is the instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// A unit of time passes.
    Pass,
    /// Somebody takes the right away, and is told so.
    Demote,
    /// The person opens a stream.
    Open(usize),
    /// An event is told on the stream.
    Tell(usize),
    /// The person acts on a job.
    Act(usize),
    /// They start a bulk run.
    StartBulk(usize),
    /// It takes a step.
    BulkStep(usize),
}

impl<const I: usize> Streams<I> {
    /// Whether the person may, as far as the instance keeps in mind; it asks when that is too old.
    fn may_see(&self, state: &mut State<I>, index: usize) -> bool {
        let present = state.may;
        let memory = &mut state.instances[index].memory;
        let lasts = self.flaw == Some(Flaw::KeptForEver);
        match memory {
            Some(known) if lasts || known.age <= KEPT => {
                if self.flaw == Some(Flaw::UseRenews) {
                    known.age = 0;
                }
                known.may
            }
            _ => {
                *memory = Some(Memory { may: present, age: 0 });
                present
            }
        }
    }
}

impl<const I: usize> Model for Streams<I> {
    type State = State<I>;
    type Action = Step;

    fn init_states(&self) -> Vec<Self::State> {
        let instance = Instance { memory: None, stream: false, bulk: false, steps_after: 0 };
        vec![State {
            time: 0,
            may: true,
            demoted: None,
            instances: std::array::from_fn(|_| instance.clone()),
            left: self.events,
            late: false,
        }]
    }

    fn actions(&self, state: &Self::State, steps: &mut Vec<Step>) {
        if state.time < END {
            steps.push(Step::Pass);
        }
        if state.may {
            steps.push(Step::Demote);
        }
        for (index, instance) in state.instances.iter().enumerate() {
            if !instance.stream {
                steps.push(Step::Open(index));
            }
            if state.left > 0 {
                if instance.stream {
                    steps.push(Step::Tell(index));
                }
                steps.push(Step::Act(index));
                steps.push(if instance.bulk { Step::BulkStep(index) } else { Step::StartBulk(index) });
            }
        }
    }

    fn next_state(&self, state: &Self::State, step: Step) -> Option<Self::State> {
        let mut next = state.clone();
        match step {
            Step::Pass => {
                next.time += 1;
                for instance in &mut next.instances {
                    if let Some(memory) = &mut instance.memory {
                        memory.age += 1;
                    }
                }
            }
            Step::Demote => {
                next.may = false;
                next.demoted = Some(next.time);
            }
            Step::Open(index) => next.instances[index].stream = self.may_see(&mut next, index),
            Step::Tell(index) => {
                next.left -= 1;
                let told = self.flaw == Some(Flaw::AskedAtOpening) || self.may_see(&mut next, index);
                if told {
                    let too_old = next.demoted.is_some_and(|at| next.time > at + KEPT);
                    next.late |= too_old;
                } else {
                    next.instances[index].stream = false;
                }
            }
            Step::Act(index) => {
                next.left -= 1;
                let may = if self.flaw == Some(Flaw::ActFromMemory) {
                    self.may_see(&mut next, index)
                } else {
                    next.may
                };
                // Judged in the same step in which it is done.
                next.late |= may && next.demoted.is_some();
            }
            Step::StartBulk(index) => {
                next.left -= 1;
                next.instances[index].bulk = next.may;
            }
            Step::BulkStep(index) => {
                next.left -= 1;
                let goes_on = next.may || self.flaw == Some(Flaw::BulkAtStart);
                let demoted = next.demoted.is_some();
                let instance = &mut next.instances[index];
                instance.bulk = goes_on;
                instance.steps_after += u8::from(goes_on && demoted);
                next.late |= instance.steps_after > 1;
            }
        }
        (next != *state).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always(DEMOTION, |_, s: &Self::State| !s.late)]
    }
}
