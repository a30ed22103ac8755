//! The dashboard, built and started.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::site::{self, Profile};
use crate::step::{Step, cargo, target_dir};
use crate::{install, redis};

/// Builds what is soon there and starts the demo; the program prints its address.
pub(crate) fn demo(arguments: &[String]) -> Result<()> {
    let program = built(Profile::Demo)?;
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

/// The program as it ships.
pub(crate) fn release() -> Result<PathBuf> {
    built(Profile::Release)
}

/// The program with its site inside. The browser's part is compiled beside the crates that the server consists of: one has
/// a long end that takes one core.
fn built(profile: Profile) -> Result<PathBuf> {
    install::wasm_target()?;
    redis::ensure()?;
    std::thread::scope(|scope| {
        let browser = scope.spawn(|| site::build(profile));
        let library = server(profile, &["--lib"]);
        browser.join().map_err(|_| anyhow::anyhow!("building the site panicked"))??;
        library
    })?;
    server(profile, &["--bin", "reprieve"])?;
    Ok(target_dir().join(cargo_profile(profile)).join("reprieve"))
}

const fn cargo_profile(profile: Profile) -> &'static str {
    match profile {
        Profile::Dev => "dev",
        Profile::Demo => "demo",
        Profile::Release => "release",
    }
}

fn server(profile: Profile, what: &[&str]) -> Result<()> {
    let name = cargo_profile(profile);
    let mut build = cargo(["build", "--locked", "--package", "reprieve-server", "--features", "embed"]);
    build.args(["--profile", name]);
    Step::new(format!("compiling the program ({name})")).run(build.args(what))
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
