//! More than one machine: a Cluster, Sentinels, TLS, confirmed writes, each with servers of its own on loopback.

mod acl;
mod cluster;
mod cluster_nodes;
mod confirm;
mod load;
pub(crate) mod ports;
pub(crate) mod replicas;
mod sentinel;
mod tls;
