//! Jobs and their histories, as tests give them: each is JSON as the engine writes it, of which a test says what matters.

use reprieve::desk::Step;
use reprieve::model::{HistoryEntry, Job, JobRow, JobState, Timestamp};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A job as lists show it.
pub(crate) fn row(more: Value) -> JobRow {
    let usual = json!({
        "id": "a", "queue": "mail", "kind": "notice", "state": "delayed", "version": 1, "attempt": 0, "priority": 5,
        "due": 10, "created": 0, "error_line": "", "by": "", "reason": "", "preview": "", "created_by": "",
    });
    with(usual, more)
}

/// A job in that state as lists show it.
pub(crate) fn row_in(state: JobState) -> JobRow {
    row(json!({ "state": state }))
}

/// A job with all that is known of it.
pub(crate) fn job(more: Value) -> Job {
    let usual = json!({
        "id": "a", "queue": "mail", "kind": "notice", "subject": "resource:4711", "state": "delayed", "version": 1,
        "attempt": 0, "priority": 5, "stalls": 0, "due": 10_000, "created": 0, "headers": {}, "tags": [],
        "payload": "", "last_error": "", "result": "", "log_lines": 0, "by": "ann", "reason": "",
    });
    with(usual, more)
}

/// What somebody changed about a job, or moved it to.
pub(crate) fn entry(more: Value) -> HistoryEntry {
    with(json!({ "to": "delayed", "by": "", "reason": "", "due": 10_000, "version": 1 }), more)
}

/// A step of the desk of which nothing else is to be said.
pub(crate) fn step(state: JobState, due: Timestamp) -> Step {
    Step::new("a".parse().unwrap(), "delete".parse().unwrap(), state, due)
}

fn with<T: DeserializeOwned>(mut usual: Value, more: Value) -> T {
    let (Value::Object(all), Value::Object(more)) = (&mut usual, more) else { panic!("no objects") };
    all.extend(more);
    serde_json::from_value(usual).unwrap()
}
