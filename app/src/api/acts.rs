//! What a person does to jobs.
//!
//! All of them take `seen`, the version on the person's screen: a job that moved on is a
//! `Conflict` with its present standing. `operation` makes repeating harmless. `reason` is
//! chosen from a list, `note` is free text; both end up in the job's history.

use leptos::prelude::*;
use reprieve::model::{
    Cancelled, HeldBack, JobId, Reinstated, Released, Rescheduled, RetriedNow, Subject, SubjectCancelled,
    Version,
};

use crate::call::Post;
use crate::error::ApiError;

/// Makes an act of the engine from what a form sent: version, reason, operation.
macro_rules! act {
    ($operator:ident . $verb:ident ( $($argument:expr),* ), $seen:ident, $why:expr, $operation:ident) => {{
        let mut act = $operator.$verb($($argument),*).because($why);
        if let Some(seen) = $seen {
            act = act.seen(seen);
        }
        if let Some(operation) = $operation.filter(|text| !text.is_empty()) {
            act = act.operation(operation);
        }
        act
    }};
}

/// Calls one job off; in production with a whole reason. Needs `CancelJobs`.
#[server(prefix = "/api/fn", endpoint = "cancel_job", protocol = Post)]
pub async fn cancel_job(
    id: JobId,
    #[server(default)] seen: Option<Version>,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] operation: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<Cancelled, ApiError> {
    use super::answer;
    use crate::i18n::Tell;
    let done = |outcome: &Cancelled| match outcome {
        Cancelled::Now(now) => Some(opposite::<ReinstateJob>(now)),
        _ => None,
    };
    let refused = |error: &ApiError| match error {
        ApiError::Conflict { standing } => crate::error::moved_on_uncancelled(standing),
        error => error.in_full(),
    };
    let cancel = async move {
        let operator = crate::access::operator_on(reprieve::model::Permission::CancelJobs, &id).await?;
        let seen = stoppable(&id, seen).await?;
        let why = answer::why_destroyed(reason, note, ticket, incident)?;
        Ok(act!(operator.cancel(&id), seen, why, operation).await?)
    };
    answer::to_saying(back, Tell::code, refused, answer::leaving(done, cancel)).await
}

/// Puts a cancelled job back, at its original due time unless `at` names another or its plan was moved meanwhile. Needs
/// `ReinstateJobs`.
#[server(prefix = "/api/fn", endpoint = "reinstate_job", protocol = Post)]
pub async fn reinstate_job(
    id: JobId,
    #[server(default)] seen: Option<Version>,
    #[server(default)] at: Option<String>,
    #[server(default)] zone: Option<String>,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] operation: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<Reinstated, ApiError> {
    use super::answer;
    use crate::done::Done;
    use crate::i18n::Tell;
    use crate::preferences::Preferences;
    use crate::when;
    let at = at.filter(|text| !text.is_empty()).map(|text| when::in_zone(&text, &zone.unwrap_or_default()));
    let (is_given, original) = (at.is_some(), original_due(&id).await);
    let code = move |outcome: &Reinstated| match outcome {
        Reinstated::Delayed(_) if is_given => "reinstate.at".to_owned(),
        Reinstated::Delayed(now) if original.is_some_and(|due| due != now.due) => {
            "reinstate.moved".to_owned()
        }
        outcome => outcome.code(),
    };
    // Where the word in the address is all that is told, it says how that time came about.
    let done = |outcome: &Reinstated| match outcome {
        Reinstated::Delayed(_) if crate::light::is_read_again() => {
            Some(Done::said(crate::i18n::reinstated(outcome, Preferences::zone_of_request()).text))
        }
        _ => None,
    };
    answer::to_with(back, code, done, async move {
        let operation = Some(answer::operation_for(operation, &at));
        let at = match at.map(|text| when::parse(&text)) {
            None => None,
            Some(Some(when::When::At(at))) => Some(at),
            Some(_) => return Err(ApiError::wrong("at", crate::i18n::not_a_time())),
        };
        let operator = crate::access::operator_on(reprieve::model::Permission::ReinstateJobs, &id).await?;
        let mut act =
            act!(operator.reinstate(&id), seen, answer::why(reason, note, ticket, incident)?, operation);
        if let Some(at) = at {
            crate::access::allow_due(&id, reprieve::Due::At(at)).await?;
            act = act.at(at);
        }
        Ok(act.await?)
    })
    .await
}

/// Runs a waiting job now, or a dead or cancelled one again. Needs `RetryJobs`.
#[server(prefix = "/api/fn", endpoint = "retry_job", protocol = Post)]
pub async fn retry_job(
    id: JobId,
    #[server(default)] seen: Option<Version>,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] operation: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<RetriedNow, ApiError> {
    use super::answer;
    use crate::i18n::Tell;
    answer::to(back, Tell::code, async move {
        let operator = crate::access::operator_on(reprieve::model::Permission::RetryJobs, &id).await?;
        let seen = runnable(&id, seen).await?;
        Ok(act!(operator.retry_now(&id), seen, answer::why(reason, note, ticket, incident)?, operation)
            .await?)
    })
    .await
}

/// Gives a waiting job another due time, in the words of [`crate::when::parse`]. Needs `RescheduleJobs`.
///
/// `preset` wins over `due` unless it is empty or `at`; in a form without script a `due` that was typed wins.
#[server(prefix = "/api/fn", endpoint = "reschedule_job", protocol = Post)]
pub async fn reschedule_job(
    id: JobId,
    #[server(default)] seen: Option<Version>,
    #[server(default)] preset: Option<String>,
    #[server(default)] due: Option<String>,
    #[server(default)] zone: Option<String>,
    #[server(default)] reason: Option<String>,
    #[server(default)] operation: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<Rescheduled, ApiError> {
    use super::answer;
    use crate::i18n::Tell;
    use crate::when;
    let old = original_due(&id).await;
    let now = match old {
        Some(_) => crate::access::now().await.ok(),
        None => None,
    };
    let done = |outcome: &Rescheduled| {
        let standing = outcome.standing();
        (!matches!(outcome, Rescheduled::Refused(_))).then(|| rescheduled(standing, old, now))
    };
    answer::to_with(back, Tell::code, done, async move {
        let chosen = when::in_zone(&when::chosen(preset, due), &zone.unwrap_or_default());
        let operation = Some(answer::operation_for(operation, &chosen));
        let due = match when::parse(&chosen) {
            Some(when::When::At(at)) => reprieve::Due::At(at),
            Some(when::When::In(delay)) => reprieve::Due::In(delay),
            None => return Err(ApiError::wrong("due", crate::i18n::not_a_time())),
        };
        let operator = crate::access::operator_on(reprieve::model::Permission::RescheduleJobs, &id).await?;
        crate::access::allow_due(&id, due).await?;
        Ok(act!(operator.reschedule(&id, due), seen, answer::why(reason, None, None, None)?, operation)
            .await?)
    })
    .await
}

/// Keeps a delayed job from running, due time kept. Needs `HoldJobs`.
#[server(prefix = "/api/fn", endpoint = "hold_job", protocol = Post)]
pub async fn hold_job(
    id: JobId,
    #[server(default)] seen: Option<Version>,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] operation: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<HeldBack, ApiError> {
    use super::answer;
    use crate::i18n::Tell;
    let done = |outcome: &HeldBack| match outcome {
        HeldBack::Held(now) => Some(opposite::<UnholdJob>(now)),
        _ => None,
    };
    answer::to_with(back, Tell::code, done, async move {
        let operator = crate::access::operator_on(reprieve::model::Permission::HoldJobs, &id).await?;
        Ok(act!(operator.hold(&id), seen, answer::why(reason, note, ticket, incident)?, operation).await?)
    })
    .await
}

/// Lets a held job wait for its due time again. Needs `HoldJobs`.
#[server(prefix = "/api/fn", endpoint = "unhold_job", protocol = Post)]
pub async fn unhold_job(
    id: JobId,
    #[server(default)] seen: Option<Version>,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] operation: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<Released, ApiError> {
    use super::answer;
    use crate::i18n::Tell;
    let done = |outcome: &Released| match outcome {
        Released::Delayed(now) => Some(opposite::<HoldJob>(now)),
        _ => None,
    };
    answer::to_with(back, Tell::code, done, async move {
        let operator = crate::access::operator_on(reprieve::model::Permission::HoldJobs, &id).await?;
        Ok(act!(operator.unhold(&id), seen, answer::why(reason, note, ticket, incident)?, operation).await?)
    })
    .await
}

/// Calls off every live job of a subject in one step; in production with a whole reason. Needs `CancelJobs`.
#[server(prefix = "/api/fn", endpoint = "cancel_subject", protocol = Post)]
pub async fn cancel_subject(
    subject: Subject,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] operation: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<SubjectCancelled, ApiError> {
    use super::answer;
    use crate::i18n::Tell;
    let done = |outcome: &SubjectCancelled| match outcome {
        SubjectCancelled::Cancelled { .. } => Some(crate::done::Done::said(outcome.said().text)),
        _ => None,
    };
    answer::to_with(back, Tell::code, done, async move {
        let operator = crate::access::operator(reprieve::model::Permission::CancelJobs).await?;
        let why = answer::why_destroyed(reason, note, ticket, incident)?;
        let mut act = operator.cancel_subject(&subject).because(why);
        if let Some(operation) = operation.filter(|text| !text.is_empty()) {
            act = act.operation(operation);
        }
        Ok(act.await?)
    })
    .await
}

/// What can be taken back by that act, after one that left its job so.
fn opposite<F: server_fn::ServerFn>(now: &reprieve::model::Standing) -> crate::done::Done {
    use crate::done::{Done, Undo};
    Done::undone_by(Undo::new(F::PATH, &[("id", now.id.to_string()), ("seen", now.version.to_string())]))
}

/// The sentence for a job that has another due time, with the way back to the old one.
fn rescheduled(
    now: &reprieve::model::Standing,
    old: Option<reprieve::model::Timestamp>,
    read_at: Option<reprieve::model::Timestamp>,
) -> crate::done::Done {
    use crate::done::{Done, Undo};
    use server_fn::ServerFn;
    let zone = crate::preferences::Preferences::zone_of_request();
    let hastens = crate::access::principal().may(reprieve::model::Permission::RunJobs);
    let undo = old.filter(|&old| has_way_back(old, now.due, read_at, hastens)).map(|old| {
        let due = old.as_millis().to_string();
        let fields = [("id", now.id.to_string()), ("seen", now.version.to_string()), ("due", due)];
        Undo::new(RescheduleJob::PATH, &fields)
    });
    let text = crate::t!("acts-said-rescheduled-to", due = crate::format::exact(now.due, zone));
    Done { undo, ..Done::said(text) }
}

/// Whether a job can have its old time again: one that is still to come, and that no right is lacking for. To put a job back
/// before its new time takes the right to run jobs before theirs.
fn has_way_back(
    old: reprieve::model::Timestamp,
    new: reprieve::model::Timestamp,
    now: Option<reprieve::model::Timestamp>,
    hastens: bool,
) -> bool {
    now.is_some_and(|now| old > now) && (hastens || old >= new)
}

/// When a job that is put back was due before, for a plain form: its page learns a word alone, and of a script the answer
/// says when it is due now. `None` also for what cannot be read; the act says why.
async fn original_due(id: &JobId) -> Option<reprieve::model::Timestamp> {
    let may_look = crate::access::principal().may(reprieve::model::Permission::View);
    if !may_look || !crate::request::sent_by_plain_form() {
        return None;
    }
    let rows = crate::access::inspector().await.ok()?.rows(std::slice::from_ref(id)).await.ok()?;
    rows.into_iter().flatten().next().map(|row| row.due)
}

/// The version to call off: whoever may not ask running jobs to stop calls off what they were shown to wait.
async fn stoppable(id: &JobId, seen: Option<Version>) -> Result<Option<Version>, ApiError> {
    let stops = |row: &reprieve::model::JobRow, _| row.state == reprieve::model::JobState::Active;
    only_with(reprieve::model::Permission::StopJobs, id, seen, stops).await
}

/// The version to run: whoever may only retry what has ended runs nothing that still waits for its time.
async fn runnable(id: &JobId, seen: Option<Version>) -> Result<Option<Version>, ApiError> {
    only_with(reprieve::model::Permission::RunJobs, id, seen, crate::access::waits).await
}

/// The version to act on. Without the right, `wants` says of which jobs there may be no act; the version that was
/// looked at binds the act to what it was then.
async fn only_with(
    right: reprieve::model::Permission,
    id: &JobId,
    seen: Option<Version>,
    wants: impl Fn(&reprieve::model::JobRow, reprieve::model::Timestamp) -> bool,
) -> Result<Option<Version>, ApiError> {
    if crate::access::principal().may(right) {
        return Ok(seen);
    }
    let rows = crate::access::inspector_on(id).await?.rows(std::slice::from_ref(id)).await?;
    let row = rows.into_iter().flatten().next().ok_or(ApiError::NotFound)?;
    if wants(&row, crate::access::now().await?) {
        return Err(crate::access::refused(right, id));
    }
    Ok(Some(seen.unwrap_or(row.version)))
}

#[cfg(test)]
mod tests {
    use super::has_way_back;
    use reprieve::model::Timestamp;

    #[test]
    fn whoever_may_only_postpone_is_offered_no_earlier_time() {
        let at = Timestamp::saturating_from_millis;
        let (now, old, new) = (Some(at(1_000)), at(2_000), at(3_000));
        assert!(has_way_back(old, new, now, true));
        assert!(!has_way_back(old, new, now, false));
        assert!(has_way_back(new, old, now, false), "it was put off before, and is put off again");
        assert!(!has_way_back(at(500), new, now, true), "that has passed");
        assert!(!has_way_back(old, new, None, true));
    }
}
