//! What a forecast is held against: ticks of cron entries to come, what the workers can do, quiet hours.

use super::Inspector;
use crate::cron::CronSchedule;
use crate::error::Result;
use crate::model::{Capacity, Histogram, Kind, TicksAhead, Timestamp, WorkerInfo};
use std::collections::BTreeSet;

/// Ticks of all entries that are worked out one by one; 5,000 take about 20 ms. Beyond, the pace so far goes on.
const TICKS_MAX: usize = 5_000;
/// Ticks of one entry that are worked out at least, however many entries there are.
const TICKS_MIN: usize = 5;
/// Hours whose runs are measured.
const HOURS_MEASURED: u16 = 24;

impl Inspector {
    /// How many ticks of cron entries fall between each two of these bounds, from now on; paused entries fire none.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn ticks_ahead(&self, bounds: &[Timestamp]) -> Result<TicksAhead> {
        let now = self.shards.now().await?;
        let entries = self.cron().await?;
        let mut ahead = TicksAhead::new(bounds.len().saturating_sub(1));
        let live = entries.iter().filter(|state| state.paused.is_none());
        let each = (TICKS_MAX / entries.len().max(1)).max(TICKS_MIN);
        for state in live {
            if let Ok(schedule) = CronSchedule::read(&state.entry.schedule, &state.entry.zone) {
                add_ticks(&mut ahead, &schedule, bounds, now, each);
            }
        }
        Ok(ahead)
    }

    /// What the live workers can run, by how long jobs took in the last day; bound to queues, those that work on them.
    /// `None` without workers or runs, and where [some claim by themselves](Self::has_claimants).
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn capacity(&self) -> Result<Option<Capacity>> {
        let workers = self.taking().await?;
        if workers.iter().any(|worker| worker.claims) {
            return Ok(None);
        }
        let slots: u64 = workers.iter().map(|worker| worker.slots).sum();
        let mut run = Histogram::default();
        for hour in self.hourly_stats(None, HOURS_MEASURED).await? {
            run.add(&hour.run);
        }
        Ok(run.mean_ms().filter(|_| slots > 0).map(|run_ms| Capacity { slots, run_ms }))
    }

    /// Whether a live worker claims by calls of its own; only it knows how much it can run.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn has_claimants(&self) -> Result<bool> {
        Ok(self.taking().await?.iter().any(|worker| worker.claims))
    }

    /// The workers that take jobs.
    async fn taking(&self) -> Result<Vec<WorkerInfo>> {
        let now = self.shards.now().await?;
        let mut workers = self.shards.workers().await?;
        workers.retain(|worker| worker.takes_jobs(now));
        Ok(workers)
    }

    /// For each kind with a delivery window: in which of the spans between these bounds it is closed, judged by the
    /// middle of the span. Nothing is said of spans beyond its next 16 openings; bound to queues, nothing of kinds of
    /// which nothing is due there.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn quiet_spans(&self, bounds: &[Timestamp]) -> Result<Vec<(Kind, Vec<bool>)>> {
        let Some(&first) = bounds.first() else { return Ok(Vec::new()) };
        let mut quiet = Vec::new();
        let due = if self.is_bound() { Some(self.kinds_due(bounds).await?) } else { None };
        for rule in self.rules().await? {
            let Some(window) = &rule.window else { continue };
            if due.as_ref().is_some_and(|due| !due.contains(&rule.kind)) {
                continue;
            }
            let open = crate::windows::openings(window, first)?;
            let known_to = open.last().map_or(first, |(_, to)| *to);
            let middles = bounds.windows(2).filter_map(|pair| {
                let (from, to) = (pair.first()?.as_millis(), pair.get(1)?.as_millis());
                Some(Timestamp::saturating_from_millis(from + (to - from) / 2))
            });
            let closed = middles
                .map(|at| at < known_to && !open.iter().any(|(from, to)| *from <= at && at < *to))
                .collect();
            quiet.push((rule.kind, closed));
        }
        Ok(quiet)
    }

    /// The kinds of which something is due between these bounds.
    async fn kinds_due(&self, bounds: &[Timestamp]) -> Result<BTreeSet<Kind>> {
        let forecast = self.forecast(None, bounds).await?;
        Ok(forecast.spans.into_iter().flat_map(|span| span.kinds.into_iter().map(|(kind, _)| kind)).collect())
    }
}

/// Adds the ticks of one schedule; after `most` of them its pace so far goes on.
fn add_ticks(
    ahead: &mut TicksAhead,
    schedule: &CronSchedule,
    bounds: &[Timestamp],
    now: Timestamp,
    most: usize,
) {
    let (Some(&first), Some(&end)) = (bounds.first(), bounds.last()) else { return };
    let start = first.max(now);
    let before = Timestamp::saturating_from_millis(start.as_millis().saturating_sub(1));
    let mut tick = schedule.next_after(before);
    let (mut span, mut count) = (0, 0_usize);
    while let Some(at) = tick.filter(|at| *at < end) {
        if count == most {
            return go_on(ahead, bounds, (span, at), count, at.millis_since(start));
        }
        while bounds.get(span + 1).is_some_and(|to| at >= *to) {
            span += 1;
        }
        if let Some(ticks) = ahead.spans.get_mut(span) {
            *ticks = ticks.saturating_add(1);
        }
        count += 1;
        tick = schedule.next_after(at);
    }
}

/// Fills the rest at the pace of `count` ticks in so many ms.
fn go_on(
    ahead: &mut TicksAhead,
    bounds: &[Timestamp],
    (span, from): (usize, Timestamp),
    count: usize,
    took_ms: i64,
) {
    ahead.exact = false;
    let count = i128::try_from(count).unwrap_or(i128::MAX);
    let took_ms = i128::from(took_ms.max(1));
    // Counted on from the first tick that was not worked out, so that what is less than one a span is not lost. That
    // tick is one, so a part of a period holds one as well.
    let up_to = |at: Timestamp| {
        let ms = i128::from(at.millis_since(from).max(0));
        (ms.saturating_mul(count) + took_ms - 1) / took_ms
    };
    for (place, pair) in bounds.windows(2).enumerate().skip(span) {
        let [begin, end] = pair else { continue };
        let ticks = up_to(*end) - up_to(*begin);
        if let Some(sum) = ahead.spans.get_mut(place) {
            *sum = sum.saturating_add(u64::try_from(ticks).unwrap_or(u64::MAX));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_798_761_600_000 + ms).unwrap() // midnight of 1 January 2027, UTC
    }

    fn hours(count: i64) -> Vec<Timestamp> {
        (0..=count).map(|hour| at(hour * HOUR)).collect()
    }

    fn ticks(schedule: &str, now: i64, most: usize) -> TicksAhead {
        let mut ahead = TicksAhead::new(4);
        let schedule = CronSchedule::parse(schedule, "UTC").unwrap();
        add_ticks(&mut ahead, &schedule, &hours(4), at(now), most);
        ahead
    }

    #[test]
    fn each_tick_is_in_the_span_that_holds_it() {
        assert_eq!(ticks("0,30 * * * *", -HOUR, 100).spans, [2, 2, 2, 2]);
        assert_eq!(ticks("0 2 * * *", -HOUR, 100).spans, [0, 0, 1, 0]);
        assert_eq!(ticks("0 * * * *", HOUR + 1, 100).spans, [0, 0, 1, 1], "what has passed is not ahead");
    }

    #[test]
    fn a_fast_schedule_goes_on_at_its_pace_and_says_so() {
        let ahead = ticks("* * * * *", 0, 90);
        assert!(!ahead.exact);
        assert_eq!(ahead.spans, [60, 60, 60, 60]);
        assert!(ticks("* * * * *", 0, 240).exact, "all of them were worked out");
    }

    #[test]
    fn a_slow_schedule_goes_on_at_its_pace_as_well() {
        let spans = |schedule: &str| {
            let mut ahead = TicksAhead::new(48);
            let schedule = CronSchedule::parse(schedule, "UTC").unwrap();
            add_ticks(&mut ahead, &schedule, &hours(48), at(0), 4);
            assert!(!ahead.exact);
            ahead.spans
        };
        let hourly = spans("0 * * * *");
        assert_eq!(hourly.iter().sum::<u64>(), 48, "{hourly:?}");
        assert!(hourly.iter().all(|ticks| *ticks <= 1), "{hourly:?}");
        assert_eq!(spans("30 */3 * * *").iter().sum::<u64>(), 16);
    }
}
