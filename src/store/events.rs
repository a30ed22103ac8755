//! The event stream: a blocking reader for the tail, ranges for a replay.

use super::Store;
use super::connection::Proof;
use super::own_connection::OwnConnection;
use crate::error::Result;
use crate::model::{Event, EventId, Shard};
use crate::store::codec;
use redis::{FromRedisValue, ParsingError, Value};
use std::time::Duration;
use tokio::time::Instant;

/// How long one read of the stream waits for something new.
const READ_BLOCK: Duration = Duration::from_secs(2);
/// Longer than Redis may block: a link that only looks alive is given up.
const READ_PATIENCE: Duration = Duration::from_secs(4);
/// Entries taken at once, each of up to 200 events: more would only delay the first of them.
const READ_COUNT: usize = 64;
/// From a read that brought something to the next, unless more waits: on a busy stream many events come by one read,
/// where each would cost a read and two wake-ups. What a quiet stream brings is not delayed.
const READ_PERIOD: Duration = Duration::from_millis(2);
/// Entries read at once for a replay.
const REPLAY_COUNT: usize = 100;

impl Store {
    /// The latest event; [`EventId::ZERO`] when there never was one.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn latest_event(&self) -> Result<EventId> {
        let mut call = redis::cmd("XREVRANGE");
        call.arg(self.keys().events()).arg("+").arg("-").arg("COUNT").arg(1);
        let last = self.range(&call).await?.into_iter().next_back();
        Ok(last.map_or(EventId::ZERO, |(id, events)| events.last().map_or(id, |event| event.id)))
    }

    /// Events behind `after`, oldest first. They are read by whole entries: with entries of many events there may be
    /// more than `most`, and then there are.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn events_after(&self, after: EventId, most: usize) -> Result<Vec<Event>> {
        let mut events = Vec::new();
        // Its own entry may hold events behind it.
        let mut from = after.entry().to_string();
        while events.len() < most {
            let mut call = redis::cmd("XRANGE");
            call.arg(self.keys().events()).arg(&from).arg("+").arg("COUNT").arg(REPLAY_COUNT);
            let entries = self.range(&call).await?;
            let is_last = entries.len() < REPLAY_COUNT;
            from = entries.last().map_or(from, |(id, _)| format!("({id}"));
            let found = entries.into_iter().flat_map(|(_, events)| events);
            events.extend(found.filter(|event| event.id > after));
            if is_last {
                break;
            }
        }
        Ok(events)
    }

    /// So many entries at most behind one, oldest first.
    pub(super) async fn entries_after(
        &self,
        after: EventId,
        most: usize,
    ) -> Result<Vec<(EventId, Vec<Event>)>> {
        let mut call = redis::cmd("XRANGE");
        call.arg(self.keys().events()).arg(format!("({}", after.entry())).arg("+").arg("COUNT").arg(most);
        self.range(&call).await
    }

    /// The oldest event the stream still has; `None` when it is empty.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn oldest_event(&self) -> Result<Option<EventId>> {
        let mut call = redis::cmd("XRANGE");
        call.arg(self.keys().events()).arg("-").arg("+").arg("COUNT").arg(1);
        Ok(self.range(&call).await?.into_iter().next().map(|(id, _)| id))
    }

    async fn range(&self, call: &redis::Cmd) -> Result<Vec<(EventId, Vec<Event>)>> {
        let reply: redis::RedisResult<Vec<Entry>> = call.query_async(&mut self.connections().reads()).await;
        Ok(self
            .connections()
            .note(Proof::Reads, reply)?
            .into_iter()
            .filter_map(|entry| entry.read(self.shard()))
            .collect())
    }
}

/// An entry of the stream: its id, its fields in their order; names may come again.
pub(super) struct Entry(String, Vec<(String, Vec<u8>)>);

/// What XREAD answers: streams by name.
type Streams = Vec<(String, Vec<Entry>)>;

impl FromRedisValue for Entry {
    fn from_redis_value(value: Value) -> std::result::Result<Self, ParsingError> {
        let (id, fields) = redis::from_redis_value(value)?;
        Ok(Self(id, fields))
    }
}

impl Entry {
    /// Its place and what reads of its content.
    pub(super) fn read(self, shard: Shard) -> Option<(EventId, Vec<Event>)> {
        let id: EventId = self.0.parse().ok()?;
        Some((id, codec::events(shard, id, &self.1)))
    }
}

/// Reads the streams of some shards on a connection of its own, from a place onwards.
pub(crate) struct StreamReader {
    streams: Vec<(Store, EventId)>,
    connection: Option<OwnConnection>,
    /// When to read again.
    next_read: Instant,
}

impl StreamReader {
    /// A reader from the present end of those streams on, which one connection must reach.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn at_the_end(stores: Vec<Store>) -> Result<Self> {
        let mut streams = Vec::with_capacity(stores.len());
        for store in stores {
            let at = store.latest_event().await?;
            streams.push((store, at));
        }
        Ok(Self { streams, connection: None, next_read: Instant::now() })
    }

    /// The next events; empty when none came within a second.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable); the next call connects anew and goes on from the same place.
    pub(crate) async fn next(&mut self) -> Result<Vec<Event>> {
        let Some((first, _)) = self.streams.first() else { return Ok(Vec::new()) };
        let store = first.clone();
        tokio::time::sleep_until(self.next_read).await;
        let mut read = redis::cmd("XREAD");
        read.arg("COUNT")
            .arg(READ_COUNT)
            .arg("BLOCK")
            .arg(u64::try_from(READ_BLOCK.as_millis()).unwrap_or(1_000))
            .arg("STREAMS");
        for (store, _) in &self.streams {
            read.arg(store.keys().events());
        }
        for (_, at) in &self.streams {
            read.arg(at.entry().to_string());
        }
        let reply: Result<Option<Streams>> = store.wait(&mut self.connection, READ_PATIENCE, &read).await;
        let (mut events, mut is_full) = (Vec::new(), false);
        for (key, entries) in reply?.unwrap_or_default() {
            let stream = self.streams.iter_mut().find(|(store, _)| store.keys().events() == key);
            let Some((store, at)) = stream else { continue };
            is_full |= entries.len() >= READ_COUNT;
            for (id, read) in entries.into_iter().filter_map(|entry| entry.read(store.shard())) {
                *at = id;
                events.extend(read);
            }
        }
        if !is_full {
            self.next_read = Instant::now() + READ_PERIOD;
        }
        Ok(events)
    }
}
