//! Connections to Redis, what is checked of it, and since when it has been away.

use crate::engine::{Outage, OutageKind};
use crate::error::{Error, Result, is_denial};
use crate::model::RedisHealth;
use redis::aio::{ConnectionManager, ConnectionManagerConfig, MultiplexedConnection};
use redis::{AsyncConnectionConfig, Client, InfoDict};
use std::sync::{Arc, RwLock};
use std::time::{Duration, SystemTime};

pub(crate) type Connection = ConnectionManager;

/// How long a new connection may take. Redis is near; more would only hide that it is gone.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a write may take: an fsync on a busy disk needs a while, and giving up early means not knowing.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a screen waits for Redis before it says that it is away.
const READ_TIMEOUT: Duration = Duration::from_secs(2);
/// Shortest and longest wait between attempts to reconnect.
const RECONNECT_DELAY_MIN: Duration = Duration::from_millis(50);
const RECONNECT_DELAY_MAX: Duration = Duration::from_secs(1);
/// Attempts to reconnect before a call fails; the next call tries again.
const RECONNECT_ATTEMPTS: usize = 2;
/// The oldest Redis with script flags, on which full memory is survived.
const VERSION_MIN: (u32, u32) = (7, 0);

/// The connections of one process, shared by everything in it.
pub(crate) struct Connections {
    client: Client,
    writes: ConnectionManager,
    reads: ConnectionManager,
    outage: RwLock<Option<Outage>>,
}

impl Connections {
    /// Connects lazily: the first command opens the connections.
    ///
    /// # Errors
    /// [`Error::Refused`] for a URL that names no Redis.
    pub(crate) fn open(url: &str) -> Result<Arc<Self>> {
        if url.starts_with("rediss:") || url.starts_with("valkeys:") {
            // The provider is chosen once a process; a second choice is refused and does no harm.
            drop(rustls::crypto::ring::default_provider().install_default());
        }
        let client = Client::open(url).map_err(|error| Error::Refused {
            why: format!("{:?} is not the address of a Redis: {error}", redact(url)),
        })?;
        let managed = |timeout| {
            let config = ConnectionManagerConfig::new()
                .set_connection_timeout(Some(CONNECT_TIMEOUT))
                .set_response_timeout(Some(timeout))
                .set_min_delay(RECONNECT_DELAY_MIN)
                .set_max_delay(RECONNECT_DELAY_MAX)
                .set_number_of_retries(RECONNECT_ATTEMPTS);
            ConnectionManager::new_lazy_with_config(client.clone(), config)
        };
        let (writes, reads) = (managed(WRITE_TIMEOUT)?, managed(READ_TIMEOUT)?);
        Ok(Arc::new(Self { client, writes, reads, outage: RwLock::new(None) }))
    }

    pub(crate) fn writes(&self) -> ConnectionManager {
        self.writes.clone()
    }

    pub(crate) fn reads(&self) -> ConnectionManager {
        self.reads.clone()
    }

    /// A connection of the caller's own, for commands that block. Its replies may take as long as they like.
    pub(crate) async fn blocking(&self) -> Result<MultiplexedConnection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(None);
        let connection = self.client.get_multiplexed_async_connection_with_config(&config).await;
        self.note(Proof::Reads, connection)
    }

    /// Passes a result on, and keeps in mind since when Redis does not answer.
    pub(crate) fn note<T>(&self, proof: Proof, result: redis::RedisResult<T>) -> Result<T> {
        let error = match result {
            Ok(value) => {
                self.worked(proof);
                return Ok(value);
            }
            Err(error) => error,
        };
        let kind = OutageKind::of(&error);
        let error = Error::from(error);
        if let Some(kind) = kind {
            self.failed(kind, &error);
        }
        Err(error)
    }

    pub(crate) fn outage(&self) -> Option<Outage> {
        self.outage.read().ok()?.clone()
    }

    fn worked(&self, proof: Proof) {
        let ends = |outage: &Option<Outage>| outage.as_ref().is_some_and(|known| proof.ends(known.kind));
        if !self.outage.read().is_ok_and(|outage| ends(&outage)) {
            return;
        }
        if let Ok(mut outage) = self.outage.write()
            && let Some(over) = outage.take_if(|known| proof.ends(known.kind))
        {
            tracing::info!(since = ?over.since, "redis works again");
        }
    }

    fn failed(&self, kind: OutageKind, error: &Error) {
        let Ok(mut outage) = self.outage.write() else { return };
        match outage.as_mut() {
            Some(known) if known.kind == kind => {}
            _ => {
                tracing::error!(%error, "redis does not work: {error}");
                let since = outage.as_ref().map_or_else(SystemTime::now, |known| known.since);
                *outage = Some(Outage { since, kind, error: error.to_string() });
            }
        }
    }

    async fn info(&self) -> Result<InfoDict> {
        let info = redis::cmd("INFO").query_async(&mut self.reads()).await;
        self.note(Proof::Reads, info)
    }

    /// What Redis says of itself.
    pub(crate) async fn health(&self) -> Result<RedisHealth> {
        let info = self.info().await?;
        let text = |name: &str| info.get::<String>(name).unwrap_or_default();
        let limit = info.get::<u64>("maxmemory").filter(|&bytes| bytes > 0);
        let durability = if text("aof_enabled") == "1" {
            let setting: redis::RedisResult<Vec<String>> =
                redis::cmd("CONFIG").arg("GET").arg("appendfsync").query_async(&mut self.reads()).await;
            match setting.ok().and_then(|pair| pair.into_iter().nth(1)).as_deref() {
                Some("always") => "every write is on disk before it is answered",
                Some("everysec") => "a power loss may cost the last two seconds",
                Some("no") => "a power loss may cost what the system had not written yet",
                _ => "writes are logged; how often the log is synced is not known",
            }
        } else {
            "snapshots only: a crash may cost everything since the last one"
        };
        Ok(RedisHealth::new(
            text("redis_version"),
            text("maxmemory_policy"),
            info.get("used_memory").unwrap_or_default(),
            limit,
            durability,
        ))
    }

    /// Refuses a Redis that would lose jobs, and warns of one that might.
    pub(crate) async fn check(&self) -> Result<()> {
        let info = self.info().await?;
        let version = info.get::<String>("redis_version").unwrap_or_default();
        if parse_version(&version).is_none_or(|found| found < VERSION_MIN) {
            return Err(Error::Refused {
                why: format!("redis {version} is too old: 7.0 or later is needed, or any Valkey"),
            });
        }
        let policy = info.get::<String>("maxmemory_policy").unwrap_or_default();
        if policy.starts_with("allkeys-") {
            return Err(Error::Refused {
                why: format!(
                    "redis is set to maxmemory-policy {policy} and would throw jobs away when full; \
                     set it to noeviction (CONFIG SET maxmemory-policy noeviction) and start again"
                ),
            });
        }
        if policy != "noeviction" {
            tracing::warn!(
                "redis has maxmemory-policy {policy}; noeviction is the one that never loses anything"
            );
        }
        Ok(())
    }
}

/// What the success of a call proves about Redis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// It can be read.
    Reads,
    /// It also takes writes, at least those that are let through when it is full.
    Drains,
    /// It also has room.
    Grows,
}

impl Proof {
    /// Whether trouble of that kind is over.
    fn ends(self, kind: OutageKind) -> bool {
        match kind {
            OutageKind::Full => self == Self::Grows,
            OutageKind::ReadOnly => self != Self::Reads,
            OutageKind::Unreachable | OutageKind::Denied | OutageKind::Busy => true,
        }
    }
}

impl OutageKind {
    /// What sort of trouble an error is; `None` when Redis answered and only this call is at fault.
    fn of(error: &redis::RedisError) -> Option<Self> {
        let text = error.to_string();
        let says = |word: &str| error.code() == Some(word) || text.contains(word);
        // It names a key, which may hold any of the words below.
        if says("DAMAGED") {
            None
        } else if says("OOM") {
            Some(Self::Full)
        } else if is_denial(error) || says("NOAUTH") || says("WRONGPASS") || says("NOPERM") {
            Some(Self::Denied)
        } else if says("READONLY") || says("MISCONF") || says("NOREPLICAS") {
            Some(Self::ReadOnly)
        } else if says("LOADING") || says("BUSY") || says("MASTERDOWN") || says("CLUSTERDOWN") {
            Some(Self::Busy)
        } else if error.is_io_error() || error.is_timeout() || error.is_connection_dropped() {
            Some(Self::Unreachable)
        } else {
            None
        }
    }
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// A URL without its user and password.
pub(crate) fn redact(url: &str) -> String {
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if at > scheme => format!("{}://…{}", &url[..scheme], &url[at..]),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        assert_eq!(redact("redis://user:p@ss@host:1/0"), "redis://…@host:1/0");
        assert_eq!(redact("unix:///run/redis.sock"), "unix:///run/redis.sock");
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(parse_version("7.0.15") >= Some(VERSION_MIN));
        assert!(parse_version("10.1.0") >= Some(VERSION_MIN));
        assert!(parse_version("6.2.14") < Some(VERSION_MIN));
        assert_eq!(parse_version("what"), None);
    }
}
