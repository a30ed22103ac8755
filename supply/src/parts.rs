//! The packages of the lock file, as Cargo describes them.

use anyhow::{Context as _, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use std::collections::BTreeSet;

/// What is shipped: the program, and what it hands to the browser.
const SHIPPED: [&str; 2] = ["reprieve-server", "app"];

/// Every package of the lock file, of ours and of others.
pub(crate) fn all() -> Result<Metadata> {
    MetadataCommand::new()
        .other_options(["--locked".to_owned()])
        .exec()
        .context("cargo metadata could not describe the workspace")
}

/// Those of them that are in what is shipped or that build it: no tests, no benchmarks, no tools.
pub(crate) fn shipped(parts: &Metadata) -> Result<Vec<&Package>> {
    let graph = parts.resolve.as_ref().context("cargo metadata gave no graph of dependencies")?;
    let mut waiting: Vec<&PackageId> = parts
        .packages
        .iter()
        .filter(|part| SHIPPED.contains(&part.name.as_str()))
        .map(|part| &part.id)
        .collect();
    let mut reached: BTreeSet<&PackageId> = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !reached.insert(id) {
            continue;
        }
        let node =
            graph.nodes.iter().find(|node| node.id == *id).context("a package is missing in the graph")?;
        waiting.extend(
            node.deps
                .iter()
                .filter(|edge| edge.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Development))
                .map(|edge| &edge.pkg),
        );
    }
    Ok(parts.packages.iter().filter(|part| reached.contains(&part.id)).collect())
}
