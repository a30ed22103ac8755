//! `/api/v1/plans`: several jobs of one subject from one anchor, made, read and changed as one thing.

use super::act::operation;
use super::enqueue::JOBS_MAX;
use super::needs;
use super::new_job::NewJobBody;
use super::reason::Reason;
use super::refusals::{NoSuchPlan, Unchanged};
use super::shapes::IdempotencyKey;
use super::view::RowView;
use super::views::view;
use super::{due, path_name};
use crate::access::Access;
use crate::body;
use crate::parse::{self, AtMost, Object, Word};
use crate::problem::{Mistakes, Problem, Told};
use axum::Json;
use axum::extract::{Path, Request};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use reprieve::model::{
    JobId, JobRow, JobState, Kind, Offset, Past, Permission, Plan, PlanAnswer, PlanId, PlanStep, PlanWord,
    QueueName, StepName, Subject, Timestamp, Unmet, Version,
};
use reprieve::{Anchor, Due, Engine, NewPlan, NewStep, Operator, PlanAct};
use reprieve_access::waits;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The plans' routes.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(needs(Permission::EnqueueJobs, routes!(make_plan)))
        .routes(routes!(plan))
        .routes(routes!(subject_plans))
        .routes(needs(Permission::RescheduleJobs, routes!(reanchor_plan)))
        .routes(needs(Permission::HoldJobs, routes!(hold_plan)))
        .routes(needs(Permission::HoldJobs, routes!(unhold_plan)))
        .routes(needs(Permission::CancelJobs, routes!(cancel_plan)))
        .routes(needs(Permission::ReinstateJobs, routes!(reinstate_plan)))
}

/// When, as one of the three; now without any.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Anchor)]
struct AnchorBody {
    /// In RFC 3339.
    due_at: Option<String>,
    /// In ms since 1970.
    due_ms: Option<i64>,
    /// In ms from now, by Redis's clock.
    delay_ms: Option<i64>,
}

/// A plan to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewPlan, example = json!({
    "id": "expiry-4711", "subject": "resource:4711", "name": "expiry",
    "steps": [
        { "name": "notice", "offset_ms": 1_987_200_000, "job": { "kind": "notice" } },
        { "name": "delete", "offset_ms": 2_592_000_000_i64, "after": ["notice"], "unmet": "hold",
          "job": { "kind": "delete_resource", "payload": { "id": 4711 } } },
    ],
}))]
struct NewPlanBody {
    /// Your own name for it: a repeat under the same id answers `exists`. 1 to 64 bytes of `A-Z a-z 0-9 . _ : / @ -`.
    id: PlanId,
    /// What it is about; so are all its jobs.
    subject: Subject,
    /// What sort of plan it is.
    name: Option<Kind>,
    /// What the times of its steps are counted from; now without it.
    #[schema(value_type = Option<AnchorBody>)]
    anchor: Option<Object<AnchorBody>>,
    /// What becomes of steps whose time has passed: `refuse` (without it), `run` or `skip`.
    past: Option<Word<Past>>,
    /// 1 to 32 steps.
    #[schema(value_type = Vec<NewStepBody>)]
    steps: AtMost<JOBS_MAX, Object<NewStepBody>>,
}

/// A step of a plan.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewStep)]
struct NewStepBody {
    /// Unique in the plan; the job's id is `<plan>/<step>`. 1 to 48 bytes of `A-Z a-z 0-9 . _ -`.
    name: StepName,
    /// How long after the anchor it is due, in ms; negative is before it. `spread_ms` of its job comes on top.
    offset_ms: i64,
    /// Earlier steps that must be done before it may run.
    after: Option<Vec<StepName>>,
    /// What becomes of it when one of them ended otherwise: `cancel` (without it) or `hold`.
    unmet: Option<Word<Unmet>>,
    /// What is to be done, without id, subject, time, `unique` and `replace`.
    #[schema(value_type = NewJobBody)]
    job: Object<NewJobBody>,
}

/// What is said about an act on a plan; may be left out.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlanAct, example = json!({ "reason": "legal asked for it", "past": "skip" }))]
struct PlanActBody {
    /// The version of the plan that was seen: if it has changed since, nothing happens.
    version: Option<u64>,
    /// Why; at most 1,024 bytes.
    reason: Option<Reason>,
    /// What becomes of steps whose time has passed: `refuse` (without it), `run` or `skip`.
    past: Option<Word<Past>>,
}

/// Where a plan's anchor is moved to: `anchor`, or `by_ms`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlanReanchor, example = json!({ "by_ms": 2_592_000_000_i64, "reason": "renewed for 30 days" }))]
struct ReanchorBody {
    /// To that time.
    #[schema(value_type = Option<AnchorBody>)]
    anchor: Option<Object<AnchorBody>>,
    /// By so many ms from where it is; negative is earlier.
    by_ms: Option<i64>,
    /// The version of the plan that was seen.
    version: Option<u64>,
    /// Why; at most 1,024 bytes.
    reason: Option<Reason>,
    /// What becomes of steps whose time would have passed: `refuse` (without it), `run` or `skip`.
    past: Option<Word<Past>>,
}

impl AnchorBody {
    fn checked(&self, mistakes: &mut Mistakes) -> Due {
        due::of(self.due_at.as_deref(), self.due_ms, self.delay_ms, "/anchor", mistakes).unwrap_or(Due::Now)
    }
}

impl NewPlanBody {
    fn checked(self) -> Result<NewPlan, Problem> {
        let mut mistakes = Mistakes::default();
        let from = self.anchor.map_or(Due::Now, |Object(anchor)| anchor.checked(&mut mistakes));
        let steps = self.steps.0.into_iter().enumerate();
        let steps: Vec<NewStep> = steps
            .map(|(index, Object(step))| {
                let job = step.job.0.checked(&format!("/steps/{index}/job"), &mut mistakes);
                let unmet = step.unmet.map_or(Unmet::Cancel, |Word(unmet)| unmet);
                let new = NewStep::new(step.name, Offset::millis(step.offset_ms), job);
                new.only_after(step.after.unwrap_or_default()).otherwise(unmet)
            })
            .collect();
        mistakes.into_result()?;
        let mut plan = NewPlan::new(self.id, self.subject).from(from).past(self.past.unwrap_or_default().0);
        (plan.name, plan.steps) = (self.name, steps);
        match plan.check() {
            Err(reprieve::Error::Invalid { field, why }) => {
                Err(Problem::mistake("/steps", "invalid", format!("`{field}` {why}")))
            }
            _ => Ok(plan),
        }
    }
}

/// What the caller says about an act.
#[derive(Debug)]
struct Said {
    version: Option<Version>,
    reason: String,
    past: Past,
    anchor: Option<Anchor>,
}

impl Said {
    fn new(version: Option<u64>, reason: Option<Reason>, past: Option<Word<Past>>) -> Self {
        let (version, past) = (version.map(Version), past.unwrap_or_default().0);
        Self { version, reason: Reason::of(reason), past, anchor: None }
    }
}

impl From<PlanActBody> for Said {
    fn from(body: PlanActBody) -> Self {
        Self::new(body.version, body.reason, body.past)
    }
}

impl ReanchorBody {
    fn checked(self) -> Result<Said, Problem> {
        let mut mistakes = Mistakes::default();
        let to = self.anchor.map(|Object(anchor)| Anchor::To(anchor.checked(&mut mistakes)));
        let by = self.by_ms.map(|ms| Anchor::By(Offset::millis(ms)));
        if to.is_some() == by.is_some() {
            mistakes.body("", "required", "say where to: `anchor` or `by_ms`, not both");
        }
        mistakes.into_result()?;
        Ok(Said { anchor: to.or(by), ..Said::new(self.version, self.reason, self.past) })
    }
}

/// What became of a plan.
#[derive(ToSchema)]
#[schema(as = PlanAnswer)]
#[expect(dead_code, reason = "it describes what the engine answers")]
struct PlanAnswerView {
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
    steps: Vec<StepAnswerView>,
}

/// What a verb on a plan did to one step.
#[derive(ToSchema)]
#[schema(as = PlanStepAnswer)]
#[expect(dead_code, reason = "it describes what the engine answers")]
struct StepAnswerView {
    /// The step.
    step: StepName,
    /// What became of it: `delayed`, `ready`, `moved`, `skipped`, `held`, `released`, `cancelled`, `requested`, `final`,
    /// `reinstated`, `past`, `stays`, `gone`.
    outcome: String,
    /// Its job. This and all below are left out where that is purged.
    id: Option<JobId>,
    /// Its state now.
    state: Option<JobState>,
    /// Its version now.
    version: Option<Version>,
    /// Its due time now.
    due_ms: Option<Timestamp>,
    /// When its latest attempt began; null before the first.
    started_ms: Option<Timestamp>,
    /// When it ended; null while it lives.
    ended_ms: Option<Timestamp>,
    /// Who has it, or had it last; null before the first attempt.
    worker: Option<String>,
    /// When this answer was made, by Redis's clock.
    at_ms: Option<Timestamp>,
}

view! {
    /// A plan with all its steps.
    pub(crate) struct PlanView as Plan from plan: Plan {
        /// Its id.
        id: PlanId,
        /// What it is about.
        subject: Subject,
        /// What sort of plan it is.
        name: Option<Kind>,
        /// What the times of its steps are counted from.
        anchor_ms: Timestamp = plan.anchor,
        /// How often it has changed as a whole.
        version: Version,
        /// When it was made.
        created_ms: Timestamp = plan.created,
        /// Who made it.
        created_by: String,
        /// Since when it is held, by whom and why; null while it is not.
        held: Option<HeldView> = plan.held.map(|held| HeldView { at_ms: held.at, by: held.by, why: held.why }),
        /// Its steps.
        steps: Vec<StepView> = plan.steps.into_iter().map(StepView::from).collect(),
    }
}

/// Who holds a plan.
#[derive(Serialize, ToSchema)]
#[schema(as = PlanHeld)]
struct HeldView {
    /// Since when.
    at_ms: Timestamp,
    /// Who.
    by: String,
    /// Why.
    #[serde(rename = "reason")]
    why: String,
}

view! {
    /// A step of a plan and where it stands.
    struct StepView as PlanStep from step: PlanStep {
        /// Unique in the plan.
        name: StepName,
        /// How long after the anchor it is due, in ms, with its part of a spread.
        offset_ms: Offset = step.offset,
        /// The steps that must be done before it.
        after: Vec<StepName>,
        /// What becomes of it when one of them ended otherwise.
        unmet: &'static str = step.unmet.as_str(),
        /// The id of its job.
        id: String = step.id.to_string(),
        /// `done`, `dead` or `cancelled`; null while it is live.
        ended: Option<&'static str> = step.ended.map(JobState::as_str),
        /// Its job; null once it is purged.
        job: Option<RowView> = step.job.map(RowView::from),
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
    post, path = "/api/v1/plans",
    request_body = NewPlanBody,
    responses(
        (status = 200, description = "It exists; nothing was changed.", body = PlanAnswerView),
        (status = 201, description = "It was made.", body = PlanAnswerView),
        (status = 409, description = "Steps are in the past (`past`), the subject has no room for its jobs (`subject_full`) or for a plan more (`plans_full`), or the id of a step is another job's (`taken`); nothing was made."),
    ),
)]
async fn make_plan(access: Access, request: Request) -> Result<Response, Problem> {
    access.require(Permission::EnqueueJobs)?;
    let plan = body::read::<NewPlanBody>(request).await?.checked()?;
    let queues = plan.steps.iter().map(|step| &step.job.queue);
    let operator = access.operator_in_all(Permission::EnqueueJobs, queues)?;
    let made = operator.make_plan(&plan).await.told()?;
    if made.outcome == PlanWord::Exists && !access.sees_plan(&plan.id).await? {
        return Err(Problem::taken_elsewhere("plan", plan.id.as_str()));
    }
    answer(made)
}

/// A plan with all its steps and where each stands
#[utoipa::path(
    get, path = "/api/v1/plans/{id}",
    responses(
        (status = 200, description = "The plan.", body = PlanView),
        NoSuchPlan,
    ),
)]
async fn plan(access: Access, Path(id): Path<String>) -> Result<Json<PlanView>, Problem> {
    let id = path_name::<PlanId>(&id)?;
    let found = access.inspector_of_seen()?.plan(&id).await.told()?;
    let plan = found.ok_or_else(|| Problem::engine(&reprieve::Error::NoPlan { id }))?;
    Ok(Json(PlanView::from(plan)))
}

/// The latest plans of a subject
#[utoipa::path(
    get, path = "/api/v1/subjects/{subject}/plans",
    responses((status = 200, description = "Its plans, newest first.", body = PlansView)),
)]
async fn subject_plans(access: Access, Path(subject): Path<String>) -> Result<Json<PlansView>, Problem> {
    let subject = path_name::<Subject>(&subject)?;
    let plans = access.inspector_of_seen()?.plans(&subject).await.told()?;
    Ok(Json(PlansView { items: plans.into_iter().map(PlanView::from).collect() }))
}

/// A verb of a plan: its address, its body, and what is said when it was done.
macro_rules! verb {
    ($(#[$doc:meta])* $function:ident: $verb:ident, $path:literal, $body:ty, $done:literal) => {
        $(#[$doc])*
        #[utoipa::path(
            post, path = $path, params(IdempotencyKey),
            request_body(content = $body),
            responses((status = 200, description = $done, body = PlanAnswerView), NoSuchPlan, Unchanged),
        )]
        async fn $function(access: Access, Path(id): Path<String>, request: Request) -> Result<Response, Problem> {
            act(&access, &id, request, Verb::$verb).await
        }
    };
}

verb!(
    /// Move a plan's anchor
    ///
    /// Every step that has not run moves along; what runs or has ended stays. Exactly one of `anchor` and `by_ms`. To move a
    /// step to an earlier time, or to say `"past": "run"`, takes `jobs.run` as well.
    reanchor_plan: Reanchor, "/api/v1/plans/{id}/reanchor", ReanchorBody, "It moved."
);
verb!(
    /// Hold a whole plan
    ///
    /// None of its steps runs before `unhold`; the plan says who holds it and why.
    hold_plan: Hold, "/api/v1/plans/{id}/hold", Option<PlanActBody>, "It is held."
);
verb!(
    /// Release a held plan
    ///
    /// Its steps wait for their times again; those whose time has passed are a problem unless `past` says what becomes of
    /// them.
    unhold_plan: Unhold, "/api/v1/plans/{id}/unhold", Option<PlanActBody>, "It is released."
);
verb!(
    /// Cancel a plan
    ///
    /// Every live job of it, in one step.
    cancel_plan: Cancel, "/api/v1/plans/{id}/cancel", Option<PlanActBody>, "What became of each step."
);
verb!(
    /// Undo the cancel of a plan
    ///
    /// What was cancelled waits again, at its time by the anchor. To say `"past": "run"` takes `jobs.retry` as well.
    reinstate_plan: Reinstate, "/api/v1/plans/{id}/reinstate", Option<PlanActBody>, "What became of each step."
);

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
    let found = access.inspector_to_act(permission)?.plan(id).await.told()?;
    // One with jobs of other queues is answered as if it were not there.
    let missing = || Problem::engine(&reprieve::Error::NoPlan { id: id.clone() });
    let plan = found.ok_or_else(missing)?;
    if !queues_of(&plan).all(|queue| access.principal().may_in(queue)) {
        return Err(missing().found_elsewhere());
    }
    Ok(access.operator_in_all(permission, queues_of(&plan))?)
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
    let Some(plan) = found.told()? else { return Ok(said.version) };
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
    let said = if verb == Verb::Reanchor {
        body::read_optional::<ReanchorBody>(request).await?.checked()?
    } else {
        body::read_optional::<PlanActBody>(request).await?.into()
    };
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
    Err(Problem::conflict(answer.outcome.as_str(), "Nothing was changed", detail).with(&answer))
}

/// Reads a plan out of a text of its own.
///
/// # Errors
/// Its mistakes, in one line.
pub(crate) fn plan_from_text(text: &str) -> Result<NewPlan, String> {
    parse::in_shell(text, NewPlanBody::checked)
}
