//! `GET /api/v1/events`: what happened, page by page, for programs that cannot hold a stream open.

use super::query::Query;
use super::views::view;
use crate::access::Access;
use crate::problem::{Problem, Told};
use axum::Json;
use axum::extract::{RawQuery, State};
use reprieve::Engine;
use reprieve::model::event::InvalidEventId;
use reprieve::model::{
    Event, EventId, EventPlace, JobId, JobState, Kind, QueueName, Shard, Subject, Timestamp, Version,
};
use serde::Serialize;
use std::str::FromStr;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Events of a page unless said otherwise, and at most.
const SIZE: u16 = 100;
const SIZE_MAX: u16 = 1_000;

/// The route.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new().routes(routes!(events))
}

/// Which events.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query, which is read parameter by parameter")]
struct EventsQuery {
    /// Behind that place: the `next` of the page before. From the oldest that is kept without it; `latest` tells only
    /// the place where the stream ends.
    #[param(max_length = 4096, pattern = "^[0-9a-z._-]*$")]
    after: Option<String>,
    /// Only of jobs of that queue.
    #[param(example = "default")]
    queue: Option<String>,
    /// How many events are looked at; 100 without it.
    #[param(example = 50, minimum = 1, maximum = 1000)]
    size: Option<u16>,
}

view! {
    /// One change of one job.
    struct EventView as Event from event: Event {
        /// Its place in the stream of its shard.
        #[schema(value_type = EventIdView)]
        id: EventId,
        /// The shard it happened in.
        shard: Shard,
        /// The job.
        job: JobId,
        /// Its queue.
        queue: QueueName,
        /// Its kind.
        kind: Kind,
        /// What it is about; null when it is about nothing.
        subject: Option<Subject>,
        /// Where it was; null when it was just enqueued.
        from: Option<JobState>,
        /// Where it is now; null when it was purged. The same as `from` when only its fields changed.
        to: Option<JobState>,
        /// The version this change produced.
        version: Version,
        /// When, in ms since 1970.
        at: Timestamp,
        /// Its due time after the change, in ms since 1970.
        due: Timestamp,
        /// Who did it: a person, `worker:<id>`, `forwarder`, `recoverer`, `janitor`.
        by: String,
        /// Why; empty when nothing was said.
        reason: String = event.why,
    }
}

/// The place of an event.
#[derive(ToSchema)]
#[schema(as = EventId)]
#[expect(dead_code, reason = "it describes what the engine writes")]
struct EventIdView {
    /// Redis's clock when it was written, in ms since 1970.
    ms: u64,
    /// Counts entries of the same millisecond.
    number: u64,
    /// Counts events of the same entry.
    part: u32,
}

/// A page of events.
#[derive(Serialize, ToSchema)]
#[schema(as = Events)]
struct EventsView {
    /// Oldest first.
    items: Vec<EventView>,
    /// The `after` of the next page, also when there is nothing behind this one yet.
    next: String,
    /// Whether the page reaches the end of the stream.
    end: bool,
    /// Whether events between `after` and this page are lost, because the stream is bounded: read everything once.
    gap: bool,
}

/// Where a page begins.
enum After {
    Place(EventPlace),
    Latest,
}

impl FromStr for After {
    type Err = InvalidEventId;

    fn from_str(text: &str) -> Result<Self, InvalidEventId> {
        if text == "latest" { Ok(Self::Latest) } else { text.parse().map(Self::Place) }
    }
}

/// What happened, page by page
///
/// The same events as those of the stream of the dashboard. They are hints that something is to be read again: about the
/// last 20,000 calls that changed a job are kept.
#[utoipa::path(
    get, path = "/api/v1/events", params(EventsQuery),
    responses((status = 200, description = "A page of events.", body = EventsView)),
)]
async fn events(
    access: Access,
    State(engine): State<Engine>,
    RawQuery(query): RawQuery,
) -> Result<Json<EventsView>, Problem> {
    access.inspector_of_seen()?;
    let mut query = Query::read(query.as_deref());
    let after = query.take::<After>("after");
    let queue = query.take::<QueueName>("queue");
    let size = query.size::<SIZE_MAX>("size", SIZE);
    if let Some(After::Place(place)) = &after
        && place.shards() != usize::from(engine.shard_count())
    {
        query.refuse("after", other_shards(place.shards(), engine.shard_count()));
    }
    query.finish()?;
    let tail = engine.events();
    let place = match after {
        None => EventPlace::beginning(engine.shard_count()),
        Some(After::Place(place)) => place,
        Some(After::Latest) => tail.latest().await.told()?,
    };
    if let Some(queue) = &queue {
        access.inspector_in(Some(queue))?;
    }
    let page = tail.page(&place, size.into()).await;
    let page = page.told()?;
    let shown = |event: &Event| {
        access.principal().may_in(&event.queue) && queue.as_ref().is_none_or(|queue| *queue == event.queue)
    };
    Ok(Json(EventsView {
        items: page.events.into_iter().filter(shown).map(EventView::from).collect(),
        next: page.next.to_string(),
        end: page.end,
        gap: page.gap,
    }))
}

/// A place of a namespace with another number of shards says nothing about where to go on.
fn other_shards(given: usize, shards: u16) -> String {
    let count = |shards: usize| if shards == 1 { "1 shard".to_owned() } else { format!("{shards} shards") };
    format!(
        "a place in {}, and this namespace has {}: begin without it, and read everything once",
        count(given),
        count(shards.into())
    )
}
