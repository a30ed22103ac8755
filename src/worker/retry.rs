//! How long a failed job waits for its next attempt.

use crate::model::Delay;
use rand::Rng;

/// Names the wait before the next attempt. Scripts only carry it out.
pub trait RetryPolicy: Send + Sync + 'static {
    /// The wait after attempt number `attempt` (1 for the first) has failed.
    fn wait(&self, attempt: u32) -> Delay;
}

impl<F: Fn(u32) -> Delay + Send + Sync + 'static> RetryPolicy for F {
    fn wait(&self, attempt: u32) -> Delay {
        self(attempt)
    }
}

/// The default: doubles from `first` to `longest`, then takes a random part of it, so that jobs which failed
/// together do not come back together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExponentialBackoff {
    /// Upper bound after the first attempt.
    pub first: Delay,
    /// Upper bound after many.
    pub longest: Delay,
}

/// Less than this is no wait at all for whatever made the job fail.
const SHORTEST: Delay = Delay::millis(100);

impl Default for ExponentialBackoff {
    /// Two seconds to an hour.
    fn default() -> Self {
        Self { first: Delay::seconds(2), longest: Delay::hours(1) }
    }
}

impl ExponentialBackoff {
    /// From `first` to `longest`.
    #[must_use]
    pub const fn new(first: Delay, longest: Delay) -> Self {
        Self { first, longest }
    }

    /// The longest that the wait after an attempt can be.
    #[must_use]
    pub fn bound(&self, attempt: u32) -> Delay {
        let doublings = attempt.saturating_sub(1).min(40);
        Delay::millis(self.first.as_millis().saturating_mul(1 << doublings)).min(self.longest)
    }
}

impl RetryPolicy for ExponentialBackoff {
    fn wait(&self, attempt: u32) -> Delay {
        let bound = self.bound(attempt).max(SHORTEST).as_millis();
        Delay::millis(rand::rng().random_range(SHORTEST.as_millis()..=bound))
    }
}

/// delayq's waits: 2, 4, 8 … 4,096 seconds, then 4,096 each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DelayqBackoff;

impl RetryPolicy for DelayqBackoff {
    fn wait(&self, attempt: u32) -> Delay {
        Delay::seconds(1 << attempt.clamp(1, 12))
    }
}

/// asynq's waits: n⁴ + 15 s and up to 30 s more for each retry, n being the retries so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AsynqBackoff;

impl RetryPolicy for AsynqBackoff {
    fn wait(&self, attempt: u32) -> Delay {
        let retried = i64::from(attempt.saturating_sub(1).min(1_000));
        let random = rand::rng().random_range(0..30) * (retried + 1);
        Delay::seconds(retried.pow(4) + 15 + random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_default_doubles_up_to_its_limit() {
        let policy = ExponentialBackoff::default();
        assert_eq!(policy.bound(1), Delay::seconds(2));
        assert_eq!(policy.bound(4), Delay::seconds(16));
        assert_eq!(policy.bound(1_000_000), Delay::hours(1));
    }

    #[test]
    fn the_default_never_waits_longer_than_its_bound_nor_shorter_than_a_tenth_of_a_second() {
        let policy = ExponentialBackoff::default();
        for attempt in 0..200 {
            let wait = policy.wait(attempt);
            assert!(wait >= SHORTEST && wait <= policy.bound(attempt), "attempt {attempt} waits {wait:?}");
        }
    }

    #[test]
    fn jobs_that_failed_together_come_back_spread_over_all_of_the_bound() {
        let policy = ExponentialBackoff::default();
        let (bound, waits) = (policy.bound(12), (0..200).map(|_| policy.wait(12)).collect::<BTreeSet<_>>());
        let (first, last) = (waits.first().unwrap().as_millis(), waits.last().unwrap().as_millis());
        // Of two hundred none in one of two halves: once in 2 to the power of 199.
        assert!(first < bound.as_millis() / 2 && last > bound.as_millis() / 2, "{first} to {last} ms");
        assert!(waits.len() > 100, "{} waits of 200", waits.len());
        assert!(
            (0..200).map(|_| AsynqBackoff.wait(6)).collect::<BTreeSet<_>>().len() > 10,
            "asynq's as well"
        );
    }

    #[test]
    fn delayq_waits_two_to_the_power_of_the_attempt() {
        let waits: Vec<_> = [1, 2, 12, 13, 4_000].map(|attempt| DelayqBackoff.wait(attempt)).to_vec();
        assert_eq!(waits, [2, 4, 4_096, 4_096, 4_096].map(Delay::seconds));
    }

    #[test]
    fn asynq_waits_by_its_formula() {
        for (attempt, retried) in [(1, 0), (2, 1), (6, 5)] {
            let wait = AsynqBackoff.wait(attempt).as_millis() / 1_000;
            let least = i64::pow(retried, 4) + 15;
            assert!((least..least + 30 * (retried + 1)).contains(&wait), "attempt {attempt} waits {wait} s");
        }
    }
}
