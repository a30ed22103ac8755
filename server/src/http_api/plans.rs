//! `/api/v1/plans`: several jobs of one subject from one anchor, made, read and changed as one thing.

use super::act::{self, operation};
use super::fields::{self, Fields};
use super::refusals::{NoSuchPlan, Unchanged};
use super::shapes::{IdempotencyKey, NewJobBody, SubjectPath};
use super::view::RowView;
use super::{due, new_job, path_name};
use crate::access::Access;
use crate::body;
use crate::problem::{Mistakes, Problem, ProblemView};
use app::access::waits;
use axum::Json;
use axum::extract::{Path, Request};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use reprieve::model::{
    JobRow, Kind, Offset, Past, Permission, Plan, PlanAnswer, PlanId, PlanStep, PlanWord, QueueName,
    StepName, Subject, Timestamp, Unmet, Version,
};
use reprieve::{Anchor, Due, Engine, NewPlan, NewStep, Operator, PlanAct};
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::str::FromStr;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The plans' routes.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(routes!(make_plan))
        .routes(routes!(plan))
        .routes(routes!(subject_plans))
        .routes(routes!(reanchor_plan))
        .routes(routes!(hold_plan))
        .routes(routes!(unhold_plan))
        .routes(routes!(cancel_plan))
        .routes(routes!(reinstate_plan))
}

#[expect(dead_code, reason = "they describe bodies, which are read field by field")]
mod shapes {
    use super::NewJobBody;
    use utoipa::{IntoParams, ToSchema};

    /// When, as one of the three; now without any.
    #[derive(ToSchema)]
    #[schema(as = Anchor)]
    pub(super) struct AnchorBody {
        /// In RFC 3339.
        due_at: Option<String>,
        /// In ms since 1970.
        due_ms: Option<i64>,
        /// In ms from now, by Redis's clock.
        delay_ms: Option<i64>,
    }

    /// A plan to be made.
    #[derive(ToSchema)]
    #[schema(as = NewPlan, example = json!({
        "id": "expiry-4711", "subject": "resource:4711", "name": "expiry",
        "steps": [
            { "name": "notice", "offset_ms": 1_987_200_000, "job": { "kind": "notice" } },
            { "name": "delete", "offset_ms": 2_592_000_000_i64, "after": ["notice"], "unmet": "hold",
              "job": { "kind": "delete_resource", "payload": { "id": 4711 } } },
        ],
    }))]
    pub(super) struct NewPlanBody {
        /// Your own name for it: a repeat under the same id answers `exists`. 1 to 64 bytes of `A-Z a-z 0-9 . _ : / @ -`.
        id: String,
        /// What it is about; so are all its jobs.
        subject: String,
        /// What sort of plan it is.
        name: Option<String>,
        /// What the times of its steps are counted from; now without it.
        anchor: Option<AnchorBody>,
        /// What becomes of steps whose time has passed: `refuse` (without it), `run` or `skip`.
        past: Option<String>,
        /// 1 to 32 steps.
        steps: Vec<NewStepBody>,
    }

    /// A step of a plan.
    #[derive(ToSchema)]
    #[schema(as = NewStep)]
    pub(super) struct NewStepBody {
        /// Unique in the plan; the job's id is `<plan>/<step>`. 1 to 48 bytes of `A-Z a-z 0-9 . _ -`.
        name: String,
        /// How long after the anchor it is due, in ms; negative is before it. `spread_ms` of its job comes on top.
        offset_ms: i64,
        /// Earlier steps that must be done before it may run.
        after: Option<Vec<String>>,
        /// What becomes of it when one of them ended otherwise: `cancel` (without it) or `hold`.
        unmet: Option<String>,
        /// What is to be done, without id, subject, time, `unique` and `replace`.
        job: NewJobBody,
    }

    /// What is said about an act on a plan; may be left out.
    #[derive(ToSchema)]
    #[schema(as = PlanAct, example = json!({ "reason": "legal asked for it", "past": "skip" }))]
    pub(super) struct PlanActBody {
        /// The version of the plan that was seen: if it has changed since, nothing happens.
        version: Option<u64>,
        /// Why; at most 1,024 bytes.
        reason: Option<String>,
        /// What becomes of steps whose time has passed: `refuse` (without it), `run` or `skip`.
        past: Option<String>,
    }

    /// Where a plan's anchor is moved to: `anchor`, or `by_ms`.
    #[derive(ToSchema)]
    #[schema(as = PlanReanchor, example = json!({ "by_ms": 2_592_000_000_i64, "reason": "renewed for 30 days" }))]
    pub(super) struct ReanchorBody {
        /// To that time.
        anchor: Option<AnchorBody>,
        /// By so many ms from where it is; negative is earlier.
        by_ms: Option<i64>,
        /// The version of the plan that was seen.
        version: Option<u64>,
        /// Why; at most 1,024 bytes.
        reason: Option<String>,
        /// What becomes of steps whose time would have passed: `refuse` (without it), `run` or `skip`.
        past: Option<String>,
    }

    /// What became of a plan.
    #[derive(ToSchema)]
    #[schema(as = PlanAnswer)]
    pub(super) struct PlanAnswerView {
        /// `planned`, `exists`, `moved`, `held`, `released`, `cancelled`, `reinstated`, `unchanged`; in a problem
        /// `past` or `conflict`.
        outcome: String,
        /// The plan.
        plan: String,
        /// Its version now.
        version: u64,
        /// Its anchor now.
        anchor_ms: i64,
        /// Since when it is held.
        held_ms: Option<i64>,
        /// When this answer was made, by Redis's clock.
        at_ms: i64,
        /// What became of each step, and where its job stands.
        steps: Vec<serde_json::Value>,
    }

    /// The plan of an address.
    #[derive(IntoParams)]
    #[into_params(parameter_in = Path)]
    pub(super) struct PlanPath {
        /// The plan's id; a slash in it is written `%2F`.
        #[param(example = "expiry-4711")]
        id: String,
    }
}
use shapes::{NewPlanBody, PlanActBody, PlanAnswerView, PlanPath, ReanchorBody};

/// A plan with all its steps.
#[derive(Serialize, ToSchema)]
#[schema(as = Plan)]
pub(crate) struct PlanView {
    /// Its id.
    #[schema(value_type = String)]
    id: PlanId,
    /// What it is about.
    #[schema(value_type = String)]
    subject: Subject,
    /// What sort of plan it is.
    #[schema(value_type = Option<String>, required)]
    name: Option<Kind>,
    /// What the times of its steps are counted from.
    #[schema(value_type = i64)]
    anchor_ms: Timestamp,
    /// How often it has changed as a whole.
    #[schema(value_type = u64)]
    version: Version,
    /// When it was made.
    #[schema(value_type = i64)]
    created_ms: Timestamp,
    /// Who made it.
    created_by: String,
    /// Since when it is held, by whom and why; null while it is not.
    #[schema(required)]
    held: Option<HeldView>,
    /// Its steps.
    steps: Vec<StepView>,
}

/// Who holds a plan.
#[derive(Serialize, ToSchema)]
#[schema(as = PlanHeld)]
struct HeldView {
    /// Since when.
    #[schema(value_type = i64)]
    at_ms: Timestamp,
    /// Who.
    by: String,
    /// Why.
    #[serde(rename = "reason")]
    why: String,
}

/// A step of a plan and where it stands.
#[derive(Serialize, ToSchema)]
#[schema(as = PlanStep)]
struct StepView {
    /// Unique in the plan.
    #[schema(value_type = String)]
    name: StepName,
    /// How long after the anchor it is due, in ms, with its part of a spread.
    #[schema(value_type = i64)]
    offset_ms: Offset,
    /// The steps that must be done before it.
    #[schema(value_type = Vec<String>)]
    after: Vec<StepName>,
    /// What becomes of it when one of them ended otherwise.
    unmet: &'static str,
    /// The id of its job.
    id: String,
    /// `done`, `dead` or `cancelled`; null while it is live.
    #[schema(required)]
    ended: Option<&'static str>,
    /// Its job; null once it is purged.
    #[schema(required)]
    job: Option<RowView>,
}

impl From<Plan> for PlanView {
    fn from(plan: Plan) -> Self {
        Self {
            id: plan.id,
            subject: plan.subject,
            name: plan.name,
            anchor_ms: plan.anchor,
            version: plan.version,
            created_ms: plan.created,
            created_by: plan.created_by,
            held: plan.held.map(|held| HeldView { at_ms: held.at, by: held.by, why: held.why }),
            steps: plan
                .steps
                .into_iter()
                .map(|step| StepView {
                    name: step.name,
                    offset_ms: step.offset,
                    after: step.after,
                    unmet: step.unmet.as_str(),
                    id: step.id.to_string(),
                    ended: step.ended.map(reprieve::model::JobState::as_str),
                    job: step.job.map(RowView::from),
                })
                .collect(),
        }
    }
}

/// The latest plans of a subject.
#[derive(Serialize, ToSchema)]
#[schema(as = Plans)]
struct PlansView {
    /// Newest first, at most 20.
    items: Vec<PlanView>,
}

/// Make a plan
///
/// Several jobs of one subject, each so long before or after one anchor, in one step. The same id again answers
/// `exists` and changes nothing. Steps whose time has passed are a problem unless `past` says what becomes of them.
#[utoipa::path(
    post, path = "/api/v1/plans", tag = "plans",
    request_body = NewPlanBody,
    responses(
        (status = 200, description = "It exists; nothing was changed.", body = PlanAnswerView),
        (status = 201, description = "It was made.", body = PlanAnswerView),
        (status = 409, description = "Steps are in the past (`past`), the subject has no room for its jobs (`subject_full`) or for a plan more (`plans_full`), or the id of a step is another job's (`taken`); nothing was made.", body = ProblemView, content_type = "application/problem+json"),
    ),
    security(("token" = ["jobs.enqueue"]))
)]
async fn make_plan(access: Access, request: Request) -> Result<Response, Problem> {
    access.require(Permission::EnqueueJobs)?;
    let text = body::text(request).await?;
    serde_json::from_str::<serde::de::IgnoredAny>(&text).map_err(|error| fields::malformed(&error))?;
    let mut mistakes = Mistakes::default();
    let plan = new_plan(&text, &mut mistakes);
    mistakes.into_result()?;
    let Some(plan) = plan else { return Err(Mistakes::default().into_problem()) };
    let queues = plan.steps.iter().map(|step| &step.job.queue);
    let operator = access.operator_in_all(Permission::EnqueueJobs, queues)?;
    let made = operator.make_plan(&plan).await.map_err(|error| Problem::engine(&error))?;
    if made.outcome == PlanWord::Exists && !access.sees_plan(&plan.id).await? {
        return Err(taken(&plan.id));
    }
    answer(made)
}

/// An id is unique in the namespace, so a caller who wants one has to be told that it is taken; nothing else of the plan.
fn taken(id: &PlanId) -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "other_queue",
        "You may not have a plan of this id",
        format!("plan {id} belongs to other queues than the token is bound to; take another id"),
    )
}

/// A plan with all its steps and where each stands
#[utoipa::path(
    get, path = "/api/v1/plans/{id}", tag = "plans", params(PlanPath),
    responses(
        (status = 200, description = "The plan.", body = PlanView),
        NoSuchPlan,
    ),
    security(("token" = ["view"]))
)]
async fn plan(access: Access, Path(id): Path<String>) -> Result<Json<PlanView>, Problem> {
    let id = path_name::<PlanId>(&id)?;
    let found = access.inspector_of_seen()?.plan(&id).await.map_err(|error| Problem::engine(&error))?;
    let plan = found.ok_or_else(|| Problem::engine(&reprieve::Error::NoPlan { id }))?;
    Ok(Json(PlanView::from(plan)))
}

/// The latest plans of a subject
#[utoipa::path(
    get, path = "/api/v1/subjects/{subject}/plans", tag = "plans", params(SubjectPath),
    responses((status = 200, description = "Its plans, newest first.", body = PlansView)),
    security(("token" = ["view"]))
)]
async fn subject_plans(access: Access, Path(subject): Path<String>) -> Result<Json<PlansView>, Problem> {
    let subject = path_name::<Subject>(&subject)?;
    let plans = access.inspector_of_seen()?.plans(&subject).await.map_err(|error| Problem::engine(&error))?;
    Ok(Json(PlansView { items: plans.into_iter().map(PlanView::from).collect() }))
}

/// Move a plan's anchor
///
/// Every step that has not run moves along; what runs or has ended stays. Exactly one of `anchor` and `by_ms`. To move a
/// step to an earlier time, or to say `"past": "run"`, takes `jobs.run` as well.
#[utoipa::path(
    post, path = "/api/v1/plans/{id}/reanchor", tag = "plans", params(PlanPath, IdempotencyKey),
    request_body = ReanchorBody,
    responses(
        (status = 200, description = "It moved.", body = PlanAnswerView),
        NoSuchPlan,
        Unchanged,
    ),
    security(("token" = ["jobs.reschedule"]))
)]
async fn reanchor_plan(
    access: Access,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    act(&access, &id, request, Verb::Reanchor).await
}

/// Hold a whole plan
///
/// None of its steps runs before `unhold`; the plan says who holds it and why.
#[utoipa::path(
    post, path = "/api/v1/plans/{id}/hold", tag = "plans", params(PlanPath, IdempotencyKey),
    request_body(content = Option<PlanActBody>),
    responses(
        (status = 200, description = "It is held.", body = PlanAnswerView),
        NoSuchPlan,
        Unchanged,
    ),
    security(("token" = ["jobs.hold"]))
)]
async fn hold_plan(access: Access, Path(id): Path<String>, request: Request) -> Result<Response, Problem> {
    act(&access, &id, request, Verb::Hold).await
}

/// Release a held plan
///
/// Its steps wait for their times again; those whose time has passed are a problem unless `past` says what becomes of
/// them.
#[utoipa::path(
    post, path = "/api/v1/plans/{id}/unhold", tag = "plans", params(PlanPath, IdempotencyKey),
    request_body(content = Option<PlanActBody>),
    responses(
        (status = 200, description = "It is released.", body = PlanAnswerView),
        NoSuchPlan,
        Unchanged,
    ),
    security(("token" = ["jobs.hold"]))
)]
async fn unhold_plan(access: Access, Path(id): Path<String>, request: Request) -> Result<Response, Problem> {
    act(&access, &id, request, Verb::Unhold).await
}

/// Call a whole plan off
///
/// Every live job of it, in one step.
#[utoipa::path(
    post, path = "/api/v1/plans/{id}/cancel", tag = "plans", params(PlanPath, IdempotencyKey),
    request_body(content = Option<PlanActBody>),
    responses(
        (status = 200, description = "What became of each step.", body = PlanAnswerView),
        NoSuchPlan,
        Unchanged,
    ),
    security(("token" = ["jobs.cancel"]))
)]
async fn cancel_plan(access: Access, Path(id): Path<String>, request: Request) -> Result<Response, Problem> {
    act(&access, &id, request, Verb::Cancel).await
}

/// Undo the cancel of a plan
///
/// What was called off waits again, at its time by the anchor. To say `"past": "run"` takes `jobs.retry` as well.
#[utoipa::path(
    post, path = "/api/v1/plans/{id}/reinstate", tag = "plans", params(PlanPath, IdempotencyKey),
    request_body(content = Option<PlanActBody>),
    responses(
        (status = 200, description = "What became of each step.", body = PlanAnswerView),
        NoSuchPlan,
        Unchanged,
    ),
    security(("token" = ["jobs.reinstate"]))
)]
async fn reinstate_plan(
    access: Access,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    act(&access, &id, request, Verb::Reinstate).await
}

/// What can be done to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Reanchor,
    Hold,
    Unhold,
    Cancel,
    Reinstate,
}

impl Verb {
    const fn permission(self) -> Permission {
        match self {
            Self::Reanchor => Permission::RescheduleJobs,
            Self::Hold | Self::Unhold => Permission::HoldJobs,
            Self::Cancel => Permission::CancelJobs,
            Self::Reinstate => Permission::ReinstateJobs,
        }
    }
}

/// The queues of a plan's jobs, as far as they are there.
fn queues_of(plan: &Plan) -> impl Iterator<Item = &QueueName> {
    plan.steps.iter().filter_map(|step| step.job.as_ref()).map(|job| &job.queue)
}

/// For people who act on one plan: the queues of all its jobs have to be theirs. A plan does not change its steps.
async fn operator_on(access: &Access, permission: Permission, id: &PlanId) -> Result<Operator, Problem> {
    access.require(permission)?;
    if let Ok(everywhere) = access.operator(permission) {
        return Ok(everywhere);
    }
    let found =
        access.inspector_to_act(permission)?.plan(id).await.map_err(|error| Problem::engine(&error))?;
    // One with jobs of other queues is answered as if it were not there.
    let missing = || Problem::engine(&reprieve::Error::NoPlan { id: id.clone() });
    let plan = found.ok_or_else(missing)?;
    if !queues_of(&plan).all(|queue| access.sees(queue)) {
        return Err(missing().found_elsewhere());
    }
    access.operator_in_all(permission, queues_of(&plan))
}

/// The version of a plan to act on. To have its steps earlier, or at once, takes the right to run jobs before their time; to
/// have at once what was called off, the right to retry.
async fn seen(access: &Access, id: &PlanId, verb: Verb, said: &Said) -> Result<Option<Version>, Problem> {
    match verb {
        Verb::Reanchor if access.require(Permission::RunJobs).is_err() => {}
        Verb::Reinstate if said.past == Past::Run => {
            access.require(Permission::RetryJobs)?;
            return Ok(said.version);
        }
        _ => return Ok(said.version),
    }
    if said.past == Past::Run {
        access.require(Permission::RunJobs)?;
    }
    let found = access.inspector_to_act(verb.permission())?.plan(id).await;
    // What is not there is for the act to tell.
    let Some(plan) = found.map_err(|error| Problem::engine(&error))? else { return Ok(said.version) };
    let now = access.instant(Due::Now).await?;
    let is_earlier = |step: &PlanStep, job: &JobRow| match said.anchor.unwrap_or(Anchor::To(Due::Now)) {
        Anchor::To(due) => step.offset.from(due.at(now)) < job.due,
        Anchor::By(by) => by.as_millis() < 0,
        _ => true,
    };
    let hastens =
        |step: &PlanStep| step.job.as_ref().is_some_and(|job| waits(job, now) && is_earlier(step, job));
    if plan.steps.iter().any(hastens) {
        access.require(Permission::RunJobs)?;
    }
    Ok(Some(said.version.unwrap_or(plan.version)))
}

async fn act(access: &Access, id: &str, request: Request, verb: Verb) -> Result<Response, Problem> {
    let id = path_name::<PlanId>(id)?;
    let acts = operator_on(access, verb.permission(), &id).await?.plan(&id);
    let operation = operation(access, request.headers())?;
    let text = body::text(request).await?;
    let said = fields::optional(&text, |fields, mistakes| said(fields, verb, mistakes))?;
    let seen = seen(access, &id, verb, &said).await?;
    let mut act: PlanAct = match verb {
        Verb::Reanchor => acts.reanchor(said.anchor.unwrap_or(Anchor::To(Due::Now))),
        Verb::Hold => acts.hold(),
        Verb::Unhold => acts.unhold(),
        Verb::Cancel => acts.cancel(),
        Verb::Reinstate => acts.reinstate(),
    };
    act = act.past(said.past).seen_if(seen).because(said.reason);
    act = act.operation(operation.id.as_str());
    answer(act.await.map_err(|error| operation.problem(&error))?)
}

/// The outcome as it is, or as a problem when somebody has to look again.
fn answer(answer: PlanAnswer) -> Result<Response, Problem> {
    let detail = match answer.outcome {
        PlanWord::Planned => return Ok((StatusCode::CREATED, Json(answer)).into_response()),
        PlanWord::Past => "steps would be in the past; say with `past` whether they run or are skipped",
        PlanWord::Conflict => "the plan has changed since the version you saw",
        _ => return Ok(Json(answer).into_response()),
    };
    Err(Problem::new(StatusCode::CONFLICT, answer.outcome.as_str(), "Nothing was changed", detail)
        .with(&answer))
}

/// What the caller says about an act.
#[derive(Debug, Default)]
struct Said {
    version: Option<Version>,
    reason: String,
    past: Past,
    anchor: Option<Anchor>,
}

fn said(mut fields: Fields<'_>, verb: Verb, mistakes: &mut Mistakes) -> Said {
    let version = fields.read::<u64>("version", "a whole number", mistakes).map(Version);
    let reason = act::reason(&mut fields, mistakes);
    let past = word("past", &mut fields, mistakes).unwrap_or_default();
    let mut known = "version, reason, past";
    let mut to = None;
    if verb == Verb::Reanchor {
        known = "anchor, by_ms, version, reason, past";
        let before = mistakes.len();
        let anchor = anchor(&mut fields, mistakes).map(Anchor::To);
        let by = fields.read::<i64>("by_ms", "a whole number of milliseconds", mistakes);
        to = anchor.or(by.map(|ms| Anchor::By(Offset::millis(ms))));
        if mistakes.len() == before && anchor.is_some() == by.is_some() {
            mistakes.body("", "required", "say where to: `anchor` or `by_ms`, not both");
        }
    }
    fields.refuse_the_rest(known, mistakes);
    Said { version, reason, past, anchor: to }
}

/// An anchor: an object with one of `due_at`, `due_ms`, `delay_ms`; now when it is empty.
fn anchor(fields: &mut Fields<'_>, mistakes: &mut Mistakes) -> Option<Due> {
    let pointer = fields.pointer("anchor");
    let text = fields.raw("anchor").filter(|text| *text != "null")?;
    let mut inner = Fields::of(text, &pointer, mistakes)?;
    let due = due::read(&mut inner, mistakes);
    inner.refuse_the_rest("due_at, due_ms, delay_ms", mistakes);
    Some(due.unwrap_or(Due::Now))
}

/// A field that is one of few words.
fn word<T: FromStr<Err = &'static str>>(
    name: &str,
    fields: &mut Fields<'_>,
    mistakes: &mut Mistakes,
) -> Option<T> {
    let text: Cow<'_, str> = fields.read(name, "a text", mistakes)?;
    text.parse()
        .map_err(|words: &str| {
            mistakes.body(fields.pointer(name), "unknown_word", format!("`{name}` is {words}"));
        })
        .ok()
}

fn required<T>(
    name: &str,
    found: Option<T>,
    before: usize,
    fields: &Fields<'_>,
    mistakes: &mut Mistakes,
) -> Option<T> {
    if found.is_none() && mistakes.len() == before {
        mistakes.body(fields.pointer(name), "required", format!("`{name}` is needed"));
    }
    found
}

/// Reads a plan out of a text of its own.
///
/// # Errors
/// Its mistakes, in one line.
pub(crate) fn plan_from_text(text: &str) -> Result<NewPlan, String> {
    serde_json::from_str::<serde::de::IgnoredAny>(text)
        .map_err(|why| format!("not JSON: {}", crate::strict::plain(&why)))?;
    let mut mistakes = Mistakes::default();
    match new_plan(text, &mut mistakes) {
        Some(plan) if mistakes.len() == 0 => Ok(plan),
        _ => Err(mistakes.in_one_line()),
    }
}

fn new_plan(text: &str, mistakes: &mut Mistakes) -> Option<NewPlan> {
    let mut fields = Fields::of(text, "", mistakes)?;
    let before = mistakes.len();
    let id = fields.name("id", mistakes);
    let id = required("id", id, before, &fields, mistakes);
    let before = mistakes.len();
    let subject = fields.name("subject", mistakes);
    let subject = required("subject", subject, before, &fields, mistakes);
    let name = fields.name::<Kind>("name", mistakes);
    let from = anchor(&mut fields, mistakes).unwrap_or(Due::Now);
    let past = word("past", &mut fields, mistakes).unwrap_or_default();
    let pointer = fields.pointer("steps");
    let items = fields.read::<Vec<&RawValue>>("steps", "an array of steps", mistakes).unwrap_or_default();
    let mut steps = Vec::new();
    for (index, item) in items.iter().take(reprieve::PLAN_STEPS_MAX + 1).enumerate() {
        steps.extend(new_step(item.get(), &format!("{pointer}/{index}"), mistakes));
    }
    fields.refuse_the_rest("id, subject, name, anchor, past, steps", mistakes);
    if mistakes.len() > 0 {
        return None;
    }
    let mut plan = NewPlan::new(id?, subject?).from(from).past(past);
    (plan.name, plan.steps) = (name, steps);
    if let Err(reprieve::Error::Invalid { field, why }) = plan.check() {
        mistakes.body("/steps", "invalid", format!("`{field}` {why}"));
    }
    Some(plan)
}

fn new_step(text: &str, pointer: &str, mistakes: &mut Mistakes) -> Option<NewStep> {
    let mut fields = Fields::of(text, pointer, mistakes)?;
    let before = mistakes.len();
    let name = fields.name("name", mistakes);
    let name = required("name", name, before, &fields, mistakes);
    let before = mistakes.len();
    let offset = fields.read::<i64>("offset_ms", "a whole number of milliseconds", mistakes);
    let offset = required("offset_ms", offset, before, &fields, mistakes);
    let after =
        fields.read::<Vec<String>>("after", "an array of names of steps", mistakes).unwrap_or_default();
    let mut waits_for = Vec::new();
    for name in after {
        match StepName::new(name) {
            Ok(name) => waits_for.push(name),
            Err(why) => mistakes.body(fields.pointer("after"), "invalid_name", why.to_string()),
        }
    }
    let unmet = word("unmet", &mut fields, mistakes).unwrap_or(Unmet::Cancel);
    let job_pointer = fields.pointer("job");
    let before = mistakes.len();
    let job = fields.raw("job");
    let job = required("job", job, before, &fields, mistakes)
        .and_then(|text| new_job::read(text, &job_pointer, mistakes));
    fields.refuse_the_rest("name, offset_ms, after, unmet, job", mistakes);
    Some(NewStep::new(name?, Offset::millis(offset?), job?).only_after(waits_for).otherwise(unmet))
}
