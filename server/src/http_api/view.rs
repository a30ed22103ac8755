//! A job as the API shows it: times in Unix ms, the payload as JSON where it is JSON.

use super::publication::PublicationView;
use super::views::view;
use crate::strict;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reprieve::model::{
    Attempt, AttemptResult, ConcurrencyKey, Delay, HistoryEntry, JobDetail, JobId, JobRow, JobState, Kind,
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

view! {
    /// One job with all that is kept of it.
    pub(crate) struct JobView as Job from job in JobDetail { job, attempts, history, read_at, .. } {
        /// The job.
        id: JobId,
        /// The queue it belongs to for life.
        queue: QueueName,
        /// What sort of work it is.
        kind: Kind,
        /// What it is about; null when the caller named nothing.
        subject: Option<Subject>,
        /// Whose job it is: jobs with the same key share the limit for each key of their queue; null when the caller named none.
        concurrency_key: Option<ConcurrencyKey>,
        /// Where it stands.
        state: JobState,
        /// How often it has changed.
        version: Version,
        /// 0 runs first, 9 last, among ready jobs of the queue.
        priority: Priority,
        /// How many attempts have begun and counted.
        attempt: u32,
        /// How many are allowed; null is unlimited.
        max_attempts: Option<u32>,
        /// How often its lease ran out after its worker was heard of; three such stalls make it dead.
        stalls: u32,
        /// How often in a row it was claimed and nothing was ever heard of it; the fifth time it is dead.
        unheard: u32,
        /// When it is, or was last, to run.
        due_ms: Timestamp = job.due,
        /// When it was enqueued.
        created_ms: Timestamp = job.created,
        /// When the latest attempt began; null before the first.
        started_ms: Option<Timestamp> = job.started,
        /// When it ended; null while it lives.
        ended_ms: Option<Timestamp> = job.ended,
        /// Until when an ended job is kept at least; null while it lives.
        kept_until_ms: Option<Timestamp> = job.kept_until,
        /// End of the present lease; null unless active.
        lease_until_ms: Option<Timestamp> = job.lease_until,
        /// The worker of the latest attempt; null before the first.
        worker: Option<String>,
        /// How long one attempt may take; null is the worker's limit.
        timeout_ms: Option<i64> = job.timeout.map(Delay::as_millis),
        /// How long it is kept once ended; null is the rule of its end state.
        retention_ms: Option<i64> = job.retention.map(Delay::as_millis),
        /// The key it holds while it lives.
        unique_key: Option<UniqueKey>,
        /// The caller's texts, handed to the handler.
        headers: BTreeMap<String, String>,
        /// The caller's labels.
        tags: Vec<String>,
        #[serde(flatten)]
        payload: Payload = Payload::of(&job.payload),
        /// Text of the latest failure; empty when none. Its first line alone without the permission `jobs.errors`,
        /// `•••• (hidden)` without `jobs.payload`; so are the errors of attempts.
        last_error: String,
        /// How far it is by its own word: `percent`, `text`, `at` and `attempt`; null when it never said.
        progress: Option<reprieve::model::Progress>,
        /// What it came to: JSON, or bytes in base64 as a text; null when its handler kept nothing.
        result: Option<Box<RawValue>> = result(&job.result),
        /// How many log lines it ever wrote; `GET /api/v1/jobs/{id}/log` has the last 1,000.
        log_lines: u64,
        /// When somebody asked the running attempt to stop.
        cancel_requested_ms: Option<Timestamp> = job.cancel_requested,
        /// The state it was called off from.
        cancelled_from: Option<JobState>,
        /// Where its latest attempt was handed to, for consumers outside; left out when a worker of ours has, or had, it.
        #[serde(skip_serializing_if = "Option::is_none")]
        publication: Option<PublicationView> = job.publication.map(PublicationView::from),
        /// Who made the latest change.
        by: String,
        /// Why; empty when nothing was said.
        #[serde(rename = "reason")]
        why: String,
        /// Past attempts, newest first, at most 20.
        attempts: Vec<AttemptView> = attempts.into_iter().map(AttemptView::from).collect(),
        /// Its changes, newest first, at most 50.
        history: Vec<HistoryView> = history.into_iter().map(HistoryView::from).collect(),
        /// When this was read, by Redis's clock.
        read_at_ms: Timestamp = read_at,
    }
}

view! {
    /// One past attempt.
    struct AttemptView as Attempt from attempt: Attempt {
        /// 1 for the first.
        number: u32,
        /// When it began.
        started_ms: Timestamp = attempt.started,
        /// When it ended.
        ended_ms: Timestamp = attempt.ended,
        /// Who ran it.
        worker: String,
        /// `done`, `failed`, `snoozed`, `released`, `stalled`, `unheard` or `cancelled`.
        result: AttemptResult,
        /// Why it failed; empty when it went well.
        error: String,
    }
}

view! {
    /// One change of a job.
    struct HistoryView as Change from entry: HistoryEntry {
        /// When.
        at_ms: Timestamp = entry.at,
        /// The state before; null for a new job.
        from: Option<JobState>,
        /// The state after.
        to: JobState,
        /// Its version after.
        version: Version,
        /// Its due time after.
        due_ms: Timestamp = entry.due,
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
}

view! {
    /// One job in a list: without payload, headers and history.
    pub(crate) struct RowView as JobRow from row: JobRow {
        /// The job.
        id: JobId,
        /// The queue it belongs to for life.
        queue: QueueName,
        /// What sort of work it is.
        kind: Kind,
        /// What it is about; null when the caller named nothing.
        subject: Option<Subject>,
        /// Where it stands.
        pub(crate) state: JobState,
        /// How often it has changed.
        version: Version,
        /// 0 runs first, 9 last, among ready jobs of the queue.
        priority: Priority,
        /// How many attempts have begun and counted.
        attempt: u32,
        /// How many are allowed; null is unlimited.
        max_attempts: Option<u32>,
        /// When it is, or was last, to run.
        due_ms: Timestamp = row.due,
        /// When it was enqueued.
        created_ms: Timestamp = row.created,
        /// When it last became ready; null before.
        ready_ms: Option<Timestamp> = row.ready,
        /// When the latest attempt began; null before the first.
        started_ms: Option<Timestamp> = row.started,
        /// When it ended; null while it lives.
        ended_ms: Option<Timestamp> = row.ended,
        /// Until when an ended job is kept at least; null while it lives.
        kept_until_ms: Option<Timestamp> = row.kept_until,
        /// End of the present lease; null unless active.
        lease_until_ms: Option<Timestamp> = row.lease_until,
        /// The worker of the latest attempt; null before the first.
        worker: Option<String>,
        /// First line of the latest failure; empty when none, `•••• (hidden)` without the permission `jobs.payload`.
        error_line: String,
        /// When somebody asked the running attempt to stop.
        cancel_requested_ms: Option<Timestamp> = row.cancel_requested,
        /// Who made the latest change.
        by: String,
        /// Why; empty when nothing was said.
        #[serde(rename = "reason")]
        why: String,
        /// Who enqueued it.
        created_by: String,
        /// How far the present attempt is, by its own word, in percent; null unless active, and when it never said.
        percent: Option<u8>,
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
