//! What becomes due when.

use super::{Inspector, SUBJECT_JOBS_MAX};
use crate::error::{Error, Result};
use crate::model::{Delay, DueSpan, Forecast, JobRow, JobState, QueueName, Subject, Timestamp};
use futures_util::future::try_join_all;

/// Spans of one forecast: a year and a month by the day.
const SPANS_MAX: usize = 400;
/// How far from now a bound of a forecast may be, either way: 400 days and the rest of a week.
pub const FORECAST_REACH: Delay = Delay::days(408);
/// Jobs of one queue in one shard whose kind is looked up: with 400 spans that is about 2 ms of Redis, and the most of it.
/// Shards do not share it: with less than one job for each span there would be no kinds at all.
const SAMPLE_MAX: u32 = 400;
/// Queues asked at the same time; they share one connection, and others get in between.
const QUEUES_AT_ONCE: usize = 16;

impl Inspector {
    /// What becomes due between each two of these bounds, in one queue or in all. Counts are exact: they are those of
    /// the lists with the same range of due times. Kinds are looked up for about 400 jobs of each queue and shard, evenly
    /// over their due times; [`Forecast::is_exact_by_kind`] says whether those are all. On hold does not count.
    ///
    /// # Errors
    /// [`Error::Invalid`] unless there are 2 to 401 rising bounds within 408 days; [`Error::Unavailable`].
    pub async fn forecast(&self, queue: Option<&QueueName>, bounds: &[Timestamp]) -> Result<Forecast> {
        let now = self.shards.now().await?;
        check(bounds, now)?;
        let queues = match queue {
            Some(queue) => Vec::from_iter(self.shards.sees(queue).then(|| queue.clone())),
            None => self.shards.queue_names().await?,
        };
        let mut places = Vec::new();
        for queue in &queues {
            for store in self.shards().all() {
                places.push((queue, store));
            }
        }
        let mut read = Vec::with_capacity(places.len());
        for some in places.chunks(QUEUES_AT_ONCE) {
            let mut asked = Vec::with_capacity(some.len());
            for (queue, store) in some {
                asked.push(store.forecast(queue, bounds, SAMPLE_MAX));
            }
            read.extend(try_join_all(asked).await?);
        }
        let mut forecast = Forecast::new(empty_spans(bounds), now);
        for ((queue, _), part) in places.into_iter().zip(read) {
            forecast.read_at = forecast.read_at.max(part.now);
            forecast.before = forecast.before.saturating_add(part.before);
            forecast.next = forecast.next.into_iter().chain(part.next).min();
            for (span, (due, kinds)) in forecast.spans.iter_mut().zip(part.spans) {
                span.add(queue, due, &kinds);
            }
        }
        Ok(forecast)
    }

    /// What of one subject becomes due between each two of these bounds, in one queue or in all; 1,000 of its live jobs
    /// are looked at, and of these everything is exact.
    ///
    /// # Errors
    /// As for [`forecast`](Self::forecast).
    pub async fn forecast_of(
        &self,
        subject: &Subject,
        queue: Option<&QueueName>,
        bounds: &[Timestamp],
    ) -> Result<Forecast> {
        let (rows, now) = self.shards.subject(subject, SUBJECT_JOBS_MAX).await?;
        check(bounds, now)?;
        let mut forecast = Forecast::new(empty_spans(bounds), now);
        let fits = |row: &&JobRow| {
            matches!(row.state, JobState::Delayed | JobState::Retrying)
                && queue.is_none_or(|queue| row.queue == *queue)
        };
        for row in rows.iter().filter(fits) {
            // The number of bounds at or before it is one more than the place of its span.
            match bounds.partition_point(|bound| *bound <= row.due).checked_sub(1) {
                None => forecast.before = forecast.before.saturating_add(1),
                Some(place) => match forecast.spans.get_mut(place) {
                    Some(span) => span.add(&row.queue, 1, &[(row.kind.clone(), 1)]),
                    None => forecast.next = forecast.next.into_iter().chain([row.due]).min(),
                },
            }
        }
        Ok(forecast)
    }
}

fn empty_spans(bounds: &[Timestamp]) -> Vec<DueSpan> {
    let pairs = bounds.iter().zip(bounds.iter().skip(1));
    pairs.map(|(from, to)| DueSpan::empty(*from, *to)).collect()
}

fn check(bounds: &[Timestamp], now: Timestamp) -> Result<()> {
    if !(2..=SPANS_MAX + 1).contains(&bounds.len()) {
        return Err(Error::invalid("bounds", format!("are 2 to {}", SPANS_MAX + 1)));
    }
    if !bounds.is_sorted_by(|a, b| a < b) {
        return Err(Error::invalid("bounds", "rise from one to the next"));
    }
    if bounds.iter().any(|bound| bound.millis_since(now).saturating_abs() > FORECAST_REACH.as_millis()) {
        return Err(Error::invalid("bounds", "lie within 408 days"));
    }
    Ok(())
}
