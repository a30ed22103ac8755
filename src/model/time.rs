//! Instants and spans in whole milliseconds.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};

/// An instant: milliseconds since 1970-01-01T00:00:00Z, by Redis's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The latest instant Reprieve keeps: 9999-12-31T23:59:59.999Z, the last that RFC 3339 can write.
    pub const MAX: Self = Self(253_402_300_799_999);
    /// 1970-01-01T00:00:00Z; nothing can be due before it.
    pub const EPOCH: Self = Self(0);

    /// The instant that many milliseconds after 1970, or `None` outside 1970 to 9999.
    #[must_use]
    pub const fn from_millis(ms: i64) -> Option<Self> {
        if ms >= 0 && ms <= Self::MAX.0 { Some(Self(ms)) } else { None }
    }

    /// Like [`from_millis`](Self::from_millis), with anything outside moved to the nearest end.
    #[must_use]
    pub const fn saturating_from_millis(ms: i64) -> Self {
        if ms < 0 {
            Self::EPOCH
        } else if ms > Self::MAX.0 {
            Self::MAX
        } else {
            Self(ms)
        }
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Milliseconds from `earlier` to `self`; negative when `self` is the earlier one.
    #[must_use]
    pub const fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Delay> for Timestamp {
    type Output = Self;

    /// Saturates at [`Timestamp::MAX`]: a due time can be far away, never wrapped round.
    fn add(self, delay: Delay) -> Self {
        Self::saturating_from_millis(self.0.saturating_add(delay.as_millis()))
    }
}

impl Sub<Delay> for Timestamp {
    type Output = Self;

    /// Saturates at 1970.
    fn sub(self, delay: Delay) -> Self {
        Self::saturating_from_millis(self.0.saturating_sub(delay.as_millis()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

/// A span of time, never negative, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Delay(i64);

impl Delay {
    /// No wait at all.
    pub const ZERO: Self = Self(0);

    /// That many milliseconds; a negative number is no wait.
    #[must_use]
    pub const fn millis(ms: i64) -> Self {
        Self(if ms < 0 { 0 } else { ms })
    }

    /// That many seconds.
    #[must_use]
    pub const fn seconds(seconds: i64) -> Self {
        Self::millis(seconds.saturating_mul(1_000))
    }

    /// That many minutes.
    #[must_use]
    pub const fn minutes(minutes: i64) -> Self {
        Self::seconds(minutes.saturating_mul(60))
    }

    /// That many hours.
    #[must_use]
    pub const fn hours(hours: i64) -> Self {
        Self::minutes(hours.saturating_mul(60))
    }

    /// That many days of 24 hours each.
    #[must_use]
    pub const fn days(days: i64) -> Self {
        Self::hours(days.saturating_mul(24))
    }

    /// The span in milliseconds, never negative.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The span for timers of the standard library.
    #[must_use]
    pub const fn as_duration(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0.unsigned_abs())
    }
}

impl From<std::time::Duration> for Delay {
    /// Rounds down to whole milliseconds; saturates.
    fn from(duration: std::time::Duration) -> Self {
        Self(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_outside_1970_to_9999_is_refused() {
        assert_eq!(Timestamp::from_millis(-1), None);
        assert_eq!(Timestamp::from_millis(Timestamp::MAX.as_millis() + 1), None);
        assert_eq!(Timestamp::from_millis(0), Some(Timestamp::EPOCH));
    }

    #[test]
    fn adding_a_delay_never_wraps_round() {
        assert_eq!(Timestamp::MAX + Delay::days(1), Timestamp::MAX);
        assert_eq!(Timestamp::EPOCH + Delay::millis(i64::MAX), Timestamp::MAX);
        assert_eq!(Timestamp::EPOCH - Delay::seconds(1), Timestamp::EPOCH);
    }

    #[test]
    fn a_negative_delay_is_no_wait() {
        assert_eq!(Delay::millis(-5), Delay::ZERO);
    }
}
