//! `GET /api/v1/jobs` and `GET /api/v1/jobs/{id}`.

use super::query::{Query, Size};
use super::refusals::NoSuchJob;
use super::view::{JobView, RowView};
use crate::access::Access;
use crate::problem::{Problem, Told};
use axum::Json;
use axum::extract::{Path, RawQuery};
use reprieve::model::list::PAGE_SIZE_MAX;
use reprieve::model::{Cursor, JobId, JobState, ListQuery, QueueName, StateGroup, Timestamp};
use reprieve::{Engine, Error};
use serde::Serialize;
use std::str::FromStr;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes that read jobs.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new().routes(routes!(jobs)).routes(routes!(job))
}

/// One job with its payload, attempts and history
///
/// Attempts and history are newest first, the last 20 and the last 50.
#[utoipa::path(
    get,
    path = "/api/v1/jobs/{id}",
    responses(
        (status = 200, description = "The job.", body = JobView),
        NoSuchJob,
    ),
)]
async fn job(access: Access, Path(id): Path<String>) -> Result<Json<JobView>, Problem> {
    let id = super::path_name::<JobId>(&id)?;
    match access.inspector_of_seen()?.job(&id).await {
        Ok(Some(detail)) => Ok(Json(detail.into())),
        Ok(None) => Err(Problem::engine(&Error::NotFound { id })),
        Err(error) => Err(Problem::engine(&error)),
    }
}

/// A page of a list.
#[derive(Serialize, ToSchema)]
#[schema(as = JobPage)]
struct Items {
    /// The jobs.
    items: Vec<RowView>,
    /// The `after` of the next page; null after the last one.
    next: Option<String>,
    /// How many jobs the whole list holds, over all its states.
    total: u64,
    /// When this was read, by Redis's clock.
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

/// What a list is asked for.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query, which is read parameter by parameter")]
struct ListParameters {
    /// `delay` (delayed and retrying), `delayed`, `retrying`, `held`, `ready`, `active`, `done`, `dead` or
    /// `cancelled`; `delay` without it.
    #[param(
        example = "delay",
        pattern = "^(delay|delayed|retrying|held|ready|active|done|dead|cancelled)?$"
    )]
    state: Option<String>,
    /// One queue; all of them without it.
    #[param(example = "default")]
    queue: Option<String>,
    /// The `next` of the page before.
    after: Option<String>,
    /// How many jobs a page holds; 50 without it.
    #[param(example = 20, minimum = 1, maximum = 200)]
    size: Option<u16>,
}

/// A page of a list
///
/// What is to come is listed soonest first, what has ended newest first. A page begins behind a row, not at a number,
/// so it stays right while jobs come and go. With `state=delayed` or `retrying` a page may hold fewer jobs than asked
/// for and still have a next one, and `total` counts both.
#[utoipa::path(
    get,
    path = "/api/v1/jobs",
    params(ListParameters),
    responses((status = 200, description = "A page.", body = Items)),
)]
async fn jobs(access: Access, RawQuery(query): RawQuery) -> Result<Json<Items>, Problem> {
    let mut query = Query::read(query.as_deref());
    let listed = query.take("state").unwrap_or(Listed { group: StateGroup::Delay, only: None });
    let queue = query.take::<QueueName>("queue");
    let inspector = access.inspector_in(queue.as_ref())?;
    let mut list = ListQuery::group(listed.group).queue(queue).after(query.take::<Cursor>("after"));
    if let Some(Size(size)) = query.take::<Size<PAGE_SIZE_MAX>>("size") {
        list = list.size(size);
    }
    query.finish()?;
    let page = inspector.list(&list).await.told()?;
    let wanted = |row: &RowView| listed.only.is_none_or(|state| row.state == state);
    Ok(Json(Items {
        items: page.rows.into_iter().map(RowView::from).filter(wanted).collect(),
        next: page.next.map(|cursor| cursor.to_string()),
        total: page.total,
        read_at_ms: page.read_at,
    }))
}
