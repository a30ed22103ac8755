//! The translation of one item by itself. For the fuzz targets.

use super::Layout;
use super::formats::door;
use super::translate::Raw;
use super::unit::Unit;
use reprieve::NewJob;
use reprieve::model::JobId;
use std::collections::BTreeMap;

/// An item of a foreign queue as it lies there.
#[derive(Debug, Clone, Default)]
pub struct ForeignItem {
    /// Where it is, in the source's words.
    pub place: String,
    /// Its member or id.
    pub name: Vec<u8>,
    /// Its score as text; empty in a list.
    pub score: String,
    /// What is kept about it elsewhere.
    pub body: Option<Vec<u8>>,
    /// Further fields.
    pub fields: BTreeMap<String, Vec<u8>>,
    /// How long a lock it holds lives on, in ms.
    pub lock_ms: Option<i64>,
}

/// The job that an item of a queue of that name becomes.
///
/// # Errors
/// Why it cannot become one, in words.
pub fn translate(layout: &Layout, queue: &str, item: ForeignItem) -> Result<(JobId, NewJob), String> {
    let ForeignItem { place, name, score, body, fields, lock_ms } = item;
    let unit = Unit { label: queue.to_owned(), base: queue.to_owned(), journal: String::new() };
    let raw = Raw { place, name, score, body, fields, lock_ms };
    let door = door(layout);
    let first = door.read(&unit, &raw);
    assert_eq!(first, door.read(&unit, &raw), "an item becomes the same job every time");
    first.map(|adoptee| (adoptee.id, adoptee.job))
}
