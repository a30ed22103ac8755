//! The W3C trace context of a request, kept with the jobs it brings.

use http::HeaderMap;
use reprieve::{NewJob, TraceParent};

/// The header that vendors add to a trace; it means nothing without the first.
const STATE: &str = "tracestate";
/// Longest trace state that has to be passed on by the standard, in bytes.
const STATE_BYTES_MAX: usize = 512;

/// Gives a job the trace of the request it came with, unless it brings one of its own.
pub(super) fn trace(headers: &HeaderMap, job: &mut NewJob) {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let parent = text(TraceParent::HEADER).and_then(|text| text.trim().parse::<TraceParent>().ok());
    let Some(parent) = parent.filter(|_| !job.headers.contains_key(TraceParent::HEADER)) else { return };
    let before = job.headers.clone();
    job.headers.insert(TraceParent::HEADER.to_owned(), parent.to_string());
    if let Some(state) = text(STATE).filter(|state| !state.is_empty() && state.len() <= STATE_BYTES_MAX) {
        job.headers.insert(STATE.to_owned(), state.to_owned());
    }
    // A trace is no reason to refuse a job whose own headers use up their room.
    if job.check().is_err() {
        job.headers = before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::Kind;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn traced(parent: &str, state: &str, job: &mut NewJob) {
        let mut headers = HeaderMap::new();
        headers.insert("traceparent", parent.parse().unwrap());
        headers.insert("tracestate", state.parse().unwrap());
        trace(&headers, job);
    }

    fn job() -> NewJob {
        NewJob::new(Kind::new("notice").unwrap(), "{}")
    }

    #[test]
    fn a_trace_is_kept_and_one_that_does_not_read_is_not() {
        let mut kept = job();
        traced(PARENT, "vendor=1", &mut kept);
        assert_eq!(
            (kept.headers["traceparent"].as_str(), kept.headers["tracestate"].as_str()),
            (PARENT, "vendor=1")
        );
        let mut broken = job();
        traced("00-zz", "vendor=1", &mut broken);
        assert_eq!(broken.headers.len(), 0);
        let mut long = job();
        traced(PARENT, &"x".repeat(513), &mut long);
        assert_eq!(long.headers.len(), 1);
    }

    #[test]
    fn a_jobs_own_trace_and_its_full_headers_come_first() {
        let mut own = job();
        own.headers.insert("traceparent".to_owned(), "mine".to_owned());
        traced(PARENT, "vendor=1", &mut own);
        assert_eq!((own.headers.len(), own.headers["traceparent"].as_str()), (1, "mine"));
        let mut full = job();
        full.headers.insert("x".to_owned(), "y".repeat(8 * 1_024 - 1));
        traced(PARENT, "", &mut full);
        assert_eq!((full.headers.len(), full.check().is_ok()), (1, true));
    }
}
