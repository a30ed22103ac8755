//! What is known of a worker.

use super::job::JobRow;
use super::name::{JobId, Kind, QueueName};
use super::publication::SinkInfo;
use super::state::JobState;
use super::time::{Delay, Timestamp};
use serde::{Deserialize, Serialize};

/// A worker as its heartbeat describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WorkerInfo {
    /// Unique: host, process id and a random part.
    pub id: String,
    /// The machine it runs on; empty if it [`claims`](Self::claims) by itself.
    pub host: String,
    /// Its process; 0 if it [`claims`](Self::claims) by itself.
    pub pid: u32,
    /// Version of Reprieve it was built with; empty if it [`claims`](Self::claims) by itself.
    pub version: String,
    /// The queues it serves.
    pub queues: Vec<QueueName>,
    /// Jobs it may run at once; 0 if it [`claims`](Self::claims) by itself, for only it knows.
    pub slots: u64,
    /// Jobs it runs now.
    pub busy: u64,
    /// It finishes what it has and takes nothing new.
    pub quiet: bool,
    /// Whether its own program wants that: no order of people makes it take jobs again. `None` of a worker that is older
    /// than this word.
    #[serde(default)]
    pub quiet_itself: Option<bool>,
    /// Handlers that run on although they should have ended: how many.
    #[serde(default)]
    pub stuck: u64,
    /// The longest of them, at most 20.
    #[serde(default)]
    pub stuck_handlers: Vec<StuckHandler>,
    /// Some of the jobs it holds, at most [`JOBS_NAMED_MAX`](Self::JOBS_NAMED_MAX); those that wait for an
    /// acknowledgement of their end included.
    #[serde(default)]
    pub jobs: Vec<JobId>,
    /// Memory of its process, in bytes; `None` where the system does not say.
    #[serde(default)]
    pub memory_bytes: Option<u64>,
    /// It ends: gives its jobs their time, gives the rest back, and is gone.
    #[serde(default)]
    pub stopping: bool,
    /// What people told it to do, heard or not yet.
    #[serde(default)]
    pub order: WorkerOrder,
    /// Where it hands its jobs to, if it is a sink: `slots` and `busy` are then what may be and is out there.
    #[serde(default)]
    pub sink: Option<SinkInfo>,
    /// Where its handlers post jobs to: scheme, host and port of each, at most
    /// [`POSTS_TO_MAX`](Self::POSTS_TO_MAX).
    #[serde(default)]
    pub posts_to: Vec<String>,
    /// It claims by calls of its own, over HTTP or by `Engine::claimant`: they are its heartbeat, and what
    /// it holds is read from the jobs.
    #[serde(default)]
    pub claims: bool,
    /// The last end of a lease that it holds, if it [`claims`](Self::claims) by itself; `None` without a job.
    #[serde(default)]
    pub lease_until: Option<Timestamp>,
    /// When it started; when it first claimed, if it [`claims`](Self::claims) by itself.
    pub started: Timestamp,
    /// Its last heartbeat, to a few seconds its last claim.
    pub seen: Timestamp,
}

impl WorkerInfo {
    /// Jobs named in a heartbeat: what fits on a screen, and a description of a few kilobytes.
    pub const JOBS_NAMED_MAX: usize = 20;
    /// Places named in a heartbeat.
    pub const POSTS_TO_MAX: usize = 20;
    /// Two heartbeats of four seconds and some: one that missed them is not counted on.
    pub const SILENT_AFTER: Delay = Delay::seconds(10);
    /// Its leases ended long ago, and its jobs went elsewhere.
    const GONE_AFTER: Delay = Delay::minutes(1);
    /// How long a claim over HTTP counts as a sign of life: programs that look for work by a timer do so each minute
    /// at the least. A job in its hands counts until its lease ends, however long ago the claim was.
    pub const CLAIM_COUNTS: Delay = Delay::minutes(1);

    /// How it stands at that time, by Redis's clock.
    #[must_use]
    pub const fn standing(&self, now: Timestamp) -> WorkerStanding {
        let silence = now.millis_since(self.seen);
        let (silent_after, gone_after) = if self.claims {
            (Self::CLAIM_COUNTS.as_millis(), Self::CLAIM_COUNTS.as_millis() + Self::GONE_AFTER.as_millis())
        } else {
            (Self::SILENT_AFTER.as_millis(), Self::GONE_AFTER.as_millis())
        };
        let holds = matches!(self.lease_until, Some(until) if until.millis_since(now) > 0);
        if silence > gone_after && !holds {
            WorkerStanding::Gone
        } else if silence > silent_after && !holds {
            WorkerStanding::Silent
        } else if self.stopping {
            WorkerStanding::Stopping
        } else if self.quiet {
            WorkerStanding::Quiet
        } else {
            WorkerStanding::Live
        }
    }

    /// Whether its heartbeat comes.
    #[must_use]
    pub const fn is_heard(&self, now: Timestamp) -> bool {
        !matches!(self.standing(now), WorkerStanding::Silent | WorkerStanding::Gone)
    }

    /// Whether it takes new jobs: its heartbeat comes, and it is neither quiet nor stopping.
    #[must_use]
    pub const fn takes_jobs(&self, now: Timestamp) -> bool {
        matches!(self.standing(now), WorkerStanding::Live)
    }

    /// A worker that has just started.
    #[must_use]
    pub fn new(id: impl Into<String>, host: impl Into<String>, pid: u32, started: Timestamp) -> Self {
        Self {
            id: id.into(),
            host: host.into(),
            pid,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            queues: Vec::new(),
            slots: 0,
            busy: 0,
            quiet: false,
            quiet_itself: Some(false),
            stuck: 0,
            stuck_handlers: Vec::new(),
            jobs: Vec::new(),
            memory_bytes: None,
            stopping: false,
            order: WorkerOrder::Resume,
            sink: None,
            posts_to: Vec::new(),
            claims: false,
            lease_until: None,
            started,
            seen: started,
        }
    }
}

words! {
    /// How a worker stands.
    #[derive(PartialOrd, Ord)]
    pub enum WorkerStanding {
        /// It missed more than two heartbeats; its leases run out, and its jobs come back.
        Silent = "silent",
        /// It ends, because it was told to or because its process does.
        Stopping = "stopping",
        /// It finishes what it has and takes nothing new.
        Quiet = "quiet",
        /// It works.
        Live = "live",
        /// It has not been heard for a minute.
        Gone = "gone",
    }
}

words! {
    /// What a person tells a worker.
    #[derive(Default)]
    pub enum WorkerOrder or "an order is one of " {
        /// Finish what you have, take nothing new.
        Quiet = "quiet",
        /// Take jobs again, as without any order.
        #[default]
        Resume = "resume",
        /// End: what is not finished within the grace period goes back to ready without costing an attempt.
        Stop = "stop",
    }
}

words! {
    /// What became of an order.
    #[non_exhaustive]
    pub enum WorkerOrdered or "not an answer to an order; answers are " {
        /// The worker obeys at its next heartbeat.
        Ordered = "ordered",
        /// It has that order already.
        Unchanged = "unchanged",
        /// It was told to stop, which cannot be taken back.
        Stopping = "stopping",
        /// It claims by calls of its own, so only its own program can end it; quiet keeps jobs from it.
        Claims = "claims",
        /// There is no such worker, or no more.
        Missing = "missing",
    }
}

/// A process that keeps the time of the namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ForwarderInfo {
    /// Unique: host, process id and a random part.
    pub id: String,
    /// The machine it runs on.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// Version of Reprieve it was built with.
    pub version: String,
    /// Version of the rules of time zones that it uses, such as `2026e`; empty when it does not say.
    #[serde(default)]
    pub zones: String,
    /// When it last said that it had looked, every few seconds; `None` in its own description.
    #[serde(default)]
    pub ticked: Option<Timestamp>,
}

impl ForwarderInfo {
    /// A forwarder of this process.
    #[must_use]
    pub fn new(id: impl Into<String>, host: impl Into<String>, pid: u32) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { id: id.into(), host: host.into(), pid, version, zones: String::new(), ticked: None }
    }

    /// Whether it goes on saying that it looks, which it does as often as a worker says that it lives.
    #[must_use]
    pub const fn is_heard(&self, now: Timestamp) -> bool {
        match self.ticked {
            Some(at) => now.millis_since(at) <= WorkerInfo::SILENT_AFTER.as_millis(),
            None => false,
        }
    }
}

/// Who works, who keeps the time, and what nobody works on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fleet {
    /// Those that need somebody first: silent, stopping, quiet, live, gone.
    pub workers: Vec<WorkerAtWork>,
    /// How many of the last day are not in the list, which ends at [`LISTED_MAX`](Self::LISTED_MAX).
    pub more: u64,
    /// The latest first.
    pub forwarders: Vec<ForwarderInfo>,
    /// When a forwarder last moved, or looked for, due jobs.
    pub forwarder_tick: Option<Timestamp>,
    /// Queues with ready jobs that no worker takes although they are not paused, and how many wait.
    pub unserved: Vec<(QueueName, u64)>,
    /// When this was read, by Redis's clock.
    pub read_at: Timestamp,
}

impl Fleet {
    /// Workers of a page; the others are counted.
    pub const LISTED_MAX: usize = 200;

    /// Nobody.
    #[must_use]
    pub const fn empty(read_at: Timestamp) -> Self {
        Self {
            workers: Vec::new(),
            more: 0,
            forwarders: Vec::new(),
            forwarder_tick: None,
            unserved: Vec::new(),
            read_at,
        }
    }
}

/// A worker and the jobs that are in its hands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WorkerAtWork {
    /// What its heartbeat said.
    pub info: WorkerInfo,
    /// How it stands.
    pub standing: WorkerStanding,
    /// Jobs of its heartbeat that are still its own.
    pub jobs: Vec<JobRow>,
}

impl WorkerAtWork {
    /// A worker at that time, with rows of jobs that it may hold; others' are left out.
    #[must_use]
    pub fn new(info: WorkerInfo, rows: impl IntoIterator<Item = JobRow>, now: Timestamp) -> Self {
        let standing = info.standing(now);
        let is_its =
            |row: &JobRow| row.state == JobState::Active && row.worker.as_deref() == Some(info.id.as_str());
        let jobs = rows.into_iter().filter(is_its).collect();
        Self { info, standing, jobs }
    }
}

/// A handler that runs on although it should have ended. Its job has been reported and its slot is free again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StuckHandler {
    /// Which job it was called for.
    pub job: JobId,
    /// Which handler.
    pub kind: Kind,
    /// In which attempt.
    pub attempt: u32,
    /// Why it should have ended.
    pub reason: StuckReason,
    /// How long ago that was, at the worker's last heartbeat.
    #[serde(rename = "over_ms")]
    pub over: Delay,
}

/// Why a handler should have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum StuckReason {
    /// Its time was up.
    Timeout,
    /// Somebody asked it to stop more than ten seconds ago.
    Stop,
    /// Its lease was lost.
    Lost,
    /// Its worker shuts down.
    Shutdown,
}

impl std::fmt::Display for StuckReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Timeout => "its time was up",
            Self::Stop => "it was asked to stop",
            Self::Lost => "its lease was lost",
            Self::Shutdown => "its worker shuts down",
        })
    }
}

/// How the jobs of a queue are run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunMode {
    /// By handlers in the worker's own process.
    Handlers,
    /// They are posted to that scheme, host and port.
    Posted(String),
    /// They are handed on to consumers outside, who have so many of them now.
    Published(SinkInfo, u64),
    /// By programs that claim them by calls of their own, such as over HTTP.
    Claimed,
}

impl RunMode {
    /// How these workers run what they take; of several processes with the same sink one is named.
    #[must_use]
    pub fn of<'a>(workers: impl IntoIterator<Item = &'a WorkerInfo>) -> Vec<Self> {
        let mut modes: Vec<Self> = Vec::new();
        for worker in workers {
            let own = match &worker.sink {
                _ if worker.claims => vec![Self::Claimed],
                Some(handed) => vec![Self::Published(handed.clone(), worker.busy)],
                None if worker.posts_to.is_empty() => vec![Self::Handlers],
                None => worker.posts_to.iter().cloned().map(Self::Posted).collect(),
            };
            for mode in own {
                match modes.iter_mut().find(|known| known.is_like(&mode)) {
                    Some(known) => known.join(mode),
                    None => modes.push(mode),
                }
            }
        }
        modes
    }

    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Published(this, _), Self::Published(that, _)) => {
                (&this.sink, &this.place) == (&that.sink, &that.place)
            }
            _ => self == other,
        }
    }

    /// Each process saw what is out at its last look, which was not of the same moment.
    fn join(&mut self, other: Self) {
        if let (Self::Published(this, count), Self::Published(that, others)) = (self, other) {
            *count = others.max(*count);
            this.oldest = this.oldest.into_iter().chain(that.oldest).min();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SinkKind;

    #[test]
    fn a_queue_is_run_in_as_many_ways_as_its_workers_have() {
        let worker = |busy: u64, posts_to: &[&str], oldest: Option<i64>| {
            let mut info = WorkerInfo::new("w", "h", 1, Timestamp::saturating_from_millis(0));
            info.busy = busy;
            info.posts_to = posts_to.iter().map(|&place| place.to_owned()).collect();
            info.sink = oldest.map(|ms| SinkInfo {
                oldest: Timestamp::from_millis(ms),
                ..SinkInfo::new("o", SinkKind::List, "l", None)
            });
            info
        };
        let fleet = [
            worker(1, &[], None),
            worker(2, &[], None),
            worker(0, &["https://a", "https://b"], None),
            worker(0, &["https://a"], None),
            worker(7, &[], Some(20)),
            worker(9, &[], Some(10)),
        ];

        let modes = RunMode::of(&fleet);

        let on =
            SinkInfo { oldest: Timestamp::from_millis(10), ..SinkInfo::new("o", SinkKind::List, "l", None) };
        let posted = |place: &str| RunMode::Posted(place.to_owned());
        let all = [RunMode::Handlers, posted("https://a"), posted("https://b"), RunMode::Published(on, 9)];
        assert_eq!(modes, all);
    }
}
