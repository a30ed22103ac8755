//! `POST /api/v1/jobs/{id}/<verb>`: what a person does to one job.
//!
//! The body `{version?, reason?}` may be left out. `version` is what the caller
//! saw: if the job has moved on, nothing happens and the answer is a 409 that
//! says where it stands. The header `Idempotency-Key` makes a repeat safe: it
//! gets the first answer and changes nothing.
//!
//! | Status | When |
//! |---|---|
//! | 200 | it is as asked: `cancelled`, `delayed`, `held`, `retrying`, `ready`; also a cancel of a job that was cancelled before |
//! | 202 | `requested`: the job was running, its worker is asked to stop |
//! | 409 | nothing was changed: `final` (too late), `refused`, `overdue`, `conflict`, `duplicate`; the problem says where the job stands |

use super::needs;
use super::reason::Reason;
use super::refusals::{NoSuchJob, StandsElsewhere};
use super::shapes::{IdempotencyKey, StandingView};
use super::{due, new_job};
use crate::access::Access;
use crate::body;
use crate::parse::given;
use crate::problem::{Mistakes, Problem};
use axum::Json;
use axum::extract::{Path, Request};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use reprieve::model::{Cancelled, JobId, JobRow, JobState, Permission, RunId, Standing, UniqueKey, Version};
use reprieve::{Due, Engine, Error, Operator};
use reprieve_access::waits;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

/// What is said about an act; may be left out.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Act, example = json!({ "reason": "the customer renewed" }))]
pub(super) struct ActBody {
    /// The version that was seen: if the job has changed since, nothing happens.
    pub(super) version: Option<u64>,
    /// Why; stands in the job's history. At most 1,024 bytes.
    pub(super) reason: Option<Reason>,
}

/// What is said about an act that may name a time: one of `due_at`, `due_ms`, `delay_ms`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ActAtTime, example = json!({ "delay_ms": 3_600_000, "reason": "the customer asked for an hour" }))]
struct TimedActBody {
    /// The version that was seen: if the job has changed since, nothing happens.
    version: Option<u64>,
    /// Why; stands in the job's history. At most 1,024 bytes.
    reason: Option<Reason>,
    /// When, in RFC 3339.
    #[schema(format = DateTime)]
    due_at: Option<String>,
    /// When, in ms since 1970.
    due_ms: Option<i64>,
    /// How long from now, in ms.
    delay_ms: Option<i64>,
}

/// Another payload for a job: `payload` or `payload_base64`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Edit, example = json!({ "payload": { "id": 4712 }, "reason": "the wrong number" }))]
struct EditBody {
    /// The version that was seen: if the job has changed since, nothing happens.
    version: Option<u64>,
    /// Why; stands in the job's history. At most 1,024 bytes.
    reason: Option<Reason>,
    /// Any JSON, stored as the very text that was sent; at most 256 KiB.
    #[serde(default, deserialize_with = "given")]
    payload: Option<Box<RawValue>>,
    /// Bytes instead of JSON, in base64.
    #[schema(content_encoding = "base64")]
    payload_base64: Option<String>,
}

impl TimedActBody {
    fn due(&self) -> Result<Option<Due>, Problem> {
        let mut mistakes = Mistakes::default();
        let due = due::of(self.due_at.as_deref(), self.due_ms, self.delay_ms, "", &mut mistakes);
        mistakes.into_result().map(|()| due)
    }
}

impl EditBody {
    /// The new payload, which must be there: an edit to `null` is said, not assumed.
    fn new_payload(&mut self) -> Result<Vec<u8>, Problem> {
        let (json, base64) = (self.payload.take(), self.payload_base64.as_deref());
        if json.is_none() && base64.is_none() {
            return Err(Problem::mistake("", "required", "give the new `payload` or `payload_base64`"));
        }
        let mut mistakes = Mistakes::default();
        let payload = new_job::payload(json, base64, "", &mut mistakes);
        mistakes.into_result().map(|()| payload)
    }
}

/// The job of a request, with what is needed to act on it.
struct Target {
    id: JobId,
    operator: Operator,
    operation: Operation,
}

impl Target {
    async fn of(access: &Access, need: Permission, id: &str, headers: &HeaderMap) -> Result<Self, Problem> {
        let id = super::path_name::<JobId>(id)?;
        let operator = access.operator_on(need, &id).await?;
        Ok(Self { id, operator, operation: operation(access, headers)? })
    }
}

/// Carries an act out: the outcome, or the problem returned.
macro_rules! outcome {
    ($target:ident, $act:expr, $seen:expr, $reason:expr) => {{
        let act = $act.seen_if($seen).because(Reason::of($reason));
        act.operation($target.operation.id.as_str())
            .await
            .map_err(|error| $target.operation.problem(&error))?
    }};
}

/// Carries an act out and answers what became of it.
macro_rules! answered {
    ($target:ident, $act:expr, $seen:expr, $reason:expr) => {{
        let outcome = outcome!($target, $act, $seen, $reason);
        Ok(answer(&outcome, outcome.word(), outcome.standing()))
    }};
}

/// The verbs of one job.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(needs(Permission::CancelJobs, routes!(cancel)))
        .routes(needs(Permission::ReinstateJobs, routes!(reinstate)))
        .routes(needs(Permission::RetryJobs, routes!(retry)))
        .routes(needs(Permission::RescheduleJobs, routes!(reschedule)))
        .routes(needs(Permission::HoldJobs, routes!(hold)))
        .routes(needs(Permission::HoldJobs, routes!(unhold)))
        .routes(needs(Permission::EditJobs, routes!(edit)))
        .routes(needs(Permission::PurgeJobs, routes!(purge)))
}

/// A verb: the permission it needs, its address and body, what is said when it was done, what else may come of it, and how it
/// is carried out.
macro_rules! verb {
    (
        $(#[$doc:meta])*
        $function:ident: $need:ident, $path:literal, $body:ty, $done:literal, [$($other:tt)*],
        |$access:ident, $target:ident, $request:ident| $act:block
    ) => {
        $(#[$doc])*
        #[utoipa::path(
            post, path = $path, params(IdempotencyKey),
            request_body(content = $body),
            responses((status = 200, description = $done, body = StandingView), NoSuchJob, $($other)*),
        )]
        async fn $function($access: Access, Path(id): Path<String>, $request: Request) -> Result<Response, Problem> {
            let $target = Target::of(&$access, Permission::$need, &id, $request.headers()).await?;
            $act
        }
    };
}

verb!(
    /// Cancel a job
    ///
    /// A waiting job is cancelled at once: no worker will ever start it. An active one is marked, and its worker learns
    /// of it at the next heartbeat. The answer says which, or that it is too late. To cancel an active one, the token
    /// needs `jobs.stop` as well.
    cancel: CancelJobs, "/api/v1/jobs/{id}/cancel", Option<ActBody>, "It is as you asked.",
    [(status = 202, description = "It runs: its worker is asked to stop.", body = StandingView), StandsElsewhere],
    |access, target, request| {
        let ActBody { version, reason } = body::read_optional(request).await?;
        // To stop what runs takes a right of its own.
        let runs = |row: &JobRow, _| row.state == JobState::Active;
        let seen = access.only_with(Permission::StopJobs, &target.id, version.map(Version), runs).await?;
        Ok(cancelled(&outcome!(target, target.operator.cancel(&target.id), seen, reason)))
    }
);
verb!(
    /// Undo a cancel
    ///
    /// The job waits again, for its original due time or for the one given here. If that has passed, nothing happens and
    /// the code is `overdue`: name a time, or run it now with `retry`. What was held before, or is a step of a held plan, is
    /// `held` again, whatever its time. For a time before its own the token needs `jobs.run` as
    /// well.
    reinstate: ReinstateJobs, "/api/v1/jobs/{id}/reinstate", Option<TimedActBody>, "It is as you asked.",
    [StandsElsewhere],
    |access, target, request| {
        let body: TimedActBody = body::read_optional(request).await?;
        let due = body.due()?;
        let seen = allowed(&access, &target.id, body.version, due).await?;
        let mut act = target.operator.reinstate(&target.id);
        if let Some(due) = due {
            act = act.at(access.instant(due).await?);
        }
        answered!(target, act, seen, body.reason)
    }
);
verb!(
    /// Run a job now
    ///
    /// A waiting, dead or cancelled job becomes ready for the next free worker, with at least one more attempt. For one
    /// whose time is still to come the token needs `jobs.run` as well.
    retry: RetryJobs, "/api/v1/jobs/{id}/retry", Option<ActBody>, "It is as you asked.", [StandsElsewhere],
    |access, target, request| {
        let ActBody { version, reason } = body::read_optional(request).await?;
        let seen = access.only_with(Permission::RunJobs, &target.id, version.map(Version), waits).await?;
        answered!(target, target.operator.retry_now(&target.id), seen, reason)
    }
);
verb!(
    /// Change the due time of a waiting job
    ///
    /// One of `due_at`, `due_ms`, `delay_ms` is required. To bring a waiting job forward the token needs `jobs.run` as well.
    reschedule: RescheduleJobs, "/api/v1/jobs/{id}/reschedule", Option<TimedActBody>, "It is as you asked.",
    [StandsElsewhere],
    |access, target, request| {
        let body: TimedActBody = body::read_optional(request).await?;
        let Some(due) = body.due()? else {
            return Err(Problem::mistake("", "required", "say when: one of `due_at`, `due_ms`, `delay_ms`"));
        };
        let seen = allowed(&access, &target.id, body.version, Some(due)).await?;
        answered!(target, target.operator.reschedule(&target.id, due), seen, body.reason)
    }
);
verb!(
    /// Hold a delayed job
    ///
    /// It keeps its due time, and does not run before `unhold`.
    hold: HoldJobs, "/api/v1/jobs/{id}/hold", Option<ActBody>, "It is as you asked.", [StandsElsewhere],
    |access, target, request| {
        let ActBody { version, reason } = body::read_optional(request).await?;
        answered!(target, target.operator.hold(&target.id), version.map(Version), reason)
    }
);
verb!(
    /// Unhold a job
    ///
    /// It waits for its due time again.
    unhold: HoldJobs, "/api/v1/jobs/{id}/unhold", Option<ActBody>, "It is as you asked.", [StandsElsewhere],
    |access, target, request| {
        let ActBody { version, reason } = body::read_optional(request).await?;
        answered!(target, target.operator.unhold(&target.id), version.map(Version), reason)
    }
);
verb!(
    /// Remove an ended job
    ///
    /// With everything that belongs to it, before its retention is over. There is no undo.
    purge: PurgeJobs, "/api/v1/jobs/{id}/purge", Option<ActBody>, "It is gone; this is how it stood last.",
    [(status = 409, description = "It has not ended; nothing was changed.")],
    |access, target, request| {
        let ActBody { version, reason } = body::read_optional(request).await?;
        answered!(target, target.operator.purge(&target.id), version.map(Version), reason)
    }
);
verb!(
    /// Give a job another payload
    ///
    /// A job that waits or is dead; not one that is ready or under way. `payload` or `payload_base64`, as when enqueueing.
    edit: EditJobs, "/api/v1/jobs/{id}/edit", EditBody, "It has the new payload.", [StandsElsewhere],
    |access, target, request| {
        let mut body: EditBody = body::read_optional(request).await?;
        let payload = body.new_payload()?;
        answered!(target, target.operator.edit(&target.id, payload), body.version.map(Version), body.reason)
    }
);

/// The version to act on: to run what waits before its time takes a right of its own.
async fn allowed(
    access: &Access,
    id: &JobId,
    seen: Option<u64>,
    due: Option<Due>,
) -> Result<Option<Version>, Problem> {
    let hastens = |row: &JobRow, now| due.is_some_and(|due| due.at(now) < row.due) && waits(row, now);
    Ok(access.only_with(Permission::RunJobs, id, seen.map(Version), hastens).await?)
}

fn cancelled(outcome: &Cancelled) -> Response {
    match outcome {
        Cancelled::Requested(_) => (StatusCode::ACCEPTED, Json(outcome)).into_response(),
        // It is as the caller wants it, no matter who cancelled it.
        Cancelled::AlreadyFinal(standing) if standing.state == JobState::Cancelled => {
            Json(outcome).into_response()
        }
        _ => answer(outcome, outcome.word(), outcome.standing()),
    }
}

/// The outcome as it is, or as a problem if nothing was changed.
fn answer(outcome: &impl Serialize, word: &'static str, standing: &Standing) -> Response {
    let detail = match word {
        "already_finished" => {
            format!("job {} is {} already; nothing was changed", standing.id, standing.state)
        }
        "wrong_state" => format!("job {} is {}; this cannot be done to it", standing.id, standing.state),
        "overdue" => format!(
            "the due time of job {} has passed; reinstate it with a new one, or run it now with retry",
            standing.id
        ),
        _ => return Json(outcome).into_response(),
    };
    Problem::conflict(word, "Nothing was changed", detail).with(outcome).into_response()
}

/// What an operation id keeps of the key so that it is found in the audit, in bytes: with a point and the digits behind
/// it that is as long as an id may be.
const KEY_BYTES_MAX: usize = 95;

/// What a change is made under, so that it can be repeated until its outcome is known.
#[derive(Debug)]
pub(super) struct Operation {
    /// The engine's id. It is the caller's own: another one's act under the same key is another act.
    pub(super) id: String,
    /// The caller's `Idempotency-Key`, or one that was made for a caller without.
    key: String,
}

impl Operation {
    /// The id of a bulk run that the caller gave none.
    pub(super) fn run_id(&self) -> Option<RunId> {
        RunId::new(self.id.rsplit('.').next()?).ok()
    }

    /// What went wrong; where the change may have been made, with the key under which to ask again.
    pub(super) fn problem(&self, error: &Error) -> Problem {
        Problem::engine_under(&self.key, error)
    }
}

/// The operation of a request.
pub(super) fn operation(access: &Access, headers: &HeaderMap) -> Result<Operation, Problem> {
    let key = idempotency_key(headers)?.unwrap_or_else(|| Uuid::now_v7().to_string());
    Ok(Operation { id: operation_of(access.actor(), &key), key })
}

fn operation_of(actor: &str, key: &str) -> String {
    // No key has a line feed in it.
    let print = Sha256::new().chain_update(key).chain_update("\n").chain_update(actor).finalize();
    let digits: String = print.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let key: String = key.chars().take(KEY_BYTES_MAX).collect();
    format!("{key}.{digits}")
}

/// The `Idempotency-Key`, if there is one.
pub(super) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut values = headers.get_all("idempotency-key").iter();
    let Some(value) = values.next() else { return Ok(None) };
    // The engine keeps operation ids under the grammar of unique keys; quotes, which the draft standard has,
    // go.
    let key = value.to_str().unwrap_or_default().trim().trim_matches('"');
    match UniqueKey::new(key) {
        Ok(key) if values.next().is_none() => Ok(Some(key.into())),
        _ => Err(Problem::new(
            StatusCode::BAD_REQUEST,
            "invalid_idempotency_key",
            "The Idempotency-Key cannot be used",
            "send one Idempotency-Key, with 1 to 128 characters of A-Z a-z 0-9 . _ : / @ -; a UUID is a good one",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_the_callers_own_and_fits_whatever_its_key() {
        let longest = "k".repeat(128);
        let mine = operation_of("token:a", &longest);
        assert!(mine.len() <= 128 && UniqueKey::new(&mine).is_ok(), "{mine}");
        assert_eq!(mine, operation_of("token:a", &longest));
        assert_ne!(mine, operation_of("token:b", &longest));
        assert_ne!(mine, operation_of("token:a", &longest[1..]));
        assert!(operation_of("token:a", "7c9e6679").starts_with("7c9e6679."));
    }
}
