//! Reading a list: plain, or through a filter.

use reprieve::model::filter::TALLIES_MAX;
use reprieve::model::{JobRow, Tally};
use serde::{Deserialize, Serialize};

use super::address::Address;
use super::rows::{LiveRow, Progress};
use crate::api::{count_jobs, filter_jobs, list_jobs};
use crate::error::ApiError;
use crate::i18n;

/// What one reading of a list gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Listed {
    /// In the order of the list.
    pub(crate) rows: Vec<JobRow>,
    /// What the payload of each has in the columns of one's own; empty without such columns.
    pub(crate) cells: Vec<Vec<String>>,
    /// Where the rest begins.
    pub(crate) next: Option<String>,
    pub(crate) progress: Progress,
    /// How many jobs each of the address's ways out would give; only where the filter found nothing.
    pub(crate) ways: Vec<Tally>,
}

impl Listed {
    /// Its rows, each with what its payload has in the columns of one's own.
    pub(crate) fn into_read(self) -> impl Iterator<Item = (JobRow, Vec<String>)> {
        self.rows.into_iter().zip(self.cells.into_iter().chain(std::iter::repeat(Vec::new())))
    }

    /// The same, ready to be shown.
    pub(crate) fn into_rows(self) -> impl Iterator<Item = LiveRow> {
        self.into_read().map(|(row, cells)| LiveRow::new(row, cells))
    }
}

/// Reads a list; where its filter finds nothing, also what would be there without each of its terms.
pub(crate) async fn read_with_ways(address: &Address, size: u16) -> Result<Listed, ApiError> {
    let mut page = read(address, address.after.clone(), size).await?;
    if page.rows.is_empty() && !address.q.is_empty() && address.after.is_none() {
        let ways = address.ways_out();
        let asked = ways.iter().take(TALLIES_MAX).filter_map(|(_, there)| there.asked()).collect();
        // Without the numbers the ways still lead somewhere.
        page.ways = count_jobs(asked).await.unwrap_or_default();
    }
    Ok(page)
}

/// Reads a list from a place on.
pub(crate) async fn read(address: &Address, after: Option<String>, size: u16) -> Result<Listed, ApiError> {
    if address.is_plain() {
        let page =
            list_jobs(address.group, address.queue.clone(), address.direction, after, Some(size)).await?;
        return Ok(Listed {
            cells: Vec::new(),
            next: page.next.map(|cursor| cursor.to_string()),
            progress: Progress { indexed: true, looked_at: 0, among: page.total },
            rows: page.rows,
            ways: Vec::new(),
        });
    }
    // What does not read is told by the bar; it must not be taken for "everything".
    let filter = address.filter().map_err(|wrong| ApiError::Invalid { why: i18n::filter_problem(&wrong) })?;
    let page =
        filter_jobs(address.group, filter.to_string(), address.direction, after, Some(size), address.paths())
            .await?;
    let progress = Progress { indexed: page.indexed, looked_at: page.looked_at, among: page.among };
    let next = page.next.map(|place| place.to_string());
    let (rows, cells) = page.rows.into_iter().map(|found| (found.row, found.cells)).unzip();
    Ok(Listed { rows, cells, next, progress, ways: Vec::new() })
}
