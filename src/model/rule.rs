//! Rules of a kind: when its jobs may run, and how late.

use super::name::Kind;
use super::time::{Delay, Timestamp};
use serde::{Deserialize, Serialize};

/// The hours in which jobs of a kind may start, in a zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Window {
    /// IANA name of the zone, such as `Europe/Berlin`.
    pub zone: String,
    /// On which days it opens, Monday first.
    pub days: [bool; 7],
    /// When it opens, in minutes after midnight by the clock on the wall: 0 to 1,439.
    pub opens: u16,
    /// When it closes, in minutes after midnight: 0 to 1,440. Not after `opens`, it closes on the next day.
    pub closes: u16,
    /// Jobs that were moved to an opening are spread over that span, by their ids; none for all at once.
    pub spread: Delay,
}

impl Window {
    /// Open on every day between these minutes after midnight.
    #[must_use]
    pub fn daily(zone: impl Into<String>, opens: u16, closes: u16) -> Self {
        Self { zone: zone.into(), days: [true; 7], opens, closes, spread: Delay::ZERO }
    }

    /// Open on these days only, Monday first.
    #[must_use]
    pub const fn on(mut self, days: [bool; 7]) -> Self {
        self.days = days;
        self
    }

    /// Jobs that were moved to an opening are spread over that span.
    #[must_use]
    pub const fn spread(mut self, spread: Delay) -> Self {
        self.spread = spread;
        self
    }
}

/// A span in which jobs may start: from the first ms to just before the second.
pub type Opening = (Timestamp, Timestamp);

/// What holds for all jobs of a kind that do not say otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KindRule {
    /// Whose jobs.
    pub kind: Kind,
    /// The hours in which they may start; `None` for any.
    pub window: Option<Window>,
    /// The next hours, as the scripts know them; empty without a window.
    pub open: Vec<Opening>,
}

impl KindRule {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(kind: Kind, window: Option<Window>, open: Vec<Opening>) -> Self {
        Self { kind, window, open }
    }
}
