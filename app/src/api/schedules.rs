//! Schedules: cron entries, read, tried out and changed.

use leptos::prelude::*;
use reprieve::model::{CronChanged, CronName, Permission};

use super::answer::{self, Why};
use crate::call::Post;
use crate::error::ApiError;
use crate::schedule::{Draft, Preview, Saved, Schedule, ScheduleDetail, Started};
use crate::{access, i18n, request, routes};

/// Every schedule, by its next tick; paused ones last. Needs `View`.
pub async fn list_schedules() -> Result<Vec<Schedule>, ApiError> {
    let inspector = access::caller()?.inspector_of_seen()?;
    Schedule::all(&inspector).await
}

/// One schedule with its next and past ticks. Needs `View`.
pub async fn get_schedule(name: CronName) -> Result<ScheduleDetail, ApiError> {
    let inspector = access::caller()?.inspector_of_seen()?;
    let read_at = access::now().await?;
    ScheduleDetail::read(&inspector, &name, read_at).await
}

/// What an expression would do in a zone: its words and next ticks, or what is wrong with it. Needs `View`.
pub async fn preview_schedule(schedule: String, zone: String) -> Result<Preview, ApiError> {
    access::caller()?.inspector_of_seen()?;
    Ok(Preview::of(&schedule, &zone, access::now().await?))
}

/// Makes a schedule (`seen` 0) or changes the version seen. Needs `ManageCron`.
///
/// What the form cannot name (headers, tags, limits of time) stays as it was. Sent by itself, a form that is not saved, or is
/// `only_try`, comes back with what was typed into it but for the payload.
#[server(prefix = "/api/fn", endpoint = "put_schedule", protocol = Post)]
pub async fn put_schedule(
    #[server(flatten)] draft: Draft,
    seen: u64,
    #[server(flatten)] why: Why,
    #[server(default)] only_try: Option<String>,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<Saved, ApiError> {
    let typed = draft.clone();
    let page = draft.parsed_name().map(|name| routes::schedule(&name));
    let mut saved = match only_try {
        Some(_) => Ok(Saved::Tried),
        None => put(draft, seen, &why, operation).await,
    };
    // A person who was told may save what they typed all the same.
    let seen = match saved {
        Ok(Saved::Put { changed: CronChanged::Conflict { version } }) => version,
        _ => seen,
    };
    let typed = typed.form_address(seen, &why.reason);
    if request::sent_by_plain_form() {
        saved = saved.and_then(Saved::or_refused);
    }
    let is_kept = matches!(saved, Ok(Saved::Put { .. }));
    let onward = if is_kept { page.or(back) } else { Some(typed) };
    answer::to(onward, Saved::code, async { saved }).await
}

/// Stops a schedule; its ticks are passed over until it is resumed. Needs `ManageCron`.
#[server(prefix = "/api/fn", endpoint = "pause_schedule", protocol = Post)]
pub async fn pause_schedule(
    name: CronName,
    seen: u64,
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<CronChanged, ApiError> {
    answer::to(back, |changed| i18n::schedule_code("pause", changed), async move {
        let Some(operator) = access::caller()?.operator_on_cron(&name).await? else {
            return Ok(CronChanged::Missing);
        };
        let act = operator.pause_cron(&name).seen_if(Some(seen)).because(why.said()?);
        Ok(act.operation(operation).await?)
    })
    .await
}

/// Lets a paused schedule fire again, from its next tick on. Needs `ManageCron`.
#[server(prefix = "/api/fn", endpoint = "resume_schedule", protocol = Post)]
pub async fn resume_schedule(
    name: CronName,
    seen: u64,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<CronChanged, ApiError> {
    answer::to(back, |changed| i18n::schedule_code("resume", changed), async move {
        let Some(operator) = access::caller()?.operator_on_cron(&name).await? else {
            return Ok(CronChanged::Missing);
        };
        let act = operator.resume_cron(&name).seen_if(Some(seen));
        Ok(act.operation(operation).await?)
    })
    .await
}

/// Enqueues a job of a schedule at once; its ticks stay. Needs `ManageCron`.
#[server(prefix = "/api/fn", endpoint = "run_schedule", protocol = Post)]
pub async fn run_schedule(
    name: CronName,
    seen: u64,
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<Started, ApiError> {
    answer::to(back, Started::code, async move {
        let Some(operator) = access::caller()?.operator_on_cron(&name).await? else {
            return Ok(Started::Missing);
        };
        let why = why.said()?;
        let ran = operator.run_cron(&name, Some(seen), &why, &operation).await?;
        Ok(Started::of(ran))
    })
    .await
}

/// Removes a schedule for good; jobs it has enqueued stay. Needs `ManageCron`.
#[server(prefix = "/api/fn", endpoint = "remove_schedule", protocol = Post)]
pub async fn remove_schedule(
    name: CronName,
    seen: u64,
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<CronChanged, ApiError> {
    answer::to(back, |changed| i18n::schedule_code("remove", changed), async move {
        let Some(operator) = access::caller()?.operator_on_cron(&name).await? else {
            return Ok(CronChanged::Missing);
        };
        let act = operator.remove_cron(&name).seen_if(Some(seen)).because(why.said()?);
        Ok(act.operation(operation).await?)
    })
    .await
}

/// Saves what a form describes, if it was made from that version.
async fn put(draft: Draft, seen: u64, why: &Why, operation: String) -> Result<Saved, ApiError> {
    let operation = answer::operation_for(operation, &draft);
    let operator = match draft.parsed_name() {
        Some(name) => match access::caller()?.operator_on_cron(&name).await? {
            Some(operator) => operator,
            // As the engine says of one that is gone: what was typed can be saved as a new one. A new one: taken.
            None => return Ok(Saved::of(seen, CronChanged::Conflict { version: 0 })),
        },
        // There is nothing to act on: what is wrong with the name is told below.
        None => access::caller()?.operator_of_seen(Permission::ManageCron)?,
    };
    let (before, shown) = match draft.parsed_name() {
        Some(name) if seen > 0 => {
            let shown = access::caller()?.inspector_of_seen()?.cron_entry(&name).await?;
            (operator.cron_entry_whole(&name).await?, shown)
        }
        _ => (None, None),
    };
    let entry = match draft.unless_as_shown(shown.as_ref()).entry(before.as_ref(), shown.as_ref()) {
        Ok(entry) => entry,
        Err(faults) => return Ok(Saved::Faults { faults }),
    };
    access::caller()?.operator_in(Permission::ManageCron, &entry.queue)?;
    let act = operator.put_cron(entry).seen_if(Some(seen)).because(why.said()?).operation(operation);
    Ok(Saved::of(seen, act.await?))
}
