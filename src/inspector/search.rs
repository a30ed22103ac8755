//! Searching: by an index where there is one, else through as many jobs as one request may look at.

use super::{Inspector, SUBJECT_JOBS_MAX, by_due};
use crate::error::Result;
use crate::model::{Found, JobRow, JobState, Place, QueueName, Search, Shard};

/// Jobs one request looks at: about 20 ms of Redis, in steps that others get in between.
const SCANNED_MAX: u64 = 5_000;
/// Jobs one step looks at: 2 ms of Redis.
const STEP: u64 = 500;
/// Jobs the first step looks at, or as many as are wanted: often they are among these. Each further one looks at twice as many.
const STEP_FIRST: u64 = 50;
/// Steps of one request: empty states cost one each.
const STEPS_MAX: u32 = 200;
/// Rows of one page.
const SIZE_MAX: u16 = 200;

impl Inspector {
    /// Jobs that fit. An id or a subject is looked up; everything else is looked through, state by state and queue by
    /// queue, at most 5,000 jobs a call: with a `next`, there is more to look at.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn search(&self, query: &Search) -> Result<Found> {
        let redaction = self.settings.redaction().await?;
        // Who may not read errors must not be able to guess at them either.
        if query.error.is_some() && redaction.hides_errors() {
            return Ok(Found::nothing(self.shards.now().await?));
        }
        let known = match (&query.id, &query.subject) {
            (Some(id), _) => {
                Some(self.shards.rows(std::slice::from_ref(id)).await?.into_iter().flatten().collect())
            }
            (None, Some(subject)) => Some(self.shards.subject(subject, SUBJECT_JOBS_MAX).await?.0),
            (None, None) => None,
        };
        let mut found = match known {
            Some(rows) => self.among(rows, query).await?,
            None => self.through(query).await?,
        };
        redaction.rows(&mut found.rows);
        if redaction.hides_traces() {
            found.rows.retain(|row| says(row, query));
        }
        Ok(found)
    }

    /// Of jobs that an index found, those that fit. Labels are not in rows, so they are asked for.
    async fn among(&self, rows: Vec<JobRow>, query: &Search) -> Result<Found> {
        let mut found = Found::nothing(self.shards.now().await?);
        found.scanned = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        for row in rows.into_iter().filter(|row| fits(row, query)) {
            if match &query.tag {
                None => true,
                Some(tag) => self.shards.job(&row.id).await?.is_some_and(|(job, ..)| job.tags.contains(tag)),
            } {
                found.rows.push(row);
            }
        }
        by_due(&mut found.rows);
        Ok(found)
    }

    async fn through(&self, query: &Search) -> Result<Found> {
        let queues = match &query.queue {
            Some(queue) => Vec::from_iter(self.shards.sees(queue).then(|| queue.clone())),
            None => self.shards.queue_names().await?,
        };
        let mut found = Found::nothing(self.shards.now().await?);
        let wanted = usize::from(query.size.clamp(1, SIZE_MAX));
        let mut place = match &query.after {
            Some(place) => Some(place.clone()),
            None => first(query, &queues),
        };
        let mut most = u64::try_from(wanted).unwrap_or(STEP).clamp(STEP_FIRST, STEP);
        for _ in 0..STEPS_MAX {
            let Some(at) = place.clone() else { break };
            let left = SCANNED_MAX.saturating_sub(found.scanned);
            if left == 0 || found.rows.len() >= wanted {
                break;
            }
            // A place may come from elsewhere than the page before.
            if !self.shards.sees(&at.queue) {
                place = after(&at, query, &queues, self.shards.count());
                continue;
            }
            let _turn = super::seen::turn().await;
            let step = self
                .shards()
                .shard(at.shard)
                .search(query, &at, left.min(most), wanted - found.rows.len())
                .await?;
            most = STEP.min(2 * most);
            found.scanned += step.scanned;
            found.rows.extend(step.rows);
            place = match step.last {
                Some(last) => Some(at.behind(last.score, last.id)),
                None => after(&at, query, &queues, self.shards.count()),
            };
        }
        found.next = place;
        Ok(found)
    }
}

/// The states that are looked through, in their order.
fn states(query: &Search) -> impl Iterator<Item = JobState> + '_ {
    JobState::ALL.into_iter().filter(|state| query.states.is_empty() || query.states.contains(state))
}

fn first(query: &Search, queues: &[QueueName]) -> Option<Place> {
    Some(Place::start(states(query).next()?, queues.first()?.clone(), Shard::FIRST))
}

/// The next shard of the queue, or the next queue of the state, or the next state.
fn after(place: &Place, query: &Search, queues: &[QueueName], shards: u16) -> Option<Place> {
    if place.shard.0.saturating_add(1) < shards {
        return Some(Place::start(place.state, place.queue.clone(), Shard(place.shard.0 + 1)));
    }
    if let Some(queue) = queues.iter().find(|queue| **queue > place.queue) {
        return Some(Place::start(place.state, queue.clone(), Shard::FIRST));
    }
    let state = states(query).find(|state| *state > place.state)?;
    Some(Place::start(state, queues.first()?.clone(), Shard::FIRST))
}

fn fits(row: &JobRow, query: &Search) -> bool {
    query.subject.as_ref().is_none_or(|subject| row.subject.as_ref() == Some(subject))
        && query.queue.as_ref().is_none_or(|queue| row.queue == *queue)
        && (query.states.is_empty() || query.states.contains(&row.state))
        && query.kind.as_ref().is_none_or(|kind| row.kind == *kind)
        && says(row, query)
        && query.due_from.is_none_or(|from| row.due >= from)
        && query.due_to.is_none_or(|to| row.due <= to)
}

/// Whether a row's error says what is asked for.
fn says(row: &JobRow, query: &Search) -> bool {
    query.error.as_ref().is_none_or(|text| row.error_line.to_lowercase().contains(&text.to_lowercase()))
}
