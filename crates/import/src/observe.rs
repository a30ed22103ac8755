//! Observe: what is there, without changing anything.

use super::doubles::{Doubles, SAME_ID};
use super::judge::Judge;
use super::translate::Raw;
use super::unit::{Place, Unit};
use super::{Importer, Names, PAGE, name_item, script};
use crate::{ImportSample, Observation, PlaceCount};
use reprieve::internals::{Adoptee, Redaction, preview};
use reprieve::model::Timestamp;
use reprieve::{Due, NewJob, Result};
use std::collections::{BTreeMap, BTreeSet};

/// Items of a place that are looked at one by one: a hundred calls. Beyond that they are counted only.
const LOOKED_AT_MAX: usize = 10_000;
/// Samples shown.
const SAMPLES_MAX: usize = 20;
/// Samples of one place, so that a second place is seen as well.
const SAMPLES_OF_A_PLACE_MAX: usize = 5;

impl Importer {
    /// What the source holds: counts, samples, what cannot be read and why. Changes nothing.
    ///
    /// # Errors
    /// [`Error::Unavailable`](reprieve::Error::Unavailable) when the source does not answer.
    pub async fn observe(&self) -> Result<Observation> {
        let now = self.source_now().await?;
        let names = self.names().await?;
        let mut known = Known::default();
        let mut seen = Observation { complete: true, ..Observation::default() };
        for unit in self.units().await? {
            for place in self.door.places(&unit) {
                let count = self.count(&unit, &place, &mut seen).await?;
                if place.stays.is_empty() {
                    self.look_at(&unit, &place, (now, &names), &mut known, &mut seen).await?;
                    if !seen.complete && self.door.kind_of_members().is_some() {
                        self.look_at_end(&unit, &place, count, now, &mut known.judge).await?;
                    }
                }
            }
            self.door.notes(&self.foreign, &unit, &mut seen.notes).await?;
        }
        seen.notes.extend(known.merged.notes());
        seen.warnings = known.judge.warnings();
        Ok(seen)
    }

    /// Counts a place; 0 where its key is not what it should be.
    async fn count(&self, unit: &Unit, place: &Place, seen: &mut Observation) -> Result<u64> {
        let mut call = script::COUNTS.key(&place.key);
        call.arg(place.shape);
        let answer = self.foreign.call(&call).await?.text()?;
        let name = format!("{}/{}", unit.label, place.name);
        match answer.parse::<u64>() {
            Ok(0) => Ok(0),
            Ok(count) => {
                seen.places.push(PlaceCount {
                    place: name,
                    count,
                    taken: place.stays.is_empty(),
                    why: place.stays.to_owned(),
                    holds: None,
                });
                Ok(count)
            }
            Err(_) => {
                seen.places.push(PlaceCount {
                    place: name,
                    count: 0,
                    taken: false,
                    why: format!("{} holds a {answer}, not a {}", place.key, place.shape),
                    holds: Some(answer),
                });
                Ok(0)
            }
        }
    }

    async fn look_at(
        &self,
        unit: &Unit,
        place: &Place,
        (now, names): (Timestamp, &Names),
        known: &mut Known,
        seen: &mut Observation,
    ) -> Result<()> {
        let (mut skip, mut samples) = (0, 0);
        loop {
            if skip >= LOOKED_AT_MAX {
                seen.complete = false;
                return Ok(());
            }
            // What is wrong with the key was said when it was counted.
            let Ok(page) = self.page(unit, place, skip).await? else { return Ok(()) };
            for raw in &page {
                self.look_at_item(unit, raw, (now, names), known, seen, &mut samples);
            }
            if page.len() < PAGE {
                return Ok(());
            }
            skip += page.len();
        }
    }

    /// Judges the items with the highest scores as well, where those between are only counted: the lowest alone may all
    /// be due in any plan.
    async fn look_at_end(
        &self,
        unit: &Unit,
        place: &Place,
        count: u64,
        now: Timestamp,
        judge: &mut Judge,
    ) -> Result<()> {
        let skip = usize::try_from(count).unwrap_or(usize::MAX).saturating_sub(PAGE).max(LOOKED_AT_MAX);
        let Ok(page) = self.page(unit, place, skip).await? else { return Ok(()) };
        for raw in &page {
            if let Ok(adoptee) = self.door.read(unit, raw) {
                self.judge(unit, raw, &adoptee, now, judge);
            }
        }
        Ok(())
    }

    /// Judges one item. The other formats say themselves what an item is.
    fn judge(&self, unit: &Unit, raw: &Raw, adoptee: &Adoptee, now: Timestamp, judge: &mut Judge) {
        if let (Some(_), Due::At(due)) = (self.door.kind_of_members(), adoptee.job.due) {
            judge.see(&unit.base, &raw.name, due, now);
        }
    }

    fn look_at_item(
        &self,
        unit: &Unit,
        raw: &Raw,
        (now, names): (Timestamp, &Names),
        known: &mut Known,
        seen: &mut Observation,
        samples: &mut usize,
    ) {
        let place = format!("{}/{}", unit.label, raw.place);
        seen.looked_at += 1;
        let adoptee = self.door.read(unit, raw).and_then(|adoptee| {
            let is_double = self.door.may_share_ids() && known.doubles.has_another(&adoptee.id, &raw.name);
            if is_double { Err(SAME_ID.to_owned()) } else { Ok(adoptee) }
        });
        let adoptee = match adoptee {
            Ok(adoptee) => adoptee,
            Err(reason) => {
                let Observation { unreadable, unreadable_count, .. } = seen;
                return name_item(unreadable, unreadable_count, place, names.of(&unit.base, raw), reason);
            }
        };
        seen.takeable += 1;
        known.merged.see(self.door.names_of(unit, raw), &adoptee.job);
        self.judge(unit, raw, &adoptee, now, &mut known.judge);
        let due = match adoptee.job.due {
            Due::At(due) => Some(due),
            _ => None,
        };
        if let Some(due) = due {
            seen.earliest_due = Some(seen.earliest_due.map_or(due, |earliest| earliest.min(due)));
            seen.latest_due = Some(seen.latest_due.map_or(due, |latest| latest.max(due)));
        }
        if due.is_none_or(|due| due <= now) {
            seen.overdue += 1;
        }
        if *samples < SAMPLES_OF_A_PLACE_MAX && seen.samples.len() < SAMPLES_MAX {
            *samples += 1;
            let name = names.of(&unit.base, raw);
            seen.samples.push(sample(place, name, &adoptee, due, &names.redaction));
        }
    }
}

/// What is known of the items of a source that were looked at so far.
#[derive(Default)]
struct Known {
    doubles: Doubles,
    merged: Merged,
    judge: Judge,
}

/// Which names of the source become which kind and queue: `:` and `/` become dots, so that several may become
/// one.
#[derive(Default)]
struct Merged {
    kinds: BTreeMap<String, BTreeSet<String>>,
    queues: BTreeMap<String, BTreeSet<String>>,
}

/// Names that are remembered of one kind or queue, and kinds or queues: what a note shows, and more than
/// there usually are.
const NAMES_MAX: usize = 10;
const MERGED_MAX: usize = 1_000;

impl Merged {
    fn see(&mut self, [kind, queue]: [Option<String>; 2], job: &NewJob) {
        let note = |known: &mut BTreeMap<String, BTreeSet<String>>, name: &str, foreign: Option<String>| {
            let Some(foreign) = foreign else { return };
            if known.len() < MERGED_MAX || known.contains_key(name) {
                let names = known.entry(name.to_owned()).or_default();
                if names.len() < NAMES_MAX {
                    names.insert(foreign);
                }
            }
        };
        note(&mut self.kinds, job.kind.as_str(), kind);
        note(&mut self.queues, job.queue.as_str(), queue);
    }

    fn notes(self) -> impl Iterator<Item = String> {
        let told = |(name, names): (String, BTreeSet<String>), what: &str, one: &str| {
            let names: Vec<String> = names.into_iter().collect();
            (names.len() > 1).then(|| format!("{what} {} become one {one}: {name}", names.join(", ")))
        };
        let kinds = self.kinds.into_iter().filter_map(move |kind| told(kind, "types", "kind"));
        let queues = self.queues.into_iter().filter_map(move |queue| told(queue, "queues", "queue"));
        kinds.chain(queues)
    }
}

fn sample(
    place: String,
    name: String,
    Adoptee { id, job, .. }: &Adoptee,
    due: Option<Timestamp>,
    redaction: &Redaction,
) -> ImportSample {
    let mut shown = job.payload.clone();
    redaction.payload(&job.kind, &mut shown);
    ImportSample {
        place,
        name,
        id: id.to_string(),
        queue: job.queue.to_string(),
        kind: job.kind.to_string(),
        subject: job.subject.as_ref().map(ToString::to_string),
        due,
        payload_bytes: u64::try_from(job.payload.len()).unwrap_or(u64::MAX),
        preview: preview(&shown),
    }
}
