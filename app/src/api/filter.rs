//! Filtered lists, and what stands beside them.

use leptos::prelude::*;
use reprieve::model::filter::{Counted, Facets, FilteredPage, Tally};
use reprieve::model::{Direction, StateGroup};

use crate::call::{Get, Post};
use crate::error::ApiError;

/// The next jobs of a list that fit. Needs `View`. One call looks at 5,000 jobs at most; `after` is the `next` of the
/// reading before, `columns` are paths into payloads, parted by commas.
#[server(prefix = "/api/fn", endpoint = "filter_jobs", protocol = Get)]
pub async fn filter_jobs(
    group: StateGroup,
    #[server(default)] q: String,
    #[server(default)] direction: Option<Direction>,
    #[server(default)] after: Option<String>,
    #[server(default)] size: Option<u16>,
    #[server(default)] columns: String,
) -> Result<FilteredPage, ApiError> {
    use reprieve::model::FilteredQuery;
    use reprieve::model::list::PAGE_SIZE_DEFAULT;
    super::answer::read(async {
        let mut query = FilteredQuery::new(crate::list::sealed::filter(&q).await?, [group]);
        query.direction = direction;
        query.after =
            after.filter(|text| !text.is_empty()).map(|text| text.parse()).transpose().map_err(no_cursor)?;
        query.size = size.unwrap_or(PAGE_SIZE_DEFAULT);
        // A path that cannot be read shows nothing; the others still do.
        query.columns = columns.split(',').filter_map(|path| path.parse().ok()).collect();
        query.me = crate::access::principal().name;
        Ok(crate::access::inspector().await?.filtered(&query).await?)
    })
    .await
}

/// What the jobs of a list that fit are like, among the first 2,000. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_facets", protocol = Get)]
pub async fn get_facets(group: StateGroup, #[server(default)] q: String) -> Result<Facets, ApiError> {
    super::answer::read(async {
        let filter = crate::list::sealed::filter(&q).await?;
        let me = crate::access::principal().name;
        Ok(crate::access::inspector().await?.facets(&filter, &[group], &me).await?)
    })
    .await
}

/// How many jobs each of several filters finds, each in its list: `<list>~<filter>`, at most 40. All of them together look
/// at 5,000 jobs at most. Needs `View`.
///
/// A POST although it only reads: so many filters do not fit into every address.
#[server(prefix = "/api/fn", endpoint = "count_jobs", protocol = Post)]
pub async fn count_jobs(#[server(default)] asked: Vec<String>) -> Result<Vec<Tally>, ApiError> {
    super::answer::read(async {
        let mut questions = Vec::with_capacity(asked.len());
        for text in &asked {
            questions.push(question(text).await?);
        }
        let me = crate::access::principal().name;
        Ok(crate::access::inspector().await?.tallies(&questions, &me).await?)
    })
    .await
}

/// How many of the next jobs of a list fit: one step of an exact count. Needs `View`. One call looks at 5,000 jobs at most;
/// `after` is the `next` of the step before.
///
/// A POST although it only reads, as `count_jobs` is.
#[server(prefix = "/api/fn", endpoint = "count_on", protocol = Post)]
pub async fn count_on(
    group: StateGroup,
    #[server(default)] q: String,
    #[server(default)] after: Option<String>,
) -> Result<Counted, ApiError> {
    super::answer::read(async {
        let mut query = reprieve::model::FilteredQuery::new(crate::list::sealed::filter(&q).await?, [group]);
        query.after = after.map(|text| text.parse()).transpose().map_err(no_cursor)?;
        query.me = crate::access::principal().name;
        Ok(crate::access::inspector().await?.count_on(&query).await?)
    })
    .await
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
    use super::answer;
    answer::onward(back, ToString::to_string, async move {
        let seals = crate::access::seals().await?;
        let seal = |line: &str| seals.seal_line(line).map_err(|_| ApiError::Lapsed);
        let line = seals.open_line(&q).map_err(|_| ApiError::Lapsed)?;
        let kept = [("queue", queue), ("dir", dir), ("columns", columns), ("rows", rows), ("size", size)];
        crate::list::list_of(group, kept, &line, seal)
    })
    .await
}

/// What to say to a place in a list that is none.
pub(super) fn no_cursor(_: reprieve::model::list::InvalidCursor) -> ApiError {
    ApiError::Invalid { why: crate::t!("errors-not-a-place") }
}

/// A list and a filter, as `count_jobs` is sent them.
async fn question(text: &str) -> Result<(reprieve::model::Filter, StateGroup), ApiError> {
    let (group, line) = text.split_once('~').unwrap_or((text, ""));
    let wrong = |_| ApiError::Invalid { why: format!("there is no list {group}") };
    let group = group.parse().map_err(wrong)?;
    Ok((crate::list::sealed::filter(line).await?, group))
}
