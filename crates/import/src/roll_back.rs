//! Roll back: what was taken goes back as it was, unless it has run.

use super::doubles::hash_of;
use super::journal::{Record, Which, record_name};
use super::unit::Unit;
use super::{Importer, Names, PAGE, name_item, script};
use crate::RolledBack;
use reprieve::internals::Withdrawn;
use reprieve::model::Shard;
use reprieve::{Error, Result};
use std::collections::HashSet;

impl Importer {
    /// Closes the importer and puts everything back that has not run and that nobody has changed here, byte for byte.
    /// The rest stays here and is named. `progress` hears after every page how far it is.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: some items may be back already; call it again.
    /// [`Error::Refused`]: a foreign key holds something else now.
    /// [`Error::Invalid`]: the reason is too long, and nothing was put back.
    pub async fn roll_back(&self, mut progress: impl FnMut(&RolledBack) + Send) -> Result<RolledBack> {
        self.note_begin("roll_back").await?;
        let units = self.units_of_its_own().await?;
        self.set_closed(&units, true).await?;
        let names = self.names().await?;
        let mut report = RolledBack::default();
        for unit in &units {
            let mut back = HashSet::new();
            let mut page = self.records(unit, Which::Newest, "").await?;
            while let Some(last) = page.last() {
                let is_full = page.len() >= PAGE;
                let (returned, next) =
                    tokio::join!(self.return_page(unit, &page, &names, &mut report, &mut back), async {
                        if is_full {
                            self.records(unit, Which::Newest, &last.number).await
                        } else {
                            Ok(Vec::new())
                        }
                    });
                returned?;
                progress(&report);
                page = next?;
            }
            self.free_doubles(unit, &back).await?;
        }
        let RolledBack { restored, kept_count, .. } = &report;
        self.note_end("roll_back", &format!("put back {restored}, kept {kept_count}")).await;
        Ok(report)
    }

    async fn return_page(
        &self,
        unit: &Unit,
        page: &[Record],
        names: &Names,
        report: &mut RolledBack,
        at_source: &mut HashSet<u64>,
    ) -> Result<()> {
        let mut keep = |record: &Record, reason: String| {
            let place = format!("{}/{}", unit.label, record.raw.place);
            name_item(
                &mut report.kept,
                &mut report.kept_count,
                place,
                names.of(&unit.base, &record.raw),
                reason,
            );
        };
        let (free, blocked) = self.with_a_free_name(unit, page).await?;
        let system = self.door.format().system();
        for record in blocked {
            keep(record, format!("{system} has a job of that id again; the one it had before stays here"));
        }
        if free.is_empty() {
            return Ok(());
        }
        let records: Vec<(Shard, String)> = free
            .iter()
            .map(|record| {
                // What cannot be translated has never become a job.
                let home = self.door.read(unit, &record.raw).map(|adoptee| self.shards.home_of(&adoptee));
                (home.unwrap_or(Shard::FIRST), record_name(unit, &record.number))
            })
            .collect();
        let numbers: Vec<&str> = free.iter().map(|record| record.number.as_str()).collect();
        // Before anything is taken out here: it must have a place to go to.
        self.check_restore(unit, &numbers).await?.map_err(not_put_back)?;
        self.on_their_way(unit, true, &numbers).await?;
        self.fuse.step()?;
        let outcomes = self.shards.withdraw(self.name.as_str(), &records).await?;
        let (mut back, mut stay) = (Vec::with_capacity(free.len()), Vec::new());
        for (record, outcome) in free.into_iter().zip(outcomes) {
            match outcome {
                Withdrawn::Now => back.push(record),
                Withdrawn::Stays { word, id, state } => {
                    stay.push(record.number.as_str());
                    keep(record, reason(&word, &id, &state));
                }
            }
        }
        self.on_their_way(unit, false, &stay).await?;
        let numbers: Vec<&str> = back.iter().map(|record| record.number.as_str()).collect();
        let words = self.restore(unit, &numbers).await?.map_err(not_put_back)?;
        let mut restored = 0;
        for (record, word) in back.into_iter().zip(words) {
            if word == "taken" {
                keep(
                    record,
                    "the source has an item of that name again; it is kept in the journal".to_owned(),
                );
            } else {
                restored += u64::from(word == "restored");
                at_source.insert(hash_of(&record.raw.name));
            }
        }
        report.restored += restored;
        Ok(())
    }
}

impl Importer {
    /// Parts records whose name is free at the source from those that have no way back.
    async fn with_a_free_name<'a>(
        &self,
        unit: &Unit,
        page: &'a [Record],
    ) -> Result<(Vec<&'a Record>, Vec<&'a Record>)> {
        let mut call = script::EXISTS.prepare_invoke();
        let keys: Option<Vec<Vec<u8>>> =
            page.iter().map(|record| self.door.key_of_its_own(unit, &record.raw)).collect();
        let Some(keys) = keys else { return Ok((page.iter().collect(), Vec::new())) };
        for key in keys {
            call.key(key);
        }
        if self.door.has_fields() {
            call.arg(page.iter().map(|record| record.raw.name.as_slice()).collect::<Vec<_>>());
        }
        let words = self.foreign.call(&call).await?.map(|item| item.text()).collect::<Result<Vec<_>>>()?;
        let (mut free, mut blocked) = (Vec::new(), Vec::new());
        for (record, word) in page.iter().zip(words) {
            if word == "1" { blocked.push(record) } else { free.push(record) }
        }
        Ok((free, blocked))
    }
}

/// A foreign key holds something else by now.
fn not_put_back(wrong: String) -> Error {
    Error::Refused { why: wrong + "; nothing was put back there" }
}

fn reason(word: &str, id: &str, state: &str) -> String {
    match word {
        "changed" => {
            format!("somebody changed job {id} here, it is {state}; cancel it here, or let it run here")
        }
        "active" => format!("job {id} is running here"),
        "ended" => format!("job {id} has ended here: it is {state}"),
        _ => format!("job {id} ran here and is no longer kept"),
    }
}
