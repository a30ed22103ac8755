//! A master and a replica, watched by three Sentinels, and the death of whichever is master.

use crate::bed::{Bed, Server};
use crate::sink::wall_ms;
use anyhow::{Context, Result, bail};
use reprieve::testing::RedisServer;
use std::net::TcpListener;
use std::time::Duration;

const SENTINELS: usize = 3;
/// What the Sentinels call the pair.
const NAME: &str = "proof";
/// How long a promotion, or finding each other, may take at most.
const PATIENCE: Duration = Duration::from_secs(40);
/// Where a server tells of its role, and what a replica says there that has all its master has.
const REPLICATION: &str = "replication";
const FOLLOWS: &str = "master_link_status:up";
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// After a death, how long the pair is left alone: the replica has to have caught up before the next.
const REST: Duration = Duration::from_secs(6);

/// The pair, the Sentinels, and their address.
pub(crate) async fn start() -> Result<(Vec<Server>, Vec<RedisServer>, String)> {
    let options = ["--appendonly", "yes", "--repl-diskless-sync-delay", "0", "--busy-reply-threshold", "100"];
    let (master, replica) = tokio::task::block_in_place(|| {
        let master = Server::start(&options)?;
        let follows = format!("127.0.0.1 {}", master.port);
        let replica = Server::start(&[options.as_slice(), &["--replicaof", &follows]].concat())?;
        anyhow::Ok((master, replica))
    })?;
    let lines = [
        format!("sentinel monitor {NAME} 127.0.0.1 {} 2", master.port),
        format!("sentinel down-after-milliseconds {NAME} 1500"),
        format!("sentinel failover-timeout {NAME} 5000"),
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
async fn until_told(url: String, section: &'static str, words: String) -> Result<()> {
    let asking = async {
        while !told(&url, section).await.is_ok_and(|told| told.contains(&words)) {
            tokio::time::sleep(PAUSE).await;
        }
    };
    let in_time = tokio::time::timeout(PATIENCE, asking).await;
    in_time.with_context(|| format!("{url} does not come to say {words:?}"))
}

async fn told(url: &str, section: &str) -> Result<String> {
    let mut connection = redis::Client::open(url)?.get_multiplexed_async_connection().await?;
    Ok(redis::cmd("INFO").arg(section).query_async(&mut connection).await?)
}

/// The server that is master at the moment.
pub(crate) async fn master(servers: &[Server]) -> Result<&Server> {
    for server in servers {
        if told(&server.url(), REPLICATION).await.is_ok_and(|told| told.contains("role:master")) {
            return Ok(server);
        }
    }
    bail!("nobody is master")
}

/// Kills the master, waits for the replica's promotion, and brings the dead one back as a replica of it. `false` when
/// there is no whole pair to begin with.
pub(crate) async fn kill_master(bed: &Bed) -> Result<bool> {
    let Ok(dying) = master(&bed.servers).await else { return Ok(false) };
    let Some(heir) = bed.servers.iter().find(|server| server.port != dying.port) else { return Ok(false) };
    let follows = told(&heir.url(), REPLICATION).await;
    if !follows.is_ok_and(|told| told.contains(FOLLOWS)) {
        return Ok(false);
    }
    let died_ms = wall_ms();
    dying.kill().await?;
    until_told(heir.url(), REPLICATION, "role:master".to_owned()).await?;
    dying.restart().await?;
    let mut connection = dying.connection().await?;
    let heir_port = heir.port.to_string();
    redis::cmd("REPLICAOF").arg("127.0.0.1").arg(heir_port).query_async::<()>(&mut connection).await?;
    until_told(dying.url(), REPLICATION, FOLLOWS.to_owned()).await?;
    bed.note_death(died_ms, wall_ms());
    tokio::time::sleep(REST).await;
    Ok(true)
}
