//! A Cluster of three masters with a replica each.

use crate::ports::{command, free, text, until};
use reprieve::testing::RedisServer;

/// All slots of a Cluster.
const SLOTS: u16 = 16_384;
const MASTERS: usize = 3;

pub(crate) struct Node {
    pub(crate) port: u16,
    pub(crate) id: String,
    pub(crate) server: RedisServer,
}

pub(crate) struct Cluster {
    /// Three masters, then the replica of each.
    pub(crate) nodes: Vec<Node>,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        let ports = free(4 * MASTERS);
        let nodes: Vec<Node> = ports.chunks(2).map(|ports| node(ports[0], ports[1])).collect();
        let first = nodes[0].port;
        for (node, ports) in nodes.iter().zip(ports.chunks(2)).skip(1) {
            let meet = ["CLUSTER", "MEET", "127.0.0.1", &node.port.to_string(), &ports[1].to_string()];
            command(first, &meet).unwrap();
        }
        for (number, node) in (0..).zip(&nodes[..MASTERS]) {
            let bounds = |number: u16| number * (SLOTS / 3) + u16::from(number == 3);
            let (from, to) = (bounds(number), bounds(number + 1) - 1);
            command(node.port, &["CLUSTER", "ADDSLOTSRANGE", &from.to_string(), &to.to_string()]).unwrap();
        }
        let cluster = Self { nodes };
        cluster.until_all("every node to know all others", |known| known.lines().count() == 2 * MASTERS);
        for (master, replica) in cluster.nodes[..MASTERS].iter().zip(&cluster.nodes[MASTERS..]) {
            command(replica.port, &["CLUSTER", "REPLICATE", &master.id]).unwrap();
        }
        cluster
            .until_all("every node to know its replicas", |known| known.matches("slave").count() == MASTERS);
        for node in &cluster.nodes {
            until("the cluster to be whole", || {
                text(node.port, &["CLUSTER", "INFO"]).contains("cluster_state:ok")
            });
        }
        for replica in &cluster.nodes[MASTERS..] {
            until("the replicas to follow", || {
                text(replica.port, &["INFO", "replication"]).contains("master_link_status:up")
            });
        }
        cluster
    }

    fn until_all(&self, what: &str, holds: impl Fn(&str) -> bool) {
        for node in &self.nodes {
            until(what, || holds(&text(node.port, &["CLUSTER", "NODES"])));
        }
    }

    pub(crate) fn url(&self) -> String {
        let hosts: Vec<_> = self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.port)).collect();
        format!("redis+cluster://{}", hosts.join(","))
    }

    /// The slot of a key.
    pub(crate) fn slot(&self, key: &str) -> u16 {
        redis::from_redis_value(command(self.nodes[1].port, &["CLUSTER", "KEYSLOT", key]).unwrap()).unwrap()
    }

    /// Which of the three masters had a slot at first.
    pub(crate) fn first_owner(slot: u16) -> usize {
        usize::from(slot / (SLOTS / 3)).min(MASTERS - 1)
    }

    /// Kills a master and waits until its replica has taken over.
    pub(crate) fn kill_master(&mut self, master: usize) {
        self.nodes[master].server.kill().unwrap();
        let heir = self.nodes[MASTERS + master].port;
        until("the replica to take over", || text(heir, &["INFO", "replication"]).contains("role:master"));
    }

    /// Moves a slot from one node to another as `redis-cli --cluster reshard` does: key by key, while clients go on.
    pub(crate) fn move_slot(&self, slot: u16, from: usize, to: usize) {
        let (from, to) = (&self.nodes[from], &self.nodes[to]);
        let slot = slot.to_string();
        command(to.port, &["CLUSTER", "SETSLOT", &slot, "IMPORTING", &from.id]).unwrap();
        command(from.port, &["CLUSTER", "SETSLOT", &slot, "MIGRATING", &to.id]).unwrap();
        loop {
            let keys = command(from.port, &["CLUSTER", "GETKEYSINSLOT", &slot, "20"]).unwrap();
            let keys: Vec<String> = redis::from_redis_value(keys).unwrap();
            if keys.is_empty() {
                break;
            }
            let port = to.port.to_string();
            let mut migrate = vec!["MIGRATE", "127.0.0.1", &port, "", "0", "5000", "KEYS"];
            migrate.extend(keys.iter().map(String::as_str));
            command(from.port, &migrate).unwrap();
        }
        for node in [to, from] {
            command(node.port, &["CLUSTER", "SETSLOT", &slot, "NODE", &to.id]).unwrap();
        }
    }
}

fn node(port: u16, bus: u16) -> Node {
    let (port_text, bus) = (port.to_string(), bus.to_string());
    let options = [
        "--port",
        &port_text,
        "--cluster-port",
        &bus,
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
        "--save",
        "",
        "--appendonly",
        "no",
        "--repl-diskless-sync-delay",
        "0",
    ];
    let server = RedisServer::start_with(&options).unwrap();
    Node { port, id: text(port, &["CLUSTER", "MYID"]), server }
}
