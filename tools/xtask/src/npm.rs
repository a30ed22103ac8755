//! Packages of npm, from a folder with a lock file.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::install::on_path;
use crate::step::{Step, root};

/// The folder of the systems whose queues the tests of importers take over.
const PEERS: &str = "tests/imports/peers";

/// Installs the peers of the tests of importers that every run of the tests needs.
///
/// # Errors
///
/// When npm is missing, or the packages cannot be fetched.
pub(crate) fn peers() -> Result<()> {
    install(&root().join(PEERS), "the peers of importers")
}

/// Installs a folder's packages when they are missing or its lock file has changed since.
///
/// # Errors
///
/// When npm is missing, or the packages cannot be fetched.
pub(crate) fn install(folder: &Path, what: &str) -> Result<()> {
    if on_path("npm").is_none() {
        bail!("{what} need Node 20 or later with npm on PATH; see https://nodejs.org/en/download");
    }
    let lock = folder.join("package-lock.json");
    let mut hasher = DefaultHasher::new();
    std::fs::read(&lock).with_context(|| lock.display().to_string())?.hash(&mut hasher);
    let wanted = hasher.finish().to_string();
    let stamp = folder.join("node_modules/.installed-from-lock");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    Step::new(format!("installing {what} (npm ci)")).run(
        Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund"])
            .current_dir(folder)
            // The platform's Chromium is used; Playwright's own is 170 MB from elsewhere.
            .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"),
    )?;
    Ok(std::fs::write(stamp, wanted)?)
}
