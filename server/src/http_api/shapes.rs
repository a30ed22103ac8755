//! What bodies and answers look like, for the document of the API.
//!
//! Bodies are read field by field (`fields`), so that all their mistakes are told together; these types only
//! describe them. A test sends each example to its route.

#![expect(
    dead_code,
    clippy::large_enum_variant,
    reason = "they describe what others read and write; none is ever made"
)]

use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

/// A job to be enqueued. Only `kind` is required.
#[derive(ToSchema)]
#[schema(as = NewJob, example = json!({
    "kind": "delete_resource", "subject": "resource:4711", "delay_ms": 86_400_000, "payload": { "id": 4711 }
}))]
pub(super) struct NewJobBody {
    /// What sort of work it is; chooses the handler or webhook. 1 to 64 bytes of `A-Z a-z 0-9 . _ -`.
    pub(super) kind: String,
    /// Where it waits for a worker; `default` without it.
    queue: Option<String>,
    /// Any JSON, stored as the very text that was sent; at most 256 KiB, 64 levels, 50,000 values, no key twice.
    payload: Option<Value>,
    /// Bytes instead of JSON, in base64; not together with `payload`.
    #[schema(content_encoding = "base64")]
    payload_base64: Option<String>,
    /// Your own name for it: a repeat under the same id answers `exists` and changes nothing. A new UUIDv7 without it.
    id: Option<String>,
    /// What it is about: any text without control characters; at most 1,000 live jobs share one. Other signs
    /// than `A-Z a-z 0-9 . _ : / @ -` are kept as `@` and two hexadecimal digits for each byte, and then so
    /// is each `@`.
    subject: Option<String>,
    /// Whose job it is (a tenant, say): jobs with the same key share the limit for each key of their queue.
    concurrency_key: Option<String>,
    /// When it is to run, in RFC 3339. One of `due_at`, `due_ms`, `delay_ms`; at once without any of them.
    #[schema(format = DateTime)]
    due_at: Option<String>,
    /// When it is to run, in ms since 1970.
    due_ms: Option<i64>,
    /// How long from now, in ms, measured on Redis's clock.
    delay_ms: Option<i64>,
    /// 0 (first) to 9 (last) among ready jobs; 5 without it.
    priority: Option<u8>,
    /// How many attempts; `null` is unlimited, 25 without it.
    max_attempts: Option<u32>,
    /// How long one attempt may take, in ms; the worker's limit without it.
    timeout_ms: Option<i64>,
    /// How long it is kept once ended, in ms; the rule of its end state without it.
    retention_ms: Option<i64>,
    /// A key that at most one live job holds.
    unique: Option<UniqueBody>,
    /// How late it may start; the rule of its kind without it.
    lateness: Option<LatenessBody>,
    /// Runs at any time, whatever the delivery windows of its kind; `false` without it.
    any_window: Option<bool>,
    /// Due later by a part of that many ms, always the same for an id.
    spread_ms: Option<i64>,
    /// Texts by name, 8 KiB in all; `traceparent` and `tracestate` travel on as HTTP headers.
    headers: Option<BTreeMap<String, String>>,
    /// At most 16 labels, each like a kind.
    #[schema(max_items = 16)]
    tags: Option<Vec<String>>,
    /// Overwrite a waiting job of the same id and queue; `false` without it.
    replace: Option<bool>,
}

/// A key that at most one live job holds.
#[derive(ToSchema)]
#[schema(as = Unique)]
struct UniqueBody {
    /// The key. 1 to 128 bytes of `A-Z a-z 0-9 . _ : / @ -`.
    key: Option<String>,
    /// `content` instead of a key: the same kind and payload are the same work.
    by: Option<String>,
    /// Who wins when a second job names it: the first while it is live (`while_live`, without it), the first for all
    /// of `ttl_ms` (`throttle`), or the last (`debounce`).
    mode: Option<String>,
    /// How long a `debounce` may put the job off, in ms from its first enqueueing; for ever without it.
    max_wait_ms: Option<i64>,
    /// For how long at most, in ms; it is freed earlier when the job ends.
    ttl_ms: i64,
}

/// How late a job may start.
#[derive(ToSchema)]
#[schema(as = Lateness)]
struct LatenessBody {
    /// The longest it may be late, in ms.
    most_ms: i64,
    /// What becomes of it then: `skip` (without it), `dead` or `run`.
    then: Option<String>,
}

/// One job, or an array of 1 to 500.
#[derive(ToSchema)]
#[schema(as = NewJobs)]
#[serde(untagged)]
pub(super) enum NewJobsBody {
    /// One job.
    One(NewJobBody),
    /// Several, checked as a whole: one mistake anywhere, and none is taken in.
    Many(Vec<NewJobBody>),
}

/// Where a job stands after a verb was tried on it.
#[derive(ToSchema)]
#[schema(as = Standing)]
pub(super) struct StandingView {
    /// What became of it, as a word.
    #[schema(example = "cancelled")]
    outcome: String,
    /// The job.
    id: String,
    /// Its state now.
    state: StateName,
    /// Its version now: what the next act may name as seen.
    version: u64,
    /// Its due time now, in ms since 1970.
    due_ms: i64,
    /// When its latest attempt began; null before the first.
    #[schema(required)]
    started_ms: Option<i64>,
    /// When it ended; null while it lives.
    #[schema(required)]
    ended_ms: Option<i64>,
    /// Who has it, or had it last; null before the first attempt.
    #[schema(required)]
    worker: Option<String>,
    /// When this answer was made, by Redis's clock.
    at_ms: i64,
    /// Enqueueing only: said when the job runs at another time than its producer may think.
    note: Option<String>,
}

/// The eight states of a job.
#[derive(ToSchema)]
#[schema(as = State, rename_all = "lowercase")]
pub(super) enum StateName {
    /// Waits for its due time.
    Delayed,
    /// Keeps its due time but does not run.
    Held,
    /// Due; waits for a free worker.
    Ready,
    /// A worker has it.
    Active,
    /// Failed and waits for its next attempt.
    Retrying,
    /// Finished well.
    Done,
    /// Out of attempts, or failed for good.
    Dead,
    /// Called off.
    Cancelled,
}

/// What became of one job of an array: where it stands, or why it was not taken in.
#[derive(ToSchema)]
#[schema(as = EnqueuedItem)]
#[serde(untagged)]
enum EnqueuedItem {
    /// Taken in, or known before.
    Standing(StandingView),
    /// Not taken in.
    Not(NotTaken),
}

/// A job that was not taken in.
#[derive(ToSchema)]
struct NotTaken {
    /// Why not.
    outcome: NotTakenWord,
    /// Its id.
    id: String,
    /// `duplicate` only: the job that holds the unique key.
    holder: Option<String>,
}

/// Why a job was not taken in.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
enum NotTakenWord {
    /// Another live job holds its unique key.
    Duplicate,
    /// Its subject has its limit of live jobs.
    SubjectFull,
    /// A job of its id exists in a queue that is not the token's.
    IdConflict,
}

/// What became of the jobs of an array, in its order.
#[derive(ToSchema)]
#[schema(as = EnqueuedItems)]
pub(super) struct EnqueuedItems {
    items: Vec<EnqueuedItem>,
}

/// One answer for one job, one for each of an array.
#[derive(ToSchema)]
#[schema(as = Enqueued)]
#[serde(untagged)]
pub(super) enum EnqueuedView {
    /// Of one job.
    One(StandingView),
    /// Of an array.
    Many(EnqueuedItems),
}

/// What is said about an act; may be left out.
#[derive(ToSchema)]
#[schema(as = Act, example = json!({ "reason": "the customer renewed" }))]
pub(super) struct ActBody {
    /// The version that was seen: if the job has changed since, nothing happens.
    version: Option<u64>,
    /// Why; stands in the job's history. At most 1,024 bytes.
    reason: Option<String>,
}

/// What is said about an act that may name a time: one of `due_at`, `due_ms`, `delay_ms`.
#[derive(ToSchema)]
#[schema(as = ActAtTime, example = json!({ "delay_ms": 3_600_000, "reason": "the customer asked for an hour" }))]
pub(super) struct TimedActBody {
    /// The version that was seen: if the job has changed since, nothing happens.
    version: Option<u64>,
    /// Why; stands in the job's history. At most 1,024 bytes.
    reason: Option<String>,
    /// When, in RFC 3339.
    #[schema(format = DateTime)]
    due_at: Option<String>,
    /// When, in ms since 1970.
    due_ms: Option<i64>,
    /// How long from now, in ms.
    delay_ms: Option<i64>,
}

/// Another payload for a job: `payload` or `payload_base64`.
#[derive(ToSchema)]
#[schema(as = Edit, example = json!({ "payload": { "id": 4712 }, "reason": "the wrong number" }))]
pub(super) struct EditBody {
    /// The version that was seen: if the job has changed since, nothing happens.
    version: Option<u64>,
    /// Why; stands in the job's history. At most 1,024 bytes.
    reason: Option<String>,
    /// Any JSON, stored as the very text that was sent; at most 256 KiB.
    payload: Option<Value>,
    /// Bytes instead of JSON, in base64.
    #[schema(content_encoding = "base64")]
    payload_base64: Option<String>,
}

/// Why somebody acts; may be left out.
#[derive(ToSchema)]
#[schema(as = Reason, example = json!({ "reason": "the shop is closed today" }))]
pub(super) struct ReasonBody {
    /// At most 1,024 bytes.
    reason: Option<String>,
}

/// What became of the jobs of a subject.
#[derive(ToSchema)]
#[schema(as = SubjectCancelled)]
pub(super) struct SubjectCancelledView {
    /// `cancelled`.
    outcome: String,
    /// One entry for each live job, by due time.
    jobs: Vec<SubjectJobView>,
}

/// What became of one job of a subject.
#[derive(ToSchema)]
#[schema(as = SubjectJob)]
struct SubjectJobView {
    /// Its queue.
    queue: String,
    #[serde(flatten)]
    standing: StandingView,
}

/// The header of every act.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(super) struct IdempotencyKey {
    /// Makes a repeat safe for 24 hours: it gets the first answer and changes nothing more. 1 to 128 bytes like an
    /// id; a UUID is a good one.
    #[param(rename = "Idempotency-Key", required = false)]
    key: Option<String>,
}

/// The job of an address.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct JobPath {
    /// The job's id; a slash in it is written `%2F`.
    #[param(example = "delete-4711")]
    id: String,
}

/// The subject of an address.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct SubjectPath {
    /// The subject, as any text or as it is kept; a slash in it is written `%2F`.
    #[param(example = "resource:4711")]
    subject: String,
}

/// The queue of an address.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct QueuePath {
    /// The queue's name.
    #[param(example = "default")]
    queue: String,
}

/// The entry of an address.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct CronPath {
    /// The entry's name.
    #[param(example = "nightly-report")]
    name: String,
}

/// How much of a history.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CronHistoryQuery {
    /// How many lines, 1 to 100; 20 without it.
    #[param(example = 20, minimum = 1, maximum = 100)]
    limit: Option<u32>,
}

/// A schedule to be looked at.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CronPreviewQuery {
    /// Five fields, six with seconds in front, `@daily` and the like, or `@every 90s`.
    #[param(example = "@daily")]
    schedule: String,
    /// IANA name of the zone; UTC without it.
    #[param(example = "Europe/Berlin")]
    zone: Option<String>,
    /// How many ticks, 1 to 100; 10 without it.
    #[param(example = 10, minimum = 1, maximum = 100)]
    limit: Option<u32>,
}
