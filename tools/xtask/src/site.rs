//! What the browser loads: `server/site`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::npm;
use crate::step::{Step, root};

/// Where the server finds the site.
pub(crate) fn folder() -> PathBuf {
    root().join("server/site")
}

/// The folder of the script, and of what builds the site.
pub(crate) fn script() -> PathBuf {
    root().join("app/browser")
}

/// Builds the site, in a second: there is one way, for tests and for what ships.
///
/// # Errors
///
/// When Node or its packages are missing and cannot be installed, or a script or a style sheet is wrong.
pub(crate) fn build() -> Result<()> {
    packages()?;
    Step::new("building the site").run(Command::new("node").arg("build.mjs").current_dir(script()))
}

/// Installs what packs the script and the style sheets.
///
/// # Errors
///
/// When Node or its packages are missing and cannot be installed.
pub(crate) fn packages() -> Result<()> {
    npm::install(&script(), "what builds the site")
}
