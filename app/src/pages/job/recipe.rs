//! A job as the call that would enqueue it once more.

use std::collections::BTreeMap;

use reprieve::model::{ConcurrencyKey, Delay, Job, Priority, Subject};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::format;

/// How many attempts a call gets that says nothing of them.
const MAX_ATTEMPTS_DEFAULT: u32 = 25;

/// The body of the call.
#[derive(Serialize)]
struct Body<'a> {
    kind: &'a str,
    queue: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<u8>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency_key: Option<&'a str>,
    /// Outer: whether it is said at all. Inner: `null` is as many as it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_attempts: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<Delay>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retention_ms: Option<Delay>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: &'a BTreeMap<String, String>,
    due_at: String,
    /// As it is written: numbers that no machine counts to, and names in their order.
    payload: &'a RawValue,
}

/// With curl, `token` being the line that says who calls; `None` for a payload that is no JSON, which would need base64.
pub(super) fn curl(job: &Job, origin: &str, token: &str) -> Option<String> {
    let body = Body {
        kind: job.kind.as_str(),
        queue: job.queue.as_str(),
        subject: job.subject.as_ref().map(Subject::as_str),
        priority: (job.priority != Priority::default()).then(|| job.priority.as_u8()),
        tags: &job.tags,
        concurrency_key: job.concurrency_key.as_ref().map(ConcurrencyKey::as_str),
        max_attempts: (job.max_attempts != Some(MAX_ATTEMPTS_DEFAULT)).then_some(job.max_attempts),
        timeout_ms: job.timeout,
        retention_ms: job.retention,
        headers: &job.headers,
        due_at: format::rfc3339(job.due),
        payload: serde_json::from_slice(&job.payload).ok()?,
    };
    // A quote ends the text of a shell; this one stands outside of it.
    let body = serde_json::to_string(&body).ok()?.replace('\'', r"'\''");
    Some(format!(
        "curl {origin}/api/v1/jobs{token} \\\n  -H 'content-type: application/json' \\\n  -d '{body}'"
    ))
}

/// With the client in Rust; `None` for a payload that is no text.
pub(super) fn rust(job: &Job) -> Option<String> {
    let payload = std::str::from_utf8(&job.payload).ok()?;
    let mut lines = vec![
        "client".to_owned(),
        format!("    .enqueue_raw(Kind::new({:?})?, {payload:?})", job.kind.as_str()),
        format!("    .queue(QueueName::new({:?})?)", job.queue.as_str()),
    ];
    if let Some(subject) = &job.subject {
        lines.push(format!("    .subject(Subject::new({:?})?)", subject.as_str()));
    }
    lines.extend(job.tags.iter().map(|tag| format!("    .tag({tag:?})")));
    if job.priority != Priority::default() {
        lines.push(format!("    .priority(Priority::new({}).unwrap_or_default())", job.priority.as_u8()));
    }
    if let Some(concurrency_key) = &job.concurrency_key {
        lines.push(format!("    .concurrency_key(ConcurrencyKey::new({:?})?)", concurrency_key.as_str()));
    }
    match job.max_attempts {
        None => lines.push("    .unlimited_attempts()".to_owned()),
        Some(MAX_ATTEMPTS_DEFAULT) => {}
        Some(attempts) => lines.push(format!("    .max_attempts({attempts})")),
    }
    for (span, call) in [(job.timeout, "timeout"), (job.retention, "retention")] {
        lines.extend(span.map(|span| format!("    .{call}(Delay::millis({}))", span.as_millis())));
    }
    lines.extend(job.headers.iter().map(|(name, text)| format!("    .header({name:?}, {text:?})")));
    lines.push(format!("    .at(Timestamp::saturating_from_millis({}))", job.due.as_millis()));
    lines.push("    .send()".to_owned());
    lines.push("    .await?;".to_owned());
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::snippet::token_line;
    use crate::given;
    use crate::session::Session;

    fn job(payload: &str) -> Job {
        given::job(serde_json::json!({
            "id": "a1", "max_attempts": 25, "due": 1_786_525_200_000_i64, "tags": ["eu"], "payload": payload,
        }))
    }

    #[test]
    fn a_shell_reads_the_call_as_it_is_meant() {
        let text = curl(&job("{\"name\":\"O'Neil\"}"), "http://localhost:8080", "").unwrap();
        assert!(text.starts_with("curl http://localhost:8080/api/v1/jobs"), "{text}");
        assert!(text.contains(r#""payload":{"name":"O'\''Neil"}"#), "{text}");
        assert!(text.contains(r#""due_at":"2026-08-12T09:00:00.000Z""#), "{text}");
        assert_eq!(curl(&job("plain text"), "", ""), None);
        let as_written = r#"{"z":12345678901234567890123,"a":1.10}"#;
        let text = curl(&job(as_written), "", "").unwrap();
        assert!(text.contains(as_written), "{text}");
    }

    #[test]
    fn a_call_says_who_calls_where_the_api_asks_for_that() {
        let mut session = Session::default();
        let call = |session: &Session| curl(&job("{}"), "http://h", &token_line(session)).unwrap();
        assert!(
            call(&session).starts_with("curl http://h/api/v1/jobs \\\n  -H 'content-type"),
            "{}",
            call(&session)
        );
        session.asks_for_token = true;
        let asked = "curl http://h/api/v1/jobs \\\n  -H 'authorization: Bearer TOKEN' \\\n  -H 'content-type";
        assert!(call(&session).starts_with(asked), "{}", call(&session));
    }

    #[test]
    fn rust_reads_the_call_as_it_is_meant() {
        let text = rust(&job("say \"hi\"")).unwrap();
        assert!(text.contains(r#".enqueue_raw(Kind::new("notice")?, "say \"hi\"")"#), "{text}");
        assert!(text.contains(r#".tag("eu")"#), "{text}");
    }

    #[test]
    fn a_call_has_all_that_the_job_was_enqueued_with() {
        let mut whole = job("{}");
        assert!(
            !curl(&whole, "", "").unwrap().contains("max_attempts"),
            "what goes without saying is not said"
        );
        assert!(!rust(&whole).unwrap().contains("attempts"));

        whole.priority = Priority::FIRST;
        whole.max_attempts = None;
        (whole.timeout, whole.retention) = (Some(Delay::seconds(9)), Some(Delay::days(1)));
        whole.concurrency_key = Some(ConcurrencyKey::new("eu").unwrap());
        whole.headers.insert("tenant".to_owned(), "7".to_owned());
        let text = curl(&whole, "", "").unwrap();
        for part in [
            r#""priority":0"#,
            r#""max_attempts":null"#,
            r#""timeout_ms":9000"#,
            r#""retention_ms":86400000"#,
            r#""concurrency_key":"eu""#,
            r#""headers":{"tenant":"7"}"#,
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let text = rust(&whole).unwrap();
        for part in [
            ".priority(Priority::new(0).unwrap_or_default())",
            ".unlimited_attempts()",
            ".timeout(Delay::millis(9000))",
            ".retention(Delay::millis(86400000))",
            r#".concurrency_key(ConcurrencyKey::new("eu")?)"#,
            r#".header("tenant", "7")"#,
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        whole.max_attempts = Some(3);
        assert!(rust(&whole).unwrap().contains(".max_attempts(3)"));
    }
}
