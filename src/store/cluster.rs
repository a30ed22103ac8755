//! A connection to all nodes of a Cluster, and which of them owns a slot: commands that block go to it directly.

use super::client::{self, CONNECT_TIMEOUT, TlsFiles};
use super::home::Home;
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
    /// Where each new connection is opened, no matter which caller finds the one before without an answer.
    home: Home,
    client: ClusterClient,
    config: ClusterConfig,
    /// How long a call may take with all its repeats.
    timeout: Duration,
    /// The present connection with its number, which tells it from the one before.
    current: Mutex<(u64, ClusterConnection)>,
}

impl ClusterLink {
    /// Connects lazily. Must be called in the runtime where it is to live.
    pub(super) fn open(
        home: &Home,
        nodes: &[ConnectionInfo],
        tls: &TlsFiles,
        timeout: Duration,
    ) -> RedisResult<Self> {
        let mut builder = ClusterClientBuilder::new(nodes.iter().cloned())
            .retries(REPEATS)
            .min_retry_wait(REPEAT_MS.0)
            .max_retry_wait(REPEAT_MS.1)
            .connection_timeout(CONNECT_TIMEOUT)
            .response_timeout(timeout)
            // Ours ends a call with all its repeats, and has the connection replaced. Its own, which is as long unless it is
            // told otherwise, would always be first.
            .overall_response_timeout(None);
        if nodes.iter().any(client::is_tls)
            && let Some(certificates) = tls.certificates()
        {
            builder = builder.certs(certificates);
        }
        let config =
            ClusterConfig::new().set_connection_timeout(CONNECT_TIMEOUT).set_response_timeout(timeout);
        let client = builder.build()?;
        let first = client.get_pending_async_connection_with_config(config.clone());
        let current = Mutex::new((0, first));
        let shared = Shared { home: home.clone(), client, config, timeout, current };
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
        match tokio::time::timeout(self.shared.timeout, call).await {
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
    tls: &TlsFiles,
) -> RedisResult<Client> {
    let slot: u16 = redis::cmd("CLUSTER").arg("KEYSLOT").arg(key).query_async(cluster).await?;
    let ranges: Vec<Vec<Value>> = redis::cmd("CLUSTER").arg("SLOTS").query_async(cluster).await?;
    let first = nodes
        .first()
        .ok_or_else(|| RedisError::from((ErrorKind::InvalidClientConfig, "no node is named")))?;
    let found = ranges.into_iter().find_map(|range| master_of(range, slot));
    let (host, port) = found.ok_or_else(|| RedisError::from((ErrorKind::Io, "no node owns the slot")))?;
    let (known_host, is_tls) = match first.addr() {
        ConnectionAddr::Tcp(host, _) => (host.clone(), false),
        ConnectionAddr::TcpTls { host, .. } => (host.clone(), true),
        _ => (String::new(), false),
    };
    // A node that does not know its own name is where we reached the Cluster.
    let host = if host.is_empty() || host == "?" { known_host } else { host };
    let at = if is_tls {
        ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None }
    } else {
        ConnectionAddr::Tcp(host, port)
    };
    client::client(first.clone().set_addr(at), tls)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RedisServer;
    use crate::testing::cluster::{NODE_OPTIONS, tell, text};
    use futures_util::future::join_all;
    use std::net::TcpListener;

    const TIMEOUT: Duration = Duration::from_millis(300);
    /// Far longer than anything here takes, even on a busy machine.
    const LONG: Duration = Duration::from_secs(20);

    /// Waits until it is so.
    async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
        let waited = tokio::time::timeout(LONG, async {
            while !holds().await {
                // A node tells nobody when it has come so far.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        assert!(waited.await.is_ok(), "{what} takes too long");
    }

    /// A Cluster of one node, with its port.
    async fn one_node() -> (RedisServer, u16) {
        let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [port, bus] = listeners.map(|listener| listener.local_addr().unwrap().port());
        let (port_text, bus) = (port.to_string(), bus.to_string());
        let own = ["--port", &port_text, "--cluster-port", &bus, "--save", "", "--appendonly", "no"];
        let server = RedisServer::start_with(&[&NODE_OPTIONS, own.as_slice()].concat()).unwrap();
        tell(port, &["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]).unwrap();
        let is_ready = async || text(port, &["CLUSTER", "INFO"]).unwrap().contains("cluster_state:ok");
        until("the Cluster", is_ready).await;
        (server, port)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_connection_that_gives_no_answer_is_replaced_once_and_the_new_one_answers() {
        let (_server, port) = one_node().await;
        let node = Client::open(format!("redis://127.0.0.1:{port}")).unwrap().get_connection_info().clone();
        let link = ClusterLink::open(&Home::here(), &[node], &TlsFiles::default(), TIMEOUT).unwrap();
        let get = Cmd::get("k");
        let answers = async || link.clone().req_packed_command(&get).await.is_ok();
        until("an answer", answers).await;
        let (first, _) = link.connection();

        // Longer than several calls that came to nothing.
        tell(port, &["CLIENT", "PAUSE", "1500", "ALL"]).unwrap();
        let calls = (0..3).map(|_| async { link.clone().req_packed_command(&get).await });
        let failed = join_all(calls).await;

        for answer in failed {
            let said = answer.unwrap_err().to_string();
            assert!(said.contains("the cluster did not answer in time"), "{said}");
        }
        assert_eq!(link.connection().0, first + 1, "all three had waited for the same one");
        until("the new connection", answers).await;
    }
}
