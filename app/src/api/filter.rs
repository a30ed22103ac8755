//! Filtered lists, and what stands beside them.

use std::str::FromStr;

use leptos::prelude::*;
use reprieve::model::filter::{Counted, Facets, FilteredPage, Tally};
use reprieve::model::list::InvalidCursor;
use reprieve::model::{Direction, FilteredQuery, StateGroup};

use super::answer;
use crate::call::Post;
use crate::error::ApiError;
use crate::list::{list_of, sealed};
use crate::{access, t};

/// The next jobs of a list that fit. Needs `View`. One call looks at 5,000 jobs at most; `after` is the `next` of the
/// reading before, `columns` are paths into payloads, parted by commas.
pub async fn filter_jobs(
    group: StateGroup,
    line: &str,
    direction: Option<Direction>,
    after: Option<&str>,
    size: u16,
    columns: &str,
) -> Result<FilteredPage, ApiError> {
    let mut query = FilteredQuery::new(sealed::filter(line).await?, [group]);
    query.direction = direction;
    query.after = place(after)?;
    query.size = size;
    // A path that cannot be read shows nothing; the others still do.
    query.columns = columns.split(',').filter_map(|path| path.parse().ok()).collect();
    query.me = access::principal().name;
    Ok(access::caller()?.inspector_of_seen()?.filtered(&query).await?)
}

/// What the jobs of a list that fit are like, among the first 2,000. Needs `View`.
pub async fn get_facets(group: StateGroup, line: &str) -> Result<Facets, ApiError> {
    let filter = sealed::filter(line).await?;
    let me = access::principal().name;
    Ok(access::caller()?.inspector_of_seen()?.facets(&filter, &[group], &me).await?)
}

/// How many jobs each of several filters finds, each in its list; at most 40. All of them together look at 5,000 jobs at
/// most. Needs `View`.
pub async fn count_jobs(asked: &[(StateGroup, String)]) -> Result<Vec<Tally>, ApiError> {
    let mut questions = Vec::with_capacity(asked.len());
    for (group, line) in asked {
        questions.push((sealed::filter(line).await?, *group));
    }
    let me = access::principal().name;
    Ok(access::caller()?.inspector_of_seen()?.tallies(&questions, &me).await?)
}

/// How many of the next jobs of a list fit: one step of an exact count. Needs `View`. One call looks at 5,000 jobs at most;
/// `after` is the `next` of the step before.
pub async fn count_on(group: StateGroup, line: &str, after: Option<&str>) -> Result<Counted, ApiError> {
    let mut query = FilteredQuery::new(sealed::filter(line).await?, [group]);
    query.after = place(after)?;
    query.me = access::principal().name;
    Ok(access::caller()?.inspector_of_seen()?.count_on(&query).await?)
}

/// Leads to the list that a line is about, whose address has sealed what payloads are searched for. Needs `View`.
///
/// A POST although it only reads: what is typed stands in no address on its way here either. `back` is the list it was
/// typed on.
#[server(prefix = "/api/fn", endpoint = "apply_filter", protocol = Post)]
pub async fn apply_filter(
    group: StateGroup,
    #[server(default)] q: String,
    #[server(default)] queue: String,
    #[server(default)] dir: String,
    #[server(default)] columns: String,
    #[server(default)] rows: String,
    #[server(default)] size: String,
    #[server(default)] back: Option<String>,
) -> Result<String, ApiError> {
    answer::onward(back, ToString::to_string, async move {
        let seals = access::caller()?.seals().await?;
        let seal = |line: &str| seals.seal_line(line).map_err(|_| ApiError::Lapsed);
        let line = seals.open_line(&q).map_err(|_| ApiError::Lapsed)?;
        let kept = [("queue", queue), ("dir", dir), ("columns", columns), ("rows", rows), ("size", size)];
        list_of(group, kept, &line, seal)
    })
    .await
}

/// Where a list goes on.
pub(crate) fn place<T: FromStr<Err = InvalidCursor>>(after: Option<&str>) -> Result<Option<T>, ApiError> {
    let none = |_| ApiError::Invalid { why: t!("errors-not-a-place") };
    after.map(str::parse).transpose().map_err(none)
}
