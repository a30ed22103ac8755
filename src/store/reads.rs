//! What screens read.

use super::call::Call;
use super::reply::{Item, Reply};
use super::{Scan, Store, script};
use crate::constants::EPOCH_TOKENS;
use crate::error::{Error, Result};
use crate::keys::{MINUTE_MS, latest_starts};
use crate::model::{
    Attempt, Counts, Delay, HistoryEntry, Job, JobId, JobRow, JobState, ListQuery, MinuteStats, Page,
    PausedQueue, QueueName, QueueSummary, Subject, Timestamp, Version,
};
use crate::record;
use crate::store::codec;
use redis::{Cmd, Pipeline};
use std::collections::HashMap;

/// Pieces in which queues, and what becomes due in them, are asked for: each has a queue at least, and a namespace has
/// no more.
const PIECES_MAX: usize = 1_000;

/// Rows of a subject read in one go: a page, some two milliseconds of Redis.
const ROWS_AT_ONCE: usize = 200;

/// Histories read in one go: some 5,000 lines, a few milliseconds of Redis.
const HISTORIES_AT_ONCE: usize = 100;

/// All queues at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Survey {
    /// Each queue with its counts and heads; rates and workers are not filled in.
    pub queues: Vec<QueueSummary>,
    /// Last tick of any forwarder.
    pub forwarder_tick: Option<Timestamp>,
    /// How many ids are set aside.
    pub quarantined: u64,
    /// One of them.
    pub quarantine_sample: Option<JobId>,
    /// How many sets of queues hold something of another type.
    pub damaged_keys: u64,
    /// One of these keys.
    pub damaged_sample: Option<String>,
    /// Redis's clock.
    pub now: Timestamp,
}

impl Store {
    /// Redis's clock, or the given time.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn now(&self) -> Result<Timestamp> {
        match &self.time {
            Some(clock) => Ok(clock.now()),
            None => self.read(&self.rows_call(&[])).await?.time("now"),
        }
    }

    /// A job with its attempts and history, newest first; `None` when there is none: see `lua/functions/read/detail.lua`.
    ///
    /// # Errors
    /// [`Error::Codec`] when its record does not read.
    pub async fn job(&self, id: &JobId) -> Result<Option<(Job, Vec<Attempt>, Vec<HistoryEntry>)>> {
        let mut call = self.call(&script::DETAIL);
        call.arg(id.as_str());
        let mut reply = self.read(&call).await?;
        let mut list = || reply.next().ok_or_else(|| Error::codec("a job's reply is too short"))?.list();
        let (mut flat, attempts, history) = (list()?, list()?, list()?);
        let mut fields = HashMap::new();
        while let Some(name) = flat.next() {
            fields.insert(name.text()?, flat.bytes()?);
        }
        let Some(job) = codec::job(id, fields)? else { return Ok(None) };
        let lines = |list: Reply| list.map(Item::bytes).collect::<Result<Vec<_>>>();
        let attempts = lines(attempts)?.iter().rev().filter_map(|line| codec::attempt(line)).collect();
        let history = lines(history)?.iter().rev().filter_map(|line| codec::history(line)).collect();
        Ok(Some((job, attempts, history)))
    }

    /// One page of a list.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn list(&self, query: &ListQuery) -> Result<Page> {
        let step = self.scan(&Scan::of(query), query.after.as_ref(), query.size.into()).await?;
        Ok(step.into_page(query.size.into()))
    }

    /// Which of these jobs this shard has, in order, and the version that it has reached with jobs it removed, among them
    /// those of these that it has no more.
    pub(super) async fn presence(&self, ids: &[&JobId]) -> Result<(Vec<bool>, Version)> {
        if ids.is_empty() {
            return Ok((Vec::new(), Version(0)));
        }
        let keys: Vec<String> = ids.iter().map(|id| self.keys().job(id)).collect();
        let mut reads = Pipeline::new();
        // In this order: what is absent in the first was removed before the second.
        reads.mget(&keys).cmd("HMGET").arg(self.keys().meta()).arg(&["removed_version", "epoch"]);
        type Records = Vec<Option<Vec<u8>>>;
        let (found, (removed, epoch)): (Records, (Option<u64>, Option<u64>)) = self.pipeline(&reads).await?;
        let removed = removed.unwrap_or(0).max(epoch.unwrap_or(0).saturating_mul(EPOCH_TOKENS));
        let is_record =
            |text: &Option<Vec<u8>>| text.as_ref().is_some_and(|text| record::found(text).is_some());
        Ok((found.iter().map(is_record).collect(), Version(removed)))
    }

    fn rows_call(&self, ids: &[JobId]) -> Call {
        let mut call = self.call(&script::ROWS);
        for id in ids {
            call.arg(id.as_str());
        }
        call
    }

    /// The present rows of given jobs, in order; `None` for one that is gone.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn rows(&self, ids: &[JobId]) -> Result<Vec<Option<JobRow>>> {
        let mut reply = self.read(&self.rows_call(ids)).await?;
        reply.time("now")?;
        reply.map(|item| Ok(codec::row(item.list()?))).collect()
    }

    /// The jobs of a subject, at most that many live and as many ended ones, Redis's clock, and whether more have ended: see
    /// `lua/functions/read/subject.lua`.
    /// Of many, the later ones are shown as they are when they are read, a moment later.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn subject(&self, subject: &Subject, most: u32) -> Result<(Vec<JobRow>, Timestamp, bool)> {
        let mut call = self.call(&script::SUBJECT);
        call.arg(subject.as_str()).arg(most).arg(ROWS_AT_ONCE);
        let mut reply = self.read(&call).await?;
        let now = reply.time("now")?;
        let more = reply.text()? == "more";
        let later = reply.list()?.map(Item::text).collect::<Result<Vec<_>>>()?;
        let later: Vec<JobId> = later.into_iter().filter_map(|id| id.parse().ok()).collect();
        let rows = reply.map(|item| Ok(codec::row(item.list()?))).collect::<Result<Vec<_>>>()?;
        let mut rows: Vec<JobRow> = rows.into_iter().flatten().collect();
        for ids in later.chunks(ROWS_AT_ONCE) {
            let found = self.rows(ids).await?.into_iter().flatten();
            // An id may have become that of another job.
            rows.extend(found.filter(|row| row.subject.as_ref() == Some(subject)));
        }
        Ok((rows, now, more))
    }

    /// Why jobs of this shard were changed: the reasons of their histories, but for those that their fields tell.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn whys(&self, ids: &[JobId]) -> Result<Vec<String>> {
        let mut whys = Vec::new();
        for some in ids.chunks(HISTORIES_AT_ONCE) {
            let mut reads = Pipeline::new();
            for id in some {
                reads.lrange(self.keys().history(id), 0, -1);
            }
            let lines: Vec<Vec<Vec<u8>>> = self.pipeline(&reads).await?;
            let entries = lines.iter().flatten().filter_map(|line| codec::history(line));
            whys.extend(entries.map(|entry| entry.why).filter(|why| !why.is_empty()));
        }
        Ok(whys)
    }

    /// All queues at a glance, or one, asked for piece by piece: see `lua/functions/read/survey.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn survey(&self, queue: Option<&QueueName>) -> Result<Survey> {
        let (mut all, mut behind) = self.survey_behind(queue, "").await?;
        for _ in 1..PIECES_MAX {
            let Some(place) = behind else { break };
            let (mut more, next) = self.survey_behind(queue, &place).await?;
            all.queues.append(&mut more.queues);
            // What belongs to no queue is told by each piece; the last one knows best.
            more.damaged_keys = more.damaged_keys.saturating_add(all.damaged_keys);
            more.damaged_sample = all.damaged_sample.into_iter().chain(more.damaged_sample).min();
            all = Survey { queues: all.queues, ..more };
            behind = next;
        }
        Ok(all)
    }

    /// A piece of a survey, and the queue behind which to go on.
    async fn survey_behind(
        &self,
        queue: Option<&QueueName>,
        behind: &str,
    ) -> Result<(Survey, Option<String>)> {
        let mut call = self.call(&script::SURVEY);
        call.arg(queue.map_or("", |queue| queue.as_str())).arg(behind);
        let mut reply = self.read(&call).await?;
        let now = reply.time("now")?;
        let next = reply.optional_text()?;
        let survey = Survey {
            now,
            forwarder_tick: reply.optional_time("forwarder tick")?,
            quarantined: reply.parse("quarantined")?,
            quarantine_sample: reply.text()?.parse().ok(),
            damaged_keys: reply.parse("damaged keys")?,
            damaged_sample: reply.optional_text()?,
            queues: reply.map(|item| glance(item.list()?)).collect::<Result<_>>()?,
        };
        Ok((survey, next))
    }

    /// Redis's clock, and the last tick of any forwarder.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn forwarder_tick(&self) -> Result<(Timestamp, Option<Timestamp>)> {
        let tick = self.meta("forwarded_ms").await?.and_then(|ms| ms.parse().ok());
        Ok((self.now().await?, tick.map(Timestamp::saturating_from_millis)))
    }

    /// How many jobs become due in each of the coming spans, asked for piece by piece: see `lua/functions/read/due_ahead.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn due_ahead(&self, queue: Option<&QueueName>, span: Delay, spans: u16) -> Result<Vec<u64>> {
        let mut counts = vec![0_u64; usize::from(spans)];
        let mut behind = String::new();
        for _ in 0..PIECES_MAX {
            let mut call = self.call(&script::DUE_AHEAD);
            call.arg(span.as_millis()).arg(spans).arg(queue.map_or("", |queue| queue.as_str())).arg(&behind);
            let mut reply = self.read(&call).await?;
            reply.time("now")?;
            behind = reply.text()?;
            for count in &mut counts {
                *count = count.saturating_add(reply.parse("a count")?);
            }
            if behind.is_empty() {
                break;
            }
        }
        Ok(counts)
    }

    /// What was counted in each of the latest minutes, oldest first; the last is the running one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn stats(&self, queue: Option<&QueueName>, minutes: u16) -> Result<Vec<MinuteStats>> {
        Ok(self
            .minutes(minutes)
            .await?
            .iter()
            .map(|(at, counts)| codec::minute_stats(*at, queue, counts))
            .collect())
    }

    /// The raw counters behind [`stats`](Self::stats), for readers that need several queues of one read.
    pub(crate) async fn minutes(&self, minutes: u16) -> Result<Vec<(Timestamp, HashMap<String, u64>)>> {
        let starts = latest_starts(self.now().await?, MINUTE_MS, minutes);
        let mut reads = Pipeline::new();
        for start in &starts {
            reads.hgetall(self.keys().stats(*start));
        }
        let counts: Vec<HashMap<String, u64>> = self.pipeline(&reads).await?;
        Ok(starts.into_iter().zip(counts).collect())
    }

    /// Every queue of the directory, by name.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn queue_names(&self) -> Result<Vec<QueueName>> {
        let names: Vec<String> = self.ask(&Cmd::smembers(self.keys().queues())).await?;
        let mut names: Vec<QueueName> = names.into_iter().filter_map(|name| name.parse().ok()).collect();
        names.sort();
        Ok(names)
    }

    /// One field of `meta`; `None` when it is not there.
    pub async fn meta(&self, field: &str) -> Result<Option<String>> {
        self.ask(&Cmd::hget(self.keys().meta(), field)).await
    }

    /// One field of `meta`, written only when it is not there yet; returns what is there.
    pub async fn settle(&self, field: &str, value: &str) -> Result<String> {
        // Read first: a full Redis refuses the write of what is there already, too.
        if let Some(there) = self.meta(field).await? {
            return Ok(there);
        }
        let mut write = Pipeline::new();
        write.hset_nx(self.keys().meta(), field, value).ignore().hget(self.keys().meta(), field);
        let settled = write.query_async::<(String,)>(&mut self.connections().writes()).await;
        self.connections().note(super::connection::Proof::Grows, settled).map(|(value,)| value)
    }
}

pub(super) fn glance(mut reply: Reply) -> Result<QueueSummary> {
    let mut summary = QueueSummary::empty(reply.parse("queue")?);
    let mut counts = Counts::default();
    for state in JobState::ALL {
        *counts.of_mut(state) = reply.parse("count")?;
    }
    summary.counts = counts;
    summary.next_due = reply.optional_time("next due")?;
    summary.oldest_ready = reply.optional_time("ready since")?;
    let paused_at = reply.optional_time("paused at")?;
    let (by, why) = (reply.text()?, reply.text()?);
    summary.paused = paused_at.map(|at| PausedQueue::new(at, by, why));
    summary.limits = super::limits::limits(&mut reply)?;
    Ok(summary)
}
