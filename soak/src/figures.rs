//! Times as a histogram of fixed size, and lines through points.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Width of a step, in µs.
const STEP_US: u64 = 100;
/// Steps, up to a minute; what takes longer counts as a minute.
const STEPS: usize = 600_000;

/// How long something took, as often as it was done. Shared by whoever measures.
#[derive(Debug)]
pub(crate) struct Times(Mutex<Counted>);

#[derive(Debug)]
struct Counted {
    steps: Vec<u32>,
    count: u64,
}

impl Default for Times {
    fn default() -> Self {
        Self(Mutex::new(Counted { steps: vec![0; STEPS], count: 0 }))
    }
}

impl Times {
    pub(crate) fn add(&self, took: Duration) {
        let step = u64::try_from(took.as_micros()).unwrap_or(u64::MAX) / STEP_US;
        let step = usize::try_from(step).unwrap_or(STEPS).min(STEPS - 1);
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counted.steps[step] += 1;
        counted.count += 1;
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).count
    }

    /// The time that so many of a thousand did not exceed, in ms, rounded up to a step; 0 of nothing.
    pub(crate) fn ms(&self, per_mille: u64) -> f64 {
        let counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rank = (counted.count * per_mille).div_ceil(1_000).max(1);
        let mut seen = 0;
        for (step, count) in counted.steps.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= rank {
                let us = (step as u64 + 1) * STEP_US;
                return Duration::from_micros(us).as_secs_f64() * 1_000.0;
            }
        }
        0.0
    }

    pub(crate) fn forget(&self) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counted.steps.fill(0);
        counted.count = 0;
    }
}

/// How steeply values rise with time: the slope of the straight line nearest to all points, by least squares.
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "thousands of points")]
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let above: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let below: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    if below > 0.0 { above / below } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_times_lies_below() {
        let times = Times::default();
        assert!(times.ms(990) < f64::EPSILON);
        for ms in 1..=100 {
            times.add(Duration::from_millis(ms));
        }
        assert!((times.ms(500) - 50.1).abs() < 1e-9, "{}", times.ms(500));
        assert!((times.ms(990) - 99.1).abs() < 1e-9, "{}", times.ms(990));
        times.add(Duration::from_secs(3_600));
        assert!((times.ms(1_000) - 60_000.0).abs() < 1e-6);
        times.forget();
        assert_eq!(times.count(), 0);
    }

    #[test]
    fn a_line_goes_through_its_points() {
        assert!((slope(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]) - 2.0).abs() < 1e-9);
        assert!(slope(&[(0.0, 1.0), (1.0, 0.0), (2.0, 1.0)]).abs() < 1e-9);
        assert!(slope(&[]).abs() < f64::EPSILON);
    }
}
