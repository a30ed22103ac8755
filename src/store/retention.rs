//! Rules of retention, receipts, and erasing a subject.

use super::reply::Item;
use super::{Intent, Store, script};
use crate::error::Result;
use crate::model::{
    Delay, Erased, JobId, JobState, QueueName, Receipt, RetentionRule, RetentionRules, Subject,
};
use crate::store::codec;
use redis::{Cmd, Pipeline};
use std::collections::HashMap;

/// Sets whose sizes one round trip reads.
const COUNTED_AT_ONCE: usize = 500;

/// A queue that has more jobs that ended so than it is to keep.
#[derive(Debug, Clone)]
pub struct Surplus {
    queue: QueueName,
    state: JobState,
    stay: u64,
}

/// What one call of `purge` did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClearedOut {
    /// Jobs that are gone.
    pub(crate) purged: u64,
    /// Further entries that were dealt with: they had no job any more, or are of damaged queues and looked at again later.
    pub(crate) further: u64,
    /// What is wrong with a queue that was passed over; `None` when none was.
    pub(crate) damage: Option<String>,
}

impl Store {
    /// Sets rules of a queue or of the namespace: see `lua/functions/queues/set_retention.lua`. `None` removes a rule; times are in ms.
    ///
    /// # Errors
    /// [`Error::Unavailable`] and [`Error::StorageFull`].
    pub(crate) async fn set_retention(
        &self,
        intent: &Intent,
        queue: Option<&QueueName>,
        rules: &[(&str, Option<u64>)],
    ) -> Result<()> {
        let mut call = self.call(&script::SET_RETENTION);
        call.arg(&intent.actor).arg(&intent.why).operation(&intent.operation);
        call.arg(queue.map_or("", |queue| queue.as_str()));
        for (of, kept) in rules {
            call.arg(*of).arg(kept.map(|kept| kept.to_string()).unwrap_or_default());
        }
        self.grow(&call).await.map(drop)
    }

    /// Sets times of the namespace that a process is configured with, in the words of `lua/functions/queues/set_retention.lua`. Nothing is
    /// written, nor told in the audit, of those that stand there already.
    ///
    /// # Errors
    /// [`Error::Unavailable`] and [`Error::StorageFull`].
    pub(crate) async fn configure_retention(&self, by: &str, named: &[(&str, Delay)]) -> Result<()> {
        let mut read = redis::cmd("HMGET");
        read.arg(self.keys().meta());
        for (of, _) in named {
            match *of {
                "undo_window" => read.arg("undo_window_ms"),
                of => read.arg(format!("retention_{of}_ms")),
            };
        }
        let known: Vec<Option<String>> = self.ask(&read).await?;
        let mut others = Vec::new();
        for ((of, kept), known) in named.iter().zip(known) {
            let kept = u64::try_from(kept.as_millis()).unwrap_or_default();
            if known.and_then(|known| known.parse().ok()) != Some(kept) {
                others.push((*of, Some(kept)));
            }
        }
        if others.is_empty() {
            return Ok(());
        }
        self.set_retention(&Intent::of(by), None, &others).await
    }

    /// All rules of retention.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn retention(&self) -> Result<RetentionRules> {
        let meta: HashMap<String, String> = self.ask(&Cmd::hgetall(self.keys().meta())).await?;
        let mut rules = RetentionRules::default();
        for (name, value) in meta {
            let Ok(kept) = value.parse::<u64>() else { continue };
            let (name, queue) = name.split_once(':').map_or((&*name, None), |(name, of)| (name, Some(of)));
            let rule = match queue.map(str::parse) {
                None => &mut rules.namespace,
                Some(Ok(queue)) => rules.queues.entry(queue).or_default(),
                Some(Err(_)) => continue,
            };
            let span = i64::try_from(kept).map(Delay::millis).ok();
            match name {
                "receipts_ms" => rules.receipts = span,
                "retention_done_ms" => rule.done = span,
                "retention_dead_ms" => rule.dead = span,
                "retention_cancelled_ms" => rule.cancelled = span,
                "retention_done_most" => rule.done_most = Some(kept),
                "retention_dead_most" => rule.dead_most = Some(kept),
                _ => {}
            }
        }
        rules.queues.retain(|_, rule| *rule != RetentionRule::default());
        Ok(rules)
    }

    /// What queues of this shard have more of than they are to keep. What they keep is shared out evenly to the shards.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn surplus(&self) -> Result<Vec<Surplus>> {
        let rules = self.retention().await?;
        let queues: Vec<QueueName> = if rules.namespace.has_most() {
            self.queue_names().await?
        } else {
            rules.queues.iter().filter(|(_, rule)| rule.has_most()).map(|(queue, _)| queue.clone()).collect()
        };
        let mut limited = Vec::new();
        for queue in &queues {
            for state in [JobState::Done, JobState::Dead] {
                let own = rules.queues.get(queue).and_then(|rule| rule.most(state));
                let Some(most) = own.or_else(|| rules.namespace.most(state)) else { continue };
                let stay = most.div_ceil(u64::from(self.shards()));
                limited.push(Surplus { queue: queue.clone(), state, stay });
            }
        }
        let mut over = Vec::new();
        for some in limited.chunks(COUNTED_AT_ONCE) {
            let mut reads = Pipeline::new();
            reads.ignore_errors();
            for Surplus { queue, state, .. } in some {
                reads.zcard(self.keys().set(queue, *state));
            }
            // What cannot be counted, for its key is of another type, holds up no other.
            let counts: Vec<redis::RedisResult<u64>> = self.pipeline(&reads).await?;
            let counted = some.iter().zip(counts);
            over.extend(counted.filter_map(|(one, count)| (count.ok()? > one.stay).then(|| one.clone())));
        }
        Ok(over)
    }

    /// Removes the oldest jobs of which a queue has too many: see `lua/functions/jobs/purge.lua`. Returns how many.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: try again.
    pub async fn purge_surplus(&self, surplus: &Surplus, limit: u32) -> Result<u64> {
        Ok(self.clear_out(limit, Some(surplus)).await?.purged)
    }

    /// Removes ended jobs whose retention is over, or those of which a queue has too many: see `lua/functions/jobs/purge.lua`.
    pub(crate) async fn clear_out(&self, limit: u32, surplus: Option<&Surplus>) -> Result<ClearedOut> {
        let mut call = self.call(&script::PURGE);
        call.arg(limit);
        match surplus {
            Some(of) => call.arg(of.queue.as_str()).arg(of.state.as_str()).arg(of.stay),
            None => call.arg("").arg("").arg(""),
        };
        let mut reply = self.drain(&call).await?;
        Ok(ClearedOut {
            purged: reply.parse("count")?,
            further: reply.parse("further")?,
            damage: reply.next().map(Item::text).transpose()?,
        })
    }

    /// What became of jobs of a subject that are gone, the latest first.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn receipts(&self, subject: &Subject) -> Result<Vec<Receipt>> {
        let lines: Vec<Vec<u8>> = self.ask(&Cmd::lrange(self.keys().receipts(subject), 0, -1)).await?;
        Ok(lines.iter().rev().filter_map(|line| codec::receipt(line)).collect())
    }

    /// Whose receipts have one of that job; `None` when none is found by its id.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn receipt_subject(&self, id: &JobId) -> Result<Option<Subject>> {
        let subject: Option<String> =
            self.ask(&Cmd::hget(self.keys().receipt_subjects(), id.as_str())).await?;
        Ok(subject.and_then(|text| Subject::new(text).ok()))
    }

    /// Erases at most that many jobs of a subject: see `lua/functions/jobs/erase_subject.lua`. `written` is whether the audit has it, by an
    /// earlier step. Says whether that was all of them, and whether the audit has it now.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub(crate) async fn erase_subject(
        &self,
        subject: &Subject,
        intent: &Intent,
        most: u32,
        salt: &str,
        written: bool,
    ) -> Result<(Erased, bool, bool)> {
        let mut call = self.call(&script::ERASE_SUBJECT);
        call.arg(subject.as_str()).arg(&intent.actor).arg(&intent.why).arg(most).arg(salt);
        call.arg(if written { "1" } else { "" });
        let mut reply = self.drain(&call).await?;
        let word = reply.text()?;
        match word.as_str() {
            "live" => Ok((Erased::Live { live: reply.parse("live jobs")?, jobs: 0 }, true, written)),
            "erased" | "more" => {
                let (jobs, receipts) = (reply.parse("jobs")?, reply.parse("receipts")?);
                let erased = Erased::Erased { jobs, receipts, token: reply.text()? };
                Ok((erased, word == "erased", reply.parse::<u8>("written")? == 1))
            }
            unknown => Err(super::unknown_word("erase_subject", unknown)),
        }
    }
}
