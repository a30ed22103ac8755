//! The only way from a request to the engine.
//!
//! The server hands the engine over once with [`provide`], and puts a [`Principal`]
//! into the extensions of every request. Server functions ask `inspector` or
//! `operator`; nothing else in this crate can reach the engine.

mod failure;

use reprieve_access::{People, Principal, Seals, Tokens, Way};
use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;
use leptos::prelude::{provide_context, use_context};
use reprieve::model::{
    BulkRun, BulkVerb, CronName, Delay, JobId, JobRow, JobState, PartPath, Permission, QueueName, Role,
    RunId, Shift, Timestamp,
};
use reprieve::{Due, Engine, Inspector, Operator, OutageKind, Reveal, Sight};

use crate::error::ApiError;
use crate::i18n::Language;
use crate::traces::TracePage;
use crate::vocabulary::Vocabulary;

/// The cookie that keeps what a visitor of the demo is.
pub const DEMO_ROLE: &str = "demo-role";

/// The engine, out of reach for everybody but this file.
#[derive(Clone)]
struct Handle(Engine);

/// What this server was told when it started. Handed over by the server with [`provide_site`].
#[derive(Debug, Clone, Default)]
pub struct Site {
    /// `production`, `demo` …; empty for none.
    pub environment: String,
    /// Where traces are looked at, if anywhere.
    pub traces: Option<TracePage>,
    /// Where due jobs are posted.
    pub webhooks: Arc<[Webhook]>,
    /// Whether the HTTP API asks programs for a token.
    pub asks_for_token: bool,
    /// The path that everything is below, without a slash at its end; empty for none.
    pub base: Arc<str>,
}

/// Where jobs of some kinds are posted, as far as everybody may know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Which kinds: text in which `*` stands for any.
    pub kind: String,
    /// Of which queue; `None` for all.
    pub queue: Option<QueueName>,
    /// Scheme, host and port: what follows them may be a secret.
    pub origin: String,
    /// Whether the receiver can tell who sent it.
    pub is_signed: bool,
}

impl Webhook {
    /// One for all queues, unsigned.
    pub fn new(kind: impl Into<String>, origin: impl Into<String>) -> Self {
        Self { kind: kind.into(), queue: None, origin: origin.into(), is_signed: false }
    }
}

/// The files of the site.
#[derive(Debug, Clone, Default)]
pub struct Assets {
    /// Where they are, without a slash at the end: `/assets/<hash>`. Empty means the root.
    pub root: String,
    /// Names their build, as the stream does; empty for none.
    pub build: String,
}

/// Makes the engine reachable for the server functions of this request.
pub fn provide(engine: Engine) {
    provide_context(Handle(engine));
}

/// Tells the pages where this server stands and where its files are.
pub fn provide_site(site: Site, assets: Assets) {
    provide_context(site);
    provide_context(assets);
}

/// Tells the support desk what this place calls its kinds of work.
pub fn provide_vocabulary(vocabulary: Arc<Vocabulary>) {
    provide_context(vocabulary);
}

/// Reading, for a caller who may look: in all queues, or in those that are theirs. The inspector itself is
/// [bound](Inspector::only_in) to them.
///
/// # Errors
/// `Forbidden` without [`Permission::View`]; `Internal` if the server forgot to provide the engine.
#[expect(clippy::unused_async, reason = "sessions will be looked up here")]
pub(crate) async fn inspector() -> Result<Inspector, ApiError> {
    inspector_in(None)
}

/// Reading what is about no queue, or about something that spans them, for a caller who may look everywhere.
///
/// # Errors
/// `Forbidden` without [`Permission::View`] in every queue; `Internal` if the server forgot to provide the engine.
pub(crate) fn inspector_of_all() -> Result<Inspector, ApiError> {
    inspector_for(Permission::View)
}

/// Acting, for a caller who may do that; stamped with their name.
///
/// # Errors
/// `Forbidden` without the permission; `Internal` if the server forgot to provide the engine.
#[expect(clippy::unused_async, reason = "sessions will be looked up here")]
pub(crate) async fn operator(permission: Permission) -> Result<Operator, ApiError> {
    acting(&allow(permission)?)
}

fn acting(principal: &Principal) -> Result<Operator, ApiError> {
    let signed_in = principal.way == Way::Session;
    let operator = engine()?.operator(principal.actor());
    Ok(if signed_in { operator.signed_in() } else { operator })
}

/// Doing that to many jobs at once, found by what they may see, and the queues the run is bound to as they are; none for all
/// of them.
///
/// # Errors
/// `Forbidden` without [`Permission::RunBulk`] or the permission of the verb; `Internal` if the server forgot to provide
/// the engine.
pub(crate) fn bulk_operator(verb: BulkVerb) -> Result<(Operator, Vec<QueueName>), ApiError> {
    allow_somewhere(Permission::RunBulk)?;
    let principal = allow_somewhere(verb.permission())?;
    let queues = principal.queues.clone();
    Ok((acting(&principal)?.seen_with(sight(&principal)), queues))
}

/// A bulk run, for a caller who [may know of it](Principal::sees_run).
///
/// # Errors
/// `Forbidden` without [`Permission::View`]; `NoRun` also for a run in queues that are not theirs; `Unavailable`.
pub(crate) async fn bulk_run(run: &RunId) -> Result<(Inspector, BulkRun), ApiError> {
    let (inspector, principal) = inspector_of_runs()?;
    let found = inspector.bulk_run(run).await?.filter(|run| principal.sees_run(run));
    Ok((inspector, found.ok_or(ApiError::NoRun)?))
}

/// Taking foreign queues over, for a caller who may do that.
///
/// # Errors
/// `Forbidden` without [`Permission::ImportJobs`]; `Internal` if the server forgot to provide the engine.
pub(crate) fn importer() -> Result<Engine, ApiError> {
    allow(Permission::ImportJobs)?;
    engine()
}

/// What time it is by Redis's clock.
///
/// # Errors
/// `Unavailable` while Redis does not answer.
pub(crate) async fn now() -> Result<Timestamp, ApiError> {
    Ok(engine()?.now().await?)
}

/// What seals and opens filters in addresses, for a caller who may look.
///
/// # Errors
/// `Forbidden` without [`Permission::View`]; `Unavailable` while Redis does not answer.
pub(crate) async fn seals() -> Result<Seals, ApiError> {
    allow_somewhere(Permission::View)?;
    Ok(Seals::read(&engine()?).await?)
}

/// The namespace this server works in.
pub(crate) fn namespace() -> Option<String> {
    use_context::<Handle>().map(|handle| handle.0.namespace().to_string())
}

/// The address of the dashboard as the visitor knows it, without a slash at its end: `http://127.0.0.1:8080/jobs`.
pub(crate) fn address() -> String {
    format!("{}{}", origin(), site().base)
}

/// The origin of this server as the visitor knows it: `http://127.0.0.1:8080`; empty without a request.
pub(crate) fn origin() -> String {
    let Some(parts) = use_context::<Parts>() else { return String::new() };
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let host = header("host").or_else(|| parts.uri.host()).unwrap_or_default();
    let is_tls = parts.extensions.get::<http::uri::Scheme>() == Some(&http::uri::Scheme::HTTPS);
    let scheme = header("x-forwarded-proto").filter(|&scheme| scheme == "https");
    let scheme = scheme.unwrap_or(if is_tls { "https" } else { "http" });
    format!("{scheme}://{host}")
}

/// What this place calls its kinds of work.
pub(crate) fn vocabulary() -> Arc<Vocabulary> {
    use_context().unwrap_or_default()
}

/// Where this server stands.
pub(crate) fn site() -> Site {
    use_context().unwrap_or_default()
}

/// What people set for the namespace, as this process last read it.
pub(crate) fn settings() -> Arc<reprieve::model::Settings> {
    use_context::<Handle>().map(|handle| handle.0.latest_settings()).unwrap_or_default()
}

/// What sort of installation this is, as it was chosen on the settings, or started: `production`, `demo` …; empty for none.
pub(crate) fn environment() -> String {
    let chosen = settings().look.environment.clone();
    if chosen.is_empty() { site().environment } else { chosen }
}

/// What trouble Redis has, and since when. That it does not answer, and no time, where nothing is known of any.
pub(crate) fn outage() -> (OutageKind, Option<Timestamp>) {
    let Some(outage) = use_context::<Handle>().and_then(|handle| handle.0.outage()) else {
        return (OutageKind::Unreachable, None);
    };
    let since = outage.since.duration_since(std::time::UNIX_EPOCH).ok();
    let since = since.and_then(|since| Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?));
    (outage.kind, since)
}

/// Those who may sign in, for a caller who may do that with them.
///
/// # Errors
/// `Forbidden` without the permission; `Internal` if the server forgot to provide the engine.
pub(crate) fn people(permission: Permission) -> Result<(People, Principal), ApiError> {
    let principal = allow(permission)?;
    Ok((People::new(&engine()?).called_by(&principal.actor()), principal))
}

/// API tokens, for a caller who may make them.
///
/// # Errors
/// As [`people`].
pub(crate) fn tokens() -> Result<(Tokens, Principal), ApiError> {
    let principal = allow_somewhere(Permission::ManageTokens)?;
    Ok((Tokens::new(&engine()?).called_by(&principal.actor()), principal))
}

/// The caller's own account.
///
/// # Errors
/// `SignedOut` without a session.
pub(crate) fn own_account() -> Result<(People, Principal), ApiError> {
    let principal = principal();
    if principal.way != Way::Session {
        return Err(ApiError::SignedOut);
    }
    Ok((People::new(&engine()?).called_by(&principal.actor()), principal))
}

/// Keeps in which language somebody who is signed in reads the screens; of others the cookie alone knows it.
///
/// # Errors
/// `Unavailable` while Redis does not answer.
pub(crate) async fn read_in(language: Language) -> Result<(), ApiError> {
    let Ok((people, principal)) = own_account() else { return Ok(()) };
    let name = principal.name.parse().map_err(|_| ApiError::SignedOut)?;
    people.choose_language(&name, language.tag()).await?;
    Ok(())
}

/// Reading what belongs to one queue; `None` is all that are theirs.
///
/// # Errors
/// `Forbidden` without [`Permission::View`] there; `Internal` if the server forgot to provide the engine.
pub(crate) fn inspector_in(queue: Option<&QueueName>) -> Result<Inspector, ApiError> {
    let principal = match queue {
        Some(_) => allow_in(Permission::View, queue)?,
        None => allow_somewhere(Permission::View)?,
    };
    Ok(seen_by(&principal, &engine()?))
}

/// Reading what is about every queue, with that right.
///
/// # Errors
/// `Forbidden` without the permission; `Internal` if the server forgot to provide the engine.
pub(crate) fn inspector_for(permission: Permission) -> Result<Inspector, ApiError> {
    let principal = allow(permission)?;
    Ok(seen_by(&principal, &engine()?))
}

/// Reading who did what, for a caller who may see that; [`Principal::audit_seen`] says how much of it.
///
/// # Errors
/// `Forbidden` without [`Permission::SeeAudit`]; `Internal` if the server forgot to provide the engine.
pub(crate) fn audit_reader() -> Result<(Inspector, Principal), ApiError> {
    let principal = allow_somewhere(Permission::SeeAudit)?;
    Ok((seen_by(&principal, &engine()?), principal))
}

/// Reading bulk runs, which the inspector is not bound in: [`Principal::sees_run`] says which they see.
///
/// # Errors
/// `Forbidden` without [`Permission::View`]; `Internal` if the server forgot to provide the engine.
pub(crate) fn inspector_of_runs() -> Result<(Inspector, Principal), ApiError> {
    let principal = allow_somewhere(Permission::View)?;
    Ok((seen_by(&principal, &engine()?), principal))
}

/// Reading about one job, wherever it is.
///
/// # Errors
/// `Forbidden` without [`Permission::View`]; `NotFound` also for a job of another queue than theirs; `Unavailable`.
pub(crate) async fn inspector_on(id: &JobId) -> Result<Inspector, ApiError> {
    let principal = allow_on(Permission::View, id).await?;
    Ok(seen_by(&principal, &engine()?))
}

/// Acting in one queue.
///
/// # Errors
/// `Forbidden` without the permission there; `Internal` if the server forgot to provide the engine.
pub(crate) fn operator_in(permission: Permission, queue: &QueueName) -> Result<Operator, ApiError> {
    acting(&allow_in(permission, Some(queue))?)
}

/// Acting on what was read with their own [`inspector`], or is their own.
///
/// # Errors
/// `Forbidden` without the permission; `Internal` if the server forgot to provide the engine.
pub(crate) fn operator_of_seen(permission: Permission) -> Result<Operator, ApiError> {
    acting(&allow_somewhere(permission)?)
}

/// Acting on one job, wherever it is.
///
/// # Errors
/// `Forbidden` without the permission; `NotFound` also for a job of another queue than theirs; `Unavailable`.
pub(crate) async fn operator_on(permission: Permission, id: &JobId) -> Result<Operator, ApiError> {
    acting(&allow_on(permission, id).await?)
}

/// Acting on one schedule, or making one of that name; `None` if it is of another queue than theirs. Where there is none yet,
/// there is nothing that could belong to others. A name is unique in the namespace, so a caller who wants one has to be told
/// that it is taken; not where.
///
/// # Errors
/// `Forbidden` without [`Permission::ManageCron`]; `Unavailable`.
pub(crate) async fn operator_on_cron(name: &CronName) -> Result<Option<Operator>, ApiError> {
    let principal = allow_somewhere(Permission::ManageCron)?;
    if principal.is_everywhere() || queue_of_cron(name).await?.is_none_or(|queue| principal.may_in(&queue)) {
        return acting(&principal).map(Some);
    }
    note_refusal(&principal, Permission::ManageCron, name.to_string());
    Ok(None)
}

/// Into which queue a schedule enqueues; `None` when there is none of that name.
async fn queue_of_cron(name: &CronName) -> Result<Option<QueueName>, ApiError> {
    Ok(engine()?.inspector().cron_entry(name).await?.map(|state| state.entry.queue))
}

/// A look at one hidden part of a job's payload, as often as they may.
///
/// # Errors
/// `Forbidden` without [`Permission::RevealFields`]; `NotFound` also for a job of another queue than theirs;
/// `Unavailable`.
pub(crate) async fn reveal(id: &JobId, part: PartPath) -> Result<Reveal, ApiError> {
    let principal = allow_on(Permission::RevealFields, id).await?;
    let most = principal.reveals_an_hour_max();
    Ok(engine()?.operator(principal.actor()).reveal(id, part).an_hour_max(most))
}

/// Whether their role may do something to so many jobs at once.
///
/// # Errors
/// `TooMany` above what the role may; `ProveFirst` above 100 for somebody who has not proved lately who they are.
pub(crate) fn allow_bulk(jobs: u64) -> Result<(), ApiError> {
    /// Above this a slip is dear enough to ask twice.
    const UNPROVED_MAX: u64 = 100;
    let principal = principal();
    if let Some(most) = principal.role.and_then(Role::bulk_jobs_max)
        && jobs > u64::from(most)
    {
        return Err(ApiError::TooMany { jobs_max: most });
    }
    if jobs > UNPROVED_MAX && !principal.has_proved() {
        return Err(ApiError::ProveFirst);
    }
    Ok(())
}

/// An hour.
const HOUR: Duration = Duration::from_secs(3_600);

/// How much of something a person may do in a span of time, over all instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Under which name it is counted.
    pub what: &'static str,
    /// How many within the span.
    pub most: u32,
    /// From the first of them on.
    pub span: Duration,
}

/// All that a person does, and looks that a page takes by itself: once a second is faster than by hand.
pub const ACTS: Allowance = Allowance { what: "acts", most: 60, span: Duration::from_secs(60) };
/// What touches many jobs at once: runs, and steps of an import.
pub const BULK: Allowance = Allowance { what: "bulk", most: 10, span: HOUR };
/// Checks of the audit: each reads all of it.
const AUDIT_CHECKS: Allowance = Allowance { what: "audit_checks", most: 10, span: HOUR };

/// Takes one of the runs of many jobs that a person may start within an hour.
///
/// # Errors
/// `TooOften` with how long to wait, which stands in the audit then; `StorageFull` and `Unavailable`.
pub(crate) async fn spend_bulk(run: &BulkRun) -> Result<(), ApiError> {
    spend(BULK, "start_bulk", run.id.as_str()).await
}

/// Takes one of the acts on many jobs that a person may do within an hour, for taking over or putting back by that name.
///
/// # Errors
/// As for [`spend_bulk`].
pub(crate) async fn spend_import(asked: &str, name: &str) -> Result<(), ApiError> {
    spend(BULK, asked, name).await
}

/// Takes one of the checks of the audit that a person may have within an hour.
///
/// # Errors
/// As for [`spend_bulk`].
pub(crate) async fn spend_audit_check() -> Result<(), ApiError> {
    spend(AUDIT_CHECKS, "/audit?check=1", "").await
}

/// Takes one of the acts that a person may do within a minute, for a look that a page takes by itself and the gate does
/// not count.
///
/// # Errors
/// As for [`spend_bulk`].
pub(crate) async fn spend_look(asked: &str) -> Result<(), ApiError> {
    spend(ACTS, asked, "").await
}

/// Takes one of what a person is allowed.
async fn spend(allowance: Allowance, asked: &str, target: &str) -> Result<(), ApiError> {
    let principal = principal();
    if principal.way != Way::Session {
        return Ok(());
    }
    let people = People::new(&engine()?).called_by(&principal.actor());
    let Allowance { what, most, span } = allowance;
    let Some(wait) = people.spend(what, &principal.name, most, span).await? else { return Ok(()) };
    note_denied(&people, &principal.name, asked, target, "too often").await;
    Err(ApiError::TooOften { seconds: reprieve::wait_seconds(wait) })
}

/// Whether they may do to its jobs what a run does where jobs wait for their time or run: the undo of a run puts back what
/// was.
///
/// # Errors
/// `Forbidden` for what stops running jobs, or has waiting ones run before their time; `Unavailable`.
pub(crate) async fn allow_run(run: &BulkRun) -> Result<(), ApiError> {
    match run_needs(run, now().await?) {
        Some(right) if !principal().may(right) => Err(refused(right, &run.id)),
        _ => Ok(()),
    }
}

/// The right that a run takes beyond that of its verb, if any.
pub fn run_needs(run: &BulkRun, now: Timestamp) -> Option<Permission> {
    if run.undo_of.is_some() {
        return None;
    }
    let has = |state: JobState| run.split.get(&format!("state:{state}")).is_some_and(|count| *count > 0);
    let waits = has(JobState::Delayed) || has(JobState::Held);
    let last = run.due_ms.map(|(_, last)| last);
    match run.verb {
        // What runs by then is asked to stop too, unless the run leaves it alone.
        BulkVerb::Cancel if has(JobState::Active) || run.acts_on_changed && !run.spares_started => {
            Some(Permission::StopJobs)
        }
        BulkVerb::RetryNow if waits => Some(Permission::RunJobs),
        BulkVerb::RetryNow if has(JobState::Cancelled) && last > Some(now) => Some(Permission::RunJobs),
        BulkVerb::Reschedule if waits && run.shift.is_some_and(|shift| hastens(shift, last)) => {
            Some(Permission::RunJobs)
        }
        _ => None,
    }
}

/// Forms know of no seconds.
fn minute(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(60_000)
}

/// Whether a shift brings a job forward of which the last is due then.
fn hastens(shift: Shift, last: Option<Timestamp>) -> bool {
    match shift {
        Shift::To(at) => last.is_some_and(|last| minute(at) < minute(last)),
        Shift::By(ms) => ms < 0,
        _ => true,
    }
}

/// By how much they may put something off at once; `None` for as far as anybody may.
fn postpones_by_max() -> Option<Delay> {
    principal().role.and_then(Role::postpones_by_max)
}

/// Whether their role may put something off by so much.
///
/// # Errors
/// `TooFar`.
pub(crate) fn allow_later(later: Delay) -> Result<(), ApiError> {
    match postpones_by_max() {
        Some(most) if later > most => {
            let days = most.as_millis() / Delay::days(1).as_millis();
            Err(ApiError::TooFar { days_max: u32::try_from(days).unwrap_or(u32::MAX) })
        }
        _ => Ok(()),
    }
}

/// Whether their role may give a job that due time: so much later than its own, or than now where that has passed; and
/// earlier only with the right to run it before its time.
///
/// # Errors
/// `TooFar`; `Forbidden`; `NotFound`; `Unavailable`.
pub(crate) async fn allow_due(id: &JobId, due: Due) -> Result<(), ApiError> {
    let hastens = principal().may(Permission::RunJobs);
    if hastens && postpones_by_max().is_none() {
        return Ok(());
    }
    let now = now().await?;
    let rows = engine()?.inspector().rows(std::slice::from_ref(id)).await?;
    let row = rows.into_iter().flatten().next().ok_or(ApiError::NotFound)?;
    let due = due.at(now);
    if !hastens && minute(due) < minute(row.due) && waits(&row, now) {
        return Err(refused(Permission::RunJobs, id));
    }
    allow_later(Delay::millis(due.millis_since(row.due.max(now))))
}

/// Whether a job waits for a time that is still to come, or would, had it not been called off: to run it now takes the right
/// to run jobs before their time.
pub fn waits(row: &JobRow, now: Timestamp) -> bool {
    match row.state {
        JobState::Delayed | JobState::Held => true,
        JobState::Cancelled => row.due > now,
        _ => false,
    }
}

/// Whether their role may move jobs there, spread over that long behind it.
///
/// # Errors
/// `TooFar`; `Unavailable`.
pub(crate) async fn allow_shift(shift: Shift, spread: Delay) -> Result<(), ApiError> {
    if postpones_by_max().is_none() {
        return Ok(());
    }
    let later = shift.later_than(now().await?);
    allow_later(Delay::millis(later.as_millis().saturating_add(spread.as_millis())))
}

/// What they lack, after it was written down that they tried.
pub(crate) fn refused(permission: Permission, target: &impl ToString) -> ApiError {
    let principal = principal();
    note_refusal(&principal, permission, target.to_string());
    lacks(&principal, permission)
}

/// What they lack, or have elsewhere alone. Said here: a page may have been read when their rights were others.
fn lacks(principal: &Principal, permission: Permission) -> ApiError {
    let elsewhere = !principal.is_everywhere() && principal.may(permission);
    ApiError::Forbidden { permission, elsewhere }
}

/// What of jobs somebody may see.
pub fn sight(principal: &Principal) -> Sight {
    Sight::new(principal.may(Permission::SeePayloads), principal.may(Permission::SeeErrors))
}

fn seen_by(principal: &Principal, engine: &Engine) -> Inspector {
    engine.inspector().seen_with(sight(principal)).only_in(principal.queues.clone())
}

/// Whether they may end a run: that of another is for operators.
pub(crate) fn own_run(run: &BulkRun) -> Result<(), ApiError> {
    let principal = principal();
    if principal.role.is_none_or(|role| role >= Role::Operator) || principal.name == run.by {
        return Ok(());
    }
    Err(refused(Permission::StopJobs, &run.id))
}

fn allow(permission: Permission) -> Result<Principal, ApiError> {
    allow_in(permission, None)
}

/// The right in that queue; `None` is all of them.
fn allow_in(permission: Permission, queue: Option<&QueueName>) -> Result<Principal, ApiError> {
    let principal = allow_somewhere(permission)?;
    let here = match queue {
        None => principal.is_everywhere(),
        Some(queue) => principal.may_in(queue),
    };
    if here {
        return Ok(principal);
    }
    note_refusal(&principal, permission, queue.map(ToString::to_string).unwrap_or_default());
    Err(lacks(&principal, permission))
}

/// The right on that job. One of another queue is answered as if it were not there: who may not see it must not learn
/// that it is. That they tried stands in the audit all the same.
async fn allow_on(permission: Permission, id: &JobId) -> Result<Principal, ApiError> {
    let principal = allow_somewhere(permission)?;
    if principal.is_everywhere() {
        return Ok(principal);
    }
    // A job belongs to its queue for life, so what is true before the act is true during it.
    let rows = engine()?.inspector().rows(std::slice::from_ref(id)).await?;
    let row = rows.into_iter().flatten().next().ok_or(ApiError::NotFound)?;
    if principal.may_in(&row.queue) {
        return Ok(principal);
    }
    note_refusal(&principal, permission, id.to_string());
    Err(ApiError::NotFound)
}

fn allow_somewhere(permission: Permission) -> Result<Principal, ApiError> {
    let principal = principal();
    if principal.may(permission) {
        return Ok(principal);
    }
    if principal.way == Way::Nobody {
        return Err(ApiError::SignedOut);
    }
    note_refusal(&principal, permission, String::new());
    Err(lacks(&principal, permission))
}

/// Writes into the audit that somebody was refused; a page that only looks where it may not is worth no line.
fn note_refusal(principal: &Principal, permission: Permission, target: String) {
    let acts = use_context::<Parts>().is_some_and(|parts| parts.method == http::Method::POST);
    let Ok(engine) = engine() else { return };
    if !acts {
        return;
    }
    let (people, name) = (People::new(&engine).called_by(&principal.actor()), principal.name.clone());
    tokio::spawn(async move {
        let right = permission.as_str();
        note_denied(&people, &name, right, &target, right).await;
    });
}

/// Writes into the audit that `by` was refused; says so in the log when that cannot be done.
pub async fn note_denied(people: &People, by: &str, asked: &str, target: &str, why: &str) {
    if let Err(error) = people.denied(by, asked, target, why).await {
        tracing::warn!(%error, "a refusal could not be written into the audit: {error}");
    }
}

/// Who sends this request. Nobody is somebody without rights.
pub(crate) fn principal() -> Principal {
    use_context::<Parts>()
        .and_then(|parts| parts.extensions.get::<Principal>().cloned())
        .unwrap_or_else(Principal::nobody)
}

fn engine() -> Result<Engine, ApiError> {
    use_context::<Handle>()
        .map(|handle| handle.0)
        .ok_or_else(|| ApiError::internal(&std::io::Error::other("the server provided no engine")))
}
