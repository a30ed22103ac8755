//! `GET /api/v1/jobs/{id}/log`, receipts of a subject, and erasing one.

use super::needs;
use super::query::Query;
use super::reason::Reason;
use super::refusals::NoSuchJob;
use super::views::view;
use crate::access::Access;
use crate::body;
use crate::problem::{Problem, Told};
use axum::Json;
use axum::extract::{Path, RawQuery, Request};
use reprieve::model::{
    Erased, JobId, JobLog, JobState, Kind, LogLevel, LogLine, Permission, QueueName, Receipt, Subject,
    Timestamp,
};
use reprieve::{Engine, Error};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Lines of a page unless the caller says otherwise.
const LINES: u16 = 200;
/// As many as are kept of a job.
const LINES_MAX: u16 = 1_000;

/// The routes of what is kept beside a job.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(routes!(job_log))
        .routes(routes!(receipts))
        .routes(needs(Permission::EraseSubjects, routes!(erase_subject)))
}

/// Which lines.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes what is read by name")]
struct LogQuery {
    /// Behind the line of that number.
    #[param(example = 0)]
    after: Option<u64>,
    /// 1 to 1,000; 200 without it.
    #[param(example = 100, minimum = 1, maximum = 1000)]
    size: Option<u16>,
}

view! {
    /// A line of a job's log.
    struct LineView as LogLine from line: LogLine {
        /// Its number among all lines the job ever wrote, from 1.
        number: u64,
        /// When it was written, in ms since 1970.
        at: Timestamp,
        /// In which attempt.
        attempt: u32,
        /// `debug`, `info`, `warn` or `error`.
        level: LogLevel,
        /// What it says, at most 1 KiB.
        text: String,
    }
}

/// Lines of a job's log.
#[derive(Serialize, ToSchema)]
#[schema(as = JobLog)]
struct LogView {
    /// The oldest first.
    items: Vec<LineView>,
    /// The `after` of the next page; null after the last line.
    next: Option<u64>,
    /// How many lines the job ever wrote; the last 1,000 are kept.
    total: u64,
}

/// What a job wrote while it ran
///
/// Its last 1,000 lines, over all attempts. What a handler writes is as telling as its errors.
#[utoipa::path(
    get,
    path = "/api/v1/jobs/{id}/log",
    tag = "jobs",
    params(LogQuery),
    responses(
        (status = 200, description = "A page of lines.", body = LogView),
        NoSuchJob,
    ),
    security(("token" = ["view", "jobs.errors"]))
)]
async fn job_log(
    access: Access,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<LogView>, Problem> {
    access.require(Permission::View)?;
    access.require(Permission::SeeErrors)?;
    let id = super::path_name::<JobId>(&id)?;
    let inspector = access.inspector_on(&id).await?;
    let mut query = Query::read(query.as_deref());
    let after = query.number::<u64>("after").unwrap_or(0);
    let size = query.size::<LINES_MAX>("size", LINES);
    query.finish()?;
    match inspector.log(&id, after, size).await {
        Ok(Some(JobLog { lines, total, next, .. })) => {
            let items = lines.into_iter().map(LineView::from).collect();
            Ok(Json(LogView { items, next, total }))
        }
        Ok(None) => Err(Problem::engine(&Error::NotFound { id })),
        Err(error) => Err(Problem::engine(&error)),
    }
}

view! {
    /// What became of a job that is gone.
    struct ReceiptView as Receipt from receipt: Receipt {
        /// The job.
        id: JobId,
        /// What sort of work it was.
        kind: Kind,
        /// Its queue.
        queue: QueueName,
        /// How it ended.
        state: JobState,
        /// When it ended.
        at_ms: Timestamp = receipt.at,
        /// Who ended it: a person, or `worker:<id>`.
        by: String,
        /// Why; empty when nothing was said.
        reason: String = receipt.why,
        /// When the job itself was removed.
        purged_ms: Timestamp = receipt.purged,
    }
}

/// Receipts of a subject.
#[derive(Serialize, ToSchema)]
#[schema(as = Receipts)]
struct Receipts {
    /// The latest first.
    items: Vec<ReceiptView>,
}

/// What became of a subject's jobs that are gone
///
/// At most 200, for 13 months unless the rules say otherwise. Jobs that are still kept are not among them.
#[utoipa::path(
    get,
    path = "/api/v1/subjects/{subject}/receipts",
    responses((status = 200, description = "Its receipts.", body = Receipts)),
)]
async fn receipts(access: Access, Path(subject): Path<String>) -> Result<Json<Receipts>, Problem> {
    let inspector = access.inspector_of_seen()?;
    let subject = super::path_name::<Subject>(&subject)?;
    let items = inspector.receipts(&subject).await.told()?.into_iter().map(ReceiptView::from).collect();
    Ok(Json(Receipts { items }))
}

/// Whether to cancel first, and why.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EraseSubject, example = json!({ "cancel_first": true, "reason": "request 77" }))]
struct EraseBody {
    /// Cancel what waits first; `false` without it.
    cancel_first: Option<bool>,
    /// At most 1,024 bytes.
    reason: Option<Reason>,
}

/// Erase what is kept about a subject
///
/// Payloads, errors, logs, results and histories of its ended jobs, and what is personal in its receipts. Refused while
/// jobs of it live. A skeleton stays under the token of the answer.
#[utoipa::path(
    post,
    path = "/api/v1/subjects/{subject}/erase",
    request_body(content = Option<EraseBody>),
    responses(
        (status = 200, description = "What was erased.", body = Value),
        (status = 409, description = "Jobs of it still wait or run: nothing was erased, or what had ended before they were enqueued."),
    ),
)]
async fn erase_subject(
    access: Access,
    Path(subject): Path<String>,
    request: Request,
) -> Result<Json<Erased>, Problem> {
    let operator = access.operator(Permission::EraseSubjects)?;
    let subject = super::path_name::<Subject>(&subject)?;
    let EraseBody { cancel_first, reason } = body::read_optional(request).await?;
    let (cancel_first, why) = (cancel_first.unwrap_or_default(), Reason::of(reason));
    if cancel_first {
        access.operator(Permission::CancelJobs)?;
    }
    let erased = operator.erase_subject(&subject, cancel_first, &why).await.told()?;
    match &erased {
        Erased::TooMany { live } => Err(Problem::too_many(*live, &erased)),
        Erased::Live { live, jobs } => {
            let wait = if *live == 1 { "job still waits or runs" } else { "jobs still wait or run" };
            let erased_by_then = match jobs {
                0 => "nothing was erased".to_owned(),
                _ => format!("{jobs} that had ended were erased before those were enqueued"),
            };
            Err(Problem::conflict(
                "subject_live",
                "Jobs of the subject still live",
                format!("{live} {wait}; {erased_by_then}. Cancel them, let those that run end, and repeat"),
            )
            .with(&erased))
        }
        _ => Ok(Json(erased)),
    }
}
