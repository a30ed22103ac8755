//! Bodies of requests: a form as the server functions get it, then a job as the HTTP API gets it.

use crate::bounds::{crosses, message, parts};
use crate::http_api::new_job;
use crate::strict;
use crate::when;
use reprieve::fuzzing;
use reprieve::model::{
    BulkVerb, CronName, Direction, Filter, JobId, Kind, PersonName, PlanId, QueueName, RunId, StateGroup,
    Subject, Timestamp, Version,
};
use serde::{Deserialize, Serialize};

/// How deep Leptos lets a form nest.
const DEPTH: usize = 5;

/// Every type of argument that a server function takes, each of them absent or there.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Form {
    id: Option<JobId>,
    seen: Option<Version>,
    queue: Option<QueueName>,
    kind: Option<Kind>,
    subject: Option<Subject>,
    group: Option<StateGroup>,
    direction: Option<Direction>,
    name: Option<CronName>,
    person: Option<PersonName>,
    plan: Option<PlanId>,
    run: Option<RunId>,
    verb: Option<BulkVerb>,
    from: Option<Timestamp>,
    // An empty text and none at all are the same in a form.
    filter: Filter,
    jobs: Vec<String>,
    sure: Option<bool>,
    size: Option<u16>,
    keep: Option<u8>,
    over: Option<u64>,
    due: Option<String>,
    reason: Option<String>,
}

/// What a form reads as is written, where the browser calls without a form, as one that reads as the same. A job that
/// reads is one that the engine takes, and one that does not is told why, in a few short lines.
pub fn check(data: &[u8]) {
    let mut parts = parts(data);
    if let Some(body) = parts.next() {
        check_form(body);
    }
    if let Some(body) = parts.next().and_then(|body| std::str::from_utf8(body).ok()) {
        check_job(body);
    }
}

fn check_form(body: &[u8]) {
    let form = match serde_qs::Config::new(DEPTH, false).deserialize_bytes::<Form>(body) {
        Ok(form) => form,
        Err(_) => return,
    };
    crosses(&form);
    if let Some(text) = &form.due
        && let Some(when::When::At(at)) = when::parse(text)
    {
        assert!((Timestamp::EPOCH..=Timestamp::MAX).contains(&at), "{text:?} is {at:?}");
    }
    let sent = serde_qs::to_string(&form).expect("a form has a text");
    let read = serde_qs::Config::new(DEPTH, false).deserialize_bytes::<Form>(sent.as_bytes());
    assert_eq!(read.as_ref().ok(), Some(&form), "{sent}: {read:?}");
}

fn check_job(body: &str) {
    match new_job::from_text(body) {
        Ok(job) => {
            fuzzing::check(&job).expect("a job that the engine takes");
            if serde_json::from_slice::<serde::de::IgnoredAny>(&job.payload).is_ok() {
                // A payload that was sent as JSON was looked through; base64 of the same is left alone.
                let looked = std::str::from_utf8(&job.payload).map(strict::check);
                assert!(
                    looked.is_ok_and(|looked| looked.is_ok()) || body.contains("payload_base64"),
                    "{body}"
                );
            }
        }
        Err(why) => message(why.split("; ").next().unwrap_or_default()),
    }
}
