//! `enqueue`: jobs come in.

use super::{Store, script};
use crate::client::{Due, NewJob, SPAN_MAX};
use crate::codec;
use crate::error::{Error, Result};
use crate::model::{Enqueued, JobId};
use redis::ScriptInvocation;

impl Store {
    /// Takes jobs in, in one step: see `lua/enqueue.lua`. Every job must have its id; at most 500 a call.
    ///
    /// # Errors
    /// [`Error::StorageFull`] and [`Error::Unavailable`]: nothing was enqueued, or nothing is known.
    pub async fn enqueue(&self, actor: &str, jobs: &[(JobId, NewJob)]) -> Result<Vec<Enqueued>> {
        let mut call = self.call(&script::ENQUEUE);
        call.arg(actor);
        for (id, job) in jobs {
            add_job(&mut call, id, job)?;
        }
        self.grow(&call).await?.map(|item| answer(item.list()?)).collect()
    }
}

/// The 18 values of a job, in the order of `lua/lib/intake.lua`.
pub(super) fn add_job(call: &mut ScriptInvocation<'_>, id: &JobId, job: &NewJob) -> Result<()> {
    let number = |number: Option<i64>| number.map(|n| n.to_string()).unwrap_or_default();
    let json = |what: &'static str, text: serde_json::Result<String>| {
        text.map_err(|error| Error::invalid(what, format!("cannot be written as JSON: {error}")))
    };
    call.arg(id.as_str()).arg(job.queue.as_str()).arg(job.kind.as_str());
    call.arg(job.subject.as_ref().map_or("", |subject| subject.as_str()));
    call.arg(job.payload.as_slice()).arg(due_argument(job.due)).arg(job.priority.as_u8());
    call.arg(number(job.max_attempts.map(i64::from)));
    call.arg(number(job.timeout.map(|timeout| timeout.as_millis())));
    call.arg(number(job.retention.map(|retention| retention.as_millis())));
    call.arg(if job.headers.is_empty() {
        String::new()
    } else {
        json("headers", serde_json::to_string(&job.headers))?
    });
    call.arg(if job.tags.is_empty() {
        String::new()
    } else {
        json("tags", serde_json::to_string(&job.tags))?
    });
    call.arg(job.unique.as_ref().map_or("", |(key, _)| key.as_str()));
    call.arg(number(job.unique.as_ref().map(|(_, ttl)| ttl.as_millis())));
    call.arg(if job.replace { "replace" } else { "" }).arg(codec::preview(&job.payload));
    call.arg(job.by.as_deref().unwrap_or_default()).arg("");
    Ok(())
}

/// How scripts read a due time: "" is now, "+<ms>" from now, "<ms>" an instant.
pub(super) fn due_argument(due: Due) -> String {
    match due {
        Due::Now => String::new(),
        Due::At(time) => time.as_millis().to_string(),
        Due::In(delay) => format!("+{}", delay.min(SPAN_MAX).as_millis()),
    }
}

/// What became of one job, as `intake.take` says it.
pub(super) fn answer(mut reply: super::reply::Reply) -> Result<Enqueued> {
    let word = reply.text()?;
    Ok(match word.as_str() {
        "delayed" => Enqueued::Delayed(reply.standing()?),
        "ready" => Enqueued::Ready(reply.standing()?),
        "replaced" => Enqueued::Replaced(reply.standing()?),
        "exists" => Enqueued::Exists(reply.standing()?),
        "duplicate" => Enqueued::Duplicate { id: reply.parse("job id")?, holder: reply.parse("holder")? },
        "subject_full" => Enqueued::SubjectFull { id: reply.parse("job id")? },
        unknown => return Err(Error::codec(format!("enqueue replied with the unknown word {unknown:?}"))),
    })
}
