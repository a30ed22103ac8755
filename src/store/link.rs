//! A connection that mends itself, whatever sort of Redis is behind it.

use super::address::Address;
use super::call::{Loads, load_command};
use super::client::{self, CONNECT_TIMEOUT, TlsFiles};
use super::cluster::ClusterLink;
use super::home::Home;
use super::renewal::Renewal;
use super::sentinel::Sentinels;
use crate::refusal;
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionInfo, Pipeline, RedisError, RedisFuture, RedisResult, Value,
};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Wait before the second attempt to connect; each later one is twice as long.
const RECONNECT_DELAY: Duration = Duration::from_millis(50);
/// Attempts to connect before a call fails; the next call tries again.
const RECONNECT_ATTEMPTS: u32 = 3;

/// One connection, shared by all that clone it. Where it is lost, the new one is opened at home: one to a Cluster
/// knows its home, for it lives in a task of its own that connects by itself and is replaced as a whole.
#[derive(Clone)]
pub(crate) enum Link {
    Server(Home, ServerLink),
    Cluster(ClusterLink, Arc<Renewal>),
}

impl Link {
    /// Connects lazily: the first command opens the connection. Must be called in the runtime where it is to live.
    pub(super) fn open(
        home: &Home,
        address: &Address,
        tls: &TlsFiles,
        timeout: Duration,
        renewal: &Arc<Renewal>,
    ) -> RedisResult<Self> {
        let place = match address {
            Address::Cluster(nodes) => {
                return Ok(Self::Cluster(ClusterLink::open(home, nodes, tls, timeout)?, Arc::clone(renewal)));
            }
            Address::One(server) => {
                // Made once to be refused at once: what it reads of the certificates may be wrong.
                drop(client::client((**server).clone(), tls)?);
                Place::One(server.clone())
            }
            Address::Sentinel(sentinels) => Place::Sentinel(sentinels.clone()),
        };
        let shared = Shared {
            place,
            tls: tls.clone(),
            timeout,
            renewal: Arc::clone(renewal),
            current: Mutex::default(),
        };
        Ok(Self::Server(home.clone(), ServerLink { shared: Arc::new(shared) }))
    }
}

/// A connection to one server, or to the master that Sentinels name. It is opened anew, and the address looked up again, when
/// it is lost and when the [round](Renewal::round) of all connections to that Redis is over.
#[derive(Clone)]
pub(crate) struct ServerLink {
    shared: Arc<Shared>,
}

struct Shared {
    place: Place,
    tls: TlsFiles,
    timeout: Duration,
    renewal: Arc<Renewal>,
    current: Mutex<Current>,
}

enum Place {
    One(Box<ConnectionInfo>),
    Sentinel(Box<Sentinels>),
}

#[derive(Default)]
struct Current {
    /// Counts the connections, to tell one from those before.
    number: u64,
    open: Option<Open>,
    /// When the latest attempts ended with nothing, and why.
    failed: Option<(Instant, RedisError)>,
}

#[derive(Clone)]
struct Open {
    number: u64,
    round: u64,
    connection: MultiplexedConnection,
}

impl ServerLink {
    async fn connection(&self) -> RedisResult<Open> {
        let came = Instant::now();
        let renewal = &self.shared.renewal;
        // Held while connecting, so that those who come meanwhile wait for one connection instead of opening more.
        let mut current = self.shared.current.lock().await;
        if let Some(open) = current.open.as_ref().filter(|open| open.round == renewal.round()) {
            return Ok(open.clone());
        }
        current.open = None;
        if let Some((_, error)) = current.failed.as_ref().filter(|(failed_at, _)| *failed_at >= came) {
            return Err(error.clone());
        }
        let mut attempt = 1;
        loop {
            let round = renewal.round();
            let error = match self.connect().await {
                Ok(connection) => {
                    current.number += 1;
                    current.failed = None;
                    let open = Open { number: current.number, round, connection };
                    current.open = Some(open.clone());
                    return Ok(open);
                }
                Err(error) => error,
            };
            // What was refused is refused again, and who waits for a dead server has waited long enough.
            let is_last = attempt == RECONNECT_ATTEMPTS || matches!(self.shared.place, Place::Sentinel(_));
            if is_last || error.is_timeout() || !error.is_io_error() || refusal::is_refusal(&error) {
                current.failed = Some((Instant::now(), error.clone()));
                return Err(error);
            }
            tokio::time::sleep(RECONNECT_DELAY * attempt).await;
            attempt += 1;
        }
    }

    async fn connect(&self) -> RedisResult<MultiplexedConnection> {
        let Shared { place, tls, timeout, renewal, .. } = &*self.shared;
        let opened = async {
            match place {
                Place::One(server) => {
                    let client = client::client((**server).clone(), tls)?;
                    open(&client, Some(*timeout)).await
                }
                Place::Sentinel(sentinels) => {
                    let (client, who) = sentinels.find_master(tls).await?;
                    open(&client, Some(*timeout)).await.map_err(|error| refusal::by(&who, &error))
                }
            }
        };
        let opened = opened.await;
        settle(renewal, opened)
    }

    /// Draws its conclusions from how a call ended: for this connection, and for all to that Redis.
    async fn judge(&self, open: &Open, result: Result<&[Value], &RedisError>) {
        self.shared.renewal.judge_values(open.round, result);
        if result.is_err_and(|error| {
            !error.is_timeout() && (error.is_io_error() || error.is_unrecoverable_error())
        }) {
            let mut current = self.shared.current.lock().await;
            if current.open.as_ref().is_some_and(|present| present.number == open.number) {
                current.open = None;
            }
        }
    }
}

/// Remembers why a server refuses, and says that again where only the connection is lost.
pub(super) fn settle<T>(renewal: &Renewal, opened: RedisResult<T>) -> RedisResult<T> {
    match opened {
        Ok(open) => {
            renewal.connected();
            Ok(open)
        }
        Err(error) => {
            let is_refusal = refusal::is_refusal(&error);
            Err(renewal.first_cause(error, is_refusal))
        }
    }
}

/// Opens a connection on which the server has said something: a system takes connections for a process that is frozen.
pub(super) async fn open(client: &Client, timeout: Option<Duration>) -> RedisResult<MultiplexedConnection> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(CONNECT_TIMEOUT))
        .set_response_timeout(timeout);
    let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
    let ping = redis::cmd("PING");
    match tokio::time::timeout(CONNECT_TIMEOUT, connection.req_packed_command(&ping)).await {
        Ok(Err(error)) => Err(error),
        // What it refuses with is for the call to say that comes next.
        Ok(_) => Ok(connection),
        Err(_) => Err(RedisError::from(io::Error::new(io::ErrorKind::TimedOut, "it did not answer in time"))),
    }
}

impl Loads for Link {
    async fn load(&mut self, library: &str, key: &str) -> RedisResult<()> {
        let load = load_command(library);
        match self {
            Self::Cluster(connection, _) => connection.at_master_of(key, load).await.map(drop),
            Self::Server(..) => load.query_async(self).await,
        }
    }
}

impl ConnectionLike for Link {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Self::Server(home, link) => Box::pin(home.begins(async move {
                let mut open = link.connection().await?;
                let result = open.connection.req_packed_command(cmd).await;
                link.judge(&open, result.as_ref().map(std::slice::from_ref)).await;
                result
            })),
            Self::Cluster(link, renewal) => Box::pin(async move {
                let round = renewal.round();
                let result = link.req_packed_command(cmd).await;
                renewal.judge_values(round, result.as_ref().map(std::slice::from_ref));
                result
            }),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Self::Server(home, link) => Box::pin(home.begins(async move {
                let mut open = link.connection().await?;
                let result = open.connection.req_packed_commands(pipeline, offset, count).await;
                link.judge(&open, result.as_ref().map(Vec::as_slice)).await;
                result
            })),
            Self::Cluster(link, renewal) => Box::pin(async move {
                let round = renewal.round();
                let result = link.req_packed_commands(pipeline, offset, count).await;
                renewal.judge_values(round, result.as_ref().map(Vec::as_slice));
                result
            }),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::Server(_, link) => match &link.shared.place {
                Place::One(server) => server.redis_settings().db(),
                Place::Sentinel(sentinels) => sentinels.database(),
            },
            Self::Cluster(connection, _) => connection.get_db(),
        }
    }
}
