//! The event stream: a blocking reader for the tail, ranges for a replay.

use super::Store;
use super::connection::Proof;
use crate::codec;
use crate::error::{Error, Result};
use crate::model::{Event, EventId};
use redis::aio::MultiplexedConnection;
use redis::streams::{StreamRangeReply, StreamReadReply};
use std::collections::HashMap;
use std::time::Duration;

/// How long one read of the stream waits for something new.
const READ_BLOCK: Duration = Duration::from_secs(1);
/// Longer than Redis may block: a link that only looks alive is given up.
const READ_PATIENCE: Duration = Duration::from_secs(4);
/// Events taken at once: more would only delay the first of them.
const READ_COUNT: usize = 512;

impl Store {
    /// The latest event; [`EventId::ZERO`] when there never was one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn latest_event(&self) -> Result<EventId> {
        let mut call = redis::cmd("XREVRANGE");
        call.arg(self.keys().events()).arg("+").arg("-").arg("COUNT").arg(1);
        Ok(self.range(&call).await?.into_iter().next_back().map_or(EventId::ZERO, |(id, _)| id))
    }

    /// Events behind `after`, oldest first, at most that many; the first one of the stream stands for a gap check.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn events_after(&self, after: EventId, most: usize) -> Result<Vec<Event>> {
        let mut call = redis::cmd("XRANGE");
        call.arg(self.keys().events()).arg(format!("({after}")).arg("+").arg("COUNT").arg(most);
        Ok(self.range(&call).await?.into_iter().filter_map(|(_, event)| event).collect())
    }

    /// The oldest event the stream still has; `None` when it is empty.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn oldest_event(&self) -> Result<Option<EventId>> {
        let mut call = redis::cmd("XRANGE");
        call.arg(self.keys().events()).arg("-").arg("+").arg("COUNT").arg(1);
        Ok(self.range(&call).await?.into_iter().next().map(|(id, _)| id))
    }

    async fn range(&self, call: &redis::Cmd) -> Result<Vec<(EventId, Option<Event>)>> {
        let reply: redis::RedisResult<StreamRangeReply> =
            call.query_async(&mut self.connections().reads()).await;
        Ok(self.connections().note(Proof::Reads, reply)?.ids.into_iter().filter_map(entry).collect())
    }
}

/// The place and, if it reads, the content of a stream entry.
fn entry(entry: redis::streams::StreamId) -> Option<(EventId, Option<Event>)> {
    let id: EventId = entry.id.parse().ok()?;
    let fields: HashMap<String, Vec<u8>> = entry
        .map
        .into_iter()
        .filter_map(|(name, value)| Some((name, redis::from_redis_value::<Vec<u8>>(value).ok()?)))
        .collect();
    Some((id, codec::event(id, fields)))
}

/// Reads the stream on a connection of its own, from a place onwards.
pub(crate) struct StreamReader {
    store: Store,
    connection: Option<MultiplexedConnection>,
    at: EventId,
}

impl StreamReader {
    pub(crate) const fn new(store: Store, at: EventId) -> Self {
        Self { store, connection: None, at }
    }

    /// The next events; empty when none came within a second.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; the next call connects anew and goes on from the same place.
    pub(crate) async fn next(&mut self) -> Result<Vec<Event>> {
        let connection = match self.connection.as_mut() {
            Some(connection) => connection,
            None => self.connection.insert(self.store.connections().blocking().await?),
        };
        let mut read = redis::cmd("XREAD");
        read.arg("COUNT")
            .arg(READ_COUNT)
            .arg("BLOCK")
            .arg(u64::try_from(READ_BLOCK.as_millis()).unwrap_or(1_000));
        read.arg("STREAMS").arg(self.store.keys().events()).arg(self.at.to_string());
        let reply: Result<Option<StreamReadReply>> =
            match tokio::time::timeout(READ_PATIENCE, read.query_async(connection)).await {
                Ok(reply) => self.store.connections().note(Proof::Reads, reply),
                Err(_) => Err(Error::Unavailable { what: "it did not answer in time".to_owned() }),
            };
        if reply.is_err() {
            self.connection = None;
        }
        let entries: Vec<_> = reply?.map(|reply| reply.keys).unwrap_or_default();
        let entries: Vec<_> = entries.into_iter().flat_map(|key| key.ids).filter_map(entry).collect();
        if let Some((id, _)) = entries.last() {
            self.at = *id;
        }
        Ok(entries.into_iter().filter_map(|(_, event)| event).collect())
    }
}
