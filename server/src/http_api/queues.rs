//! `GET /api/v1/queues`, `POST /api/v1/queues/{queue}/pause` and `…/resume`.

use super::act::operation;
use super::limits::LimitsView;
use super::needs;
use super::reason::{ReasonBody, reason};
use super::shapes::IdempotencyKey;
use super::views::view;
use crate::access::Access;
use crate::problem::{Problem, Told};
use axum::Json;
use axum::extract::{Path, Request};
use reprieve::Engine;
use reprieve::model::{Counts, PausedQueue, PerMinute, Permission, QueueName, QueueSummary, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The queues' routes.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(routes!(queues))
        .routes(needs(Permission::PauseQueues, routes!(pause)))
        .routes(needs(Permission::PauseQueues, routes!(resume)))
}

/// Every queue.
#[derive(Serialize, ToSchema)]
struct Queues {
    items: Vec<QueueView>,
}

view! {
    /// One queue at a glance.
    pub(crate) struct QueueView as Queue from queue: QueueSummary {
        /// Its name.
        #[schema(example = "default")]
        name: QueueName,
        /// How many jobs are in each state.
        #[schema(value_type = CountsView)]
        counts: Counts,
        /// When the next delayed job is due; null when none waits.
        next_due_ms: Option<Timestamp> = queue.next_due,
        /// Since when the oldest ready job waits for a worker; null when none does.
        oldest_ready_ms: Option<Timestamp> = queue.oldest_ready,
        /// Workers that serve it.
        workers: u64,
        /// Who paused it, when and why; null while it runs.
        paused: Option<PausedView> = queue.paused.map(|PausedQueue { at, by, why, .. }| PausedView { at_ms: at, by, why }),
        /// How much of it may run at once and how fast; null without limits.
        limits: Option<LimitsView> = queue.limits.map(LimitsView::from),
        /// Jobs enqueued per minute over the last five minutes.
        in_per_minute: f64 = rate(queue.in_per_minute),
        /// Jobs done per minute over the last five minutes.
        out_per_minute: f64 = rate(queue.out_per_minute),
        /// How late attempts began, at the 99th percentile of fifteen minutes; null when none began.
        late_ms_p99: Option<u64>,
        /// Jobs that became dead in the last hour.
        dead_last_hour: u64,
    }
}

/// Who paused a queue.
#[derive(Serialize, ToSchema)]
#[schema(as = Paused)]
struct PausedView {
    /// When.
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

/// A rate with more than 32 bits of tenths is beyond any Redis.
fn rate(per_minute: PerMinute) -> f64 {
    f64::from(u32::try_from(per_minute.tenths).unwrap_or(u32::MAX)) / 10.0
}

/// Every queue at a glance
///
/// By name, with counts, rates, workers, and whether it is paused.
#[utoipa::path(
    get,
    path = "/api/v1/queues",
    responses((status = 200, description = "Every queue.", body = Queues)),
)]
async fn queues(access: Access) -> Result<Json<Queues>, Problem> {
    let queues = access.inspector_of_seen()?.queues().await.told()?;
    Ok(Json(Queues { items: queues.into_iter().map(QueueView::from).collect() }))
}

/// What became of a pause or resume.
#[derive(Serialize, ToSchema)]
struct Switched {
    /// The queue.
    queue: QueueName,
    /// Whether it is paused now.
    paused: bool,
    /// False when it was so before.
    changed: bool,
}

/// Pauses or resumes a queue.
macro_rules! switch {
    ($(#[$doc:meta])* $function:ident, $path:literal, $paused:literal) => {
        $(#[$doc])*
        #[utoipa::path(
            post,
            path = $path,
            params(IdempotencyKey),
            request_body(content = Option<ReasonBody>),
            responses((status = 200, description = "How it stands now.", body = Switched)),
        )]
        async fn $function(
            access: Access,
            Path(queue): Path<String>,
            request: Request,
        ) -> Result<Json<Switched>, Problem> {
            let queue = super::path_name::<QueueName>(&queue)?;
            let operator = access.operator_in(Permission::PauseQueues, &queue)?;
            let operation = operation(&access, request.headers())?;
            let reason = reason(request).await?;
            let changed = operator.operation(&*operation.id).$function(&queue, &reason).await;
            let changed = changed.map_err(|error| operation.problem(&error))?;
            Ok(Json(Switched { queue, paused: $paused, changed }))
        }
    };
}

switch!(
    /// Stop claims from a queue
    ///
    /// What runs goes on; what becomes due becomes ready and waits.
    pause, "/api/v1/queues/{queue}/pause", true
);
switch!(
    /// Let a queue be claimed from again
    ///
    /// What became ready meanwhile runs in its order.
    resume, "/api/v1/queues/{queue}/resume", false
);
