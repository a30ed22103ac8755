//! What a person does to jobs.
//!
//! All of them take `seen`, the version on the person's screen: a job that moved on is a
//! `Conflict` with its present standing. `operation` makes repeating harmless. `reason` is
//! chosen from a list, `note` is free text; both end up in the job's history.

use leptos::prelude::*;
use reprieve::model::{
    Cancelled, HeldBack, JobId, JobRow, JobState, Permission, Reinstated, Released, Rescheduled, RetriedNow,
    Standing, Subject, SubjectCancelled, Timestamp, Version,
};
use reprieve_access::waits;
use server_fn::ServerFn;

use super::answer::{self, Why};
use crate::call::Post;
use crate::done::{Done, Undo};
use crate::error::ApiError;
use crate::i18n::Tell;
use crate::preferences::Preferences;
use crate::{access, error, format, i18n, light, request, t, when};

/// Calls one job off; in production with a whole reason. Needs `CancelJobs`.
#[server(prefix = "/api/fn", endpoint = "cancel_job", protocol = Post)]
pub async fn cancel_job(
    id: JobId,
    #[server(default)] seen: Option<Version>,
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<Cancelled, ApiError> {
    let done = |outcome: &Cancelled| match outcome {
        Cancelled::Now(now) => Some(opposite::<ReinstateJob>(now)),
        _ => None,
    };
    let refused = |error: &ApiError| match error {
        ApiError::Conflict { standing } => error::moved_on_uncancelled(standing),
        error => error.in_full(),
    };
    let cancel = async move {
        let operator = access::caller()?.operator_on(Permission::CancelJobs, &id).await?;
        let seen = stoppable(&id, seen).await?;
        let why = why.of_destroying()?;
        Ok(operator.cancel(&id).seen_if(seen).because(why).operation(operation).await?)
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
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<Reinstated, ApiError> {
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
        Reinstated::Delayed(now) if light::is_read_again() => {
            let due = format::exact(now.due, Preferences::of_request().zone);
            Some(Done::said(t!("acts-said-reinstated-to", due = due)))
        }
        _ => None,
    };
    answer::to_with(back, code, done, async move {
        let operation = answer::operation_for(operation, &at);
        let at = match at.map(|text| when::parse(&text)) {
            None => None,
            Some(Some(when::When::At(at))) => Some(at),
            Some(_) => return Err(ApiError::wrong("at", i18n::not_a_time())),
        };
        let operator = access::caller()?.operator_on(Permission::ReinstateJobs, &id).await?;
        let mut act = operator.reinstate(&id).seen_if(seen).because(why.said()?).operation(operation);
        if let Some(at) = at {
            access::caller()?.allow_due(&id, reprieve::Due::At(at)).await?;
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
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<RetriedNow, ApiError> {
    answer::to(back, Tell::code, async move {
        let operator = access::caller()?.operator_on(Permission::RetryJobs, &id).await?;
        let seen = runnable(&id, seen).await?;
        Ok(operator.retry_now(&id).seen_if(seen).because(why.said()?).operation(operation).await?)
    })
    .await
}

/// Gives a waiting job another due time, in the words of `when::parse`. Needs `RescheduleJobs`.
///
/// `preset` wins over `due` unless it is empty or `at`; in a form without script a `due` that was typed wins.
#[server(prefix = "/api/fn", endpoint = "reschedule_job", protocol = Post)]
pub async fn reschedule_job(
    id: JobId,
    #[server(default)] seen: Option<Version>,
    #[server(default)] preset: Option<String>,
    #[server(default)] due: Option<String>,
    #[server(default)] zone: Option<String>,
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<Rescheduled, ApiError> {
    let old = original_due(&id).await;
    let now = match old {
        Some(_) => access::now().await.ok(),
        None => None,
    };
    let done = |outcome: &Rescheduled| {
        let standing = outcome.standing();
        (!matches!(outcome, Rescheduled::Refused(_))).then(|| rescheduled(standing, old, now))
    };
    answer::to_with(back, Tell::code, done, async move {
        let chosen = when::in_zone(&when::chosen(preset, due), &zone.unwrap_or_default());
        let operation = answer::operation_for(operation, &chosen);
        let due = when::due("due", &chosen)?;
        let operator = access::caller()?.operator_on(Permission::RescheduleJobs, &id).await?;
        access::caller()?.allow_due(&id, due).await?;
        Ok(operator.reschedule(&id, due).seen_if(seen).because(why.said()?).operation(operation).await?)
    })
    .await
}

/// Keeps a delayed job from running, due time kept. Needs `HoldJobs`.
#[server(prefix = "/api/fn", endpoint = "hold_job", protocol = Post)]
pub async fn hold_job(
    id: JobId,
    #[server(default)] seen: Option<Version>,
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<HeldBack, ApiError> {
    let done = |outcome: &HeldBack| match outcome {
        HeldBack::Held(now) => Some(opposite::<UnholdJob>(now)),
        _ => None,
    };
    answer::to_with(back, Tell::code, done, async move {
        let operator = access::caller()?.operator_on(Permission::HoldJobs, &id).await?;
        Ok(operator.hold(&id).seen_if(seen).because(why.said()?).operation(operation).await?)
    })
    .await
}

/// Lets a held job wait for its due time again. Needs `HoldJobs`.
#[server(prefix = "/api/fn", endpoint = "unhold_job", protocol = Post)]
pub async fn unhold_job(
    id: JobId,
    #[server(default)] seen: Option<Version>,
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<Released, ApiError> {
    let done = |outcome: &Released| match outcome {
        Released::Delayed(now) => Some(opposite::<HoldJob>(now)),
        _ => None,
    };
    answer::to_with(back, Tell::code, done, async move {
        let operator = access::caller()?.operator_on(Permission::HoldJobs, &id).await?;
        Ok(operator.unhold(&id).seen_if(seen).because(why.said()?).operation(operation).await?)
    })
    .await
}

/// Calls off every live job of a subject in one step; in production with a whole reason. Needs `CancelJobs`.
#[server(prefix = "/api/fn", endpoint = "cancel_subject", protocol = Post)]
pub async fn cancel_subject(
    subject: Subject,
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<SubjectCancelled, ApiError> {
    let done = |outcome: &SubjectCancelled| match outcome {
        SubjectCancelled::Cancelled { jobs } => Some(Done::said(i18n::subject_cancelled(jobs))),
        _ => None,
    };
    answer::to_with(back, Tell::code, done, async move {
        let operator = access::caller()?.operator(Permission::CancelJobs)?;
        let why = why.of_destroying()?;
        Ok(operator.cancel_subject(&subject).because(why).operation(operation).await?)
    })
    .await
}

/// What can be taken back by that act, after one that left its job so.
fn opposite<F: ServerFn>(now: &Standing) -> Done {
    Done::undone_by(Undo::new(F::PATH, &[("id", now.id.to_string()), ("seen", now.version.to_string())]))
}

/// The sentence for a job that has another due time, with the way back to the old one.
fn rescheduled(now: &Standing, old: Option<Timestamp>, read_at: Option<Timestamp>) -> Done {
    let zone = Preferences::of_request().zone;
    let hastens = access::principal().may(Permission::RunJobs);
    let undo = old.filter(|&old| has_way_back(old, now.due, read_at, hastens)).map(|old| {
        let due = old.as_millis().to_string();
        let fields = [("id", now.id.to_string()), ("seen", now.version.to_string()), ("due", due)];
        Undo::new(RescheduleJob::PATH, &fields)
    });
    let text = t!("acts-said-rescheduled-to", due = format::exact(now.due, zone));
    Done { undo, ..Done::said(text) }
}

/// Whether a job can have its old time again: one that is still to come, and that no right is lacking for. To put a job back
/// before its new time takes the right to run jobs before theirs.
fn has_way_back(old: Timestamp, new: Timestamp, now: Option<Timestamp>, hastens: bool) -> bool {
    now.is_some_and(|now| old > now) && (hastens || old >= new)
}

/// When a job that is put back was due before, for a plain form: its page learns a word alone, and of a script the answer
/// says when it is due now. `None` also for what cannot be read; the act says why.
async fn original_due(id: &JobId) -> Option<Timestamp> {
    let may_look = access::principal().may(Permission::View);
    if !may_look || !request::sent_by_plain_form() {
        return None;
    }
    let rows = access::caller().ok()?.inspector_of_seen().ok()?.rows(std::slice::from_ref(id)).await.ok()?;
    rows.into_iter().flatten().next().map(|row| row.due)
}

/// The version to call off. A person who may not ask running jobs to stop calls off what they were shown to wait.
async fn stoppable(id: &JobId, seen: Option<Version>) -> Result<Option<Version>, ApiError> {
    let stops = |row: &JobRow, _| row.state == JobState::Active;
    Ok(access::caller()?.only_with(Permission::StopJobs, id, seen, stops).await?)
}

/// The version to run. A person who may only retry what has ended runs nothing that still waits for its time.
async fn runnable(id: &JobId, seen: Option<Version>) -> Result<Option<Version>, ApiError> {
    Ok(access::caller()?.only_with(Permission::RunJobs, id, seen, waits).await?)
}

#[cfg(test)]
mod tests {
    use super::has_way_back;
    use reprieve::model::Timestamp;

    #[test]
    fn a_person_who_may_only_postpone_is_offered_no_earlier_time() {
        let at = Timestamp::saturating_from_millis;
        let (now, old, new) = (Some(at(1_000)), at(2_000), at(3_000));
        assert!(has_way_back(old, new, now, true));
        assert!(!has_way_back(old, new, now, false));
        assert!(has_way_back(new, old, now, false), "it was put off before, and is put off again");
        assert!(!has_way_back(at(500), new, now, true), "that has passed");
        assert!(!has_way_back(old, new, None, true));
    }
}
