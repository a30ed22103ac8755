//! A Redis that somebody else's data lies on: often our own, sometimes another one.

use super::connection::{Connections, Proof};
use super::reply::{Item, Reply};
use crate::error::Result;
use redis::{Cmd, FromRedisValue, ScriptInvocation};
use std::sync::Arc;

/// The way to foreign keys. Cloning shares its connections.
#[derive(Clone)]
pub(crate) struct Foreign {
    connections: Arc<Connections>,
}

impl Foreign {
    /// The Redis at that address, connected to lazily; `authority` is who may sign for it, in PEM, if not the usual ones.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) for a URL that names no Redis.
    pub(crate) fn open(url: &str, authority: Option<&str>) -> Result<Self> {
        let authority = authority.map(|pem| pem.as_bytes().to_vec());
        Ok(Self { connections: Connections::open(url, authority)? })
    }

    /// The Redis of a namespace.
    pub(crate) fn beside(cells: &super::Cells) -> Self {
        Self { connections: Arc::clone(cells.first().connections()) }
    }

    /// Runs a script. The reply is a list.
    pub(crate) async fn call(&self, call: &ScriptInvocation<'_>) -> Result<Reply> {
        let reply: redis::RedisResult<Item> = call.invoke_async(&mut self.connections.writes()).await;
        self.connections.note(Proof::Reads, reply)?.list()
    }

    /// Runs a plain command.
    pub(crate) async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T> {
        let reply = command.query_async(&mut self.connections.reads()).await;
        self.connections.note(Proof::Reads, reply)
    }
}
