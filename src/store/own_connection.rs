//! Connections of a caller's own, and those of them that are idle.

use redis::aio::MultiplexedConnection;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Idle connections kept for each shard: as many people press buttons in the same instant.
const IDLE_MAX: usize = 4;

/// A connection of the caller's own, as long as it leads to the right server.
pub(crate) struct OwnConnection {
    connection: MultiplexedConnection,
    round: u64,
}

impl OwnConnection {
    /// One that was opened in that round of connections.
    pub(super) const fn new(connection: MultiplexedConnection, round: u64) -> Self {
        Self { connection, round }
    }

    /// The connection itself.
    pub(super) const fn get(&mut self) -> &mut MultiplexedConnection {
        &mut self.connection
    }

    pub(super) const fn round(&self) -> u64 {
        self.round
    }
}

/// Idle connections, by the prefix of the shard they reach.
#[derive(Default)]
pub(super) struct Pool {
    idle: Mutex<HashMap<String, Vec<OwnConnection>>>,
}

impl Pool {
    pub(super) fn take(&self, prefix: &str) -> Option<OwnConnection> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).get_mut(prefix)?.pop()
    }

    pub(super) fn give_back(&self, prefix: &str, connection: OwnConnection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let of_shard = idle.entry(prefix.to_owned()).or_default();
        if of_shard.len() < IDLE_MAX {
            of_shard.push(connection);
        }
    }
}
