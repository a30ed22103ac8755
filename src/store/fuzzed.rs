//! Every reader of a reply, given the same one. For the fuzz targets.

use super::reply::Item;
use super::{
    acts, allowance, audit, batches, bulk, cron, events, intake, noted, people, plans, reads, scan, slow,
    work,
};
use crate::error::{Error, Result};
use crate::model::{
    BatchId, Cancelled, Event, JobId, JobRow, PersonInfo, PersonName, PlanId, Rescheduled, Shard,
};
use crate::store::codec;
use redis::{FromRedisValue as _, RedisError, Value};

/// What the readers made of one reply.
#[derive(Debug, Default)]
pub struct Readings {
    /// Why readers took it for damage or for a refusal.
    pub errors: Vec<Error>,
    /// Jobs that were read out of it, as screens get them.
    pub rows: Vec<JobRow>,
    /// Events that were read out of it.
    pub events: Vec<Event>,
    /// How many readers took it.
    pub taken: usize,
}

impl Readings {
    fn note<T>(&mut self, read: Result<T>) -> Option<T> {
        match read {
            Ok(value) => {
                self.taken += 1;
                Some(value)
            }
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    /// Readers of what scripts answer.
    fn script(&mut self, item: &Item) -> Result<()> {
        let reply = || item.clone().list();
        let (job, batch, plan): (JobId, BatchId, PlanId) =
            (JobId::new("a")?, BatchId::new("a")?, PlanId::new("a")?);
        self.note(acts::outcome(&job, reply()?, Cancelled::from_word));
        self.note(acts::outcome(&job, reply()?, Rescheduled::from_word));
        self.note(acts::subject_job(reply()?));
        self.note(intake::answer(reply()?));
        self.note(batches::answer(&batch, reply()?));
        if let Some(batch) = self.note(batches::batch(reply()?)) {
            self.rows.extend(batch.completion_job);
        }
        self.note(bulk::BulkWord::read(reply()?));
        self.note(cron::changed(reply()?));
        self.note(cron::due_entry(reply()?));
        self.note(plans::answer(&plan, reply()?));
        if let Some(plan) = self.note(plans::plan(reply()?)) {
            self.rows.extend(plan.steps.into_iter().filter_map(|step| step.job));
        }
        self.note(reads::glance(reply()?));
        if let Some(step) = self.note(scan::step(reply()?)) {
            self.rows.extend(step.found.into_iter().filter_map(|(_, candidate)| Some(candidate?.row)));
        }
        self.note(allowance::wait(reply()?));
        self.rows.extend(codec::row(reply()?));
        let mut head = reply()?;
        if let Some(work::Head { lease_until, .. }) = self.note(work::head(&mut head)) {
            self.taken += work::claimed_jobs(Shard::FIRST, head, lease_until).len();
        }
        Ok(())
    }

    /// Readers of what plain commands answer.
    fn command(&mut self, value: &Value) {
        if let Ok(entry) = events::Entry::from_redis_value(value.clone()) {
            self.events.extend(entry.read(Shard::FIRST).into_iter().flat_map(|(_, events)| events));
        }
        if let Ok(entry) = audit::Raw::from_redis_value(value.clone()) {
            self.note(entry.read(0));
            self.taken += noted::acts_of(&entry).len();
        }
        self.taken += usize::from(slow::slow_call(value.clone()).is_some());
    }
}

/// Gives what a Redis sent to every reader there is; `None` when it is no reply at all.
#[must_use]
pub fn read_reply(sent: &[u8]) -> Option<Readings> {
    let value = redis::parse_redis_value(sent).ok()?;
    let mut readings = Readings::default();
    if let Value::ServerError(refusal) = value.clone() {
        readings.errors.push(RedisError::from(refusal).into());
    }
    readings.command(&value);
    if let Ok(item) = Item::from_redis_value(value) {
        let read = readings.script(&item);
        readings.note(read);
    }
    Some(readings)
}

/// Somebody as `lua/functions/people/put_person.lua` keeps them.
///
/// # Errors
/// [`Error::Codec`] when it does not read.
pub fn read_person(name: PersonName, kept: &str) -> Result<PersonInfo> {
    people::read_kept(&name, kept)?.info(name)
}
