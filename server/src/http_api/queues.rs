//! `GET /api/v1/queues`, `POST /api/v1/queues/{queue}/pause` and `…/resume`.

use super::access::Access;
use super::body;
use super::fields::{self, Fields};
use super::problem::{Mistakes, Problem};
use axum::Json;
use axum::extract::{Path, Request};
use reprieve::model::{Counts, PausedQueue, Permission, QueueName, QueueSummary, Timestamp};
use serde::Serialize;

/// Every queue.
#[derive(Serialize)]
pub(super) struct Queues {
    items: Vec<QueueView>,
}

#[derive(Serialize)]
struct QueueView {
    name: QueueName,
    counts: Counts,
    next_due_ms: Option<Timestamp>,
    oldest_ready_ms: Option<Timestamp>,
    workers: u64,
    paused: Option<PausedView>,
    /// Per minute over the last five, as a number with one decimal.
    in_per_minute: f64,
    out_per_minute: f64,
    late_ms_p99: Option<u64>,
    dead_last_hour: u64,
}

#[derive(Serialize)]
struct PausedView {
    at_ms: Timestamp,
    by: String,
    why: String,
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
            in_per_minute: rate(queue.in_per_minute.tenths),
            out_per_minute: rate(queue.out_per_minute.tenths),
            late_ms_p99: queue.late_ms_p99,
            dead_last_hour: queue.dead_last_hour,
        }
    }
}

/// All queues with their counts.
pub(super) async fn queues(access: Access) -> Result<Json<Queues>, Problem> {
    let queues = access.inspector()?.queues().await.map_err(|error| Problem::engine(&error))?;
    Ok(Json(Queues { items: queues.into_iter().map(QueueView::from).collect() }))
}

/// What became of a pause or resume.
#[derive(Serialize)]
pub(super) struct Switched {
    queue: QueueName,
    paused: bool,
    /// False when it was so before.
    changed: bool,
}

/// Stops claims from a queue; jobs that run go on.
pub(super) async fn pause(
    access: Access,
    Path(queue): Path<String>,
    request: Request,
) -> Result<Json<Switched>, Problem> {
    let queue = super::path_name::<QueueName>(&queue)?;
    let operator = access.operator(Permission::PauseQueues)?;
    let reason = reason(request).await?;
    let changed = operator.pause(&queue, &reason).await.map_err(|error| Problem::engine(&error))?;
    Ok(Json(Switched { queue, paused: true, changed }))
}

/// Lets a queue be claimed from again.
pub(super) async fn resume(
    access: Access,
    Path(queue): Path<String>,
    request: Request,
) -> Result<Json<Switched>, Problem> {
    let queue = super::path_name::<QueueName>(&queue)?;
    let operator = access.operator(Permission::PauseQueues)?;
    let reason = reason(request).await?;
    let changed = operator.resume(&queue, &reason).await.map_err(|error| Problem::engine(&error))?;
    Ok(Json(Switched { queue, paused: false, changed }))
}

/// The body `{reason?}`, which may be left out.
pub(super) async fn reason(request: Request) -> Result<String, Problem> {
    let text = body::text(request).await?;
    let text = if text.trim().is_empty() { "{}" } else { &text };
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| fields::malformed(&error))?;
    let mut mistakes = Mistakes::default();
    let reason = Fields::of(text, "", &mut mistakes).map(|mut fields| {
        let reason = super::act::reason(&mut fields, &mut mistakes);
        fields.refuse_the_rest("reason", &mut mistakes);
        reason
    });
    mistakes.into_result()?;
    Ok(reason.unwrap_or_default())
}
