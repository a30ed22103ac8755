//! `/api/v1/bulk`: one verb on many jobs, frozen first, with an outcome for each.

use super::act::operation;
use super::due::{instant as instant_of, span};
use super::needs;
use super::query::Query;
use super::reason::{Reason, ReasonBody};
use super::refusals::{NoSuchRun, Unchanged};
use super::shapes::IdempotencyKey;
use super::view::RowView;
use super::views::view;
use crate::access::Access;
use crate::body;
use crate::parse::Word;
use crate::problem::{Mistakes, Problem, Told};
use axum::Json;
use axum::extract::{Path, RawQuery, Request};
use reprieve::model::{
    BulkFilter, BulkOutcome, BulkRun, BulkState, BulkVerb, Delay, JobId, JobState, Kind, OutcomePlace,
    Permission, QueueName, RunId, Shift, Subject, Timestamp, Version,
};
use reprieve::{Engine, Inspector};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Runs of a list, and outcomes of a page, unless the caller says otherwise.
const RUNS: u16 = 50;
const OUTCOMES: u16 = 200;
const OUTCOMES_MAX: u16 = 1_000;
/// How long one request looks for jobs: less than it may take to answer.
const LOOKS: Duration = Duration::from_secs(20);
/// What the engine may say something against, and the field of the body that it is.
const FIELDS: [(&str, &str); 8] = [
    ("verb", "verb"),
    ("states", "states"),
    ("tag", "tag"),
    ("error", "error"),
    ("rate", "rate"),
    ("shift_ms", "shift_ms"),
    ("spread_ms", "spread_ms"),
    ("stops_itself", "stop_when_most_fail"),
];

/// The routes of bulk runs.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(routes!(bulk_runs))
        .routes(needs(Permission::RunBulk, routes!(freeze_bulk)))
        .routes(routes!(bulk_run))
        .routes(routes!(bulk_outcomes))
        .routes(needs(Permission::RunBulk, routes!(start_bulk)))
        .routes(needs(Permission::RunBulk, routes!(abort_bulk)))
        .routes(needs(Permission::RunBulk, routes!(undo_bulk)))
}

/// What is to be done to which jobs.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewBulk, example = json!({ "verb": "cancel", "queue": "default", "reason": "wrong import" }))]
struct NewBulkBody {
    /// `cancel`, `reinstate`, `retry_now`, `reschedule`, `hold`, `unhold` or `purge`.
    verb: Word<BulkVerb>,
    /// Only jobs of that queue.
    queue: Option<QueueName>,
    /// Only jobs in one of these states; the verb's own choice without it. A cancel leaves alone what starts before its
    /// turn comes, unless `active` is among them.
    states: Option<Vec<Word<JobState>>>,
    /// Only jobs of that kind.
    kind: Option<Kind>,
    /// Only jobs about that subject.
    subject: Option<Subject>,
    /// Only jobs with that tag.
    tag: Option<String>,
    /// Only jobs due at or after that instant, ms since 1970.
    due_from_ms: Option<i64>,
    /// Only jobs due before that instant, ms since 1970.
    due_before_ms: Option<i64>,
    /// Only jobs whose latest error holds that text.
    error: Option<String>,
    /// `reschedule`: all to that instant.
    due_ms: Option<i64>,
    /// `reschedule`: each that many ms later; negative is earlier.
    shift_ms: Option<i64>,
    /// `reschedule`: spread evenly over that many ms.
    spread_ms: Option<i64>,
    /// At most that many jobs a second, 1 to 10,000.
    rate: Option<u32>,
    /// `retry_now`: stop when more than half of the last 200 (20 at least) failed again.
    stop_when_most_fail: Option<bool>,
    /// Act on jobs that changed since they were frozen, instead of skipping them. A cancel does without it, except on
    /// those that started, which `states` decides about.
    act_on_changed: Option<bool>,
    /// Your own name for the run: a repeat finds the first one.
    id: Option<RunId>,
    /// At most 1,024 bytes.
    reason: Option<Reason>,
}

/// How fast a run goes, and why it is started.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = StartBulk, example = json!({ "rate": 10, "reason": "the server is back" }))]
struct StartBody {
    /// Another number of jobs a second than it was made with.
    rate: Option<u32>,
    /// At most 1,024 bytes.
    reason: Option<Reason>,
}

/// Which outcomes.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes what is read by name")]
struct OutcomesQuery {
    /// `next` of the page before; nothing for the first page.
    #[param(example = "0")]
    after: Option<String>,
    /// 1 to 1,000; 200 without it.
    #[param(example = 100, minimum = 1, maximum = 1000)]
    size: Option<u16>,
}

view! {
    /// One verb on many jobs. `total` is `pending + changed + skipped + failed`.
    struct RunView as BulkRun from run: BulkRun {
        /// Its id.
        id: RunId,
        /// What it does.
        verb: BulkVerb,
        /// `collecting`, `frozen`, `waiting` (for a second person), `running`, `stopped` (by itself), `aborted` or `done`.
        state: BulkState,
        /// Which jobs it was made for; null for the undo of another run.
        #[schema(value_type = Option<FilterView>)]
        filter: Option<BulkFilter>,
        /// Where jobs go, for `reschedule`; null where each goes back to where it was.
        #[schema(value_type = Option<ShiftView>)]
        shift: Option<Shift>,
        /// Over how long a `reschedule` spreads them.
        spread_ms: Delay = run.spread,
        /// Jobs a second; null is as fast as it goes.
        rate: Option<u32>,
        /// Whether it stops itself when most jobs fail again.
        stops_itself: bool,
        /// Whether jobs that changed since they were frozen are acted on too, instead of skipped.
        acts_on_changed: bool,
        /// Whether jobs that started since they were frozen are left alone whatever else is said.
        spares_started: bool,
        /// The queues it is bound to; empty where it is for all of them.
        only_in: Vec<QueueName>,
        /// Who made it.
        by: String,
        /// Why.
        reason: String = run.why,
        /// When it was made.
        created_ms: Timestamp = run.created,
        /// Until when it may be started; null once it was.
        expires_ms: Option<Timestamp> = run.expires,
        /// Who asked for it, where deleting needs two people; empty where nobody had to ask.
        asked_by: String,
        /// When they asked.
        asked_ms: Option<Timestamp> = run.asked,
        /// Who started it; empty before. Where deleting needs two people this is the second.
        started_by: String,
        /// When it was started first.
        started_ms: Option<Timestamp> = run.started,
        /// When it ended or stopped; null before.
        ended_ms: Option<Timestamp> = run.ended,
        /// Who ended it; empty before.
        ended_by: String,
        /// Why it ended; empty before, or when nothing was said.
        ended_why: String,
        /// How many jobs were looked at to find its own.
        looked_at: u64,
        /// Whether more jobs may match than a run may have or look at.
        cut: bool,
        /// Its jobs.
        total: u64,
        /// Jobs without an outcome yet.
        pending: u64,
        /// Jobs it changed.
        changed: u64,
        /// Jobs it left as they were, each with a word that says why.
        skipped: u64,
        /// Jobs it could not change because their data is damaged.
        failed: u64,
        /// How many outcomes of each word.
        words: BTreeMap<String, u64>,
        /// How many jobs by state, queue and kind when they were frozen: `state:dead`, `queue:mail`, `kind:notice`.
        split: BTreeMap<String, u64>,
        /// How many subjects its jobs are about; 0 for the undo of another run.
        subjects: u64,
        /// The twenty of them with most jobs, until it is started.
        by_subject: BTreeMap<String, u64>,
        /// The lowest and the highest due time among them.
        #[schema(value_type = Option<Vec<i64>>)]
        due_ms: Option<(Timestamp, Timestamp)>,
        /// Jobs set going again that have done well since, as far as they were watched.
        went_well: u64,
        /// Jobs set going again that have failed again.
        failed_again: u64,
        /// Jobs it changed that an undo would change back.
        undoable: u64,
        /// The run it undoes.
        undo_of: Option<RunId>,
        /// The run that undid it.
        undone_by: Option<RunId>,
    }
}

/// Which jobs: those that fit all that is named.
#[derive(ToSchema)]
#[schema(as = BulkFilter)]
#[expect(dead_code, reason = "it describes what the engine writes")]
struct FilterView {
    /// In that queue.
    queue: Option<QueueName>,
    /// In one of these states.
    states: Option<Vec<JobState>>,
    /// Of that kind.
    kind: Option<Kind>,
    /// About that subject.
    subject: Option<Subject>,
    /// With that tag.
    tag: Option<String>,
    /// Due at or after that instant.
    due_from_ms: Option<Timestamp>,
    /// Due before that instant.
    due_before_ms: Option<Timestamp>,
    /// Whose latest error holds that text.
    error: Option<String>,
    /// That died of one failure.
    died_of: Option<DiedOfView>,
    /// That fit this line of a filter too.
    matching: Option<String>,
    /// Picked one by one: so many.
    picked: Option<u32>,
}

/// Jobs that died of one failure by a certain time.
#[derive(ToSchema)]
#[schema(as = DiedOf)]
#[expect(dead_code, reason = "it describes what the engine writes")]
struct DiedOfView {
    /// Their error line, with what differs from job to job masked.
    mask: String,
    /// What died behind it is left out.
    until_ms: Timestamp,
}

/// Where `reschedule` moves each job.
#[derive(ToSchema)]
#[schema(as = Shift, rename_all = "snake_case")]
#[expect(dead_code, reason = "it describes what the engine writes")]
enum ShiftView {
    /// All to that instant.
    DueMs(Timestamp),
    /// Each that many ms later; negative is earlier.
    ShiftMs(i64),
}

/// A run, and some of its jobs that have no outcome yet.
#[derive(Serialize, ToSchema)]
#[schema(as = BulkRunDetail)]
struct DetailView {
    #[serde(flatten)]
    run: RunView,
    /// The first twenty jobs without outcome, as they are now.
    samples: Vec<RowView>,
}

/// The latest runs.
#[derive(Serialize, ToSchema)]
#[schema(as = BulkRuns)]
struct Runs {
    /// The latest first.
    items: Vec<RunView>,
}

view! {
    /// What became of one job of a run.
    struct OutcomeView as BulkOutcome from outcome: BulkOutcome {
        /// The job.
        id: JobId,
        /// The verb's word for it, or `changed` or `started` (since it was frozen), `missing`, `damaged`, `subject_full`.
        word: String,
        /// The state it had; null for one that is gone.
        from: Option<JobState>,
        /// Its version afterwards; null for one that is gone.
        version: Option<Version>,
    }
}

/// Outcomes of a run.
#[derive(Serialize, ToSchema)]
#[schema(as = BulkOutcomes)]
struct Outcomes {
    /// In the order they were reached; with several shards those of each shard in turn.
    items: Vec<OutcomeView>,
    /// The `after` of the next page; null after the last one so far. A number, or a text where there are several shards.
    next: Option<Next>,
}

/// Where the next page of outcomes begins.
#[derive(Serialize, ToSchema)]
#[schema(as = BulkOutcomesNext)]
#[serde(untagged)]
enum Next {
    /// How many were read, where there is one shard.
    Count(u64),
    /// How many were read in each shard, joined by `_`.
    Places(String),
}

impl Next {
    fn of(place: &OutcomePlace) -> Self {
        if place.shards() == 1 { Self::Count(place.read()) } else { Self::Places(place.to_string()) }
    }
}

/// The latest bulk runs
///
/// The latest fifty of all; for a token that is bound to queues the latest fifty that are in its queues alone.
#[utoipa::path(
    get,
    path = "/api/v1/bulk",
    responses((status = 200, description = "The runs.", body = Runs)),
)]
async fn bulk_runs(access: Access) -> Result<Json<Runs>, Problem> {
    let inspector = access.inspector_of_seen()?;
    let mut items = inspector.bulk_runs(RUNS).await.told()?;
    items.retain(|run| access.principal().sees_run(run));
    Ok(Json(Runs { items: items.into_iter().map(RunView::from).collect() }))
}

/// Freeze a bulk run
///
/// A dry run: it looks up which jobs fit, counts and splits them, and changes none. `POST /api/v1/bulk/{run}/start` has
/// it carried out; without that it is forgotten after ten minutes. While its state is `collecting` there is more to look at:
/// send the same again with its `id`.
#[utoipa::path(
    post,
    path = "/api/v1/bulk",
    params(IdempotencyKey),
    request_body(content = NewBulkBody),
    responses((status = 200, description = "The run, not started.", body = DetailView)),
)]
async fn freeze_bulk(access: Access, request: Request) -> Result<Json<DetailView>, Problem> {
    let inspector = access.inspector_to_act(Permission::RunBulk)?;
    let operation = operation(&access, request.headers())?;
    let body: NewBulkBody = body::read(request).await?;
    let (filter, shift, spread) = body.checked()?;
    let NewBulkBody { verb: Word(verb), rate, stop_when_most_fail, act_on_changed, id, reason, .. } = body;
    let (operator, queues) = access.bulk_operator(verb)?;
    let spares = verb == BulkVerb::Cancel && !filter.states.contains(&JobState::Active);
    let bulk = operator.bulk(verb).filter(filter).only_in(queues).spread(spread).because(Reason::of(reason));
    let mut bulk = bulk.within(LOOKS);
    if spares {
        bulk = bulk.spare_started();
    }
    if let Some(shift) = shift {
        bulk = bulk.shift(shift);
    }
    if let Some(rate) = rate {
        bulk = bulk.rate(rate);
    }
    if stop_when_most_fail.unwrap_or_default() {
        bulk = bulk.stop_when_most_fail();
    }
    if let Some(act) = act_on_changed {
        bulk = bulk.act_on_changed(act);
    }
    if let Some(id) = id.or_else(|| operation.run_id()) {
        bulk = bulk.id(id);
    }
    let run = bulk.freeze().await;
    let run =
        run.map_err(|error| Problem::at(&error, &FIELDS).unwrap_or_else(|| operation.problem(&error)))?;
    if !access.principal().sees_run(&run) {
        return Err(Problem::taken_elsewhere("bulk run", run.id.as_str()));
    }
    shown(&inspector, run).await
}

impl NewBulkBody {
    /// The jobs that are meant, and where they are to be moved to.
    fn checked(&self) -> Result<(BulkFilter, Option<Shift>, Delay), Problem> {
        let mut mistakes = Mistakes::default();
        let mut instant = |field: &str, ms: Option<i64>| {
            instant_of(ms?).map_err(|why| mistakes.body(format!("/{field}"), "invalid_time", why)).ok()
        };
        let mut filter = BulkFilter::default();
        filter.queue.clone_from(&self.queue);
        filter.states = self.states.iter().flatten().map(|Word(state)| *state).collect();
        filter.kind.clone_from(&self.kind);
        filter.subject.clone_from(&self.subject);
        filter.tag.clone_from(&self.tag);
        filter.due_from = instant("due_from_ms", self.due_from_ms);
        filter.due_before = instant("due_before_ms", self.due_before_ms);
        filter.error.clone_from(&self.error);
        let to = instant("due_ms", self.due_ms).map(Shift::To);
        if self.due_ms.is_some() && self.shift_ms.is_some() {
            mistakes.body("/shift_ms", "several_times", "give one of `due_ms` and `shift_ms`");
        }
        let spread = span(self.spread_ms, "", "spread_ms", &mut mistakes).unwrap_or(Delay::ZERO);
        mistakes.into_result().map(|()| (filter, to.or(self.shift_ms.map(Shift::By)), spread))
    }
}

async fn shown(inspector: &Inspector, run: BulkRun) -> Result<Json<DetailView>, Problem> {
    let samples = inspector.bulk_samples(&run.id, 0).await.told()?;
    Ok(Json(DetailView { run: run.into(), samples: samples.into_iter().map(RowView::from).collect() }))
}

/// A run to act on; a caller who is bound to other queues need not know that there is one.
async fn found(access: &Access, run: &str) -> Result<BulkRun, Problem> {
    Ok(access.bulk_run_for(Permission::RunBulk, &super::path_name::<RunId>(run)?).await?)
}

/// One bulk run
///
/// With its sums, and some of the jobs that have no outcome yet.
#[utoipa::path(
    get,
    path = "/api/v1/bulk/{run}",
    responses(
        (status = 200, description = "The run.", body = DetailView),
        NoSuchRun,
    ),
)]
async fn bulk_run(access: Access, Path(run): Path<String>) -> Result<Json<DetailView>, Problem> {
    access.require(Permission::View)?;
    let (inspector, run) = access.bulk_run(&super::path_name(&run)?).await?;
    shown(&inspector, run).await
}

/// What became of each job of a bulk run
///
/// In the order they were reached. Jobs without outcome yet are not among them.
#[utoipa::path(
    get,
    path = "/api/v1/bulk/{run}/outcomes",
    params(OutcomesQuery),
    responses(
        (status = 200, description = "A page of outcomes.", body = Outcomes),
        NoSuchRun,
    ),
)]
async fn bulk_outcomes(
    access: Access,
    Path(run): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<Outcomes>, Problem> {
    access.require(Permission::View)?;
    let mut query = Query::read(query.as_deref());
    let after = query.take::<OutcomePlace>("after").unwrap_or_default();
    let size = query.size::<OUTCOMES_MAX>("size", OUTCOMES);
    query.finish()?;
    let (inspector, run) = access.bulk_run(&super::path_name(&run)?).await?;
    let page = inspector.bulk_outcomes(&run.id, &after, size).await.told()?;
    let items = page.items.into_iter().map(OutcomeView::from).collect();
    Ok(Json(Outcomes { items, next: page.next.as_ref().map(Next::of) }))
}

/// An act on a run: its address and body, what is said when it was done, and how it is done.
macro_rules! verb {
    (
        $(#[$doc:meta])*
        $function:ident, $path:literal, $done:literal,
        |$access:ident, $run:ident, $body:ident { $($field:ident),* }| $act:block
    ) => {
        $(#[$doc])*
        #[utoipa::path(
            post,
            path = $path,
            request_body(content = Option<$body>),
            responses((status = 200, description = $done, body = DetailView), NoSuchRun, Unchanged),
        )]
        async fn $function(
            $access: Access,
            Path(run): Path<String>,
            request: Request,
        ) -> Result<Json<DetailView>, Problem> {
            let inspector = $access.inspector_to_act(Permission::RunBulk)?;
            let $body { $($field),* } = body::read_optional(request).await?;
            let $run = found(&$access, &run).await?;
            let run = $act;
            shown(&inspector, run.told()?).await
        }
    };
}

verb!(
    /// Start a bulk run, or let one go on that stopped itself
    ///
    /// Any process that runs the maintenance carries it out, whatever becomes of this one.
    start_bulk, "/api/v1/bulk/{run}/start", "The run, started.",
    |access, run, StartBody { rate, reason }| {
        let (operator, _) = access.bulk_operator(run.verb)?;
        access.require_run(&run).await?;
        operator.start_bulk(&run.id, rate, &Reason::of(reason)).await
    }
);
verb!(
    /// End a bulk run where it is
    ///
    /// What it did stays done; the rest of its jobs is left alone.
    abort_bulk, "/api/v1/bulk/{run}/abort", "The run, ended.",
    |access, run, ReasonBody { reason }| {
        let (operator, _) = access.bulk_operator(run.verb)?;
        operator.abort_bulk(&run.id, &Reason::of(reason)).await
    }
);
verb!(
    /// Undo a bulk run that cancelled jobs
    ///
    /// Makes a frozen run that reinstates them at their original due times, where they are still as the run left them.
    /// Start that one to have it done. A run can be undone once; a repeat leads to the same run.
    undo_bulk, "/api/v1/bulk/{run}/undo", "The run that undoes it, not started.",
    |access, run, ReasonBody { reason }| {
        let (operator, _) = access.bulk_operator(run.verb.undone_by().unwrap_or(run.verb))?;
        operator.undo_bulk(&run.id, None, &Reason::of(reason)).await
    }
);
