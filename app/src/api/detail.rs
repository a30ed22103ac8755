//! What the page of a job asks and does beyond the usual acts.

use leptos::prelude::*;
use reprieve::model::{Alike, Edited, Enqueued, JobId, JobLog, Permission, Purged, Standing, Version};
use server_fn::ServerFn;

use super::answer::{self, Why};
use crate::call::Post;
use crate::done::{Done, Undo};
use crate::error::ApiError;
use crate::i18n::Tell;
use crate::payload::no_json;
use crate::print::print;
use crate::{access, request, routes, session, t, when};

/// Lines of a job's log behind a number, oldest first, at most `most` of them; empty for a job that is gone, and
/// for a reader who may not see errors whole. Needs `View`.
pub async fn get_log(id: JobId, after: u64, most: u16) -> Result<JobLog, ApiError> {
    let log = access::caller()?.inspector_on(&id).await?.log(&id, after, most).await?;
    Ok(log.unwrap_or_else(|| JobLog::new(Vec::new(), 0, None)))
}

/// The other jobs that have the same latest error but for its details; `None` when
/// its error says nothing to search by. Needs `View`.
pub async fn get_same_error(id: JobId) -> Result<Option<Alike>, ApiError> {
    Ok(access::caller()?.inspector_on(&id).await?.same_error(&id).await?)
}

/// Gives a job that is not under way another payload. What is no JSON takes the place of JSON only with `as_is`. A form that
/// says which payload it `began` from is in conflict only where there is another one by now. `undone` says that this gives the
/// job back what it had. Needs `EditJobs`.
#[server(prefix = "/api/fn", endpoint = "edit_job", protocol = Post)]
pub async fn edit_job(
    id: JobId,
    #[server(default)] seen: Option<Version>,
    #[server(default)] began: Option<String>,
    #[server(default)] payload: String,
    #[server(default)] as_is: Option<String>,
    #[server(default)] undone: Option<String>,
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<Edited, ApiError> {
    let shown = payload_shown(&id).await;
    let is_as_it_began = |(_, shown): &(Version, Vec<u8>)| began.as_ref() == Some(&print(shown));
    let seen = shown.as_ref().filter(|shown| is_as_it_began(shown)).map(|(version, _)| *version).or(seen);
    let done = |outcome: &Edited| match outcome {
        Edited::Refused(_) => None,
        _ if undone.is_some() => Some(Done::said(t!("job-said-edit-undone"))),
        outcome => Some(Done::undone_by(former_payload(outcome.standing(), shown?.1)?)),
    };
    answer::to_with(back, Tell::code, done, async move {
        let operator = access::caller()?.operator_on(Permission::EditJobs, &id).await?;
        if as_is.is_none_or(|ticked| ticked.is_empty())
            && let Some(why) = no_json(&payload)
            && let Some(job) = operator.copy_of(&id).await?
            && std::str::from_utf8(&job.payload).is_ok_and(|payload| no_json(payload).is_none())
        {
            return Err(ApiError::wrong("payload", format!("{} {}", why.told(), t!("job-edit-tick"))));
        }
        let operation = answer::operation_for(operation, &payload);
        let act = operator.edit(&id, payload).seen_if(seen).because(why.said()?);
        Ok(act.operation(operation).await?)
    })
    .await
}

/// The version of a job and its payload as the sender of a plain form sees it.
async fn payload_shown(id: &JobId) -> Option<(Version, Vec<u8>)> {
    let may_look = access::principal().may(Permission::View);
    if !may_look || !request::sent_by_plain_form() {
        return None;
    }
    let job = access::caller().ok()?.inspector_on(id).await.ok()?.job(id).await.ok()??.job;
    Some((job.version, job.payload))
}

/// What gives a job the payload back that it had. Nothing for bytes that are no text, nor for a text with a part that is
/// hidden from the sender, which is not what the job had.
fn former_payload(now: &Standing, before: Vec<u8>) -> Option<Undo> {
    let before = String::from_utf8(before).ok().filter(|text| !reprieve::model::holds_hidden(text))?;
    let yes = || "true".to_owned();
    let (id, seen) = (now.id.to_string(), now.version.to_string());
    let fields = [("id", id), ("seen", seen), ("payload", before), ("as_is", yes()), ("undone", yes())];
    Some(Undo::new(EditJob::PATH, &fields))
}

/// Removes a job that has ended, with everything that belongs to it. In production the reason is whole, and `typed` is its
/// id. Needs `PurgeJobs`, and `sure`.
#[server(prefix = "/api/fn", endpoint = "purge_job", protocol = Post)]
pub async fn purge_job(
    id: JobId,
    #[server(default)] seen: Option<Version>,
    #[server(default)] sure: bool,
    #[server(default)] typed: Option<String>,
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<Purged, ApiError> {
    answer::to(back, Tell::code, async move {
        let operator = access::caller()?.operator_on(Permission::PurgeJobs, &id).await?;
        if !sure {
            return Err(ApiError::wrong("sure", t!("acts-tick-wanted")));
        }
        if !names(&id, typed.as_deref().unwrap_or_default(), &access::environment()) {
            return Err(ApiError::wrong("typed", t!("acts-typed-wrong", id = id.to_string())));
        }
        let why = why.of_destroying()?;
        Ok(operator.purge(&id).seen_if(seen).because(why).operation(operation).await?)
    })
    .await
}

/// Whether what was typed names the job that is to go; elsewhere than in production nothing has to.
fn names(id: &JobId, typed: &str, environment: &str) -> bool {
    !session::is_production(environment) || typed.trim() == id.as_str()
}

/// Enqueues a copy of a job: the same work with an id of its own, `new_id` where it is given, due as `preset` says in the words of
/// `when::parse`. Its unique key stays with the first one. A repeat gets the copy that it made: `Exists`. Needs
/// `EnqueueJobs`.
#[server(prefix = "/api/fn", endpoint = "duplicate_job", protocol = Post)]
pub async fn duplicate_job(
    id: JobId,
    preset: String,
    #[server(default)] new_id: Option<JobId>,
    #[server(default)] back: Option<String>,
) -> Result<Enqueued, ApiError> {
    let made = |enqueued: &Enqueued| Some(Done::made(routes::job(enqueued.id()), t!("job-duplicate-open")));
    answer::to_with(back, Tell::code, made, async move {
        let due = when::due("preset", &preset)?;
        let enqueues = Permission::EnqueueJobs;
        let operator = access::caller()?.operator_on(enqueues, &id).await?;
        let mut copy = operator.copy_of(&id).await?.ok_or(ApiError::NotFound)?;
        let operator = access::caller()?.operator_in(enqueues, &copy.queue)?;
        copy.id = new_id;
        copy.due = due;
        let enqueued = operator.enqueue(copy).await?;
        if enqueued.standing().is_none() {
            return Err(ApiError::SubjectFull);
        }
        Ok(enqueued)
    })
    .await
}
