//! What the browser must never download.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use crate::install::WASM;
use crate::step::{cargo, output};

/// Crates of the server. One of them in the browser's tree means that a feature leaked.
const FORBIDDEN: [&str; 5] = ["redis", "tokio", "mio", "hyper", "axum"];

/// Fails when the browser's dependencies hold one of the server's.
pub(crate) fn check() -> Result<()> {
    let tree = output(
        cargo(["tree", "--locked", "--package", "app", "--target", WASM])
            .args(["--no-default-features", "--features", "hydrate"])
            .args(["--edges", "normal", "--prefix", "none", "--format", "{p}"]),
    )?;
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    let found: Vec<&str> = FORBIDDEN.into_iter().filter(|name| names.contains(name)).collect();
    if !found.is_empty() {
        bail!("the browser would get {}; cargo tree --invert names who brings it", found.join(", "));
    }
    eprintln!("  {} crates, none of the server's", names.len());
    Ok(())
}
