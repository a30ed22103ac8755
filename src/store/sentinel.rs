//! The master that Sentinels name.
//!
//! They are asked whenever a connection is opened. The server must call itself master too, for Sentinels may be behind.

use super::client::{self, CONNECT_TIMEOUT, TlsFiles};
use crate::refusal;
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, ConnectionInfo, ErrorKind, RedisError, RedisResult, Value,
};
use std::time::Duration;

/// What is said beside a Sentinel that refuses the login of the master, and one that refuses its own or wants one.
const SENTINEL_LOGIN: &str = "it was sent those of the master; its own stand behind the name of the master: \
                              …/name?sentinel_user=…&sentinel_password=…";
const SENTINEL_LOGIN_WANTED: &str =
    "those of the Sentinels stand behind the name of the master: …/name?sentinel_user=…&sentinel_password=…";
/// What is said beside a certificate that does not hold the name by which a Sentinel names its master.
const ANNOUNCED: &str = "or let Sentinels and servers use the names in their certificates: `sentinel resolve-hostnames yes`, \
                         `sentinel announce-hostnames yes`, and replica-announce-ip";

/// How long a Sentinel may take to name a master, and that one to say that it is.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(2);

/// Sentinels, and the master they are asked for.
#[derive(Debug, Clone)]
pub(super) struct Sentinels {
    pub(super) nodes: Vec<ConnectionInfo>,
    /// Whether the address holds a login for them; else that of the master is tried where one asks for a password.
    pub(super) own_login: bool,
    pub(super) master: String,
    /// Database, user and password of the master.
    pub(super) login: ConnectionInfo,
}

impl Sentinels {
    pub(super) fn database(&self) -> i64 {
        self.login.redis_settings().db()
    }

    /// A client for the server that is the master now, and what it is called in errors: named so by a Sentinel, and
    /// calling itself so.
    pub(super) async fn find_master(&self, tls: &TlsFiles) -> RedisResult<(Client, String)> {
        let mut trouble = RedisError::from((ErrorKind::Io, "no Sentinel is named"));
        for sentinel in &self.nodes {
            match tokio::time::timeout(DISCOVERY_TIMEOUT, self.ask(sentinel, tls)).await {
                Ok(Ok(found)) => return Ok(found),
                // One that is away tells less than one that refuses.
                Ok(Err(error)) if refusal::is_refusal(&error) || !refusal::is_refusal(&trouble) => {
                    trouble = error;
                }
                Err(_) if !refusal::is_refusal(&trouble) => {
                    trouble = RedisError::from((ErrorKind::Io, "a Sentinel did not answer in time"));
                }
                _ => {}
            }
        }
        Err(trouble)
    }

    async fn ask(&self, sentinel: &ConnectionInfo, tls: &TlsFiles) -> RedisResult<(Client, String)> {
        let who = format!("the Sentinel at {}", sentinel.addr());
        let named = match named(sentinel, &self.master, tls).await {
            Err(error) if refusal::wants_login(&error) && self.may_lend_login() => {
                let login = self.login.redis_settings().clone().set_db(0);
                named(&sentinel.clone().set_redis_settings(login), &self.master, tls)
                    .await
                    .map_err(|error| refusal::by_with(&who, &error, SENTINEL_LOGIN))
            }
            named => named.map_err(|error| refusal::by_with(&who, &error, SENTINEL_LOGIN_WANTED)),
        };
        let unknown = || {
            let detail = format!("the Sentinels know no master of that name ({})", self.master);
            RedisError::from((ErrorKind::Io, refusal::NAMED, detail))
        };
        let (host, port) = named?.ok_or_else(unknown)?;
        let master = format!("the master {host}:{port}, which {who} names,");
        let at = if client::is_tls(&self.login) {
            ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None }
        } else {
            ConnectionAddr::Tcp(host, port)
        };
        let client = client::client(self.login.clone().set_addr(at), tls)?;
        let role = role(&client).await.map_err(|error| by_announced(&master, &error))?;
        match role.as_deref() {
            Some("master") => Ok((client, master)),
            _ => Err(RedisError::from((
                ErrorKind::Io,
                "the server that the Sentinels name does not call itself master",
            ))),
        }
    }

    fn may_lend_login(&self) -> bool {
        !self.own_login && self.login.redis_settings().password().is_some()
    }
}

/// The same error, said of the master, whose name is the Sentinels' choice.
fn by_announced(master: &str, error: &RedisError) -> RedisError {
    let named = refusal::by(master, error);
    match named.detail() {
        Some(detail) if detail.contains("subjectAltName") => {
            RedisError::from((ErrorKind::Io, refusal::NAMED, format!("{detail}; {ANNOUNCED}")))
        }
        _ => named,
    }
}

fn config() -> AsyncConnectionConfig {
    AsyncConnectionConfig::new()
        .set_connection_timeout(Some(CONNECT_TIMEOUT))
        .set_response_timeout(Some(CONNECT_TIMEOUT))
}

/// Host and port of the master that a Sentinel knows by that name.
async fn named(
    sentinel: &ConnectionInfo,
    master: &str,
    tls: &TlsFiles,
) -> RedisResult<Option<(String, u16)>> {
    let client = client::client(sentinel.clone(), tls)?;
    let mut connection = client.get_multiplexed_async_connection_with_config(&config()).await?;
    let mut call = redis::cmd("SENTINEL");
    call.arg("GET-MASTER-ADDR-BY-NAME").arg(master);
    call.query_async(&mut connection).await
}

/// What a server calls itself.
async fn role(client: &Client) -> RedisResult<Option<String>> {
    let mut connection = client.get_multiplexed_async_connection_with_config(&config()).await?;
    let role: Vec<Value> = redis::cmd("ROLE").query_async(&mut connection).await?;
    Ok(role.into_iter().next().map(redis::from_redis_value::<String>).transpose()?)
}
