//! A master and a replica of it.

use crate::machines::ports::{free, tells, until};
use reprieve::testing::RedisServer;

pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) server: RedisServer,
}

impl Server {
    fn start(port: u16, more: &[&str]) -> Self {
        let port_text = port.to_string();
        let mut options =
            vec!["--port", &port_text, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
        // Else a replica waits five seconds for others that might want the same copy.
        options.extend(["--repl-diskless-sync-delay", "0"]);
        options.extend(more);
        Self { port, server: RedisServer::start_with(&options).unwrap() }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Stops the process as it is, connections and all, or lets it go on.
    pub(crate) fn signal(&self, signal: &str) {
        let pid = self.server.pid().to_string();
        assert!(std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }
}

/// A master and a replica that follows it.
pub(crate) fn pair() -> (Server, Server) {
    let ports = free(2);
    let master = Server::start(ports[0], &[]);
    let replica = Server::start(ports[1], &["--replicaof", &format!("127.0.0.1 {}", ports[0])]);
    until("the replica to follow", || tells(replica.port, "replication", "master_link_status:up"));
    (master, replica)
}
