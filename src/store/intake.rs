//! `enqueue`: jobs come in.

use super::call::Call;
use super::{Store, script};
use crate::constants::MAX_ATTEMPTS_DEFAULT;
use crate::constraints::Constraints;
use crate::error::{Error, Result};
use crate::identity::UniqueMode;
use crate::model::{Enqueued, JobId, JobState, Priority, Standing, Version};
use crate::new_job::{Due, NewJob, SPAN_MAX};
use std::collections::BTreeMap;

impl Store {
    /// Takes jobs in, in one step: see `lua/functions/jobs/enqueue.lua`. Every job must have its id; at most 100 a call.
    ///
    /// # Errors
    /// [`Error::StorageFull`] and [`Error::Unavailable`]: nothing was enqueued, or nothing is known.
    pub async fn enqueue<'a>(
        &self,
        actor: &str,
        jobs: impl IntoIterator<Item = &'a (JobId, NewJob)>,
    ) -> Result<Vec<Enqueued>> {
        let mut call = self.call(&script::ENQUEUE);
        call.arg(actor);
        let mut are_ids_ours = true;
        for (id, job) in jobs {
            are_ids_ours &= job.id.is_none();
            add_job(&mut call, id, job)?;
        }
        // Nobody else can have made a job of such an id.
        if are_ids_ours {
            call.answers_once();
        }
        self.grow(&call).await?.map(|item| answer(item.list()?)).collect()
    }

    /// Has new jobs of this shard begin above a version: see `lua/functions/jobs/begin_above.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub async fn begin_above(&self, version: Version) -> Result<()> {
        let mut call = self.call(&script::BEGIN_ABOVE);
        call.arg(version.0);
        self.grow(&call).await.map(drop)
    }
}

/// The values of a job, in the order of `lua/core/intake.lua`.
pub(super) fn add_job(call: &mut Call, id: &JobId, job: &NewJob) -> Result<()> {
    add_job_under(call, id, job, &Constraints::of(job))
}

/// The same, for a job that is part of something.
pub(super) fn add_job_under(
    call: &mut Call,
    id: &JobId,
    job: &NewJob,
    constraints: &Constraints,
) -> Result<()> {
    call.arg(id.as_str()).arg(job.queue.as_str()).arg(job.kind.as_str());
    call.arg(job.subject.as_ref().map_or("", |subject| subject.as_str()));
    call.arg(job.payload.as_slice()).arg(due_argument(job.due)).arg(options(job, constraints)?);
    Ok(())
}

/// What a job has beyond the ordinary, as JSON; empty for most.
fn options(job: &NewJob, constraints: &Constraints) -> Result<String> {
    let json = |what: &'static str, text: serde_json::Result<String>| {
        text.map_err(|error| Error::invalid(what, format!("cannot be written as JSON: {error}")))
    };
    let mut options: BTreeMap<&str, String> = BTreeMap::new();
    if job.priority != Priority::default() {
        options.insert("priority", job.priority.as_u8().to_string());
    }
    if job.max_attempts != Some(MAX_ATTEMPTS_DEFAULT) {
        options.insert("max_attempts", job.max_attempts.unwrap_or(0).to_string());
    }
    let spans = [("timeout_ms", job.timeout), ("retention_ms", job.retention)];
    for (name, span) in spans {
        options.extend(span.map(|span| (name, span.as_millis().to_string())));
    }
    if !job.headers.is_empty() {
        options.insert("headers", json("headers", serde_json::to_string(&job.headers))?);
    }
    if !job.tags.is_empty() {
        options.insert("tags", json("tags", serde_json::to_string(&job.tags))?);
    }
    if let Some((key, ttl)) = &job.unique {
        let throttles = job.unique_mode == UniqueMode::Throttle;
        let (name, ttl_name) =
            if throttles { ("throttle_key", "throttle_ms") } else { ("unique_key", "unique_ttl_ms") };
        options.insert(name, key.as_str().to_owned());
        options.insert(ttl_name, ttl.as_millis().to_string());
        if let Some(alone) = job.alone.filter(|_| throttles) {
            options.insert("unique_key", key.as_str().to_owned());
            options.insert("unique_ttl_ms", alone.as_millis().to_string());
        }
        if let UniqueMode::Debounce { max_wait } = job.unique_mode {
            options
                .insert("debounce_ms", max_wait.map(|wait| wait.as_millis().to_string()).unwrap_or_default());
        }
    }
    options.extend(
        job.concurrency_key
            .as_ref()
            .map(|concurrency_key| ("concurrency_key", concurrency_key.as_str().to_owned())),
    );
    if job.replace {
        options.insert("replace", "replace".to_owned());
    }
    options.extend(job.by.as_ref().map(|by| ("by", by.clone())));
    if job.by_hand {
        options.insert("by_hand", "by_hand".to_owned());
    }
    if !constraints.is_none() {
        options.insert("constraints", json("constraints", serde_json::to_string(constraints))?);
    }
    if options.is_empty() {
        return Ok(String::new());
    }
    json("options", serde_json::to_string(&options))
}

/// How scripts read a due time: `""` is now, `"+<ms>"` from now, `"<ms>"` an instant.
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
        "delayed" => Enqueued::Delayed(newcomer(&mut reply, JobState::Delayed)?),
        "ready" => Enqueued::Ready(newcomer(&mut reply, JobState::Ready)?),
        "replaced" => Enqueued::Replaced(reply.standing()?),
        "debounced" => Enqueued::Debounced(reply.standing()?),
        "exists" => Enqueued::Exists(reply.standing()?),
        "duplicate" => Enqueued::Duplicate { id: reply.parse("job id")?, holder: reply.parse("holder")? },
        "subject_full" => Enqueued::SubjectFull { id: reply.parse("job id")? },
        unknown => return Err(super::unknown_word("enqueue", unknown)),
    })
}

/// Where a new job stands: id, due time, now and version.
fn newcomer(reply: &mut super::reply::Reply, state: JobState) -> Result<Standing> {
    let (id, due, now) = (reply.parse("job id")?, reply.time("due time")?, reply.time("now")?);
    Ok(Standing::new(id, state, Version(reply.parse("version")?), due, now))
}
