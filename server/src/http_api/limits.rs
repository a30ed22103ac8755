//! `POST /api/v1/queues/{queue}/limits`: how much of a queue may run at once, and how fast.

use super::act::operation;
use super::needs;
use super::reason::Reason;
use super::shapes::IdempotencyKey;
use super::views::view;
use crate::access::Access;
use crate::body;
use crate::parse::Object;
use crate::problem::Problem;
use axum::Json;
use axum::extract::{Path, Request};
use reprieve::Engine;
use reprieve::model::{Delay, Permission, QueueLimits, QueueName, Rate, SetLimits, Timestamp};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The route of limits.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new().routes(needs(Permission::LimitQueues, routes!(limit_queue)))
}

view! {
    /// The limits of a queue, and who set them.
    pub(super) struct LimitsView as Limits from set: SetLimits {
        /// Most jobs active at once over all processes; null is as many as there are workers for.
        concurrency: Option<u32> = set.limits.concurrency,
        /// Most jobs started in a span of time; null is no limit.
        rate: Option<RateView> = set.limits.rate.map(|Rate { jobs, per }| RateView { jobs, per_ms: per.as_millis() }),
        /// Most jobs of one concurrency key active at once; null is no limit.
        concurrency_per_key: Option<u32> = set.limits.concurrency_per_key,
        /// Whether a job that is retried holds back the later ones of its concurrency key.
        ordered: bool = set.limits.ordered,
        /// Since when.
        at_ms: Timestamp = set.at,
        /// Who set it.
        by: String,
        /// Why; empty when nothing was said.
        #[serde(rename = "reason")]
        why: String,
    }
}

/// So many jobs in a span of time.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Rate)]
struct RateView {
    /// How many may start.
    jobs: u32,
    /// In that span, in ms.
    #[schema(minimum = 1, maximum = 86_400_000)]
    per_ms: i64,
}

/// What the engine may say something against, and the field of the body that it is.
const FIELDS: [(&str, &str); 5] = [
    ("concurrency", "concurrency"),
    ("rate.jobs", "rate/jobs"),
    ("rate.per", "rate/per_ms"),
    ("concurrency_per_key", "concurrency_per_key"),
    ("ordered", "ordered"),
];

/// What became of a change of limits.
#[derive(Serialize, ToSchema)]
struct Limited {
    /// The queue.
    queue: QueueName,
    /// False when they were so before.
    changed: bool,
}

/// The limits as they are to be; what is left out is no limit.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewLimits, example = json!({ "concurrency": 20, "rate": { "jobs": 100, "per_ms": 1000 } }))]
struct LimitsBody {
    /// Most jobs active at once over all processes.
    concurrency: Option<NonZeroU32>,
    /// Most jobs started in a span of time.
    #[schema(value_type = Option<RateView>)]
    rate: Option<Object<RateView>>,
    /// Most jobs of one concurrency key active at once.
    concurrency_per_key: Option<NonZeroU32>,
    /// Whether a job that is retried holds back the later ones of its concurrency key; false without it.
    ordered: Option<bool>,
    /// Why; people see it beside the queue. At most 1,024 bytes.
    reason: Option<Reason>,
}

/// Set the limits of a queue
///
/// In place of those it had, over all processes; an empty object takes them away. What runs is left alone.
#[utoipa::path(
    post,
    path = "/api/v1/queues/{queue}/limits",
    params(IdempotencyKey),
    request_body(content = LimitsBody),
    responses((status = 200, description = "They hold from now on.", body = Limited)),
)]
async fn limit_queue(
    access: Access,
    Path(queue): Path<String>,
    request: Request,
) -> Result<Json<Limited>, Problem> {
    let queue = super::path_name::<QueueName>(&queue)?;
    let operator = access.operator_in(Permission::LimitQueues, &queue)?;
    let operation = operation(&access, request.headers())?;
    let LimitsBody { concurrency, rate, concurrency_per_key, ordered, reason } = body::read(request).await?;
    let limits = QueueLimits {
        concurrency: concurrency.map(NonZeroU32::get),
        rate: rate.map(|Object(rate)| Rate { jobs: rate.jobs, per: Delay::millis(rate.per_ms) }),
        concurrency_per_key: concurrency_per_key.map(NonZeroU32::get),
        ordered: ordered.unwrap_or_default(),
    };
    let changed = operator.operation(&*operation.id).limit(&queue, limits, &Reason::of(reason)).await;
    let changed =
        changed.map_err(|error| Problem::at(&error, &FIELDS).unwrap_or_else(|| operation.problem(&error)))?;
    Ok(Json(Limited { queue, changed }))
}
