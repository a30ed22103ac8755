//! Puts together what is due, what was expected, and what it is held against.

use reprieve::Inspector;
use reprieve::model::{Forecast, Kind, Timestamp};
use std::collections::BTreeMap;

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
    let bounds = &calendar.bounds;
    let queue = asked.queue.as_ref();
    let of_subject = asked.subject.as_ref();
    let of_all = queue.is_none() && of_subject.is_none();
    let forecast = match of_subject {
        Some(subject) => inspector.forecast_of(subject, queue, bounds).await?,
        None => inspector.forecast(queue, bounds).await?,
    };
    let ticks = inspector.ticks_ahead(bounds).await?;
    let fine = matches!(asked.view, View::Day | View::Week);
    let quiet = if fine { inspector.quiet_spans(bounds).await? } else { Vec::new() };
    let pasts = match of_subject {
        // Attempts are counted by queue.
        Some(_) => vec![None; bounds.len()],
        None => pasts(inspector, &asked, bounds, now).await?,
    };
    let kinds = largest_kinds(&forecast);
    let concerns = |kind: &Kind| of_subject.is_none() || kinds.contains(kind);
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
        before_after: calendar.before_after(),
        kinds,
        exact_by_kind,
        exact_ticks: ticks.exact,
        capacity: if of_subject.is_none() { inspector.capacity().await? } else { None },
        earlier,
        next,
        read_at,
        asked: Asked { date: calendar.date(), ..asked },
    })
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
    let reach_ms;
    if asked.view == View::Day {
        reach_ms = i64::from(MINUTES_KNOWN - 1) * MINUTE_MS;
        let back = now.millis_since(first).min(reach_ms) / MINUTE_MS + 1;
        let stats = inspector.stats(queue, u16::try_from(back).unwrap_or(MINUTES_KNOWN)).await?;
        known.extend(stats.into_iter().map(|minute| (minute.at, minute.started)));
    } else {
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
    Ok(bounds
        .windows(2)
        .map(|pair| {
            let [from, to] = pair else { return None };
            let within = |at: &Timestamp| at >= from && at < to;
            let begun = *from <= now && to.as_millis() > oldest;
            begun.then(|| Past {
                started: known.iter().filter(|(at, _)| within(at)).map(|(_, count)| count).sum(),
                expected: sum_if_all(expected.iter().filter(|(at, _)| within(at)).map(|(_, count)| *count)),
            })
        })
        .collect())
}

/// The sum of what was expected; `None` unless it is known of every hour.
fn sum_if_all(counts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let mut any = false;
    let sum = counts.inspect(|_| any = true).sum::<Option<u64>>();
    sum.filter(|_| any)
}
