//! What is wrong with a form, field by field.

use reprieve::model::{InvalidName, ScheduleFault};
use serde::{Deserialize, Serialize};

use crate::{i18n, t};

reprieve::words! {
    /// A field of the form, as they stand in it; its name there and in addresses.
    pub enum FormField or "one of " {
        /// What it is called.
        Name = "name",
        /// When it fires.
        Schedule = "schedule",
        /// On whose clocks.
        Zone = "zone",
        /// Which handler runs the job.
        Kind = "kind",
        /// Where the job waits.
        Queue = "queue",
        /// What the job is about.
        Subject = "subject",
        /// What the handler is given.
        Payload = "payload",
        /// How often it is tried.
        MaxAttempts = "max_attempts",
    }
}

impl FormField {
    /// What stands beside it.
    pub fn label(self) -> String {
        i18n::word("schedules-field", self.as_str())
    }
}

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormFault {
    /// Where.
    pub field: FormField,
    /// What.
    pub fault: Fault,
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// A name that does not fit.
    Name(InvalidName),
    /// A schedule or zone that does not read.
    Schedule(ScheduleFault),
    /// Not JSON.
    NotJson {
        /// The line of the mistake, from 1.
        line: u64,
    },
    /// More than a job may carry.
    TooLarge {
        /// How much it may.
        bytes_max: u64,
    },
    /// Not a whole number from 1 on.
    NotANumber,
    /// A program declares it, so its definition is changed there.
    Declared,
    /// Another schedule has that name.
    Taken,
    /// The kind is another one, and the payload with its hidden parts is to stay: the rules of that kind could show them.
    HiddenForKind,
}

impl Fault {
    /// The whole sentence, to stand under its field.
    pub fn sentence(&self) -> String {
        match self {
            Self::Name(InvalidName::Empty { .. }) => t!("schedules-fault-empty"),
            Self::Name(InvalidName::TooLong { bytes_max, .. }) => {
                t!("schedules-fault-long", count = *bytes_max)
            }
            Self::Name(InvalidName::Character { found, allowed, .. }) => {
                t!("schedules-fault-character", found = found.to_string(), allowed = allowed.clone())
            }
            Self::Name(_) => t!("schedules-fault-name"),
            Self::Schedule(fault) => of_schedule(fault),
            Self::NotJson { line } => t!("schedules-fault-json", line = *line),
            Self::TooLarge { bytes_max } => {
                t!("schedules-fault-large", size = crate::format::bytes(*bytes_max))
            }
            Self::NotANumber => t!("schedules-fault-number"),
            Self::Declared => t!("schedules-declared-long"),
            Self::Taken => t!("schedules-form-taken"),
            Self::HiddenForKind => t!("schedules-fault-hidden"),
        }
    }
}

/// What is wrong with an expression or its zone.
fn of_schedule(fault: &ScheduleFault) -> String {
    match fault {
        ScheduleFault::TooLong { bytes_max } => t!("schedules-fault-long", count = *bytes_max),
        ScheduleFault::UnknownZone { shown } if shown.is_empty() => t!("schedules-fault-empty"),
        ScheduleFault::UnknownZone { shown } => t!("schedules-fault-zone", zone = shown.clone()),
        ScheduleFault::FieldOutOfRange { field, found } => {
            let (least, most) = field.range();
            t!("schedules-fault-field", field = field.as_str(), found = *found, least = least, most = most)
        }
        ScheduleFault::Backwards { range, instead } => {
            t!("schedules-fault-backwards", range = range.clone(), instead = instead.clone())
        }
        ScheduleFault::Variable { name } => t!("schedules-fault-variable", name = name.clone()),
        ScheduleFault::NotASpan { shown } => t!("schedules-fault-span", span = shown.clone()),
        ScheduleFault::OutOfRange => t!("schedules-fault-range"),
        ScheduleFault::NeverFires => t!("schedules-fault-never"),
        // The reader's own words are English: they stand behind the sentence of the page's language.
        ScheduleFault::Unreadable { .. } => t!("schedules-fault-unreadable"),
        _ => t!("schedules-fault-unreadable"),
    }
}
