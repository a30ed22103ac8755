//! Adding jobs, and calling them off, from a service.

mod declare;

use crate::acts::{Act, BatchActs, PlanActs, SubjectAct, make, verb};
use crate::error::{Error, Result};
use crate::gather::Gathers;
use crate::identity::{Spread, UniqueMode, content_key};
use crate::model::{
    BatchAnswer, BatchId, ConcurrencyKey, Delay, Enqueued, JobId, Kind, LatePolicy, Lateness, PlanAnswer,
    PlanId, Priority, QueueName, Subject, Timestamp, UniqueKey,
};
use crate::new_batch::NewBatch;
use crate::new_job::{CLIENT, Due, NewJob};
use crate::new_plan::NewPlan;
use crate::payload_keys::PayloadKeys;
use crate::store::{BrokenOff, Intent, Shards};
use crate::trace::TraceParent;
use crate::worker::Job;

/// Adds jobs and calls them off.
#[derive(Debug, Clone)]
pub struct Client {
    shards: Shards,
    gathers: Gathers,
}

impl Client {
    pub(crate) const fn new(shards: Shards, gathers: Gathers) -> Self {
        Self { shards, gathers }
    }

    pub(crate) const fn shards(&self) -> &Shards {
        &self.shards
    }

    /// Begins to enqueue a typed job: its kind is that of its type, its payload is JSON.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the job cannot be written as JSON or its kind is no name.
    pub fn enqueue<J: Job>(&self, job: &J) -> Result<Enqueue<'_>> {
        let payload = serde_json::to_vec(job)
            .map_err(|error| Error::invalid("payload", format!("cannot be written as JSON: {error}")))?;
        Ok(self.enqueue_raw(Kind::new(J::KIND)?, payload))
    }

    /// Begins to enqueue a job of any kind with any bytes.
    pub fn enqueue_raw(&self, kind: Kind, payload: impl Into<Vec<u8>>) -> Enqueue<'_> {
        Enqueue { client: self, job: NewJob::new(kind, payload) }
    }

    /// Enqueues any number of jobs, in steps of at most 100. All are checked before the first is sent.
    ///
    /// # Errors
    /// [`Error::PayloadTooLarge`] and [`Error::Invalid`]: nothing was enqueued. [`Error::StorageFull`],
    /// [`Error::Unavailable`], and [`Error::Invalid`] where the namespace has its limit of queues: earlier steps may have
    /// been; with ids of your own, repeat the call.
    pub async fn enqueue_batch(&self, jobs: Vec<NewJob>) -> Result<Vec<Enqueued>> {
        Ok(self.enqueue_batch_in_part(jobs).await?)
    }

    /// The same, for a caller that tells how far it came.
    ///
    /// # Errors
    /// Those of [`enqueue_batch`](Self::enqueue_batch), each with what became of the jobs of earlier steps.
    pub async fn enqueue_batch_in_part(&self, jobs: Vec<NewJob>) -> Result<Vec<Enqueued>, BrokenOff> {
        for job in &jobs {
            job.check()?;
        }
        let jobs: Vec<(JobId, NewJob)> =
            jobs.into_iter().map(|job| job.with_id(self.shards.count())).collect();
        self.shards.enqueue_in_part(CLIENT, &jobs.iter().collect::<Vec<_>>()).await
    }

    /// Calls a job off. Calls made at the same time go to Redis together.
    pub fn cancel(&self, id: &JobId) -> Act<verb::Cancel> {
        let together = verb::Cancel(Some(self.gathers.clone()));
        Act::new(self.shards.clone(), id.clone(), together, Intent::of(CLIENT))
    }

    /// Calls off every live job of a subject in one step.
    pub fn cancel_subject(&self, subject: &Subject) -> SubjectAct {
        SubjectAct::new(self.shards.clone(), subject.clone(), Intent::of(CLIENT))
    }

    /// Makes a plan: several jobs of one subject from one anchor, in one step.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::PayloadTooLarge`] and [`Error::PlanRefused`]: nothing was made.
    /// [`Error::Unavailable`]: nothing is known; repeat it, the plan's id makes that harmless.
    pub async fn make_plan(&self, plan: &NewPlan) -> Result<PlanAnswer> {
        plan.check()?;
        self.shards.plan(CLIENT, plan).await
    }

    /// Makes a batch: jobs that are counted together, and one job that runs when all of them have ended. Up to 100 jobs
    /// go in with it in one step; more follow in steps of their own, and it ends only when all are in.
    ///
    /// # Errors
    /// [`Error::Invalid`] and [`Error::PayloadTooLarge`]: nothing was made. [`Error::Unavailable`]: some of it may
    /// have been; repeat it, the batch's id makes that harmless.
    pub async fn make_batch(&self, batch: &NewBatch) -> Result<BatchAnswer> {
        Ok(self.make_batch_in_part(batch).await?)
    }

    /// The same, for a caller that tells how far it came.
    ///
    /// # Errors
    /// Those of [`make_batch`](Self::make_batch), each with what became of the jobs of earlier steps.
    pub async fn make_batch_in_part(&self, batch: &NewBatch) -> Result<BatchAnswer, BrokenOff> {
        make(&self.shards, CLIENT, batch).await
    }

    /// Acts on a batch: `client.batch(&id).add(jobs, BatchClose::Later).await`.
    pub fn batch(&self, id: &BatchId) -> BatchActs {
        BatchActs::new(self.shards.clone(), id.clone(), CLIENT.to_owned())
    }

    /// Acts on a plan as a whole: `client.plan(&id).reanchor(Due::In(Delay::days(30))).await`.
    #[must_use]
    pub fn plan(&self, id: &PlanId) -> PlanActs {
        PlanActs::new(self.shards.clone(), id.clone(), CLIENT.to_owned())
    }

    /// Gives a waiting job another due time.
    pub fn reschedule(&self, id: &JobId, due: Due) -> Act<verb::Reschedule> {
        Act::new(self.shards.clone(), id.clone(), verb::Reschedule(due), Intent::of(CLIENT))
    }
}

/// A job being described; [`send`](Self::send) enqueues it.
#[derive(Debug)]
#[must_use = "nothing is enqueued before `send`"]
pub struct Enqueue<'a> {
    client: &'a Client,
    job: NewJob,
}

impl Enqueue<'_> {
    /// Runs at that instant; one in the past is as good as now.
    pub const fn at(mut self, due: Timestamp) -> Self {
        self.job.due = Due::At(due);
        self
    }

    /// Runs that long after Redis takes it in.
    pub const fn in_(mut self, delay: Delay) -> Self {
        self.job.due = Due::In(delay);
        self
    }

    /// Under an id of the caller's, so that a repeat is recognised.
    pub fn id(mut self, id: JobId) -> Self {
        self.job.id = Some(id);
        self
    }

    /// About that thing.
    pub fn subject(mut self, subject: Subject) -> Self {
        self.job.subject = Some(subject);
        self
    }

    /// In that queue.
    pub fn queue(mut self, queue: QueueName) -> Self {
        self.job.queue = queue;
        self
    }

    /// At that place among ready jobs.
    pub const fn priority(mut self, priority: Priority) -> Self {
        self.job.priority = priority;
        self
    }

    /// With that many attempts.
    pub const fn max_attempts(mut self, attempts: u32) -> Self {
        self.job.max_attempts = Some(attempts);
        self
    }

    /// With as many attempts as it takes.
    pub const fn unlimited_attempts(mut self) -> Self {
        self.job.max_attempts = None;
        self
    }

    /// With a limit for one attempt.
    pub const fn timeout(mut self, timeout: Delay) -> Self {
        self.job.timeout = Some(timeout);
        self
    }

    /// Kept that long once ended.
    pub const fn retention(mut self, retention: Delay) -> Self {
        self.job.retention = Some(retention);
        self
    }

    /// With its payload sealed, see [`NewJob::sealed`].
    ///
    /// # Errors
    /// Those of [`PayloadKeys::seal`].
    pub fn sealed(mut self, keys: &PayloadKeys) -> Result<Self> {
        self.job = self.job.sealed(keys)?;
        Ok(self)
    }

    /// With a text for the handler.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.job.headers.insert(name.into(), value.into());
        self
    }

    /// As part of that trace: the handler's span becomes a child of it, and a webhook carries it on.
    pub fn trace_parent(self, parent: TraceParent) -> Self {
        self.header(TraceParent::HEADER, parent.to_string())
    }

    /// With a label.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.job.tags.push(tag.into());
        self
    }

    /// With that concurrency key, whose jobs share the limit set for each concurrency key of the queue.
    pub fn concurrency_key(mut self, concurrency_key: ConcurrencyKey) -> Self {
        self.job.concurrency_key = Some(concurrency_key);
        self
    }

    /// Only if no other live job holds that key; it is freed when the job ends, or after that time.
    pub fn unique(mut self, key: UniqueKey, ttl: Delay) -> Self {
        self.job.unique = Some((key, ttl));
        self
    }

    /// Only if no other live job has the same kind and payload; see [`content_key`](crate::content_key).
    pub fn unique_by_content(mut self, ttl: Delay) -> Self {
        self.job.unique = Some((content_key(&self.job.kind, &self.job.payload), ttl));
        self
    }

    /// The first of that key in the window wins, even when it has ended.
    pub fn throttle(mut self, key: UniqueKey, window: Delay) -> Self {
        self.job.unique = Some((key, window));
        self.job.unique_mode = UniqueMode::Throttle;
        self
    }

    /// The last of that key wins: a waiting one gets this payload and due time, at the latest `max_wait` after it was
    /// enqueued first. The key lives at most for `ttl`.
    pub fn debounce(mut self, key: UniqueKey, ttl: Delay, max_wait: Option<Delay>) -> Self {
        self.job.unique = Some((key, ttl));
        self.job.unique_mode = UniqueMode::Debounce { max_wait };
        self
    }

    /// May start at most that late.
    pub const fn at_most_late(mut self, most: Delay, policy: LatePolicy) -> Self {
        self.job.lateness = Some(Lateness { most, policy });
        self
    }

    /// Runs at any time, whatever the delivery windows of its kind.
    pub const fn in_any_window(mut self) -> Self {
        self.job.any_window = true;
        self
    }

    /// Due later by a part of that span.
    pub const fn spread(mut self, spread: Spread) -> Self {
        self.job.spread = Some(spread);
        self
    }

    /// Overwriting a waiting job of the same id.
    pub const fn replace(mut self) -> Self {
        self.job.replace = true;
        self
    }

    /// Enqueues it.
    ///
    /// # Errors
    /// [`Error::PayloadTooLarge`] and [`Error::Invalid`]: nothing was sent. [`Error::StorageFull`]: nothing was
    /// enqueued. [`Error::Unavailable`]: nothing is known; with an id of your own, repeat it.
    pub async fn send(self) -> Result<Enqueued> {
        self.job.check()?;
        let (id, job) = self.job.with_id(self.client.shards.count());
        let home = self.client.shards.home(&id, &job).shard();
        self.client.gathers.intake(home).send((id, job)).await
    }
}
