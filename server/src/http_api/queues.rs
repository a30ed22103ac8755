//! `GET /api/v1/queues`, `POST /api/v1/queues/{queue}/pause` and `…/resume`.

use super::act::operation;
use super::limits::LimitsView;
use super::reason::{ReasonBody, reason};
use super::shapes::{IdempotencyKey, QueuePath};
use crate::access::Access;
use crate::problem::Problem;
use axum::Json;
use axum::extract::{Path, Request};
use reprieve::Engine;
use reprieve::model::{Counts, PausedQueue, Permission, QueueName, QueueSummary, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The queues' routes.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new().routes(routes!(queues)).routes(routes!(pause)).routes(routes!(resume))
}

/// Every queue.
#[derive(Serialize, ToSchema)]
struct Queues {
    items: Vec<QueueView>,
}

/// One queue at a glance.
#[derive(Serialize, ToSchema)]
#[schema(as = Queue)]
pub(crate) struct QueueView {
    /// Its name.
    #[schema(value_type = String, example = "default")]
    name: QueueName,
    /// How many jobs are in each state.
    #[schema(value_type = CountsView)]
    counts: Counts,
    /// When the next delayed job is due; null when none waits.
    #[schema(value_type = Option<i64>, required)]
    next_due_ms: Option<Timestamp>,
    /// Since when the oldest ready job waits for a worker; null when none does.
    #[schema(value_type = Option<i64>, required)]
    oldest_ready_ms: Option<Timestamp>,
    /// Workers that serve it.
    workers: u64,
    /// Who paused it, when and why; null while it runs.
    #[schema(required)]
    paused: Option<PausedView>,
    /// How much of it may run at once and how fast; null without limits.
    #[schema(required)]
    limits: Option<LimitsView>,
    /// Jobs enqueued per minute over the last five minutes.
    in_per_minute: f64,
    /// Jobs done per minute over the last five minutes.
    out_per_minute: f64,
    /// How late attempts began, at the 99th percentile of fifteen minutes; null when none began.
    #[schema(required)]
    late_ms_p99: Option<u64>,
    /// Jobs that became dead in the last hour.
    dead_last_hour: u64,
}

/// Who paused a queue.
#[derive(Serialize, ToSchema)]
#[schema(as = Paused)]
struct PausedView {
    /// When.
    #[schema(value_type = i64)]
    at_ms: Timestamp,
    /// Who.
    by: String,
    /// Why; empty when nothing was said.
    #[serde(rename = "reason")]
    why: String,
}

/// How many jobs are in each state.
#[derive(ToSchema)]
#[schema(as = Counts)]
#[expect(dead_code, reason = "it describes what the engine counts")]
pub(super) struct CountsView {
    delayed: u64,
    held: u64,
    ready: u64,
    active: u64,
    retrying: u64,
    done: u64,
    dead: u64,
    cancelled: u64,
}

impl From<QueueSummary> for QueueView {
    fn from(queue: QueueSummary) -> Self {
        // A rate with more than 32 bits of tenths is beyond any Redis.
        let rate = |tenths: u64| f64::from(u32::try_from(tenths).unwrap_or(u32::MAX)) / 10.0;
        Self {
            name: queue.name,
            counts: queue.counts,
            next_due_ms: queue.next_due,
            oldest_ready_ms: queue.oldest_ready,
            workers: queue.workers,
            paused: queue.paused.map(|PausedQueue { at, by, why, .. }| PausedView { at_ms: at, by, why }),
            limits: queue.limits.map(LimitsView::from),
            in_per_minute: rate(queue.in_per_minute.tenths),
            out_per_minute: rate(queue.out_per_minute.tenths),
            late_ms_p99: queue.late_ms_p99,
            dead_last_hour: queue.dead_last_hour,
        }
    }
}

/// Every queue at a glance
///
/// By name, with counts, rates, workers, and whether it is paused.
#[utoipa::path(
    get,
    path = "/api/v1/queues",
    tag = "queues",
    responses((status = 200, description = "Every queue.", body = Queues)),
    security(("token" = ["view"]))
)]
async fn queues(access: Access) -> Result<Json<Queues>, Problem> {
    let queues = access.inspector_of_seen()?.queues().await.map_err(|error| Problem::engine(&error))?;
    Ok(Json(Queues { items: queues.into_iter().map(QueueView::from).collect() }))
}

/// What became of a pause or resume.
#[derive(Serialize, ToSchema)]
struct Switched {
    /// The queue.
    #[schema(value_type = String)]
    queue: QueueName,
    /// Whether it is paused now.
    paused: bool,
    /// False when it was so before.
    changed: bool,
}

/// Stop claims from a queue
///
/// What runs goes on; what becomes due becomes ready and waits.
#[utoipa::path(
    post,
    path = "/api/v1/queues/{queue}/pause",
    tag = "queues",
    params(QueuePath, IdempotencyKey),
    request_body(content = Option<ReasonBody>),
    responses((status = 200, description = "How it stands now.", body = Switched)),
    security(("token" = ["queues.pause"]))
)]
async fn pause(
    access: Access,
    Path(queue): Path<String>,
    request: Request,
) -> Result<Json<Switched>, Problem> {
    let queue = super::path_name::<QueueName>(&queue)?;
    let operator = access.operator_in(Permission::PauseQueues, &queue)?;
    let operation = operation(&access, request.headers())?;
    let reason = reason(request).await?;
    let changed = operator.operation(&*operation.id).pause(&queue, &reason).await;
    let changed = changed.map_err(|error| operation.problem(&error))?;
    Ok(Json(Switched { queue, paused: true, changed }))
}

/// Let a queue be claimed from again
///
/// What became ready meanwhile runs in its order.
#[utoipa::path(
    post,
    path = "/api/v1/queues/{queue}/resume",
    tag = "queues",
    params(QueuePath, IdempotencyKey),
    request_body(content = Option<ReasonBody>),
    responses((status = 200, description = "How it stands now.", body = Switched)),
    security(("token" = ["queues.pause"]))
)]
async fn resume(
    access: Access,
    Path(queue): Path<String>,
    request: Request,
) -> Result<Json<Switched>, Problem> {
    let queue = super::path_name::<QueueName>(&queue)?;
    let operator = access.operator_in(Permission::PauseQueues, &queue)?;
    let operation = operation(&access, request.headers())?;
    let reason = reason(request).await?;
    let changed = operator.operation(&*operation.id).resume(&queue, &reason).await;
    let changed = changed.map_err(|error| operation.problem(&error))?;
    Ok(Json(Switched { queue, paused: false, changed }))
}
