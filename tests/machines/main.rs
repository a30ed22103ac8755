//! More than one machine: a Cluster, Sentinels, TLS, confirmed writes, each with servers of its own on loopback.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod acl;
mod cluster;
mod cluster_nodes;
mod confirm;
mod load;
mod ports;
mod replicas;
mod sentinel;
mod tls;
