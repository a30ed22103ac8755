//! What workers and maintenance do: claims, leases, reports, moves by time.

use super::claimed::ClaimedJob;
use super::{Store, script, word, words};
use crate::error::Result;
use crate::model::{Delay, JobId, QueueName, Shard, Timestamp, Token};
use crate::new_job::SPAN_MAX;
use crate::store::codec;
use crate::store::reply::{Item, Reply};

words! {
    /// What `extend` says of a lease.
    #[non_exhaustive]
    pub enum LeaseWord or "one of " {
        /// Extended.
        Held = "held",
        /// Extended, and somebody asked for the job to stop.
        Cancel = "cancel",
        /// It belongs to somebody else by now: stop, and report nothing.
        Lost = "lost",
        /// The job is gone: stop, and report nothing.
        Missing = "missing",
    }
}

words! {
    /// What `fail` made of a job.
    #[non_exhaustive]
    pub enum FailWord or "one of " {
        /// It runs again after its wait.
        Retrying = "retrying",
        /// It is a step of a plan that is held, and is held with it: it runs again after its wait, once the plan is released.
        PlanHeld = "plan_held",
        /// It will not run again by itself.
        Dead = "dead",
        /// It was called off while it ran.
        Cancelled = "cancelled",
        /// The lease was lost; nothing changed.
        Lost = "lost" | "done" | "ready" | "delayed",
        /// The job is gone.
        Missing = "missing",
    }
}

words! {
    /// What `snooze` made of a job.
    #[non_exhaustive]
    pub enum SnoozeWord or "one of " {
        /// It waits for its new time.
        Delayed = "delayed",
        /// It is a step of a plan that is held, and is held with it, for its new time.
        PlanHeld = "plan_held",
        /// It was put off too often, or lost too often in a row.
        Dead = "dead",
        /// It was called off while it ran.
        Cancelled = "cancelled",
        /// The lease was lost; nothing changed.
        Lost = "lost" | "done" | "ready" | "retrying",
        /// The job is gone.
        Missing = "missing",
    }
}

words! {
    /// What `release` or `complete` made of a job.
    #[non_exhaustive]
    pub enum ReleaseWord or "one of " {
        /// Completed.
        Done = "done",
        /// Back in its queue.
        Ready = "ready",
        /// It is a step of a plan that is held, and is held with it instead of being back in its queue.
        PlanHeld = "plan_held",
        /// It was called off while it ran.
        Cancelled = "cancelled",
        /// It was given back too often and is dead, or an earlier report with this token made it retrying or dead.
        Ended = "ended" | "retrying" | "dead" | "delayed",
        /// The lease was lost; nothing changed.
        Lost = "lost",
        /// The job is gone.
        Missing = "missing",
    }
}

/// What one run of `forward` did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForwardTick {
    /// Jobs moved to ready.
    pub moved: u64,
    /// The lowest due time left; `None` when nothing waits.
    pub next_due: Option<Timestamp>,
    /// Redis's clock at that moment.
    pub now: Timestamp,
    /// What is wrong with a queue that was passed over; `None` when none was.
    pub damage: Option<String>,
}

impl Store {
    /// Moves what is due to ready: see `lua/functions/jobs/forward.lua`. `turn` rotates which queue comes first.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) and [`Error::StorageFull`](crate::Error::StorageFull): try again.
    pub async fn forward(&self, limit: u32, turn: u32) -> Result<ForwardTick> {
        let mut call = self.call(&script::FORWARD);
        call.arg(limit).arg(turn);
        let mut reply = self.grow(&call).await?;
        Ok(ForwardTick {
            moved: reply.parse("moved")?,
            next_due: reply.optional_time("next due")?,
            now: reply.time("now")?,
            damage: reply.next().map(Item::text).transpose()?,
        })
    }

    /// Claims ready jobs, `most` in all and so many from each queue: see `lua/functions/jobs/claim.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): jobs may have been claimed; their leases run out.
    pub async fn claim(
        &self,
        worker: &str,
        lease: Delay,
        most: u32,
        queues: &[(QueueName, u32)],
    ) -> Result<Vec<ClaimedJob>> {
        self.claim_with_head(worker, lease, most, queues).await.map(|(_, jobs)| jobs)
    }

    /// The same, with what the head of the reply says beside them.
    pub(crate) async fn claim_with_head(
        &self,
        worker: &str,
        lease: Delay,
        most: u32,
        queues: &[(QueueName, u32)],
    ) -> Result<(Head, Vec<ClaimedJob>)> {
        let mut call = self.call(&script::CLAIM);
        call.arg(worker).arg(lease.as_millis()).arg(most);
        for (queue, most) in queues {
            call.arg(queue.as_str()).arg(most);
        }
        let mut reply = self.grow(&call).await?;
        let head = head(&mut reply)?;
        let jobs = claimed_jobs(self.shard(), reply, head.lease_until);
        Ok((head, jobs))
    }

    /// Extends leases: see `lua/functions/jobs/extend.lua`. One word a job, in order.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): try again before the leases end.
    pub async fn extend(&self, lease: Delay, jobs: &[(JobId, Token)]) -> Result<Vec<LeaseWord>> {
        let mut call = self.call(&script::EXTEND);
        call.arg(lease.as_millis());
        for (id, token) in jobs {
            call.arg(id.as_str()).arg(token.0);
        }
        words(self.drain(&call).await?)
    }

    /// Ends jobs well: see `lua/functions/jobs/complete.lua`. One word a job, in order.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): repeat it; the first answer comes again.
    pub async fn complete(&self, jobs: &[(JobId, Token)]) -> Result<Vec<ReleaseWord>> {
        let mut call = self.call(&script::COMPLETE);
        for (id, token) in jobs {
            call.arg(id.as_str()).arg(token.0);
        }
        words(self.drain(&call).await?)
    }

    /// Ends an attempt that failed: see `lua/functions/jobs/fail.lua`. Without a wait the error is fatal.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): repeat it; the first answer comes again.
    pub async fn fail(&self, id: &JobId, token: Token, error: &str, wait: Option<Delay>) -> Result<FailWord> {
        let mut call = self.call(&script::FAIL);
        call.arg(id.as_str()).arg(token.0).arg(error);
        call.arg(wait.map(|wait| wait.min(SPAN_MAX).as_millis().to_string()).unwrap_or_default());
        word(&self.drain(&call).await?.text()?)
    }

    /// Puts an active job back to delayed: see `lua/functions/jobs/snooze.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): repeat it; the first answer comes again.
    pub async fn snooze(
        &self,
        id: &JobId,
        token: Token,
        wait: Delay,
        why: &str,
        parked: bool,
    ) -> Result<SnoozeWord> {
        let word = self.put_off(id, token, wait, why, if parked { "parked" } else { "" }).await?;
        // Whatever ended the job was another report.
        Ok(if word == SnoozeWord::Dead { SnoozeWord::Lost } else { word })
    }

    /// The same for one that nobody outside took, or that was lost there: too many of these in a row end it.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): repeat it; the first answer comes again.
    pub async fn unheard(&self, id: &JobId, token: Token, wait: Delay, why: &str) -> Result<SnoozeWord> {
        self.put_off(id, token, wait, why, "unheard").await
    }

    async fn put_off(
        &self,
        id: &JobId,
        token: Token,
        wait: Delay,
        why: &str,
        how: &str,
    ) -> Result<SnoozeWord> {
        let mut call = self.call(&script::SNOOZE);
        call.arg(id.as_str()).arg(token.0).arg(wait.min(SPAN_MAX).as_millis()).arg(why).arg(how);
        word(&self.drain(&call).await?.text()?)
    }

    /// Gives active jobs back to their queues: see `lua/functions/jobs/release.lua`. One word a job, in order.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): repeat it; the first answer comes again.
    pub async fn release(&self, why: &str, jobs: &[(JobId, Token)]) -> Result<Vec<ReleaseWord>> {
        let mut call = self.call(&script::RELEASE);
        call.arg(why);
        for (id, token) in jobs {
            call.arg(id.as_str()).arg(token.0);
        }
        words(self.drain(&call).await?)
    }

    /// Takes back jobs whose lease has run out: see `lua/functions/jobs/recover.lua`. Returns how many.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): try again.
    pub async fn recover(&self, limit: u32, wait: Delay, stalls_max: u32) -> Result<u64> {
        self.take_back(limit, wait, stalls_max).await.map(|(count, _)| count)
    }

    /// The same, and what is wrong with a queue that was passed over, if one was.
    pub(crate) async fn take_back(
        &self,
        limit: u32,
        wait: Delay,
        stalls_max: u32,
    ) -> Result<(u64, Option<String>)> {
        let mut call = self.call(&script::RECOVER);
        call.arg(limit).arg(wait.as_millis()).arg(stalls_max);
        let mut reply = self.drain(&call).await?;
        Ok((reply.parse("count")?, reply.next().map(Item::text).transpose()?))
    }

    /// Removes ended jobs whose retention is over: see `lua/functions/jobs/purge.lua`. Returns how many.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): try again.
    pub async fn purge(&self, limit: u32) -> Result<u64> {
        Ok(self.clear_out(limit, None).await?.purged)
    }

    /// Goes on with the round that puts right what other hands have damaged, by about so many keys: see
    /// `lua/functions/jobs/mend.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) and [`Error::StorageFull`](crate::Error::StorageFull): try
    /// again later.
    pub async fn mend(&self, keys: u32) -> Result<Mended> {
        let mut call = self.call(&script::MEND);
        call.arg(keys);
        let mut reply = self.grow(&call).await?;
        Ok(Mended {
            again_in: Delay::millis(reply.parse("wait")?),
            put_right: reply.parse("put right")?,
            set_aside: reply.parse("set aside")?,
            is_round_over: reply.parse::<u8>("rounds")? > 0,
        })
    }
}

/// What a step of [`Store::mend`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mended {
    /// After how long it is to be called again.
    pub again_in: Delay,
    /// Entries of sets, and unique keys, that were put where the records say.
    pub put_right: u64,
    /// Ids without a record that can be used, which were not set aside before.
    pub set_aside: u64,
    /// Whether every key has been looked at once more.
    pub is_round_over: bool,
}

/// The head of a reply of `lua/functions/jobs/claim.lua`.
pub(crate) struct Head {
    /// The end of the leases.
    pub(super) lease_until: Timestamp,
    /// After how long a rate limit allows the next job, when one stands in the way.
    pub(crate) wait: Option<Delay>,
    /// Jobs that were not given for what their constraints, rules or concurrency keys say.
    pub(crate) passed_over: u64,
}

pub(super) fn head(reply: &mut Reply) -> Result<Head> {
    let head = reply.text()?;
    let mut head = Reply::from_items(head.split(' ').map(|word| Item::Bytes(word.as_bytes().to_vec())));
    let lease_until = head.time("lease end")?;
    let mut number = || head.next().and_then(|word| word.text().ok()?.parse::<u64>().ok());
    let wait = number().and_then(|ms| i64::try_from(ms).ok()).map(Delay::millis);
    Ok(Head { lease_until, wait, passed_over: number().unwrap_or_default() })
}

/// The jobs as `lua/functions/jobs/claim.lua` returns them, which are the rest of its reply.
pub(super) fn claimed_jobs(shard: Shard, mut reply: Reply, lease_until: Timestamp) -> Vec<ClaimedJob> {
    let mut jobs = Vec::new();
    while let (Some(id), Some(text)) = (reply.next(), reply.next()) {
        // One that does not read must not take the others along, which are claimed with it: its lease runs out.
        match claimed(shard, id, text, lease_until) {
            Ok(job) => jobs.push(job),
            Err(error) => tracing::error!(%error, "a claimed job does not read: {error}"),
        }
    }
    jobs
}

fn claimed(shard: Shard, id: Item, text: Item, lease_until: Timestamp) -> Result<ClaimedJob> {
    let id = id.text()?;
    let text = text.bytes()?;
    codec::claimed(shard, &id, &text, lease_until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_that_sent_a_job_elsewhere_read_as_one_word() {
        for word in ["retrying", "dead", "delayed"] {
            assert_eq!(word.parse(), Ok(ReleaseWord::Ended));
        }
    }
}
