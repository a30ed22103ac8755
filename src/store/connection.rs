//! Connections to Redis, what is checked of it, and since when it has been away.

use super::address::Address;
use super::client::{self, TlsFiles};
use super::home::Home;
use super::library::LIBRARY;
use super::link::{self, Link};
use super::own_connection::{OwnConnection, Pool};
use super::renewal::Renewal;
use super::turns::Turns;
use super::url::redact;
use super::{cluster, durability};
use crate::error::{Error, Result, is_right_refused, is_unknown_command};
use crate::model::{Durability, RedisHealth};
use crate::outage::{Outage, OutageKind};
use crate::refusal::{NAMED, is_denial, wants_login};
use redis::{Client, Cmd, FromRedisValue, InfoDict, RedisError, Value};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::{Mutex, watch};

/// How long a write may take: an fsync on a busy disk needs a while, and giving up early means not knowing.
pub(super) const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a screen waits for Redis before it says that it is away.
const READ_TIMEOUT: Duration = Duration::from_secs(2);
/// How often it is looked whether a right that was missing is there.
const RIGHTS_LOOK: Duration = Duration::from_secs(2);
/// A missing right is no outage any more after so long without a refusal, when Redis says that none is missing; and when it
/// does not say.
const RIGHTS_CALM: Duration = Duration::from_secs(5);
const RIGHTS_CALM_UNTOLD: Duration = Duration::from_secs(60);
/// An outage that may pass is a warning for so long: longer than a restart or a failover takes. Then somebody must look.
const PASSES_WITHIN: Duration = Duration::from_secs(30);
/// How a node of a Cluster says that another has the key, or that nobody has it now.
const ELSEWHERE: [&str; 3] = ["MOVED", "ASK", "CLUSTERDOWN"];
/// The oldest Redis with script flags, on which full memory is survived.
const VERSION_MIN: (u32, u32) = (7, 0);

/// The connections of one process, shared by everything in it.
pub(crate) struct Connections {
    home: Home,
    address: Address,
    tls: TlsFiles,
    renewal: Arc<Renewal>,
    writes: Link,
    reads: Link,
    turns: Turns,
    confirming: Pool,
    trouble: RwLock<Option<Trouble>>,
    /// Whether it ever worked: before that, the caller says why it does not.
    has_worked: AtomicBool,
    /// How many outages have ended.
    recoveries: watch::Sender<u64>,
    /// Held by the call that loads the function library.
    loading: Mutex<()>,
}

/// An outage, and when Redis last failed in it.
struct Trouble {
    outage: Outage,
    failed_at: Instant,
    /// A right is missing: other calls than the one that needs it go on to work.
    lacks_a_right: bool,
    /// When the rights were last looked at.
    looked_at: Option<Instant>,
    /// Whether the log has said that somebody must act.
    is_alarm: bool,
}

impl Connections {
    /// Connects lazily: the first command opens the connections. Must be called in the tokio runtime
    /// where they are to live.
    ///
    /// # Errors
    /// [`Error::Refused`] for a URL that names no Redis, or certificates that cannot be read.
    pub(crate) fn open(url: &str, tls: TlsFiles) -> Result<Arc<Self>> {
        // The provider is chosen once a process; a second choice is refused and does no harm.
        drop(rustls::crypto::ring::default_provider().install_default());
        let address = Address::parse(url)?;
        tls.check()?;
        let (home, renewal) = (Home::here(), Arc::<Renewal>::default());
        let link = |timeout| {
            Link::open(&home, &address, &tls, timeout, &renewal).map_err(|error| Error::Refused {
                why: format!("{:?} cannot be connected to: {error}", redact(url)),
            })
        };
        let (writes, reads) = (link(WRITE_TIMEOUT)?, link(READ_TIMEOUT)?);
        Ok(Arc::new(Self {
            home,
            address,
            tls,
            renewal,
            writes,
            reads,
            turns: Turns::default(),
            confirming: Pool::default(),
            trouble: RwLock::new(None),
            has_worked: AtomicBool::new(false),
            recoveries: watch::Sender::default(),
            loading: Mutex::default(),
        }))
    }

    pub(crate) const fn home(&self) -> &Home {
        &self.home
    }

    pub(crate) fn writes(&self) -> Link {
        self.writes.clone()
    }

    pub(crate) fn reads(&self) -> Link {
        self.reads.clone()
    }

    /// The turns of those who look at hundreds of jobs.
    pub(super) const fn turns(&self) -> &Turns {
        &self.turns
    }

    pub(super) const fn confirming(&self) -> &Pool {
        &self.confirming
    }

    pub(super) const fn loading(&self) -> &Mutex<()> {
        &self.loading
    }

    /// Whether the keys lie on several servers, one connection reaches only its own, and calls are repeated unasked.
    pub(crate) const fn is_cluster(&self) -> bool {
        matches!(self.address, Address::Cluster(_))
    }

    /// A connection of the caller's own to the Redis that has a key, for commands that block. Its replies may take
    /// as long as they like.
    pub(crate) async fn blocking(&self, key: &str) -> Result<OwnConnection> {
        let round = self.renewal.round();
        let connected = async {
            let opened = async {
                let client = self.client_for(key).await?;
                link::open(&client, None).await
            };
            link::settle(&self.renewal, opened.await)
        };
        // The caller may block its threads, and others are to have it after. In a box, or the futures of all
        // that calls this would lie too deep in each other for the compiler.
        let connection = self.home.begins(Box::pin(connected)).await;
        Ok(OwnConnection::new(self.note(Proof::Connects, connection)?, round))
    }

    /// Whether a connection still leads to where the address of this Redis does, as far as anybody knows.
    pub(super) fn is_current(&self, own: &OwnConnection) -> bool {
        own.round() == self.renewal.round()
    }

    /// Draws its conclusion from how a call ended on a connection of a caller's own.
    pub(super) fn judge<T>(&self, round: u64, result: &redis::RedisResult<T>) {
        self.renewal.judge(round, result);
    }

    /// The same for a call that was given up.
    pub(super) fn timed_out(&self, round: u64) {
        self.renewal.timed_out(round);
    }

    async fn client_for(&self, key: &str) -> redis::RedisResult<Client> {
        match (&self.address, self.reads()) {
            (Address::One(server), _) => client::client((**server).clone(), &self.tls),
            (Address::Sentinel(sentinels), _) => {
                sentinels.find_master(&self.tls).await.map(|(client, _)| client)
            }
            (Address::Cluster(nodes), Link::Cluster(mut cluster, _)) => {
                cluster::owner(&mut cluster, nodes, key, &self.tls).await
            }
            (Address::Cluster(_), _) => unreachable!("the link is made from the address"),
        }
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

    /// The same for what waits in Redis until something comes, at most so long, on a connection of the caller's own: an
    /// answer proves nothing against a refusal that came after it was asked for. A connection that is lost is dropped, and one
    /// to a node that has the key no more; one on which Redis refuses is kept.
    pub(super) async fn wait<T: FromRedisValue>(
        &self,
        kept: &mut Option<OwnConnection>,
        longest: Duration,
        command: &Cmd,
    ) -> Result<T> {
        let asked_at = Instant::now();
        let Some(own) = kept else {
            return Err(Error::Unavailable { what: "there is no connection".to_owned() });
        };
        let round = own.round();
        let Ok(result) = tokio::time::timeout(longest, command.query_async(own.get())).await else {
            *kept = None;
            self.timed_out(round);
            return Err(Error::Unavailable { what: "it did not answer in time".to_owned() });
        };
        self.judge(round, &result);
        let is_over = |error: &RedisError| {
            let is_elsewhere = error.code().is_some_and(|code| ELSEWHERE.contains(&code));
            is_elsewhere || error.is_io_error() || error.is_unrecoverable_error()
        };
        if result.as_ref().is_err_and(is_over) {
            *kept = None;
        }
        let failed_since = self
            .trouble
            .read()
            .is_ok_and(|trouble| trouble.as_ref().is_some_and(|known| known.failed_at >= asked_at));
        self.note(if failed_since { Proof::Connects } else { Proof::Reads }, result)
    }

    pub(crate) fn outage(&self) -> Option<Outage> {
        self.trouble.read().ok()?.as_ref().map(|trouble| trouble.outage.clone())
    }

    /// Tells of each outage that ends from now on.
    pub(super) fn recoveries(&self) -> watch::Receiver<u64> {
        self.recoveries.subscribe()
    }

    fn worked(&self, proof: Proof) {
        if !self.has_worked.load(Ordering::Relaxed) {
            self.has_worked.store(true, Ordering::Relaxed);
        }
        self.ends_if(|known| !known.lacks_a_right && proof.ends(known.outage.kind));
    }

    fn ends_if(&self, ends: impl Fn(&Trouble) -> bool) {
        if !self.trouble.read().is_ok_and(|trouble| trouble.as_ref().is_some_and(&ends)) {
            return;
        }
        if let Ok(mut trouble) = self.trouble.write()
            && let Some(over) = trouble.take_if(|known| ends(known))
        {
            let seconds = over.outage.since.elapsed().unwrap_or_default().as_secs();
            tracing::info!(seconds, "redis works again, after {seconds} s");
            self.recoveries.send_modify(|count| *count += 1);
        }
    }

    fn failed(&self, kind: OutageKind, error: &Error) {
        let Ok(mut trouble) = self.trouble.write() else { return };
        let failed_at = Instant::now();
        let lacks_a_right = error.lacks_a_right();
        match trouble.as_mut() {
            Some(known) if known.outage.kind == kind && known.lacks_a_right == lacks_a_right => {
                known.failed_at = failed_at;
                let lasts = known.outage.since.elapsed().unwrap_or_default();
                if !known.is_alarm && lasts >= PASSES_WITHIN && self.has_worked.load(Ordering::Relaxed) {
                    known.is_alarm = true;
                    let seconds = lasts.as_secs();
                    tracing::error!(%error, seconds, "redis has not worked for {seconds} s: {error}");
                }
            }
            // A missing right stays what it is until it is there; that Redis is away besides is worse, and passes.
            _ => {
                let is_alarm = !kind.may_pass();
                match self.has_worked.load(Ordering::Relaxed) {
                    true if is_alarm => tracing::error!(%error, "redis does not work: {error}"),
                    true => tracing::warn!(%error, "redis does not work: {error}"),
                    false => {}
                }
                let since = trouble.as_ref().map_or_else(SystemTime::now, |known| known.outage.since);
                let outage = Outage { since, kind, error: error.to_string() };
                *trouble = Some(Trouble { outage, failed_at, lacks_a_right, looked_at: None, is_alarm });
            }
        }
    }

    /// Whether a right is missing, and it is time to look again which. The caller that is told so looks.
    pub(super) fn wants_rights_looked_at(&self) -> bool {
        let is_due = |known: &Trouble| {
            known.lacks_a_right && known.looked_at.is_none_or(|at| at.elapsed() >= RIGHTS_LOOK)
        };
        if !self.trouble.read().is_ok_and(|trouble| trouble.as_ref().is_some_and(is_due)) {
            return false;
        }
        let Ok(mut trouble) = self.trouble.write() else { return false };
        let Some(known) = trouble.as_mut().filter(|known| is_due(known)) else { return false };
        known.looked_at = Some(Instant::now());
        true
    }

    /// Names the rights that are missing: an outage until they are there. `None` when nobody may know.
    pub(super) fn rights_are_missing(&self, missing: Option<&[String]>) {
        if let Some(missing) = missing.filter(|missing| !missing.is_empty()) {
            let error = Error::lacking(missing);
            self.failed(OutageKind::Denied, &error);
            if let Ok(mut trouble) = self.trouble.write()
                && let Some(known) = trouble.as_mut().filter(|known| known.lacks_a_right)
            {
                known.looked_at = Some(Instant::now());
                if known.outage.error != error.to_string() {
                    tracing::error!("{error}");
                    known.outage.error = error.to_string();
                }
            }
            return;
        }
        let calm = if missing.is_some() { RIGHTS_CALM } else { RIGHTS_CALM_UNTOLD };
        self.ends_if(|known| known.lacks_a_right && known.failed_at.elapsed() >= calm);
    }

    /// `INFO` of every server that takes writes.
    pub(super) async fn infos(&self) -> Result<Vec<InfoDict>> {
        let told = redis::cmd("INFO").query_async::<Value>(&mut self.reads()).await;
        let unreadable = |_| Error::codec("INFO does not read");
        match self.note(Proof::Reads, told)? {
            Value::Map(nodes) => {
                nodes.into_iter().map(|(_, info)| redis::from_redis_value(info).map_err(unreadable)).collect()
            }
            info => Ok(vec![redis::from_redis_value(info).map_err(unreadable)?]),
        }
    }

    /// A setting of the server; `None` when it does not tell, which an ACL may ask of it.
    async fn setting(&self, name: &str) -> Option<String> {
        let mut get = redis::cmd("CONFIG");
        get.arg("GET").arg(name);
        let pair: redis::RedisResult<Vec<String>> = get.query_async(&mut self.reads()).await;
        pair.ok()?.into_iter().nth(1)
    }

    /// What Redis says of itself: of several servers the weakest, and the fullest. `confirmed_by` is how many
    /// replicas must have what a person does.
    pub(crate) async fn health(&self, confirmed_by: u32) -> Result<RedisHealth> {
        let infos = self.infos().await?;
        let (save, fsync) = (self.setting("save").await, self.setting("appendfsync").await);
        let needed = self.setting("min-replicas-to-write").await.and_then(|number| number.parse().ok());
        let Some(fullest) = fullest(&infos) else {
            return Err(Error::codec("no server told of itself"));
        };
        let kept = infos.iter().map(|info| durability::kept(info, save.as_deref(), fsync.as_deref())).min();
        let replicas = infos.iter().map(|info| info.get("connected_slaves").unwrap_or_default()).min();
        let text = |name: &str| fullest.get::<String>(name).unwrap_or_default();
        Ok(RedisHealth::new(
            server_name(fullest).unwrap_or_else(|| text("redis_version")),
            text("maxmemory_policy"),
            memory_bytes(fullest),
            memory_bytes_max(fullest),
            Durability::new(
                kept.unwrap_or_default(),
                replicas.unwrap_or_default(),
                needed.unwrap_or_default(),
                confirmed_by,
            ),
        ))
    }

    /// Refuses a Redis that would lose jobs or cannot confirm writes where that is asked for, and warns of one that might
    /// lose some.
    pub(crate) async fn check(&self, confirmed_by: u32) -> Result<()> {
        for info in self.infos().await? {
            check_server(&info)?;
        }
        let mut list = redis::cmd("FUNCTION");
        list.arg("LIST").arg("LIBRARYNAME").arg(&LIBRARY.name);
        match list.query_async::<Value>(&mut self.reads()).await {
            Err(error) if is_unknown_command(&error) => return Err(error.into()),
            // Whether this user may ask shows at the first call.
            _ => {}
        }
        // For no replica it waits not at all. Later, an act would be done and answered as refused.
        if confirmed_by > 0 {
            let wait = redis::cmd("WAIT").arg(0).arg(0).query_async::<Value>(&mut self.reads()).await;
            if wait.is_err_and(|error| is_unknown_command(&error)) {
                return Err(Error::Refused {
                    why: "this server has no command WAIT, which confirm_replicas needs; set it to 0, or give the address \
                          of a server that has WAIT"
                        .to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// The name and version of a server that is no Redis: its `redis_version` is the one that it stands for.
pub(super) fn server_name(info: &InfoDict) -> Option<String> {
    info.get::<String>("valkey_version").map(|version| format!("Valkey {version}"))
}

/// Memory in use, in bytes.
pub(super) fn memory_bytes(info: &InfoDict) -> u64 {
    info.get("used_memory").unwrap_or_default()
}

/// The limit of memory, in bytes; `None` for none.
pub(super) fn memory_bytes_max(info: &InfoDict) -> Option<u64> {
    info.get::<u64>("maxmemory").filter(|&bytes| bytes > 0)
}

/// Of several servers the one that has least room left, by its own limit.
pub(super) fn fullest(infos: &[InfoDict]) -> Option<&InfoDict> {
    infos.iter().max_by_key(|info| {
        let used = memory_bytes(info);
        (memory_bytes_max(info).map_or(0, |limit| used.saturating_mul(1_000) / limit), used)
    })
}

fn check_server(info: &InfoDict) -> Result<()> {
    let version = info.get::<String>("redis_version").unwrap_or_default();
    if parse_version(&version).is_none_or(|found| found < VERSION_MIN) {
        return Err(Error::Refused {
            why: format!("redis {version} is too old: 7.0 or later is needed, or any Valkey"),
        });
    }
    if info.get::<String>("role").as_deref() == Some("slave") {
        return Err(Error::Refused {
            why: "this redis is a replica and takes no writes; give the address of its master, or of the Sentinels \
                  that know it (redis+sentinel://host:port/name)"
                .to_owned(),
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

/// What the success of a call proves about Redis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// It is there. Whatever it refuses with, it may still refuse with: a connection without a password asks nothing.
    Connects,
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
            OutageKind::ReadOnly => matches!(self, Self::Drains | Self::Grows),
            OutageKind::Denied | OutageKind::Busy => self != Self::Connects,
            OutageKind::Unreachable => true,
        }
    }
}

/// How Redis says that it will answer later, the last of them without a word of its own.
const BUSY_WORDS: [&str; 6] =
    ["LOADING", "BUSY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "max number of clients reached"];

impl OutageKind {
    /// What sort of trouble an error is; `None` when Redis answered and only this call is at fault.
    fn of(error: &RedisError) -> Option<Self> {
        let text = error.to_string();
        let says = |word: &str| error.code() == Some(word) || text.contains(word);
        if text.starts_with(NAMED) {
            Some(if is_denial(error) { Self::Denied } else { Self::Unreachable })
        // It names a key, which may hold any of the words below.
        } else if says("DAMAGED") {
            None
        } else if says("OOM") {
            Some(Self::Full)
        } else if is_denial(error)
            || wants_login(error)
            || is_right_refused(error)
            || is_unknown_command(error)
        {
            Some(Self::Denied)
        } else if says("READONLY") || says("MISCONF") || says("NOREPLICAS") {
            Some(Self::ReadOnly)
        } else if BUSY_WORDS.into_iter().any(says) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_valkey_is_called_by_its_own_name_and_version() {
        let info = |text: &str| InfoDict::new(text);
        let valkey = info("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.1\r\n");
        assert_eq!(server_name(&valkey).as_deref(), Some("Valkey 8.1.1"));
        assert_eq!(server_name(&info("redis_version:7.2.4\r\n")), None);
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(parse_version("7.0.15") >= Some(VERSION_MIN));
        assert!(parse_version("10.1.0") >= Some(VERSION_MIN));
        assert!(parse_version("6.2.14") < Some(VERSION_MIN));
        assert_eq!(parse_version("what"), None);
    }
}
