//! Which cell an entry lives in.

use crate::error::{Error, Result};
use crate::model::{Cell, CronEntry, CronName, CronState, Subject};
use crate::store::{CRON_ENTRIES_MAX, Cells, Store};

/// The cell of an entry: that of its jobs' subject, so that its jobs are called off with all others of the subject,
/// or that of its name. Its jobs, the rule for overlaps and its past are all there.
fn home<'a>(cells: &'a Cells, entry: &CronEntry) -> &'a Store {
    let subject = entry.subject.as_ref().map(Subject::as_str);
    cells.cell(Cell::home(subject, None, &format!("cron:{}", entry.name), cells.count()))
}

/// An entry and the cell it is in; `None` when there is none of that name.
pub(crate) async fn find<'a>(cells: &'a Cells, name: &CronName) -> Result<Option<(&'a Store, CronState)>> {
    let found = cells.each(|store| store.cron_entry(name)).await?;
    Ok(cells.all().iter().zip(found).find_map(|(store, state)| Some((store, state?))))
}

/// The cell to put an entry into; `None` for another one where all cells together have as many as a namespace may. Those
/// that are made at the same moment do not see each other: each cell by itself never has more.
///
/// # Errors
/// [`Error::Invalid`] when it is in another one: a change of its subject would be a move.
pub(crate) async fn place<'a>(cells: &'a Cells, entry: &CronEntry) -> Result<Option<&'a Store>> {
    let home = home(cells, entry);
    if cells.count() == 1 {
        // The script that makes it counts.
        return Ok(Some(home));
    }
    match find(cells, &entry.name).await? {
        Some((store, _)) if store.cell() != home.cell() => Err(Error::invalid(
            "subject",
            "of a cron entry cannot be changed in a namespace of several cells; remove the entry and make it anew",
        )),
        Some(_) => Ok(Some(home)),
        None => {
            let counts = cells.each(Store::cron_count).await?;
            let count = counts.into_iter().fold(0, u64::saturating_add);
            Ok((count < CRON_ENTRIES_MAX).then_some(home))
        }
    }
}
