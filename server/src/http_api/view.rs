//! A job as the API shows it: times in Unix ms, the payload as JSON where it is JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reprieve::model::{
    Attempt, AttemptResult, HistoryEntry, Job, JobDetail, JobId, JobRow, JobState, Kind, Priority, QueueName,
    Subject, Timestamp, UniqueKey, Version,
};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

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
        match serde_json::from_slice::<Box<RawValue>>(bytes) {
            Ok(json) => Self::Json(json),
            Err(_) => Self::Bytes(STANDARD.encode(bytes)),
        }
    }
}

/// One job with all that is kept of it.
#[derive(Serialize)]
pub(crate) struct JobView {
    id: JobId,
    queue: QueueName,
    kind: Kind,
    subject: Option<Subject>,
    state: JobState,
    version: Version,
    priority: Priority,
    attempt: u32,
    max_attempts: Option<u32>,
    stalls: u32,
    due_ms: Timestamp,
    created_ms: Timestamp,
    started_ms: Option<Timestamp>,
    ended_ms: Option<Timestamp>,
    kept_until_ms: Option<Timestamp>,
    lease_until_ms: Option<Timestamp>,
    worker: Option<String>,
    timeout_ms: Option<i64>,
    retention_ms: Option<i64>,
    unique_key: Option<UniqueKey>,
    headers: BTreeMap<String, String>,
    tags: Vec<String>,
    #[serde(flatten)]
    payload: Payload,
    last_error: String,
    cancel_requested_ms: Option<Timestamp>,
    cancelled_from: Option<JobState>,
    by: String,
    why: String,
    attempts: Vec<AttemptView>,
    history: Vec<HistoryView>,
    read_at_ms: Timestamp,
}

impl From<JobDetail> for JobView {
    fn from(detail: JobDetail) -> Self {
        let JobDetail { job, attempts, history, read_at, .. } = detail;
        let Job { id, queue, kind, subject, state, version, priority, attempt, max_attempts, stalls, .. } =
            job;
        Self {
            id,
            queue,
            kind,
            subject,
            state,
            version,
            priority,
            attempt,
            max_attempts,
            stalls,
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
            cancel_requested_ms: job.cancel_requested,
            cancelled_from: job.cancelled_from,
            by: job.by,
            why: job.why,
            attempts: attempts.into_iter().map(AttemptView::from).collect(),
            history: history.into_iter().map(HistoryView::from).collect(),
            read_at_ms: read_at,
        }
    }
}

#[derive(Serialize)]
struct AttemptView {
    number: u32,
    started_ms: Timestamp,
    ended_ms: Timestamp,
    worker: String,
    result: AttemptResult,
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

#[derive(Serialize)]
struct HistoryView {
    at_ms: Timestamp,
    from: Option<JobState>,
    to: JobState,
    version: Version,
    due_ms: Timestamp,
    by: String,
    why: String,
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
        }
    }
}

/// One job in a list: without payload, headers and history.
#[derive(Serialize)]
pub(crate) struct RowView {
    id: JobId,
    queue: QueueName,
    kind: Kind,
    subject: Option<Subject>,
    pub(crate) state: JobState,
    version: Version,
    priority: Priority,
    attempt: u32,
    max_attempts: Option<u32>,
    due_ms: Timestamp,
    created_ms: Timestamp,
    ready_ms: Option<Timestamp>,
    started_ms: Option<Timestamp>,
    ended_ms: Option<Timestamp>,
    kept_until_ms: Option<Timestamp>,
    lease_until_ms: Option<Timestamp>,
    worker: Option<String>,
    error_line: String,
    cancel_requested_ms: Option<Timestamp>,
    by: String,
    why: String,
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
        }
    }
}
