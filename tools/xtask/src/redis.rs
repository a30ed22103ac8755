//! A redis-server for the embedded Redis of demo and tests.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::install::{Package, on_path, package};
use crate::step::output;

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

/// Functions in Lua came with 7.0; every Valkey has them.
const MAJOR_MIN: u32 = 7;

/// Makes sure that one of them is on PATH, and that those which are do: the program and its tests look for them in their own
/// order.
pub(crate) fn ensure() -> Result<()> {
    let mut found = found();
    if found.is_empty() {
        package(&REDIS)?;
        found = self::found();
    }
    if found.is_empty() {
        bail!("the package was installed, but neither {} is on PATH", SERVERS.join(" nor "));
    }
    for server in found {
        judge(&output(Command::new(&server).arg("--version"))?).with_context(|| {
            format!(
                "{} is of no use here: install Redis 7.0 or newer, or a Valkey, and take this one off PATH",
                server.display()
            )
        })?;
    }
    Ok(())
}

fn found() -> Vec<PathBuf> {
    SERVERS.iter().filter_map(|server| on_path(server)).collect()
}

/// Whether what a server says of itself, as `Redis server v=7.0.15 sha=…`, is new enough.
fn judge(said: &str) -> Result<()> {
    let number = said.split_whitespace().find_map(|word| word.strip_prefix("v="));
    let major = number.and_then(|number| number.split('.').next()?.parse::<u32>().ok());
    match (number, major) {
        (_, Some(major)) if major >= MAJOR_MIN => Ok(()),
        (Some(number), Some(_)) => bail!("it is of version {number}"),
        _ => bail!("it does not say its version as a redis-server does"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_before_seven_is_refused_and_a_valkey_is_not() {
        judge("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64").unwrap();
        judge("Valkey server v=8.1.4 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64").unwrap();
        let why = judge("Redis server v=6.0.16 sha=00000000:0").unwrap_err().to_string();
        assert!(why.contains("6.0.16"), "{why}");
        assert!(judge("").is_err());
    }
}
