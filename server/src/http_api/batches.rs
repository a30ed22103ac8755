//! `/api/v1/batches`: jobs that are counted together, and one job that runs when all of them have ended.

use super::act::operation;
use super::enqueue::{JOBS_MAX, in_part};
use super::needs;
use super::new_job::NewJobBody;
use super::once::{Answer, Once};
use super::reason::Reason;
use super::refusals::{BatchClosed, NoSuchBatch};
use super::shapes::{EnqueuedView, IdempotencyKey};
use super::view::RowView;
use super::views::view;
use super::{carry, path_name};
use crate::access::Access;
use crate::body;
use crate::parse::{self, AtMost, Object, Word};
use crate::problem::{Mistakes, Problem, Told};
use axum::Json;
use axum::extract::{Path, Request};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use reprieve::model::{
    BatchAnswer, BatchId, BatchRule, BatchWord, Enqueued, JobBatch, JobId, Kind, Permission, Timestamp, Unmet,
};
use reprieve::{BatchClose, BrokenOff, Engine, NewBatch, NewJob};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Batches that one page shows.
const LISTED: u32 = 100;

/// The batches' routes.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(needs(Permission::EnqueueJobs, routes!(make_batch)))
        .routes(routes!(batches))
        .routes(routes!(batch))
        .routes(needs(Permission::EnqueueJobs, routes!(add_to_batch)))
        .routes(needs(Permission::EnqueueJobs, routes!(close_batch)))
        .routes(needs(Permission::CancelJobs, routes!(cancel_batch)))
}

/// A batch to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewBatch, example = json!({
    "id": "import-7", "name": "import", "rule": "done", "unmet": "hold",
    "completion": { "kind": "import_report" },
    "jobs": [ { "kind": "import_row", "payload": 1 }, { "kind": "import_row", "payload": 2 } ],
}))]
struct NewBatchBody {
    /// Your own name for it: a repeat under the same id answers `exists`. 1 to 64 bytes of `A-Z a-z 0-9 . _ : / @ -`.
    id: BatchId,
    /// What sort of batch it is.
    name: Option<Kind>,
    /// The job that runs when all have ended, without id, `unique` and `replace`. Its id is `<batch>/completion`.
    #[schema(value_type = NewJobBody)]
    completion: Object<NewJobBody>,
    /// `ended` (without it): it runs whatever became of the jobs; `done`: only if all were done.
    rule: Option<Word<BatchRule>>,
    /// What becomes of it when the rule is `done` and some were not: `hold` (without it) or `cancel`.
    unmet: Option<Word<Unmet>>,
    /// Up to 500 jobs; one without an id is `<batch>/<its number>`.
    #[schema(value_type = Option<Vec<NewJobBody>>)]
    jobs: Option<Jobs>,
    /// Whether jobs can be added later: it does not end before it is closed.
    open: Option<bool>,
}

/// Jobs to be added.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BatchJobs, example = json!({ "jobs": [ { "kind": "import_row", "payload": 3, "id": "row-3" } ], "close": true }))]
struct BatchJobsBody {
    /// Up to 500 jobs; none without it.
    #[schema(value_type = Option<Vec<NewJobBody>>)]
    jobs: Option<Jobs>,
    /// Whether no more are to come.
    close: Option<bool>,
}

/// Why somebody acts on a batch; may be left out.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BatchAct, example = json!({ "reason": "the wrong file" }))]
struct BatchActBody {
    /// Why; at most 1,024 bytes.
    reason: Option<Reason>,
}

/// Jobs of one request.
type Jobs = AtMost<JOBS_MAX, Object<NewJobBody>>;

fn checked(jobs: Option<Jobs>, mistakes: &mut Mistakes) -> Vec<NewJob> {
    let jobs = jobs.unwrap_or_default().0.into_iter().enumerate();
    jobs.map(|(index, Object(job))| job.checked(&format!("/jobs/{index}"), mistakes)).collect()
}

impl NewBatchBody {
    fn checked(self) -> Result<NewBatch, Problem> {
        let mut mistakes = Mistakes::default();
        let completion = self.completion.0.checked("/completion", &mut mistakes);
        let jobs = checked(self.jobs, &mut mistakes);
        mistakes.into_result()?;
        let mut batch = NewBatch::new(self.id, completion).jobs(jobs);
        batch.name = self.name;
        batch.rule = self.rule.unwrap_or_default().0;
        batch.unmet = self.unmet.map_or(Unmet::Hold, |Word(unmet)| unmet);
        batch.close = if self.open.unwrap_or_default() { BatchClose::Later } else { BatchClose::Now };
        let fields = [("completion", "completion"), ("jobs", "jobs")];
        match batch.check().err().and_then(|error| Problem::at(&error, &fields)) {
            Some(problem) => Err(problem),
            None => Ok(batch),
        }
    }
}

impl BatchJobsBody {
    fn checked(self) -> Result<Vec<NewJob>, Problem> {
        let mut mistakes = Mistakes::default();
        let jobs = checked(self.jobs, &mut mistakes);
        mistakes.into_result().map(|()| jobs)
    }
}

view! {
    /// A batch, and what became of its jobs.
    pub(crate) struct BatchView as Batch from batch: JobBatch {
        /// Its id.
        id: BatchId,
        /// What sort of batch it is.
        name: Option<Kind>,
        /// `ended` or `done`.
        rule: &'static str = batch.rule.as_str(),
        /// The id of the job that completes it.
        completion: JobId,
        /// That job; null once it is purged.
        completion_job: Option<RowView> = batch.completion_job.map(RowView::from),
        /// When it was made.
        created_ms: Timestamp = batch.created,
        /// Who made it.
        created_by: String,
        /// Since when no job can be added; null while it is open.
        closed_ms: Option<Timestamp> = batch.closed,
        /// How many jobs were added.
        total: u64,
        /// How many of them are live.
        live: u64,
        /// How many were done.
        done: u64,
        /// How many are dead.
        dead: u64,
        /// How many are cancelled.
        cancelled: u64,
        /// Up to 100 of the live ones; empty in a list.
        live_jobs: Vec<JobId>,
        /// Up to 100 of the dead and cancelled ones, the latest first; empty in a list.
        unmet_jobs: Vec<JobId>,
    }
}

/// The latest batches.
#[derive(Serialize, ToSchema)]
#[schema(as = Batches)]
struct BatchesView {
    /// Newest first, at most 100.
    items: Vec<BatchView>,
}

view! {
    /// What became of a batch.
    pub(crate) struct BatchAnswerView as BatchAnswer from answer: BatchAnswer {
        /// `made`, `exists`, `added`, `closed`, `cancelled`, `unchanged`; in a problem `wrong_state`.
        outcome: &'static str = answer.outcome.as_str(),
        /// The batch.
        batch: BatchId,
        /// Since when no job can be added; null while it is open.
        closed_ms: Option<Timestamp> = answer.closed,
        /// How many jobs were added so far.
        total: u64,
        /// How many of them are live.
        live: u64,
        /// How many were done.
        done: u64,
        /// How many are dead.
        dead: u64,
        /// How many are cancelled.
        cancelled: u64,
        /// When this answer was made, by Redis's clock.
        at_ms: Timestamp = answer.at,
        /// What became of each job of the request, in its order.
        #[schema(value_type = Vec<EnqueuedView>)]
        jobs: Vec<Enqueued>,
    }
}

/// Make a batch
///
/// Jobs that are counted together, and one job, its completion, that runs when all of them have ended. The same id again
/// answers `exists`, and takes in the jobs that it does not have yet; once it is closed it takes in none, and the answer
/// has those that are there. Jobs beyond the first 100 go in in steps: a problem with the members `taken`, `known` and
/// `refused` says how many went in before a step failed.
#[utoipa::path(
    post, path = "/api/v1/batches",
    request_body = NewBatchBody,
    responses(
        (status = 200, description = "It exists.", body = BatchAnswerView),
        (status = 201, description = "It was made.", body = BatchAnswerView),
        BatchClosed,
    ),
)]
async fn make_batch(access: Access, request: Request) -> Result<Response, Problem> {
    access.require(Permission::EnqueueJobs)?;
    let headers = request.headers().clone();
    let mut batch = body::read::<NewBatchBody>(request).await?.checked()?;
    let queues = batch.jobs.iter().chain(Some(&batch.completion)).map(|job| &job.queue);
    let operator = access.operator_in_all(Permission::EnqueueJobs, queues)?;
    for job in batch.jobs.iter_mut().chain(Some(&mut batch.completion)) {
        job.by = Some(access.actor().to_owned());
        carry::trace(&headers, job);
    }
    if standing(&access, Permission::EnqueueJobs, &batch.id).await? == Standing::Elsewhere {
        return Err(Problem::taken_elsewhere("batch", batch.id.as_str()));
    }
    let mut made = match operator.make_batch_in_part(&batch).await {
        Ok(made) => made,
        Err(BrokenOff { error, told, .. }) if told.is_empty() => return Err(Problem::engine(&error)),
        Err(BrokenOff { error, told, .. }) => {
            return Err(in_part(Problem::engine(&error), &access.answers_seen(told).await?));
        }
    };
    made.jobs = access.answers_seen(made.jobs).await?;
    Ok(answer(made)?.into_response())
}

/// The latest batches, without their jobs
#[utoipa::path(
    get, path = "/api/v1/batches",
    responses((status = 200, description = "Newest first, at most 100.", body = BatchesView)),
)]
async fn batches(access: Access) -> Result<Json<BatchesView>, Problem> {
    let found = access.inspector()?.batches(LISTED).await.told()?;
    Ok(Json(BatchesView { items: found.into_iter().map(BatchView::from).collect() }))
}

/// A batch, and what became of its jobs
#[utoipa::path(
    get, path = "/api/v1/batches/{id}",
    responses(
        (status = 200, description = "The batch.", body = BatchView),
        NoSuchBatch,
    ),
)]
async fn batch(access: Access, Path(id): Path<String>) -> Result<Json<BatchView>, Problem> {
    let id = path_name::<BatchId>(&id)?;
    let found = access.inspector_of_seen()?.batch(&id).await.told()?;
    let batch = found.filter(|batch| access.sees_batch(batch));
    Ok(Json(batch.ok_or_else(|| Problem::engine(&reprieve::Error::NoBatch { id }))?.into()))
}

/// Add jobs to an open batch
///
/// They go in in steps of 100: a problem with the members `taken`, `known` and `refused` says how many went in before a step
/// failed. Repeat it with the same ids or key.
#[utoipa::path(
    post, path = "/api/v1/batches/{id}/jobs", params(IdempotencyKey),
    request_body = BatchJobsBody,
    responses(
        (status = 200, description = "They are in it.", body = BatchAnswerView),
        NoSuchBatch,
        BatchClosed,
    ),
)]
async fn add_to_batch(access: Access, Path(id): Path<String>, request: Request) -> Result<Response, Problem> {
    access.require(Permission::EnqueueJobs)?;
    let id = path_name::<BatchId>(&id)?;
    let headers = request.headers().clone();
    let text = body::text(request).await?;
    let body: BatchJobsBody = parse::whole(&text)?;
    let close = if body.close.unwrap_or_default() { BatchClose::Now } else { BatchClose::Later };
    let mut jobs = body.checked()?;
    let operator = access.operator_in_all(Permission::EnqueueJobs, jobs.iter().map(|job| &job.queue))?;
    if standing(&access, Permission::EnqueueJobs, &id).await? == Standing::Elsewhere {
        return Err(Problem::engine(&reprieve::Error::NoBatch { id }).found_elsewhere());
    }
    let once = match Once::begin(&access, &headers, &format!("batch {id}"), &text).await? {
        Once::Answered(answer) => return Ok(answer.into_response()),
        once => once,
    };
    for (index, job) in jobs.iter_mut().enumerate() {
        job.by = Some(access.actor().to_owned());
        once.identify(index, job);
        carry::trace(&headers, job);
    }
    let mut added = match operator.batch(&id).add_in_part(jobs, close).await {
        Ok(added) => added,
        Err(BrokenOff { error, told, .. }) if told.is_empty() => return Err(once.failed(&error).await),
        // The key stays with this request, whose repeat counts none twice.
        Err(BrokenOff { error, told, .. }) => {
            return Err(in_part(once.problem(&error), &access.answers_seen(told).await?));
        }
    };
    added.jobs = access.answers_seen(added.jobs).await?;
    let is_in_part = !added.jobs.is_empty();
    match answer(added) {
        Ok(answer) => Ok(once.settle(answer).await),
        Err(problem) => {
            // Closed between two steps: the key stays with this request, whose jobs have ids of it.
            if !is_in_part {
                once.give_back().await;
            }
            Err(problem)
        }
    }
}

/// Close a batch
///
/// No job can be added from then on, and it ends with the last one.
#[utoipa::path(
    post, path = "/api/v1/batches/{id}/close", params(IdempotencyKey),
    request_body(content = Option<BatchActBody>),
    responses(
        (status = 200, description = "It is closed.", body = BatchAnswerView),
        NoSuchBatch,
    ),
)]
async fn close_batch(access: Access, Path(id): Path<String>, request: Request) -> Result<Response, Problem> {
    end(&access, Permission::EnqueueJobs, &id, request).await
}

/// Cancel a batch
///
/// It is closed, and every live job of it is cancelled, in steps; a running one is asked to stop. May be repeated.
#[utoipa::path(
    post, path = "/api/v1/batches/{id}/cancel", params(IdempotencyKey),
    request_body(content = Option<BatchActBody>),
    responses(
        (status = 200, description = "What is left of it.", body = BatchAnswerView),
        NoSuchBatch,
    ),
)]
async fn cancel_batch(access: Access, Path(id): Path<String>, request: Request) -> Result<Response, Problem> {
    end(&access, Permission::CancelJobs, &id, request).await
}

async fn end(access: &Access, need: Permission, id: &str, request: Request) -> Result<Response, Problem> {
    let id = path_name::<BatchId>(id)?;
    let operator = if need == Permission::CancelJobs {
        // Its jobs may be in any queue.
        access.operator(need)?
    } else if standing(access, need, &id).await? == Standing::Here {
        access.operator_in_all(need, std::iter::empty())?
    } else {
        return Err(Problem::engine(&reprieve::Error::NoBatch { id }).found_elsewhere());
    };
    let operation = operation(access, request.headers())?;
    let BatchActBody { reason } = body::read_optional(request).await?;
    let acts = operator.batch(&id).because(Reason::of(reason)).operation(operation.id.as_str());
    let ended = if need == Permission::CancelJobs { acts.cancel().await } else { acts.close().await };
    Ok(answer(ended.map_err(|error| operation.problem(&error))?)?.into_response())
}

/// Where a batch is, for somebody who acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Where they may act, or nowhere: the act itself says which.
    Here,
    /// In a queue that is not theirs.
    Elsewhere,
}

async fn standing(access: &Access, need: Permission, id: &BatchId) -> Result<Standing, Problem> {
    if access.operator(need).is_ok() {
        return Ok(Standing::Here);
    }
    let found = access.inspector_to_act(need)?.batch(id).await.told()?;
    let seen = found.is_none_or(|batch| access.sees_batch(&batch));
    Ok(if seen { Standing::Here } else { Standing::Elsewhere })
}

/// The outcome as it is, or as a problem when somebody has to look again.
fn answer(answer: BatchAnswer) -> Result<Answer, Problem> {
    let status = match answer.outcome {
        BatchWord::Made => StatusCode::CREATED,
        BatchWord::Refused => {
            let detail = "the batch is closed, and a job of the request is not in it";
            // Somebody may have closed it between two steps.
            let title =
                if answer.jobs.is_empty() { "Nothing was changed" } else { "It was closed meanwhile" };
            return Err(Problem::conflict("wrong_state", title, detail).with(&BatchAnswerView::from(answer)));
        }
        _ => StatusCode::OK,
    };
    Ok(Answer::new(status, &BatchAnswerView::from(answer)))
}

/// Reads a batch out of a text of its own.
///
/// # Errors
/// Its mistakes, in one line.
pub(crate) fn batch_from_text(text: &str) -> Result<NewBatch, String> {
    parse::in_shell(text, NewBatchBody::checked)
}

/// Reads jobs to be added out of a text of its own: an array.
///
/// # Errors
/// Its mistakes, in one line.
pub(crate) fn batch_jobs_from_text(text: &str) -> Result<Vec<NewJob>, String> {
    parse::in_shell(&format!("{{\"jobs\":{text}}}"), BatchJobsBody::checked)
}
