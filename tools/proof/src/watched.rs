//! A master and a replica, watched by three Sentinels, and how the replica takes over.

use crate::bed::{Bed, Jump, Server, signal};
use crate::faults::{Kind, Planned};
use crate::shim::Library;
use crate::sink::wall_ms;
use crate::strike::{LOOKED_WITHIN, until_it_goes_on};
use anyhow::{Context, Result, bail};
use reprieve::testing::RedisServer;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

const SENTINELS: usize = 3;
/// What the Sentinels call the pair.
const NAME: &str = "proof";
/// How long a promotion, or finding each other, may take at most.
const TIMEOUT: Duration = Duration::from_secs(40);
/// Where a server tells of its role, and what a replica says there that has all its master has.
pub(crate) const REPLICATION: &str = "replication";
pub(crate) const FOLLOWS: &str = "master_link_status:up";
pub(crate) const MASTER: &str = "role:master";
/// How far apart the clocks of the pair are, when they are. With half a minute the data would seem older than it is, by
/// more than what goes on without a person.
const OTHER_CLOCK_MS: i64 = 8_000;
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// After a death, how long the pair is left alone: the replica has to have caught up before the next.
pub(crate) const REST: Duration = Duration::from_secs(6);

/// The pair, the Sentinels, and their address.
pub(crate) async fn start(library: &Library) -> Result<(Vec<Server>, Vec<RedisServer>, String)> {
    let options = ["--appendonly", "yes", "--repl-diskless-sync-delay", "0", "--busy-reply-threshold", "100"];
    let (master, replica) = tokio::task::block_in_place(|| {
        let master = Server::start(library, &options)?;
        let follows = format!("127.0.0.1 {}", master.port);
        let replica = Server::start(library, &[options.as_slice(), &["--replicaof", &follows]].concat())?;
        anyhow::Ok((master, replica))
    })?;
    let lines = [
        format!("sentinel monitor {NAME} 127.0.0.1 {} 2", master.port),
        format!("sentinel down-after-milliseconds {NAME} 1500"),
        // An attempt that failed, for want of a Sentinel that died meanwhile, is repeated after twice this time.
        format!("sentinel failover-timeout {NAME} 4000"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (mut sentinels, mut hosts) = (Vec::new(), Vec::new());
    for _ in 0..SENTINELS {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        sentinels.push(tokio::task::block_in_place(|| RedisServer::sentinel(port, &lines))?);
        hosts.push(format!("127.0.0.1:{port}"));
    }
    for host in &hosts {
        let whole = format!("slaves=1,sentinels={SENTINELS}");
        until_told(format!("redis://{host}/"), "sentinel", whole).await?;
    }
    Ok((vec![master, replica], sentinels, format!("redis+sentinel://{}/{NAME}", hosts.join(","))))
}

/// Asks until a server says those words of itself: servers agree among themselves, and tell nobody when they have.
pub(crate) async fn until_told(url: String, section: &'static str, words: String) -> Result<()> {
    let asking = async {
        while !told(&url, section).await.is_ok_and(|told| told.contains(&words)) {
            tokio::time::sleep(PAUSE).await;
        }
    };
    let in_time = tokio::time::timeout(TIMEOUT, asking).await;
    in_time.with_context(|| format!("{url} does not come to say {words:?}"))
}

async fn told(url: &str, section: &str) -> Result<String> {
    let mut connection = redis::Client::open(url)?.get_multiplexed_async_connection().await?;
    Ok(redis::cmd("INFO").arg(section).query_async(&mut connection).await?)
}

pub(crate) async fn is_master(server: &Server) -> bool {
    told(&server.url(), REPLICATION).await.is_ok_and(|told| told.contains(MASTER))
}

/// Notes from when to when it was not sure who is master. On a busy machine Sentinels give a master up that no fault befell.
pub(crate) async fn note_changes(bed: Arc<Bed>) {
    let (mut known, mut since_ms, mut in_doubt) = (None, wall_ms(), false);
    loop {
        let mut masters = Vec::new();
        for server in &bed.servers {
            if is_master(server).await {
                masters.push(server.port);
            }
        }
        match masters.as_slice() {
            [only] => {
                if in_doubt || known.is_some_and(|known| known != *only) {
                    bed.note_death(since_ms, wall_ms());
                }
                (known, since_ms, in_doubt) = (Some(*only), wall_ms(), false);
            }
            several => in_doubt |= several.len() > 1,
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The server that is master at the moment.
pub(crate) async fn master(servers: &[Server]) -> Result<&Server> {
    let mut says = Vec::new();
    for server in servers {
        let told = told(&server.url(), REPLICATION).await;
        if told.as_ref().is_ok_and(|told| told.contains(MASTER)) {
            return Ok(server);
        }
        says.push(told.map(|told| told.lines().take(4).collect::<Vec<_>>().join(" ")));
    }
    bail!("nobody is master: {says:?}")
}

/// The master and its replica, if they are a whole pair.
async fn pair(bed: &Bed) -> Option<(&Server, &Server)> {
    let master = master(&bed.servers).await.ok()?;
    let heir = bed.servers.iter().find(|server| server.port != master.port)?;
    let follows = told(&heir.url(), REPLICATION).await;
    follows.is_ok_and(|told| told.contains(FOLLOWS)).then_some((master, heir))
}

/// Has the replica take over in the way that the fault says, and the other one follow it. `false` when there is no
/// whole pair to begin with.
pub(crate) async fn take_over(bed: &Bed, planned: Planned) -> Result<bool> {
    let Some((master, heir)) = pair(bed).await else { return Ok(false) };
    let alone = bed.first_looks.write().await;
    let from_ms = wall_ms();
    let by_ms = if planned.target.is_multiple_of(2) { OTHER_CLOCK_MS } else { -OTHER_CLOCK_MS };
    match planned.kind {
        Kind::PlannedFailover => {
            if !ask_a_sentinel(bed).await? {
                return Ok(false);
            }
            until_told(heir.url(), REPLICATION, MASTER.to_owned()).await?;
        }
        Kind::StaleReplica => {
            // From here on it hears of nothing: its master is where nobody listens.
            follow(heir, 1).await?;
            tokio::time::sleep(planned.lasts).await;
            succeed(master, heir).await?;
        }
        Kind::OtherClock => {
            heir.shim.skew(by_ms)?;
            // It tells the Sentinels for how long it has been without its master, by the time of its latest round.
            tokio::time::sleep(Duration::from_secs(1)).await;
            succeed(master, heir).await?;
            tokio::time::sleep(planned.lasts).await;
        }
        _ => succeed(master, heir).await?,
    }
    let whole = until_whole(bed).await;
    bed.note_death(from_ms, wall_ms());
    whole?;
    tokio::time::sleep(LOOKED_WITHIN).await;
    drop(alone);
    heir.shim.skew(0)?;
    tokio::time::sleep(REST).await;
    until_it_goes_on(heir).await?;
    if planned.kind == Kind::OtherClock {
        bed.note_jump(Jump { from_ms, to_ms: wall_ms(), by_ms });
    }
    Ok(true)
}

/// Kills the master, waits for its replica's promotion, and starts the dead one again. Whom it is to follow, the Sentinels
/// tell it.
async fn succeed(master: &Server, heir: &Server) -> Result<()> {
    master.kill().await?;
    let promoted = until_told(heir.url(), REPLICATION, MASTER.to_owned()).await;
    master.restart().await?;
    promoted
}

/// Waits until one of the pair is master and the other follows it.
async fn until_whole(bed: &Bed) -> Result<()> {
    let waiting = async {
        while pair(bed).await.is_none() {
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::time::timeout(TIMEOUT, waiting).await.context("the pair does not come to be whole")
}

async fn follow(server: &Server, port: u16) -> Result<()> {
    let mut connection = server.connection().await?;
    Ok(redis::cmd("REPLICAOF").arg("127.0.0.1").arg(port).query_async(&mut connection).await?)
}

/// Asks for a failover as before an upgrade. `false` when the Sentinels have something else to do.
async fn ask_a_sentinel(bed: &Bed) -> Result<bool> {
    let url = bed.sentinels[0].lock().await.url().to_owned();
    let client = redis::Client::open(url)?;
    let Ok(mut connection) = client.get_multiplexed_async_connection().await else { return Ok(false) };
    let mut failover = redis::cmd("SENTINEL");
    failover.arg("FAILOVER").arg(NAME);
    let asked = failover.query_async::<()>(&mut connection).await;
    // A reply that is late does not mean that nothing happens.
    Ok(asked.err().is_none_or(|error| error.code().is_none()))
}

/// A Sentinel that was frozen for longer keeps its hands off everything for half a minute.
const FREEZE_MAX: Duration = Duration::from_millis(1_500);

/// Kills a Sentinel for as long as the fault lasts, or freezes it.
pub(crate) async fn lose_sentinel(bed: &Bed, planned: Planned) -> Result<()> {
    let mut sentinel = bed.sentinels[planned.target % SENTINELS].lock().await;
    if planned.target >= SENTINELS && planned.target.is_multiple_of(2) {
        signal(sentinel.pid(), "-STOP").await?;
        tokio::time::sleep(planned.lasts.min(FREEZE_MAX)).await;
        return signal(sentinel.pid(), "-CONT").await;
    }
    tokio::task::block_in_place(|| sentinel.kill())?;
    tokio::time::sleep(planned.lasts).await;
    Ok(tokio::task::block_in_place(|| sentinel.restart())?)
}
