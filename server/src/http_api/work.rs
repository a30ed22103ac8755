//! `POST /api/v1/queues/{queue}/claim` and the reports `POST /api/v1/jobs/{id}/complete`, `…/fail`, `…/extend`,
//! `…/release` and `…/snooze`: workers in any language, and consumers whom a sink handed a job to.

use super::needs;
use super::reason::Reason;
use super::refusals::{LeaseLost, NoSuchJob};
use super::view::Payload;
use super::views::view;
use crate::access::Access;
use crate::body;
use crate::problem::{Problem, Told};
use crate::strict;
use axum::Json;
use axum::extract::{Path, Request};
use reprieve::model::{Delay, JobId, Kind, Permission, QueueName, Subject, Timestamp, Token, WorkerName};
use reprieve::{Again, ClaimedJob, Engine, LeaseWord, ReleaseWord, SPAN_MAX};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// A lease that nobody named: long enough for most work, short enough that a dead worker's job is missed soon.
const LEASE: Delay = Delay::seconds(60);
/// Who claims when the body does not say.
const WORKER: &str = "http";
/// Longest a claim waits for a job: well below the limit of a request.
const WAIT_MS_MAX: u64 = 10_000;
/// What the engine may say something against, and the field of the body that it is.
const FIELDS: [(&str, &str); 3] = [("lease", "lease_ms"), ("most", "most"), ("result", "result")];
/// Between looks of a claim that waits.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// The routes of workers.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(needs(Permission::WorkJobs, routes!(claim)))
        .routes(needs(Permission::WorkJobs, routes!(complete)))
        .routes(needs(Permission::WorkJobs, routes!(fail)))
        .routes(needs(Permission::WorkJobs, routes!(extend)))
        .routes(needs(Permission::WorkJobs, routes!(release)))
        .routes(needs(Permission::WorkJobs, routes!(snooze)))
}

/// What a worker wants.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Claim, example = json!({ "worker": "mailer-1", "most": 5, "lease_ms": 60_000 }))]
struct ClaimBody {
    /// Who claims, for the job's page; `http` without it. 1 to 64 bytes of `A-Z a-z 0-9 . _ -`. A claim that waits ends
    /// the older waiting ones of the same name and queue, which answer that there is nothing: threads that wait beside each
    /// other need names of their own.
    worker: Option<WorkerName>,
    /// How many jobs at most; 1 without it.
    #[schema(minimum = 1, maximum = 100)]
    most: Option<u32>,
    /// How long they are the worker's unless it extends them, in ms; a minute without it.
    lease_ms: Option<u32>,
    /// How long to wait for a job if there is none, in ms; not at all without it. The client's own time limit must be
    /// longer.
    #[schema(minimum = 0, maximum = 10_000)]
    wait_ms: Option<u64>,
}

/// Proves a lease.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Report, example = json!({ "token": 7 }))]
struct TokenBody {
    /// The token that came with the job.
    token: u64,
}

/// How a job went well.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Completion, example = json!({ "token": 7, "result": { "sent": 2 } }))]
struct CompleteBody {
    /// The token that came with the job.
    token: u64,
    /// What the job came to: any JSON, stored as the very text that was sent; at most 64 KiB, 64 levels, 50,000 values, no
    /// key twice. Nothing is kept for `null`, or without it.
    result: Option<Box<RawValue>>,
}

/// How an attempt failed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Failure, example = json!({ "token": 7, "error": "the mail server said no", "retry_in_ms": 5_000 }))]
struct FailBody {
    /// The token that came with the job.
    token: u64,
    /// What went wrong; at most 8 KiB are kept.
    error: Option<String>,
    /// How long to wait before the next attempt, in ms; as the default policy says without it.
    #[schema(value_type = Option<u64>)]
    retry_in_ms: Option<i64>,
    /// No retry mends it: the job is dead. `false` without it.
    fatal: Option<bool>,
}

/// When a job is to be offered again.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Snooze, example = json!({ "token": 7, "delay_ms": 60_000, "reason": "the shop is closed" }))]
struct SnoozeBody {
    /// The token that came with the job.
    token: u64,
    /// How long from now, in ms.
    #[schema(value_type = u64)]
    delay_ms: i64,
    /// Why; stands in the job's history. At most 1,024 bytes.
    reason: Option<Reason>,
}

/// A new end of a lease.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Extension, example = json!({ "token": 7, "lease_ms": 60_000 }))]
struct ExtendBody {
    /// The token that came with the job.
    token: u64,
    /// How long from now, in ms; a minute without it.
    lease_ms: Option<u32>,
}

/// The claimed jobs; none when nothing is ready, or the worker is to be quiet.
#[derive(Serialize, ToSchema)]
struct Claimed {
    items: Vec<ClaimedView>,
    /// What people told the worker: `resume`, which is what one without orders does, or `quiet`: while it is told that
    /// it is given nothing, and may end when it has finished what it has.
    #[schema(example = "resume")]
    order: &'static str,
}

view! {
    /// A job as a worker gets it.
    struct ClaimedView as ClaimedJob from job: ClaimedJob {
        /// The job.
        id: JobId,
        /// Proves the lease in every report, and grows with every attempt.
        token: Token,
        /// Its queue.
        queue: QueueName,
        /// What sort of work it is.
        kind: Kind,
        /// What it is about; null when the caller named nothing.
        subject: Option<Subject>,
        #[serde(flatten)]
        payload: Payload = Payload::of(&job.payload),
        /// The producer's texts.
        headers: BTreeMap<String, String>,
        /// 1 for the first attempt.
        attempt: u32,
        /// How many are allowed; null is unlimited.
        max_attempts: Option<u32>,
        /// When it was due.
        due_ms: Timestamp = job.due,
        /// When it was enqueued.
        created_ms: Timestamp = job.created,
        /// How long this attempt should take at most; null when nobody said.
        timeout_ms: Option<i64> = job.timeout.map(Delay::as_millis),
        /// End of the lease unless it is extended: the job is tried again then.
        lease_until_ms: Timestamp = job.lease_until,
    }
}

/// What became of a report.
#[derive(Serialize, ToSchema)]
struct Reported {
    /// `done`, `retrying`, `dead`, `cancelled`, `ready`, `delayed`, `plan_held` (held with its plan, instead of retrying,
    /// ready or delayed), `ended` (given back too often: it is dead), or `held` for an extended lease.
    outcome: &'static str,
    /// Extending only: somebody asked for the job to stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel_requested: Option<bool>,
}

/// Claim jobs of a queue
///
/// Each is the worker's until its lease ends; report on it with its token before then, or extend the lease.
#[utoipa::path(
    post,
    path = "/api/v1/queues/{queue}/claim",
    request_body(content = Option<ClaimBody>),
    responses((status = 200, description = "The jobs; none when nothing is ready.", body = Claimed)),
)]
async fn claim(
    access: Access,
    Path(queue): Path<String>,
    request: Request,
) -> Result<Json<Claimed>, Problem> {
    let queue = super::path_name::<QueueName>(&queue)?;
    // Asked before the body is read, as everywhere.
    access.claimant_in(Permission::WorkJobs, &queue, WORKER)?;
    let ClaimBody { worker, most, lease_ms, wait_ms } = body::read_optional(request).await?;
    let (most, lease, wait_ms) = (most.unwrap_or(1), lease_of(lease_ms), wait_ms.unwrap_or(0));
    if wait_ms > WAIT_MS_MAX {
        let why = format!("`wait_ms` is at most {WAIT_MS_MAX}");
        return Err(Problem::mistake("/wait_ms", "invalid_time", why));
    }
    let name = worker.as_ref().map_or(WORKER, WorkerName::as_str);
    let claimant = access.claimant_in(Permission::WorkJobs, &queue, name)?;
    // Behind a proxy that keeps a request whose client has gone, nobody would hear of what this claim is given. A worker
    // that says no name may be any of several.
    let waiting = if wait_ms > 0 && worker.is_some() { Some(claimant.waits(&queue).await) } else { None };
    let until = Instant::now() + Duration::from_millis(wait_ms);
    let queues = [queue];
    loop {
        let is_over = match &waiting {
            Some(waiting) => !waiting.is_newest().await,
            None => false,
        };
        let jobs = if is_over {
            Vec::new()
        } else {
            let claimed = claimant.claim(&queues, most, lease).await;
            claimed.map_err(|error| Problem::at(&error, &FIELDS).unwrap_or_else(|| not_claimed(&error)))?
        };
        if is_over || !jobs.is_empty() || Instant::now() >= until {
            let items = jobs.into_iter().map(ClaimedView::from).collect();
            return Ok(Json(Claimed { items, order: claimant.order().as_str() }));
        }
        tokio::time::sleep_until(until.min(Instant::now() + LOOK_AGAIN)).await;
    }
}

/// Why a claim was not answered. What it may have claimed nobody works on.
fn not_claimed(error: &reprieve::Error) -> Problem {
    let problem = Problem::engine(error);
    let reprieve::Error::OutcomeUnknown { what, .. } = error else { return problem };
    problem.in_words(|_| {
        format!("it is not known whether jobs were claimed: {what}; any that were are ready again when their lease ends")
    })
}

/// A report on a job: its address, what is said when it was taken, and how it is taken from its body.
macro_rules! report {
    (
        $(#[$doc:meta])*
        $function:ident, $path:literal, $done:literal,
        |$claimant:ident, $id:ident, $body:ident { $($field:ident),* }| $act:block
    ) => {
        $(#[$doc])*
        #[utoipa::path(
            post,
            path = $path,
            request_body(content = $body),
            responses((status = 200, description = $done, body = Reported), NoSuchJob, LeaseLost),
        )]
        async fn $function(
            access: Access,
            Path(id): Path<String>,
            request: Request,
        ) -> Result<Json<Reported>, Problem> {
            let $id = super::path_name::<JobId>(&id)?;
            let $claimant = access.claimant_on(Permission::WorkJobs, &$id, WORKER).await?;
            let $body { $($field),* } = body::read_optional(request).await?;
            $act
        }
    };
}

report!(
    /// Report that a job is done
    ///
    /// A repeat with the same token gets the first answer, and the first result stays. Also for consumers whom a sink handed
    /// the job to.
    complete, "/api/v1/jobs/{id}/complete", "What became of the job.",
    |claimant, id, CompleteBody { token, result }| {
        let word = match checked(result)? {
            None => claimant.complete(&id, Token(token)).await,
            Some(result) => claimant.complete_with(&id, Token(token), result.get().as_bytes()).await,
        };
        let word = word.map_err(|error| of_the_body(&error))?;
        released(&id, word, &[ReleaseWord::Ready, ReleaseWord::PlanHeld, ReleaseWord::Ended])
    }
);
report!(
    /// Report that an attempt failed
    ///
    /// The job is tried again, unless its attempts are used up, the failure is fatal, or somebody called it off.
    fail, "/api/v1/jobs/{id}/fail", "What became of the job.",
    |claimant, id, FailBody { token, error, retry_in_ms, fatal }| {
        let again = match retry_in_ms {
            _ if fatal == Some(true) => Again::Never,
            Some(ms) => Again::In(wait("retry_in_ms", ms)?),
            None => Again::ByPolicy,
        };
        let word = claimant.fail(&id, Token(token), &error.unwrap_or_default(), again).await;
        reported(&id, word.told()?.as_str())
    }
);
report!(
    /// Extend a lease
    ///
    /// The answer says whether somebody asked for the job to stop.
    extend, "/api/v1/jobs/{id}/extend", "The lease is held.",
    |claimant, id, ExtendBody { token, lease_ms }| {
        let word = claimant.extend(&id, Token(token), lease_of(lease_ms)).await;
        let word = word.map_err(|error| of_the_body(&error))?;
        let is_asked_to_stop = word == LeaseWord::Cancel;
        let Json(answer) = reported(&id, if is_asked_to_stop { "held" } else { word.as_str() })?;
        Ok(Json(Reported { cancel_requested: Some(is_asked_to_stop), ..answer }))
    }
);
report!(
    /// Give a job back
    ///
    /// It is ready again, at its old place, and the attempt is not counted.
    release, "/api/v1/jobs/{id}/release", "What became of the job.",
    |claimant, id, TokenBody { token }| {
        let given_back = claimant.release(&id, Token(token), "its worker gave it back").await;
        released(&id, given_back.told()?, &[ReleaseWord::Done])
    }
);
report!(
    /// Put a job off
    ///
    /// It is delayed again, and the attempt is not counted: for what cannot be done yet, and has not failed.
    snooze, "/api/v1/jobs/{id}/snooze", "What became of the job.",
    |claimant, id, SnoozeBody { token, delay_ms, reason }| {
        let (wait, why) = (wait("delay_ms", delay_ms)?, Reason::of(reason));
        let word = claimant.snooze(&id, Token(token), wait, &why).await;
        reported(&id, word.told()?.as_str())
    }
);

/// A result that everybody who sees it reads alike.
fn checked(result: Option<Box<RawValue>>) -> Result<Option<Box<RawValue>>, Problem> {
    let read = result.as_deref().map_or(Ok(()), |result| strict::check(result.get()));
    read.map_err(|why| Problem::mistake("/result", "invalid", format!("the result {why}")))?;
    Ok(result)
}

/// What the engine says against a report, at the field of the body that it is about.
fn of_the_body(error: &reprieve::Error) -> Problem {
    Problem::at(error, &FIELDS).unwrap_or_else(|| Problem::engine(error))
}

fn lease_of(ms: Option<u32>) -> Delay {
    ms.map_or(LEASE, |ms| Delay::millis(ms.into()))
}

/// How long a job is to wait, by the field that says it.
fn wait(field: &'static str, ms: i64) -> Result<Delay, Problem> {
    let most = SPAN_MAX.as_millis();
    if (0..=most).contains(&ms) {
        return Ok(Delay::millis(ms));
    }
    Err(Problem::mistake(format!("/{field}"), "invalid_time", format!("`{field}` is from 0 to {most}")))
}

/// The answer to a report that ends the lease; `other` are the words that only another report leads to.
fn released(id: &JobId, word: ReleaseWord, other: &[ReleaseWord]) -> Result<Json<Reported>, Problem> {
    let word = if other.contains(&word) { ReleaseWord::Lost } else { word };
    reported(id, word.as_str())
}

/// The answer to a report, from what the engine says of it.
fn reported(id: &JobId, outcome: &'static str) -> Result<Json<Reported>, Problem> {
    match outcome {
        "missing" => Err(Problem::engine(&reprieve::Error::NotFound { id: id.clone() })),
        "lost" => Err(Problem::conflict(
            "lease_lost",
            "The job is no longer yours",
            "its lease ended, or another worker has it: stop, and report nothing more",
        )),
        outcome => Ok(Json(Reported { outcome, cancel_requested: None })),
    }
}
