//! The data, and the scripts: each reads and writes in one step.

use super::process::Noted;
use super::{Act, Epochs, Flaw};

/// Versions of an epoch are beyond those of the one before: a million in the engine.
const EPOCH: u8 = 16;

/// Where a job is. What is not due yet and what is ready are one here: neither is in anybody's hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    Waiting,
    Active,
    Done,
    Cancelled,
}

/// A change as its history has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Change {
    version: u8,
    /// The process through which a person acted, or nothing for a worker.
    by: Option<u8>,
    /// The job was called off by it, or put back.
    of_reprieve: bool,
}

/// A job's record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Job {
    pub(super) stage: Stage,
    pub(super) version: u8,
    /// Proves the lease.
    pub(super) token: u8,
    /// It runs, and is not to run again.
    asked: bool,
    /// The version of the latest act that says whether it is to run, as it was when a person was told of it.
    word: u8,
    /// Only where a flaw asks for it.
    history: Vec<Change>,
}

impl Job {
    pub(super) fn is_cancelled(&self) -> bool {
        self.stage == Stage::Cancelled
    }

    pub(super) fn has_ended(&self) -> bool {
        matches!(self.stage, Stage::Done | Stage::Cancelled)
    }

    /// What a person can do to it.
    pub(super) fn act(&self) -> Option<Act> {
        match self.stage {
            Stage::Waiting => Some(Act::Cancel),
            Stage::Active if !self.asked => Some(Act::Cancel),
            Stage::Cancelled => Some(Act::Reinstate),
            Stage::Active | Stage::Done => None,
        }
    }

    /// Does what a person asked for, where it is not so already.
    fn obey(&mut self, act: Act) {
        match (act, self.stage) {
            (Act::Cancel, Stage::Waiting) => self.stage = Stage::Cancelled,
            (Act::Reinstate, Stage::Cancelled) => self.stage = Stage::Waiting,
            (_, Stage::Active) => self.asked = act == Act::Cancel,
            _ => {}
        }
    }

    /// The next version, that of the first change in an epoch far beyond those before.
    fn count_on(&mut self, epoch: u8) {
        let lived = self.version / EPOCH;
        self.version += 1 + epoch.saturating_sub(lived) * EPOCH;
    }

    /// Writes a change into the history, where that is asked for.
    fn note(&mut self, flaw: Option<Flaw>, by: Option<u8>, of_reprieve: bool) {
        if flaw == Some(Flaw::ByHistory) {
            self.history.push(Change { version: self.version, by, of_reprieve });
        }
    }

    /// A worker's attempt ended badly, or is taken for it.
    pub(super) fn try_again(&mut self, flaw: Option<Flaw>) {
        self.stage = if self.asked { Stage::Cancelled } else { Stage::Waiting };
        self.version += 1;
        self.note(flaw, None, self.asked);
        (self.asked, self.token) = (false, 0);
    }
}

/// How long ago the present epoch began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Since {
    /// Just now.
    Begun,
    /// Everybody who lives has had the time to look.
    AllLooked,
    /// Nobody is waited for any more.
    Enough,
}

/// Whether the namespace starts nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Halt {
    None,
    Standing,
    /// It is settled: what lets jobs go may be said, and the process that has it ends it.
    Over,
}

/// Which server, and which epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ground {
    server: u8,
    pub(super) epoch: u8,
}

impl Ground {
    /// Where everything begins.
    pub(super) const FIRST: Self = Self { server: 0, epoch: 0 };
}

/// What one server has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Data<const J: usize, const P: usize> {
    pub(super) jobs: [Job; J],
    /// Where somebody looked last, and the epoch.
    pub(super) ground: Ground,
    pub(super) since: Since,
    pub(super) halt: Halt,
    /// The processes that have looked, each with the epoch for which it has spoken.
    pub(super) watchers: [Option<u8>; P],
}

impl<const J: usize, const P: usize> Data<J, P> {
    /// New jobs, and so many processes that have looked.
    pub(super) fn known_to(processes: usize) -> Self {
        let job =
            Job { stage: Stage::Waiting, version: 1, token: 0, asked: false, word: 0, history: Vec::new() };
        Self {
            jobs: std::array::from_fn(|_| job.clone()),
            ground: Ground::FIRST,
            since: Since::Enough,
            halt: Halt::None,
            watchers: std::array::from_fn(|index| (index < processes).then_some(0)),
        }
    }

    /// Whether it was last looked at on this server.
    pub(super) const fn is_at(&self, server: u8) -> bool {
        self.ground.server == server
    }

    /// Whether nothing may start.
    pub(super) fn stands(&self, server: u8, flaw: Option<Flaw>) -> bool {
        self.halt != Halt::None || (!self.is_at(server) && flaw != Some(Flaw::NoComparison))
    }

    /// Whether all who may have acknowledged something that was lost have said it again.
    pub(super) fn is_settled(&self, flaw: Option<Flaw>) -> bool {
        let has_spoken = |said: &u8| *said == self.ground.epoch;
        let mut watchers = self.watchers.iter().flatten();
        match self.since {
            Since::Enough => true,
            Since::Begun if flaw != Some(Flaw::UnknownNotAwaited) => false,
            _ if flaw == Some(Flaw::FirstSettles) => watchers.any(has_spoken),
            _ => watchers.all(has_spoken),
        }
    }

    /// `watch`: a process looks, and tells for which epoch it has spoken.
    pub(super) fn watch(&mut self, server: u8, process: usize, said: u8, flaw: Option<Flaw>) {
        if !self.is_at(server) {
            self.ground = Ground { server, epoch: self.ground.epoch + 1 };
            self.since = Since::Begun;
            if self.halt == Halt::None {
                self.halt = Halt::Standing;
            }
        }
        let is_new = self.watchers[process].is_none();
        let counts = flaw == Some(Flaw::LookCounts) || (flaw == Some(Flaw::NewcomerHasSpoken) && is_new);
        self.watchers[process] = Some(if counts { self.ground.epoch } else { said });
        if self.halt == Halt::Standing && self.is_settled(flaw) {
            self.halt = Halt::Over;
        }
    }

    /// `claim`: gives a job to a worker. Returns its token.
    pub(super) fn claim(&mut self, job: usize, flaw: Option<Flaw>) -> u8 {
        let epoch = if flaw == Some(Flaw::TokensGoOn) { 0 } else { self.ground.epoch };
        let job = &mut self.jobs[job];
        job.stage = Stage::Active;
        job.count_on(epoch);
        job.token = job.version;
        job.note(flaw, None, false);
        job.token
    }

    /// `cancel` and `reinstate`. Returns the version of the act.
    pub(super) fn act(&mut self, server: u8, job: usize, act: Act, by: u8, flaw: Option<Flaw>) -> u8 {
        // Where nobody has looked yet an epoch is about to begin.
        let epoch = self.ground.epoch + u8::from(!self.is_at(server));
        let job = &mut self.jobs[job];
        job.obey(act);
        job.count_on(if matches!(flaw, Some(Flaw::ByHistory | Flaw::ActsGoOn)) { 0 } else { epoch });
        job.word = job.version;
        job.note(flaw, Some(by), !matches!(job.stage, Stage::Active));
        job.word
    }
}

impl<const J: usize, const P: usize> Epochs<J, P> {
    /// Whether a job has to be told again of what was acknowledged through this process.
    pub(super) fn is_forgotten(&self, job: &Job, noted: Noted, by: u8) -> bool {
        match self.flaw {
            Some(Flaw::SaidBlindly) => true,
            Some(Flaw::ByHistory) => job.version < noted.version || went_another_way(job, noted, by),
            _ => job.word < noted.version,
        }
    }

    /// Does an act again. Returns it as it is to be remembered from now on.
    pub(super) fn say_again(&self, job: &mut Job, noted: Noted, by: u8) -> Noted {
        let is_anew = matches!(self.flaw, Some(Flaw::ByHistory | Flaw::SaidAnew));
        if is_anew && job.act() != Some(noted.act) {
            return noted;
        }
        job.obey(noted.act);
        job.version += 1;
        job.note(self.flaw, Some(by), job.stage != Stage::Active);
        let version = if is_anew { job.version } else { noted.version };
        job.word = job.word.max(version);
        Noted { version, ..noted }
    }
}

/// A job that was called off has as many changes as that needs, but not that one, and nobody has decided since.
fn went_another_way(job: &Job, noted: Noted, by: u8) -> bool {
    if noted.act != Act::Cancel || job.has_ended() {
        return false;
    }
    let is_other = job.history.iter().any(|change| change.version == noted.version && change.by != Some(by));
    let mut since = job.history.iter().filter(|change| change.version >= noted.version);
    is_other && !since.any(|change| change.of_reprieve)
}
