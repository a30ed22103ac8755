//! `GET /api/v1/workers` and `POST /api/v1/workers/{worker}/order`: who works, and what they are told.

use super::needs;
use super::reason::Reason;
use super::views::view;
use crate::access::Access;
use crate::body;
use crate::parse::Word;
use crate::problem::{Problem, Told};
use axum::Json;
use axum::extract::{Path, Request};
use http::StatusCode;
use reprieve::Engine;
use reprieve::model::{Permission, Timestamp, WorkerInfo, WorkerOrder, WorkerOrdered};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(routes!(workers))
        .routes(needs(Permission::ManageWorkers, routes!(order_worker)))
}

/// Every worker.
#[derive(Serialize, ToSchema)]
#[schema(as = Workers)]
struct WorkersView {
    items: Vec<WorkerView>,
}

view! {
    /// One worker, as its heartbeat describes it.
    pub(crate) struct WorkerView as Worker from worker: WorkerInfo {
        /// Its name: host, process and a random part; of one that claims over HTTP the `worker` of its claims.
        id: String,
        /// It claims over HTTP, or by calls of its own in Rust. Its claims are its heartbeats, and nothing is known of its process.
        claims: bool,
        /// The machine it runs on; null if it `claims`.
        host: Option<String> = (!worker.claims).then_some(worker.host),
        /// Its process; null if it `claims`.
        pid: Option<u32> = (!worker.claims).then_some(worker.pid),
        /// Version of Reprieve it was built with; null if it `claims`.
        version: Option<String> = (!worker.claims).then_some(worker.version),
        /// The queues it serves; if it `claims`, those it claimed from within a minute.
        queues: Vec<String> = worker.queues.iter().map(ToString::to_string).collect(),
        /// Jobs it may run at once; null if it `claims`.
        slots: Option<u64> = (!worker.claims).then_some(worker.slots),
        /// Jobs it runs now.
        busy: u64,
        /// Some of the jobs it holds, at most 20.
        jobs: Vec<String> = worker.jobs.iter().map(ToString::to_string).collect(),
        /// Whether it finishes what it has and takes nothing new.
        quiet: bool,
        /// What it was told last: `quiet`, `resume` (which is what one without orders does) or `stop`.
        #[schema(example = "resume")]
        order: &'static str = worker.order.as_str(),
        /// Handlers that run on although they should have ended.
        stuck: u64,
        /// Memory of its process; null where the system does not say.
        memory_bytes: Option<u64>,
        /// When it started; if it `claims`, when it first did.
        started_ms: Timestamp = worker.started,
        /// Its last heartbeat; one that is older than ten seconds is not counted on. If it `claims`, to a few seconds its
        /// last claim: it is counted on for a minute from then, and as long as it has the lease of a job.
        seen_ms: Timestamp = worker.seen,
    }
}

/// Every worker seen in the last day
///
/// With what it serves and how busy it is.
#[utoipa::path(
    get,
    path = "/api/v1/workers",
    responses((status = 200, description = "The workers.", body = WorkersView)),
)]
async fn workers(access: Access) -> Result<Json<WorkersView>, Problem> {
    let workers = access.inspector_of_seen()?.workers().await.told()?;
    Ok(Json(WorkersView { items: workers.into_iter().map(WorkerView::from).collect() }))
}

/// What a worker is to do.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewWorkerOrder, example = json!({ "order": "quiet", "reason": "deploy" }))]
struct OrderBody {
    /// `quiet`: finish what it has and take nothing new; `resume`: take jobs again; `stop`: end, and give back to ready
    /// what is not finished within its grace period. One that `claims` is not told to stop.
    order: Word<WorkerOrder>,
    /// Why; it stands in the audit. At most 1,024 bytes.
    reason: Option<Reason>,
}

/// What became of an order.
#[derive(Serialize, ToSchema)]
#[schema(as = WorkerOrdered)]
struct OrderedView {
    /// `ordered`: it obeys at its next heartbeat, within four seconds, or its next claim; `unchanged`: it has that order; `stopping`: it
    /// was told to stop, which cannot be taken back.
    #[schema(example = "ordered")]
    outcome: &'static str,
}

/// Quiet, resume or stop a worker
///
/// It obeys at its next heartbeat. Repeating an order changes nothing.
#[utoipa::path(
    post,
    path = "/api/v1/workers/{worker}/order",
    request_body(content = OrderBody),
    responses(
        (status = 200, description = "What became of it.", body = OrderedView),
        (status = 404, description = "There is no such worker, or no more."),
        (status = 409, description = "It claims over HTTP, and only its own program can stop it.")
    ),
)]
async fn order_worker(
    access: Access,
    Path(worker): Path<String>,
    request: Request,
) -> Result<Json<OrderedView>, Problem> {
    let operator = access.operator(Permission::ManageWorkers)?;
    let OrderBody { order: Word(order), reason } = body::read(request).await?;
    let why = Reason::of(reason);
    match operator.order_worker(&worker, order, &why).await.told()? {
        WorkerOrdered::Missing => Err(Problem::new(
            StatusCode::NOT_FOUND,
            "no_such_worker",
            "There is no such worker",
            "none of that name was heard in the last day; GET /api/v1/workers lists them",
        )),
        WorkerOrdered::Claims => Err(Problem::conflict(
            "wrong_state",
            "Only its own program can stop it",
            "it claims by calls of its own and keeps its name when it is started anew; order quiet to give it nothing",
        )),
        outcome => Ok(Json(OrderedView { outcome: outcome.as_str() })),
    }
}
