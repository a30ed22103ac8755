//! What the scripts count: per minute, per queue, with histograms in fixed buckets.

use super::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Upper bounds of the histogram buckets in ms, inclusive; one more bucket holds all beyond.
pub const BUCKETS_MS: [u64; 16] =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000];

/// How often a duration fell into each bucket of [`BUCKETS_MS`], plus one for all beyond.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Histogram {
    /// One count a bucket.
    pub counts: [u64; BUCKETS_MS.len() + 1],
}

impl Histogram {
    /// What stands for all that is longer than the last bound, in ms: one more than that.
    pub const BEYOND_MS: u64 = BUCKETS_MS[BUCKETS_MS.len() - 1] + 1;

    /// How many durations were counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Adds another histogram to this one.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts) {
            *mine = mine.saturating_add(theirs);
        }
    }

    /// All durations together in ms, each taken as the middle of its bucket: only buckets are counted.
    #[must_use]
    pub fn sum_ms(&self) -> u64 {
        let mut lower = 0;
        let mut sum = 0_u64;
        for (index, count) in self.counts.iter().enumerate() {
            // What lies beyond the last bound is taken as that bound.
            let upper = BUCKETS_MS.get(index).copied().unwrap_or(lower);
            sum = sum.saturating_add(count.saturating_mul(lower.midpoint(upper)));
            lower = upper;
        }
        sum
    }

    /// The mean in ms, each duration taken as in [`sum_ms`](Self::sum_ms); `None` when nothing was counted.
    #[must_use]
    pub fn mean_ms(&self) -> Option<u64> {
        self.sum_ms().checked_div(self.total())
    }

    /// The upper bound in ms of the bucket that holds the given part (0–100 %) of all durations.
    ///
    /// `None` when nothing was counted; [`BEYOND_MS`](Self::BEYOND_MS) stands for all beyond the last bound.
    #[must_use]
    pub fn percentile_ms(&self, percent: u64) -> Option<u64> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let rank = total.saturating_mul(percent.min(100)).div_ceil(100).max(1);
        let mut seen = 0_u64;
        for (count, bound) in self.counts.iter().zip(BUCKETS_MS) {
            seen = seen.saturating_add(*count);
            if seen >= rank {
                return Some(bound);
            }
        }
        Some(Self::BEYOND_MS)
    }
}

/// What happened in one minute, in one queue or in all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MinuteStats {
    /// Start of the minute.
    pub at: Timestamp,
    /// Jobs that would have started too late, and were skipped or are dead.
    #[serde(default)]
    pub expired: u64,
    /// Jobs taken in.
    pub enqueued: u64,
    /// Attempts begun.
    pub started: u64,
    /// Jobs done.
    pub done: u64,
    /// Attempts failed.
    pub failed: u64,
    /// Jobs that became dead.
    pub dead: u64,
    /// Jobs called off.
    pub cancelled: u64,
    /// Jobs put back because no handler knows their kind.
    pub parked: u64,
    /// From the due time until the job was ready; of jobs that waited for their time.
    pub late: Histogram,
    /// From ready to the start.
    pub wait: Histogram,
    /// Time from start to done or failed.
    pub run: Histogram,
}

impl MinuteStats {
    /// Takes in what happened in another part of the same time.
    pub fn add(&mut self, other: &Self) {
        let counts = [
            (&mut self.enqueued, other.enqueued),
            (&mut self.started, other.started),
            (&mut self.done, other.done),
            (&mut self.failed, other.failed),
            (&mut self.dead, other.dead),
            (&mut self.cancelled, other.cancelled),
            (&mut self.parked, other.parked),
            (&mut self.expired, other.expired),
        ];
        for (mine, theirs) in counts {
            *mine = mine.saturating_add(theirs);
        }
        self.late.add(&other.late);
        self.wait.add(&other.wait);
        self.run.add(&other.run);
    }

    /// A minute in which nothing happened.
    #[must_use]
    pub fn empty(at: Timestamp) -> Self {
        Self {
            at,
            enqueued: 0,
            started: 0,
            done: 0,
            failed: 0,
            dead: 0,
            cancelled: 0,
            parked: 0,
            expired: 0,
            late: Histogram::default(),
            wait: Histogram::default(),
            run: Histogram::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_bound_of_its_bucket() {
        let mut histogram = Histogram::default();
        histogram.counts[0] = 98; // at most 1 ms
        histogram.counts[3] = 1; // at most 10 ms
        histogram.counts[16] = 1; // beyond the last bound
        assert_eq!(histogram.percentile_ms(50), Some(1));
        assert_eq!(histogram.percentile_ms(99), Some(10));
        assert_eq!(histogram.percentile_ms(100), Some(300_001), "not what the last bound holds");
        histogram.counts[16] = 0;
        histogram.counts[15] = 1; // at most 300 s
        assert_eq!(histogram.percentile_ms(100), Some(300_000));
        assert_eq!(Histogram::default().percentile_ms(50), None);
    }
}
