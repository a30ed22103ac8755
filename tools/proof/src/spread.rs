//! A Cluster of three masters with a replica each; owners of slots that change, and slots that move.

use crate::bed::{Bed, NAMESPACE, Server};
use crate::faults::{Kind, Planned};
use crate::shim::Library;
use crate::sink::wall_ms;
use crate::strike::LOOKED_WITHIN;
use crate::watched::{FOLLOWS, MASTER, REPLICATION, REST, until_told};
use anyhow::{Context, Result};
use reprieve::testing::cluster::{self, NODE_OPTIONS};
use std::net::TcpListener;
use std::time::Duration;

/// How many shards the namespace has: some on each master.
pub(crate) const SHARDS: u16 = 8;
const NODES: usize = 6;
/// A move that a fault interrupted, such as a full node, is begun again after a while, at most so often.
const MOVES_MAX: usize = 40;
const MOVE_PAUSE: Duration = Duration::from_millis(500);

/// The nodes and their address.
pub(crate) fn start(library: &Library) -> Result<(Vec<Server>, String)> {
    let (mut nodes, mut ports) = (Vec::new(), Vec::new());
    for _ in 0..NODES {
        let bus = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let bus_text = bus.to_string();
        let own = ["--cluster-port", &bus_text, "--appendonly", "yes", "--busy-reply-threshold", "100"];
        let node = Server::start(library, &[&NODE_OPTIONS, own.as_slice()].concat())?;
        ports.push((node.port, bus));
        nodes.push(node);
    }
    cluster::join(&ports)?;
    let hosts: Vec<String> = ports.iter().map(|(port, _)| format!("127.0.0.1:{port}")).collect();
    Ok((nodes, format!("redis+cluster://{}", hosts.join(","))))
}

/// A node as another one knows it.
struct Node {
    id: String,
    port: u16,
    /// The id of its master; none for a master.
    follows: Option<String>,
    slots: Vec<(u16, u16)>,
}

/// The nodes that are not given up.
fn nodes(bed: &Bed) -> Result<Vec<Node>> {
    let told = tokio::task::block_in_place(|| cluster::text(bed.servers[0].port, &["CLUSTER", "NODES"]))?;
    Ok(told.lines().filter_map(node).collect())
}

fn node(line: &str) -> Option<Node> {
    let words: Vec<&str> = line.split(' ').collect();
    let [id, address, flags, follows, _, _, _, _, slots @ ..] = words.as_slice() else { return None };
    if flags.contains("fail") {
        return None;
    }
    let port = address.split('@').next()?.rsplit(':').next()?.parse().ok()?;
    let range = |text: &&str| {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        Some((from.parse().ok()?, to.parse().ok()?))
    };
    let follows = (*follows != "-").then(|| (*follows).to_owned());
    Some(Node { id: (*id).to_owned(), port, follows, slots: slots.iter().filter_map(range).collect() })
}

/// Brings a fault of the Cluster about. `false` when it is not whole to begin with.
pub(crate) async fn disturb(bed: &Bed, planned: Planned) -> Result<bool> {
    let Ok(nodes) = nodes(bed) else { return Ok(false) };
    let masters: Vec<&Node> =
        nodes.iter().filter(|node| node.follows.is_none() && !node.slots.is_empty()).collect();
    if nodes.len() < NODES || masters.len() < NODES / 2 {
        return Ok(false);
    }
    if planned.kind == Kind::SlotMoves {
        return move_shard(bed, planned, &masters).await;
    }
    let owner = masters[planned.target % masters.len()];
    let heir = nodes.iter().find(|node| node.follows.as_ref() == Some(&owner.id));
    let heir = heir.context("an owner has no replica")?;
    take_over(bed, planned.kind, server(bed, owner.port)?, server(bed, heir.port)?).await?;
    Ok(true)
}

fn server(bed: &Bed, port: u16) -> Result<&Server> {
    bed.servers.iter().find(|server| server.port == port).context("a node of somebody else's")
}

async fn take_over(bed: &Bed, kind: Kind, owner: &Server, heir: &Server) -> Result<()> {
    until_told(heir.url(), REPLICATION, FOLLOWS.to_owned()).await?;
    let alone = bed.first_looks.write().await;
    let from_ms = wall_ms();
    if kind == Kind::ClusterFailover {
        // Owner and replica agree on the moment: nothing may be lost.
        tokio::task::block_in_place(|| cluster::tell(heir.port, &["CLUSTER", "FAILOVER"]))?;
        until_told(heir.url(), REPLICATION, MASTER.to_owned()).await?;
        until_told(owner.url(), REPLICATION, FOLLOWS.to_owned()).await?;
    } else {
        owner.kill().await?;
        until_told(heir.url(), REPLICATION, MASTER.to_owned()).await?;
        owner.restart().await?;
        until_told(owner.url(), REPLICATION, FOLLOWS.to_owned()).await?;
        bed.note_death(from_ms, wall_ms());
    }
    tokio::time::sleep(LOOKED_WITHIN).await;
    drop(alone);
    tokio::time::sleep(REST).await;
    Ok(())
}

/// Moves the slot of a shard from its master to the next, key by key, while everything goes on.
async fn move_shard(bed: &Bed, planned: Planned, masters: &[&Node]) -> Result<bool> {
    let key = format!("{}meta", prefix(planned.target % usize::from(SHARDS)));
    let slot =
        tokio::task::block_in_place(|| cluster::tell(bed.servers[0].port, &["CLUSTER", "KEYSLOT", &key]));
    let slot: u16 = redis::from_redis_value(slot?)?;
    let owns = |node: &&Node| node.slots.iter().any(|(from, to)| (*from..=*to).contains(&slot));
    let from = masters.iter().position(owns).context("a slot has no owner")?;
    let to = masters[(from + 1) % masters.len()].port;
    let from = masters[from].port;
    tokio::task::block_in_place(|| {
        let mut moved = cluster::move_slot(slot, from, to);
        for _ in 1..MOVES_MAX {
            if moved.is_ok() {
                break;
            }
            std::thread::sleep(MOVE_PAUSE);
            moved = cluster::move_slot(slot, from, to);
        }
        moved
    })?;
    Ok(true)
}

/// What all keys of a shard begin with.
pub(crate) fn prefix(shard: impl std::fmt::Display) -> String {
    format!("reprieve:{{{NAMESPACE}.{shard}}}:")
}
