//! A job as a request: its body, its signature, its headers.

use crate::http_api::Payload;
use crate::signature::{Secrets, message_id};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use reprieve::JobContext;
use reprieve::model::{JobId, Kind, QueueName, Subject, Timestamp, Token};
use serde::Serialize;
use std::collections::BTreeMap;

/// Headers of a job that travel as headers of the request: the W3C trace context. The rest is in the body.
const PASSED_THROUGH: [&str; 2] = ["traceparent", "tracestate"];

/// One delivery, ready to be sent.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// The body: what a handler in Rust would see.
#[derive(Serialize)]
struct Body<'a> {
    id: &'a JobId,
    queue: &'a QueueName,
    kind: &'a Kind,
    subject: Option<&'a Subject>,
    attempt: u32,
    max_attempts: Option<u32>,
    token: Token,
    due_ms: Timestamp,
    headers: &'a BTreeMap<String, String>,
    #[serde(flatten)]
    payload: Payload,
}

impl Message {
    /// Writes a job down and signs it, if there is a secret.
    pub(super) fn of(job: &JobContext, secrets: Option<&Secrets>) -> Result<Self, serde_json::Error> {
        let body = serde_json::to_vec(&Body {
            id: job.id(),
            queue: job.queue(),
            kind: job.kind(),
            subject: job.subject(),
            attempt: job.attempt(),
            max_attempts: job.max_attempts(),
            token: job.token(),
            due_ms: job.due(),
            headers: job.headers(),
            payload: Payload::of(job.payload()),
        })?;
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let id = message_id(job.id());
        // The receiver compares this with its own clock, so it is this machine's and not Redis's.
        let at_seconds = jiff::Timestamp::now().as_second();
        put(&mut headers, "webhook-id", &id);
        put(&mut headers, "webhook-timestamp", &at_seconds.to_string());
        if let Some(secrets) = secrets {
            put(&mut headers, "webhook-signature", &secrets.sign(&id, at_seconds, &body));
        }
        put(&mut headers, "reprieve-kind", job.kind().as_str());
        put(&mut headers, "reprieve-queue", job.queue().as_str());
        put(&mut headers, "reprieve-attempt", &job.attempt().to_string());
        put(&mut headers, "reprieve-token", &job.token().to_string());
        for name in PASSED_THROUGH {
            if let Some(value) = job.headers().get(name) {
                put(&mut headers, name, value);
            }
        }
        Ok(Self { headers, body })
    }
}

/// Leaves out what no header can hold; of ours only a passed-through one can be like that.
fn put(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(HeaderName::from_static(name), value);
    }
}
