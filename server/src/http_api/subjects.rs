//! `GET /api/v1/subjects/{subject}` and `POST …/cancel`: everything about one business thing at once.

use super::access::Access;
use super::act::idempotency_key;
use super::problem::Problem;
use super::queues::reason;
use super::view::RowView;
use axum::Json;
use axum::extract::{Path, Request};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use reprieve::model::{Permission, Subject, SubjectCancelled, Timestamp};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct SubjectView {
    subject: Subject,
    items: Vec<RowView>,
    read_at_ms: Timestamp,
}

/// All jobs of a subject by due time; an unknown subject has none.
pub(super) async fn subject(
    access: Access,
    Path(subject): Path<String>,
) -> Result<Json<SubjectView>, Problem> {
    let subject = super::path_name::<Subject>(&subject)?;
    let found = access.inspector()?.subject(&subject).await.map_err(|error| Problem::engine(&error))?;
    Ok(Json(SubjectView {
        subject,
        items: found.jobs.into_iter().map(RowView::from).collect(),
        read_at_ms: found.read_at,
    }))
}

/// Calls off every live job of a subject in one step. 200 with one answer a job, 409 if there are too many.
pub(super) async fn act(
    access: Access,
    Path(rest): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let Some(subject) = rest.strip_suffix("/cancel") else { return Err(super::no_such_route()) };
    let subject = super::path_name::<Subject>(subject)?;
    let operator = access.operator(Permission::CancelJobs)?;
    let operation = idempotency_key(request.headers())?;
    let mut act = operator.cancel_subject(&subject).because(reason(request).await?);
    if let Some(operation) = operation {
        act = act.operation(operation);
    }
    let outcome = act.await.map_err(|error| Problem::engine(&error))?;
    match outcome {
        SubjectCancelled::TooMany { live } => Err(Problem::new(
            StatusCode::CONFLICT,
            "too_many",
            "The subject has too many jobs",
            format!("{live} jobs are live, one step may touch 1,000; nothing was changed"),
        )
        .with(&outcome)),
        _ => Ok(Json(outcome).into_response()),
    }
}
