//! Systems whose queues Reprieve takes over, for the tests of its importers: BullMQ for every run, the others nightly.

use std::path::Path;

use anyhow::{Result, bail};

use crate::install::{Package, on_path, package};
use crate::step::{cargo, succeed, target_dir};
use crate::{npm, python, redis};

/// Where the tests find the environments for Python.
const FOLDER: &str = "REPRIEVE_PEERS";
/// Version 6.4 in Debian 12, which brings Ruby along; where there is none, `gem install sidekiq -v 6.4.1` has the same.
const SIDEKIQ: Package = Package {
    title: "Sidekiq 6.4",
    apt: "ruby-sidekiq",
    dnf: "rubygem-sidekiq",
    apk: "ruby-sidekiq",
    pacman: "ruby-sidekiq",
    brew: "sidekiq",
};

/// Installs all of them.
///
/// # Errors
///
/// When one is missing and cannot be installed or fetched.
pub(crate) fn install() -> Result<()> {
    npm::peers()?;
    python::environment("peers", "tests/imports/peers/requirements.txt")?;
    python::environment("peers-celery", "tests/imports/peers/requirements-celery.txt")?;
    if on_path("sidekiq").is_none() && !Path::new("/usr/bin/sidekiq").exists() {
        package(&SIDEKIQ)?;
        if on_path("sidekiq").is_none() {
            bail!("the package was installed, but there is no `sidekiq` on PATH");
        }
    }
    Ok(())
}

/// Takes a thousand jobs of each over beside its own workers.
///
/// # Errors
///
/// When one cannot be installed, or a test fails.
pub(crate) fn nightly() -> Result<()> {
    redis::ensure()?;
    install()?;
    let tests = ["test", "--locked", "--package", "reprieve", "--features", "testing", "--test", "services"];
    let mut command = cargo(tests);
    // One after the other: each has the machine to itself, with its workers.
    command.args(["imports::peers", "--", "--include-ignored", "--test-threads", "1"]);
    succeed(command.env(FOLDER, target_dir()))
}
