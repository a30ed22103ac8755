//! Batches: made, grown, closed, called off, read.

use super::call::Call;
use super::intake::{self, add_job_under};
use super::intent::Intent;
use super::journal::{self, Acted};
use super::reply::{Item, Reply};
use super::shards::joined;
use super::{Shards, Store, script};
use crate::constraints::Constraints;
use crate::error::{Error, Result};
use crate::model::{
    BatchAnswer, BatchId, BatchRule, BatchWord, Enqueued, JobBatch, JobId, Shard, Standing, Unmet,
};
use crate::new_batch::{BatchClose, NewBatch};
use crate::new_job::NewJob;
use crate::store::codec;
use futures_util::future::join_all;

/// Live jobs that one call of a script calls off; as many as a forward moves in a millisecond or two.
const CANCEL_STEP: u32 = 200;

impl Store {
    /// Makes a batch with the first of its jobs: see `lua/functions/batches/batch_make.lua`. All must have been checked.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the completion cannot be taken in, or the batch is full: nothing changed.
    pub(crate) async fn batch_make(
        &self,
        actor: &str,
        batch: &NewBatch,
        jobs: &[(JobId, NewJob)],
        close: BatchClose,
    ) -> Result<BatchAnswer> {
        let mut call = self.call(&script::BATCH_MAKE);
        call.arg(actor).arg(batch.id.as_str()).arg(batch.name.as_ref().map_or("", |name| name.as_str()));
        call.arg(batch.rule.as_str()).arg(close.argument());
        let mut completion = batch.completion.clone();
        completion.id = Some(batch.completion_id()?);
        let (completes, completion) = completion.with_id(1);
        let mut constraints = Constraints::of(&completion);
        constraints.completes = Some(batch.id.to_string());
        constraints.unmet = (batch.unmet == Unmet::Hold).then(|| batch.unmet.as_str().to_owned());
        add_job_under(&mut call, &completes, &completion, &constraints)?;
        add_members(&mut call, &batch.id, jobs)?;
        answer(&batch.id, self.grow(&call).await?)
    }

    /// Adds jobs to an open batch: see `lua/functions/batches/batch_add.lua`. All must have been checked.
    ///
    /// # Errors
    /// [`Error::NoBatch`]; [`Error::Invalid`] when it is full: nothing changed.
    pub(crate) async fn batch_add(
        &self,
        actor: &str,
        id: &BatchId,
        jobs: &[(JobId, NewJob)],
        close: BatchClose,
    ) -> Result<BatchAnswer> {
        let mut call = self.call(&script::BATCH_ADD);
        call.arg(actor).arg(id.as_str()).arg(close.argument());
        add_members(&mut call, id, jobs)?;
        answer(id, self.grow(&call).await?)
    }

    /// Closes a batch: see `lua/functions/batches/batch_close.lua`.
    ///
    /// # Errors
    /// [`Error::NoBatch`].
    pub(crate) async fn batch_close(&self, id: &BatchId, intent: &Intent) -> Result<BatchAnswer> {
        let mut call = self.call(&script::BATCH_CLOSE);
        call.arg(id.as_str()).arg(&intent.actor).arg(&intent.why).operation(&intent.operation);
        answer(id, self.grow(&call).await?)
    }

    /// Closes a batch and calls off what is live in it, in steps: see `lua/functions/batches/batch_cancel.lua`. Cut off in between, it
    /// is closed and some are called off; repeat it. The audit has one entry of it, unless nothing was left to do.
    ///
    /// # Errors
    /// [`Error::NoBatch`].
    pub(crate) async fn batch_cancel(&self, id: &BatchId, intent: &Intent) -> Result<BatchAnswer> {
        let (mut last, mut written) = (String::new(), false);
        loop {
            let mut call = self.call(&script::BATCH_CANCEL);
            call.arg(id.as_str()).arg(&intent.actor).arg(&intent.why).arg(&last).arg(CANCEL_STEP);
            call.operation(&intent.operation).arg(if written { "1" } else { "" });
            let mut reply = self.drain(&call).await?;
            let told = head(id, &mut reply)?;
            let looked_at: u32 = reply.parse("looked at")?;
            last = reply.text()?;
            written = reply.parse::<u8>("written")? == 1;
            let called_off = |_: &str, _: &Standing| Some(Acted::Cancelled);
            self.acknowledge_many(&journal::told(reply, called_off)?, intent);
            // A closed batch does not grow, so this ends.
            if looked_at < CANCEL_STEP {
                return Ok(told);
            }
        }
    }

    /// One batch, or the latest, with the ids of some of its jobs: see `lua/functions/read/batches.lua`.
    ///
    /// # Errors
    /// [`Error::Codec`] for a record that does not read.
    pub(crate) async fn batches(&self, id: Option<&BatchId>, most: u32, named: u32) -> Result<Vec<JobBatch>> {
        let mut call = self.call(&script::BATCHES);
        call.arg(id.map_or("", |id| id.as_str())).arg(most).arg(named);
        let mut reply = self.read(&call).await?;
        reply.time("now")?;
        reply.map(|item| batch(item.list()?)).collect()
    }
}

impl Shards {
    /// The shard of a batch: that of the subject of its completion, or of its id.
    fn of_batch(&self, batch: &NewBatch) -> &Store {
        let subject = batch.completion.subject.as_ref().map(|subject| subject.as_str());
        self.shard(Shard::home(subject, None, batch.id.as_str(), self.count()))
    }

    /// Makes a batch with the first of its jobs in one step. One whose id is taken in another shard `exists` there.
    ///
    /// # Errors
    /// As [`Store::batch_make`]; [`Error::Invalid`] for a job whose subject or key belongs to another shard.
    pub(crate) async fn batch_make(
        &self,
        actor: &str,
        batch: &NewBatch,
        jobs: &[(JobId, NewJob)],
        close: BatchClose,
    ) -> Result<BatchAnswer> {
        let home = self.holder_of_batch(&batch.id).await?.unwrap_or_else(|| self.of_batch(batch));
        self.check_members(home, jobs, Some(&batch.completion_id()?)).await?;
        home.batch_make(actor, batch, jobs, close).await
    }

    /// Adds jobs to a batch in whichever shard it is.
    ///
    /// # Errors
    /// As [`Store::batch_add`]; [`Error::Invalid`] for a job whose subject or key belongs to another shard.
    pub(crate) async fn batch_add(
        &self,
        actor: &str,
        id: &BatchId,
        jobs: &[(JobId, NewJob)],
        close: BatchClose,
    ) -> Result<BatchAnswer> {
        let missing = || Error::NoBatch { id: id.clone() };
        let home = self.holder_of_batch(id).await?.ok_or_else(missing)?;
        self.check_members(home, jobs, None).await?;
        home.batch_add(actor, id, jobs, close).await
    }

    /// Closes a batch, or calls it off, in whichever shard it is.
    ///
    /// # Errors
    /// [`Error::NoBatch`].
    pub(crate) async fn batch_end(&self, id: &BatchId, intent: &Intent, cancel: bool) -> Result<BatchAnswer> {
        let tries = self.all().iter().map(|store| async move {
            if cancel { store.batch_cancel(id, intent).await } else { store.batch_close(id, intent).await }
        });
        joined(join_all(tries).await, |error| matches!(error, Error::NoBatch { .. }))
    }

    async fn holder_of_batch(&self, id: &BatchId) -> Result<Option<&Store>> {
        if let [only] = self.all() {
            return Ok(Some(only));
        }
        let found = self.each(|store| store.batches(Some(id), 1, 0)).await?;
        Ok(self.all().iter().zip(found).find(|(_, batches)| !batches.is_empty()).map(|(store, _)| store))
    }

    /// All jobs of a batch are counted in one shard, and the id of none is taken in another; nor is that of its completion,
    /// where it is to be made.
    async fn check_members(
        &self,
        home: &Store,
        jobs: &[(JobId, NewJob)],
        completion: Option<&JobId>,
    ) -> Result<()> {
        let elsewhere = jobs.iter().find(|(id, job)| {
            (job.subject.is_some() || job.unique.is_some()) && self.home(id, job).shard() != home.shard()
        });
        if let Some((id, _)) = elsewhere {
            let why = format!(
                "of {:?} belongs to another shard than the batch: with several shards, its jobs have the subject of its \
                 completion, or neither subject nor unique key",
                id.as_str()
            );
            return Err(Error::invalid("subject", why));
        }
        let chosen = jobs.iter().filter(|(_, job)| job.id.is_some()).map(|(id, _)| id);
        let found = self.holders(&chosen.chain(completion).collect::<Vec<_>>()).await?;
        match found.elsewhere(home.shard()) {
            Some(id) => {
                Err(Error::invalid("id", format!("{:?} is that of a job in another shard", id.as_str())))
            }
            None => found.prepare(home).await,
        }
    }
}

fn add_members(call: &mut Call, batch: &BatchId, jobs: &[(JobId, NewJob)]) -> Result<()> {
    for (id, job) in jobs {
        let constraints = Constraints { batch: Some(batch.to_string()), ..Constraints::of(job) };
        add_job_under(call, id, job, &constraints)?;
    }
    Ok(())
}

/// The head of a reply.
fn head(id: &BatchId, reply: &mut Reply) -> Result<BatchAnswer> {
    let word = reply.text()?;
    match word.as_str() {
        "missing" => return Err(Error::NoBatch { id: id.clone() }),
        "taken" => {
            let why = format!("would need the job id {:?}, which is taken", reply.text()?);
            return Err(Error::invalid("id", why));
        }
        "subject_full" => {
            return Err(Error::invalid(
                "completion",
                "is of a subject with 1,000 live jobs, which is the most",
            ));
        }
        "full" => {
            let why = format!("are more than the {} a batch may have", reply.text()?);
            return Err(Error::invalid("jobs", why));
        }
        _ => {}
    }
    let outcome: BatchWord = word.parse().map_err(|_| super::unknown_word("a batch", &word))?;
    let (batch, closed) = (reply.parse("batch")?, reply.optional_time("closed")?);
    let mut count = || reply.parse("count");
    let [total, live, done, dead, cancelled] = [count()?, count()?, count()?, count()?, count()?];
    let at = reply.time("now")?;
    Ok(BatchAnswer { outcome, batch, closed, total, live, done, dead, cancelled, at, jobs: Vec::new() })
}

pub(super) fn answer(id: &BatchId, mut reply: Reply) -> Result<BatchAnswer> {
    let mut answer = head(id, &mut reply)?;
    answer.jobs = reply.map(|item| intake::answer(item.list()?)).collect::<Result<Vec<Enqueued>>>()?;
    Ok(answer)
}

pub(super) fn batch(mut reply: Reply) -> Result<JobBatch> {
    let (id, name) = (reply.parse("batch")?, reply.optional("name")?);
    let rule: BatchRule = reply.parse("rule")?;
    let completion = reply.parse("completion")?;
    let mut batch = JobBatch::new(id, completion, reply.time("created")?);
    (batch.name, batch.rule, batch.created_by) = (name, rule, reply.text()?);
    batch.closed = reply.optional_time("closed")?;
    for count in [&mut batch.total, &mut batch.live, &mut batch.done, &mut batch.dead, &mut batch.cancelled] {
        *count = reply.optional("count")?.unwrap_or_default();
    }
    batch.live_jobs = ids(reply.next())?;
    batch.unmet_jobs = ids(reply.next())?;
    batch.completion_job = reply.next().map(Item::list).transpose()?.and_then(codec::row);
    Ok(batch)
}

fn ids(item: Option<Item>) -> Result<Vec<JobId>> {
    let list = item.map(Item::list).transpose()?;
    list.into_iter().flatten().map(|item| Ok(JobId::new(item.text()?)?)).collect()
}
