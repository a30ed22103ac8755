//! Whether the rig bites: a run for each way to build the scripts wrongly, each of which has to find something.

use crate::rig::FLAW_VARIABLE;
use anyhow::{Result, ensure};
use clap::Args;
use std::process::Command;

/// The names that the engine knows under its feature `flaws`.
const FLAWS: [&str; 10] = [
    "no_fence",
    "cancel_unchecked",
    "operation_forgotten",
    "audit_missing",
    "no_recoverer",
    "recover_live",
    "early",
    "stalls_uncounted",
    "subject_unindexed",
    "enqueue_forgets",
];

/// What to run.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// For how long faults happen to each.
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// The seed of every run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only these.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
}

/// Runs them all; whether each was found.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    ensure!(
        cfg!(feature = "flaws"),
        "built without the feature flaws: `cargo run -p proof --features flaws -- flaws`"
    );
    let chosen =
        |flaw: &&str| arguments.only.is_empty() || arguments.only.iter().any(|only| only.as_str() == *flaw);
    let mut all_found = true;
    for flaw in FLAWS.into_iter().filter(chosen) {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["run", "--minutes", &arguments.minutes.to_string()]);
        let output =
            command.args(["--seed", &arguments.seed.to_string()]).env(FLAW_VARIABLE, flaw).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(text.contains("\nverdict"), "{flaw} came to no verdict: {said}");
        let broken: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("BREACH")).map(str::trim).collect();
        all_found &= !broken.is_empty();
        println!("{flaw}: {}", if broken.is_empty() { "NOT FOUND".to_owned() } else { broken.join(", ") });
    }
    Ok(all_found)
}
