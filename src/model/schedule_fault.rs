//! Why a cron schedule was refused, so that each language can say it in its own words.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What is wrong with a schedule or its zone. Written out, it is an English sentence part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ScheduleFault {
    /// More bytes than a schedule may have.
    TooLong {
        /// How many are allowed.
        bytes_max: u64,
    },
    /// No such zone.
    UnknownZone {
        /// The beginning of what was given.
        shown: String,
    },
    /// The fields do not read.
    Unreadable {
        /// What the reader of the fields says, in English.
        detail: String,
    },
    /// A number is none that its field can have.
    FieldOutOfRange {
        /// Which field.
        field: ScheduleField,
        /// The number.
        found: u32,
    },
    /// A range whose end comes before its beginning.
    Backwards {
        /// As it was given, `22-2`.
        range: String,
        /// How it is written as two, `22-23,0-2`.
        instead: String,
    },
    /// A variable of a crontab, such as `CRON_TZ=`, stands in front of the fields.
    Variable {
        /// Its name.
        name: String,
    },
    /// What stands behind `@every` is no span.
    NotASpan {
        /// The beginning of what was given.
        shown: String,
    },
    /// More often than once a second, or more rarely than once a year.
    OutOfRange,
    /// There is no such date.
    NeverFires,
}

words! {
    /// A field of a schedule.
    pub enum ScheduleField {
        /// The first of six.
        Second = "second",
        /// The first of five.
        Minute = "minute",
        /// Of the day.
        Hour = "hour",
        /// Of the month.
        Day = "day",
        /// Of the year.
        Month = "month",
        /// Sunday is 0, and 7 as well.
        Weekday = "weekday",
    }
}

impl ScheduleField {
    /// The least and the greatest number that it can have.
    #[must_use]
    pub const fn range(self) -> (u32, u32) {
        match self {
            Self::Second | Self::Minute => (0, 59),
            Self::Hour => (0, 23),
            Self::Day => (1, 31),
            Self::Month => (1, 12),
            Self::Weekday => (0, 7),
        }
    }
}

impl ScheduleFault {
    /// Whether the zone is wrong, and not the schedule.
    #[must_use]
    pub const fn is_of_the_zone(&self) -> bool {
        matches!(self, Self::UnknownZone { .. })
    }
}

impl fmt::Display for ScheduleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes_max } => write!(f, "has more than {bytes_max} bytes"),
            Self::UnknownZone { shown } => {
                write!(f, "{shown:?} is not known; take an IANA name such as Europe/Berlin, or UTC")
            }
            Self::Unreadable { detail } => write!(
                f,
                "cannot be read: {detail}; it has five fields (minute hour day month weekday), or six with \
                 seconds in front, or is @hourly, @daily (or @midnight), @weekly, @monthly, @yearly or @every 90s"
            ),
            Self::FieldOutOfRange { field, found } => {
                let (least, most) = field.range();
                write!(f, "has {found} as its {field}, which is {least} to {most}")
            }
            Self::Backwards { range, instead } => {
                write!(f, "has {range}, which ends before it begins; write {instead}")
            }
            Self::Variable { name } => write!(
                f,
                "begins with {name}=, which belongs into a crontab; leave it out, and give the zone as the entry's own (zone, \
                 --zone)"
            ),
            Self::NotASpan { shown } => write!(f, "{shown:?} is not a span; write 90s, 15m or 1h30m"),
            Self::OutOfRange => f.write_str("repeats at most once a second and at least once a year"),
            Self::NeverFires => f.write_str("never fires: there is no such date"),
        }
    }
}

impl std::error::Error for ScheduleFault {}
