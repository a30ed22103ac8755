//! Adding jobs, and calling them off, from a service.

mod gather;
mod together;

use crate::batch::{BatchActs, NewBatch};
use crate::error::{Error, Result};
use crate::identity::{Spread, UniqueMode, content_key};
use crate::inspector::{Act, SubjectAct, verb};
use crate::job::Job;
use crate::model::{
    BatchAnswer, BatchId, Cancelled, ConcurrencyKey, Delay, Enqueued, JobId, Kind, LatePolicy, Lateness,
    PlanAnswer, PlanId, Priority, QueueName, Shard, Subject, Timestamp, UniqueKey,
};
use crate::payload_keys::PayloadKeys;
use crate::plan::{NewPlan, PlanActs};
use crate::store::{BrokenOff, Intent, Shards};
use crate::trace::TraceParent;
use gather::Gather;
use std::collections::BTreeMap;
use std::sync::Arc;
use together::{CallOff, Intake};
use uuid::Uuid;

/// Largest payload, bytes. Larger things belong into a store of their own, with their name as payload.
pub const PAYLOAD_BYTES_MAX: usize = 256 * 1_024;
/// Attempts unless said otherwise, as in asynq and Sidekiq.
pub(crate) const MAX_ATTEMPTS_DEFAULT: u32 = 25;
/// Headers and tags of one job, in bytes of text: they travel with every claim.
const HEADERS_BYTES_MAX: usize = 8 * 1_024;
/// Tags of one job.
const TAGS_MAX: usize = 16;
/// The longest any span may be: a thousand years. Longer ones would outgrow the numbers they are added to.
pub const SPAN_MAX: Delay = Delay::days(366 * 1_000);
/// The shortest a timeout may be: less than a round trip makes every attempt fail.
const TIMEOUT_MIN: Delay = Delay::millis(10);
/// Who enqueued, when the caller does not say.
const ACTOR: &str = "client";

/// When a job is to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Due {
    /// As soon as a worker is free.
    #[default]
    Now,
    /// At an instant by Redis's clock; one in the past is as good as now.
    At(Timestamp),
    /// That long after Redis takes it in, measured on Redis's clock.
    In(Delay),
}

impl Due {
    /// The instant it means for whoever reads that on the clock.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Now => now,
            Self::At(time) => time,
            Self::In(delay) => now + delay,
        }
    }

    /// Whether it is a time that Reprieve keeps, given in that field.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a span beyond a thousand years.
    pub fn check(self, field: &'static str) -> Result<()> {
        match self {
            Self::In(delay) if delay > SPAN_MAX => Err(Error::invalid(field, "is at most a thousand years")),
            _ => Ok(()),
        }
    }

    /// The same, that much later.
    pub(crate) fn later(self, by: Delay) -> Self {
        match self {
            Self::Now => Self::In(by),
            Self::At(time) => Self::At(time + by),
            Self::In(delay) => Self::In(Delay::millis(delay.as_millis().saturating_add(by.as_millis()))),
        }
    }
}

/// A job to be enqueued.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewJob {
    /// Chosen by the caller so that a repeat is recognised; `None` is a new UUIDv7.
    pub id: Option<JobId>,
    /// Where it waits for a worker.
    pub queue: QueueName,
    /// Which handler runs it.
    pub kind: Kind,
    /// What it is about; all jobs of a subject can be called off in one step.
    pub subject: Option<Subject>,
    /// The work itself, opaque, at most 256 KiB.
    pub payload: Vec<u8>,
    /// When it is to run.
    pub due: Due,
    /// Its place among ready jobs of the queue.
    pub priority: Priority,
    /// How many attempts; `None` is unlimited.
    pub max_attempts: Option<u32>,
    /// How long one attempt may take; `None` is the worker's limit.
    pub timeout: Option<Delay>,
    /// How long it is kept once ended; `None` is the namespace's rule.
    pub retention: Option<Delay>,
    /// Handed to the handler; at most 8 KiB in all.
    pub headers: BTreeMap<String, String>,
    /// Labels; at most 16, of up to 64 bytes.
    pub tags: Vec<String>,
    /// A key that at most one live job holds, and how long at most.
    pub unique: Option<(UniqueKey, Delay)>,
    /// What the key does when a second job names it.
    pub unique_mode: UniqueMode,
    /// How late it may start; `None` is the rule of its kind.
    pub lateness: Option<Lateness>,
    /// Runs at any time, whatever the delivery windows of its kind.
    pub any_window: bool,
    /// Moves its due time by a part of a span, so that many jobs do not run at once.
    pub spread: Option<Spread>,
    /// Jobs of a queue with the same concurrency key (a tenant, say) share the limit set for each concurrency key of that queue.
    pub concurrency_key: Option<ConcurrencyKey>,
    /// Overwrite a waiting job of the same id instead of leaving it as it is.
    pub replace: bool,
    /// Who enqueues it, for its history; `None` is the client.
    pub by: Option<String>,
    /// Whether it moves here from another shard, with its new subject; its history says so.
    pub(crate) moves: bool,
    /// Whether a person enqueues it, so that it stands in the audit.
    pub(crate) by_hand: bool,
    /// Beside a window of its key: for so long no other takes the key while this one waits or runs, though the window is over.
    pub(crate) alone: Option<Delay>,
}

impl NewJob {
    /// A job in the default queue, for now, with 25 attempts.
    #[must_use]
    pub fn new(kind: Kind, payload: impl Into<Vec<u8>>) -> Self {
        Self {
            id: None,
            queue: QueueName::default(),
            kind,
            subject: None,
            payload: payload.into(),
            due: Due::Now,
            priority: Priority::default(),
            max_attempts: Some(MAX_ATTEMPTS_DEFAULT),
            timeout: None,
            retention: None,
            headers: BTreeMap::new(),
            tags: Vec::new(),
            unique: None,
            unique_mode: UniqueMode::WhileLive,
            lateness: None,
            any_window: false,
            spread: None,
            concurrency_key: None,
            replace: false,
            by: None,
            moves: false,
            by_hand: false,
            alone: None,
        }
    }

    /// With its payload sealed: only programs that have the keys read it. A key that is made of the content,
    /// [`content_key`], is to be asked for before.
    ///
    /// # Errors
    /// Those of [`PayloadKeys::seal`].
    pub fn sealed(mut self, keys: &PayloadKeys) -> Result<Self> {
        self.payload = keys.seal(&self.kind, &self.payload)?;
        Ok(self)
    }

    /// Checks the limits that types do not carry.
    ///
    /// # Errors
    /// [`Error::PayloadTooLarge`] or [`Error::Invalid`] with the field.
    pub fn check(&self) -> Result<()> {
        if self.payload.len() > PAYLOAD_BYTES_MAX {
            return Err(Error::PayloadTooLarge { bytes: self.payload.len(), bytes_max: PAYLOAD_BYTES_MAX });
        }
        crate::redaction::refuse_marked(&self.payload)?;
        if self.max_attempts == Some(0) {
            return Err(Error::invalid(
                "max_attempts",
                "is at least 1; leave it out for 25, or choose unlimited",
            ));
        }
        if self.timeout.is_some_and(|timeout| timeout < TIMEOUT_MIN) {
            return Err(Error::invalid("timeout_ms", format!("is at least {} ms", TIMEOUT_MIN.as_millis())));
        }
        let header_bytes: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        if header_bytes > HEADERS_BYTES_MAX {
            return Err(Error::invalid(
                "headers",
                format!("have {header_bytes} bytes, at most {HEADERS_BYTES_MAX} are allowed"),
            ));
        }
        if self.tags.len() > TAGS_MAX {
            return Err(Error::invalid(
                "tags",
                format!("are {}, at most {TAGS_MAX} are allowed", self.tags.len()),
            ));
        }
        if let Some(tag) = self.tags.iter().find(|tag| Kind::new(tag.as_str()).is_err()) {
            let shown: String = tag.chars().take(20).collect();
            return Err(Error::invalid(
                "tags",
                format!("are 1 to 64 bytes of A-Z a-z 0-9 . _ -, and {shown:?} is not"),
            ));
        }
        if self.unique.as_ref().is_some_and(|(_, ttl)| *ttl == Delay::ZERO) {
            return Err(Error::invalid("unique", "needs a time to live of at least 1 ms"));
        }
        if self.unique.is_none() && self.unique_mode != UniqueMode::WhileLive {
            return Err(Error::invalid("unique", "names no key to throttle or debounce by"));
        }
        if self.replace && self.unique_mode != UniqueMode::WhileLive {
            return Err(Error::invalid("replace", "and throttle or debounce exclude each other"));
        }
        let delay = match self.due {
            Due::In(delay) => Some(delay),
            Due::Now | Due::At(_) => None,
        };
        let spans = [
            ("delay_ms", delay),
            ("timeout_ms", self.timeout),
            ("retention_ms", self.retention),
            ("unique.ttl_ms", self.unique.as_ref().map(|(_, ttl)| *ttl)),
            ("unique.max_wait_ms", self.max_wait()),
            ("lateness.most_ms", self.lateness.map(|lateness| lateness.most)),
            ("spread_ms", self.spread.map(Spread::span)),
        ];
        if let Some((field, _)) = spans.into_iter().find(|(_, span)| span.is_some_and(|span| span > SPAN_MAX))
        {
            return Err(Error::invalid(field, "is at most a thousand years"));
        }
        Ok(())
    }

    fn max_wait(&self) -> Option<Delay> {
        match self.unique_mode {
            UniqueMode::Debounce { max_wait } => max_wait,
            UniqueMode::WhileLive | UniqueMode::Throttle => None,
        }
    }

    /// The job with its id, a new one if the caller chose none, and at its place in its spread.
    pub(crate) fn with_id(mut self) -> (JobId, Self) {
        let id = self.id.clone().unwrap_or_else(new_id);
        if let Some(later) =
            self.spread.take().map(|spread| spread.of(&id)).filter(|later| *later > Delay::ZERO)
        {
            self.due = self.due.later(later);
        }
        (id, self)
    }
}

/// A time-ordered id, so that jobs of the same instant sort by arrival.
fn new_id() -> JobId {
    match JobId::new(Uuid::now_v7().to_string()) {
        Ok(id) => id,
        Err(_) => unreachable!("a UUID is 36 bytes of hexadecimal digits and hyphens"),
    }
}

/// What the callers of one process ask together.
#[derive(Debug, Clone)]
pub(crate) struct Gathers {
    /// One for each shard, so that nobody hears of another shard than that of its job, or waits for it.
    intake: Arc<[Gather<Intake>]>,
    /// One for each shard.
    call_off: Arc<[Gather<CallOff>]>,
}

impl Gathers {
    pub(crate) fn new(shards: &Shards) -> Self {
        let home = shards.first().connections().home();
        let call_off =
            shards.all().iter().map(|store| Gather::new(CallOff(store.clone()), home.clone())).collect();
        let intake = shards.all().iter().map(|_| Gather::new(Intake(shards.clone()), home.clone())).collect();
        Self { intake, call_off }
    }

    /// Those who have jobs taken in whose home that shard is.
    fn intake(&self, shard: Shard) -> &Gather<Intake> {
        self.intake.get(shard.index()).unwrap_or(&self.intake[0])
    }

    /// Calls a job of that shard off.
    pub(crate) async fn cancel(&self, shard: Shard, id: JobId, intent: Intent) -> Result<Cancelled> {
        match self.call_off.get(shard.index()) {
            Some(gather) => gather.send((id, intent)).await,
            None => Err(Error::NotFound { id }),
        }
    }
}

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

    /// The same, for whoever tells how far it came.
    ///
    /// # Errors
    /// Those of [`enqueue_batch`](Self::enqueue_batch), each with what became of the jobs of earlier steps.
    pub async fn enqueue_batch_in_part(&self, jobs: Vec<NewJob>) -> Result<Vec<Enqueued>, BrokenOff> {
        for job in &jobs {
            job.check()?;
        }
        let jobs: Vec<(JobId, NewJob)> = jobs.into_iter().map(NewJob::with_id).collect();
        self.shards.enqueue_in_part(ACTOR, &jobs).await
    }

    /// Calls a job off. Calls made at the same time go to Redis together.
    pub fn cancel(&self, id: &JobId) -> Act<verb::Cancel> {
        let together = verb::Cancel(Some(self.gathers.clone()));
        Act::new(self.shards.clone(), id.clone(), together, Intent::of(ACTOR))
    }

    /// Calls off every live job of a subject in one step.
    pub fn cancel_subject(&self, subject: &Subject) -> SubjectAct {
        SubjectAct::new(self.shards.clone(), subject.clone(), Intent::of(ACTOR))
    }

    /// Makes a plan: several jobs of one subject from one anchor, in one step.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::PayloadTooLarge`] and [`Error::PlanRefused`]: nothing was made.
    /// [`Error::Unavailable`]: nothing is known; repeat it, the plan's id makes that harmless.
    pub async fn make_plan(&self, plan: &NewPlan) -> Result<PlanAnswer> {
        plan.check()?;
        self.shards.plan(ACTOR, plan).await
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

    /// The same, for whoever tells how far it came.
    ///
    /// # Errors
    /// Those of [`make_batch`](Self::make_batch), each with what became of the jobs of earlier steps.
    pub async fn make_batch_in_part(&self, batch: &NewBatch) -> Result<BatchAnswer, BrokenOff> {
        crate::batch::make(&self.shards, ACTOR, batch).await
    }

    /// Acts on a batch: `client.batch(&id).add(jobs, BatchClose::Later).await`.
    #[must_use]
    pub fn batch(&self, id: &BatchId) -> BatchActs {
        BatchActs::new(self.shards.clone(), id.clone(), ACTOR.to_owned())
    }

    /// Acts on a plan as a whole: `client.plan(&id).reanchor(Due::In(Delay::days(30))).await`.
    #[must_use]
    pub fn plan(&self, id: &PlanId) -> PlanActs {
        PlanActs::new(self.shards.clone(), id.clone(), ACTOR.to_owned())
    }

    /// Gives a waiting job another due time.
    pub fn reschedule(&self, id: &JobId, due: Due) -> Act<verb::Reschedule> {
        Act::new(self.shards.clone(), id.clone(), verb::Reschedule(due), Intent::of(ACTOR))
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
        let (id, job) = self.job.with_id();
        let home = self.client.shards.home(&id, &job).shard();
        self.client.gathers.intake(home).send((id, job)).await
    }
}
