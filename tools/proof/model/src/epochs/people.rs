//! What people were told, and what they may hold true of it.

use super::Act;

/// What Redis has done and the person has not been told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Untold {
    pub(super) act: Act,
    pub(super) version: u8,
    /// The observer's number of the act.
    pub(super) number: u8,
    /// How many servers there were before the one that did it.
    pub(super) failovers: u8,
}

/// The latest word on a job, if a person was told so by a process that lives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Promise {
    /// How many acts on it there were, on any server.
    acts: u8,
    /// What was told, and by which process.
    told: Option<(Act, u8)>,
}

impl Promise {
    /// Another act: what was told before is the latest word no more. Returns its number.
    pub(super) const fn act(&mut self) -> u8 {
        self.acts += 1;
        self.told = None;
        self.acts
    }

    /// A person is told of an act.
    pub(super) const fn tell(&mut self, untold: Untold, process: u8) {
        if untold.number == self.acts {
            self.told = Some((untold.act, process));
        }
    }

    /// A process dies: its word with it.
    pub(super) fn forget(&mut self, process: u8) {
        self.told = self.told.filter(|(_, by)| *by != process);
    }

    pub(super) const fn is_called_off(self) -> bool {
        matches!(self.told, Some((Act::Cancel, _)))
    }

    pub(super) const fn is_put_back(self) -> bool {
        matches!(self.told, Some((Act::Reinstate, _)))
    }
}
