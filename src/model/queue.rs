//! Queues as a whole: counts, health, what needs attention.

use super::attention::Attention;
use super::durability::Durability;
use super::limits::SetLimits;
use super::list::StateGroup;
use super::name::QueueName;
use super::pause::PausedQueue;
use super::state::JobState;
use super::time::{Delay, Timestamp};
use super::worker::RunMode;
use serde::{Deserialize, Serialize};

/// How many jobs are in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Counts {
    /// Waiting for their time.
    pub delayed: u64,
    /// On hold.
    pub held: u64,
    /// Waiting for a worker.
    pub ready: u64,
    /// With a worker.
    pub active: u64,
    /// Waiting for their next attempt.
    pub retrying: u64,
    /// Finished and kept.
    pub done: u64,
    /// Dead and kept.
    pub dead: u64,
    /// Called off and kept.
    pub cancelled: u64,
}

impl Counts {
    /// The count of one state.
    #[must_use]
    pub const fn of(&self, state: JobState) -> u64 {
        match state {
            JobState::Delayed => self.delayed,
            JobState::Held => self.held,
            JobState::Ready => self.ready,
            JobState::Active => self.active,
            JobState::Retrying => self.retrying,
            JobState::Done => self.done,
            JobState::Dead => self.dead,
            JobState::Cancelled => self.cancelled,
        }
    }

    /// The count of one state, to be changed.
    pub const fn of_mut(&mut self, state: JobState) -> &mut u64 {
        match state {
            JobState::Delayed => &mut self.delayed,
            JobState::Held => &mut self.held,
            JobState::Ready => &mut self.ready,
            JobState::Active => &mut self.active,
            JobState::Retrying => &mut self.retrying,
            JobState::Done => &mut self.done,
            JobState::Dead => &mut self.dead,
            JobState::Cancelled => &mut self.cancelled,
        }
    }

    /// The count of a list as a person sees it.
    #[must_use]
    pub fn group(&self, group: StateGroup) -> u64 {
        group.states().iter().map(|&state| self.of(state)).sum()
    }

    /// Adds another queue's counts to these.
    pub fn add(&mut self, other: &Self) {
        for state in JobState::ALL {
            let sum = self.of(state).saturating_add(other.of(state));
            *self.of_mut(state) = sum;
        }
    }
}

/// One queue at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QueueSummary {
    /// Its name.
    pub name: QueueName,
    /// How many jobs in each state.
    pub counts: Counts,
    /// Lowest due time among delayed and retrying jobs; `None` without any.
    pub next_due: Option<Timestamp>,
    /// When the first ready job became ready; `None` without any.
    pub oldest_ready: Option<Timestamp>,
    /// Live workers that serve it, sinks among them; not those that are quiet or stop.
    pub workers: u64,
    /// How these run its jobs.
    #[serde(default)]
    pub modes: Vec<RunMode>,
    /// `None` while it runs.
    pub paused: Option<PausedQueue>,
    /// What people have set for it; `None` without limits.
    #[serde(default)]
    pub limits: Option<SetLimits>,
    /// Jobs taken in during the last full five minutes, per minute.
    pub in_per_minute: PerMinute,
    /// Jobs done during the last full five minutes, per minute.
    pub out_per_minute: PerMinute,
    /// 99th percentile of ready after due over the last 15 minutes, in ms, as
    /// [`Histogram::percentile_ms`](super::Histogram::percentile_ms) tells it; `None` where no job waited for its time.
    pub late_ms_p99: Option<u64>,
    /// Jobs that became dead in the last hour.
    pub dead_last_hour: u64,
}

impl QueueSummary {
    /// A queue with nothing in it.
    #[must_use]
    pub fn empty(name: QueueName) -> Self {
        Self {
            name,
            counts: Counts::default(),
            next_due: None,
            oldest_ready: None,
            workers: 0,
            modes: Vec::new(),
            paused: None,
            limits: None,
            in_per_minute: PerMinute::default(),
            out_per_minute: PerMinute::default(),
            late_ms_p99: None,
            dead_last_hour: 0,
        }
    }
}

/// A rate in tenths per minute, so that it compares exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PerMinute {
    /// Ten times the number per minute.
    pub tenths: u64,
}

/// Redis as the dashboard shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RedisHealth {
    /// Its version, `7.0.15`.
    pub version: String,
    /// What it does when full; anything but `noeviction` loses jobs.
    pub maxmemory_policy: String,
    /// Memory in use, bytes.
    pub memory_bytes: u64,
    /// Its limit, bytes; `None` is none.
    pub memory_bytes_max: Option<u64>,
    /// How it survives a power loss.
    pub durability: Durability,
}

impl RedisHealth {
    /// For the engine and for tests of screens.
    #[must_use]
    pub fn new(
        version: impl Into<String>,
        maxmemory_policy: impl Into<String>,
        memory_bytes: u64,
        memory_bytes_max: Option<u64>,
        durability: Durability,
    ) -> Self {
        Self {
            version: version.into(),
            maxmemory_policy: maxmemory_policy.into(),
            memory_bytes,
            memory_bytes_max,
            durability,
        }
    }
}

/// The material of the overview page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Overview {
    /// Every queue, by name.
    pub queues: Vec<QueueSummary>,
    /// What a person should look at; empty is good.
    pub attention: Vec<Attention>,
    /// Last tick of any forwarder; `None` if there never was one.
    pub forwarder_tick: Option<Timestamp>,
    /// How many forwarders said within the last ten seconds that they look.
    #[serde(default)]
    pub forwarders: u64,
    /// The latest version of the rules of time zones that any of these uses, such as `2026e`; empty when none says.
    #[serde(default)]
    pub zones: String,
    /// Live workers of all queues.
    pub workers: u64,
    /// Jobs they may run at once.
    pub slots: u64,
    /// About Redis itself.
    pub redis: RedisHealth,
    /// When this was read, by Redis's clock.
    pub read_at: Timestamp,
}

impl Overview {
    /// An overview of nothing, to be filled in.
    #[must_use]
    pub const fn empty(redis: RedisHealth, read_at: Timestamp) -> Self {
        Self {
            queues: Vec::new(),
            attention: Vec::new(),
            forwarder_tick: None,
            forwarders: 0,
            zones: String::new(),
            workers: 0,
            slots: 0,
            redis,
            read_at,
        }
    }

    /// For how long the job that is due the longest has waited to be forwarded; zero when none is due.
    #[must_use]
    pub fn forwarding_behind(&self) -> Delay {
        let first = self.queues.iter().filter_map(|queue| queue.next_due).min();
        first.map_or(Delay::ZERO, |due| Delay::millis(self.read_at.millis_since(due).max(0)))
    }

    /// The counts of all queues together.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut sum = Counts::default();
        for queue in &self.queues {
            sum.add(&queue.counts);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwarding_is_behind_by_the_job_that_is_due_the_longest() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let redis = RedisHealth::new("7.0.15", "noeviction", 1, None, Durability::default());
        let mut overview = Overview::empty(redis, at(60_000));
        assert_eq!(overview.forwarding_behind(), Delay::ZERO, "nothing is there");
        for (name, due) in [("a", Some(90_000)), ("b", None), ("c", Some(46_000)), ("d", Some(59_000))] {
            let mut queue = QueueSummary::empty(QueueName::new(name).unwrap());
            queue.next_due = due.map(at);
            overview.queues.push(queue);
        }
        assert_eq!(overview.forwarding_behind(), Delay::seconds(14));
        overview.queues.truncate(2);
        assert_eq!(overview.forwarding_behind(), Delay::ZERO, "all of it is due later");
    }
}
