//! Systems whose queues Reprieve takes over, for the tests of its importers: BullMQ for every run, the others nightly.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::install::{Package, on_path, package};
use crate::step::{Step, cargo, output, succeed, target_dir};
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
    python::environment("peers-rq2", "tests/imports/peers/requirements-rq2.txt")?;
    python::environment("peers-celery", "tests/imports/peers/requirements-celery.txt")?;
    if on_path("sidekiq").is_none() && !Path::new("/usr/bin/sidekiq").exists() {
        package(&SIDEKIQ)?;
        if on_path("sidekiq").is_none() {
            bail!("the package was installed, but there is no `sidekiq` on PATH");
        }
    }
    sidekiq("7.3.2")?;
    let has_ruby_3_2 = output(Command::new("ruby").args(["-e", "print RUBY_VERSION >= '3.2'"]))? == "true";
    if has_ruby_3_2 { sidekiq("8.1.7") } else { Ok(()) }
}

/// A later Sidekiq in a folder of its own, beside the one that the machine has.
fn sidekiq(version: &str) -> Result<()> {
    let folder = target_dir().join(format!("peers-sidekiq-{version}"));
    if folder.join("gems").join(format!("sidekiq-{version}")).exists() {
        return Ok(());
    }
    let mut install = Command::new("gem");
    install.args(["install", "--no-document", "--install-dir"]).arg(&folder);
    Step::new(format!("installing Sidekiq {version} (gem install)")).run(install.args([
        "sidekiq",
        "--version",
        version,
    ]))
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
