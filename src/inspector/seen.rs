//! What a reader sees of the shards: everything, or what belongs to the queues it is bound to.
//!
//! This is the one place where a binding holds. The reads of this module stand between the shards and everything an
//! [`Inspector`](super::Inspector) tells, so that a list, a count or a forecast of such a reader is made from its queues
//! alone; jobs of other queues are not there. What a read asks of the [`whole`](Seen::whole) it has to bind by itself.

use crate::error::Result;
use crate::model::{
    Attempt, CountsAt, Cursor, Delay, ForwarderInfo, HistoryEntry, Job, JobId, JobRow, ListQuery,
    MinuteStats, Page, Plan, QueueName, Subject, Timestamp, WorkerInfo,
};
use crate::store::{Candidate, QueueMinute, Scan, Shards, Step, Store, Survey};
use std::collections::{HashMap, HashSet};

/// Jobs of a subject that are looked through for those of a few queues: all it may have.
const SUBJECT_JOBS_MAX: u32 = super::SUBJECT_JOBS_MAX;
/// Ids of one read.
const IDS_AT_ONCE: usize = super::ROWS_MAX;
/// The shards as one reader sees them.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    shards: Shards,
    /// Only these; empty for all.
    queues: Vec<QueueName>,
}

impl Seen {
    /// All there is.
    pub(super) const fn all(shards: Shards) -> Self {
        Self { shards, queues: Vec::new() }
    }

    /// The same shards, bound to these queues; to none of them where there are none.
    pub(super) fn only_in(self, queues: impl Into<Vec<QueueName>>) -> Self {
        Self { queues: queues.into(), ..self }
    }

    /// The shards with everything in them, for what belongs to no queue and for reads that bind themselves.
    pub(super) const fn whole(&self) -> &Shards {
        &self.shards
    }

    /// Whether there are queues it does not see.
    pub(super) const fn is_bound(&self) -> bool {
        !self.queues.is_empty()
    }

    /// Whether it sees that queue.
    pub(super) fn sees(&self, queue: &QueueName) -> bool {
        !self.is_bound() || self.queues.contains(queue)
    }

    /// Whether it sees all that is bound to these queues; none stands for every queue.
    pub(super) fn sees_all_of(&self, queues: &[QueueName]) -> bool {
        !self.is_bound() || !queues.is_empty() && queues.iter().all(|queue| self.sees(queue))
    }

    /// Whether it sees a queue that a filter names.
    pub(super) fn sees_some(&self, fits: impl Fn(&QueueName) -> bool) -> bool {
        !self.is_bound() || self.queues.iter().any(fits)
    }

    pub(super) async fn now(&self) -> Result<Timestamp> {
        self.shards.now().await
    }

    pub(super) fn count(&self) -> u16 {
        self.shards.count()
    }

    /// A job with its attempts and history.
    pub(super) async fn job(&self, id: &JobId) -> Result<Option<(Job, Vec<Attempt>, Vec<HistoryEntry>)>> {
        Ok(self.shards.job(id).await?.filter(|(job, ..)| self.sees(&job.queue)))
    }

    /// The shard that has a job.
    pub(super) async fn holder(&self, id: &JobId) -> Result<Option<&Store>> {
        if self.is_bound()
            && self.rows(std::slice::from_ref(id)).await?.into_iter().flatten().next().is_none()
        {
            return Ok(None);
        }
        self.shards.holder(id).await
    }

    /// One page of a list.
    pub(super) async fn list(&self, query: &ListQuery) -> Result<Page> {
        match self.bound(Scan::of(query)) {
            Some(scan) => self.shards.page(&scan, query.after.as_ref(), query.size).await,
            None => Ok(Page { rows: Vec::new(), next: None, total: 0, read_at: self.now().await? }),
        }
    }

    /// The present rows of jobs, in order; `None` for those that are gone and those it does not see.
    pub(super) async fn rows(&self, ids: &[JobId]) -> Result<Vec<Option<JobRow>>> {
        let mut rows = self.shards.rows(ids).await?;
        for row in &mut rows {
            *row = row.take().filter(|row| self.sees(&row.queue));
        }
        Ok(rows)
    }

    /// The jobs of a subject, at most that many live and as many ended ones.
    pub(super) async fn subject(&self, subject: &Subject, most: u32) -> Result<(Vec<JobRow>, Timestamp)> {
        if !self.is_bound() {
            return self.shards.subject(subject, most).await.map(|(rows, now, _)| (rows, now));
        }
        // The first ones may all be of other queues.
        let (mut rows, now, _) = self.shards.subject(subject, most.max(SUBJECT_JOBS_MAX)).await?;
        let (mut live, mut ended) = (most, most);
        rows.retain(|row| {
            let left = if row.state.is_final() { &mut ended } else { &mut live };
            let fits = *left > 0 && self.sees(&row.queue);
            *left -= u32::from(fits);
            fits
        });
        Ok((rows, now))
    }

    /// All queues at a glance, or one. What was set aside or is damaged is told to those who see all queues.
    pub(super) async fn survey(&self, queue: Option<&QueueName>) -> Result<Survey> {
        let mut survey = self.shards.survey(queue).await?;
        if self.is_bound() {
            survey.queues.retain(|queue| self.sees(&queue.name));
            (survey.quarantined, survey.quarantine_sample) = (0, None);
            (survey.damaged_keys, survey.damaged_sample) = (0, None);
        }
        Ok(survey)
    }

    /// How many jobs become due in each of the coming spans.
    pub(super) async fn due_ahead(
        &self,
        queue: Option<&QueueName>,
        span: Delay,
        spans: u16,
    ) -> Result<Vec<u64>> {
        let seen = self.queues.iter().filter(|seen| queue.is_none_or(|queue| queue == *seen)).map(Some);
        let asked: Vec<_> = if self.is_bound() { seen.collect() } else { vec![queue] };
        let mut counts = vec![0_u64; usize::from(spans)];
        for queue in asked {
            for shard in self.shards.each(|store| store.due_ahead(queue, span, spans)).await? {
                for (count, more) in counts.iter_mut().zip(shard) {
                    *count = count.saturating_add(more);
                }
            }
        }
        Ok(counts)
    }

    /// The raw counters of the latest minutes.
    pub(super) async fn minutes(&self, minutes: u16) -> Result<Vec<(Timestamp, HashMap<String, u64>)>> {
        let mut all = self.shards.minutes(minutes).await?;
        all.iter_mut().for_each(|(_, counts)| self.keep_seen(counts));
        Ok(all)
    }

    /// What was counted in each of the latest minutes.
    pub(super) async fn stats(&self, queue: Option<&QueueName>, minutes: u16) -> Result<Vec<MinuteStats>> {
        let counts = self.minutes(minutes).await?;
        Ok(counts.iter().map(|(at, counts)| crate::store::codec::minute_stats(*at, queue, counts)).collect())
    }

    /// The same, queue by queue.
    pub(super) async fn stats_by_queue(&self, minutes: u16) -> Result<Vec<QueueMinute>> {
        let counts = self.minutes(minutes).await?;
        Ok(counts
            .iter()
            .map(|(at, counts)| (*at, crate::store::codec::minute_stats_by_queue(*at, counts)))
            .collect())
    }

    /// The raw counters of the latest hours, of every shard.
    pub(super) async fn hours(&self, hours: u16) -> Result<Vec<(Timestamp, HashMap<String, u64>)>> {
        let mut all: Vec<_> =
            self.shards.each(|store| store.hours(hours)).await?.into_iter().flatten().collect();
        all.iter_mut().for_each(|(_, counts)| self.keep_seen(counts));
        Ok(all)
    }

    /// What was written down in these minutes, shard by shard. How much was due then was written down for all queues
    /// together, so it is not told to whom some are.
    pub(super) async fn recorded(&self, minutes: &[Timestamp]) -> Result<Vec<Vec<Option<CountsAt>>>> {
        let mut shards = self.shards.each(|store| store.recorded(minutes)).await?;
        if self.is_bound() {
            for counts in shards.iter_mut().flatten().flatten() {
                counts.queues.retain(|(queue, _)| self.sees(queue));
                counts.due_within_hour = 0;
                // How many there are is nothing to them: that some of theirs may be missing is.
                counts.queues_in_all = counts.queues_in_all.map(|_| 0);
            }
        }
        Ok(shards)
    }

    /// How much was expected of these hours, in all shards; `None` where one of them does not know. It was written down
    /// for all queues together, so it is not told to whom some are.
    pub(super) async fn expected(&self, hours: &[Timestamp]) -> Result<Vec<Option<u64>>> {
        if self.is_bound() {
            return Ok(vec![None; hours.len()]);
        }
        let mut all = vec![Some(0_u64); hours.len()];
        for shard in self.shards.each(|store| store.expected(hours)).await? {
            for (whole, part) in all.iter_mut().zip(shard) {
                *whole = whole.zip(part).map(|(whole, part)| whole.saturating_add(part));
            }
        }
        Ok(all)
    }

    /// The workers of its queues. Of one that works elsewhere too, no more is told than what it does for them: of the
    /// jobs in its hands those it names and which are of these queues.
    pub(super) async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        let mut workers = self.shards.workers().await?;
        if !self.is_bound() {
            return Ok(workers);
        }
        workers.retain(|worker| worker.queues.iter().any(|queue| self.sees(queue)));
        let named = |worker: &WorkerInfo| {
            let stuck = worker.stuck_handlers.iter().map(|handler| handler.job.clone());
            worker.jobs.iter().cloned().chain(stuck).collect::<Vec<_>>()
        };
        let shared = |worker: &&mut WorkerInfo| worker.queues.iter().any(|queue| !self.sees(queue));
        let ids: Vec<JobId> = workers.iter_mut().filter(shared).flat_map(|worker| named(worker)).collect();
        let mut seen: HashSet<JobId> = HashSet::new();
        for ids in ids.chunks(IDS_AT_ONCE) {
            seen.extend(self.rows(ids).await?.into_iter().flatten().map(|row| row.id));
        }
        for worker in workers.iter_mut().filter(shared) {
            worker.queues.retain(|queue| self.sees(queue));
            worker.jobs.retain(|id| seen.contains(id));
            worker.stuck_handlers.retain(|handler| seen.contains(&handler.job));
            worker.busy = u64::try_from(worker.jobs.len()).unwrap_or(u64::MAX);
            worker.stuck = u64::try_from(worker.stuck_handlers.len()).unwrap_or(u64::MAX);
        }
        Ok(workers)
    }

    /// Who keeps the time, which is no queue's.
    pub(super) async fn forwarders(&self) -> Result<Vec<ForwarderInfo>> {
        self.shards.forwarders().await
    }

    /// Every queue of the directory that it sees, by name.
    pub(super) async fn queue_names(&self) -> Result<Vec<QueueName>> {
        let mut names = self.shards.queue_names().await?;
        names.retain(|queue| self.sees(queue));
        Ok(names)
    }

    /// One step of a scan.
    pub(super) async fn scan(&self, scan: &Scan, after: Option<&Cursor>, most: u64) -> Result<Step> {
        match self.bound(scan.clone()) {
            Some(scan) => self.shards.scan(&scan, after, most).await,
            None => Ok(Step::nothing(self.now().await?)),
        }
    }

    /// A scan of the queues it sees; `None` where it sees none of them.
    fn bound(&self, mut scan: Scan) -> Option<Scan> {
        if self.is_bound() {
            // No queues would be all of them.
            if scan.queues.is_empty() {
                scan.queues.clone_from(&self.queues);
            }
            scan.queues.retain(|queue| self.sees(queue));
            if scan.queues.is_empty() {
                return None;
            }
        }
        Some(scan)
    }

    /// What a filter needs to know of given jobs.
    pub(super) async fn candidates(&self, ids: &[JobId], payload: bool) -> Result<Vec<Candidate>> {
        let mut candidates = self.shards.candidates(ids, payload).await?;
        candidates.retain(|candidate| self.sees(&candidate.row.queue));
        Ok(candidates)
    }

    /// A plan it sees: one whose jobs are all of its queues, for the verbs on a plan reach each of them. Steps whose job
    /// is gone tell no queue, and are left out.
    pub(super) fn plan(&self, mut plan: Plan) -> Option<Plan> {
        if self.is_bound() {
            plan.steps.retain(|step| step.job.is_some());
            let mut jobs = plan.steps.iter().filter_map(|step| step.job.as_ref());
            if plan.steps.is_empty() || !jobs.all(|job| self.sees(&job.queue)) {
                return None;
            }
        }
        Some(plan)
    }

    /// Of counters, those of its queues.
    fn keep_seen(&self, counts: &mut HashMap<String, u64>) {
        if self.is_bound() {
            counts.retain(|name, _| {
                let queue =
                    name.strip_prefix("q:").and_then(|rest| rest.split_once(':')).map(|(queue, _)| queue);
                queue.is_some_and(|name| self.queues.iter().any(|queue| queue.as_str() == name))
            });
        }
    }
}
