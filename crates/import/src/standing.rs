//! How far an importer is, and what a roll back would do now.

use super::Importer;
use super::journal::record_name;
use super::unit::Unit;
use crate::{ImportStanding, ImportStaying};
use reprieve::Result;
use reprieve::internals::Withdrawn;
use std::collections::HashSet;

/// Records that are asked about in one call: some milliseconds of Redis.
const STEP: u64 = 1_000;
/// Records that are asked about. Nobody waits for the answer about more.
const ASKED_MAX: u64 = 10_000;

impl Importer {
    /// How far it is. Of the latest 10,000 items it says what a roll back would do with them now, as far as that is known
    /// here; one whose place is taken at the source by then stays as well.
    ///
    /// # Errors
    /// [`Error::Unavailable`](reprieve::Error::Unavailable). [`Error::Invalid`](reprieve::Error::Invalid): the name is that of another format's importer, or of another Redis.
    pub async fn standing(&self) -> Result<ImportStanding> {
        let mut standing = ImportStanding {
            name: self.name.to_string(),
            format: self.source.format(),
            parked: 0,
            moved: 0,
            closed: false,
            returnable: 0,
            staying: ImportStaying::default(),
        };
        for unit in self.units_of_its_own().await? {
            let count = async |what: &str| -> Result<u64> {
                let mut command = redis::cmd("ZCARD");
                command.arg(format!("{}{what}", unit.journal));
                self.foreign.query(&command).await
            };
            let parked = count("parked").await?;
            standing.parked += parked;
            standing.moved += count("all").await?.saturating_sub(parked);
            standing.closed |= self.is_closed(&unit).await?;
            self.judge_records(&unit, &mut standing).await?;
        }
        Ok(standing)
    }

    /// Counts what would become of the records of a unit that are jobs here, the latest first.
    async fn judge_records(&self, unit: &Unit, standing: &mut ImportStanding) -> Result<()> {
        let mut below = "+inf".to_owned();
        while standing.asked() < ASKED_MAX {
            let numbers = self.numbers(unit, "all", &below, "-inf").await?;
            let Some(last) = numbers.last() else { break };
            let parked: HashSet<String> =
                self.numbers(unit, "parked", &below, last).await?.into_iter().collect();
            below = format!("({last}");
            let moved = numbers.iter().filter(|number| !parked.contains(*number));
            let records: Vec<String> = moved.map(|number| record_name(unit, number)).collect();
            for outcome in self.shards.withdrawable(self.name.as_str(), &records).await? {
                standing.count(&outcome);
            }
        }
        Ok(())
    }

    /// Numbers of records in a set of the journal, from the one bound down to the other.
    async fn numbers(&self, unit: &Unit, set: &str, from: &str, to: &str) -> Result<Vec<String>> {
        let mut read = redis::cmd("ZREVRANGEBYSCORE");
        read.arg(format!("{}{set}", unit.journal)).arg(from).arg(to).arg("LIMIT").arg(0).arg(STEP);
        self.foreign.query(&read).await
    }
}

impl ImportStanding {
    /// How many items it says of what would become of them.
    #[must_use]
    pub const fn asked(&self) -> u64 {
        self.returnable + self.staying.total()
    }

    fn count(&mut self, outcome: &Withdrawn) {
        let staying = &mut self.staying;
        let counter = match outcome {
            Withdrawn::Now => &mut self.returnable,
            Withdrawn::Stays { word, state, .. } => match (word.as_str(), state.as_str()) {
                ("ended", "cancelled") => &mut staying.cancelled,
                ("ended", _) => &mut staying.ended,
                ("active", _) => &mut staying.active,
                ("gone", _) => &mut staying.gone,
                _ => &mut staying.changed,
            },
        };
        *counter += 1;
    }
}
