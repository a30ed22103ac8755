//! Measures Reprieve beside the schemes people write by hand and beside packaged peers, on one Redis in one run.
//!
//! Absolute rates move with the machine and its neighbours; ratios within a run and Redis's own processor time
//! hold still. Nothing here asserts on time. Results and method: `docs/explanation/benchmarks.md`.

mod aims;
mod bed;
mod competitor;
mod figures;
mod measure;
mod protocol;
mod report;
mod scheme;
mod sizes;

use anyhow::Result;
use bed::Bed;
use clap::{Parser, Subcommand};
use competitor::Competitor;
use figures::Figures;
use measure::Measure;
use report::{Machine, Report};
use sizes::Sizes;
use std::path::PathBuf;

/// Measures Reprieve beside its peers on a Redis of its own.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Two or three minutes instead of half an hour
    #[arg(long)]
    quick: bool,
    /// Seconds: that everything runs, not how fast.
    #[arg(long, conflicts_with = "quick")]
    tiny: bool,
    /// Only these measurements.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Measure>,
    /// Only these competitors.
    #[arg(long, value_delimiter = ',')]
    with: Vec<String>,
    /// Write the figures there as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    #[command(subcommand)]
    role: Option<Role>,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// Drive one competitor by orders on stdin, a JSON object a line.
    #[command(hide = true)]
    Drive { name: String },
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match arguments.role {
        Some(Role::Drive { name }) => scheme::drive(&name).await,
        None => bench(&arguments).await,
    }
}

async fn bench(arguments: &Arguments) -> Result<()> {
    let sizes = match (arguments.quick, arguments.tiny) {
        (true, _) => Sizes::QUICK,
        (_, true) => Sizes::TINY,
        _ => Sizes::FULL,
    };
    let chosen = |name: &str| arguments.with.is_empty() || arguments.with.iter().any(|with| with == name);
    let (mut who, missing) = Competitor::all()?;
    who.retain(|competitor| chosen(&competitor.name));
    anyhow::ensure!(!who.is_empty(), "nobody of that name takes part");
    for competitor in &who {
        eprintln!("{}: {}", competitor.name, competitor.about);
    }
    for peer in missing.iter().filter(|peer| chosen(peer.name)) {
        eprintln!("{} is skipped: it is not installed. To install it: {}", peer.name, peer.install);
    }
    let measures = if arguments.only.is_empty() { Measure::ALL.to_vec() } else { arguments.only.clone() };
    let bed = Bed::start(&[]).await?;
    let machine = Machine::look(bed.version().await?);
    let mut found = Figures::default();
    for measure in measures {
        measure.run(&bed, &sizes, &who, &mut found).await?;
    }
    let report = Report { machine, aims: aims::judge(&found), found };
    println!("{}", report.markdown());
    if let Some(file) = &arguments.json {
        std::fs::write(file, serde_json::to_string_pretty(&report)?)?;
    }
    Ok(())
}
