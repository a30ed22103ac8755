//! Bulk runs: opened, frozen, started, taken further step by step, read.

use super::journal::{self, Acted};
use super::reply::{Item, Reply};
use super::{Intent, Store, script};
use crate::error::{Error, Result};
use crate::model::{BulkOutcome, BulkRun, BulkState, BulkVerb, JobId, QueueName, RunId, Standing, Timestamp};
use crate::store::codec;
use redis::{Cmd, Pipeline};
use std::collections::{BTreeMap, HashMap};

/// Runs looked at for those that wait for a second person: more are not kept, see `lua/functions/bulk/bulk_open.lua`.
const WAITING_MAX: isize = 500;

/// What became of a verb on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BulkWord {
    /// So it is now.
    Now(BulkState),
    /// It is in that state, which does not allow it. Nothing changed.
    Refused(BulkState),
    /// It needs two people who signed in, and this is none of them or the first once more. Nothing changed.
    Alone,
    /// There is a run of that id already.
    Exists,
    /// There is no such run, or not any more.
    Missing,
}

/// A run as a shard knows it.
#[derive(Debug, Clone)]
pub(crate) struct NamedRun {
    pub(crate) run: RunId,
    /// When it was made there, in milliseconds.
    pub(crate) made_ms: u64,
    /// The queues it is bound to; empty for all.
    pub(crate) only_in: Vec<QueueName>,
}

/// What one step of a run did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BulkStep {
    /// How the run stands now.
    pub state: BulkState,
    /// Jobs that got their outcome in this step.
    pub reached: u64,
    /// Jobs without one.
    pub left: u64,
}

impl BulkWord {
    pub(super) fn read(mut reply: Reply) -> Result<Self> {
        let word = reply.text()?;
        Ok(match word.as_str() {
            "missing" => Self::Missing,
            "exists" => Self::Exists,
            "alone" => Self::Alone,
            "opened" => Self::Now(BulkState::Collecting),
            "refused" => Self::Refused(state(&reply.text()?)?),
            _ => Self::Now(state(&word)?),
        })
    }
}

fn state(word: &str) -> Result<BulkState> {
    word.parse().map_err(|_| Error::codec(format!("a bulk run is in the unknown state {word:?}")))
}

/// What a verb with that outcome has done to a job.
fn acted(verb: BulkVerb, word: &str, standing: &Standing) -> Option<Acted> {
    match (verb, word) {
        (BulkVerb::Cancel, _) => Some(Acted::Cancelled),
        (BulkVerb::Reschedule, _) => Some(Acted::Rescheduled(standing.due)),
        (BulkVerb::Hold, _) => Some(Acted::Held),
        (BulkVerb::Reinstate, "held") => Some(Acted::PutBackHeld),
        (BulkVerb::Reinstate, _) => Some(Acted::Reinstated),
        (BulkVerb::Unhold, _) => Some(Acted::Released),
        (BulkVerb::RetryNow, _) => Some(Acted::RetriedNow),
        (BulkVerb::Purge, _) => None,
    }
}

impl Store {
    /// Begins a run: see `lua/functions/bulk/bulk_open.lua`. `settings` are further fields of its hash.
    ///
    /// # Errors
    /// [`Error::Unavailable`] and [`Error::StorageFull`].
    pub(crate) async fn bulk_open(
        &self,
        run: &RunId,
        verb: BulkVerb,
        intent: &Intent,
        settings: &[(&str, String)],
    ) -> Result<BulkWord> {
        let mut call = self.call(&script::BULK_OPEN);
        call.arg(run.as_str()).arg(verb.as_str()).arg(&intent.actor).arg(&intent.why);
        for (name, value) in settings {
            call.arg(*name).arg(value);
        }
        BulkWord::read(self.grow(&call).await?)
    }

    /// Starts a frozen run, or lets a stopped one go on: see `lua/functions/bulk/bulk_start.lua`. `pace` is jobs a second in all, and
    /// this shard's part of it; `None` for what it has. `of_person` says that the actor is somebody who signed in,
    /// `two_people` that deleting needs two of them.
    ///
    /// # Errors
    /// [`Error::Unavailable`] and [`Error::StorageFull`].
    pub(crate) async fn bulk_start(
        &self,
        run: &RunId,
        intent: &Intent,
        of_person: bool,
        two_people: bool,
        pace: Option<&(u32, String)>,
    ) -> Result<BulkWord> {
        let mut call = self.call(&script::BULK_START);
        call.arg(run.as_str()).arg(&intent.actor).arg(&intent.why);
        match pace {
            Some((rate, pace)) => call.arg(rate).arg(pace),
            None => call.arg("=").arg("="),
        };
        for flag in [of_person, two_people] {
            call.arg(if flag { "1" } else { "" });
        }
        BulkWord::read(self.grow(&call).await?)
    }

    /// Ends a run where it is, or only where it is in that state still: see `lua/functions/bulk/bulk_abort.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn bulk_abort(
        &self,
        run: &RunId,
        intent: &Intent,
        seen: Option<BulkState>,
    ) -> Result<BulkWord> {
        let mut call = self.call(&script::BULK_ABORT);
        call.arg(run.as_str()).arg(&intent.actor).arg(&intent.why);
        call.arg(seen.map_or("", BulkState::as_str));
        BulkWord::read(self.drain(&call).await?)
    }

    /// Makes the frozen run that undoes another: see `lua/functions/bulk/bulk_undo.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`] and [`Error::StorageFull`].
    pub(crate) async fn bulk_undo(&self, run: &RunId, undo: &RunId, intent: &Intent) -> Result<BulkWord> {
        let mut call = self.call(&script::BULK_UNDO);
        call.arg(run.as_str()).arg(undo.as_str()).arg(&intent.actor).arg(&intent.why);
        BulkWord::read(self.grow(&call).await?)
    }

    /// Takes a step of a running run: see `lua/functions/bulk/bulk_step.lua`. `None` when there is no such run.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: the step may have been taken; take the next one.
    pub async fn bulk_step(&self, run: &RunId, most: u32) -> Result<Option<BulkStep>> {
        let mut call = self.call(&script::BULK_STEP);
        call.arg(run.as_str()).arg(most);
        let intent = Intent::of("");
        let mut reply = self.drain(&call).await?;
        let word = reply.text()?;
        if word == "missing" {
            return Ok(None);
        }
        let step =
            BulkStep { state: state(&word)?, reached: reply.parse("jobs")?, left: reply.parse("jobs left")? };
        self.acknowledge_step(intent, reply)?;
        Ok(Some(step))
    }

    /// Remembers what a step has done to jobs: what people see of a run is a promise as much as an answer is.
    fn acknowledge_step(&self, mut intent: Intent, mut reply: Reply) -> Result<()> {
        let Some(verb) = reply.next().map(Item::text).transpose()? else { return Ok(()) };
        let verb =
            verb.parse().map_err(|_| Error::codec(format!("a bulk run has the unknown verb {verb:?}")))?;
        (intent.actor, intent.why) = (reply.text()?, reply.text()?);
        self.acknowledge_many(&journal::told(reply, |word, standing| acted(verb, word, standing))?, &intent);
        Ok(())
    }

    /// Runs that steps are to be taken of.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn bulk_running(&self) -> Result<Vec<RunId>> {
        let names: Vec<String> = self.ask(&Cmd::smembers(self.keys().bulk_running())).await?;
        Ok(names.into_iter().filter_map(|name| name.parse().ok()).collect())
    }

    /// Runs that still wait for a second person, the one that is forgotten first at the head, with the queues each is bound
    /// to.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn bulk_waiting(&self, now: Timestamp) -> Result<Vec<(RunId, Vec<QueueName>)>> {
        let behind = format!("({}", now.as_millis());
        let names: Vec<String> = self
            .ask(&Cmd::zrangebyscore_limit(self.keys().bulk_waiting(), behind, "+inf", 0, WAITING_MAX))
            .await?;
        let runs: Vec<RunId> = names.into_iter().filter_map(|name| name.parse().ok()).collect();
        let bound = self.bulk_bound(&runs).await?;
        Ok(runs.into_iter().zip(bound).collect())
    }

    /// The queues that each of these runs is bound to; none for all.
    async fn bulk_bound<'a>(&self, runs: impl IntoIterator<Item = &'a RunId>) -> Result<Vec<Vec<QueueName>>> {
        let (mut reads, mut is_none) = (Pipeline::new(), true);
        for run in runs {
            reads.hget(self.keys().bulk_run(run, ""), "only_in");
            is_none = false;
        }
        if is_none {
            return Ok(Vec::new());
        }
        let bound: Vec<Option<String>> = self.pipeline(&reads).await?;
        let queues = |text: Option<String>| {
            text.unwrap_or_default().split_whitespace().filter_map(|name| name.parse().ok()).collect()
        };
        Ok(bound.into_iter().map(queues).collect())
    }

    /// Forgets a running run whose hash is gone.
    pub(crate) async fn bulk_forget(&self, run: &RunId) -> Result<()> {
        let removed: redis::RedisResult<()> = redis::cmd("SREM")
            .arg(self.keys().bulk_running())
            .arg(run.as_str())
            .query_async(&mut self.connections().writes())
            .await;
        self.connections().note(super::connection::Proof::Drains, removed)
    }

    /// One run; `None` when there is none of that id, or not any more.
    ///
    /// # Errors
    /// [`Error::Codec`] when it does not read.
    pub(crate) async fn bulk_run(&self, run: &RunId) -> Result<Option<BulkRun>> {
        let keys = self.keys();
        let mut reads = Pipeline::new();
        reads.atomic().hgetall(keys.bulk_run(run, "")).hgetall(keys.bulk_run(run, "split"));
        reads.zcard(keys.bulk_run(run, "todo")).zcard(keys.bulk_run(run, "undoable"));
        let last = isize::try_from(BulkRun::SUBJECTS_TOLD_MAX).unwrap_or(isize::MAX) - 1;
        reads.zrevrange_withscores(keys.bulk_run(run, "subjects"), 0, last);
        type Read = (HashMap<String, Vec<u8>>, BTreeMap<String, u64>, u64, u64, Vec<(String, u64)>);
        let (fields, split, pending, undoable, by_subject): Read = self.pipeline(&reads).await?;
        let found = codec::bulk_run(run, fields, split, pending, undoable)?;
        Ok(found.map(|mut found| {
            found.by_subject = by_subject.into_iter().collect();
            found
        }))
    }

    /// Runs behind the first `from`, the latest first, with the queues each is bound to.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn bulk_names(&self, from: isize, most: isize) -> Result<Vec<NamedRun>> {
        let names: Vec<(String, u64)> =
            self.ask(&Cmd::zrevrange_withscores(self.keys().bulk(), from, from + most - 1)).await?;
        let runs: Vec<(RunId, u64)> =
            names.into_iter().filter_map(|(name, made_ms)| Some((name.parse().ok()?, made_ms))).collect();
        let bound = self.bulk_bound(runs.iter().map(|(run, _)| run)).await?;
        let named = |((run, made_ms), only_in)| NamedRun { run, made_ms, only_in };
        Ok(runs.into_iter().zip(bound).map(named).collect())
    }

    /// The next jobs of a run, without outcome yet, the first `most`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn bulk_samples(&self, run: &RunId, most: isize) -> Result<Vec<JobId>> {
        let ids: Vec<String> = self.ask(&Cmd::zrange(self.keys().bulk_run(run, "todo"), 0, most - 1)).await?;
        Ok(ids.into_iter().filter_map(|id| id.parse().ok()).collect())
    }

    /// Outcomes of a run behind that many, in the order they came, and how many that are, with those that do not read.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn bulk_outcomes(
        &self,
        run: &RunId,
        after: u64,
        most: u64,
    ) -> Result<(u64, Vec<BulkOutcome>)> {
        let place = |number: u64| isize::try_from(number).unwrap_or(isize::MAX);
        let last = after.saturating_add(most).saturating_sub(1);
        let lines: Vec<String> =
            self.ask(&Cmd::lrange(self.keys().bulk_run(run, "outcomes"), place(after), place(last))).await?;
        let count = u64::try_from(lines.len()).unwrap_or(u64::MAX);
        Ok((count, lines.iter().filter_map(|line| codec::bulk_outcome(line)).collect()))
    }
}
