//! Puts the real program under load for hours, or under attack for minutes: `cargo xtask soak`.
//!
//! A run has a private Redis, `reprieve serve` as a process of its own, producers, a receiver of its webhooks, and open
//! tabs some of which never read. Everything is on this machine. Processes are looked at from outside, and honest
//! visitors are timed from threads of their own. See `docs/reliability.md`.

mod attack;
mod bed;
mod endurance;
mod export;
mod figures;
mod flood;
mod honest;
mod http;
mod load;
mod report;
mod stage;
mod tabs;
mod watch;

use anyhow::Result;
use clap::{Parser, Subcommand};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(about = "Hours of load, or a minute of attacks, and what they cost")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Jobs, open tabs and honest visitors for as long as it is told; memory and handles must not grow
    Run(endurance::Arguments),
    /// Sign-ins, tabs, slow sockets, bombs, filters and connections by the thousand, all at once
    Flood(flood::Arguments),
    /// A million jobs as a file beside the usual load, which must not notice
    Export(export::Arguments),
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    all_handles()?;
    let report = match Arguments::parse().verb {
        Verb::Run(arguments) => endurance::run(&arguments).await?,
        Verb::Flood(arguments) => flood::run(&arguments).await?,
        Verb::Export(arguments) => export::run(&arguments).await?,
    };
    print!("{report}");
    Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Lets this process open as much as the system allows: it plays thousands of visitors.
fn all_handles() -> Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?)
}
