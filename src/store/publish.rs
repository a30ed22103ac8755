//! Handing jobs to consumers outside, and looking after them there.

use super::connection::Proof;
use super::reply::{Item, Reply};
use super::{Store, script, word};
use crate::error::{Error, Result};
use crate::model::{Delay, JobId, SinkKind, Timestamp, Token};

/// Where a sink hands its jobs to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Target {
    /// The name of the sink, under which its jobs are looked after.
    pub sink: String,
    /// What kind of sink.
    pub kind: SinkKind,
    /// The key of the stream or list, or asynq's queue.
    pub place: String,
    /// The consumer group of a stream; empty otherwise.
    pub group: String,
    /// Most jobs that are with the sink at once.
    pub most: u32,
}

impl Target {
    /// A consumer group of a stream.
    #[must_use]
    pub fn stream(sink: &str, stream: &str, group: &str, most: u32) -> Self {
        Self {
            sink: sink.to_owned(),
            kind: SinkKind::Stream,
            place: stream.to_owned(),
            group: group.to_owned(),
            most,
        }
    }

    /// A list.
    #[must_use]
    pub fn list(sink: &str, list: &str, most: u32) -> Self {
        Self { kind: SinkKind::List, ..Self::stream(sink, list, "", most) }
    }

    /// A queue of asynq.
    #[must_use]
    pub fn asynq(sink: &str, queue: &str, most: u32) -> Self {
        Self { kind: SinkKind::Asynq, ..Self::stream(sink, queue, "", most) }
    }
}

words! {
    /// What `publication` made of a job.
    #[non_exhaustive]
    pub enum PublishOutcome or "one of " {
        /// It is with the consumers.
        Published = "published",
        /// Somebody asked for it to stop before it was published; it still has to be released.
        Cancel = "cancel",
        /// The sink has its limit of jobs; it still has to be released.
        Full = "full",
        /// The place did not take it; it still has to be released.
        Unsent = "unsent",
        /// The lease belongs to somebody else by now.
        Lost = "lost",
        /// The job is gone.
        Missing = "missing",
    }
}

words! {
    /// What became of a job that was published.
    pub enum Over or "one of " {
        /// It was acknowledged.
        Done = "done",
        /// Its consumer kept it too long; its entry was taken away.
        Expired = "expired",
        /// Nobody has it: its entry, its group or its consumer was removed.
        Vanished = "vanished",
        /// Its consumer will not have it tried again.
        Ended = "ended",
        /// The place says that it failed.
        Failed = "failed",
    }
}

/// A job whose publication is over, to be reported.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// What became of it.
    pub over: Over,
    /// Which job.
    pub id: JobId,
    /// Proves its lease.
    pub token: Token,
    /// Which attempt this was; 1 for the first.
    pub attempt: u32,
    /// Why; for [`Over::Failed`] what the place says, in its own form.
    pub text: Vec<u8>,
}

/// What a look at a sink showed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Look {
    /// Jobs with the sink.
    pub outstanding: u64,
    /// When the first of those that were looked at was published.
    pub oldest: Option<Timestamp>,
    /// What is wrong with a queue whose jobs were passed over; `None` when none were.
    pub damage: Option<String>,
    /// What is over.
    pub over: Vec<Found>,
}

impl Store {
    /// Publishes claimed jobs: see `lua/functions/sinks/publish.lua`. One word a job, in order; `lease` is how long nobody has to look.
    ///
    /// # Errors
    /// [`Error::Refused`]: the place takes nothing. In this and any other case nothing changed, or the jobs will be
    /// found by a look; release them otherwise.
    pub async fn publish(
        &self,
        target: &Target,
        lease: Delay,
        jobs: &[(JobId, Token, Vec<u8>)],
    ) -> Result<Vec<PublishOutcome>> {
        let mut call = self.call(&script::PUBLISH);
        call.arg(&target.sink).arg(target.kind.as_str()).arg(&target.place).arg(&target.group);
        call.arg(lease.as_millis()).arg(target.most);
        for (id, token, item) in jobs {
            call.arg(id.as_str()).arg(token.0).arg(item);
        }
        let mut reply = self.grow(&call).await?;
        match reply.text()?.as_str() {
            "published" => super::words(reply),
            "refused" => Err(Error::Refused {
                why: format!("{} {:?} takes no jobs: {}", target.kind, target.place, reply.text()?),
            }),
            unknown => Err(super::unknown_word("publish", unknown)),
        }
    }

    /// Looks after jobs that were published: see `lua/functions/sinks/look.lua`. `timeout` is how long a consumer may keep one.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: look again.
    pub async fn look(&self, sink: &str, limit: u32, lease: Delay, timeout: Delay) -> Result<Look> {
        let mut call = self.call(&script::LOOK);
        call.arg(sink).arg(limit).arg(lease.as_millis()).arg(timeout.as_millis());
        let mut reply = self.drain(&call).await?;
        let outstanding = reply.parse("jobs with the sink")?;
        let oldest = reply.optional_time("first publication")?;
        let damage = reply.optional_text()?;
        Ok(Look { outstanding, oldest, damage, over: reply.map(found).collect::<Result<_>>()? })
    }

    /// The first items of a list outside; none when there is no such list.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when the key holds something else.
    pub async fn peek(&self, list: &str, most: usize) -> Result<Vec<Vec<u8>>> {
        let mut range = redis::cmd("LRANGE");
        range.arg(list).arg(0).arg(most.saturating_sub(1));
        let items = range.query_async(&mut self.connections().writes()).await;
        self.connections().note(Proof::Reads, items)
    }

    /// Puts an item of a list outside behind the others. Cut off in between, it is there twice.
    ///
    /// # Errors
    /// As [`drop_item`](Self::drop_item); [`Error::StorageFull`]: nothing changed.
    pub async fn put_last(&self, list: &str, item: &[u8]) -> Result<()> {
        let mut push = redis::cmd("RPUSH");
        push.arg(list).arg(item);
        let pushed: redis::RedisResult<()> = push.query_async(&mut self.connections().writes()).await;
        self.connections().note(Proof::Grows, pushed)?;
        self.drop_item(list, item).await
    }

    /// Removes the first item of a list outside that is this text.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: nothing is known of the outcome.
    pub async fn drop_item(&self, list: &str, item: &[u8]) -> Result<()> {
        let mut remove = redis::cmd("LREM");
        remove.arg(list).arg(1).arg(item);
        let removed = remove.query_async(&mut self.connections().writes()).await;
        self.connections().note(Proof::Drains, removed)
    }
}

fn found(item: Item) -> Result<Found> {
    let mut reply: Reply = item.list()?;
    let over = word(&reply.text()?)?;
    Ok(Found {
        over,
        id: reply.parse("job id")?,
        token: Token(reply.parse("token")?),
        attempt: reply.parse("attempt")?,
        text: reply.bytes()?,
    })
}
