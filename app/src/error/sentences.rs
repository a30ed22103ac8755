//! What went wrong, and what a person can do about it.

use reprieve::model::{JobState, Standing};

use super::ApiError;
use crate::i18n::{self, OTHER_CHARS_MIN, Tagged};
use crate::{format, t};

/// The name of the failure in JSON.
pub(super) const TAG: &str = "error";

/// The sentence for an outage of Redis.
pub(crate) fn redis_outage(kind: reprieve::OutageKind) -> String {
    use reprieve::OutageKind;
    match kind {
        OutageKind::Busy => t!("errors-redis-busy"),
        OutageKind::Denied => t!("errors-redis-denied"),
        OutageKind::ReadOnly => t!("errors-redis-read-only"),
        _ => t!("errors-redis-unreachable"),
    }
}

/// Where a job stands, for the sentence after a conflict.
fn moved_on(standing: &Standing) -> String {
    moved_on_so(standing, "nothing")
}

/// The same, when somebody wanted to call it off.
pub(crate) fn moved_on_uncancelled(standing: &Standing) -> String {
    moved_on_so(standing, "uncancelled")
}

/// `so` chooses the end of the sentence: what was not done.
fn moved_on_so(standing: &Standing, so: &'static str) -> String {
    let since = |at| format::span(standing.at.millis_since(at));
    match (standing.state, standing.started, standing.ended, standing.worker.clone()) {
        (JobState::Active, Some(started), _, Some(worker)) => {
            t!("errors-moved-started", span = since(started), worker = worker, so = so)
        }
        (JobState::Active, ..) => t!("errors-moved-running", so = so),
        (JobState::Done, _, Some(ended), _) => t!("errors-moved-done", span = since(ended), so = so),
        (JobState::Dead, _, Some(ended), _) => t!("errors-moved-dead", span = since(ended), so = so),
        (JobState::Cancelled, _, Some(ended), _) => {
            t!("errors-moved-cancelled", span = since(ended), so = so)
        }
        (now, ..) => t!(
            "errors-moved-elsewhere",
            state = i18n::state(now),
            version = standing.version.to_string(),
            so = so
        ),
    }
}

/// [`ApiError::sentence`].
pub(super) fn sentence(error: &ApiError) -> String {
    match error {
        ApiError::Conflict { standing } => moved_on(standing),
        ApiError::Invalid { why } | ApiError::WrongField { why, .. } => {
            // It ends the sentence itself.
            t!("errors-invalid", why = why.trim_end_matches(['.', '。']).to_owned())
        }
        ApiError::ReasonTooShort => t!("errors-reason-too-short", count = OTHER_CHARS_MIN),
        ApiError::Unavailable { sentence: said, .. } | ApiError::OtherRedis { why: said } => said.clone(),
        _ => Tagged::of(error, TAG).said("errors").unwrap_or_default(),
    }
}

/// Why the desk did not do what somebody asked of it, and what they can do about it, without a word of queues: what they
/// postpone there is no job.
pub(crate) fn refused_at_desk(error: &ApiError) -> String {
    match error {
        ApiError::TooFar { days_max } => {
            let sentence = t!("support-too-far", count = *days_max);
            t!("errors-in-full", sentence = sentence, next = error.next_step())
        }
        _ => Tagged::of(error, TAG).said("support-refused").unwrap_or_else(|| error.in_full()),
    }
}

/// [`ApiError::next_step`].
pub(super) fn next_step(error: &ApiError) -> String {
    match error {
        ApiError::WrongField { .. } => t!("errors-next-invalid"),
        _ => Tagged::of(error, TAG).said("errors-next").unwrap_or_default(),
    }
}
