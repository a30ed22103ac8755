//! How much is measured: enough for a figure, little enough for one's timeout.

use std::time::Duration;

/// The numbers of one run.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    /// How often each measurement is repeated, competitors in turn, so that all share the machine's moods.
    pub(crate) repeats: usize,
    pub(crate) warm_up: usize,
    /// Jobs of one awaiting producer, of 32, and in bulk.
    pub(crate) awaiting: usize,
    pub(crate) concurrent: usize,
    pub(crate) bulk: usize,
    /// No-op jobs to process at concurrency 10 and 100.
    pub(crate) process: [usize; 2],
    /// Jobs that meet an idle worker, one at a time.
    pub(crate) pickups: usize,
    pub(crate) idle: Duration,
    /// Due times a millisecond apart, and in bursts a second apart.
    pub(crate) due_times: usize,
    pub(crate) bursts: usize,
    pub(crate) burst: usize,
    /// Jobs due at one instant.
    pub(crate) herd: usize,
    /// Delayed jobs waiting while others run.
    pub(crate) backlog: &'static [usize],
    /// Peers wait for no more than this: filling them takes minutes.
    pub(crate) backlog_peers: usize,
    pub(crate) backlog_run: usize,
    /// Delayed jobs out of which some are called off; by one caller, by 32, by subject.
    pub(crate) cancel_of: usize,
    pub(crate) cancels: [usize; 3],
    pub(crate) delayed: usize,
    /// Longest wait for a competitor to run what it was given.
    pub(crate) timeout: Duration,
    /// Longest wait for a dead worker's jobs.
    pub(crate) rescue: Duration,
    /// Calls of redis-benchmark per test.
    pub(crate) machine: usize,
}

impl Sizes {
    /// For a table: about half an hour with the peers.
    pub(crate) const FULL: Self = Self {
        repeats: 3,
        warm_up: 2_000,
        awaiting: 5_000,
        concurrent: 50_000,
        bulk: 100_000,
        process: [30_000, 100_000],
        pickups: 300,
        idle: Duration::from_secs(5),
        due_times: 10_000,
        bursts: 5,
        burst: 1_000,
        herd: 100_000,
        backlog: &[1_000, 100_000, 1_000_000, 5_000_000],
        backlog_peers: 1_000_000,
        backlog_run: 20_000,
        cancel_of: 1_000_000,
        cancels: [2_000, 20_000, 1_000],
        delayed: 100_000,
        timeout: Duration::from_secs(15),
        rescue: Duration::from_secs(90),
        machine: 200_000,
    };

    /// For a look while working: two or three minutes.
    pub(crate) const QUICK: Self = Self {
        repeats: 1,
        warm_up: 500,
        awaiting: 2_000,
        concurrent: 20_000,
        bulk: 30_000,
        process: [10_000, 30_000],
        pickups: 100,
        idle: Duration::from_secs(2),
        due_times: 3_000,
        bursts: 2,
        burst: 1_000,
        herd: 20_000,
        backlog: &[1_000, 100_000, 1_000_000],
        backlog_peers: 100_000,
        backlog_run: 10_000,
        cancel_of: 100_000,
        cancels: [1_000, 10_000, 300],
        delayed: 20_000,
        timeout: Duration::from_secs(6),
        rescue: Duration::from_secs(20),
        machine: 50_000,
    };

    /// For the test that nothing here rots: seconds.
    pub(crate) const TINY: Self = Self {
        repeats: 1,
        warm_up: 10,
        awaiting: 10,
        concurrent: 64,
        bulk: 100,
        process: [50, 50],
        pickups: 2,
        idle: Duration::from_millis(100),
        due_times: 50,
        bursts: 1,
        burst: 50,
        herd: 100,
        backlog: &[100, 200],
        backlog_peers: 200,
        backlog_run: 50,
        cancel_of: 200,
        cancels: [10, 64, 5],
        delayed: 100,
        timeout: Duration::from_secs(4),
        rescue: Duration::from_secs(20),
        machine: 1_000,
    };
}
