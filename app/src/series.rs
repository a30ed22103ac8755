//! Statistics bundled for charts: little to send, ready to draw.

use reprieve::model::{Histogram, MinuteStats, Timestamp};

/// A minute that has only just begun says nothing of a rate: it counts as this long at least.
const RUNNING_MS_MIN: i64 = 10_000;
const MINUTE_MS: i64 = 60_000;

/// What happened in one or more minutes in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatsSpan {
    /// Where it begins.
    pub at: Timestamp,
    /// How much of it has passed, ms; less than its length only for the last one.
    pub passed_ms: i64,
    /// Jobs taken in.
    pub enqueued: u64,
    /// Jobs done.
    pub done: u64,
    /// Attempts failed.
    pub failed: u64,
    /// Start after due time, ms: half, 95 % and 99 % of all starts at most; `None` without starts.
    pub late_ms: Option<[u64; 3]>,
    /// Time in ready, ms, in the same way.
    pub wait_ms: Option<[u64; 3]>,
    /// Time from start to done or failed, ms, in the same way; `None` where nothing ended.
    pub run_ms: Option<[u64; 3]>,
}

impl StatsSpan {
    /// A number of this span as tenths per minute.
    pub fn per_minute_tenths(&self, number: u64) -> u64 {
        let passed = u64::try_from(self.passed_ms.max(RUNNING_MS_MIN)).unwrap_or(1);
        number.saturating_mul(10 * 60_000) / passed
    }
}

/// Joins parts of `minutes` each, `size` at a time, counted back from the running one, so that only the first span may
/// be short.
pub fn bundle(parts: &[MinuteStats], minutes: i64, size: usize, now: Timestamp) -> Vec<StatsSpan> {
    let part_ms = minutes.saturating_mul(MINUTE_MS);
    let mut spans: Vec<StatsSpan> =
        parts.rchunks(size.max(1)).map(|chunk| join(chunk, part_ms, now)).collect();
    spans.reverse();
    // Of a rate a minute that has only just begun says nothing; with so few jobs the line would fall.
    if spans.len() > 1 && spans.last().is_some_and(|span| span.passed_ms < RUNNING_MS_MIN) {
        spans.pop();
    }
    spans
}

fn join(chunk: &[MinuteStats], part_ms: i64, now: Timestamp) -> StatsSpan {
    let at = chunk.first().map_or(now, |minute| minute.at);
    let length = part_ms.saturating_mul(i64::try_from(chunk.len()).unwrap_or(i64::MAX));
    let sum = |of: fn(&MinuteStats) -> u64| chunk.iter().map(of).fold(0, u64::saturating_add);
    let percentiles = |of: fn(&MinuteStats) -> &Histogram| {
        let mut whole = Histogram::default();
        for minute in chunk {
            whole.add(of(minute));
        }
        let at = |percent| whole.percentile_ms(percent);
        at(50).zip(at(95)).zip(at(99)).map(|((half, most), nearly)| [half, most, nearly])
    };
    StatsSpan {
        at,
        passed_ms: now.millis_since(at).clamp(0, length),
        enqueued: sum(|minute| minute.enqueued),
        done: sum(|minute| minute.done),
        failed: sum(|minute| minute.failed),
        late_ms: percentiles(|minute| &minute.late),
        wait_ms: percentiles(|minute| &minute.wait),
        run_ms: percentiles(|minute| &minute.run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minute(n: i64, enqueued: u64) -> MinuteStats {
        let mut stats = MinuteStats::empty(Timestamp::from_millis(n * MINUTE_MS).unwrap());
        stats.enqueued = enqueued;
        stats.late.counts[3] = enqueued; // at most 10 ms
        stats
    }

    #[test]
    fn spans_are_counted_back_from_the_running_minute() {
        let minutes: Vec<_> = (0..5).map(|n| minute(n, 1)).collect();
        let now = Timestamp::from_millis(4 * MINUTE_MS + 30_000).unwrap();
        let spans = bundle(&minutes, 1, 2, now);
        let shape: Vec<_> =
            spans.iter().map(|s| (s.at.as_millis() / MINUTE_MS, s.enqueued, s.passed_ms)).collect();
        assert_eq!(shape, [(0, 1, 60_000), (1, 2, 120_000), (3, 2, 90_000)]);
    }

    #[test]
    fn the_running_minute_is_judged_by_what_has_passed_of_it() {
        let now = |ms| Timestamp::from_millis(ms).unwrap();
        assert_eq!(join(&[minute(0, 10)], MINUTE_MS, now(30_000)).per_minute_tenths(10), 200);
        assert_eq!(
            join(&[minute(0, 10)], MINUTE_MS, now(100)).per_minute_tenths(10),
            600,
            "no less than ten seconds"
        );
        assert_eq!(join(&[minute(0, 10)], MINUTE_MS, now(90_000)).per_minute_tenths(10), 100);
    }

    #[test]
    fn lateness_is_unknown_where_nothing_started() {
        assert_eq!(join(&[minute(0, 0)], MINUTE_MS, Timestamp::EPOCH).late_ms, None);
        assert_eq!(join(&[minute(0, 3)], MINUTE_MS, Timestamp::EPOCH).late_ms, Some([10, 10, 10]));
    }
}
