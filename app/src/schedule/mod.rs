//! Schedules as the screens show, try out and change them.

mod draft;
mod fault;
mod read;

pub(crate) use draft::Draft;
pub(crate) use fault::{Fault, FormFault, FormField};

use crate::i18n::schedule_code;

use reprieve::model::{CronChanged, CronFire, CronSource, CronState, JobId, JobState, ScheduleFault, Tick};
use serde::{Deserialize, Serialize};

/// Ticks to come, on a schedule's own page and under the form.
pub(crate) const TICKS_AHEAD: usize = 10;
/// Ticks under the form while somebody types.
pub(crate) const TICKS_TRIED: usize = 5;
/// Ticks behind, on a schedule's own page.
pub(crate) const TICKS_BEHIND: usize = 20;

/// A schedule with what a list says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// What it does and where it stands.
    pub state: CronState,
    /// Its expression in the words of the page's language; empty for one that does not read any more.
    pub words: String,
    /// Where its latest job stands; `None` before the first, and once that job is gone.
    pub last_state: Option<JobState>,
}

impl Schedule {
    /// Whether a program or its configuration declares it: then its definition is changed there.
    pub fn is_declared(&self) -> bool {
        self.state.source == CronSource::Declared
    }
}

/// One schedule, with its ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleDetail {
    /// The schedule.
    pub schedule: Schedule,
    /// The next ticks, whether it is paused or not.
    pub ahead: Vec<Tick>,
    /// What came of the latest ticks, latest first.
    pub behind: Vec<CronFire>,
}

/// What an expression would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// It fires.
    Fires {
        /// In the words of the page's language.
        words: String,
        /// The next ticks.
        ticks: Vec<Tick>,
    },
    /// It does not read.
    Faulty {
        /// Why.
        fault: ScheduleFault,
    },
}

/// What became of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Saved {
    /// It was read and sent.
    Put {
        /// The answer.
        changed: CronChanged,
    },
    /// It does not read; nothing was changed.
    Faults {
        /// What is wrong, field by field.
        faults: Vec<FormFault>,
    },
    /// It was only to be tried out; nothing was changed.
    Tried,
}

impl Saved {
    /// Its word in an address.
    pub fn code(&self) -> String {
        match self {
            Self::Put { changed } => schedule_code("put", changed),
            // Where no script hears of them they are refused, with their reason.
            Self::Faults { .. } | Self::Tried => String::new(),
        }
    }
}

/// What became of running one by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Started {
    /// Its job is on its way.
    Job {
        /// Which.
        id: JobId,
    },
    /// There was no room: its subject has as many live jobs as it may, or another one holds its key.
    NoRoom,
    /// It has changed since it was seen; nothing was done.
    Conflict,
    /// There is no such schedule any more.
    Missing,
}

impl Started {
    /// Its word in an address.
    pub fn code(&self) -> String {
        match self {
            Self::Job { .. } => "schedule.run.job",
            Self::NoRoom => "schedule.run.no_room",
            Self::Conflict => "schedule.run.conflict",
            Self::Missing => "schedule.run.missing",
        }
        .to_owned()
    }
}
