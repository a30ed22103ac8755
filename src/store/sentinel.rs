//! A connection to the master that the Sentinels name.
//!
//! They are asked whenever there is no connection: at first, and after an error which says that this master is gone
//! or is one no more. The server must call itself master too, for Sentinels may be behind.

use super::address;
use super::link::CONNECT_TIMEOUT;
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionAddr, ConnectionInfo, ErrorKind, Pipeline, RedisError,
    RedisFuture, RedisResult, Value,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// How long a Sentinel may take to name a master, and that one to say that it is.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(2);

/// Finds the master, and holds one connection to it.
#[derive(Clone)]
pub(crate) struct SentinelLink {
    shared: Arc<Shared>,
}

struct Shared {
    sentinels: Vec<ConnectionInfo>,
    master: String,
    login: ConnectionInfo,
    ca: Option<Vec<u8>>,
    timeout: Duration,
    /// The present connection with its number, which tells it from the one before.
    current: Mutex<(u64, Option<MultiplexedConnection>)>,
}

impl SentinelLink {
    pub(super) fn new(
        sentinels: &[ConnectionInfo],
        master: &str,
        login: &ConnectionInfo,
        ca: Option<&[u8]>,
        timeout: Duration,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                sentinels: sentinels.to_vec(),
                master: master.to_owned(),
                login: login.clone(),
                ca: ca.map(<[u8]>::to_vec),
                timeout,
                current: Mutex::new((0, None)),
            }),
        }
    }

    async fn connection(&self) -> RedisResult<(u64, MultiplexedConnection)> {
        // Held while connecting, so that those who come meanwhile wait for one connection instead of opening more.
        let mut current = self.shared.current.lock().await;
        if let (number, Some(connection)) = &*current {
            return Ok((*number, connection.clone()));
        }
        let shared = &self.shared;
        let master =
            find_master(&shared.sentinels, &shared.master, &shared.login, shared.ca.as_deref()).await?;
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(shared.timeout));
        let connection = master.get_multiplexed_async_connection_with_config(&config).await?;
        *current = (current.0 + 1, Some(connection.clone()));
        Ok((current.0, connection))
    }

    /// Gives a connection up after an error that another master may mend.
    async fn judge<T>(&self, number: u64, result: RedisResult<T>) -> RedisResult<T> {
        let gone = result.as_ref().is_err_and(|error| {
            error.is_io_error()
                || error.is_timeout()
                || error.is_connection_dropped()
                || matches!(error.code(), Some("READONLY" | "LOADING" | "MASTERDOWN" | "UNBLOCKED"))
        });
        if gone {
            let mut current = self.shared.current.lock().await;
            if current.0 == number {
                current.1 = None;
            }
        }
        result
    }
}

/// A client for the server that is the master now: named so by a Sentinel, and calling itself so.
pub(super) async fn find_master(
    sentinels: &[ConnectionInfo],
    master: &str,
    login: &ConnectionInfo,
    ca: Option<&[u8]>,
) -> RedisResult<Client> {
    let mut trouble = RedisError::from((ErrorKind::Io, "no Sentinel is named"));
    for sentinel in sentinels {
        match tokio::time::timeout(DISCOVERY_TIMEOUT, ask(sentinel, master, login, ca)).await {
            Ok(Ok(found)) => return Ok(found),
            Ok(Err(error)) => trouble = error,
            Err(_) => trouble = RedisError::from((ErrorKind::Io, "a Sentinel did not answer in time")),
        }
    }
    Err(trouble)
}

async fn ask(
    sentinel: &ConnectionInfo,
    master: &str,
    login: &ConnectionInfo,
    ca: Option<&[u8]>,
) -> RedisResult<Client> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(CONNECT_TIMEOUT))
        .set_response_timeout(Some(CONNECT_TIMEOUT));
    let client = address::client(sentinel.clone(), ca)?;
    let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
    let mut call = redis::cmd("SENTINEL");
    call.arg("GET-MASTER-ADDR-BY-NAME").arg(master);
    let named: Option<(String, u16)> = call.query_async(&mut connection).await?;
    let unknown = || RedisError::from((ErrorKind::Io, "the Sentinels know no master of that name"));
    let (host, port) = named.ok_or_else(unknown)?;
    let at = if address::is_tls(login) {
        ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None }
    } else {
        ConnectionAddr::Tcp(host, port)
    };
    let client = address::client(login.clone().set_addr(at), ca)?;
    let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
    let role: Vec<Value> = redis::cmd("ROLE").query_async(&mut connection).await?;
    let role = role.into_iter().next().map(redis::from_redis_value::<String>).transpose()?;
    match role.as_deref() {
        Some("master") => Ok(client),
        _ => Err(RedisError::from((
            ErrorKind::Io,
            "the server that the Sentinels name does not call itself master",
        ))),
    }
}

impl ConnectionLike for SentinelLink {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        Box::pin(async move {
            let (number, mut connection) = self.connection().await?;
            let result = connection.req_packed_command(cmd).await;
            self.judge(number, result).await
        })
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        Box::pin(async move {
            let (number, mut connection) = self.connection().await?;
            let result = connection.req_packed_commands(pipeline, offset, count).await;
            self.judge(number, result).await
        })
    }

    fn get_db(&self) -> i64 {
        self.shared.login.redis_settings().db()
    }
}
