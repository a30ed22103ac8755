//! How it stood, and what happened hour by hour.

use super::Inspector;
use crate::error::Result;
use crate::keys::{HOUR_MS, MINUTE_MS, latest_starts};
use crate::model::{CountsAt, MinuteStats, QueueName, Timestamp};
use std::collections::BTreeMap;

/// Minutes without a record that are stepped over towards the past: a restart takes less.
const GAP_MINUTES_MAX: u16 = 10;
/// The longest range of hours: as long as they are kept.
const HOURS_MAX: u16 = 192;

impl Inspector {
    /// The counts of every queue as of a minute, or of the latest one before it within ten minutes that every shard has.
    /// `None` where nobody wrote them down: no process ran, or it is longer ago than two days (full hours: eight).
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn counts_at(&self, at: Timestamp) -> Result<Option<CountsAt>> {
        let minutes = latest_starts(at, MINUTE_MS, GAP_MINUTES_MAX + 1);
        Ok(self.recorded(&minutes).await?.into_iter().flatten().next_back())
    }

    /// How many jobs were expected to become due in each of the latest hours (1 to 192), by the latest of the ten minutes
    /// before the hour that was written down; oldest first, the last is the running one. `None` for hours of which nobody
    /// wrote it down, or in one of whose shards there were more than 200 queues; of all hours where it is bound to queues,
    /// for it was written down for all queues together.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn expected_by_hour(&self, hours: u16) -> Result<Vec<(Timestamp, Option<u64>)>> {
        let starts = latest_starts(self.shards.now().await?, HOUR_MS, hours.clamp(1, HOURS_MAX));
        let expected = self.shards.expected(&starts).await?;
        Ok(starts.into_iter().zip(expected).collect())
    }

    /// What was counted in each of the latest hours (1 to 192), in one queue or in all, oldest first; the last is the
    /// running one.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn hourly_stats(&self, queue: Option<&QueueName>, hours: u16) -> Result<Vec<MinuteStats>> {
        let mut all: BTreeMap<Timestamp, MinuteStats> = BTreeMap::new();
        for (at, sums) in self.shards.hours(hours.clamp(1, HOURS_MAX)).await? {
            let part = crate::store::codec::minute_stats(at, queue, &sums);
            all.entry(at).and_modify(|whole| whole.add(&part)).or_insert(part);
        }
        Ok(all.into_values().collect())
    }

    /// What the shards wrote down in these minutes, added up; `None` unless each of them did.
    async fn recorded(&self, minutes: &[Timestamp]) -> Result<Vec<Option<CountsAt>>> {
        let mut shards = self.shards.recorded(minutes).await?.into_iter();
        let mut all = shards.next().unwrap_or_default();
        for shard in shards {
            for (minute, part) in all.iter_mut().zip(shard) {
                // What one of them did not write down is not nothing: the sum of the others is not how it stood.
                let (Some(whole), Some(part)) = (minute.as_mut(), part) else {
                    *minute = None;
                    continue;
                };
                whole.due_within_hour = whole.due_within_hour.saturating_add(part.due_within_hour);
                // Each shard knows the queues that had a job in it: there are at least as many as one of them knows.
                whole.queues_in_all = whole.queues_in_all.max(part.queues_in_all);
                for (queue, counts) in part.queues {
                    whole.add(queue, &counts, 0);
                }
            }
        }
        Ok(all)
    }
}
