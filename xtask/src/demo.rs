//! The dashboard, built and started.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::site::{self, Profile};
use crate::step::{Step, cargo, target_dir};
use crate::{install, redis};

/// Builds what ships and starts the demo; the program prints its address.
pub(crate) fn demo(arguments: &[String]) -> Result<()> {
    install::wasm_target()?;
    redis::ensure()?;
    site::build(Profile::Release)?;
    let program = release_server()?;
    become_program(&program, "demo", arguments)
}

/// Builds in seconds what is slower to run, and starts it on an empty data directory or the last one.
pub(crate) fn serve(arguments: &[String]) -> Result<()> {
    install::wasm_target()?;
    redis::ensure()?;
    site::build(Profile::Dev)?;
    let program = dev_server()?;
    become_program(&program, "serve", arguments)
}

/// The program that ships, with the site inside it: the site must have been built.
pub(crate) fn release_server() -> Result<PathBuf> {
    Step::new("compiling the program (release)").run(&mut cargo([
        "build",
        "--locked",
        "--release",
        "--package",
        "reprieve-server",
        "--bin",
        "reprieve",
        "--features",
        "embed",
    ]))?;
    Ok(target_dir().join("release/reprieve"))
}

/// The same program without optimisation, reading the site from the disk.
fn dev_server() -> Result<PathBuf> {
    Step::new("compiling the program (dev)").run(&mut cargo([
        "build",
        "--locked",
        "--workspace",
        "--bins",
    ]))?;
    Ok(target_dir().join("debug/reprieve"))
}

/// Hands this process over to the program, so that Ctrl-C reaches it alone and the shell waits for its end.
fn become_program(program: &PathBuf, verb: &str, arguments: &[String]) -> Result<()> {
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
