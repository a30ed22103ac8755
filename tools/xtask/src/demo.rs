//! The dashboard, built and started.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::step::{Step, cargo, root, target_dir};
use crate::{redis, site};

/// Builds what is soon there and starts the demo; the program prints its address. It is not optimised, and answers in
/// tens of milliseconds all the same.
pub(crate) fn demo(arguments: &[String]) -> Result<()> {
    redis::ensure()?;
    site::build()?;
    server("dev", &["--bin", "reprieve"])?;
    become_program(&target_dir().join("debug/reprieve"), "demo", arguments)
}

/// Builds in seconds what is slower to run, and starts it on an empty data directory or the last one.
pub(crate) fn serve(arguments: &[String]) -> Result<()> {
    redis::ensure()?;
    site::build()?;
    // As the demo is built, so that neither compiles what the other has.
    server("dev", &["--bin", "reprieve"])?;
    become_program(&target_dir().join("debug/reprieve"), "serve", arguments)
}

/// The program as it ships, with its site inside.
pub(crate) fn release() -> Result<PathBuf> {
    redis::ensure()?;
    site::build()?;
    server("release", &["--features", "embed", "--bin", "reprieve"])?;
    Ok(target_dir().join("release/reprieve"))
}

fn server(profile: &str, what: &[&str]) -> Result<()> {
    let mut build = cargo(["build", "--locked", "--package", "reprieve-server", "--profile", profile]);
    // Outside a repository the commit is not known.
    if profile == "release"
        && let Ok(commit) =
            Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root()).output()
        && commit.status.success()
    {
        build.env("REPRIEVE_COMMIT", String::from_utf8_lossy(&commit.stdout).trim());
    }
    Step::new(format!("compiling the program ({profile})")).run(build.args(what))
}

/// Hands this process over to the program, so that Ctrl-C reaches it alone and the shell waits for its end.
fn become_program(program: &Path, verb: &str, arguments: &[String]) -> Result<()> {
    eprintln!("▸ starting reprieve {verb}");
    let mut command = Command::new(program);
    command.arg(verb).args(arguments);
    replace(command).with_context(|| format!("cannot start {}", program.display()))
}

#[cfg(unix)]
fn replace(mut command: Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    Err(command.exec().into())
}

#[cfg(not(unix))]
fn replace(mut command: Command) -> Result<()> {
    let status = command.status()?;
    anyhow::ensure!(status.success(), "it ended with {status}");
    Ok(())
}
