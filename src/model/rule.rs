//! Rules of a kind: when its jobs may run, how late, and whether bulk runs leave them alone.

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

    /// How long it is open at a time, by the clock on the wall.
    #[must_use]
    pub fn open_for(&self) -> Delay {
        let next_day = if self.closes > self.opens { 0 } else { 24 * 60 };
        Delay::minutes(i64::from(self.closes) + next_day - i64::from(self.opens))
    }
}

words! {
    /// What becomes of a job that cannot start in time.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum LatePolicy or "one of " {
        /// It runs all the same; for a job, this overrules the rule of its kind.
        Run = "run",
        /// It is called off, and its history says that it expired.
        #[default]
        Skip = "skip",
        /// It is dead, for a person to look at.
        Dead = "dead",
    }
}

/// How late a job may start. Counted from its due time, or from the one it had before a delivery window moved it;
/// judged by Redis's clock when it is forwarded and when it is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lateness {
    /// The longest it may be late.
    #[serde(rename = "most_ms")]
    pub most: Delay,
    /// What becomes of it then.
    #[serde(rename = "then")]
    pub policy: LatePolicy,
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
    /// How late they may start; `None` for as late as it gets.
    pub lateness: Option<Lateness>,
    /// The next hours, as the scripts know them; empty without a window.
    pub open: Vec<Opening>,
    /// Whether bulk runs leave its jobs alone; each can be acted on by itself all the same.
    #[serde(default)]
    pub protected: bool,
}

impl KindRule {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(
        kind: Kind,
        window: Option<Window>,
        lateness: Option<Lateness>,
        open: Vec<Opening>,
    ) -> Self {
        Self { kind, window, lateness, open, protected: false }
    }

    /// Whether bulk runs leave its jobs alone.
    #[must_use]
    pub const fn protected(mut self, protected: bool) -> Self {
        self.protected = protected;
        self
    }
}
