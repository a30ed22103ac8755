//! The jobs of an entry.

use super::CronSchedule;
use crate::error::Result;
use crate::model::{CronEntry, JobId, Overlap, Timestamp, UniqueKey};
use crate::new_job::{Due, NewJob, SPAN_MAX};
use uuid::Uuid;

/// Who enqueued the job of a tick, in its history.
const ACTOR: &str = "cron";

/// Reads the schedule of an entry and checks the job it would enqueue.
///
/// # Errors
/// [`Error::Invalid`](crate::Error::Invalid) and [`Error::PayloadTooLarge`](crate::Error::PayloadTooLarge) with what is wrong.
pub(crate) fn check(entry: &CronEntry) -> Result<CronSchedule> {
    let schedule = CronSchedule::parse(&entry.schedule, &entry.zone)?;
    job(entry, Due::Now)?.check()?;
    Ok(schedule)
}

impl CronSchedule {
    /// The schedule of an entry, once the job that it would enqueue is checked, too: what is refused here is refused
    /// when the entry is put or declared.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) and [`Error::PayloadTooLarge`](crate::Error::PayloadTooLarge) with what is wrong.
    pub fn of(entry: &CronEntry) -> Result<Self> {
        check(entry)
    }
}

/// The job of a tick. Its id follows from the entry and the tick, so that it is enqueued once.
///
/// # Errors
/// None in practice: a name and a number make an id.
pub(crate) fn job_at(entry: &CronEntry, tick: Timestamp) -> Result<(JobId, NewJob)> {
    let id = JobId::new(format!("cron:{}:{}", entry.name, tick.as_millis()))?;
    Ok((id, job(entry, Due::At(tick))?))
}

/// A job out of turn, for a person.
///
/// # Errors
/// None in practice: a name and a UUID make an id.
pub(crate) fn job_now(entry: &CronEntry, by: &str) -> Result<(JobId, NewJob)> {
    let id = JobId::new(format!("cron:{}:{}", entry.name, Uuid::now_v7()))?;
    let mut job = job(entry, Due::Now)?;
    job.by = Some(by.to_owned());
    Ok((id, job))
}

fn job(entry: &CronEntry, due: Due) -> Result<NewJob> {
    let mut job = NewJob::new(entry.kind.clone(), entry.payload.clone());
    job.queue = entry.queue.clone();
    job.subject = entry.subject.clone();
    job.due = due;
    job.priority = entry.priority;
    job.max_attempts = entry.max_attempts;
    job.timeout = entry.timeout;
    job.retention = entry.retention;
    job.headers = entry.headers.clone();
    job.tags = entry.tags.clone();
    job.by = Some(ACTOR.to_owned());
    if entry.overlap == Overlap::Skip {
        // Held for as long as the job lives, and taken back by whatever brings it to life again: no two of the entry live.
        job.unique = Some((UniqueKey::new(format!("cron:{}", entry.name))?, SPAN_MAX));
    }
    Ok(job)
}
