//! `GET /api/v1/stats`: what was counted.

use super::query::Query;
use super::views::view;
use crate::access::Access;
use crate::problem::{Problem, Told};
use axum::Json;
use axum::extract::RawQuery;
use reprieve::Engine;
use reprieve::model::{Histogram, MinuteStats, QueueName, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Minutes of an answer unless said otherwise.
const MINUTES: u16 = 60;
/// A day.
const MINUTES_MAX: u16 = 1_440;

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

view! {
    /// One minute.
    struct MinuteView as Minute from minute: MinuteStats {
        /// When it began.
        at_ms: Timestamp = minute.at,
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
        late: SpreadView = SpreadView::from(&minute.late),
        /// How long jobs were ready before they began.
        wait: SpreadView = SpreadView::from(&minute.wait),
        /// How long attempts ran.
        run: SpreadView = SpreadView::from(&minute.run),
    }
}

view! {
    /// A spread of times in ms, to the bounds of fixed buckets; null when nothing was counted.
    struct SpreadView as Spread from times: &Histogram {
        /// How many were counted.
        count: u64 = times.total(),
        /// Half of them took no longer.
        p50_ms: Option<u64> = times.percentile_ms(50),
        /// 95 of 100 took no longer.
        p95_ms: Option<u64> = times.percentile_ms(95),
        /// 99 of 100 took no longer.
        p99_ms: Option<u64> = times.percentile_ms(99),
    }
}

/// What was counted, minute by minute
///
/// Of one queue or of all, up to a day back.
#[utoipa::path(
    get,
    path = "/api/v1/stats",
    params(StatsParameters),
    responses((status = 200, description = "The minutes.", body = StatsView)),
)]
async fn stats(access: Access, RawQuery(query): RawQuery) -> Result<Json<StatsView>, Problem> {
    let mut query = Query::read(query.as_deref());
    let queue = query.take::<QueueName>("queue");
    let minutes = query.size::<MINUTES_MAX>("minutes", MINUTES);
    let inspector = access.inspector_in(queue.as_ref())?;
    query.finish()?;
    let stats = inspector.stats(queue.as_ref(), minutes).await.told()?;
    Ok(Json(StatsView { items: stats.into_iter().map(MinuteView::from).collect() }))
}
