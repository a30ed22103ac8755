//! `GET /api/v1/stats`: what was counted.

use super::query::Query;
use crate::access::Access;
use crate::problem::Problem;
use axum::Json;
use axum::extract::RawQuery;
use reprieve::Engine;
use reprieve::model::{Histogram, MinuteStats, QueueName, Timestamp};
use serde::Serialize;
use std::str::FromStr;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Minutes of an answer unless said otherwise.
const MINUTES: u16 = 60;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new().routes(routes!(stats))
}

/// Which minutes, of what.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query, which is read parameter by parameter")]
struct StatsParameters {
    /// One queue; all of them together without it.
    #[param(example = "default")]
    queue: Option<String>,
    /// How many minutes back; 60 without it.
    #[param(example = 5, minimum = 1, maximum = 1_440)]
    minutes: Option<u16>,
}

/// What was counted, minute by minute.
#[derive(Serialize, ToSchema)]
#[schema(as = Stats)]
struct StatsView {
    /// Oldest first; the last is the running one.
    items: Vec<MinuteView>,
}

/// One minute.
#[derive(Serialize, ToSchema)]
#[schema(as = Minute)]
struct MinuteView {
    /// When it began.
    #[schema(value_type = i64)]
    at_ms: Timestamp,
    /// Jobs taken in.
    enqueued: u64,
    /// Attempts begun.
    started: u64,
    /// Jobs done.
    done: u64,
    /// Attempts failed.
    failed: u64,
    /// Jobs that became dead.
    dead: u64,
    /// Jobs cancelled.
    cancelled: u64,
    /// Jobs given back because no handler was there.
    parked: u64,
    /// How late attempts began.
    late: SpreadView,
    /// How long jobs were ready before they began.
    wait: SpreadView,
    /// How long attempts ran.
    run: SpreadView,
}

/// A spread of times in ms, to the bounds of fixed buckets; null when nothing was counted.
#[derive(Serialize, ToSchema)]
#[schema(as = Spread)]
struct SpreadView {
    /// How many were counted.
    count: u64,
    /// Half of them took no longer.
    #[schema(required)]
    p50_ms: Option<u64>,
    /// 95 of 100 took no longer.
    #[schema(required)]
    p95_ms: Option<u64>,
    /// 99 of 100 took no longer.
    #[schema(required)]
    p99_ms: Option<u64>,
}

impl From<&Histogram> for SpreadView {
    fn from(times: &Histogram) -> Self {
        Self {
            count: times.total(),
            p50_ms: times.percentile_ms(50),
            p95_ms: times.percentile_ms(95),
            p99_ms: times.percentile_ms(99),
        }
    }
}

impl From<MinuteStats> for MinuteView {
    fn from(minute: MinuteStats) -> Self {
        Self {
            at_ms: minute.at,
            enqueued: minute.enqueued,
            started: minute.started,
            done: minute.done,
            failed: minute.failed,
            dead: minute.dead,
            cancelled: minute.cancelled,
            parked: minute.parked,
            late: SpreadView::from(&minute.late),
            wait: SpreadView::from(&minute.wait),
            run: SpreadView::from(&minute.run),
        }
    }
}

/// What was counted, minute by minute
///
/// Of one queue or of all, up to a day back.
#[utoipa::path(
    get,
    path = "/api/v1/stats",
    tag = "about",
    params(StatsParameters),
    responses((status = 200, description = "The minutes.", body = StatsView)),
    security(("token" = ["view"]))
)]
async fn stats(access: Access, RawQuery(query): RawQuery) -> Result<Json<StatsView>, Problem> {
    let mut query = Query::read(query.as_deref());
    let queue = query.take::<QueueName>("queue");
    let minutes = query.number::<Minutes>("minutes").map_or(MINUTES, |minutes| minutes.0);
    let inspector = access.inspector_in(queue.as_ref())?;
    query.finish("queue, minutes")?;
    let stats = inspector.stats(queue.as_ref(), minutes).await.map_err(|error| Problem::engine(&error))?;
    Ok(Json(StatsView { items: stats.into_iter().map(MinuteView::from).collect() }))
}

/// 1 to 1,440.
struct Minutes(u16);

impl FromStr for Minutes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let minutes = text.parse().ok().filter(|minutes| (1..=1_440).contains(minutes));
        minutes.map(Self).ok_or_else(|| "minutes are 1 to 1440: a day".to_owned())
    }
}
