//! `reprieve redis-guard`: binds a redis-server to its parent's life, then becomes it.
//!
//! Between fork and exec only `unsafe` code could ask the kernel to send a signal when the parent
//! dies. So the program starts itself, asks in its own `main`, and replaces itself with the server:
//! the request survives `exec`, and so does the lock on `redis.lock`, which the server then holds
//! as long as it lives. The kernel sends the signal when the *thread* that spawned us ends; the
//! keeper's thread lives as long as the program.
//!
//! Only Linux has that signal. Elsewhere a server outlives a killed parent, still holds the lock,
//! and is shut down by the next start.

use super::data_dir::open_lock_file;
use anyhow::{Context, bail};
use clap::Args;
use rustix::fs::{FlockOperation, flock};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, getppid};
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// What the guard takes.
#[derive(Debug, Clone, Args)]
pub struct GuardFlags {
    /// Process that must be the parent
    #[arg(long)]
    parent: i32,
    /// File whose lock goes along into the server, held as long as it lives
    #[arg(long)]
    lock: PathBuf,
    /// The server and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// Becomes the server. Returns only if that failed.
///
/// # Errors
/// When the parent is already gone, another server holds the lock, or the server cannot be run.
pub fn run(flags: &GuardFlags) -> anyhow::Result<()> {
    end_with_parent(flags.parent)?;
    let lock = hold_lock(flags)?;
    let Some((program, arguments)) = flags.command.split_first() else { bail!("no server was named") };
    let why = Command::new(program).args(arguments).exec();
    drop(lock);
    Err(why).with_context(|| format!("{} cannot be run", program.display()))
}

fn end_with_parent(parent: i32) -> anyhow::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))
        .context("the kernel does not bind the server to its parent")?;
    // The parent may have died before the request: then nobody would send the signal.
    if getppid().map(Pid::as_raw_nonzero).is_none_or(|pid| pid.get() != parent) {
        bail!("process {parent}, which asked for the server, is gone");
    }
    Ok(())
}

/// Takes the lock and lets it pass through `exec`.
fn hold_lock(flags: &GuardFlags) -> anyhow::Result<File> {
    let file =
        open_lock_file(&flags.lock).with_context(|| format!("{} cannot be opened", flags.lock.display()))?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        bail!("another redis-server holds {}", flags.lock.display());
    }
    fcntl_setfd(&file, FdFlags::empty()).context("the lock does not pass on")?;
    Ok(file)
}
