//! `/api/v1/retention`: how long ended jobs are kept and how many, of the namespace and of single queues.

use super::act::operation;
use super::due::span;
use super::needs;
use super::reason::Reason;
use super::shapes::IdempotencyKey;
use super::views::view;
use crate::access::Access;
use crate::body;
use crate::parse::given;
use crate::problem::{Mistakes, Problem, Told};
use axum::Json;
use axum::extract::Request;
use reprieve::Engine;
use reprieve::model::{Delay, Permission, QueueName, RetentionChange, RetentionRule, RetentionRules};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes of retention.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(routes!(retention))
        .routes(needs(Permission::SetRetention, routes!(set_retention)))
}

view! {
    /// How long ended jobs are kept, in ms, and how many at most; null where there is no rule.
    struct RuleView as Retention from rule: RetentionRule {
        /// Jobs that were done.
        done_ms: Option<i64> = rule.done.map(Delay::as_millis),
        /// Jobs that died.
        dead_ms: Option<i64> = rule.dead.map(Delay::as_millis),
        /// Jobs that were called off; at least until they can no longer be put back.
        cancelled_ms: Option<i64> = rule.cancelled.map(Delay::as_millis),
        /// How many jobs that were done a queue keeps at most.
        done_most: Option<u64>,
        /// How many jobs that died a queue keeps at most.
        dead_most: Option<u64>,
    }
}

view! {
    /// All rules there are.
    pub(crate) struct RetentionView as RetentionRules from rules: RetentionRules {
        /// For queues without a rule of their own. A server whose configuration names times of it sets those anew when it
        /// starts.
        namespace: RuleView = rules.namespace.into(),
        /// How long receipts are kept; null is 13 months.
        receipts_ms: Option<i64> = rules.receipts.map(Delay::as_millis),
        /// Of single queues, which come first.
        #[schema(value_type = Object)]
        queues: BTreeMap<String, RuleView> = rules.queues.into_iter().map(|(queue, rule)| (queue.to_string(), rule.into())).collect(),
    }
}

/// A rule that was set.
#[derive(Serialize, ToSchema)]
struct RetentionSet {
    /// Of which queue; null is the namespace.
    queue: Option<QueueName>,
    /// The rule as it stands now.
    rule: RuleView,
}

/// What to change of a rule: what is left out stays, null takes it away.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewRetention, example = json!({ "queue": "mail", "done_ms": 86_400_000, "reason": "there are many" }))]
struct RetentionBody {
    /// Of which queue; of the namespace without it.
    queue: Option<QueueName>,
    /// Jobs that were done, in ms.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<u64>)]
    done_ms: Option<Option<i64>>,
    /// Jobs that died, in ms.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<u64>)]
    dead_ms: Option<Option<i64>>,
    /// Jobs that were called off, in ms.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<u64>)]
    cancelled_ms: Option<Option<i64>>,
    /// How many jobs that were done a queue keeps at most, the latest; 1 to 1,000,000,000. Of the namespace, for each
    /// queue by itself.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<u64>)]
    done_most: Option<Option<u64>>,
    /// How many jobs that died a queue keeps at most.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<u64>)]
    dead_most: Option<Option<u64>>,
    /// Why; at most 1,024 bytes.
    reason: Option<Reason>,
}

impl RetentionBody {
    fn change(&self) -> Result<RetentionChange, Problem> {
        let mut mistakes = Mistakes::default();
        let mut kept = |field: &str, ms: Option<Option<i64>>| ms.map(|ms| span(ms, "", field, &mut mistakes));
        let mut change = RetentionChange::default();
        change.done = kept("done_ms", self.done_ms);
        change.dead = kept("dead_ms", self.dead_ms);
        change.cancelled = kept("cancelled_ms", self.cancelled_ms);
        (change.done_most, change.dead_most) = (self.done_most, self.dead_most);
        mistakes.into_result().map(|()| change)
    }
}

/// How long ended jobs are kept
#[utoipa::path(
    get, path = "/api/v1/retention",
    responses((status = 200, description = "Every rule.", body = RetentionView)),
)]
async fn retention(access: Access) -> Result<Json<RetentionView>, Problem> {
    let rules = access.inspector()?.retention().await.told()?;
    Ok(Json(rules.into()))
}

/// Set how long ended jobs are kept
///
/// What the body leaves out stays as it is; `null` takes it away, so that the namespace's counts, or the default. Times count for jobs that end from now on; what is beyond
/// a number goes within seconds, the oldest first.
#[utoipa::path(
    post, path = "/api/v1/retention", params(IdempotencyKey),
    request_body(content = RetentionBody),
    responses((status = 200, description = "It counts from now on.", body = RetentionSet)),
)]
async fn set_retention(access: Access, request: Request) -> Result<Json<RetentionSet>, Problem> {
    access.require(Permission::SetRetention)?;
    let operation = operation(&access, request.headers())?;
    let body: RetentionBody = body::read(request).await?;
    let change = body.change()?;
    let (queue, why) = (body.queue, Reason::of(body.reason));
    let operator = match &queue {
        Some(queue) => access.operator_in(Permission::SetRetention, queue)?,
        None => access.operator(Permission::SetRetention)?,
    };
    let operator = operator.operation(&*operation.id);
    let changed = operator.change_retention(queue.as_ref(), change, &why).await;
    changed.map_err(|error| operation.problem(&error))?;
    let rule = operator.retention_of(queue.as_ref()).await.told()?;
    Ok(Json(RetentionSet { queue, rule: rule.into() }))
}
