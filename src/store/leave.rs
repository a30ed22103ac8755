//! `leave`: the old self of a job that moves to another shard.

use super::{Store, script};
use crate::error::Result;
use crate::model::{JobId, Kind, QueueName, Shard, Standing, Version};
use crate::store::reply::Reply;

/// What became of a job that was to leave its shard.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Left {
    /// It is called off with a mark, or gone: its new self may come in elsewhere. This is the version of the event of its
    /// removal; the new self begins above it, so that nothing that was seen of the old one fits.
    Gone(Version),
    /// It runs, has ended, is in another queue or has its place in a plan or a batch: it may not be replaced.
    Stays(Standing),
}

impl Left {
    /// Above which version its new self begins; `None` if it stays.
    pub(super) const fn version(&self) -> Option<Version> {
        match self {
            Self::Gone(version) => Some(*version),
            Self::Stays(_) => None,
        }
    }
}

impl Store {
    /// Calls a job off because it is about to live in another shard: see `lua/functions/jobs/leave.lua`. May be repeated.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub async fn leave(&self, id: &JobId, actor: &str, queue: &QueueName, to: Shard) -> Result<Left> {
        self.leave_if(id, actor, queue, to, None).await
    }

    /// The same for a job of that kind only, which that actor made; any other stays.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub(super) async fn leave_if(
        &self,
        id: &JobId,
        actor: &str,
        queue: &QueueName,
        to: Shard,
        kind: Option<&Kind>,
    ) -> Result<Left> {
        let place = [queue.as_str(), &to.to_string(), kind.map_or("", Kind::as_str)];
        let mut reply = self.left("leave", id, actor, &place).await?;
        match reply.text()?.as_str() {
            "left" => Ok(Left::Gone(Version(reply.standing()?.version.0.saturating_add(1)))),
            "missing" => Ok(Left::Gone(Version(0))),
            "stays" => Ok(Left::Stays(reply.standing()?)),
            unknown => Err(super::unknown_word("leave", unknown)),
        }
    }

    /// Removes a job that has arrived in another shard. May be repeated.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub async fn forget(&self, id: &JobId) -> Result<()> {
        self.left("forget", id, "client", &["", "", ""]).await.map(drop)
    }

    /// Puts a job back that was to leave, but was refused elsewhere. May be repeated.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub async fn stay(&self, id: &JobId, actor: &str) -> Result<()> {
        self.left("stay", id, actor, &["", "", ""]).await.map(drop)
    }

    async fn left(&self, step: &str, id: &JobId, actor: &str, place: &[&str; 3]) -> Result<Reply> {
        let mut call = self.call(&script::LEAVE);
        call.arg(step).arg(id.as_str()).arg(actor).arg(place);
        self.drain(&call).await
    }
}
