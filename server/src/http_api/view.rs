//! A job as the API shows it: times in Unix ms, the payload as JSON where it is JSON.

use super::publication::PublicationView;
use super::shapes::StateName;
use crate::strict;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reprieve::model::{
    Attempt, AttemptResult, ConcurrencyKey, HistoryEntry, Job, JobDetail, JobId, JobRow, JobState, Kind,
    Priority, QueueName, Subject, Timestamp, UniqueKey, Version,
};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A payload in an answer or a webhook: `payload` if the bytes are JSON, else `payload_base64`.
#[derive(Debug, Serialize)]
pub(crate) enum Payload {
    /// The very text that was enqueued.
    #[serde(rename = "payload")]
    Json(Box<RawValue>),
    /// Anything else, in base64.
    #[serde(rename = "payload_base64")]
    Bytes(String),
}

impl Payload {
    /// Bytes as they are stored.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        json(bytes).map_or_else(|| Self::Bytes(STANDARD.encode(bytes)), Self::Json)
    }

    /// In columns `payload` and `payload_base64`, of which one is empty.
    pub(crate) fn columns(&self) -> [&str; 2] {
        match self {
            Self::Json(json) => [json.get(), ""],
            Self::Bytes(base64) => ["", base64],
        }
    }
}

/// How a payload looks in an answer.
#[derive(ToSchema)]
#[schema(as = Payload)]
#[expect(dead_code, reason = "it describes what is written by hand")]
pub(super) struct PayloadView {
    /// The very JSON that was enqueued; `"•••• (hidden)"` in place of what a rule hides, and of all of it without the
    /// permission `jobs.payload`.
    payload: Option<serde_json::Value>,
    /// Instead of it, in base64, if the bytes are not JSON.
    payload_base64: Option<String>,
}

/// One job with all that is kept of it.
#[derive(Serialize, ToSchema)]
#[schema(as = Job)]
pub(crate) struct JobView {
    /// The job.
    #[schema(value_type = String)]
    id: JobId,
    /// The queue it belongs to for life.
    #[schema(value_type = String)]
    queue: QueueName,
    /// What sort of work it is.
    #[schema(value_type = String)]
    kind: Kind,
    /// What it is about; null when the caller named nothing.
    #[schema(value_type = Option<String>, required)]
    subject: Option<Subject>,
    /// Whose job it is: jobs with the same key share the limit for each key of their queue; null when the caller named none.
    #[schema(value_type = Option<String>, required)]
    concurrency_key: Option<ConcurrencyKey>,
    /// Where it stands.
    #[schema(value_type = StateName)]
    state: JobState,
    /// How often it has changed.
    #[schema(value_type = u64)]
    version: Version,
    /// 0 runs first, 9 last, among ready jobs of the queue.
    #[schema(value_type = u8)]
    priority: Priority,
    /// How many attempts have begun and counted.
    attempt: u32,
    /// How many are allowed; null is unlimited.
    #[schema(required)]
    max_attempts: Option<u32>,
    /// How often its lease ran out after its worker was heard of; three such stalls make it dead.
    stalls: u32,
    /// How often in a row it was handed out and nothing was ever heard of it; the fifth time it is dead.
    unheard: u32,
    /// When it is, or was last, to run.
    #[schema(value_type = i64)]
    due_ms: Timestamp,
    /// When it was enqueued.
    #[schema(value_type = i64)]
    created_ms: Timestamp,
    /// When the latest attempt began; null before the first.
    #[schema(value_type = Option<i64>, required)]
    started_ms: Option<Timestamp>,
    /// When it ended; null while it lives.
    #[schema(value_type = Option<i64>, required)]
    ended_ms: Option<Timestamp>,
    /// Until when an ended job is kept at least; null while it lives.
    #[schema(value_type = Option<i64>, required)]
    kept_until_ms: Option<Timestamp>,
    /// End of the present lease; null unless active.
    #[schema(value_type = Option<i64>, required)]
    lease_until_ms: Option<Timestamp>,
    /// The worker of the latest attempt; null before the first.
    #[schema(required)]
    worker: Option<String>,
    /// How long one attempt may take; null is the worker's limit.
    #[schema(required)]
    timeout_ms: Option<i64>,
    /// How long it is kept once ended; null is the rule of its end state.
    #[schema(required)]
    retention_ms: Option<i64>,
    /// The key it holds while it lives.
    #[schema(value_type = Option<String>, required)]
    unique_key: Option<UniqueKey>,
    /// The caller's texts, handed to the handler.
    headers: BTreeMap<String, String>,
    /// The caller's labels.
    tags: Vec<String>,
    #[schema(value_type = PayloadView)]
    #[serde(flatten)]
    payload: Payload,
    /// Text of the latest failure; empty when none. Its first line alone without the permission `jobs.errors`,
    /// `•••• (hidden)` without `jobs.payload`; so are the errors of attempts.
    last_error: String,
    /// How far it is by its own word: `percent`, `text`, `at` and `attempt`; null when it never said.
    #[schema(required, value_type = Option<serde_json::Value>)]
    progress: Option<reprieve::model::Progress>,
    /// What it came to: JSON, or bytes in base64 as a text; null when its handler kept nothing.
    #[schema(required, value_type = Option<serde_json::Value>)]
    result: Option<Box<RawValue>>,
    /// How many log lines it ever wrote; `GET /api/v1/jobs/{id}/log` has the last 1,000.
    log_lines: u64,
    /// When somebody asked the running attempt to stop.
    #[schema(value_type = Option<i64>, required)]
    cancel_requested_ms: Option<Timestamp>,
    /// The state it was called off from.
    #[schema(value_type = Option<StateName>, required)]
    cancelled_from: Option<JobState>,
    /// Where its latest attempt was handed to, for consumers outside; left out when a worker of ours has, or had, it.
    #[serde(skip_serializing_if = "Option::is_none")]
    publication: Option<PublicationView>,
    /// Who made the latest change.
    by: String,
    /// Why; empty when nothing was said.
    #[serde(rename = "reason")]
    why: String,
    /// Past attempts, newest first, at most 20.
    attempts: Vec<AttemptView>,
    /// Its changes, newest first, at most 50.
    history: Vec<HistoryView>,
    /// When this was read, by Redis's clock.
    #[schema(value_type = i64)]
    read_at_ms: Timestamp,
}

impl From<JobDetail> for JobView {
    fn from(detail: JobDetail) -> Self {
        let JobDetail { job, attempts, history, read_at, .. } = detail;
        let Job {
            id,
            queue,
            kind,
            subject,
            concurrency_key,
            state,
            version,
            priority,
            attempt,
            max_attempts,
            stalls,
            unheard,
            ..
        } = job;
        Self {
            id,
            queue,
            kind,
            subject,
            concurrency_key,
            state,
            version,
            priority,
            attempt,
            max_attempts,
            stalls,
            unheard,
            due_ms: job.due,
            created_ms: job.created,
            started_ms: job.started,
            ended_ms: job.ended,
            kept_until_ms: job.kept_until,
            lease_until_ms: job.lease_until,
            worker: job.worker,
            timeout_ms: job.timeout.map(reprieve::model::Delay::as_millis),
            retention_ms: job.retention.map(reprieve::model::Delay::as_millis),
            unique_key: job.unique_key,
            headers: job.headers,
            tags: job.tags,
            payload: Payload::of(&job.payload),
            last_error: job.last_error,
            progress: job.progress,
            result: result(&job.result),
            log_lines: job.log_lines,
            cancel_requested_ms: job.cancel_requested,
            cancelled_from: job.cancelled_from,
            publication: job.publication.map(PublicationView::from),
            by: job.by,
            why: job.why,
            attempts: attempts.into_iter().map(AttemptView::from).collect(),
            history: history.into_iter().map(HistoryView::from).collect(),
            read_at_ms: read_at,
        }
    }
}

/// One past attempt.
#[derive(Serialize, ToSchema)]
#[schema(as = Attempt)]
struct AttemptView {
    /// 1 for the first.
    number: u32,
    /// When it began.
    #[schema(value_type = i64)]
    started_ms: Timestamp,
    /// When it ended.
    #[schema(value_type = i64)]
    ended_ms: Timestamp,
    /// Who ran it.
    worker: String,
    /// `done`, `failed`, `snoozed`, `released`, `stalled`, `unheard` or `cancelled`.
    #[schema(value_type = String)]
    result: AttemptResult,
    /// Why it failed; empty when it went well.
    error: String,
}

impl From<Attempt> for AttemptView {
    fn from(attempt: Attempt) -> Self {
        Self {
            number: attempt.number,
            started_ms: attempt.started,
            ended_ms: attempt.ended,
            worker: attempt.worker,
            result: attempt.result,
            error: attempt.error,
        }
    }
}

/// One change of a job.
#[derive(Serialize, ToSchema)]
#[schema(as = Change)]
struct HistoryView {
    /// When.
    #[schema(value_type = i64)]
    at_ms: Timestamp,
    /// The state before; null for a new job.
    #[schema(value_type = Option<StateName>, required)]
    from: Option<JobState>,
    /// The state after.
    #[schema(value_type = StateName)]
    to: JobState,
    /// Its version after.
    #[schema(value_type = u64)]
    version: Version,
    /// Its due time after.
    #[schema(value_type = i64)]
    due_ms: Timestamp,
    /// Who changed it.
    by: String,
    /// Why; empty when nothing was said.
    #[serde(rename = "reason")]
    why: String,
    /// Whether the payload is another one since.
    edited: bool,
    /// Names of the parts of the payload that it changed, as the audit has them; empty where that is not known.
    parts: String,
}

impl From<HistoryEntry> for HistoryView {
    fn from(entry: HistoryEntry) -> Self {
        Self {
            at_ms: entry.at,
            from: entry.from,
            to: entry.to,
            version: entry.version,
            due_ms: entry.due,
            by: entry.by,
            why: entry.why,
            edited: entry.edited,
            parts: entry.parts,
        }
    }
}

/// One job in a list: without payload, headers and history.
#[derive(Serialize, ToSchema)]
#[schema(as = JobRow)]
pub(crate) struct RowView {
    /// The job.
    #[schema(value_type = String)]
    id: JobId,
    /// The queue it belongs to for life.
    #[schema(value_type = String)]
    queue: QueueName,
    /// What sort of work it is.
    #[schema(value_type = String)]
    kind: Kind,
    /// What it is about; null when the caller named nothing.
    #[schema(value_type = Option<String>, required)]
    subject: Option<Subject>,
    /// Where it stands.
    #[schema(value_type = StateName)]
    pub(crate) state: JobState,
    /// How often it has changed.
    #[schema(value_type = u64)]
    version: Version,
    /// 0 runs first, 9 last, among ready jobs of the queue.
    #[schema(value_type = u8)]
    priority: Priority,
    /// How many attempts have begun and counted.
    attempt: u32,
    /// How many are allowed; null is unlimited.
    #[schema(required)]
    max_attempts: Option<u32>,
    /// When it is, or was last, to run.
    #[schema(value_type = i64)]
    due_ms: Timestamp,
    /// When it was enqueued.
    #[schema(value_type = i64)]
    created_ms: Timestamp,
    /// When it last became ready; null before.
    #[schema(value_type = Option<i64>, required)]
    ready_ms: Option<Timestamp>,
    /// When the latest attempt began; null before the first.
    #[schema(value_type = Option<i64>, required)]
    started_ms: Option<Timestamp>,
    /// When it ended; null while it lives.
    #[schema(value_type = Option<i64>, required)]
    ended_ms: Option<Timestamp>,
    /// Until when an ended job is kept at least; null while it lives.
    #[schema(value_type = Option<i64>, required)]
    kept_until_ms: Option<Timestamp>,
    /// End of the present lease; null unless active.
    #[schema(value_type = Option<i64>, required)]
    lease_until_ms: Option<Timestamp>,
    /// The worker of the latest attempt; null before the first.
    #[schema(required)]
    worker: Option<String>,
    /// First line of the latest failure; empty when none, `•••• (hidden)` without the permission `jobs.payload`.
    error_line: String,
    /// When somebody asked the running attempt to stop.
    #[schema(value_type = Option<i64>, required)]
    cancel_requested_ms: Option<Timestamp>,
    /// Who made the latest change.
    by: String,
    /// Why; empty when nothing was said.
    #[serde(rename = "reason")]
    why: String,
    /// Who enqueued it.
    created_by: String,
    /// How far the present attempt is, by its own word, in percent; null unless active, and when it never said.
    #[schema(required)]
    percent: Option<u8>,
}

impl From<JobRow> for RowView {
    fn from(row: JobRow) -> Self {
        Self {
            id: row.id,
            queue: row.queue,
            kind: row.kind,
            subject: row.subject,
            state: row.state,
            version: row.version,
            priority: row.priority,
            attempt: row.attempt,
            max_attempts: row.max_attempts,
            due_ms: row.due,
            created_ms: row.created,
            ready_ms: row.ready,
            started_ms: row.started,
            ended_ms: row.ended,
            kept_until_ms: row.kept_until,
            lease_until_ms: row.lease_until,
            worker: row.worker,
            error_line: row.error_line,
            cancel_requested_ms: row.cancel_requested,
            by: row.by,
            why: row.why,
            created_by: row.created_by,
            percent: row.percent,
        }
    }
}

/// A result as JSON: as it is where it is JSON, else in base64.
fn result(bytes: &[u8]) -> Option<Box<RawValue>> {
    if bytes.is_empty() {
        return None;
    }
    json(bytes).or_else(|| serde_json::value::to_raw_value(&STANDARD.encode(bytes)).ok())
}

/// Bytes that are JSON. A text with half of a pair of escapes is none: strict readers refuse all that stands around it.
fn json(bytes: &[u8]) -> Option<Box<RawValue>> {
    let json = serde_json::from_slice::<Box<RawValue>>(bytes).ok()?;
    let is_whole = !json.get().contains(r"\u") || strict::check(json.get()).is_ok();
    is_whole.then_some(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_that_strict_readers_refuse_is_in_base64() {
        for (bytes, is_json) in [
            (r#"{"s":"\ud83d\ude00 \u00e9"}"#, true),
            (r#"{"s":"\\ud800"}"#, true),
            (r#"{"s":"\ud800"}"#, false),
            ("{", false),
        ] {
            let payload = Payload::of(bytes.as_bytes());
            assert_eq!(matches!(payload, Payload::Json(_)), is_json, "{bytes}");
            let result = result(bytes.as_bytes()).unwrap();
            assert_eq!(result.get() == bytes, is_json, "{bytes}");
        }
    }
}
