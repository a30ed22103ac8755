//! How items lie at a source, for the script that most formats share: `lua/import/items.lua`.

use super::door::{Call, Place, Unit};
use super::script;
use crate::model::ImportFormat;
use serde::Serialize;
use std::collections::BTreeMap;

/// Where the job of an item is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stored {
    /// The member itself is the job.
    #[default]
    Member,
    /// A hash for each.
    Hash,
    /// A string for each.
    String,
    /// A field of one hash.
    Field,
}

/// The items of a unit.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Items {
    /// Where a job is.
    pub(super) record: Stored,
    /// What the keys of records begin with, or the key of the hash that holds all of them; empty with members.
    #[serde(skip)]
    pub(super) records: String,
    /// Whether workers take from the left end of lists.
    pub(super) from_left: bool,
    /// Keys beside a record that tell of it: a name, and what the key begins and ends with.
    pub(super) beside: BTreeMap<&'static str, [&'static str; 2]>,
    /// A key that exists while a process of the system moves what is due, not in one step.
    pub(super) mover: String,
    /// What a key begins with that workers watch while they take an item.
    pub(super) guard: &'static str,
    /// The channel on which workers hear of the earliest due time.
    pub(super) wake: String,
}

/// What the script reads.
#[derive(Serialize)]
struct Spec<'a> {
    format: ImportFormat,
    places: BTreeMap<&'static str, SpecPlace<'a>>,
    #[serde(flatten)]
    items: &'a Items,
}

#[derive(Serialize)]
struct SpecPlace<'a> {
    key: &'a str,
    shape: &'static str,
    waits: bool,
}

impl Items {
    /// The script that does that with them.
    pub(super) fn call(&self, act: &str, unit: &Unit, format: ImportFormat, places: &[Place]) -> Call {
        let places = places
            .iter()
            .map(|Place { name, key, shape, waits, .. }| (*name, SpecPlace { key, shape, waits: *waits }));
        let places = places.collect();
        let spec = Spec { format, places, items: self };
        // Texts and flags under names that are texts always go well.
        let spec = serde_json::to_string(&spec).unwrap_or_default();
        // Without records there is still a key to name: one of ours, to which we have the right.
        let records = if self.record == Stored::Member { &unit.journal } else { &self.records };
        let keys = vec![unit.journal.clone(), records.clone()];
        Call { arguments: vec![act.to_owned(), spec], ..Call::new(&script::ITEMS, keys) }
    }
}
