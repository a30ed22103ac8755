//! What screens read, of all shards: lists merge, counts add up.

use super::reads::Survey;
use super::{Scan, Shards, Store};
use crate::error::{Error, Result};
use crate::model::{
    Attempt, EventPlace, ForwarderInfo, HistoryEntry, Job, JobId, JobRow, JobState, ListQuery, MinuteStats,
    Page, QueueLimits, QueueName, QueueSummary, SetLimits, Subject, Timestamp, WorkerInfo,
};
use futures_util::future::join_all;
use std::collections::{BTreeMap, HashMap};

/// The start of a minute, and what happened in it in each queue.
pub type QueueMinute = (Timestamp, BTreeMap<QueueName, MinuteStats>);

impl Shards {
    /// The clock of the first shard, or the given time.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn now(&self) -> Result<Timestamp> {
        self.first().now().await
    }

    /// A job with its attempts and history, newest first, wherever it is; `None` when there is none.
    ///
    /// # Errors
    /// [`Error::Codec`] when its record does not read.
    pub async fn job(&self, id: &JobId) -> Result<Option<(Job, Vec<Attempt>, Vec<HistoryEntry>)>> {
        match self.holder(id).await? {
            Some(store) => store.job(id).await,
            None => Ok(None),
        }
    }

    /// One page of a list. A row's score and id order the rows of all shards alike, so that one cursor serves each.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn list(&self, query: &ListQuery) -> Result<Page> {
        self.page(&Scan::of(query), query.after.as_ref(), query.size).await
    }

    /// The present rows of given jobs, in order; `None` for one that is gone.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when a shard does not answer, unless the others have all of them.
    pub async fn rows(&self, ids: &[JobId]) -> Result<Vec<Option<JobRow>>> {
        let mut rows: Vec<Option<JobRow>> = vec![None; ids.len()];
        let mut unanswered = None;
        for shard in join_all(self.all().iter().map(|store| store.rows(ids))).await {
            match shard {
                Ok(found) => {
                    for (row, other) in rows.iter_mut().zip(found) {
                        *row = row.take().or(other);
                    }
                }
                Err(error) => unanswered = Some(error),
            }
        }
        match unanswered {
            Some(error) if rows.iter().any(Option::is_none) => Err(error),
            _ => Ok(rows),
        }
    }

    /// The jobs of a subject, at most that many live and as many ended ones, and Redis's clock.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn subject(&self, subject: &Subject, most: u32) -> Result<(Vec<JobRow>, Timestamp, bool)> {
        self.of_subject(subject).subject(subject, most).await
    }

    /// All queues at a glance, or one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn survey(&self, queue: Option<&QueueName>) -> Result<Survey> {
        let mut surveys = self.each(|store| store.survey(queue)).await?.into_iter();
        let Some(mut all) = surveys.next() else { return Err(Error::codec("a survey has no shards")) };
        for survey in surveys {
            add_survey(&mut all, survey);
        }
        Ok(all)
    }

    /// The limits of a queue, and the part of them that each shard has.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn limits(&self, queue: &QueueName) -> Result<(QueueLimits, Vec<QueueLimits>)> {
        let surveys = self.each(|store| store.survey(Some(queue))).await?;
        let shards =
            surveys.into_iter().map(|survey| survey.queues.into_iter().next().and_then(|of| of.limits));
        let shards: Vec<Option<SetLimits>> = shards.collect();
        let of = |set: Option<SetLimits>| set.map(|set| set.limits).unwrap_or_default();
        let whole = shards.iter().cloned().reduce(whole_limits).flatten();
        Ok((of(whole), shards.into_iter().map(of).collect()))
    }

    /// The raw counters of each of the latest minutes, oldest first; the last is the running one.
    pub(crate) async fn minutes(&self, minutes: u16) -> Result<Vec<(Timestamp, HashMap<String, u64>)>> {
        let mut all: BTreeMap<Timestamp, HashMap<String, u64>> = BTreeMap::new();
        for shard in self.each(|store| store.minutes(minutes)).await? {
            for (at, counts) in shard {
                let sums = all.entry(at).or_default();
                for (name, count) in counts {
                    let sum = sums.entry(name).or_default();
                    *sum = sum.saturating_add(count);
                }
            }
        }
        // Clocks of two shards may stand on both sides of a full minute.
        let extra = all.len().saturating_sub(usize::from(minutes));
        Ok(all.into_iter().skip(extra).collect())
    }

    /// Every worker that was seen in the last day. What those hold that claim by calls of their own is read from the
    /// jobs, for no process has the whole of it.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        let (mut workers, queues) = self.first().workers().await?;
        if queues.is_empty() {
            return Ok(workers);
        }
        let held = self.each(|store| store.in_hands(&queues)).await?.into_iter().flatten();
        let mut by_worker: HashMap<String, Vec<JobRow>> = HashMap::new();
        for row in held.filter(|row| row.state == JobState::Active) {
            if let Some(worker) = row.worker.clone() {
                by_worker.entry(worker).or_default().push(row);
            }
        }
        for worker in workers.iter_mut().filter(|worker| worker.claims) {
            let mut rows = by_worker.remove(&worker.id).unwrap_or_default();
            rows.sort_by(|a, b| a.id.cmp(&b.id));
            worker.busy = u64::try_from(rows.len()).unwrap_or(u64::MAX);
            worker.lease_until = rows.iter().filter_map(|row| row.lease_until).max();
            worker.jobs = rows.into_iter().map(|row| row.id).take(WorkerInfo::JOBS_NAMED_MAX).collect();
        }
        Ok(workers)
    }

    /// Every forwarder that looked in the last hour, the latest first. Each process keeps the time of all shards.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn forwarders(&self) -> Result<Vec<ForwarderInfo>> {
        self.first().forwarders().await
    }

    /// Every queue of the directory, by name.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn queue_names(&self) -> Result<Vec<QueueName>> {
        let mut names: Vec<_> = self.each(Store::queue_names).await?.into_iter().flatten().collect();
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// The latest event of every shard.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn latest_events(&self) -> Result<EventPlace> {
        self.each(Store::latest_event).await.map(EventPlace::new)
    }
}

fn add_survey(all: &mut Survey, shard: Survey) {
    all.now = all.now.max(shard.now);
    // The shard that has waited longest for a forwarder is the one to worry about.
    all.forwarder_tick = all.forwarder_tick.min(shard.forwarder_tick);
    all.quarantined = all.quarantined.saturating_add(shard.quarantined);
    all.quarantine_sample = all.quarantine_sample.take().or(shard.quarantine_sample);
    all.damaged_keys = all.damaged_keys.saturating_add(shard.damaged_keys);
    all.damaged_sample = all.damaged_sample.take().or(shard.damaged_sample);
    for queue in shard.queues {
        match all.queues.binary_search_by(|known| known.name.cmp(&queue.name)) {
            Ok(place) => add_queue(&mut all.queues[place], queue),
            Err(place) => all.queues.insert(place, queue),
        }
    }
}

fn add_queue(all: &mut QueueSummary, shard: QueueSummary) {
    let earlier = |a: Option<Timestamp>, b: Option<Timestamp>| a.into_iter().chain(b).min();
    all.counts.add(&shard.counts);
    all.next_due = earlier(all.next_due, shard.next_due);
    all.oldest_ready = earlier(all.oldest_ready, shard.oldest_ready);
    // Paused in one shard is worth showing as paused: somebody meant it, and resuming reaches every shard.
    all.paused = all.paused.take().or(shard.paused);
    all.limits = whole_limits(all.limits.take(), shard.limits);
}

/// The limits of several shards as one: each has its share.
fn whole_limits(whole: Option<SetLimits>, part: Option<SetLimits>) -> Option<SetLimits> {
    match (whole, part) {
        (Some(mut whole), Some(part)) => {
            whole.limits.concurrency =
                whole.limits.concurrency.zip(part.limits.concurrency).map(|(a, b)| a.saturating_add(b));
            if let (Some(rate), Some(more)) = (whole.limits.rate.as_mut(), part.limits.rate) {
                rate.jobs = rate.jobs.saturating_add(more.jobs);
            }
            Some(whole)
        }
        (whole, part) => whole.or(part),
    }
}
