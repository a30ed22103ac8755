//! A bulk run: one verb on many jobs, taken step by step by any number of runners that die, started by a person who asks
//! again when there is no answer, while workers take jobs.

use crate::search::never_broken;
use crate::{Broken, Invariant};
use stateright::{Model, Property};

/// A way to build it wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// A step does its jobs, and moves the cursor by a second call.
    CursorAfterwards,
    /// Starting keeps no operation id: asking again starts a second run.
    StartForgotten,
    /// A runner that comes back begins at the first job.
    FromTheStart,
    /// A step does not look whether the run was stopped.
    StopUnseen,
    /// A job that has changed since it was frozen is called off all the same.
    ChangedAnyway,
    /// Each runner writes a summary when it finds nothing left.
    SummaryByEach,
    /// The cursor moves first, and the jobs are done by a second call.
    CursorBefore,
}

impl Flaw {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::CursorAfterwards,
        Self::StartForgotten,
        Self::FromTheStart,
        Self::StopUnseen,
        Self::ChangedAnyway,
        Self::SummaryByEach,
        Self::CursorBefore,
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stage {
    Waiting,
    Active,
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Job {
    stage: Stage,
    /// It is the version it was frozen at.
    as_frozen: bool,
    outcomes: u8,
    promised: bool,
}

/// Where a runner's process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Runner {
    Between,
    /// Between the two calls of a flaw: which job.
    Within(u8),
}

/// Everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State<const J: usize, const R: usize> {
    jobs: [Job; J],
    /// The first job that is still to come.
    cursor: u8,
    /// How many runs were started; there is one wish.
    runs: u8,
    stopped: bool,
    /// The first job that was still to come when the stop was answered.
    stopped_at: u8,
    summaries: u8,
    runners: [Runner; R],
    /// The person has an answer to their start.
    answered: bool,
    losses_left: u8,
    crashes_left: u8,
    changes_left: u8,
    broken: Broken,
}

/// `J` jobs and `R` runners.
#[derive(Debug, Clone)]
pub struct Bulk<const J: usize, const R: usize> {
    /// How many answers to the start are lost.
    pub losses: u8,
    /// How often a runner dies.
    pub crashes: u8,
    /// How often a job changes under the run.
    pub changes: u8,
    /// Whether a person may stop the run.
    pub stops: bool,
    /// What is built wrongly, if anything.
    pub flaw: Option<Flaw>,
}

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// The person starts the run, and is answered.
    Start,
    /// The same, and the answer is lost.
    StartUnheard,
    /// A runner takes a step.
    Take(usize),
    /// A runner makes the second call of a flaw.
    Finish(usize),
    /// A runner dies and comes back.
    Crash(usize),
    /// The person stops the run.
    Stop,
    /// A worker takes a job.
    Claim(usize),
    /// Somebody changes a job that waits.
    Change(usize),
}

impl<const J: usize, const R: usize> Bulk<J, R> {
    fn len() -> u8 {
        u8::try_from(J).unwrap_or(u8::MAX)
    }

    fn does(&self, state: &mut State<J, R>, index: u8) {
        let job = &mut state.jobs[usize::from(index)];
        let fits = job.stage == Stage::Waiting && (job.as_frozen || self.flaw == Some(Flaw::ChangedAnyway));
        job.outcomes += 1;
        if fits {
            state.broken.expect(Invariant::Audit, job.as_frozen);
            job.stage = Stage::Cancelled;
            job.promised = true;
        }
        // One batch may have been under way.
        state.broken.expect(Invariant::SameAnswer, !state.stopped || index < state.stopped_at);
        state.broken.expect(Invariant::Audit, job.outcomes == 1);
    }

    fn summarise(&self, state: &mut State<J, R>) {
        let ended = state.cursor == Self::len() || state.stopped;
        if state.runs > 0 && ended && (state.summaries == 0 || self.flaw == Some(Flaw::SummaryByEach)) {
            state.summaries += 1;
        }
        state.broken.expect(Invariant::Audit, state.summaries <= 1);
    }

    fn take_step(&self, state: &mut State<J, R>, runner: usize) {
        if state.cursor < Self::len() && (!state.stopped || self.flaw == Some(Flaw::StopUnseen)) {
            match self.flaw {
                Some(Flaw::CursorAfterwards) => {
                    self.does(state, state.cursor);
                    state.runners[runner] = Runner::Within(state.cursor);
                }
                Some(Flaw::CursorBefore) => {
                    state.runners[runner] = Runner::Within(state.cursor);
                    state.cursor += 1;
                }
                _ => {
                    self.does(state, state.cursor);
                    state.cursor += 1;
                }
            }
        }
        self.summarise(state);
    }
}

impl<const J: usize, const R: usize> Model for Bulk<J, R> {
    type State = State<J, R>;
    type Action = Step;

    fn init_states(&self) -> Vec<Self::State> {
        let job = Job { stage: Stage::Waiting, as_frozen: true, outcomes: 0, promised: false };
        vec![State {
            jobs: std::array::from_fn(|_| job.clone()),
            cursor: 0,
            runs: 0,
            stopped: false,
            stopped_at: 0,
            summaries: 0,
            runners: [Runner::Between; R],
            answered: false,
            losses_left: self.losses,
            crashes_left: self.crashes,
            changes_left: self.changes,
            broken: Broken::default(),
        }]
    }

    fn actions(&self, state: &Self::State, steps: &mut Vec<Step>) {
        if !state.answered {
            steps.push(Step::Start);
            if state.losses_left > 0 {
                steps.push(Step::StartUnheard);
            }
        }
        if state.runs > 0 {
            let ended = state.summaries > 0
                && self.flaw != Some(Flaw::SummaryByEach)
                && self.flaw != Some(Flaw::StopUnseen);
            for (index, runner) in state.runners.iter().enumerate() {
                match runner {
                    Runner::Between if !ended && state.summaries < 3 => steps.push(Step::Take(index)),
                    Runner::Between => {}
                    Runner::Within(_) => steps.push(Step::Finish(index)),
                }
                if state.crashes_left > 0 {
                    steps.push(Step::Crash(index));
                }
            }
            if self.stops && !state.stopped && state.summaries == 0 {
                steps.push(Step::Stop);
            }
        }
        for (index, job) in state.jobs.iter().enumerate() {
            if job.stage == Stage::Waiting {
                steps.push(Step::Claim(index));
                if state.changes_left > 0 {
                    steps.push(Step::Change(index));
                }
            }
        }
    }

    fn next_state(&self, state: &Self::State, step: Step) -> Option<Self::State> {
        let mut next = state.clone();
        match step {
            Step::Start | Step::StartUnheard => {
                if next.runs == 0 || self.flaw == Some(Flaw::StartForgotten) {
                    next.runs += 1;
                }
                next.broken.expect(Invariant::SameAnswer, next.runs == 1);
                next.answered = step == Step::Start;
                next.losses_left -= u8::from(step == Step::StartUnheard);
            }
            Step::Take(runner) => self.take_step(&mut next, runner),
            Step::Finish(runner) => {
                if let Runner::Within(job) = next.runners[runner] {
                    match self.flaw {
                        Some(Flaw::CursorBefore) => self.does(&mut next, job),
                        _ => next.cursor = next.cursor.max(job + 1),
                    }
                    next.runners[runner] = Runner::Between;
                }
            }
            Step::Crash(runner) => {
                next.crashes_left -= 1;
                next.runners[runner] = Runner::Between;
                if self.flaw == Some(Flaw::FromTheStart) {
                    next.cursor = 0;
                }
            }
            Step::Stop => {
                next.stopped = true;
                next.stopped_at = next.cursor;
            }
            Step::Claim(index) => {
                next.broken.expect(Invariant::HonestReprieve, !next.jobs[index].promised);
                next.jobs[index].stage = Stage::Active;
            }
            Step::Change(index) => {
                next.changes_left -= 1;
                next.jobs[index].as_frozen = false;
            }
        }
        (next != *state).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            never_broken(Invariant::HonestReprieve, |_, s: &Self::State| {
                s.broken.keeps(Invariant::HonestReprieve)
            }),
            never_broken(Invariant::Audit, |_, s: &Self::State| s.broken.keeps(Invariant::Audit)),
            never_broken(Invariant::SameAnswer, |_, s: &Self::State| s.broken.keeps(Invariant::SameAnswer)),
            // Every job of a run that was not stopped has its outcome in the end, and every run its summary.
            Property::eventually(Invariant::Progress.name(), |_, s: &Self::State| {
                s.summaries == 1 && (s.stopped || s.jobs.iter().all(|job| job.outcomes == 1))
            }),
        ]
    }
}
