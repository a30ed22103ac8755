//! Programs as the run of all tests builds them.
//!
//! Cargo chooses the features of dependencies anew for each selection of packages and targets. Whatever is asked for by
//! itself would have half of the workspace compiled once more, with features that differ in nothing that matters.

use std::path::PathBuf;

use anyhow::Result;

use crate::step::{Step, cargo, target_dir};

/// A program of the workspace, unoptimised.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    let selection = ["build", "--locked", "--workspace", "--tests", "--bins"];
    Step::new(format!("compiling {name} (dev)")).run(&mut cargo(selection))?;
    Ok(target_dir().join("debug").join(name))
}
