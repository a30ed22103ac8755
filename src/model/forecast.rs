//! What becomes due when.

use super::name::{Kind, QueueName};
use super::time::Timestamp;
use serde::{Deserialize, Serialize};

/// What becomes due in each of some spans of time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Forecast {
    /// The spans, in order.
    pub spans: Vec<DueSpan>,
    /// Waiting jobs that are due before the first span.
    pub before: u64,
    /// The first due time behind the last span; `None` when nothing waits there.
    pub next: Option<Timestamp>,
    /// When this was read, by Redis's clock.
    pub read_at: Timestamp,
}

impl Forecast {
    /// For the engine, which reads it, and for tests of screens.
    #[must_use]
    pub const fn new(spans: Vec<DueSpan>, read_at: Timestamp) -> Self {
        Self { spans, before: 0, next: None, read_at }
    }

    /// How many become due in all spans.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.spans.iter().map(|span| span.due).fold(0, u64::saturating_add)
    }

    /// Whether the numbers by kind are those of all jobs, and not of a sample.
    #[must_use]
    pub fn is_exact_by_kind(&self) -> bool {
        self.spans.iter().all(|span| span.looked == span.due)
    }
}

/// One span.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DueSpan {
    /// Its first instant.
    pub from: Timestamp,
    /// The first instant behind it.
    pub to: Timestamp,
    /// Jobs due in it, exactly.
    pub due: u64,
    /// Of how many of them the kind was looked up.
    pub looked: u64,
    /// How many of each kind, by kind. They add up to `due` where any kind was looked up.
    pub kinds: Vec<(Kind, u64)>,
    /// How many in each queue, by queue; queues without any are left out. Exact.
    pub queues: Vec<(QueueName, u64)>,
}

impl DueSpan {
    /// A span in which nothing is due.
    #[must_use]
    pub const fn empty(from: Timestamp, to: Timestamp) -> Self {
        Self { from, to, due: 0, looked: 0, kinds: Vec::new(), queues: Vec::new() }
    }

    /// Takes in the jobs of one more queue. `sample` says of how many of them which kind is; it is scaled to `due`.
    pub fn add(&mut self, queue: &QueueName, due: u64, sample: &[(Kind, u64)]) {
        if due == 0 {
            return;
        }
        self.due = self.due.saturating_add(due);
        match self.queues.iter_mut().find(|(name, _)| name == queue) {
            Some((_, count)) => *count = count.saturating_add(due),
            None => self.queues.push((queue.clone(), due)),
        }
        self.looked = self.looked.saturating_add(sample.iter().map(|(_, count)| count).sum());
        for (kind, count) in scaled(due, sample) {
            match self.kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, sum)) => *sum = sum.saturating_add(count),
                None => self.kinds.push((kind, count)),
            }
        }
        self.kinds.sort();
        self.queues.sort();
    }
}

/// Ticks of cron entries to come. Their jobs are not enqueued yet, so no forecast counts them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TicksAhead {
    /// How many in each span.
    pub spans: Vec<u64>,
    /// Whether each was worked out; else fast schedules go on at their pace.
    pub exact: bool,
}

impl TicksAhead {
    /// No ticks in so many spans.
    #[must_use]
    pub fn new(spans: usize) -> Self {
        Self { spans: vec![0; spans], exact: true }
    }
}

/// What workers can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Capacity {
    /// Jobs at once, over all live workers.
    pub slots: u64,
    /// How long a job took on average, ms.
    pub run_ms: u64,
}

impl Capacity {
    /// How many jobs that is in so many ms.
    #[must_use]
    pub fn within_ms(&self, ms: u64) -> u64 {
        self.slots.saturating_mul(ms) / self.run_ms.max(1)
    }
}

/// The numbers of a sample, scaled so that they add up to `due`; what rounding leaves over goes to the largest.
fn scaled(due: u64, sample: &[(Kind, u64)]) -> Vec<(Kind, u64)> {
    let total: u64 = sample.iter().map(|(_, count)| count).sum();
    if total == 0 {
        return Vec::new();
    }
    let share =
        |count: u64| u64::try_from(u128::from(count) * u128::from(due) / u128::from(total)).unwrap_or(due);
    let mut kinds: Vec<(Kind, u64)> =
        sample.iter().map(|(kind, count)| (kind.clone(), share(*count))).collect();
    let left = due.saturating_sub(kinds.iter().map(|(_, count)| count).sum());
    if let Some((_, largest)) = kinds.iter_mut().max_by_key(|(_, count)| *count) {
        *largest += left;
    }
    kinds.retain(|(_, count)| *count > 0);
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str) -> Kind {
        Kind::new(name).unwrap()
    }

    #[test]
    fn kinds_of_a_sample_add_up_to_what_is_due() {
        for (due, a, b) in [(10, 1, 2), (1_000_003, 7, 13), (3, 1, 1), (1, 1, 0), (5, 0, 5)] {
            let sample = [(kind("a"), a), (kind("b"), b)];
            let sum: u64 = scaled(due, &sample).iter().map(|(_, count)| count).sum();
            assert_eq!(sum, due, "{due} {a} {b}");
        }
        assert!(scaled(10, &[]).is_empty(), "without a sample nothing is said of kinds");
    }

    #[test]
    fn spans_take_in_queue_after_queue() {
        let mut span = DueSpan::empty(Timestamp::EPOCH, Timestamp::EPOCH);
        let (mail, sms) = (QueueName::new("mail").unwrap(), QueueName::new("sms").unwrap());
        span.add(&sms, 4, &[(kind("notice"), 2)]);
        span.add(&mail, 3, &[(kind("invoice"), 2), (kind("notice"), 1)]);
        span.add(&mail, 0, &[]);
        assert_eq!((span.due, span.looked), (7, 5));
        assert_eq!(span.kinds, [(kind("invoice"), 2), (kind("notice"), 5)]);
        assert_eq!(span.queues, [(mail, 3), (sms, 4)]);
    }
}
