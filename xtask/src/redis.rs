//! A redis-server for the embedded Redis of demo and tests.

use anyhow::{Result, bail};

use crate::install::{Package, on_path, package};

/// The servers that the embedded Redis knows how to start.
const SERVERS: [&str; 2] = ["redis-server", "valkey-server"];

/// Debian starts its own server on port 6379 with the package; Reprieve never uses that one.
const REDIS: Package = Package {
    title: "redis-server",
    apt: "redis-server",
    dnf: "redis",
    apk: "redis",
    pacman: "redis",
    brew: "redis",
};

/// Makes sure that one of them is on PATH.
pub(crate) fn ensure() -> Result<()> {
    if found() {
        return Ok(());
    }
    package(&REDIS)?;
    if !found() {
        bail!("the package was installed, but neither {} is on PATH", SERVERS.join(" nor "));
    }
    Ok(())
}

fn found() -> bool {
    SERVERS.iter().any(|server| on_path(server).is_some())
}
