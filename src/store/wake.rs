//! Waiting for wake tokens: a blocking pop on a connection of its own.

use super::Store;
use super::connection::OwnConnection;
use crate::error::Result;
use crate::model::{QueueName, Shard};
use std::time::Duration;

/// A connection that waits for the wake tokens of some shards, which one connection must reach.
pub(crate) struct WakeReader {
    stores: Vec<Store>,
    connection: Option<OwnConnection>,
}

impl WakeReader {
    pub(crate) const fn new(stores: Vec<Store>) -> Self {
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
    pub(crate) async fn wait(&mut self, queues: &[QueueName], longest: Duration) -> Result<Option<Shard>> {
        let Some(first) = self.stores.first() else { return Ok(None) };
        let mut pop = redis::cmd("BLPOP");
        for store in &self.stores {
            for queue in queues {
                pop.arg(store.keys().wake(queue.as_str()));
            }
        }
        pop.arg(longest.as_secs_f64());
        // Longer than Redis may block: a link that only looks alive must not stop the worker.
        let patience = longest + Duration::from_secs(2);
        let popped: Result<Option<(String, String)>> = first.wait(&mut self.connection, patience, &pop).await;
        let key = popped?.map(|(key, _)| key);
        // Whichever shard comes first would otherwise always be served first.
        self.stores.rotate_left(1);
        Ok(key.and_then(|key| {
            self.stores.iter().find(|store| key.starts_with(store.keys().prefix())).map(Store::shard)
        }))
    }
}
