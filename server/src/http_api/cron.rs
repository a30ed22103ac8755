//! `/api/v1/cron`: entries that enqueue a job again and again.

use super::act::{ActBody, Operation, operation};
use super::needs;
use super::new_job::NewJobBody;
use super::query::Query;
use super::reason::Reason;
use super::refusals::NoSuchEntry;
use super::shapes::{CronHistoryQuery, CronPreviewQuery, IdempotencyKey, StandingView};
use super::view::Payload;
use super::views::view;
use crate::access::Access;
use crate::body;
use crate::parse::{Object, Word};
use crate::problem::{Mistakes, Problem, Told};
use axum::Json;
use axum::extract::{Path, RawQuery, Request};
use http::StatusCode;
use reprieve::model::{
    CronChanged, CronEntry, CronFire, CronName, CronOutcome, CronPause, CronSource, CronState, Delay,
    Enqueued, JobId, JobState, Kind, Missed, Overlap, Permission, Priority, QueueName, Subject, Tick,
    TickNote, Timestamp,
};
use reprieve::{CronAct, CronSchedule, Due, Engine, NewJob, Operator};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Lines of a history unless the caller says otherwise, and at most.
const HISTORY: u16 = 20;
const HISTORY_MAX: u16 = 100;
/// Ticks of a preview unless the caller says otherwise, and at most.
const PREVIEW: u16 = 10;
const PREVIEW_MAX: u16 = 100;

/// The routes of cron.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(routes!(cron))
        .routes(needs(Permission::ManageCron, routes!(put_cron)))
        .routes(routes!(cron_entry))
        .routes(routes!(cron_history))
        .routes(routes!(cron_preview))
        .routes(needs(Permission::ManageCron, routes!(pause_cron)))
        .routes(needs(Permission::ManageCron, routes!(resume_cron)))
        .routes(needs(Permission::ManageCron, routes!(remove_cron)))
        .routes(needs(Permission::ManageCron, routes!(run_cron)))
}

/// Every entry.
#[derive(Serialize, ToSchema)]
struct CronEntries {
    /// By their next tick; paused ones last.
    items: Vec<CronView>,
}

view! {
    /// An entry and where it stands.
    pub(crate) struct CronView as CronEntry from state: CronState {
        /// Its name.
        name: CronName = state.entry.name.clone(),
        /// As it was written.
        schedule: String = state.entry.schedule.clone(),
        /// The schedule in words.
        words: String = in_words(&state.entry),
        /// The zone its fields are read in.
        zone: String = state.entry.zone.clone(),
        /// `allow` or `skip`.
        overlap: Overlap = state.entry.overlap,
        /// `skip`, `once` or `all`.
        missed: Missed = state.entry.missed,
        /// What is enqueued at each tick.
        job: CronJobView = state.entry.into(),
        /// Rises with every change.
        version: u64,
        /// `operator` or `declared`.
        source: CronSource,
        /// The next tick; null while it is paused.
        next_ms: Option<Timestamp> = state.next,
        /// The tick of the latest job; null before the first.
        last_ms: Option<Timestamp> = state.last,
        /// The job of that tick; one that a person ran is not meant.
        last_job: Option<JobId>,
        /// Who paused it, when and why; null while it fires.
        paused: Option<CronPausedView> = state.paused.map(CronPausedView::from),
        /// Who changed it last.
        by: String,
        /// Why; empty when nothing was said.
        #[serde(rename = "reason")]
        why: String,
        /// When it was changed last.
        changed_ms: Timestamp = state.changed,
        /// When a program last declared it; null for an entry that a person made.
        declared_ms: Option<Timestamp> = state.declared,
    }
}

view! {
    /// The job of an entry.
    struct CronJobView as CronJob from entry: CronEntry {
        kind: Kind,
        queue: QueueName,
        subject: Option<Subject>,
        #[serde(flatten)]
        payload: Payload = Payload::of(&entry.payload),
        priority: Priority,
        max_attempts: Option<u32>,
        timeout_ms: Option<i64> = entry.timeout.map(Delay::as_millis),
        retention_ms: Option<i64> = entry.retention.map(Delay::as_millis),
        headers: BTreeMap<String, String>,
        tags: Vec<String>,
    }
}

view! {
    /// Who paused an entry.
    struct CronPausedView as CronPaused from pause: CronPause {
        /// When.
        at_ms: Timestamp = pause.at,
        /// Who.
        by: String,
        /// Why; empty when nothing was said.
        #[serde(rename = "reason")]
        why: String,
    }
}

fn in_words(entry: &CronEntry) -> String {
    CronSchedule::parse(&entry.schedule, &entry.zone)
        .map_or_else(|why| why.to_string(), |schedule| schedule.describe())
}

/// Every cron entry
///
/// By their next tick; paused ones last. At most 1,000 exist.
#[utoipa::path(
    get,
    path = "/api/v1/cron",
    responses((status = 200, description = "Every entry.", body = CronEntries)),
)]
async fn cron(access: Access) -> Result<Json<CronEntries>, Problem> {
    let entries = access.inspector_of_seen()?.cron().await.told()?;
    Ok(Json(CronEntries { items: entries.into_iter().map(CronView::from).collect() }))
}

/// One cron entry
#[utoipa::path(
    get,
    path = "/api/v1/cron/{name}",
    responses(
        (status = 200, description = "The entry.", body = CronView),
        NoSuchEntry,
    ),
)]
async fn cron_entry(access: Access, Path(name): Path<String>) -> Result<Json<CronView>, Problem> {
    let name = super::path_name::<CronName>(&name)?;
    let entry = access.inspector_of_seen()?.cron_entry(&name).await.told()?;
    Ok(Json(entry.ok_or_else(|| missing(&name))?.into()))
}

/// What came of the latest ticks of an entry.
#[derive(Serialize, ToSchema)]
struct CronHistory {
    /// Latest first.
    items: Vec<CronFireView>,
}

view! {
    /// What came of a tick.
    pub(crate) struct CronFireView as CronFire from fire: CronFire {
        /// The tick, or for missed ones the first of them.
        tick_ms: Timestamp = fire.tick,
        /// When it was dealt with.
        at_ms: Timestamp = fire.at,
        /// `enqueued`, `overlapped`, `missed`, `refused` or `run_now`.
        outcome: CronOutcome,
        /// The job it enqueued, or the live one that stood in its way.
        job: Option<JobId>,
        /// Where that job stands now; null when it is gone.
        state: Option<JobState>,
        /// Who, when a person ran it.
        by: String,
    }
}

/// What came of the latest ticks
#[utoipa::path(
    get,
    path = "/api/v1/cron/{name}/history",
    params(CronHistoryQuery),
    responses((status = 200, description = "Latest first; none for an unknown entry.", body = CronHistory)),
)]
async fn cron_history(
    access: Access,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<CronHistory>, Problem> {
    let name = super::path_name::<CronName>(&name)?;
    let inspector = access.inspector_of_seen()?;
    let mut query = Query::read(query.as_deref());
    let limit = query.size::<HISTORY_MAX>("limit", HISTORY);
    query.finish()?;
    let fires = inspector.cron_history(&name, limit.into()).await.told()?;
    Ok(Json(CronHistory { items: fires.into_iter().map(CronFireView::from).collect() }))
}

/// Ticks to come.
#[derive(Serialize, ToSchema)]
struct CronPreview {
    /// The schedule in words.
    words: String,
    /// The next ticks.
    items: Vec<TickView>,
}

view! {
    /// A tick to come.
    pub(crate) struct TickView as Tick from tick: Tick {
        /// The instant.
        at_ms: Timestamp = tick.at,
        /// The same on the clocks of the zone.
        #[schema(example = "2027-03-28T03:00:00+02:00")]
        local: String,
        /// What daylight saving does to it: `shifted`, `first_of_two`, `second_of_two`; null when nothing.
        note: Option<TickNote>,
    }
}

/// When a schedule would fire
///
/// With what daylight saving does to each tick. Nothing is stored.
#[utoipa::path(
    get,
    path = "/api/v1/cron-preview",
    params(CronPreviewQuery),
    responses(
        (status = 200, description = "The next ticks.", body = CronPreview),
        (status = 422, description = "The schedule cannot be read, or would never fire."),
    ),
)]
async fn cron_preview(access: Access, RawQuery(query): RawQuery) -> Result<Json<CronPreview>, Problem> {
    let inspector = access.inspector_of_seen()?;
    let mut query = Query::read(query.as_deref());
    let schedule = query.take::<String>("schedule").unwrap_or_default();
    let zone = query.take::<String>("zone").unwrap_or_else(|| "UTC".to_owned());
    let limit = query.size::<PREVIEW_MAX>("limit", PREVIEW);
    query.finish()?;
    let words = CronSchedule::parse(&schedule, &zone).told()?.describe();
    let ticks = inspector.cron_preview(&schedule, &zone, limit.into()).await.told()?;
    Ok(Json(CronPreview { words, items: ticks.into_iter().map(TickView::from).collect() }))
}

/// What became of a change.
#[derive(Serialize, ToSchema)]
struct CronChangedView {
    /// `created`, `changed` or `unchanged`.
    outcome: &'static str,
    /// The entry.
    name: CronName,
    /// Its version now.
    version: u64,
}

/// Make or change a cron entry
///
/// The entry of that name is made, or becomes as described; it fires from its next tick on. A paused one stays paused.
#[utoipa::path(
    post,
    path = "/api/v1/cron",
    params(IdempotencyKey),
    request_body(content = CronBody),
    responses(
        (status = 200, description = "It is as described.", body = CronChangedView),
        (status = 409, description = "It has changed since the version that was seen, or there are 1,000 already."),
    ),
)]
async fn put_cron(access: Access, request: Request) -> Result<Json<CronChangedView>, Problem> {
    access.require(Permission::ManageCron)?;
    let operation = operation(&access, request.headers())?;
    let mut body: CronBody = body::read(request).await?;
    let (version, why) = (body.version, Reason::of(body.reason.take()));
    let entry = body.checked()?;
    let name = entry.name.clone();
    access.operator_in(Permission::ManageCron, &entry.queue)?;
    let operator = access
        .operator_on_cron(&name)
        .await?
        .ok_or_else(|| Problem::taken_elsewhere("cron entry", name.as_str()))?;
    act(operator.put_cron(entry), name, version, why, operation).await
}

/// For people who act on one entry: its queue has to be theirs. One of another queue is answered as if it were not there.
async fn operator_on(access: &Access, name: &CronName) -> Result<Operator, Problem> {
    let free = access.operator_on_cron(name).await?;
    free.ok_or_else(|| missing(name).found_elsewhere())
}

/// Carries a change out and answers with what became of it.
async fn act(
    act: CronAct,
    name: CronName,
    version: Option<u64>,
    why: String,
    operation: Operation,
) -> Result<Json<CronChangedView>, Problem> {
    let act = act.seen_if(version).because(why).operation(operation.id.as_str());
    let (outcome, version) = match act.await.map_err(|error| operation.problem(&error))? {
        CronChanged::Created { version } => ("created", version),
        CronChanged::Changed { version } => ("changed", version),
        CronChanged::Unchanged { version } => ("unchanged", version),
        CronChanged::Conflict { version } => return Err(changed(&name, version)),
        CronChanged::Full => {
            return Err(Problem::conflict(
                "cron_full",
                "No room for another entry",
                "a namespace holds at most 1,000 cron entries; remove one first",
            ));
        }
        _ => return Err(missing(&name)),
    };
    Ok(Json(CronChangedView { outcome, name, version }))
}

fn changed(name: &CronName, version: u64) -> Problem {
    Problem::conflict(
        "conflict",
        "The entry has changed",
        format!("cron entry {name} is at version {version} now; nothing was done"),
    )
}

fn missing(name: &CronName) -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "no_such_cron_entry",
        "There is no such cron entry",
        format!("there is no cron entry {name}; GET /api/v1/cron lists them"),
    )
}

/// A tick gives its job the id and the due time.
fn refuse_what_ticks_decide(job: &NewJob, mistakes: &mut Mistakes) {
    for (given, field) in [
        (job.id.is_some(), "id"),
        (job.due != Due::Now, "due_ms"),
        (job.unique.is_some(), "unique"),
        (job.replace, "replace"),
        (job.concurrency_key.is_some(), "concurrency_key"),
        (job.lateness.is_some(), "lateness"),
        (job.any_window, "any_window"),
        (job.spread.is_some(), "spread_ms"),
    ] {
        if given {
            let why = format!("`{field}` is not for the job of a cron entry");
            mistakes.body(format!("/job/{field}"), "not_here", why);
        }
    }
}

macro_rules! verb {
    ($(#[$doc:meta])* $function:ident, $path:literal, $done:literal) => {
        $(#[$doc])*
        #[utoipa::path(
            post,
            path = $path,
            params(IdempotencyKey),
            request_body(content = Option<ActBody>),
            responses(
                (status = 200, description = $done, body = CronChangedView),
                NoSuchEntry,
                (status = 409, description = "It has changed since the version that was seen."),
            ),
        )]
        async fn $function(
            access: Access,
            Path(name): Path<String>,
            request: Request,
        ) -> Result<Json<CronChangedView>, Problem> {
            let name = super::path_name::<CronName>(&name)?;
            let operator = operator_on(&access, &name).await?;
            let operation = operation(&access, request.headers())?;
            let (version, why) = saying(request).await?;
            act(operator.$function(&name), name, version, why, operation).await
        }
    };
}

verb!(
    /// Stop a cron entry
    ///
    /// Its ticks are passed over until it is resumed; nothing is made up for.
    pause_cron, "/api/v1/cron/{name}/pause", "It is paused."
);
verb!(
    /// Let a paused cron entry fire again
    ///
    /// From its next tick on.
    resume_cron, "/api/v1/cron/{name}/resume", "It fires again."
);
verb!(
    /// Remove a cron entry
    ///
    /// Jobs that it has enqueued stay. A program that declares it makes it again at its next start: pause such ones.
    remove_cron, "/api/v1/cron/{name}/delete", "It is gone."
);

/// Enqueue the job of a cron entry now
///
/// Its ticks stay as they are.
#[utoipa::path(
    post,
    path = "/api/v1/cron/{name}/run",
    params(IdempotencyKey),
    request_body(content = Option<ActBody>),
    responses(
        (status = 200, description = "The job.", body = StandingView),
        NoSuchEntry,
        (status = 409, description = "It has changed since the version that was seen, a job of it is live and it allows \
            no second one (`overlap` is `skip`), or its subject has no room for another live job."),
    ),
)]
async fn run_cron(
    access: Access,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<Enqueued>, Problem> {
    let name = super::path_name::<CronName>(&name)?;
    let operator = operator_on(&access, &name).await?;
    let operation = operation(&access, request.headers())?;
    let (version, why) = saying(request).await?;
    let ran = operator.run_cron(&name, version, &why, &operation.id).await;
    match ran.map_err(|error| operation.problem(&error))? {
        Err(CronChanged::Conflict { version }) => Err(changed(&name, version)),
        Err(_) => Err(missing(&name)),
        Ok(enqueued) if enqueued.standing().is_some() => Ok(Json(enqueued)),
        Ok(Enqueued::Duplicate { holder, .. }) => Err(Problem::conflict(
            "duplicate",
            "A job of the entry is live",
            format!(
                "job {holder} of {name} is live, and the entry allows no second one; nothing was enqueued"
            ),
        )
        .with_field("holder", holder.as_str())),
        Ok(enqueued) => Err(Problem::conflict(
            "subject_full",
            "The subject has too many jobs",
            "its subject has 1,000 live jobs; cancel some first",
        )
        .with(&enqueued)),
    }
}

/// The body `{version?, reason?}`, which may be left out.
async fn saying(request: Request) -> Result<(Option<u64>, String), Problem> {
    let ActBody { version, reason } = body::read_optional(request).await?;
    Ok((version, Reason::of(reason)))
}

/// An entry as it is to be.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewCronEntry, example = json!({
    "name": "nightly-report", "schedule": "30 2 * * *", "zone": "Europe/Berlin", "overlap": "skip",
    "job": { "kind": "report", "payload": { "full": true } }
}))]
struct CronBody {
    /// Its name. 1 to 64 bytes of `A-Z a-z 0-9 . _ -`.
    name: CronName,
    /// Five fields, six with seconds in front, `@daily` and the like, or `@every 90s`.
    #[schema(max_length = 256)]
    schedule: String,
    /// IANA name of the zone the fields are read in; UTC without it.
    zone: Option<String>,
    /// `allow` another job beside a live one, or `skip` the tick; `allow` without it.
    overlap: Option<Word<Overlap>>,
    /// What to do about ticks that nobody fired in time: `skip`, `once` or `all`; `skip` without it.
    missed: Option<Word<Missed>>,
    /// What is enqueued at each tick; without `id`, times, `unique` and `replace`.
    #[schema(value_type = NewJobBody)]
    job: Object<NewJobBody>,
    /// The version that was seen, 0 for an entry that is not there yet: else nothing happens.
    version: Option<u64>,
    /// Why; stands in the audit. At most 1,024 bytes.
    reason: Option<Reason>,
}

impl CronBody {
    fn checked(self) -> Result<CronEntry, Problem> {
        let mut mistakes = Mistakes::default();
        let job = self.job.0.checked("/job", &mut mistakes);
        refuse_what_ticks_decide(&job, &mut mistakes);
        let mut entry = CronEntry::new(self.name, self.schedule, job.kind);
        entry.zone = self.zone.unwrap_or(entry.zone);
        entry.overlap = self.overlap.unwrap_or_default().0;
        entry.missed = self.missed.unwrap_or_default().0;
        entry.queue = job.queue;
        entry.subject = job.subject;
        entry.payload = job.payload;
        entry.priority = job.priority;
        entry.max_attempts = job.max_attempts;
        entry.timeout = job.timeout;
        entry.retention = job.retention;
        entry.headers = job.headers;
        entry.tags = job.tags;
        if let Err(why) = CronSchedule::parse(&entry.schedule, &entry.zone) {
            mistakes.body("/schedule", "invalid", why.to_string());
        }
        mistakes.into_result().map(|()| entry)
    }
}
