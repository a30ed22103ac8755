//! Programs as the run of all tests builds them.
//!
//! Cargo chooses the features of dependencies anew for each selection of packages and targets. Whatever is asked for by
//! itself would have half of the workspace compiled once more, with features that differ in nothing that matters.

use std::path::PathBuf;

use anyhow::Result;

use crate::step::{Step, cargo, succeed, target_dir};

/// Compiles all programs and tests of the workspace, unoptimised.
pub(crate) fn build() -> Result<()> {
    succeed(&mut cargo(["build", "--locked", "--workspace", "--tests", "--bins", "--examples"]))
}

/// A program of the workspace, unoptimised.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    Step::new(format!("compiling {name} (dev)")).measure(build)?;
    Ok(target_dir().join("debug").join(name))
}
