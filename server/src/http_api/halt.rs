//! `GET /api/v1/halt` and `POST /api/v1/halt/clear`.

use super::act::operation;
use super::needs;
use super::reason::{ReasonBody, reason};
use super::shapes::IdempotencyKey;
use super::views::view;
use crate::access::Access;
use crate::problem::{Problem, Told};
use axum::Json;
use axum::extract::Request;
use reprieve::Engine;
use reprieve::model::{Halt, Permission, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes of halts.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new().routes(routes!(halt)).routes(needs(Permission::PauseQueues, routes!(clear_halt)))
}

/// Whether jobs start.
#[derive(Serialize, ToSchema)]
#[schema(as = Halts)]
struct HaltsView {
    /// Why nothing starts; null while jobs start.
    halt: Option<HaltView>,
}

view! {
    /// A namespace that starts nothing: jobs can be added, cancelled and reinstated, and what runs goes on.
    pub(crate) struct HaltView as Halt from standing: Halt {
        /// `clock_ahead` or `clock_back`: Redis's clock jumped. `clock_apart`: it is not where it was against those of the
        /// processes. `went_back`: the data is as it was some time ago, since a replica that lagged took over or a backup was
        /// restored. `took_over`: another server has it, which may not know the latest of it. `replaced`: the data is gone, or
        /// other data is there. `restored`: the program was given a backup.
        #[schema(example = "went_back")]
        #[serde(rename = "reason")]
        why: &'static str = standing.why.as_str(),
        /// Since when.
        at_ms: Timestamp = standing.at,
        /// How far the clock jumped, or how much was lost; 0 where that is not known.
        by_ms: u64,
        /// When it ends by itself; null when a person has to end it.
        until_ms: Option<Timestamp> = standing.until,
    }
}

/// An end that was asked for.
#[derive(Serialize, ToSchema)]
struct HaltEnded {
    /// False when nothing stood still.
    changed: bool,
}

/// Whether jobs start, and why not
///
/// A namespace stands still when Redis's clock jumps or its data is not what it was.
#[utoipa::path(
    get,
    path = "/api/v1/halt",
    responses((status = 200, description = "How it stands now.", body = HaltsView)),
)]
async fn halt(access: Access) -> Result<Json<HaltsView>, Problem> {
    let inspector = access.inspector()?;
    let standing = inspector.halt().await.told()?;
    Ok(Json(HaltsView { halt: standing.map(HaltView::from) }))
}

/// Let jobs start again
///
/// From then on Redis's clock and data are believed as they are: look first whether they are right.
#[utoipa::path(
    post,
    path = "/api/v1/halt/clear",
    params(IdempotencyKey),
    request_body(content = Option<ReasonBody>),
    responses((status = 200, description = "Whether anything changed.", body = HaltEnded)),
)]
async fn clear_halt(access: Access, request: Request) -> Result<Json<HaltEnded>, Problem> {
    let operator = access.operator(Permission::PauseQueues)?;
    let operation = operation(&access, request.headers())?;
    let reason = reason(request).await?;
    let changed = operator.operation(&*operation.id).clear_halt(&reason).await;
    let changed = changed.map_err(|error| operation.problem(&error))?;
    Ok(Json(HaltEnded { changed }))
}
