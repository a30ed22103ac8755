//! Schedules: cron entries, read, tried out and changed.

use leptos::prelude::*;
use reprieve::model::{CronChanged, CronName};

use crate::call::{Get, Post};
use crate::error::ApiError;
use crate::schedule::{Preview, Saved, ScheduleDetail, Schedules, Started};

/// Every schedule, by its next tick; paused ones last. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "list_schedules", protocol = Get)]
pub async fn list_schedules() -> Result<Schedules, ApiError> {
    super::answer::read(async {
        let inspector = crate::access::inspector().await?;
        let read_at = crate::access::now().await?;
        Schedules::read(&inspector, read_at).await
    })
    .await
}

/// One schedule with its next and past ticks. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_schedule", protocol = Get)]
pub async fn get_schedule(name: CronName) -> Result<ScheduleDetail, ApiError> {
    super::answer::read(async move {
        let inspector = crate::access::inspector().await?;
        let read_at = crate::access::now().await?;
        ScheduleDetail::read(&inspector, &name, read_at).await
    })
    .await
}

/// What an expression would do in a zone: its words and next ticks, or what is wrong with it. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "preview_schedule", protocol = Get)]
pub async fn preview_schedule(schedule: String, zone: String) -> Result<Preview, ApiError> {
    super::answer::read(async move {
        crate::access::inspector().await?;
        Ok(Preview::of(&schedule, &zone, crate::access::now().await?))
    })
    .await
}

/// Makes a schedule (`seen` 0) or changes the version seen. Needs `ManageCron`.
///
/// What the form cannot name (headers, tags, limits of time) stays as it was. Sent by itself, a form that is not saved, or is
/// `only_try`, comes back with what was typed into it but for the payload.
#[server(prefix = "/api/fn", endpoint = "put_schedule", protocol = Post)]
pub async fn put_schedule(
    name: String,
    seen: u64,
    schedule: String,
    zone: String,
    kind: String,
    #[server(default)] queue: String,
    #[server(default)] subject: String,
    #[server(default)] payload: Option<String>,
    #[server(default)] max_attempts: String,
    #[server(default)] missed: String,
    #[server(default)] overlap: String,
    #[server(default)] reason: Option<String>,
    #[server(default)] only_try: Option<String>,
    #[server(default)] operation: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<Saved, ApiError> {
    use super::answer;
    use crate::schedule::Draft;
    let draft = Draft { name, schedule, zone, kind, queue, subject, payload, max_attempts, missed, overlap };
    let typed = draft.clone();
    let page = draft.parsed_name().map(|name| crate::routes::schedule(&name));
    let mut saved = match only_try {
        Some(_) => Ok(Saved::Tried),
        None => ssr::put(draft, seen, reason.clone(), operation).await,
    };
    // Whoever was told may save what they typed all the same.
    let seen = match saved {
        Ok(Saved::Put { changed: CronChanged::Conflict { version } }) => version,
        _ => seen,
    };
    let typed = typed.form_address(seen, reason.as_deref().unwrap_or_default());
    if crate::request::sent_by_plain_form() {
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
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] operation: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<CronChanged, ApiError> {
    use super::answer;
    answer::to(back, |changed| crate::i18n::schedule_code("pause", changed), async move {
        let Some(operator) = crate::access::operator_on_cron(&name).await? else {
            return Ok(CronChanged::Missing);
        };
        let act = operator
            .pause_cron(&name)
            .seen_if(Some(seen))
            .because(answer::why(reason, note, ticket, incident)?);
        Ok(act.operation(operation.unwrap_or_default()).await?)
    })
    .await
}

/// Lets a paused schedule fire again, from its next tick on. Needs `ManageCron`.
#[server(prefix = "/api/fn", endpoint = "resume_schedule", protocol = Post)]
pub async fn resume_schedule(
    name: CronName,
    seen: u64,
    #[server(default)] operation: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<CronChanged, ApiError> {
    use super::answer;
    answer::to(back, |changed| crate::i18n::schedule_code("resume", changed), async move {
        let Some(operator) = crate::access::operator_on_cron(&name).await? else {
            return Ok(CronChanged::Missing);
        };
        let act = operator.resume_cron(&name).seen_if(Some(seen));
        Ok(act.operation(operation.unwrap_or_default()).await?)
    })
    .await
}

/// Enqueues a job of a schedule at once; its ticks stay. Needs `ManageCron`.
#[server(prefix = "/api/fn", endpoint = "run_schedule", protocol = Post)]
pub async fn run_schedule(
    name: CronName,
    seen: u64,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] operation: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<Started, ApiError> {
    use super::answer;
    answer::to(back, Started::code, async move {
        let Some(operator) = crate::access::operator_on_cron(&name).await? else {
            return Ok(Started::Missing);
        };
        let why = answer::why(reason, note, ticket, incident)?;
        let ran =
            operator.run_cron(&name, Some(seen), &why, operation.as_deref().unwrap_or_default()).await?;
        Ok(Started::of(ran))
    })
    .await
}

/// Removes a schedule for good; jobs it has enqueued stay. Needs `ManageCron`.
#[server(prefix = "/api/fn", endpoint = "remove_schedule", protocol = Post)]
pub async fn remove_schedule(
    name: CronName,
    seen: u64,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] operation: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<CronChanged, ApiError> {
    use super::answer;
    answer::to(back, |changed| crate::i18n::schedule_code("remove", changed), async move {
        let Some(operator) = crate::access::operator_on_cron(&name).await? else {
            return Ok(CronChanged::Missing);
        };
        let act = operator
            .remove_cron(&name)
            .seen_if(Some(seen))
            .because(answer::why(reason, note, ticket, incident)?);
        Ok(act.operation(operation.unwrap_or_default()).await?)
    })
    .await
}

mod ssr {
    use reprieve::model::{CronChanged, Permission};

    use crate::access;
    use crate::api::answer;
    use crate::error::ApiError;
    use crate::schedule::{Draft, Saved};

    /// Saves what a form describes, if it was made from that version.
    pub(super) async fn put(
        draft: Draft,
        seen: u64,
        reason: Option<String>,
        operation: Option<String>,
    ) -> Result<Saved, ApiError> {
        let operation = answer::operation_for(operation, &draft);
        let operator = match draft.parsed_name() {
            Some(name) => match access::operator_on_cron(&name).await? {
                Some(operator) => operator,
                // As the engine says of one that is gone: what was typed can be saved as a new one. A new one: taken.
                None => return Ok(Saved::of(seen, CronChanged::Conflict { version: 0 })),
            },
            // There is nothing to act on: what is wrong with the name is told below.
            None => access::operator_of_seen(Permission::ManageCron)?,
        };
        let (before, shown) = match draft.parsed_name() {
            Some(name) if seen > 0 => {
                let shown = access::inspector().await?.cron_entry(&name).await?;
                (operator.cron_entry_whole(&name).await?, shown)
            }
            _ => (None, None),
        };
        let entry = match draft.unless_as_shown(shown.as_ref()).entry(before.as_ref(), shown.as_ref()) {
            Ok(entry) => entry,
            Err(faults) => return Ok(Saved::Faults { faults }),
        };
        access::operator_in(Permission::ManageCron, &entry.queue)?;
        let act = operator
            .put_cron(entry)
            .seen_if(Some(seen))
            .because(answer::why(reason, None, None, None)?)
            .operation(operation);
        Ok(Saved::of(seen, act.await?))
    }
}
