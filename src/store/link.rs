//! A connection that mends itself, whatever sort of Redis is behind it.

use super::address::{self, Address};
use super::call::{Loads, load_command};
use super::cluster::ClusterLink;
use super::home::Home;
use super::sentinel::SentinelLink;
use redis::aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig};
use redis::{Cmd, Pipeline, RedisFuture, RedisResult, Value};
use std::time::Duration;

/// How long a new connection may take. Redis is near; more would only hide that it is gone.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Shortest and longest wait between attempts to reconnect.
const RECONNECT_DELAY_MIN: Duration = Duration::from_millis(50);
const RECONNECT_DELAY_MAX: Duration = Duration::from_secs(1);
/// Attempts to reconnect before a call fails; the next call tries again.
const RECONNECT_ATTEMPTS: usize = 2;
/// One connection, shared by all that clone it. Whoever finds it lost, the new one is opened at home: one to a Cluster
/// knows its home, for it lives in a task of its own that connects by itself and is replaced as a whole.
#[derive(Clone)]
pub(crate) enum Link {
    One(Home, ConnectionManager),
    Cluster(ClusterLink),
    Sentinel(Home, SentinelLink),
}

impl Link {
    /// Connects lazily: the first command opens the connection. Must be called in the runtime where it is to live.
    pub(super) fn open(
        home: &Home,
        address: &Address,
        ca: Option<&[u8]>,
        timeout: Duration,
    ) -> RedisResult<Self> {
        Ok(match address {
            Address::One(server) => {
                let config = ConnectionManagerConfig::new()
                    .set_connection_timeout(Some(CONNECT_TIMEOUT))
                    .set_response_timeout(Some(timeout))
                    .set_min_delay(RECONNECT_DELAY_MIN)
                    .set_max_delay(RECONNECT_DELAY_MAX)
                    .set_number_of_retries(RECONNECT_ATTEMPTS);
                let client = address::client(server.clone(), ca)?;
                Self::One(home.clone(), ConnectionManager::new_lazy_with_config(client, config)?)
            }
            Address::Cluster(nodes) => Self::Cluster(ClusterLink::open(home, nodes, ca, timeout)?),
            Address::Sentinel { sentinels, master, login } => {
                Self::Sentinel(home.clone(), SentinelLink::new(sentinels, master, login, ca, timeout))
            }
        })
    }
}

impl Loads for Link {
    async fn load(&mut self, library: &str, key: &str) -> RedisResult<()> {
        let load = load_command(library);
        match self {
            Self::Cluster(connection) => connection.at_master_of(key, load).await.map(drop),
            _ => load.query_async(self).await,
        }
    }
}

impl ConnectionLike for Link {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Self::One(home, connection) => Box::pin(home.begins(connection.req_packed_command(cmd))),
            Self::Cluster(connection) => connection.req_packed_command(cmd),
            Self::Sentinel(home, connection) => Box::pin(home.begins(connection.req_packed_command(cmd))),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Self::One(home, connection) => {
                Box::pin(home.begins(connection.req_packed_commands(pipeline, offset, count)))
            }
            Self::Cluster(connection) => connection.req_packed_commands(pipeline, offset, count),
            Self::Sentinel(home, connection) => {
                Box::pin(home.begins(connection.req_packed_commands(pipeline, offset, count)))
            }
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::One(_, connection) => connection.get_db(),
            Self::Cluster(connection) => connection.get_db(),
            Self::Sentinel(_, connection) => connection.get_db(),
        }
    }
}
