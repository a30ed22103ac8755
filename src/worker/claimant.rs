//! A worker elsewhere: claims and reports, each by a call of its own.

use super::Roster;
use super::notes::RESULT_BYTES_MAX;
use super::retry::{ExponentialBackoff, RetryPolicy};
use super::waiting_claim::{TROUBLE_MAX, WaitingClaim};
use crate::constants::LEASE_MAX_MS;
use crate::error::{Error, Result};
use crate::model::{Delay, JobId, QueueName, Token, WorkerOrder, first_bytes};
pub use crate::store::{ClaimedJob, FailWord, LeaseWord, ReleaseWord, SnoozeWord};
use crate::store::{Shards, Store};
use rand::Rng;
use std::future::Future;
use std::time::Instant;

/// Jobs claimed by one call: a few milliseconds of Redis, and as much as one answer should hold.
const CLAIM_MAX: u32 = 100;
/// Queues named by one call.
const QUEUES_MAX: usize = 50;
/// Shortest and longest lease: less than a second is over before the answer is read, and a dead worker's job should
/// not wait for more than an hour.
const LEASE_MIN: Delay = Delay::seconds(1);
const LEASE_MAX: Delay = Delay::millis(LEASE_MAX_MS);
/// How often a claim goes on behind jobs that were passed over: some 50 ms of Redis, in steps that others get in between.
const PASSES_MAX: u32 = 200;
/// Longest error text kept with a job, bytes.
const ERROR_BYTES_MAX: usize = 8 * 1_024;

/// What is to become of a job that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Again {
    /// It is tried again after the wait that the default policy names.
    ByPolicy,
    /// It is tried again after this long.
    In(Delay),
    /// It will not run again by itself.
    Never,
}

/// A worker elsewhere, in any language: it has no heartbeat of ours, so it names its leases and extends them itself. Its
/// claims make it one of the workers that screens show and people can make quiet.
#[derive(Debug, Clone)]
pub struct Claimant {
    shards: Shards,
    roster: Roster,
    name: String,
}

impl Claimant {
    pub(crate) const fn new(shards: Shards, roster: Roster, name: String) -> Self {
        Self { shards, roster, name }
    }

    /// What people told it, as of its latest claim, within four seconds: while it is quiet its claims give nothing.
    #[must_use]
    pub fn order(&self) -> WorkerOrder {
        self.roster.order(&self.name)
    }

    /// Says that it waits for a job of that queue, claiming again and again while the wait is
    /// [the newest](WaitingClaim::is_newest). Nobody would hear of what its older claims are given. Threads that wait in
    /// parallel need names of their own.
    pub async fn waits(&self, queue: &QueueName) -> WaitingClaim {
        let ticket = rand::rng().random();
        let is_told = self.announce(Some(ticket), std::slice::from_ref(queue)).await;
        let (store, worker) = (self.shards.first().clone(), self.name.clone());
        WaitingClaim { store, worker, queue: queue.clone(), ticket: is_told.then_some(ticket) }
    }

    /// Claims up to `most` ready jobs of these queues, those of the first queue first, each under a lease that long.
    /// Fewer, or none, when there are not so many; fewer too when a shard does not answer. None while it was told to be
    /// quiet, see [`order`](Self::order).
    ///
    /// # Errors
    /// [`Error::Invalid`] outside the limits: 1 to 100 jobs, 1 to 50 queues, a lease of 1 s to 1 h;
    /// [`Error::Unavailable`]: jobs of a shard that did not answer may have been claimed, their leases run out.
    pub async fn claim(&self, queues: &[QueueName], most: u32, lease: Delay) -> Result<Vec<ClaimedJob>> {
        if !(1..=CLAIM_MAX).contains(&most) {
            return Err(Error::invalid("most", format!("is {most}, 1 to {CLAIM_MAX} are allowed")));
        }
        if queues.is_empty() || queues.len() > QUEUES_MAX {
            let why = format!("are {}, 1 to {QUEUES_MAX} are allowed", queues.len());
            return Err(Error::invalid("queues", why));
        }
        let lease = allowed(lease)?;
        if self.hear(queues).await != WorkerOrder::Resume {
            return Ok(Vec::new());
        }
        let wanted: Vec<_> = queues.iter().map(|queue| (queue.clone(), most)).collect();
        let (began, mut jobs, mut failed) = (Instant::now(), Vec::new(), None);
        // Begun anywhere, so that no shard is always the last.
        let stores = self.shards.all();
        let first = rand::rng().random_range(0..stores.len());
        for store in stores.iter().cycle().skip(first).take(stores.len()) {
            let room = most.saturating_sub(u32::try_from(jobs.len()).unwrap_or(most));
            if room == 0 || failed.is_some() && (!jobs.is_empty() || began.elapsed() > TROUBLE_MAX) {
                break;
            }
            match self.claim_behind_others(store, lease, room, &wanted).await {
                Ok(claimed) => jobs.extend(claimed),
                Err(error) => failed = Some((store.shard(), error)),
            }
        }
        match failed {
            // Of what is claimed nobody else hears before its lease ends.
            Some((shard, error)) if !jobs.is_empty() => {
                tracing::warn!(%error, shard = shard.0, "shard {} was left out of a claim: {error}", shard.0);
                Ok(jobs)
            }
            Some((_, error)) => Err(error),
            None => Ok(jobs),
        }
    }

    /// Says, as often as other workers do, that it claims from these queues, and hears what it is to do. Where nobody
    /// answers the claim goes on: other shards may have jobs.
    async fn hear(&self, queues: &[QueueName]) -> WorkerOrder {
        if self.roster.is_due(&self.name, queues) {
            self.announce(None, queues).await;
        }
        self.order()
    }

    /// Announces it to the first shard. Tells whether Redis answered.
    async fn announce(&self, ticket: Option<u64>, queues: &[QueueName]) -> bool {
        let announced = self.shards.first().announce(&self.name, ticket, queues);
        let told = match tokio::time::timeout(TROUBLE_MAX, announced).await {
            Ok(Ok(order)) => Some(order),
            Ok(Err(error)) => {
                tracing::debug!(%error, "claimant {} could not be announced: {error}", self.name);
                None
            }
            Err(_) => None,
        };
        self.roster.note(&self.name, queues, told);
        told.is_some()
    }

    /// Claims from one shard. While none is given, but some were passed over for what their constraints, rules or concurrency keys say, it goes
    /// on behind them, [`PASSES_MAX`] times at most.
    async fn claim_behind_others(
        &self,
        store: &Store,
        lease: Delay,
        most: u32,
        wanted: &[(QueueName, u32)],
    ) -> Result<Vec<ClaimedJob>> {
        let mut passes = 1;
        loop {
            let (head, jobs) = store.claim_with_head(&self.name, lease, most, wanted).await?;
            if !jobs.is_empty() || head.passed_over == 0 || passes == PASSES_MAX {
                return Ok(jobs);
            }
            passes += 1;
        }
    }

    /// Ends a job well. A repeat with the same token gets the first answer.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub async fn complete(&self, id: &JobId, token: Token) -> Result<ReleaseWord> {
        let one = [(id.clone(), token)];
        self.at(id, ReleaseWord::Missing, async |store| Ok(store.complete(&one).await?.pop())).await
    }

    /// Ends a job well, and keeps what it came to: any bytes, usually JSON, at most 64 KiB. Nothing is kept without the
    /// lease, so a repeat with the same token gets the first answer, and the first result stays.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a larger result, and the job has not ended; [`Error::Unavailable`]: repeat it.
    pub async fn complete_with(&self, id: &JobId, token: Token, result: &[u8]) -> Result<ReleaseWord> {
        if result.len() > RESULT_BYTES_MAX {
            let why = format!("has {} bytes, at most {RESULT_BYTES_MAX} are allowed", result.len());
            return Err(Error::invalid("result", why));
        }
        let one = [(id.clone(), token)];
        let ended = async |store: &Store| {
            match store.keep_result(id, token, result).await {
                // The job would end as done without it.
                Err(error) if error.is_transient() => return Err(error),
                // No repeat mends it, and the end matters more.
                Err(error) => {
                    tracing::warn!(job.id = %id, %error, "the result of job {id} is not kept: {error}");
                }
                Ok(_) => {}
            }
            Ok(store.complete(&one).await?.pop())
        };
        self.at(id, ReleaseWord::Missing, ended).await
    }

    /// Ends an attempt that failed. A repeat with the same token gets the first answer.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub async fn fail(&self, id: &JobId, token: Token, error: &str, again: Again) -> Result<FailWord> {
        let error = first_bytes(error, ERROR_BYTES_MAX);
        self.at(id, FailWord::Missing, async |store| {
            let wait = match again {
                Again::In(wait) => Some(wait),
                Again::Never => None,
                Again::ByPolicy => {
                    let attempt = store.job(id).await?.map_or(1, |(job, ..)| job.attempt.max(1));
                    Some(ExponentialBackoff::default().wait(attempt))
                }
            };
            store.fail(id, token, error, wait).await.map(Some)
        })
        .await
    }

    /// Gives a lease that long from now on, and tells whether somebody asked for the job to stop.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a lease outside 1 s to 1 h; [`Error::Unavailable`]: repeat it before the lease ends.
    pub async fn extend(&self, id: &JobId, token: Token, lease: Delay) -> Result<LeaseWord> {
        let (one, lease) = ([(id.clone(), token)], allowed(lease)?);
        self.at(id, LeaseWord::Missing, async |store| Ok(store.extend(lease, &one).await?.pop())).await
    }

    /// Gives a job back to its queue, which costs no attempt.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub async fn release(&self, id: &JobId, token: Token, why: &str) -> Result<ReleaseWord> {
        let one = [(id.clone(), token)];
        self.at(id, ReleaseWord::Missing, async |store| Ok(store.release(why, &one).await?.pop())).await
    }

    /// Puts a job off until this long from now, which costs no attempt. A repeat with the same token gets the first
    /// answer. Of `why` the first 8 KiB are kept.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub async fn snooze(&self, id: &JobId, token: Token, wait: Delay, why: &str) -> Result<SnoozeWord> {
        let snoozed = async |store: &Store| {
            store.snooze(id, token, wait, first_bytes(why, ERROR_BYTES_MAX), false).await.map(Some)
        };
        self.at(id, SnoozeWord::Missing, snoozed).await
    }

    /// Reports to the shard that has the job; `missing` when none has.
    async fn at<'a, T, F>(&'a self, id: &JobId, missing: T, report: impl FnOnce(&'a Store) -> F) -> Result<T>
    where
        F: Future<Output = Result<Option<T>>>,
    {
        match self.shards.holder(id).await? {
            Some(store) => Ok(report(store).await?.unwrap_or(missing)),
            None => Ok(missing),
        }
    }
}

fn allowed(lease: Delay) -> Result<Delay> {
    if (LEASE_MIN..=LEASE_MAX).contains(&lease) {
        return Ok(lease);
    }
    let why = format!("is {} ms, 1 s to 1 h are allowed", lease.as_millis());
    Err(Error::invalid("lease", why))
}
