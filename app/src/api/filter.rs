//! Filtered lists, and what stands beside them.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use reprieve::model::filter::{Counted, Facets, FilteredPage, Tally};
use reprieve::model::{Direction, StateGroup};

use crate::error::ApiError;

/// The next jobs of a list that fit. Needs `View`. One call looks at 5,000 jobs at most; `after` is the `next` of the
/// reading before, `columns` are paths into payloads, parted by commas.
#[server(prefix = "/api/fn", endpoint = "filter_jobs", input = GetUrl)]
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
        let invalid = |why: String| ApiError::Invalid { why };
        let mut query = FilteredQuery::new(
            q.parse().map_err(|wrong: reprieve::model::FilterError| invalid(wrong.to_string()))?,
            [group],
        );
        query.direction = direction;
        query.after = after
            .filter(|text| !text.is_empty())
            .map(|text| text.parse())
            .transpose()
            .map_err(|wrong: reprieve::model::list::InvalidCursor| invalid(wrong.to_string()))?;
        query.size = size.unwrap_or(PAGE_SIZE_DEFAULT);
        // A path that cannot be read shows nothing; the others still do.
        query.columns = columns.split(',').filter_map(|path| path.parse().ok()).collect();
        query.me = crate::access::principal().name;
        Ok(crate::access::inspector().await?.filtered(&query).await?)
    })
    .await
}

/// What the jobs of a list that fit are like, among the first 2,000. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_facets", input = GetUrl)]
pub async fn get_facets(group: StateGroup, #[server(default)] q: String) -> Result<Facets, ApiError> {
    super::answer::read(async {
        let filter = q
            .parse()
            .map_err(|wrong: reprieve::model::FilterError| ApiError::Invalid { why: wrong.to_string() })?;
        let me = crate::access::principal().name;
        Ok(crate::access::inspector().await?.facets(&filter, &[group], &me).await?)
    })
    .await
}

/// How many jobs each of several filters finds, each in its list: `<list>~<filter>`, at most 40. All of them together look
/// at 5,000 jobs at most. Needs `View`.
///
/// A POST although it only reads: so many filters do not fit into every address.
#[server(prefix = "/api/fn", endpoint = "count_jobs")]
pub async fn count_jobs(#[server(default)] asked: Vec<String>) -> Result<Vec<Tally>, ApiError> {
    super::answer::read(async {
        let asked = asked.iter().map(|text| question(text)).collect::<Result<Vec<_>, _>>()?;
        let me = crate::access::principal().name;
        Ok(crate::access::inspector().await?.tallies(&asked, &me).await?)
    })
    .await
}

/// How many of the next jobs of a list fit: one step of an exact count. Needs `View`. One call looks at 5,000 jobs at most;
/// `after` is the `next` of the step before.
///
/// A POST although it only reads, as `count_jobs` is.
#[server(prefix = "/api/fn", endpoint = "count_on")]
pub async fn count_on(
    group: StateGroup,
    #[server(default)] q: String,
    #[server(default)] after: Option<String>,
) -> Result<Counted, ApiError> {
    super::answer::read(async {
        let invalid = |why: String| ApiError::Invalid { why };
        let filter = q.parse().map_err(|wrong: reprieve::model::FilterError| invalid(wrong.to_string()))?;
        let mut query = reprieve::model::FilteredQuery::new(filter, [group]);
        query.after = after
            .map(|text| text.parse())
            .transpose()
            .map_err(|wrong: reprieve::model::list::InvalidCursor| invalid(wrong.to_string()))?;
        query.me = crate::access::principal().name;
        Ok(crate::access::inspector().await?.count_on(&query).await?)
    })
    .await
}

/// A list and a filter, as `count_jobs` is sent them.
#[cfg(feature = "ssr")]
fn question(text: &str) -> Result<(reprieve::model::Filter, StateGroup), ApiError> {
    let invalid = |why: String| ApiError::Invalid { why };
    let (group, line) = text.split_once('~').unwrap_or((text, ""));
    let group = group.parse().map_err(|_| invalid(format!("there is no list {group}")))?;
    let filter = line.parse().map_err(|wrong: reprieve::model::FilterError| invalid(wrong.to_string()))?;
    Ok((filter, group))
}
