//! Whether the tests find faults in the scripts: they run once for each mutant, and one of them has to fail.
//!
//! Lua is assembled when a test program starts, so one build meets all mutants. A seed gives their order; a sample is the
//! first of that order.

mod lua;
mod mutant;
mod programs;
mod report;
mod trial;

use anyhow::{Result, bail, ensure};
use clap::Args;
use mutant::Mutant;
use programs::Program;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use report::{Outcome, Report, Told};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use trial::{Ended, Order, Replaced};

/// Tests that have caught the latest mutants, and meet the next one before the others: a few catch most of them.
const FIRST_MAX: usize = 24;
/// A file that every call needs, and no Lua: tests that pass with it were built without the feature `flaws`.
const BROKEN: Replaced = Replaced { file: "core/call.lua", text: "(" };

/// What to run.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which mutants, and in which order.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// At most that many; all if not given.
    #[arg(long)]
    sample: Option<usize>,
    /// Begins no further mutant after that many minutes.
    #[arg(long)]
    minutes: Option<f64>,
    /// Only those of these files, such as `functions/jobs/cancel.lua` or `core/claim.lua`.
    #[arg(long, num_args = 1..)]
    only: Vec<String>,
    /// Only those of these numbers.
    #[arg(long, num_args = 1..)]
    number: Vec<usize>,
    /// Only lists them.
    #[arg(long)]
    list: bool,
    /// Integration tests of the engine that are built already, instead of `engine` and `services`.
    #[arg(long, num_args = 1..)]
    tests: Vec<PathBuf>,
    /// Leaves out the tests in whose names one of these stands.
    #[arg(long, num_args = 1..)]
    skip: Vec<String>,
    /// How many mutants are tried at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Writes the report there as well.
    #[arg(long)]
    report: Option<PathBuf>,
}

/// Tries them. Returns whether each was caught.
pub(crate) async fn run(arguments: &Arguments) -> Result<bool> {
    let all = mutant::all()?;
    // Now, for the tree may change while this goes on.
    let mut report = Report::new(arguments.seed, crate::rig::commit(), all.len());
    let chosen = chosen(all, arguments);
    ensure!(!chosen.is_empty(), "there is no such mutant");
    if arguments.list {
        chosen.iter().for_each(|mutant| print!("{}", Told(mutant)));
        return Ok(true);
    }
    let programs =
        if arguments.tests.is_empty() { programs::built()? } else { programs::given(&arguments.tests)? };
    let programs = unharmed(programs, &arguments.skip).await?;
    report.programs.clone_from(&programs);
    println!("{} of {} mutants, seed {}", chosen.len(), report.all_count, arguments.seed);
    try_each(chosen, &programs, arguments, &mut report).await?;
    print!("{report}");
    Ok(report.survivors().next().is_none())
}

/// Those that were asked for, in the order that the seed gives.
fn chosen(mut mutants: Vec<Mutant>, arguments: &Arguments) -> VecDeque<Mutant> {
    mutants.shuffle(&mut StdRng::seed_from_u64(arguments.seed));
    mutants.retain(|mutant| {
        (arguments.only.is_empty() || arguments.only.contains(&mutant.file))
            && (arguments.number.is_empty() || arguments.number.contains(&mutant.number))
    });
    mutants.truncate(arguments.sample.unwrap_or(usize::MAX));
    mutants.into()
}

/// The programs with the time each takes when nothing is wrong.
async fn unharmed(mut programs: Vec<Program>, skip: &[String]) -> Result<Vec<Program>> {
    let order = Order { left_out: skip.to_vec(), ..Order::default() };
    // One that would have no test left would pass with anything.
    programs.retain(|program| !skip.iter().any(|word| program.filter.contains(word.as_str())));
    for program in &mut programs {
        let began = Instant::now();
        match trial::run(program, None, &order).await? {
            Ended::Passed => program.takes = began.elapsed(),
            Ended::Failed(test) => {
                let test = test.unwrap_or_default();
                bail!("{} fails without any mutant: {test}", program.name)
            }
            Ended::TimedOut => bail!("{} does not end without any mutant", program.name),
        }
        ensure!(
            trial::run(program, Some(&BROKEN), &order).await? != Ended::Passed,
            "{} was built without the feature flaws",
            program.name
        );
        println!("{} passes in {:.1} s", program.name, program.takes.as_secs_f64());
    }
    Ok(programs)
}

async fn try_each(
    mut chosen: VecDeque<Mutant>,
    programs: &[Program],
    arguments: &Arguments,
    report: &mut Report,
) -> Result<()> {
    let (began, all) = (Instant::now(), chosen.len());
    let over = arguments.minutes.map(|minutes| Duration::from_secs_f64(minutes * 60.0));
    let mut order = Order { left_out: arguments.skip.clone(), ..Order::default() };
    let mut running = JoinSet::new();
    loop {
        while running.len() < arguments.jobs.max(1) && over.is_none_or(|over| began.elapsed() < over) {
            let Some(mutant) = chosen.pop_front() else { break };
            let (programs, order) = (programs.to_vec(), order.clone());
            running.spawn(async move { (tried(&mutant, &programs, &order).await, mutant) });
        }
        let Some(tried) = running.join_next().await else { return Ok(()) };
        let (outcome, mutant) = tried?;
        let outcome = outcome?;
        if let Outcome::Caught { test, .. } = &outcome {
            order.first.retain(|known| known != test);
            order.first.insert(0, test.clone());
            order.first.truncate(FIRST_MAX);
        }
        report.add(mutant, outcome);
        if let Some(path) = &arguments.report {
            std::fs::write(path, report.to_string())?;
        }
        println!("{}", report.progress(all, began.elapsed()));
    }
}

/// The outcome of the first program that does not pass.
async fn tried(mutant: &Mutant, programs: &[Program], order: &Order) -> Result<Outcome> {
    let text = mutant.text();
    let replaced = Replaced { file: &mutant.file, text: &text };
    for program in programs {
        match trial::run(program, Some(&replaced), order).await? {
            Ended::Passed => {}
            Ended::Failed(test) => {
                let test = test.unwrap_or_else(|| program.name.clone());
                return Ok(Outcome::Caught { program: program.name.clone(), test });
            }
            Ended::TimedOut => return Ok(Outcome::TimedOut { program: program.name.clone() }),
        }
    }
    Ok(Outcome::Survived)
}
