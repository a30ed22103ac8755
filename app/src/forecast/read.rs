//! Puts together what is due, what was expected, and what it is held against.

use reprieve::Inspector;
use reprieve::model::{Forecast, Kind, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

use super::calendar::Calendar;
use super::{Asked, Bar, Outlook, Past, View};
use crate::error::ApiError;

/// Kinds with a colour of their own.
const KINDS_MAX: usize = 5;
/// Hours whose past is known: eight days, as long as they are kept.
const HOURS_KNOWN: u16 = 192;
/// Minutes whose past is known to the quarter of an hour: what one read covers.
const MINUTES_KNOWN: u16 = 1_440;
const HOUR_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;

/// What was asked for.
///
/// # Errors
/// `Invalid` for a date or a zone that is none, or too far away; `Unavailable` while Redis does not answer.
pub async fn read(inspector: &Inspector, asked: Asked, now: Timestamp) -> Result<Outlook, ApiError> {
    let calendar = Calendar::new(asked.view, &asked.date, &asked.zone, now)
        .ok_or_else(|| ApiError::Invalid { why: crate::t!("forecast-no-date") })?;
    if !calendar.is_within_reach(now) {
        return Err(ApiError::Invalid { why: crate::t!("forecast-too-far") });
    }
    let bounds = &calendar.bounds;
    let queue = asked.queue.as_ref();
    let of_subject = asked.subject.as_ref();
    let of_all = queue.is_none() && of_subject.is_none();
    // What workers can run and which kinds wait is asked of the queue that is shown, and of no other.
    let of_queue = match queue {
        Some(queue) => inspector.clone().only_in([queue.clone()]),
        None => inspector.clone(),
    };
    let forecast = match of_subject {
        Some(subject) => inspector.forecast_of(subject, queue, bounds).await?,
        None => inspector.forecast(queue, bounds).await?,
    };
    let ticks = inspector.ticks_ahead(bounds).await?;
    let fine = matches!(asked.view, View::Day | View::Week);
    let quiet = match (fine, of_subject) {
        (false, _) => Vec::new(),
        // Its own kinds are known.
        (true, Some(_)) => inspector.quiet_spans(bounds).await?,
        (true, None) => of_queue.quiet_spans(bounds).await?,
    };
    let pasts = match of_subject {
        // Attempts are counted by queue.
        Some(_) => vec![None; bounds.len()],
        None => pasts(inspector, &asked, bounds, now).await?,
    };
    let (capacity, has_claimants) = match of_subject {
        Some(_) => (None, false),
        None => match of_queue.capacity().await? {
            None => (None, of_queue.has_claimants().await?),
            known => (known, false),
        },
    };
    let kinds = largest_kinds(&forecast);
    let due = kinds_due(&forecast);
    let concerns = |kind: &Kind| of_subject.is_none() || due.contains(kind);
    let exact_by_kind = forecast.is_exact_by_kind();
    let (earlier, next, read_at) = (forecast.before, forecast.next, forecast.read_at);
    let bars = forecast.spans.into_iter().zip(pasts).enumerate().map(|(place, (span, past))| {
        let label = calendar.label(span.from, span.to);
        let closed = quiet.iter().filter(|(kind, closed)| concerns(kind) && closed.get(place) == Some(&true));
        Bar {
            date: label.date,
            minutes_east: label.minutes_east,
            outside: label.outside,
            // Schedules name queue and subject in their entry; of one alone nothing is said.
            ticks: if of_all { ticks.spans.get(place).copied().unwrap_or(0) } else { 0 },
            quiet: closed.map(|(kind, _)| kind.clone()).collect(),
            clock_change: label.clock_change,
            past,
            span,
        }
    });
    let bars = bars.collect();
    Ok(Outlook {
        bars,
        before_after: calendar.before_after(now),
        views: calendar.views_within_reach(now),
        kinds,
        exact_by_kind,
        exact_ticks: ticks.exact,
        is_between_hours: of_subject.is_none() && is_between_hours(asked.view, bounds, now),
        capacity,
        has_claimants,
        earlier,
        next,
        read_at,
        asked: Asked { date: calendar.date(), ..asked },
    })
}

/// Every kind of which something is due, as far as they were looked up.
fn kinds_due(forecast: &Forecast) -> BTreeSet<Kind> {
    forecast.spans.iter().flat_map(|span| &span.kinds).map(|(kind, _)| kind.clone()).collect()
}

/// Whether spans that hours would tell the past of begin between two of them, as in zones of half hours.
fn is_between_hours(view: View, bounds: &[Timestamp], now: Timestamp) -> bool {
    let reach_ms = i64::from(HOURS_KNOWN) * HOUR_MS;
    let is_recent = |at: &&Timestamp| **at <= now && now.millis_since(**at) < reach_ms;
    view != View::Day && bounds.iter().filter(is_recent).any(|at| at.as_millis().rem_euclid(HOUR_MS) != 0)
}

/// The kinds of which most is due.
fn largest_kinds(forecast: &Forecast) -> Vec<Kind> {
    let mut sums: BTreeMap<&Kind, u64> = BTreeMap::new();
    for (kind, count) in forecast.spans.iter().flat_map(|span| &span.kinds) {
        let sum = sums.entry(kind).or_default();
        *sum = sum.saturating_add(*count);
    }
    let mut kinds: Vec<_> = sums.into_iter().collect();
    kinds.sort_by(|a, b| (b.1, a.0).cmp(&(a.1, b.0)));
    kinds.into_iter().take(KINDS_MAX).map(|(kind, _)| kind.clone()).collect()
}

/// What has become of each span that has begun: by quarters for a day, by hours else.
async fn pasts(
    inspector: &Inspector,
    asked: &Asked,
    bounds: &[Timestamp],
    now: Timestamp,
) -> Result<Vec<Option<Past>>, ApiError> {
    let spans = bounds.len().saturating_sub(1);
    let first = bounds.first().copied().unwrap_or(now);
    if first > now {
        return Ok(vec![None; spans]);
    }
    let queue = asked.queue.as_ref();
    let mut known: Vec<(Timestamp, u64)> = Vec::new();
    let mut expected: Vec<(Timestamp, Option<u64>)> = Vec::new();
    let (step_ms, reach_ms);
    if asked.view == View::Day {
        step_ms = MINUTE_MS;
        reach_ms = i64::from(MINUTES_KNOWN - 1) * MINUTE_MS;
        let back = now.millis_since(first).min(reach_ms) / MINUTE_MS + 1;
        let stats = inspector.stats(queue, u16::try_from(back).unwrap_or(MINUTES_KNOWN)).await?;
        known.extend(stats.into_iter().map(|minute| (minute.at, minute.started)));
    } else {
        step_ms = HOUR_MS;
        reach_ms = i64::from(HOURS_KNOWN - 1) * HOUR_MS;
        let back = u16::try_from(now.millis_since(first).min(reach_ms) / HOUR_MS + 1).unwrap_or(HOURS_KNOWN);
        let stats = inspector.hourly_stats(queue, back).await?;
        known.extend(stats.into_iter().map(|hour| (hour.at, hour.started)));
        // What was expected was written down for all queues together.
        if queue.is_none() {
            expected = inspector.expected_by_hour(back).await?;
        }
    }
    let oldest = now.as_millis().saturating_sub(reach_ms);
    let read = Read { oldest_ms: oldest - oldest.rem_euclid(step_ms), step_ms, known, expected };
    Ok(bounds.windows(2).map(|pair| read.past(*pair.first()?, *pair.get(1)?, now)).collect())
}

/// What was read of the past, by minutes or by hours.
struct Read {
    /// The first instant that it covers.
    oldest_ms: i64,
    /// How long a minute or an hour is.
    step_ms: i64,
    known: Vec<(Timestamp, u64)>,
    expected: Vec<(Timestamp, Option<u64>)>,
}

impl Read {
    /// What has become of a span; `None` unless it has begun and all of it is known. Of one that ends within an hour, as
    /// days do in zones of half hours, the hours know nothing.
    fn past(&self, from: Timestamp, to: Timestamp, now: Timestamp) -> Option<Past> {
        let is_whole = |at: Timestamp| at.as_millis().rem_euclid(self.step_ms) == 0;
        let within = |at: &Timestamp| *at >= from && *at < to;
        let is_known = from <= now && from.as_millis() >= self.oldest_ms && is_whole(from) && is_whole(to);
        is_known.then(|| Past {
            started: self.known.iter().filter(|(at, _)| within(at)).map(|(_, count)| count).sum(),
            expected: sum_if_all(self.expected.iter().filter(|(at, _)| within(at)).map(|(_, count)| *count)),
        })
    }
}

/// The sum of what was expected; `None` unless it is known of every hour.
fn sum_if_all(counts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let mut any = false;
    let sum = counts.inspect(|_| any = true).sum::<Option<u64>>();
    sum.filter(|_| any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::{DueSpan, QueueName};

    /// 1 January 2027, midnight.
    const DAY: i64 = 1_798_761_600_000;

    fn at(hours: i64, minutes: i64) -> Timestamp {
        Timestamp::from_millis(DAY + hours * HOUR_MS + minutes * MINUTE_MS).unwrap()
    }

    #[test]
    fn of_the_past_only_what_was_read_as_a_whole_is_told() {
        let known = (0..24).map(|hour| (at(hour, 0), 10)).collect();
        let read = Read { oldest_ms: at(0, 0).as_millis(), step_ms: HOUR_MS, known, expected: Vec::new() };
        let started = |from, to| read.past(from, to, at(23, 30)).map(|past| past.started);
        assert_eq!(started(at(0, 0), at(24, 0)), Some(240));
        assert_eq!(started(at(-1, 0), at(1, 0)), None, "its first hour was not read");
        assert_eq!(started(at(24, 0), at(25, 0)), None, "it has not begun");
        // A day of a zone that is half an hour off.
        assert_eq!(started(at(0, 30), at(23, 30)), None);
        assert_eq!(started(at(1, 0), at(1, 30)), None);
    }

    #[test]
    fn a_past_that_hours_do_not_tell_is_known_to_be_missing() {
        let days = |minutes| (-1..=1).map(|day| at(day * 24, minutes)).collect::<Vec<_>>();
        let now = at(1, 0);
        for view in [View::Week, View::Month, View::Year] {
            assert!(is_between_hours(view, &days(30), now), "{view:?}");
            assert!(!is_between_hours(view, &days(0), now), "{view:?}");
        }
        assert!(!is_between_hours(View::Day, &days(30), now), "a day is known by the minute");
        assert!(!is_between_hours(View::Week, &days(30), at(-25, 0)), "nothing has begun");
        assert!(!is_between_hours(View::Week, &days(30), at(400, 0)), "nobody knows it in any zone");
    }

    #[test]
    fn every_kind_that_is_due_is_asked_for_its_quiet_hours() {
        let kinds: Vec<_> = (1..=6).map(|n| (Kind::new(format!("kind-{n}")).unwrap(), n)).collect();
        let mut span = DueSpan::empty(at(0, 0), at(1, 0));
        span.add(&QueueName::default(), 21, &kinds);
        let forecast = Forecast::new(vec![span], at(0, 0));

        assert_eq!((largest_kinds(&forecast).len(), kinds_due(&forecast).len()), (5, 6));
    }
}
