//! `GET /api/v1/search`: jobs that fit, by an index or by looking through a bounded number of them.

use super::query::{Millis, Query};
use super::view::RowView;
use crate::access::Access;
use crate::problem::{Problem, Told};
use axum::Json;
use axum::extract::RawQuery;
use reprieve::Engine;
use reprieve::model::filter::{GroupPlace, Pattern, Test};
use reprieve::model::{
    Filter, FilteredQuery, JobId, JobState, Kind, QueueName, StateGroup, Subject, Timestamp,
};
use serde::Serialize;
use std::str::FromStr;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Rows of a page unless said otherwise.
const SIZE: u16 = 50;
/// Longest text that is looked for, in bytes.
const ERROR_BYTES_MAX: usize = 200;

/// The search's route.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new().routes(routes!(search))
}

/// What a search is asked for. Everything given must hold.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query, which is read parameter by parameter")]
struct SearchParameters {
    /// This very job; looked up.
    id: Option<String>,
    /// About that thing; looked up.
    #[param(example = "resource:4711")]
    subject: Option<String>,
    /// In that queue.
    #[param(example = "default")]
    queue: Option<String>,
    /// In one of these states, separated by commas.
    #[param(
        example = "delayed,retrying",
        pattern = "^((delayed|held|ready|active|retrying|done|dead|cancelled)(,(delayed|held|ready|active|retrying|done|dead|cancelled))*)?$"
    )]
    state: Option<String>,
    /// Of that kind.
    #[param(example = "delete_resource")]
    kind: Option<String>,
    /// With that label.
    tag: Option<String>,
    /// With that text in its latest error, in whatever case.
    #[param(max_length = 200)]
    error: Option<String>,
    /// Due at this time or later, in ms since 1970.
    due_from_ms: Option<i64>,
    /// Due at this time or earlier.
    due_to_ms: Option<i64>,
    /// The `next` of the answer before.
    after: Option<String>,
    /// How many jobs are wanted; 50 without it.
    #[param(example = 20, minimum = 1, maximum = 200)]
    size: Option<u16>,
}

/// What a search found.
#[derive(Serialize, ToSchema)]
#[schema(as = Found)]
struct FoundView {
    /// The jobs that fit, list by list: waiting ones soonest first, ended ones newest first.
    items: Vec<RowView>,
    /// The `after` of the next part; null when everything was looked at.
    next: Option<String>,
    /// How many jobs were looked at for this answer.
    scanned: u64,
    /// Whether everything was looked at: `next` is null.
    complete: bool,
    /// When this was read, by Redis's clock.
    read_at_ms: Timestamp,
}

/// Search jobs
///
/// An id or a subject is looked up. Everything else is looked through, at most 5,000 jobs a request: an answer may hold
/// few jobs or none and still have a `next`. A range of due times with a state of `delayed`, `held` or `retrying` skips
/// what lies outside it.
#[utoipa::path(
    get,
    path = "/api/v1/search",
    params(SearchParameters),
    responses((status = 200, description = "What was found so far.", body = FoundView)),
)]
async fn search(access: Access, RawQuery(query): RawQuery) -> Result<Json<FoundView>, Problem> {
    let mut query = Query::read(query.as_deref());
    let (id, subject) = (query.take::<JobId>("id"), query.take::<Subject>("subject"));
    let queue = query.take::<QueueName>("queue");
    let states = query.take::<States>("state");
    let (kind, tag) = (query.take::<Kind>("kind"), query.take::<Kind>("tag"));
    let error = query.take::<ErrorText>("error");
    let due_from = query.number::<Millis>("due_from_ms").map(|at| at.0);
    let due_to = query.number::<Millis>("due_to_ms").map(|at| at.0);
    let after = query.take::<GroupPlace>("after");
    let size = query.size::<200>("size", SIZE);
    query.finish()?;
    let inspector = match (&id, &subject) {
        (None, None) => access.inspector_in(queue.as_ref())?,
        _ => access.inspector_of_seen()?,
    };
    let tests = [
        id.map(|id| Test::Id(vec![id])),
        subject.map(|subject| Test::Subject(Pattern::only(subject.as_str()))),
        queue.map(|queue| Test::Queue(Pattern::only(queue.as_str()))),
        states.map(|states| Test::State(states.0)),
        kind.map(|kind| Test::Kind(Pattern::only(kind.as_str()))),
        tag.map(|tag| Test::Tag(Pattern::only(tag.as_str()))),
        error.map(|text| Test::Error(vec![text.0])),
        Test::due(due_from, due_to),
    ];
    let filter: Filter = tests.into_iter().flatten().collect();
    let mut search = FilteredQuery::new(filter, StateGroup::ALL);
    (search.after, search.size) = (after, size);
    let found = inspector.filtered(&search).await.told()?;
    Ok(Json(FoundView {
        items: found.rows.into_iter().map(|found| RowView::from(found.row)).collect(),
        complete: found.next.is_none(),
        next: found.next.map(|place| place.to_string()),
        scanned: found.looked_at,
        read_at_ms: found.read_at,
    }))
}

/// States, separated by commas.
struct States(Vec<JobState>);

impl FromStr for States {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let states = text.split(',').map(|word| word.parse::<JobState>().map_err(|why| why.to_string()));
        states.collect::<Result<_, _>>().map(Self)
    }
}

/// A text to be found in an error.
struct ErrorText(String);

impl FromStr for ErrorText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.len() > ERROR_BYTES_MAX {
            return Err(format!("a text to look for has at most {ERROR_BYTES_MAX} bytes"));
        }
        Ok(Self(text.to_owned()))
    }
}
