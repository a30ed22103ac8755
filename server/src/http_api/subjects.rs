//! `GET /api/v1/subjects/{subject}` and `POST …/cancel`: everything about one business thing at once.

use super::act::operation;
use super::needs;
use super::reason::{ReasonBody, reason};
use super::shapes::{IdempotencyKey, SubjectCancelledView};
use super::view::RowView;
use crate::access::Access;
use crate::problem::{Problem, Told};
use axum::Json;
use axum::extract::{Path, Request};
use axum::response::{IntoResponse, Response};
use reprieve::Engine;
use reprieve::model::{Permission, Subject, SubjectCancelled, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The subjects' routes.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new().routes(routes!(subject)).routes(needs(Permission::CancelJobs, routes!(cancel)))
}

/// All jobs of a subject.
#[derive(Serialize, ToSchema)]
#[schema(as = Subject)]
struct SubjectView {
    /// The subject.
    #[schema(example = "resource:4711")]
    subject: Subject,
    /// Its live jobs and those that ended and are kept, by due time.
    items: Vec<RowView>,
    /// When this was read, by Redis's clock.
    read_at_ms: Timestamp,
}

/// Everything about one business thing
///
/// Its live jobs and those that ended and are kept, by due time. An unknown subject has none.
#[utoipa::path(
    get,
    path = "/api/v1/subjects/{subject}",
    responses((status = 200, description = "Its jobs.", body = SubjectView)),
)]
async fn subject(access: Access, Path(subject): Path<String>) -> Result<Json<SubjectView>, Problem> {
    let subject = super::path_name::<Subject>(&subject)?;
    let found = access.inspector_of_seen()?.subject(&subject).await.told()?;
    Ok(Json(SubjectView {
        subject,
        items: found.jobs.into_iter().map(RowView::from).collect(),
        read_at_ms: found.read_at,
    }))
}

/// Call off every live job of a subject
///
/// In one step: no job of it starts in between. With more than 1,000 live jobs nothing changes, and the code is
/// `too_many`.
#[utoipa::path(
    post,
    path = "/api/v1/subjects/{subject}/cancel",
    operation_id = "cancel_subject",
    params(IdempotencyKey),
    request_body(content = Option<ReasonBody>),
    responses(
        (status = 200, description = "What became of each live job.", body = SubjectCancelledView),
        (status = 409, description = "Too many; nothing was changed."),
    ),
)]
async fn cancel(access: Access, Path(subject): Path<String>, request: Request) -> Result<Response, Problem> {
    let subject = super::path_name::<Subject>(&subject)?;
    let operator = access.operator(Permission::CancelJobs)?;
    let operation = operation(&access, request.headers())?;
    let act = operator.cancel_subject(&subject).because(reason(request).await?);
    let outcome = act.operation(operation.id.as_str()).await.map_err(|error| operation.problem(&error))?;
    match outcome {
        SubjectCancelled::TooMany { live } => Err(Problem::too_many(live, &outcome)),
        _ => Ok(Json(outcome).into_response()),
    }
}
