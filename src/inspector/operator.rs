//! What a person does to jobs and queues.

use crate::acts::{Act, JobsActs, SubjectAct, verb};
use crate::error::{Error, Result};
use crate::model::{Enqueued, JobId, QueueLimits, QueueName, Settings, Subject, Version};
use crate::new_job::{Due, NewJob};
use crate::redaction::Sight;
use crate::settings::KnownSettings;
use crate::store::{Intent, Shards};
use std::sync::Arc;

/// Acts in somebody's name. Every act is an event of the job and an audit entry, written with the change.
///
/// Verbs are awaited: `operator.cancel(&id).seen(version).because("renewed").await`.
#[derive(Debug, Clone)]
pub struct Operator {
    shards: Shards,
    actor: String,
    is_person: bool,
    /// Empty for none.
    pub(super) operation: String,
    pub(super) settings: KnownSettings,
    /// The settings this person has read; `None` when they change them unseen.
    pub(super) seen_settings: Option<Arc<Settings>>,
}

impl Operator {
    pub(crate) const fn new(shards: Shards, actor: String, settings: KnownSettings) -> Self {
        Self { shards, actor, is_person: false, operation: String::new(), settings, seen_settings: None }
    }

    /// The same as somebody who signed in: what goes on after the call, a bulk run, ends
    /// when they may no longer do it.
    #[must_use]
    pub const fn signed_in(mut self) -> Self {
        self.is_person = true;
        self
    }

    /// The same under an operation id, at most 128 bytes: a repeat of a call under it gets the first answer and changes nothing
    /// more. It is for what is done to queues, limits, rules, settings, retention and a halt; the acts on jobs, plans and
    /// schedules take one themselves.
    #[must_use]
    pub fn operation(mut self, id: impl Into<String>) -> Self {
        self.operation = id.into();
        self
    }

    /// The same for somebody who may see no more than that of any job: their bulk runs find jobs by what they may see.
    #[must_use]
    pub fn seen_with(mut self, sight: Sight) -> Self {
        self.settings = self.settings.seen_with(sight);
        self
    }

    pub(super) const fn is_person(&self) -> bool {
        self.is_person
    }

    pub(super) const fn shards(&self) -> &Shards {
        &self.shards
    }

    pub(super) fn actor(&self) -> &str {
        &self.actor
    }

    fn act<V>(&self, id: &JobId, verb: V) -> Act<V> {
        Act::new(self.shards.clone(), id.clone(), verb, Intent::of(&self.actor))
    }

    /// Calls a job off.
    pub fn cancel(&self, id: &JobId) -> Act<verb::Cancel> {
        self.act(id, verb::Cancel(None))
    }

    /// Calls off every live job of a subject in one step.
    pub fn cancel_subject(&self, subject: &Subject) -> SubjectAct {
        SubjectAct::new(self.shards.clone(), subject.clone(), Intent::of(&self.actor))
    }

    /// Acts on some jobs of a subject, at the versions that were seen: on all of them in one step.
    pub fn jobs_of(&self, subject: &Subject, jobs: impl IntoIterator<Item = (JobId, Version)>) -> JobsActs {
        JobsActs::new(self.shards.clone(), subject.clone(), jobs, self.actor.clone())
    }

    /// Puts a cancelled job back at its original due time.
    pub fn reinstate(&self, id: &JobId) -> Act<verb::Reinstate> {
        self.act(id, verb::Reinstate(None))
    }

    /// Makes a waiting, dead or cancelled job ready at once.
    pub fn retry_now(&self, id: &JobId) -> Act<verb::RetryNow> {
        self.act(id, verb::RetryNow)
    }

    /// Gives a waiting job another due time.
    pub fn reschedule(&self, id: &JobId, due: Due) -> Act<verb::Reschedule> {
        self.act(id, verb::Reschedule(due))
    }

    /// Keeps a delayed job from running.
    pub fn hold(&self, id: &JobId) -> Act<verb::Hold> {
        self.act(id, verb::Hold)
    }

    /// Lets a held job run again at its due time.
    pub fn unhold(&self, id: &JobId) -> Act<verb::Unhold> {
        self.act(id, verb::Unhold)
    }

    /// Removes a job that has ended, before its retention is over. [`Error::SecondPerson`](crate::Error::SecondPerson)
    /// where deleting needs two people: they do it by a bulk run.
    pub fn purge(&self, id: &JobId) -> Act<verb::Purge> {
        self.act(id, verb::Purge(self.settings.clone()))
    }

    /// Gives a job that is not under way another payload, at most 256 KiB.
    pub fn edit(&self, id: &JobId, payload: impl Into<Vec<u8>>) -> Act<verb::Edit> {
        self.act(id, verb::Edit(payload.into()))
    }

    /// Enqueues a job by hand. Unlike those of services it stands in the audit, written in the step that takes it in: there is
    /// no entry when its id or its unique key is taken.
    ///
    /// # Errors
    /// [`Error::PayloadTooLarge`] and [`Error::Invalid`]: nothing was sent. [`Error::StorageFull`]: nothing was enqueued.
    /// [`Error::Unavailable`]: nothing is known; with an id of your own, repeat it.
    pub async fn enqueue(&self, mut job: NewJob) -> Result<Enqueued> {
        job.check()?;
        (job.by, job.by_hand) = (None, true);
        let answer = self.shards.enqueue(&self.actor, &[job.with_id(self.shards.count())]).await?.pop();
        answer.ok_or_else(|| Error::codec("enqueue did not answer"))
    }

    /// A new job that is to do what that one does, with all of its payload, whatever is hidden of it; `None` when there is
    /// none. Its id, its unique key and its due time are its own.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable); [`Error::Codec`](crate::Error::Codec) when its record does not read.
    pub async fn copy_of(&self, id: &JobId) -> Result<Option<NewJob>> {
        let Some((job, ..)) = self.shards.job(id).await? else { return Ok(None) };
        let mut copy = NewJob::new(job.kind, job.payload);
        copy.queue = job.queue;
        copy.subject = job.subject;
        copy.priority = job.priority;
        copy.max_attempts = job.max_attempts;
        copy.timeout = job.timeout;
        copy.retention = job.retention;
        copy.headers = job.headers;
        copy.tags = job.tags;
        copy.concurrency_key = job.concurrency_key;
        Ok(Some(copy))
    }

    /// Sets the limits of a queue over all processes, in place of those it had; the default removes them. `false` when
    /// it has them already. They hold for what is claimed from then on.
    ///
    /// With several shards each gets its share of the concurrency and of the rate, at least 1; the limit of a concurrency key
    /// holds in each shard, and jobs of one subject share a shard.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) names a limit that makes no sense. [`Error::Unavailable`](crate::Error::Unavailable):
    /// some shards may have them and others not; repeat it.
    pub async fn limit(&self, queue: &QueueName, limits: QueueLimits, why: &str) -> Result<bool> {
        self.limit_shards(queue, limits, &[], why).await
    }

    /// The same for a caller that has seen these limits: refused when it has others by now, so that nobody overwrites what
    /// they have not read.
    ///
    /// # Errors
    /// As for [`limit`](Self::limit), and [`Error::SettingChanged`](crate::Error::SettingChanged): look again.
    pub async fn limit_having_seen(
        &self,
        queue: &QueueName,
        limits: QueueLimits,
        seen: QueueLimits,
        why: &str,
    ) -> Result<bool> {
        crate::store::limits::check(&limits)?;
        let (whole, there) = self.shards.limits(queue).await?;
        // Each shard has at least 1, so that what they have together may be more than what was set.
        let are_shares_of = |of: &QueueLimits| {
            let share = |shard| crate::store::limits::share(of, shard, there.len());
            there.iter().enumerate().all(|(shard, there)| *there == share(shard))
        };
        // A repeat under an operation id gets the first answer.
        let is_so = are_shares_of(&limits);
        if is_so && self.operation.is_empty() {
            return Ok(false);
        }
        if !is_so && whole != seen && !are_shares_of(&seen) {
            return Err(crate::store::limits::CHANGED);
        }
        self.limit_shards(queue, limits, &there, why).await
    }

    /// Gives each shard its share, where it still has what was `seen` there; nothing seen is for any.
    async fn limit_shards(
        &self,
        queue: &QueueName,
        limits: QueueLimits,
        seen: &[QueueLimits],
        why: &str,
    ) -> Result<bool> {
        crate::store::limits::check(&limits)?;
        let (intent, shards) = (self.because(why), self.shards.all().len());
        let mut changed = false;
        for (shard, store) in self.shards.all().iter().enumerate() {
            let share = crate::store::limits::share(&limits, shard, shards);
            // One entry of the audit tells of all shards: that of the first in which something changed.
            changed |= store.limit_to(queue, &intent, &share, &limits, changed, seen.get(shard)).await?;
        }
        Ok(changed)
    }

    /// Ends a halt of the namespace: jobs start again, by Redis's clock and data as they are. `false` when there
    /// was none.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): with several shards some may go on and others not; repeat it.
    pub async fn clear_halt(&self, why: &str) -> Result<bool> {
        let intent = self.because(why);
        let changed = self.shards.each(|store| store.clear_halt(None, &intent)).await?;
        Ok(changed.contains(&true))
    }

    /// Stops claims from a queue; `false` when it was paused already.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): with several shards some may be paused and others not; repeat
    /// it until it answers, which does no harm where it was done.
    pub async fn pause(&self, queue: &QueueName, why: &str) -> Result<bool> {
        let intent = self.because(why);
        let changed = self.shards.each(|store| store.pause(queue, &intent)).await?;
        Ok(changed.contains(&true))
    }

    /// Lets a paused queue be claimed from again; `false` when it was not paused.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): as for [`pause`](Self::pause).
    pub async fn resume(&self, queue: &QueueName, why: &str) -> Result<bool> {
        let intent = self.because(why);
        let changed = self.shards.each(|store| store.resume(queue, &intent)).await?;
        Ok(changed.contains(&true))
    }

    pub(super) fn because(&self, why: &str) -> Intent {
        let mut intent = Intent::of(&self.actor);
        why.clone_into(&mut intent.why);
        intent.operation.clone_from(&self.operation);
        intent
    }
}
