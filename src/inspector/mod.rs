//! What people see and do: [`Inspector`] reads, [`Operator`] acts.

mod attention;
mod audit;
mod batches;
mod bulk;
mod cron;
mod desk;
mod failures;
pub(crate) mod filtered;
mod findings;
mod fleet;
mod forecast;
mod hits;
mod mutes;
mod operator;
mod outlook;
mod plans;
mod record;
mod retention;
mod reveal;
mod rules;
mod seen;
mod settings;
mod views;

pub use audit::Undoings;
pub use bulk::Bulk;
pub use cron::CronAct;
pub use findings::findings;
pub use forecast::FORECAST_REACH;
pub use operator::Operator;
pub use reveal::Reveal;

use crate::constants::LOG_LINES_MAX;
use crate::error::{Error, Result};
use crate::model::outcome::SubjectJobs;
use crate::model::{
    Counts, Delay, Halt, JobDetail, JobId, JobLog, JobRow, JobState, ListQuery, MinuteStats, Overview, Page,
    PerMinute, QueueName, QueueSummary, RunMode, Subject, Timestamp, WorkerInfo,
};
use crate::redaction::Sight;
use crate::settings::KnownSettings;
use crate::store::{QueueMinute, Shards, Store, Survey, worst_halt};
use seen::Seen;

/// Rows that one call may refresh: a page.
const ROWS_MAX: usize = 200;
/// Jobs of a subject shown beside one of them.
const SIBLINGS_MAX: u32 = 50;
/// Live jobs a subject may have, and so ended ones shown.
const SUBJECT_JOBS_MAX: u32 = 1_000;
/// The longest range of minutes: a day.
const STATS_MINUTES_MAX: u16 = 1_440;
/// The finest and most of the spans ahead.
const SPANS_AHEAD_MAX: u16 = 400;

/// Reads what screens show. Never changes anything.
#[derive(Debug, Clone)]
pub struct Inspector {
    shards: Seen,
    confirm_replicas: u32,
    pub(crate) settings: KnownSettings,
}

impl Inspector {
    pub(crate) const fn new(shards: Shards, confirm_replicas: u32, settings: KnownSettings) -> Self {
        Self { shards: Seen::all(shards), confirm_replicas, settings }
    }

    /// The same for somebody who may see no more than that of any job.
    #[must_use]
    pub fn seen_with(mut self, sight: Sight) -> Self {
        self.settings = self.settings.seen_with(sight);
        self
    }

    /// The same for somebody who may see nothing but these queues; all of them where there are none.
    ///
    /// What is in other queues is not there for it: not in lists, counts and forecasts, not by its id, not among the jobs
    /// of a subject. Of workers and schedules there are those that work on its queues or enqueue into them.
    ///
    /// Not bound are reads that are about no queue, or about something that spans them: the rules of kinds, what is set
    /// for the namespace, Redis, the audit with its own [`AuditFilter::queues`](crate::model::AuditFilter), batches and
    /// single bulk runs. Code that offers one of them to somebody who is bound has to look at it first.
    #[must_use]
    pub fn only_in(mut self, queues: impl Into<Vec<QueueName>>) -> Self {
        self.shards = self.shards.only_in(queues);
        self
    }

    /// Whether there are queues it does not look into.
    #[must_use]
    pub const fn is_bound(&self) -> bool {
        self.shards.is_bound()
    }

    pub(super) const fn shards(&self) -> &Shards {
        self.shards.whole()
    }

    /// A job with its attempts, history and siblings; `Ok(None)` when there is none.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when its record does not read.
    pub async fn job(&self, id: &JobId) -> Result<Option<JobDetail>> {
        let redaction = self.settings.redaction().await?;
        let Some((mut job, mut attempts, mut history)) = self.shards.job(id).await? else { return Ok(None) };
        redaction.job(&mut job);
        redaction.attempts(&mut attempts);
        redaction.history(&job.kind, &mut history);
        let (siblings, read_at) = match &job.subject {
            Some(subject) => {
                let (mut rows, now) = self.shards.subject(subject, SIBLINGS_MAX).await?;
                rows.retain(|row| row.id != job.id);
                redaction.rows(&mut rows);
                by_due(&mut rows);
                (rows, now)
            }
            None => (Vec::new(), self.shards.now().await?),
        };
        let worker = job.worker.as_ref().filter(|_| job.state == JobState::Active);
        let worker_seen = match worker {
            Some(worker) => self.shards().first().worker_seen(worker).await?,
            None => None,
        };
        Ok(Some(JobDetail { job, attempts, history, siblings, worker_seen, read_at }))
    }

    /// The payload of a job, hidden parts hidden; `Ok(None)` when there is no such job.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when its record does not read.
    pub async fn payload(&self, id: &JobId) -> Result<Option<Vec<u8>>> {
        let redaction = self.settings.redaction().await?;
        let Some((mut job, ..)) = self.shards.job(id).await? else { return Ok(None) };
        redaction.job(&mut job);
        Ok(Some(job.payload))
    }

    /// Lines of a job's log with numbers above `after` (0 for all that are kept), oldest first, 1 to 1,000;
    /// `Ok(None)` when there is no such job.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when the job does not read.
    pub async fn log(&self, id: &JobId, after: u64, most: u16) -> Result<Option<JobLog>> {
        match self.shards.holder(id).await? {
            // What a handler writes is as telling as its errors.
            Some(_) if !self.settings.sees_errors() => Ok(Some(JobLog::new(Vec::new(), 0, None))),
            Some(store) => store.log(id, after, usize::from(most.clamp(1, LOG_LINES_MAX))).await,
            None => Ok(None),
        }
    }

    /// One page of a list.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn list(&self, query: &ListQuery) -> Result<Page> {
        let redaction = self.settings.redaction().await?;
        let mut page = self.shards.list(&query.clone().size(query.size)).await?;
        redaction.rows(&mut page.rows);
        Ok(page)
    }

    /// The present rows of jobs on screen, in order; `None` for one that is gone.
    ///
    /// # Errors
    /// [`Error::Invalid`] above 200 ids; [`Error::Unavailable`].
    pub async fn rows(&self, ids: &[JobId]) -> Result<Vec<Option<JobRow>>> {
        if ids.len() > ROWS_MAX {
            return Err(Error::invalid("ids", format!("are {}, at most {ROWS_MAX} are allowed", ids.len())));
        }
        let redaction = self.settings.redaction().await?;
        let mut rows = self.shards.rows(ids).await?;
        redaction.rows(rows.iter_mut().flatten());
        Ok(rows)
    }

    /// All jobs of a subject that are live or still kept, by due time.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn subject(&self, subject: &Subject) -> Result<SubjectJobs> {
        let (mut rows, read_at) = self.shards.subject(subject, SUBJECT_JOBS_MAX).await?;
        self.settings.redaction().await?.rows(&mut rows);
        by_due(&mut rows);
        Ok(SubjectJobs { jobs: rows, read_at })
    }

    /// How many jobs are in each state, in one queue or in all.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn counts(&self, queue: Option<&QueueName>) -> Result<Counts> {
        let mut counts = Counts::default();
        for summary in self.shards.survey(queue).await?.queues {
            counts.add(&summary.counts);
        }
        Ok(counts)
    }

    /// The counts of every queue, by name, without the rates that [`queues`](Self::queues) adds.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn counts_by_queue(&self) -> Result<(Vec<(QueueName, Counts)>, Timestamp)> {
        let survey = self.shards.survey(None).await?;
        Ok((survey.queues.into_iter().map(|queue| (queue.name, queue.counts)).collect(), survey.now))
    }

    /// Every queue at a glance, by name.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn queues(&self) -> Result<Vec<QueueSummary>> {
        Ok(self.measured_survey().await?.0.queues)
    }

    /// The material of the overview page.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn overview(&self) -> Result<Overview> {
        let redis = self.shards().first().connections().health(self.confirm_replicas).await?;
        let (survey, workers, parked) = self.measured_survey().await?;
        let mut overview = Overview::empty(redis, survey.now);
        let dying = match survey.queues.iter().any(|queue| queue.dead_last_hour > 0 && queue.counts.dead > 0)
        {
            true => self.deaths(None).await?.lines(),
            false => Vec::new(),
        };
        overview.attention =
            attention::of(&survey, &workers, parked, &overview.redis, self.halt().await?, dying);
        overview.attention.extend(self.deletions_asked_for().await?);
        overview.forwarder_tick = survey.forwarder_tick;
        let forwarders = self.shards.forwarders().await?;
        for forwarder in forwarders.into_iter().filter(|forwarder| forwarder.is_heard(survey.now)) {
            overview.forwarders += 1;
            overview.zones = overview.zones.max(forwarder.zones);
        }
        let live = workers.iter().filter(|worker| worker.is_heard(survey.now));
        for worker in live {
            overview.workers += 1;
            overview.slots += worker.slots;
        }
        overview.queues = survey.queues;
        Ok(overview)
    }

    /// Whether the namespace starts nothing, and why; of several shards that stand still, the one a person has to look
    /// at, or the one that is to go on last.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn halt(&self) -> Result<Option<Halt>> {
        let all = self.shards().each(Store::halt).await?;
        Ok(worst_halt(all.into_iter().flatten()))
    }

    /// How long ago any forwarder last moved, or looked for, due jobs; `None` if there never was one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn forwarder_age(&self) -> Result<Option<Delay>> {
        let shards = self.shards().each(Store::forwarder_tick).await?;
        let now = shards.iter().map(|(now, _)| *now).max();
        // The shard that has waited longest for a forwarder is the one to worry about.
        let tick = shards.into_iter().map(|(_, tick)| tick).min().flatten();
        Ok(now.zip(tick).map(|(now, tick)| Delay::millis(now.millis_since(tick))))
    }

    /// What was counted in each of the latest minutes (1 to 1,440), oldest first; the last is the running one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn stats(&self, queue: Option<&QueueName>, minutes: u16) -> Result<Vec<MinuteStats>> {
        self.shards.stats(queue, minutes.clamp(1, STATS_MINUTES_MAX)).await
    }

    /// The same in one read for every queue that something happened in.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn stats_by_queue(&self, minutes: u16) -> Result<Vec<QueueMinute>> {
        self.shards.stats_by_queue(minutes.clamp(1, STATS_MINUTES_MAX)).await
    }

    /// How many jobs become due in each of the coming spans (1 to 400); the first holds what is overdue too.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn due_ahead(&self, queue: Option<&QueueName>, span: Delay, spans: u16) -> Result<Vec<u64>> {
        let span = span.max(Delay::millis(1));
        self.shards.due_ahead(queue, span, spans.clamp(1, SPANS_AHEAD_MAX)).await
    }

    /// Every worker seen in the last day.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.shards.workers().await
    }

    /// The survey with rates, percentiles and workers filled in; all workers; jobs parked in the last hour.
    async fn measured_survey(&self) -> Result<(Survey, Vec<WorkerInfo>, u64)> {
        let mut survey = self.shards.survey(None).await?;
        let workers = self.shards.workers().await?;
        let mut minutes = self.shards.stats_by_queue(60).await?;
        let mut parked = 0;
        for queue in &mut survey.queues {
            let stats: Vec<MinuteStats> = minutes
                .iter_mut()
                .map(|(at, queues)| queues.remove(&queue.name).unwrap_or_else(|| MinuteStats::empty(*at)))
                .collect();
            measure(queue, &stats);
            parked += stats.iter().map(|minute| minute.parked).sum::<u64>();
            let serves = |w: &&WorkerInfo| w.is_heard(survey.now) && w.queues.contains(&queue.name);
            let serving: Vec<&WorkerInfo> = workers.iter().filter(serves).collect();
            // A worker that is quiet or stops finishes what it has: what is ready waits all the same.
            let taking = serving.iter().filter(|worker| worker.takes_jobs(survey.now)).count();
            queue.workers = u64::try_from(taking).unwrap_or(u64::MAX);
            queue.modes = RunMode::of(serving);
        }
        Ok((survey, workers, parked))
    }
}

/// Fills in what an hour of minutes says of a queue.
fn measure(queue: &mut QueueSummary, hour: &[MinuteStats]) {
    const RATE_MINUTES: usize = 5;
    const LATE_MINUTES: usize = 15;
    // The running minute is not over and would make every rate too low.
    let full = &hour[..hour.len().saturating_sub(1)];
    let recent = &full[full.len().saturating_sub(RATE_MINUTES)..];
    let per_minute = |count: fn(&MinuteStats) -> u64| {
        let sum: u64 = recent.iter().map(count).sum();
        PerMinute { tenths: sum.saturating_mul(10) / RATE_MINUTES as u64 }
    };
    queue.in_per_minute = per_minute(|minute| minute.enqueued);
    queue.out_per_minute = per_minute(|minute| minute.done);
    let mut late = crate::model::Histogram::default();
    for minute in &hour[hour.len().saturating_sub(LATE_MINUTES)..] {
        late.add(&minute.late);
    }
    queue.late_ms_p99 = late.percentile_ms(99);
    queue.dead_last_hour = hour.iter().map(|minute| minute.dead).sum();
}

fn by_due(rows: &mut [JobRow]) {
    rows.sort_by(|a, b| (a.due, &a.id).cmp(&(b.due, &b.id)));
}
