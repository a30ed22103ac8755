//! `GET /api/v1/jobs` and `GET /api/v1/jobs/{id}`.

use super::access::Access;
use super::problem::Problem;
use super::query::Query;
use super::view::{JobView, RowView};
use axum::Json;
use axum::extract::{Path, RawQuery};
use reprieve::Error;
use reprieve::model::{Cursor, JobId, JobState, ListQuery, QueueName, StateGroup, Timestamp};
use serde::Serialize;
use std::str::FromStr;

/// One job with its payload, attempts and history.
pub(super) async fn job(access: Access, Path(id): Path<String>) -> Result<Json<JobView>, Problem> {
    let id = super::path_name::<JobId>(&id)?;
    match access.inspector()?.job(&id).await {
        Ok(Some(detail)) => Ok(Json(detail.into())),
        Ok(None) => Err(Problem::engine(&Error::NotFound { id })),
        Err(error) => Err(Problem::engine(&error)),
    }
}

/// A page of a list.
#[derive(Serialize)]
pub(super) struct Items {
    items: Vec<RowView>,
    /// The `after` of the next page; null after the last one.
    next: Option<String>,
    /// How many jobs the whole list holds, over all its states.
    total: u64,
    read_at_ms: Timestamp,
}

/// A list by its word: `delay` and the rest of the screens, or one state of the two it shows.
#[derive(Clone, Copy)]
struct Listed {
    group: StateGroup,
    /// Only this state; a page may then hold fewer rows than asked for, and still have a next one.
    only: Option<JobState>,
}

impl FromStr for Listed {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        if let Ok(group) = word.parse::<StateGroup>() {
            return Ok(Self { group, only: None });
        }
        let state: JobState = word.parse().map_err(|_| {
            "not a list; lists are delay (both delayed and retrying), delayed, retrying, held, ready, active, \
             done, dead, cancelled"
                .to_owned()
        })?;
        Ok(Self { group: StateGroup::of(state), only: Some(state) })
    }
}

/// `?state=&queue=&after=&size=`; without a state the list of jobs that wait for their time.
pub(super) async fn jobs(access: Access, RawQuery(query): RawQuery) -> Result<Json<Items>, Problem> {
    let mut query = Query::read(query.as_deref());
    let listed = query.take("state").unwrap_or(Listed { group: StateGroup::Delay, only: None });
    let mut list = ListQuery::group(listed.group)
        .queue(query.take::<QueueName>("queue"))
        .after(query.take::<Cursor>("after"));
    if let Some(size) = query.take::<u16>("size") {
        list = list.size(size);
    }
    query.finish("state, queue, after, size")?;
    let page = access.inspector()?.list(&list).await.map_err(|error| Problem::engine(&error))?;
    let wanted = |row: &RowView| listed.only.is_none_or(|state| row.state == state);
    Ok(Json(Items {
        items: page.rows.into_iter().map(RowView::from).filter(wanted).collect(),
        next: page.next.map(|cursor| cursor.to_string()),
        total: page.total,
        read_at_ms: page.read_at,
    }))
}
