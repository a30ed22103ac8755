//! The measurements, a file each.

mod accuracy;
mod backlog;
mod cancel;
mod durability;
mod enqueue;
mod herd;
mod killed;
mod machine;
mod memory;
mod pickup;
mod process;
mod trial;

pub(crate) use trial::Trial;

use crate::bed::Bed;
use crate::competitor::Competitor;
use crate::figures::Figures;
use crate::sizes::Sizes;
use anyhow::Result;
use clap::ValueEnum;

/// One thing to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Measure {
    /// What this machine's Redis does at most, by redis-benchmark.
    Machine,
    /// Jobs taken in: one caller awaiting each, 32 callers, in bulk.
    Enqueue,
    /// No-op jobs run by one worker at concurrency 10 and 100.
    Process,
    /// From the call that enqueues to the start of its handler on an idle worker; what idling costs Redis.
    Pickup,
    /// Lateness of due times a millisecond apart, and of bursts.
    Accuracy,
    /// Jobs all due at the same instant.
    Herd,
    /// Cost of a job while others wait.
    Backlog,
    /// Calling jobs off out of many.
    Cancel,
    /// Bytes of a delayed job.
    Memory,
    /// The same with an append-only file.
    Durability,
    /// When a killed worker's jobs run again.
    Killed,
}

impl Measure {
    pub(crate) const ALL: [Self; 11] = [
        Self::Machine,
        Self::Enqueue,
        Self::Process,
        Self::Pickup,
        Self::Accuracy,
        Self::Herd,
        Self::Backlog,
        Self::Cancel,
        Self::Memory,
        Self::Durability,
        Self::Killed,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Enqueue => "enqueue",
            Self::Process => "process",
            Self::Pickup => "pickup",
            Self::Accuracy => "accuracy",
            Self::Herd => "herd",
            Self::Backlog => "backlog",
            Self::Cancel => "cancel",
            Self::Memory => "memory",
            Self::Durability => "durability",
            Self::Killed => "killed",
        }
    }

    /// Measures everyone it concerns, in turn, as often as the run repeats. Who fails is said to have failed.
    pub(crate) async fn run(
        self,
        bed: &Bed,
        sizes: &Sizes,
        who: &[Competitor],
        found: &mut Figures,
    ) -> Result<()> {
        if self == Self::Machine {
            return machine::run(bed, sizes, found).await;
        }
        for _ in 0..self.repeats(sizes) {
            for competitor in who.iter().filter(|competitor| self.concerns(competitor)) {
                eprintln!("{}: {}", self.name(), competitor.name);
                if let Err(error) = self.once(bed, sizes, competitor, found).await {
                    eprintln!("{}: {}: {error:#}", self.name(), competitor.name);
                    found.remark(self.name(), &competitor.name, format!("failed: {error:#}"));
                }
            }
        }
        Ok(())
    }

    async fn once(
        self,
        bed: &Bed,
        sizes: &Sizes,
        competitor: &Competitor,
        found: &mut Figures,
    ) -> Result<()> {
        if self == Self::Durability {
            return durability::run(bed, sizes, competitor, found).await;
        }
        let mut trial = Trial::start(self.name(), bed, sizes, competitor, found).await?;
        match self {
            Self::Enqueue => enqueue::run(&mut trial).await,
            Self::Process => process::run(&mut trial).await,
            Self::Pickup => pickup::run(&mut trial).await,
            Self::Accuracy => accuracy::run(&mut trial).await,
            Self::Herd => herd::run(&mut trial).await,
            Self::Backlog => backlog::run(&mut trial).await,
            Self::Cancel => cancel::run(&mut trial).await,
            Self::Memory => memory::run(&mut trial).await,
            Self::Killed => killed::run(trial).await,
            Self::Machine | Self::Durability => Ok(()),
        }
    }

    /// Those that take minutes, or count bytes, are done once.
    fn repeats(self, sizes: &Sizes) -> usize {
        match self {
            Self::Backlog | Self::Cancel | Self::Memory | Self::Killed => 1,
            _ => sizes.repeats,
        }
    }

    fn concerns(self, competitor: &Competitor) -> bool {
        match self {
            Self::Killed => competitor.is_engine(),
            Self::Backlog | Self::Durability => {
                competitor.is_engine() || competitor.name == Competitor::LIMIT
            }
            _ => true,
        }
    }
}
