//! A Cluster of servers that a test has started: joining them, moving a slot.

use std::io;
use std::time::{Duration, Instant};

/// All slots of a Cluster.
pub const SLOTS: u16 = 16_384;
/// How long nodes may take to agree.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);
/// Keys of a slot that move at once.
const KEYS_AT_ONCE: &str = "20";

/// What a node of a Cluster is started with, besides its ports and how it keeps its data.
pub const NODE_OPTIONS: [&str; 12] = [
    "--bind",
    "127.0.0.1",
    "--cluster-enabled",
    "yes",
    "--cluster-config-file",
    "nodes.conf",
    "--cluster-node-timeout",
    "1500",
    // One part without a master must not stop the others.
    "--cluster-require-full-coverage",
    "no",
    // Else a replica waits five seconds for others that might want the same copy.
    "--repl-diskless-sync-delay",
    "0",
];

/// A plain command to the server on that port.
///
/// # Errors
/// What the server says, or that it does not answer.
pub fn tell(port: u16, words: &[&str]) -> redis::RedisResult<redis::Value> {
    let client = redis::Client::open(format!("redis://127.0.0.1:{port}/"))?;
    let mut connection = client.get_connection_with_timeout(Duration::from_secs(2))?;
    connection.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut command = redis::cmd(words[0]);
    for word in &words[1..] {
        command.arg(*word);
    }
    command.query(&mut connection)
}

/// What a command answers, as text.
///
/// # Errors
/// As [`tell`].
pub fn text(port: u16, words: &[&str]) -> redis::RedisResult<String> {
    Ok(redis::from_redis_value(tell(port, words)?)?)
}

/// Joins nodes, each of a port and a bus, into a Cluster: the first half are masters, each of the others a replica.
///
/// # Errors
/// When a node refuses, or they do not come to agree.
pub fn join(nodes: &[(u16, u16)]) -> io::Result<()> {
    let masters = nodes.len() / 2;
    let ports: Vec<u16> = nodes.iter().map(|(port, _)| *port).collect();
    for (port, bus) in &nodes[1..] {
        let meet = ["CLUSTER", "MEET", "127.0.0.1", &port.to_string(), &bus.to_string()];
        tell(ports[0], &meet).map_err(io::Error::other)?;
    }
    let share = usize::from(SLOTS) / masters;
    for (number, port) in ports[..masters].iter().enumerate() {
        let last = if number + 1 == masters { usize::from(SLOTS) } else { share * (number + 1) } - 1;
        let range = ["CLUSTER", "ADDSLOTSRANGE", &(share * number).to_string(), &last.to_string()];
        tell(*port, &range).map_err(io::Error::other)?;
    }
    until_all(&ports, &["CLUSTER", "NODES"], |known| known.lines().count() == ports.len())?;
    for (master, replica) in ports[..masters].iter().zip(&ports[masters..]) {
        let id = text(*master, &["CLUSTER", "MYID"]).map_err(io::Error::other)?;
        tell(*replica, &["CLUSTER", "REPLICATE", &id]).map_err(io::Error::other)?;
    }
    until_all(&ports, &["CLUSTER", "NODES"], |known| known.matches("slave").count() == masters)?;
    until_all(&ports, &["CLUSTER", "INFO"], |info| info.contains("cluster_state:ok"))?;
    until_all(&ports[masters..], &["INFO", "replication"], |info| info.contains("master_link_status:up"))
}

/// Nodes agree among themselves, and tell nobody when they have.
fn until_all(ports: &[u16], ask: &[&str], holds: impl Fn(&str) -> bool) -> io::Result<()> {
    let began = Instant::now();
    for port in ports {
        while !text(*port, ask).is_ok_and(|told| holds(&told)) {
            if began.elapsed() > TIMEOUT {
                return Err(io::Error::other(format!(
                    "the node on port {port} does not come to agree: {ask:?}"
                )));
            }
            std::thread::sleep(PAUSE);
        }
    }
    Ok(())
}

/// Moves a slot from one master to another as `redis-cli --cluster reshard` does: key by key, while clients go on.
///
/// # Errors
/// When a node refuses. The slot may then be half-way: move it once more.
pub fn move_slot(slot: u16, from: u16, to: u16) -> redis::RedisResult<()> {
    let (slot, port) = (slot.to_string(), to.to_string());
    let (from_id, to_id) = (text(from, &["CLUSTER", "MYID"])?, text(to, &["CLUSTER", "MYID"])?);
    tell(to, &["CLUSTER", "SETSLOT", &slot, "IMPORTING", &from_id])?;
    tell(from, &["CLUSTER", "SETSLOT", &slot, "MIGRATING", &to_id])?;
    loop {
        let keys = tell(from, &["CLUSTER", "GETKEYSINSLOT", &slot, KEYS_AT_ONCE])?;
        let keys: Vec<String> = redis::from_redis_value(keys)?;
        if keys.is_empty() {
            break;
        }
        let mut migrate = vec!["MIGRATE", "127.0.0.1", &port, "", "0", "5000", "KEYS"];
        migrate.extend(keys.iter().map(String::as_str));
        tell(from, &migrate)?;
    }
    for node in [to, from] {
        tell(node, &["CLUSTER", "SETSLOT", &slot, "NODE", &to_id])?;
    }
    Ok(())
}
