//! A Cluster of three masters with a replica each.

use crate::machines::ports::{free, tells, until};
use reprieve::testing::RedisServer;
use reprieve::testing::cluster::{self, NODE_OPTIONS, SLOTS};

const MASTERS: usize = 3;

pub(crate) struct Node {
    pub(crate) port: u16,
    pub(crate) server: RedisServer,
}

pub(crate) struct Cluster {
    /// Three masters, then the replica of each.
    pub(crate) nodes: Vec<Node>,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        let ports = free(4 * MASTERS);
        let ports: Vec<(u16, u16)> = ports.chunks(2).map(|ports| (ports[0], ports[1])).collect();
        let nodes = ports.iter().map(|(port, bus)| node(*port, *bus)).collect();
        cluster::join(&ports).unwrap();
        Self { nodes }
    }

    pub(crate) fn url(&self) -> String {
        let hosts: Vec<_> = self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.port)).collect();
        format!("redis+cluster://{}", hosts.join(","))
    }

    /// The slot of a key.
    pub(crate) fn slot(&self, key: &str) -> u16 {
        let slot = cluster::tell(self.nodes[1].port, &["CLUSTER", "KEYSLOT", key]).unwrap();
        redis::from_redis_value(slot).unwrap()
    }

    /// Which of the three masters had a slot at first.
    pub(crate) fn first_owner(slot: u16) -> usize {
        usize::from(slot / (SLOTS / 3)).min(MASTERS - 1)
    }

    /// Kills a master and waits until its replica has taken over.
    pub(crate) fn kill_master(&mut self, master: usize) {
        self.nodes[master].server.kill().unwrap();
        let heir = self.nodes[MASTERS + master].port;
        until("the replica to take over", || tells(heir, "replication", "role:master"));
    }

    /// Moves a slot from one node to another, while clients go on.
    pub(crate) fn move_slot(&self, slot: u16, from: usize, to: usize) {
        cluster::move_slot(slot, self.nodes[from].port, self.nodes[to].port).unwrap();
    }
}

fn node(port: u16, bus: u16) -> Node {
    let (port_text, bus) = (port.to_string(), bus.to_string());
    let own = ["--port", &port_text, "--cluster-port", &bus, "--save", "", "--appendonly", "no"];
    let server = RedisServer::start_with(&[&NODE_OPTIONS, own.as_slice()].concat()).unwrap();
    Node { port, server }
}
