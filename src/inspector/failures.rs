//! Dead jobs by what killed them.

use std::collections::HashMap;
use std::hash::Hash;

use super::Inspector;
use crate::error::Result;
use crate::model::failure::FAILURE_HOURS;
use crate::model::filter::Test;
use crate::model::{
    Alike, FailureGroup, Failures, Filter, FilteredQuery, JobId, JobRow, JobState, ListQuery, Mute,
    QueueName, StateGroup, Timestamp, failure,
};

/// Dead jobs that one call looks at, the latest: about 40 ms of Redis, in pages that others get in between.
const SCANNED_MAX: u64 = 5_000;
/// Rows of one page.
const PAGE: u16 = 200;
/// Groups of one answer; of the rarest it says how many they are.
const GROUPS_MAX: usize = 200;
/// Kinds and queues named of one group.
const NAMES_MAX: usize = 8;
/// An hour, in ms.
const HOUR_MS: i64 = 3_600_000;
/// Texts shorter than this stand in too many errors to search by.
const LITERAL_BYTES_MIN: usize = 4;

impl Inspector {
    /// Dead jobs of one queue or of all, grouped by error with its details masked: the latest 5,000, and how many
    /// there are.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn failures(&self, queue: Option<&QueueName>) -> Result<Failures> {
        let mut groups = HashMap::new();
        let (mut scanned, mut after) = (0, None);
        let (now, settings) = (self.shards.now().await?, self.settings.get().await?);
        loop {
            let query = ListQuery::group(StateGroup::Dead).queue(queue.cloned()).after(after).size(PAGE);
            let page = self.list(&query).await?;
            for row in &page.rows {
                scanned += 1;
                add(&mut groups, row, now);
            }
            after = page.next;
            if after.is_none() || scanned >= SCANNED_MAX {
                let mut groups: Vec<FailureGroup> = groups.into_values().collect();
                groups.sort_by(|a, b| (b.count, b.last, &a.mask).cmp(&(a.count, a.last, &b.mask)));
                let rarer = groups.len().saturating_sub(GROUPS_MAX);
                groups.truncate(GROUPS_MAX);
                for group in &mut groups {
                    let holds = |mute: &&Mute| {
                        group.queues.iter().all(|(queue, _)| mute.holds(&group.mask, queue, now))
                    };
                    group.muted = settings.muted.iter().find(holds).cloned();
                    group.of_other_kinds = leave_most_frequent(&mut group.kinds);
                    group.in_other_queues = leave_most_frequent(&mut group.queues);
                }
                let mut failures = Failures::new(groups, scanned, page.total.max(scanned), now);
                failures.rarer = u64::try_from(rarer).unwrap_or(u64::MAX);
                return Ok(failures);
            }
        }
    }

    /// The other dead or retrying jobs that have the same latest error but for its details; `None` for a job without an
    /// error, for one whose error says nothing to search by, and for a reader who may see no errors.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn same_error(&self, id: &JobId) -> Result<Option<Alike>> {
        let row = self.shards.rows(std::slice::from_ref(id)).await?.into_iter().flatten().next();
        let Some(mut row) = row else { return Ok(None) };
        let redaction = self.settings.redaction().await?;
        if redaction.hides_errors() {
            return Ok(None);
        }
        redaction.row(&mut row);
        let mask = failure::masked(&row.error_line);
        let literal = failure::literal(&mask);
        if literal.trim().len() < LITERAL_BYTES_MIN {
            return Ok(None);
        }
        let states = Test::State(vec![JobState::Retrying, JobState::Dead]);
        let filter: Filter = [states, Test::Error(vec![literal.to_owned()])].into_iter().collect();
        let mut query = FilteredQuery::new(filter, StateGroup::ALL);
        query.size = PAGE;
        let found = self.filtered(&query).await?;
        let others = |state| {
            let is_alike = |row: &&JobRow| row.id != *id && failure::masked(&row.error_line) == mask;
            let rows = found.rows.iter().map(|found| &found.row);
            let count = rows.filter(|row| row.state == state).filter(is_alike).count();
            u64::try_from(count).unwrap_or(u64::MAX)
        };
        let (dead, retrying) = (others(JobState::Dead), others(JobState::Retrying));
        let mut alike = Alike::new(mask, dead, found.next.is_some());
        alike.retrying = retrying;
        Ok(Some(alike))
    }
}

/// Counts a job in its group. Rows come latest first.
fn add(groups: &mut HashMap<String, FailureGroup>, row: &JobRow, now: Timestamp) {
    let mask = failure::masked(&row.error_line);
    let died = row.ended.unwrap_or(row.due);
    let group = groups
        .entry(mask.clone())
        .or_insert_with(|| FailureGroup::new(mask, died, row.id.clone(), row.error_line.clone()));
    group.count += 1;
    group.first = group.first.min(died);
    group.last = group.last.max(died);
    count(&mut group.kinds, &row.kind);
    count(&mut group.queues, &row.queue);
    let hours_ago = usize::try_from(now.millis_since(died).max(0) / HOUR_MS).unwrap_or(usize::MAX);
    if let Some(hour) =
        FAILURE_HOURS.checked_sub(hours_ago.saturating_add(1)).and_then(|n| group.hours.get_mut(n))
    {
        *hour += 1;
    }
}

fn count<T: Clone + Eq + Hash>(names: &mut Vec<(T, u64)>, name: &T) {
    if let Some((_, count)) = names.iter_mut().find(|(known, _)| known == name) {
        *count += 1;
    } else {
        names.push((name.clone(), 1));
    }
}

/// Leaves the names that most jobs have, the most frequent first; answers how many jobs have the others.
fn leave_most_frequent<T: Ord>(names: &mut Vec<(T, u64)>) -> u64 {
    names.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    let others = names.iter().skip(NAMES_MAX).map(|(_, count)| count).sum();
    names.truncate(NAMES_MAX);
    others
}
