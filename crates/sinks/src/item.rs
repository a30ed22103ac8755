//! A job in the words of the place it is handed to.

use super::config::{Destination, SinkConfig};
use crate::TaskMessage;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prost::Message as _;
use reprieve::internals::ClaimedJob;
use reprieve::model::{Delay, first_bytes};
use serde::Serialize;
use std::collections::BTreeMap;

/// How long asynq keeps a completed task, s: its completion must leave a trace until the next look, also after a day
/// without one. A look removes it.
const ASYNQ_RETENTION_S: i64 = 86_400;
/// What a task says that asynq gave up without a word.
const NO_WORD: &str = "archived in asynq";
/// Longest error text kept with a job, bytes.
const ERROR_BYTES_MAX: usize = 8 * 1_024;

/// What is sent for a job. A stream's entry is written by its script, which only needs the reply list.
pub(super) fn of(config: &SinkConfig, job: &ClaimedJob, reply: &str) -> Vec<u8> {
    match &config.destination {
        Destination::Stream { .. } => reply.as_bytes().to_vec(),
        Destination::List { .. } => serde_json::to_vec(&ListItem::of(job, reply)).unwrap_or_default(),
        Destination::Asynq { queue, max_retry } => task(config, job, queue, *max_retry).encode_to_vec(),
    }
}

/// An item of a list, as JSON.
#[derive(Debug, Serialize)]
struct ListItem<'a> {
    id: &'a str,
    token: u64,
    queue: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    attempt: u32,
    max_attempts: Option<u32>,
    due_ms: i64,
    created_ms: i64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: &'a BTreeMap<String, String>,
    /// The payload where it is text, which JSON is.
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<&'a str>,
    /// The payload where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_base64: Option<String>,
    /// The list to report on.
    #[serde(skip_serializing_if = "str::is_empty")]
    reply: &'a str,
}

impl<'a> ListItem<'a> {
    fn of(job: &'a ClaimedJob, reply: &'a str) -> Self {
        let payload = std::str::from_utf8(&job.payload).ok();
        Self {
            id: job.id.as_str(),
            token: job.token.0,
            queue: job.queue.as_str(),
            kind: job.kind.as_str(),
            subject: job.subject.as_ref().map(AsRef::as_ref),
            attempt: job.attempt,
            max_attempts: job.max_attempts,
            due_ms: job.due.as_millis(),
            created_ms: job.created.as_millis(),
            headers: &job.headers,
            payload,
            payload_base64: payload.is_none().then(|| STANDARD.encode(&job.payload)),
            reply,
        }
    }
}

fn task(config: &SinkConfig, job: &ClaimedJob, queue: &str, max_retry: u16) -> TaskMessage {
    let timeout_ms = job.timeout.unwrap_or(config.timeout).max(Delay::seconds(1)).as_millis();
    TaskMessage {
        r#type: job.kind.to_string(),
        payload: job.payload.clone(),
        // `lua/core/sink_asynq.lua` names the task's keys in the same way.
        id: format!("{}.{}", job.id, job.token),
        queue: queue.to_owned(),
        retry: i32::from(max_retry),
        timeout: timeout_ms.saturating_add(999) / 1_000,
        retention: ASYNQ_RETENTION_S,
        headers: job.headers.clone(),
        ..TaskMessage::default()
    }
}

/// Why a task in asynq's archive failed, by its message, and whether it is to be tried again. asynq archives a task whose
/// retries are used up; one that has some left was archived by its handler's `SkipRetry`, or by a person.
pub(super) fn failure(message: &[u8]) -> (String, bool) {
    let task = TaskMessage::decode(message).unwrap_or_default();
    let text =
        if task.error_msg.is_empty() { NO_WORD } else { first_bytes(&task.error_msg, ERROR_BYTES_MAX) };
    (text.to_owned(), task.retried >= task.retry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_failure_says_what_the_task_says() {
        let task = TaskMessage { error_msg: "no such resource".to_owned(), ..TaskMessage::default() };
        assert_eq!(failure(&task.encode_to_vec()), ("no such resource".to_owned(), true));
        assert_eq!(failure(b""), (NO_WORD.to_owned(), true));
        let long = TaskMessage { error_msg: "é".repeat(ERROR_BYTES_MAX), ..TaskMessage::default() };
        assert_eq!(failure(&long.encode_to_vec()).0.len(), ERROR_BYTES_MAX);
    }

    #[test]
    fn a_task_that_is_archived_with_retries_left_is_not_tried_again() {
        for (retried, retry, again) in [(0, 0, true), (3, 3, true), (0, 3, false), (2, 3, false)] {
            let task = TaskMessage { retried, retry, ..TaskMessage::default() };
            assert_eq!(failure(&task.encode_to_vec()).1, again, "{retried} of {retry}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_for_a_task_are_read_without_a_panic(bytes: Vec<u8>) {
            assert!(!failure(&bytes).0.is_empty());
        }
    }
}
