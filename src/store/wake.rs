//! Waiting for the tokens that wake workers and forwarders: a blocking pop on a connection of its own.

use super::Store;
use super::own_connection::OwnConnection;
use crate::error::Result;
use crate::model::{QueueName, Shard};
use std::time::Duration;

/// A connection that waits for the wake tokens of some shards, which one connection must reach.
pub struct WakeReader {
    stores: Vec<Store>,
    connection: Option<OwnConnection>,
}

impl WakeReader {
    pub const fn new(stores: Vec<Store>) -> Self {
        Self { stores, connection: None }
    }

    /// The shards it waits for.
    pub(crate) fn shards(&self) -> impl Iterator<Item = Shard> {
        self.stores.iter().map(Store::shard)
    }

    /// Waits until a queue has a wake token, or that long. The shard where there was one.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable); the next call connects anew.
    pub async fn wait(&mut self, queues: &[QueueName], longest: Duration) -> Result<Option<Shard>> {
        let Some(first) = self.stores.first() else { return Ok(None) };
        let keys =
            self.stores.iter().flat_map(|store| queues.iter().map(|queue| store.keys().wake(queue.as_str())));
        let key = pop(first, &mut self.connection, keys.collect(), longest).await?;
        // Whichever shard comes first would otherwise always be served first.
        self.stores.rotate_left(1);
        Ok(key.and_then(|key| {
            self.stores.iter().find(|store| key.starts_with(store.keys().prefix())).map(Store::shard)
        }))
    }
}

/// A connection that waits for the token of a shard's forwarder.
pub(crate) struct DueReader {
    store: Store,
    connection: Option<OwnConnection>,
}

impl DueReader {
    pub(crate) const fn new(store: Store) -> Self {
        Self { store, connection: None }
    }

    /// Waits until a job is due before the forwarder meant to look, or that long. Whether there is one.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable); the next call connects anew.
    pub(crate) async fn wait(&mut self, longest: Duration) -> Result<bool> {
        let key = self.store.keys().due_wake();
        Ok(pop(&self.store, &mut self.connection, vec![key], longest).await?.is_some())
    }
}

/// Waits until one of these lists has a token, or that long. The list where there was one.
async fn pop(
    store: &Store,
    connection: &mut Option<OwnConnection>,
    keys: Vec<String>,
    longest: Duration,
) -> Result<Option<String>> {
    let mut pop = redis::cmd("BLPOP");
    pop.arg(keys).arg(longest.as_secs_f64());
    // Longer than Redis may block: a link that only looks alive must not stop the caller.
    let timeout = longest + Duration::from_secs(2);
    let popped: Option<(String, String)> = store.wait(connection, timeout, &pop).await?;
    Ok(popped.map(|(key, _)| key))
}
