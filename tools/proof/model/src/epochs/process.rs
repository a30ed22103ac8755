//! A process: what it acknowledged, what it saw, and what it has still to say again.

use super::Act;
use super::people::Untold;
use super::scripts::{Ground, Halt};

/// Whether it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Life {
    ToCome,
    Alive,
    Dead,
}

/// The latest act on a job that a person was told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Noted {
    pub(super) act: Act,
    pub(super) version: u8,
}

/// What is being said again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Saying {
    /// What stops jobs; then what lets them go.
    pub(super) act: Act,
    /// The jobs that are left, the next one last.
    pub(super) jobs: Vec<u8>,
    /// The version that the next one was read with.
    pub(super) read: Option<u8>,
}

/// What a process knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Process<const J: usize> {
    pub(super) life: Life,
    /// What it acknowledged, in memory.
    pub(super) journal: [Option<Noted>; J],
    pub(super) untold: [Option<Untold>; J],
    /// What its latest look showed.
    pub(super) sees: Option<(Ground, Halt)>,
    /// Where it has said again what stops jobs.
    pub(super) stopped_on: Option<Ground>,
    /// The same for what lets them go.
    pub(super) released_on: Option<Ground>,
    pub(super) saying: Option<Saying>,
}

impl<const J: usize> Process<J> {
    /// One that is not there yet.
    pub(super) const fn to_come() -> Self {
        Self {
            life: Life::ToCome,
            journal: [None; J],
            untold: [None; J],
            sees: None,
            stopped_on: None,
            released_on: None,
            saying: None,
        }
    }

    /// One that has looked before anything happened.
    pub(super) fn known() -> Self {
        let here = Some(Ground::FIRST);
        Self {
            life: Life::Alive,
            sees: Some((Ground::FIRST, Halt::None)),
            stopped_on: here,
            released_on: here,
            ..Self::to_come()
        }
    }

    pub(super) fn is_alive(&self) -> bool {
        self.life == Life::Alive
    }

    /// It dies, and what it knew with it.
    pub(super) fn die(&mut self) {
        *self = Self { life: Life::Dead, ..Self::to_come() };
    }

    /// The epoch for which it has spoken.
    pub(super) fn said(&self) -> u8 {
        self.stopped_on.map_or(0, |ground| ground.epoch)
    }

    /// Whether it has, or may still get, something to say.
    pub(super) fn owes(&self) -> bool {
        self.is_alive()
            && (self.journal.iter().any(Option::is_some) || self.untold.iter().any(Option::is_some))
    }

    /// What it has to say again after this look: once on each ground what stops jobs, and when jobs are to start, or do,
    /// what lets them go.
    fn duty(&self, ground: Ground, halt: Halt) -> Option<Act> {
        if self.stopped_on != Some(ground) {
            Some(Act::Cancel)
        } else if halt != Halt::Standing && self.released_on != Some(ground) {
            Some(Act::Reinstate)
        } else {
            None
        }
    }

    /// Whether a look would tell it anything, or give it something to do.
    pub(super) fn learns(&self, ground: Ground, halt: Halt) -> bool {
        self.sees != Some((ground, halt)) || self.duty(ground, halt).is_some()
    }

    /// What a look showed is there.
    pub(super) fn look(&mut self, ground: Ground, halt: Halt) {
        self.sees = Some((ground, halt));
        if let Some(act) = self.duty(ground, halt) {
            let is_of_it = |noted: &Option<Noted>| noted.is_some_and(|noted| noted.act == act);
            let jobs = (0u8..).zip(&self.journal).filter(|(_, noted)| is_of_it(noted));
            self.saying = Some(Saying { act, jobs: jobs.map(|(job, _)| job).collect(), read: None });
            self.finish();
        }
    }

    /// The next job of which it may have something to say, and the version that this was read with.
    pub(super) fn next(&self) -> Option<(usize, Option<u8>)> {
        let saying = self.saying.as_ref()?;
        Some((usize::from(*saying.jobs.last()?), saying.read))
    }

    /// What it acknowledged of a job, if it is of the sort that is being said again.
    pub(super) fn has_to_say(&self, job: usize) -> Option<Noted> {
        let act = self.saying.as_ref()?.act;
        self.journal[job].filter(|noted| noted.act == act)
    }

    /// The next job was read with this version, or is to be read again.
    pub(super) fn has_read(&mut self, version: Option<u8>) {
        if let Some(saying) = &mut self.saying {
            saying.read = version;
        }
    }

    /// Nothing more is to be said of the next job.
    pub(super) fn go_on(&mut self) {
        if let Some(saying) = &mut self.saying {
            saying.jobs.pop();
            saying.read = None;
        }
        self.finish();
    }

    /// Notes that everything was said, if so.
    fn finish(&mut self) {
        let Some((ground, _)) = self.sees else { return };
        if let Some(saying) = self.saying.take_if(|saying| saying.jobs.is_empty()) {
            match saying.act {
                Act::Cancel => self.stopped_on = Some(ground),
                Act::Reinstate => self.released_on = Some(ground),
            }
        }
    }

    /// Remembers what a person is told. A later act has a higher version.
    pub(super) fn note(&mut self, job: usize, noted: Noted) {
        if self.journal[job].is_none_or(|known| known.version <= noted.version) {
            self.journal[job] = Some(noted);
        }
    }
}
