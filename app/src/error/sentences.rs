//! What went wrong, and what a person can do about it.

use reprieve::model::{JobState, Standing};

use super::ApiError;
use crate::i18n::{self, OTHER_CHARS_MIN};
use crate::{format, t};

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
        ApiError::Duplicate { holder } => t!("errors-duplicate", holder = holder.to_string()),
        ApiError::SubjectFull => t!("errors-subject-full"),
        ApiError::SettingChanged => t!("errors-setting-changed"),
        ApiError::NotFound => t!("errors-not-found"),
        ApiError::NoRun => t!("errors-no-run"),
        ApiError::RunMoved { state } => t!("errors-run-moved", state = state.as_str()),
        ApiError::Lapsed => t!("errors-lapsed"),
        ApiError::Invalid { why } | ApiError::WrongField { why, .. } => {
            // It ends the sentence itself.
            t!("errors-invalid", why = why.trim_end_matches(['.', '。']).to_owned())
        }
        ApiError::ReasonTooShort => t!("errors-reason-too-short", count = OTHER_CHARS_MIN),
        ApiError::Unavailable { sentence, .. } => sentence.clone(),
        ApiError::OtherRedis { why } => why.clone(),
        ApiError::StorageFull => t!("errors-storage-full"),
        ApiError::Forbidden { permission, elsewhere: true } => {
            t!("errors-forbidden-elsewhere", permission = permission.to_string())
        }
        ApiError::Forbidden { permission, .. } => t!("errors-forbidden", permission = permission.to_string()),
        ApiError::SignedOut => t!("account-error-signed-out"),
        ApiError::ProveFirst => t!("account-error-prove"),
        ApiError::TooMany { jobs_max } => t!("account-error-too-many", count = *jobs_max),
        ApiError::TooFar { days_max } => t!("account-error-too-far", count = *days_max),
        ApiError::SecondPerson => t!("errors-second-person"),
        ApiError::TooOften { .. } => t!("account-error-too-often"),
        ApiError::Offline => t!("errors-offline"),
        ApiError::TooSlow => t!("errors-too-slow"),
        ApiError::OutcomeUnknown { .. } => t!("errors-outcome-unknown"),
        ApiError::TooLarge => t!("errors-form-large"),
        ApiError::Outdated => t!("errors-outdated"),
        ApiError::Internal { request_id } => t!("errors-internal", request = request_id.clone()),
    }
}

/// Why the desk did not do what somebody asked of it, and what they can do about it, without a word of queues: what they
/// postpone there is no job.
pub(crate) fn refused_at_desk(error: &ApiError) -> String {
    match error {
        ApiError::Unavailable { .. } | ApiError::TooSlow => t!("support-refused-away"),
        ApiError::OutcomeUnknown { is_once: true } => t!("support-refused-unknown"),
        ApiError::OutcomeUnknown { is_once: false } => t!("support-refused-unknown-look"),
        ApiError::Offline => t!("support-refused-offline"),
        ApiError::NotFound => t!("support-refused-gone"),
        ApiError::StorageFull => t!("support-refused-full"),
        ApiError::TooLarge => t!("support-refused-large"),
        ApiError::Internal { request_id } => t!("support-refused-broken", request = request_id.clone()),
        ApiError::TooFar { days_max } => {
            let sentence = t!("support-too-far", count = *days_max);
            t!("errors-in-full", sentence = sentence, next = error.next_step())
        }
        _ => error.in_full(),
    }
}

/// [`ApiError::next_step`].
pub(super) fn next_step(error: &ApiError) -> String {
    match error {
        ApiError::Conflict { .. } => t!("errors-next-conflict"),
        ApiError::Duplicate { .. } => t!("errors-next-duplicate"),
        ApiError::SubjectFull => t!("errors-next-subject-full"),
        ApiError::SettingChanged => t!("errors-next-setting-changed"),
        ApiError::SecondPerson => t!("errors-next-second-person"),
        ApiError::NotFound => t!("errors-next-not-found"),
        ApiError::NoRun => t!("errors-next-no-run"),
        ApiError::RunMoved { .. } => t!("errors-next-run-moved"),
        ApiError::Lapsed => t!("errors-next-lapsed"),
        ApiError::Invalid { .. } | ApiError::WrongField { .. } => t!("errors-next-invalid"),
        ApiError::ReasonTooShort => t!("errors-next-reason-too-short"),
        ApiError::Unavailable { .. } => t!("errors-next-unavailable"),
        ApiError::OtherRedis { .. } => t!("errors-next-other-redis"),
        ApiError::StorageFull => t!("errors-next-storage-full"),
        ApiError::Forbidden { .. } => t!("errors-next-forbidden"),
        ApiError::SignedOut => t!("account-next-signed-out"),
        ApiError::ProveFirst => t!("account-next-prove"),
        ApiError::TooMany { .. } => t!("account-next-too-many"),
        ApiError::TooFar { .. } => t!("account-next-too-far"),
        ApiError::TooOften { seconds } => t!("account-next-too-often", seconds = *seconds),
        ApiError::Offline => t!("errors-next-offline"),
        ApiError::TooSlow => t!("errors-next-too-slow"),
        ApiError::OutcomeUnknown { is_once: true } => t!("errors-next-outcome-unknown"),
        ApiError::OutcomeUnknown { is_once: false } => t!("errors-next-outcome-unknown-look"),
        ApiError::TooLarge => t!("errors-next-form-large"),
        ApiError::Outdated => t!("errors-next-outdated"),
        ApiError::Internal { .. } => t!("errors-next-internal"),
    }
}
