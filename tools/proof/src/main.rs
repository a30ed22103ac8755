//! Kills, freezes, cuts and fills the real thing, and holds its history against the invariants: `cargo xtask proof`.
//!
//! A run has Redis, three instances of Reprieve as processes of their own, each on a link that can do everything a
//! network can, producers, people who call jobs off, and a sink outside where jobs leave their effects. A script of
//! faults, told by a seed, goes on for some minutes. Then everything is healed, every job has to end, and what callers
//! were told is held against what Redis and the sink say. See `docs/explanation/guarantees.md`.

mod bed;
mod checker;
mod faults;
mod flaws;
mod history;
mod instance;
mod load;
mod mutants;
mod proxy;
mod recovery;
mod report;
mod rig;
mod shim;
mod sink;
mod soak;
mod spread;
mod strike;
mod watched;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(about = "Faults by the hundred, and what they broke")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Lets faults happen to a Reprieve under load, and judges it.
    Run(rig::Arguments),
    /// Builds the scripts wrongly in one way after the other, and fails if a run finds nothing wrong. Needs the feature
    /// `flaws`.
    Flaws(flaws::Arguments),
    /// Measures how soon it serves again after a restart, a cut, a failover, a crash.
    Recovery(recovery::Arguments),
    /// Builds one small thing after the other into the scripts wrongly, and fails if the engine's tests let one pass.
    Mutants(mutants::Arguments),
    /// Lets the program live with load and open tabs for hours, and judges what that cost.
    Soak(soak::Arguments),
    /// One Reprieve under test.
    #[command(hide = true)]
    Instance(instance::Arguments),
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    match Arguments::parse().verb {
        Verb::Run(arguments) => {
            let report = rig::run(&arguments).await?;
            print!("{report}");
            Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Verb::Flaws(arguments) => {
            Ok(if flaws::run(&arguments)? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Verb::Recovery(arguments) => {
            let (report, in_time) = recovery::run(&arguments).await?;
            print!("{report}");
            Ok(if in_time { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Verb::Mutants(arguments) => {
            Ok(if mutants::run(&arguments).await? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Verb::Soak(arguments) => {
            let report = soak::run(&arguments).await?;
            print!("{report}");
            Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Verb::Instance(arguments) => {
            instance::run(arguments).await?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
