//! How long something took, as often as it was done.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

#[derive(Debug, Default)]
pub(super) struct Times(Mutex<Vec<Duration>>);

impl Times {
    pub(super) fn add(&self, took: Duration) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(took);
    }

    pub(super) fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The time that so many of a thousand did not exceed, in ms; 0 of nothing.
    pub(super) fn ms(&self, per_mille: usize) -> f64 {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let rank = (times.len() * per_mille).div_ceil(1_000).max(1);
        if times.is_empty() {
            return 0.0;
        }
        let (_, time, _) = times.select_nth_unstable(rank - 1);
        time.as_secs_f64() * 1_000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_times_is_not_exceeded() {
        let times = Times::default();
        assert!(times.ms(990).abs() < 1e-9);
        for ms in (1..=100).rev() {
            times.add(Duration::from_millis(ms));
        }
        for (per_mille, ms) in [(500, 50.0), (990, 99.0), (1_000, 100.0)] {
            assert!((times.ms(per_mille) - ms).abs() < 1e-9, "{per_mille}: {}", times.ms(per_mille));
        }
    }
}
