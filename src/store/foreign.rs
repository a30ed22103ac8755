//! A Redis that somebody else's data lies on: often our own, sometimes another one.

use super::client::TlsFiles;
use super::connection::{Connections, Proof};
use super::reply::{Item, Reply};
use crate::error::{Error, Result, is_right_refused};
use redis::{Cmd, FromRedisValue, ScriptInvocation};
use std::sync::Arc;

/// The way to foreign keys. Cloning shares its connections.
#[derive(Clone)]
pub struct Foreign {
    connections: Arc<Connections>,
    /// It is another Redis than the engine's.
    is_another: bool,
}

/// What is said of another Redis at its memory limit.
const FULL: &str = "the other redis has reached its memory limit";

impl Foreign {
    /// The Redis at that address, connected to lazily.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) for a URL that names no Redis.
    pub fn open(url: &str, tls: TlsFiles) -> Result<Self> {
        Ok(Self { connections: Connections::open(url, tls)?, is_another: true })
    }

    /// The Redis of a namespace.
    pub fn beside(shards: &super::Shards) -> Self {
        Self { connections: Arc::clone(shards.first().connections()), is_another: false }
    }

    /// Runs a script. The reply is a list.
    pub async fn call(&self, call: &ScriptInvocation<'_>) -> Result<Reply> {
        let reply: redis::RedisResult<Item> = call.invoke_async(&mut self.connections.writes()).await;
        self.note(reply)?.list()
    }

    /// Runs a plain command.
    pub async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T> {
        let reply = command.query_async(&mut self.connections.reads()).await;
        self.note(reply)
    }

    /// Passes a result on. That foreign keys may not be touched is no outage of ours.
    fn note<T>(&self, reply: redis::RedisResult<T>) -> Result<T> {
        match reply {
            Err(error) if is_right_refused(&error) => Err(error.into()),
            reply => self.connections.note(Proof::Reads, reply).map_err(|error| self.full(error)),
        }
    }

    /// Ours is not full where another one is.
    fn full(&self, error: Error) -> Error {
        match error {
            Error::StorageFull if self.is_another => Error::Refused { why: FULL.to_owned() },
            error => error,
        }
    }
}
