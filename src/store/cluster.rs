//! A connection to all nodes of a Cluster, and which of them owns a slot: commands that block go to it directly.

use super::address;
use super::home::Home;
use super::link::CONNECT_TIMEOUT;
use redis::aio::ConnectionLike;
use redis::cluster::{ClusterClient, ClusterClientBuilder, ClusterConfig};
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{Route, RoutingInfo, SingleNodeRoutingInfo, SlotAddr};
use redis::{
    Client, Cmd, ConnectionAddr, ConnectionInfo, ErrorKind, Pipeline, RedisError, RedisFuture, RedisResult,
    Value,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a call is repeated: behind a slot that has moved, and while one is on its way. Every call can be
/// repeated: it carries the id of its job, a token, or the id of an operation.
const REPEATS: u32 = 8;
/// Waits between those repeats, in ms.
const REPEAT_MS: (u64, u64) = (20, 400);

/// A connection to all nodes. A call ends in time, whatever its repeats meet; a connection that gives no answer at all
/// is replaced by a new one, which learns afresh which node owns what.
#[derive(Clone)]
pub(crate) struct ClusterLink {
    shared: Arc<Shared>,
}

struct Shared {
    /// Where each new connection is opened, whoever finds the one before without an answer.
    home: Home,
    client: ClusterClient,
    config: ClusterConfig,
    /// How long a call may take with all its repeats.
    patience: Duration,
    /// The present connection with its number, which tells it from the one before.
    current: Mutex<(u64, ClusterConnection)>,
}

impl ClusterLink {
    /// Connects lazily. Must be called in the runtime where it is to live.
    pub(super) fn open(
        home: &Home,
        nodes: &[ConnectionInfo],
        ca: Option<&[u8]>,
        timeout: Duration,
    ) -> RedisResult<Self> {
        let mut builder = ClusterClientBuilder::new(nodes.iter().cloned())
            .retries(REPEATS)
            .min_retry_wait(REPEAT_MS.0)
            .max_retry_wait(REPEAT_MS.1)
            .connection_timeout(CONNECT_TIMEOUT)
            .response_timeout(timeout);
        if nodes.iter().any(address::is_tls)
            && let Some(certificates) = address::certificates(ca)
        {
            builder = builder.certs(certificates);
        }
        let config =
            ClusterConfig::new().set_connection_timeout(CONNECT_TIMEOUT).set_response_timeout(timeout);
        let client = builder.build()?;
        let first = client.get_pending_async_connection_with_config(config.clone());
        let current = Mutex::new((0, first));
        let shared = Shared { home: home.clone(), client, config, patience: timeout, current };
        Ok(Self { shared: Arc::new(shared) })
    }

    fn current(&self) -> MutexGuard<'_, (u64, ClusterConnection)> {
        self.shared.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn connection(&self) -> (u64, ClusterConnection) {
        self.current().clone()
    }

    /// Sends a command that names no key to the master that owns this one.
    pub(super) async fn at_master_of(&self, key: &str, command: Cmd) -> RedisResult<Value> {
        let (number, mut connection) = self.connection();
        let sending = async {
            let slot =
                redis::cmd("CLUSTER").arg("KEYSLOT").arg(key).query_async(&mut connection.clone()).await?;
            let owner = SingleNodeRoutingInfo::SpecificNode(Route::new(slot, SlotAddr::Master));
            connection.route_command(command, RoutingInfo::SingleNode(owner)).await
        };
        self.within_patience(number, sending).await
    }

    async fn within_patience<T>(
        &self,
        number: u64,
        call: impl Future<Output = RedisResult<T>>,
    ) -> RedisResult<T> {
        match tokio::time::timeout(self.shared.patience, call).await {
            Ok(answer) => answer,
            Err(_) => {
                let Shared { home, client, config, .. } = &*self.shared;
                let mut current = self.current();
                if current.0 == number {
                    let anew = home.makes(|| client.get_pending_async_connection_with_config(config.clone()));
                    *current = (number + 1, anew);
                }
                Err(RedisError::from((ErrorKind::Io, "the cluster did not answer in time")))
            }
        }
    }
}

impl ConnectionLike for ClusterLink {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        Box::pin(async move {
            let (number, mut connection) = self.connection();
            self.within_patience(number, connection.req_packed_command(cmd)).await
        })
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        Box::pin(async move {
            let (number, mut connection) = self.connection();
            self.within_patience(number, connection.req_packed_commands(pipeline, offset, count)).await
        })
    }

    fn get_db(&self) -> i64 {
        0
    }
}

/// A client for the master that owns the slot of a key.
pub(super) async fn owner(
    cluster: &mut ClusterLink,
    nodes: &[ConnectionInfo],
    key: &str,
    ca: Option<&[u8]>,
) -> RedisResult<Client> {
    let slot: u16 = redis::cmd("CLUSTER").arg("KEYSLOT").arg(key).query_async(cluster).await?;
    let ranges: Vec<Vec<Value>> = redis::cmd("CLUSTER").arg("SLOTS").query_async(cluster).await?;
    let first = nodes
        .first()
        .ok_or_else(|| RedisError::from((ErrorKind::InvalidClientConfig, "no node is named")))?;
    let found = ranges.into_iter().find_map(|range| master_of(range, slot));
    let (host, port) = found.ok_or_else(|| RedisError::from((ErrorKind::Io, "no node owns the slot")))?;
    let (known_host, tls) = match first.addr() {
        ConnectionAddr::Tcp(host, _) => (host.clone(), false),
        ConnectionAddr::TcpTls { host, .. } => (host.clone(), true),
        _ => (String::new(), false),
    };
    // A node that does not know its own name is where we reached the Cluster.
    let host = if host.is_empty() || host == "?" { known_host } else { host };
    let at = if tls {
        ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None }
    } else {
        ConnectionAddr::Tcp(host, port)
    };
    address::client(first.clone().set_addr(at), ca)
}

/// Host and port of the master of a range, `[first, last, [host, port, …], …]`, if the slot lies in it.
fn master_of(range: Vec<Value>, slot: u16) -> Option<(String, u16)> {
    let mut range = range.into_iter();
    let first: u16 = redis::from_redis_value(range.next()?).ok()?;
    let last: u16 = redis::from_redis_value(range.next()?).ok()?;
    let Some(Value::Array(master)) = range.next() else { return None };
    let mut master = master.into_iter();
    let host: Option<String> = redis::from_redis_value(master.next()?).ok()?;
    let port: u16 = redis::from_redis_value(master.next()?).ok()?;
    (first..=last).contains(&slot).then(|| (host.unwrap_or_default(), port))
}
