//! What became of the mutants.

use super::mutant::Mutant;
use super::programs::Program;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// What became of one.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// A test failed.
    Caught {
        program: String,
        test: String,
    },
    /// The tests did not end, which counts as caught.
    TimedOut {
        program: String,
    },
    Survived,
}

/// What was tried, and what became of it.
#[derive(Debug)]
pub(crate) struct Report {
    seed: u64,
    commit: String,
    /// How many mutants there are.
    pub(crate) all_count: usize,
    pub(crate) programs: Vec<Program>,
    tried: Vec<(Mutant, Outcome)>,
}

impl Report {
    pub(crate) const fn new(seed: u64, commit: String, all_count: usize) -> Self {
        Self { seed, commit, all_count, programs: Vec::new(), tried: Vec::new() }
    }

    /// Notes what became of one, and prints it at once if it survived.
    pub(crate) fn add(&mut self, mutant: Mutant, outcome: Outcome) {
        if matches!(outcome, Outcome::Survived) {
            print!("{}", Told(&mutant));
        }
        self.tried.push((mutant, outcome));
        self.tried.sort_by_key(|(mutant, _)| mutant.number);
    }

    pub(crate) fn survivors(&self) -> impl Iterator<Item = &Mutant> {
        self.tried
            .iter()
            .filter(|(_, outcome)| matches!(outcome, Outcome::Survived))
            .map(|(mutant, _)| mutant)
    }

    /// A line that says how far it is.
    pub(crate) fn progress(&self, all: usize, took: Duration) -> String {
        let (tried, survived) = (self.tried.len(), self.survivors().count());
        let each = took.as_secs_f64() / f64::from(u32::try_from(tried.max(1)).unwrap_or(u32::MAX));
        let rest = each * f64::from(u32::try_from(all.saturating_sub(tried)).unwrap_or(u32::MAX));
        let caught = tried - survived;
        format!(
            "{tried} of {all}: {caught} caught, {survived} survived, {:.0} min to go",
            (rest / 60.0).ceil()
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let survived = self.survivors().count();
        let (mut by_program, mut by_test, mut timeouts) = (BTreeMap::new(), BTreeMap::new(), 0_usize);
        for (_, outcome) in &self.tried {
            match outcome {
                Outcome::Caught { program, test } => {
                    *by_program.entry(program.as_str()).or_insert(0_usize) += 1;
                    *by_test.entry(test.as_str()).or_insert(0_usize) += 1;
                }
                Outcome::TimedOut { program } => {
                    *by_program.entry(program.as_str()).or_default() += 1;
                    timeouts += 1;
                }
                Outcome::Survived => {}
            }
        }
        writeln!(f, "seed       {}", self.seed)?;
        writeln!(f, "commit     {}", self.commit)?;
        writeln!(f, "mutants    {} of {}", self.tried.len(), self.all_count)?;
        writeln!(f, "caught     {}, {timeouts} of them by a timeout", self.tried.len() - survived)?;
        for program in &self.programs {
            let count = by_program.get(program.name.as_str()).copied().unwrap_or_default();
            let alone = program.takes.as_secs_f64();
            writeln!(f, "           {count} by {}, which takes {alone:.0} s by itself", program.name)?;
        }
        writeln!(f, "           {} tests were the first to fail for one of them", by_test.len())?;
        writeln!(f, "survived   {survived}")?;
        for mutant in self.survivors() {
            write!(f, "\n{}", Told(mutant))?;
        }
        Ok(())
    }
}

/// A mutant on three lines.
pub(crate) struct Told<'a>(pub(crate) &'a Mutant);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mutant { number, file, line, before, after, .. } = self.0;
        let after = if after.is_empty() { "(nothing)" } else { after };
        writeln!(f, "{number}  {file}:{line}\n  {before}\n  → {after}")
    }
}
