//! Claim, lease, fence, cancel, retry: jobs between a Redis that does one script at a time, workers that die, a network
//! that loses, repeats and delays, and people who call jobs off and ask again when they got no answer.
//!
//! A lease may always run out once nobody runs the job any more. While its owner lives it runs out early only as often
//! as [`Accidents::early`] allows: that is a frozen process, or a network that kept the heartbeat away.

mod redis;
mod steps;

use crate::search::never_broken;
use crate::{Broken, Invariant};
use stateright::{Model, Property};

pub use steps::Step;

/// Failed attempts after which a job is dead.
const ATTEMPTS_MAX: u8 = 2;
/// Leases that ran out after which a job is dead.
const STALLS_MAX: u8 = 2;

/// A way to build it wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// A report is taken whatever its token.
    NoFence,
    /// A cancel does not look at the state and answers "cancelled" for a job that runs.
    CancelWithoutStateCheck,
    /// A cancel takes the job out of `delayed` only; one that is ready stays there.
    CancelLeavesReady,
    /// The forwarder pushes to ready and removes from delayed in a second call.
    PushBeforeRemove,
    /// A claim takes the job out of ready, and enters it into active in a second call.
    PopBeforeEntry,
    /// The attempt number is the token, and recovering gives the attempt back: two claims share one token.
    RecoverWithoutNewToken,
    /// The recoverer does not look whether the lease is over.
    RecoverLiveJobs,
    /// Nobody takes jobs back.
    NoRecoverer,
    /// A report that was taken leaves no trace: its repeat is told "lost".
    ReportForgotten,
    /// A cancel does not keep its answer: its repeat is told "too late".
    OperationForgotten,
    /// The audit entry is written by a second call.
    AuditAfterwards,
    /// Stalls are not counted.
    StallsUncounted,
    /// A failed job is tried again without end.
    AttemptsUnlimited,
    /// A worker looks for work only when a hint told it to.
    OnlyWhenWoken,
    /// A job that ran out of stalls is thrown away.
    StalledThrownAway,
    /// A reprieve is forgotten when the forwarder has read the job before: it writes what it read.
    ForwardFromMemory,
}

impl Flaw {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::NoFence,
        Self::CancelWithoutStateCheck,
        Self::CancelLeavesReady,
        Self::PushBeforeRemove,
        Self::PopBeforeEntry,
        Self::RecoverWithoutNewToken,
        Self::RecoverLiveJobs,
        Self::NoRecoverer,
        Self::ReportForgotten,
        Self::OperationForgotten,
        Self::AuditAfterwards,
        Self::StallsUncounted,
        Self::AttemptsUnlimited,
        Self::OnlyWhenWoken,
        Self::StalledThrownAway,
        Self::ForwardFromMemory,
    ];
}

/// How often each accident may happen; all of them in any order and at any moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Accidents {
    /// Workers that die and come back without memory.
    pub crashes: u8,
    /// Requests and replies that are lost.
    pub losses: u8,
    /// Requests that run twice, unasked, as a client library may do.
    pub repeats: u8,
    /// Leases that run out under a living owner.
    pub early: u8,
    /// Handlers that fail.
    pub failures: u8,
}

/// Where a job is, by its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Waits for its time.
    Delayed,
    /// Waits for a worker.
    Ready,
    /// Somebody has it.
    Active,
    /// Waits for its next attempt.
    Retrying,
    /// Ended well.
    Done,
    /// Ended badly.
    Dead,
    /// Called off.
    Cancelled,
}

impl Stage {
    const fn set(self) -> u8 {
        1 << self as u8
    }

    const fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Dead | Self::Cancelled)
    }
}

/// What a script answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Word {
    /// The report is taken.
    Taken,
    /// Somebody else has the job by now.
    Lost,
    /// Called off: nobody starts it.
    Cancelled,
    /// It runs, and its worker is told.
    Requested,
    /// It has ended already.
    Final,
}

/// A job as Redis keeps it, and below that what only the observer knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Job {
    stage: Stage,
    /// The sets it stands in, a bit each; its stage's alone if all is well.
    sets: u8,
    version: u8,
    token: u8,
    attempt: u8,
    stalls: u8,
    lease_over: bool,
    cancel_asked: bool,
    /// The token that the latest report used up.
    spent: Option<u8>,
    /// The kept answer of the one cancel there is.
    answer: Option<Word>,
    /// A wake hint lies beside it.
    hint: bool,
    // The observer's.
    claims: u8,
    causes: u8,
    effects: u8,
    failures: u8,
    lapses: u8,
    promised: bool,
    applied: u8,
    changes: u8,
    entries: u8,
    /// The forwarder has read it and not written yet: for a flaw.
    read_by_forwarder: bool,
}

/// A worker's process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Worker {
    /// Has nothing to do.
    Idle,
    /// Waits for an answer to its claim.
    Asking,
    /// Runs a handler; `claim` is the observer's number of the claim, the token what Redis gave.
    Running {
        /// Which job.
        job: u8,
        /// Proves the lease.
        token: u8,
        /// The observer's number.
        claim: u8,
    },
    /// Its handler has ended, and it tells until it is heard.
    Reporting {
        /// Which job.
        job: u8,
        /// Proves the lease.
        token: u8,
        /// The observer's number.
        claim: u8,
        /// Whether the handler ended well.
        well: bool,
    },
}

/// Something under way between a process and Redis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Packet {
    /// Gives me work.
    Claim(u8),
    /// Here is a job.
    Gave {
        /// To which worker.
        worker: u8,
        /// Which job.
        job: u8,
        /// Proves the lease.
        token: u8,
        /// The observer's number.
        claim: u8,
    },
    /// There is none.
    Nothing(u8),
    /// How an attempt ended.
    Report {
        /// Who tells.
        worker: u8,
        /// Which job.
        job: u8,
        /// Proves the lease.
        token: u8,
        /// The observer's number.
        claim: u8,
        /// Whether it ended well.
        well: bool,
    },
    /// What became of the report.
    Reported {
        /// To which worker.
        worker: u8,
        /// The observer's number of the claim it is about.
        claim: u8,
        /// What Redis said.
        word: Word,
    },
    /// Call this job off.
    Cancel(u8),
    /// What became of that.
    Answer(u8, Word),
}

/// What a person knows of their one wish to call a job off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Person {
    /// Has not asked, and may never.
    Silent,
    /// Waits for the answer.
    Waiting,
    /// Was told.
    Told(Word),
}

/// Everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State<const J: usize, const W: usize> {
    jobs: [Job; J],
    workers: [Worker; W],
    people: [Person; J],
    /// In order, so that equal networks are equal states.
    net: Vec<Packet>,
    left: Accidents,
    broken: Broken,
}

/// `J` jobs and `W` workers. People may call off the first `cancellable` jobs.
#[derive(Debug, Clone)]
pub struct Lease<const J: usize, const W: usize> {
    /// What may happen.
    pub accidents: Accidents,
    /// How many of the jobs somebody may call off.
    pub cancellable: usize,
    /// What is built wrongly, if anything.
    pub flaw: Option<Flaw>,
}

impl<const J: usize, const W: usize> Model for Lease<J, W> {
    type State = State<J, W>;
    type Action = Step;

    fn init_states(&self) -> Vec<Self::State> {
        let job = Job {
            stage: Stage::Delayed,
            sets: Stage::Delayed.set(),
            version: 1,
            token: 0,
            attempt: 0,
            stalls: 0,
            lease_over: false,
            cancel_asked: false,
            spent: None,
            answer: None,
            hint: false,
            claims: 0,
            causes: 0,
            effects: 0,
            failures: 0,
            lapses: 0,
            promised: false,
            applied: 0,
            changes: 0,
            entries: 0,
            read_by_forwarder: false,
        };
        vec![State {
            jobs: std::array::from_fn(|_| job.clone()),
            workers: std::array::from_fn(|_| Worker::Idle),
            people: [Person::Silent; J],
            net: Vec::new(),
            left: self.accidents,
            broken: Broken::default(),
        }]
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Step>) {
        steps::possible(self, state, actions);
    }

    fn next_state(&self, state: &Self::State, step: Step) -> Option<Self::State> {
        let mut next = state.clone();
        steps::take(self, &mut next, step);
        next.net.sort_unstable();
        for job in &next.jobs {
            next.broken.expect(Invariant::Conservation, job.sets == job.stage.set());
            next.broken.expect(Invariant::NoLoss, job.sets != 0);
            next.broken.expect(Invariant::Audit, job.changes == job.entries);
            next.broken.expect(Invariant::Counters, job.failures <= ATTEMPTS_MAX && job.lapses <= STALLS_MAX);
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            never_broken(Invariant::Conservation, |_, s: &Self::State| {
                s.broken.keeps(Invariant::Conservation)
            }),
            never_broken(Invariant::NoLoss, |_, s: &Self::State| s.broken.keeps(Invariant::NoLoss)),
            never_broken(Invariant::Fencing, |_, s: &Self::State| s.broken.keeps(Invariant::Fencing)),
            never_broken(Invariant::HonestReprieve, |_, s: &Self::State| {
                s.broken.keeps(Invariant::HonestReprieve)
            }),
            never_broken(Invariant::Effects, |_, s: &Self::State| s.broken.keeps(Invariant::Effects)),
            never_broken(Invariant::Audit, |_, s: &Self::State| s.broken.keeps(Invariant::Audit)),
            never_broken(Invariant::Counters, |_, s: &Self::State| s.broken.keeps(Invariant::Counters)),
            never_broken(Invariant::SameAnswer, |_, s: &Self::State| s.broken.keeps(Invariant::SameAnswer)),
            // Every way ends, for accidents are counted, and at its end no job may be left over. Hints may all be
            // lost on the way, so the same sentence is that of I12.
            Property::eventually(Invariant::Progress.name(), |_, s: &Self::State| {
                s.jobs.iter().all(|job| job.stage.is_final())
                    && s.people.iter().all(|person| *person != Person::Waiting)
            }),
        ]
    }
}
