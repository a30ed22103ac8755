//! What a process holds true of a shard: which data it is, and how late it is by Redis's clock.

use super::uptime::uptime_ms;
use crate::constants::TOLERANCE_MS;
use crate::model::{HaltReason, Timestamp};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

/// A look that took longer does not tell which of two clocks it saw, in ms.
const SHARP_MS: i64 = 1_000;

/// One look at the data. Uptimes are those of this machine, in ms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClockSample {
    /// Which data this is: a name that it was given once.
    pub(crate) generation: String,
    /// How many looks there were at it.
    pub(crate) heartbeat: u64,
    /// Redis's clock, as it is.
    pub(crate) time: Timestamp,
    /// Uptime before it was asked.
    pub(crate) sent_ms: i64,
    /// Uptime when the answer was there.
    pub(crate) received_ms: i64,
    /// How far Redis was ahead of this machine's clock, in ms; `None` where the time was given.
    pub(crate) ahead_ms: Option<i64>,
}

impl ClockSample {
    /// Whether it tells the time well enough to compare others with it.
    pub(crate) const fn is_sharp(&self) -> bool {
        self.received_ms - self.sent_ms <= SHARP_MS
    }

    /// How far Redis's clock moved from an earlier look to this one, by the uptime of this machine, which nobody sets: 0 for
    /// one that goes as it should, in ms.
    pub(crate) fn moved_since(&self, earlier: &Self) -> i64 {
        let halfway = |sample: &Self| (sample.sent_ms + sample.received_ms) / 2;
        self.time.millis_since(earlier.time) - (halfway(self) - halfway(earlier))
    }

    /// Which way Redis's clock jumped from an earlier look to this one, and how far in ms. The clock was read at some
    /// moment between question and answer: only what no such moment explains is a jump.
    pub(crate) fn jump_since(&self, earlier: &Self) -> Option<(HaltReason, i64)> {
        let went = self.time.millis_since(earlier.time);
        let at_least = self.sent_ms - earlier.received_ms;
        let at_most = self.received_ms - earlier.sent_ms;
        if went > at_most + TOLERANCE_MS {
            Some((HaltReason::ClockAhead, went - at_most))
        } else if went < at_least - TOLERANCE_MS {
            Some((HaltReason::ClockBack, at_least - went))
        } else {
            None
        }
    }
}

/// The latest look and the latest whose clock was right, shared by all that this process does on a shard.
#[derive(Debug, Default)]
pub(crate) struct ClockSamples {
    known: RwLock<Option<(ClockSample, ClockSample)>>,
    /// Whether somebody here looks.
    looks: AtomicBool,
    /// Whether the clock of this machine is too far from Redis's for it to start anything.
    is_off: AtomicBool,
}

/// A heartbeat that no data has come to: a process that says that it saw it starts nothing. And a time that never comes, in
/// ms.
const NO_HEARTBEAT: u64 = 999_999_999_999_999;

impl ClockSamples {
    /// The latest look.
    pub(crate) fn sample(&self) -> Option<ClockSample> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(latest, _)| latest.clone())
    }

    /// Takes a look for true, and the clock as it was at another one.
    pub(crate) fn learn(&self, latest: ClockSample, right: ClockSample) {
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some((latest, right));
    }

    /// Says whether somebody here looks: until that believes what it sees, nothing starts by a clock that is not where
    /// it was seen last.
    pub(crate) fn expect_looks(&self, looks: bool) {
        self.looks.store(looks, Ordering::Relaxed);
    }

    /// Says whether this process is to start nothing, because its own clock is wrong or Redis's is.
    pub(crate) fn stand_back(&self, is_off: bool) {
        self.is_off.store(is_off, Ordering::Relaxed);
    }

    /// Whether this process starts nothing.
    pub(crate) fn stands_back(&self) -> bool {
        self.is_off.load(Ordering::Relaxed)
    }

    /// What stands behind the time in the first argument of a script: see `lua/core/clock.lua`.
    pub(crate) fn argument(&self) -> String {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let is_off = self.is_off.load(Ordering::Relaxed);
        let Some((look, right)) = known.as_ref() else {
            if is_off {
                return format!(";{NO_HEARTBEAT};{NO_HEARTBEAT}");
            }
            return if self.looks.load(Ordering::Relaxed) { ";".to_owned() } else { String::new() };
        };
        let passed = uptime_ms().saturating_sub(right.sent_ms).max(0);
        let latest = right.time.as_millis().saturating_add(passed).saturating_add(TOLERANCE_MS);
        let heartbeat = if is_off { NO_HEARTBEAT } else { look.heartbeat };
        format!(";{latest};{heartbeat}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(time_ms: i64, sent_ms: i64, received_ms: i64) -> ClockSample {
        let time = Timestamp::from_millis(time_ms).unwrap();
        ClockSample { generation: "g".to_owned(), heartbeat: 1, time, sent_ms, received_ms, ahead_ms: None }
    }

    #[test]
    fn only_what_no_delay_explains_is_a_jump() {
        let first = sample(1_000_000, 500, 510);
        let cases = [
            (sample(1_001_000, 1_500, 1_510), None),
            (sample(1_002_900, 1_500, 1_510), None), // 1.9 s ahead: within the tolerance
            (sample(1_031_000, 1_500, 31_600), None), // asked after a second, answered by a frozen Redis after 31
            (sample(1_001_000, 1_500, 31_600), None), // answered at once, and the way back took half a minute
            (sample(4_601_000, 1_500, 1_510), Some((HaltReason::ClockAhead, 3_599_990))),
            (sample(1_000_000, 3_600_500, 3_600_510), Some((HaltReason::ClockBack, 3_599_990))),
            (sample(900_000, 1_500, 1_510), Some((HaltReason::ClockBack, 100_990))),
        ];
        for (later, expected) in cases {
            assert_eq!(later.jump_since(&first), expected, "{later:?}");
        }
    }

    #[test]
    fn how_far_a_clock_has_moved_is_told_by_what_nobody_sets() {
        let first = sample(1_000_000, 500, 520);
        assert_eq!(sample(1_001_000, 1_500, 1_520).moved_since(&first), 0);
        assert_eq!(sample(1_007_500, 1_500, 1_520).moved_since(&first), 6_500);
        assert_eq!(sample(1_000_000, 1_500, 1_520).moved_since(&first), -1_000);
    }

    #[test]
    fn a_clock_that_is_off_says_that_it_saw_what_nobody_did() {
        let clock_samples = ClockSamples::default();
        clock_samples.stand_back(true);
        assert_eq!(
            clock_samples.argument(),
            ";999999999999999;999999999999999",
            "before the first look as well"
        );
        clock_samples
            .learn(sample(1_000_000, uptime_ms(), uptime_ms()), sample(1_000_000, uptime_ms(), uptime_ms()));
        assert!(clock_samples.argument().ends_with(";999999999999999"));
        clock_samples.stand_back(false);
        assert!(clock_samples.argument().ends_with(";1"));
    }

    #[test]
    fn before_the_first_look_the_argument_says_only_whether_one_comes() {
        let clock_samples = ClockSamples::default();
        assert_eq!(clock_samples.argument(), "");
        clock_samples.expect_looks(true);
        assert_eq!(clock_samples.argument(), ";");
        let look = sample(9_000_000, uptime_ms(), uptime_ms());
        clock_samples.learn(look, sample(1_000_000, uptime_ms(), uptime_ms()));
        let argument = clock_samples.argument();
        let (latest, heartbeat) = argument.strip_prefix(';').unwrap().split_once(';').unwrap();
        assert_eq!(heartbeat, "1");
        assert!((1_002_000..1_012_000).contains(&latest.parse::<i64>().unwrap()), "{argument}");
    }
}
