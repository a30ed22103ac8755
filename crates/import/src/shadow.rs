//! Shadow: what we would do, beside what they do.

use super::unit::Unit;
use super::{Importer, Names, PAGE, name_item};
use crate::Comparison;
use reprieve::Result;
use reprieve::model::Timestamp;
use std::collections::HashMap;

/// Items watched in a place, those due first.
const WATCHED_MAX: usize = 20_000;
/// Lateness figures kept for the percentiles.
const LATENESS_MAX: usize = 100_000;

/// Where an item was seen: unit, place, name.
type Item = (String, &'static str, Vec<u8>);

/// A comparison that goes on: call [`look`](Self::look) every second or so. Changes nothing.
#[derive(Debug)]
pub struct Shadow {
    import: Importer,
    waiting: HashMap<Item, Timestamp>,
    report: Comparison,
    /// Due times of items that have left, to count what we would have done by now.
    late_ms: Vec<u64>,
    /// How items are named, by the rules of this look.
    names: Option<Names>,
}

impl Importer {
    /// Begins to compare.
    #[must_use]
    pub fn shadow(&self) -> Shadow {
        Shadow {
            import: self.clone(),
            waiting: HashMap::new(),
            report: Comparison::default(),
            late_ms: Vec::new(),
            names: None,
        }
    }
}

impl Shadow {
    /// Looks once, and says what there is to say by now.
    ///
    /// # Errors
    /// [`Error::Unavailable`](reprieve::Error::Unavailable): look again.
    pub async fn look(&mut self) -> Result<Comparison> {
        let now = self.import.source_now().await?;
        self.names = Some(self.import.names().await?);
        let (present, horizon) = self.present().await?;
        let since = *self.report.since.get_or_insert(now);
        self.report.watched_ms = u64::try_from(now.millis_since(since)).unwrap_or(0);
        for (item, due) in &present {
            match self.waiting.insert(item.clone(), *due) {
                None => self.report.seen += 1,
                Some(before) if before != *due => self.rescheduled(item, before, *due),
                Some(_) => {}
            }
        }
        let gone: Vec<(Item, Timestamp)> = self
            .waiting
            .iter()
            .filter(|(item, due)| {
                // Beyond the horizon nothing was looked at this time.
                let looked = horizon.get(&(item.0.clone(), item.1)).is_none_or(|end| *due < end);
                looked && !present.contains_key(*item)
            })
            .map(|(item, due)| (item.clone(), *due))
            .collect();
        for (item, due) in gone {
            self.waiting.remove(&item);
            self.left(&item, due, now);
        }
        self.report.overdue = count(self.waiting.values().filter(|due| **due <= now).count());
        self.report.ours_by_now = self.report.theirs_by_now + self.report.overdue;
        self.percentiles();
        Ok(self.report.clone())
    }

    /// Every item that waits, and per place the due time beyond which it was not read.
    async fn present(
        &mut self,
    ) -> Result<(HashMap<Item, Timestamp>, HashMap<(String, &'static str), Timestamp>)> {
        let (mut present, mut horizon) = (HashMap::new(), HashMap::new());
        for unit in self.import.units().await? {
            for place in self.import.door.places(&unit).into_iter().filter(|place| place.waits) {
                let mut skip = 0;
                while let Ok(page) = self.import.page(&unit, &place, skip).await? {
                    let length = page.len();
                    let items = page.into_iter().filter_map(|raw| self.item(&unit, place.name, raw));
                    let mut last = None;
                    for (item, due) in items {
                        last = Some(due);
                        present.insert(item, due);
                    }
                    skip += length;
                    if length < PAGE {
                        break;
                    }
                    if skip >= WATCHED_MAX {
                        self.report.partial = true;
                        horizon.insert((unit.label.clone(), place.name), last.unwrap_or(Timestamp::EPOCH));
                        break;
                    }
                }
            }
        }
        Ok((present, horizon))
    }

    fn item(
        &self,
        unit: &Unit,
        place: &'static str,
        raw: super::translate::Raw,
    ) -> Option<(Item, Timestamp)> {
        let due = self.import.door.due(&raw)?;
        Some(((unit.label.clone(), place, raw.name), due))
    }

    fn rescheduled(&mut self, item: &Item, before: Timestamp, now: Timestamp) {
        self.report.rescheduled += 1;
        self.difference(item, format!("got another due time: {now} instead of {before}"));
    }

    fn left(&mut self, item: &Item, due: Timestamp, now: Timestamp) {
        let late = now.millis_since(due);
        if late < 0 {
            self.report.early += 1;
            self.difference(item, format!("left {} ms before it was due: run early, or called off", -late));
        } else {
            self.report.theirs_by_now += 1;
            if self.late_ms.len() < LATENESS_MAX {
                self.late_ms.push(u64::try_from(late).unwrap_or(0));
            }
        }
    }

    fn difference(&mut self, (unit, place, name): &Item, reason: String) {
        let mut count = 0;
        let raw = super::translate::Raw { name: name.clone(), ..Default::default() };
        // A sorted set is its own unit: its label is its key.
        let shown = self.names.as_ref().map_or_else(String::new, |names| names.of(unit, &raw));
        name_item(&mut self.report.differences, &mut count, format!("{unit}/{place}"), shown, reason);
    }

    fn percentiles(&mut self) {
        self.late_ms.sort_unstable();
        let at = |percent: usize| {
            let index = (self.late_ms.len() * percent / 100).min(self.late_ms.len().saturating_sub(1));
            self.late_ms.get(index).copied()
        };
        (self.report.late_ms_p50, self.report.late_ms_p99) = (at(50), at(99));
        self.report.late_ms_max = self.late_ms.last().copied();
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
