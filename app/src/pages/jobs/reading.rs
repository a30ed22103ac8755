//! Reading a list: plain, through a filter, or only rows of it that a page shows already.

use reprieve::model::filter::TALLIES_MAX;
use reprieve::model::list::ListQuery;
use reprieve::model::{JobRow, Tally};

use super::part::Looked;
use crate::access;
use crate::api::filter::{count_jobs, count_on, filter_jobs, place};
use crate::api::jobs::list_jobs;
use crate::error::ApiError;
use crate::i18n;
use crate::list::Address;

/// A job as its row shows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shown {
    /// The job.
    pub(crate) row: JobRow,
    /// What its payload has in the columns of one's own; empty where those were not read.
    pub(crate) cells: Vec<String>,
}

/// What one reading of a list gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Listed {
    /// In the order of the list.
    pub(crate) rows: Vec<Shown>,
    /// Where the rest begins.
    pub(crate) next: Option<String>,
    /// Whether an index answers: the count is exact.
    pub(crate) indexed: bool,
    /// How far it was looked through, together with the readings before.
    pub(crate) looked: Looked,
    /// Jobs there are to look at.
    pub(crate) among: u64,
    /// How many jobs each of the address's ways out would give; only where the filter found nothing.
    pub(crate) ways: Vec<Tally>,
}

impl Listed {
    /// Whether fewer rows are there than fit on a page, although not all jobs were looked at.
    pub(crate) fn is_short(&self, size: u16) -> bool {
        !self.indexed
            && self.next.is_some()
            && (self.rows.is_empty() || !self.looked.found.is_multiple_of(size.into()))
    }

    /// The address of the next page, with how far the list was looked through so far.
    pub(crate) fn next_href(&self, address: &Address) -> Option<String> {
        let there = address.starting_at(Some(self.next.clone()?));
        Some(if self.indexed { there.href() } else { there.href_with(&self.looked.in_query()) })
    }
}

/// Reads a list; where its filter finds nothing, also what would be there without each of its terms.
pub(crate) async fn read_with_ways(address: &Address, rows: u16, before: Looked) -> Result<Listed, ApiError> {
    let mut page = read(address, rows, before).await?;
    if page.rows.is_empty() && !address.q.is_empty() && address.after.is_none() {
        let ways = address.ways_out();
        let asked: Vec<_> = ways.iter().take(TALLIES_MAX).filter_map(|(_, there)| there.asked()).collect();
        // Without the numbers the ways still lead somewhere.
        page.ways = count_jobs(&asked).await.unwrap_or_default();
    }
    Ok(page)
}

async fn read(address: &Address, size: u16, before: Looked) -> Result<Listed, ApiError> {
    let after = address.after.as_deref();
    if address.is_plain() {
        let query = ListQuery::group(address.group)
            .queue(address.queue.clone())
            .direction(address.direction())
            .after(place(after)?)
            .size(size);
        let page = list_jobs(&query).await?;
        let shown = |row| Shown { row, cells: Vec::new() };
        return Ok(Listed {
            rows: page.rows.into_iter().map(shown).collect(),
            next: page.next.map(|cursor| cursor.to_string()),
            indexed: true,
            among: page.total,
            ..Listed::default()
        });
    }
    // The bar says what does not read; it must not be taken for "everything".
    let filter = address.filter().map_err(|wrong| ApiError::Invalid { why: i18n::filter_problem(&wrong) })?;
    let line = filter.to_string();
    let page = filter_jobs(address.group, &line, address.direction, after, size, &address.paths()).await?;
    let rows: Vec<Shown> =
        page.rows.into_iter().map(|found| Shown { row: found.row, cells: found.cells }).collect();
    Ok(Listed {
        next: page.next.map(|place| place.to_string()),
        indexed: page.indexed,
        looked: before.and(rows.len() as u64, page.looked_at),
        among: page.among,
        rows,
        ways: Vec::new(),
    })
}

/// The rows of these jobs as they are now, wherever they went; `None` for those that are gone.
pub(crate) async fn read_rows(ids: &[reprieve::model::JobId]) -> Result<Vec<Option<JobRow>>, ApiError> {
    Ok(access::caller()?.inspector_of_seen()?.rows(ids).await?)
}

/// How far an exact count is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counting {
    /// Jobs looked at and found so far.
    pub(crate) looked: Looked,
    /// Jobs there are to look at.
    pub(crate) among: u64,
    /// Where it goes on; `None` at its end.
    pub(crate) next: Option<String>,
}

/// The next step of an exact count.
pub(crate) async fn count(address: &Address, before: Looked) -> Result<Counting, ApiError> {
    let filter = address.filter().map_err(|wrong| ApiError::Invalid { why: i18n::filter_problem(&wrong) })?;
    let step = count_on(address.group, &filter.to_string(), address.after.as_deref()).await?;
    Ok(Counting {
        looked: before.and(step.found, step.looked_at),
        among: step.among,
        next: step.next.map(|place| place.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given;
    use serde_json::json;

    #[test]
    fn a_look_goes_on_until_there_is_another_page_of_rows() {
        let listed = |rows: usize, found, next: Option<&str>, indexed| Listed {
            rows: vec![Shown { row: given::row(json!({})), cells: Vec::new() }; rows],
            next: next.map(ToOwned::to_owned),
            looked: Looked { found, at: 5_000 },
            indexed,
            ..Listed::default()
        };
        assert!(listed(0, 0, Some("5~a"), false).is_short(25));
        assert!(listed(7, 7, Some("5~a"), false).is_short(25));
        assert!(listed(3, 28, Some("5~a"), false).is_short(25), "of the second page");
        assert!(listed(0, 25, Some("5~a"), false).is_short(25), "of the second page nothing yet");
        assert!(!listed(25, 50, Some("5~a"), false).is_short(25));
        assert!(!listed(7, 7, None, false).is_short(25), "there is nothing more");
        assert!(!listed(7, 7, Some("5~a"), true).is_short(25), "an index answers");
    }
}
