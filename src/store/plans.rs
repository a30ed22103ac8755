//! Plans: one method for making them, one for the verbs, two for reading.

use super::intake::{add_job_under, due_argument};
use super::intent::Intent;
use super::journal::Acted;
use super::reply::{Item, Reply};
use super::script;
use super::shards::joined;
use super::verb::Verb;
use super::{Shards, Store};
use crate::constraints::Constraints;
use crate::error::{Error, Result};
use crate::model::{
    Held, JobId, JobState, Offset, Past, Plan, PlanAnswer, PlanId, PlanStep, PlanWord, StepAnswer, StepName,
    Subject, Timestamp, Unmet, Version,
};
use crate::new_plan::{Anchor, NewPlan, NewStep};
use crate::store::codec;
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};

/// What is done to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanVerb {
    /// Move its anchor.
    Reanchor(Anchor),
    /// Hold it.
    Hold,
    /// Release it.
    Unhold,
    /// Call it off.
    Cancel,
    /// Put it back.
    Reinstate,
}

/// A step as the record keeps it: see `lua/core/plan.lua`.
#[derive(Serialize, Deserialize)]
struct StoredStep {
    name: String,
    offset_ms: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    unmet: String,
}

impl Store {
    /// Makes a plan in one step: see `lua/functions/plans/plan.lua`. The plan must have been checked.
    ///
    /// # Errors
    /// [`Error::PlanRefused`] when the subject has no room for it or an id is taken: nothing changed.
    pub async fn plan(&self, actor: &str, plan: &NewPlan) -> Result<PlanAnswer> {
        let stored = |step: &NewStep| Ok(stored(step, &plan.job_id(&step.name)?));
        let steps: Vec<StoredStep> = plan.steps.iter().map(stored).collect::<Result<_>>()?;
        let mut call = self.call(&script::PLAN);
        call.arg(actor).arg(plan.id.as_str()).arg(plan.subject.as_str());
        call.arg(plan.name.as_ref().map_or("", |name| name.as_str()));
        call.arg(due_argument(plan.anchor)).arg(plan.past.as_str()).arg(json(&steps)?);
        for step in &plan.steps {
            let mut job = step.job.clone();
            job.subject = Some(plan.subject.clone());
            let mut constraints = Constraints::of(&job);
            constraints.plan = Some(plan.id.to_string());
            constraints.step = Some(step.name.to_string());
            constraints.after = step.after.iter().map(ToString::to_string).collect();
            constraints.unmet = (!step.after.is_empty()).then(|| step.unmet.as_str().to_owned());
            add_job_under(&mut call, &plan.job_id(&step.name)?, &job, &constraints)?;
        }
        answer(&plan.id, self.grow(&call).await?)
    }

    /// Does something to a plan as a whole: see `lua/functions/plans/reanchor.lua` and its neighbours.
    ///
    /// # Errors
    /// [`Error::NoPlan`]; [`Error::PlanRefused`] when the subject has no room for what would be put back;
    /// [`Error::Unavailable`]: repeat it under the same operation id.
    pub async fn act_on_plan(
        &self,
        id: &PlanId,
        verb: PlanVerb,
        past: Past,
        intent: &Intent,
    ) -> Result<PlanAnswer> {
        let (script, drains): (&'static Verb, bool) = match verb {
            PlanVerb::Reanchor(_) => (&script::REANCHOR, false),
            PlanVerb::Hold => (&script::HOLD_PLAN, true),
            PlanVerb::Unhold => (&script::UNHOLD_PLAN, false),
            PlanVerb::Cancel => (&script::CANCEL_PLAN, true),
            PlanVerb::Reinstate => (&script::REINSTATE_PLAN, false),
        };
        let mut call = self.call(script);
        call.arg(id.as_str()).arg(intent.seen.map(|version| version.to_string()).unwrap_or_default());
        call.arg(&intent.actor).arg(&intent.why).operation(&intent.operation).arg(past.as_str());
        if let PlanVerb::Reanchor(anchor) = verb {
            call.arg(match anchor {
                Anchor::To(due) => due_argument(due),
                Anchor::By(offset) => format!("by{:+}", offset.as_millis()),
            });
        }
        let answer = answer(id, if drains { self.drain(&call).await? } else { self.grow(&call).await? })?;
        for step in &answer.steps {
            let acted = match (verb, step.outcome.as_str()) {
                (PlanVerb::Cancel, "cancelled" | "requested") | (_, "skipped") => Acted::Cancelled,
                (PlanVerb::Hold, "held") => Acted::Held,
                (PlanVerb::Reinstate, "reinstated") => match &step.standing {
                    Some(standing) if standing.state == JobState::Held => Acted::PutBackHeld,
                    _ => Acted::Reinstated,
                },
                (PlanVerb::Unhold, "released") => Acted::Released,
                (PlanVerb::Reanchor(_), "moved") => match &step.standing {
                    Some(standing) => Acted::Rescheduled(standing.due),
                    None => continue,
                },
                _ => continue,
            };
            if let Some(standing) = &step.standing {
                self.acknowledge(acted, standing, intent);
            }
        }
        Ok(answer)
    }

    /// Plans by their ids, with all steps; those that are there, and Redis's clock.
    ///
    /// # Errors
    /// [`Error::Codec`] for a record that does not read.
    pub async fn plans(&self, ids: &[PlanId]) -> Result<(Vec<Plan>, Timestamp)> {
        let mut call = self.call(&script::PLAN_STEPS);
        for id in ids {
            call.arg(id.as_str());
        }
        let mut reply = self.read(&call).await?;
        let now = reply.time("now")?;
        Ok((reply.map(|item| plan(item.list()?)).collect::<Result<_>>()?, now))
    }

    /// The ids of a subject's plans, newest first.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn plans_of(&self, subject: &Subject, most: u32) -> Result<Vec<PlanId>> {
        let mut call = self.call(&script::PLANS);
        call.arg(subject.as_str()).arg(most);
        self.read(&call).await?.map(|item| Ok(PlanId::new(item.text()?)?)).collect()
    }
}

impl Shards {
    /// Makes a plan in the shard of its subject; one whose id is taken in another shard `exists` there.
    ///
    /// # Errors
    /// As [`Store::plan`]; also for a step whose job's id is taken in another shard.
    pub async fn plan(&self, actor: &str, plan: &NewPlan) -> Result<PlanAnswer> {
        let home = self.of_subject(&plan.subject);
        if self.count() == 1 {
            return home.plan(actor, plan).await;
        }
        let found = self.each(|store| store.plans(std::slice::from_ref(&plan.id))).await?;
        let holder = self.all().iter().zip(found).find(|(_, (plans, _))| !plans.is_empty());
        if let Some((store, _)) = holder {
            return store.plan(actor, plan).await;
        }
        let steps: Vec<JobId> =
            plan.steps.iter().map(|step| plan.job_id(&step.name)).collect::<Result<_>>()?;
        let found = self.holders(&steps.iter().collect::<Vec<_>>()).await?;
        if let Some(id) = found.elsewhere(home.shard()) {
            return Err(taken(&plan.id, id.as_str()));
        }
        found.prepare(home).await?;
        home.plan(actor, plan).await
    }

    /// Does something to a plan in whichever shard it is.
    ///
    /// # Errors
    /// As [`Store::act_on_plan`].
    pub async fn act_on_plan(
        &self,
        id: &PlanId,
        verb: PlanVerb,
        past: Past,
        intent: &Intent,
    ) -> Result<PlanAnswer> {
        let act = async |store: Store| store.act_on_plan(id, verb, past, intent).await;
        if !intent.operation.is_empty()
            && let Some((holder, plan, at)) = self.holder_of_plan(id).await
        {
            if !self.answers_elsewhere(holder, &act, is_missing).await {
                return act(holder.clone()).await;
            }
            let Plan { id, version, anchor, held, .. } = plan;
            let (outcome, held) = (PlanWord::Conflict, held.map(|held| held.at));
            return Ok(PlanAnswer { outcome, plan: id, version, anchor, held, at, steps: Vec::new() });
        }
        joined(join_all(self.all().iter().map(|store| act(store.clone()))).await, is_missing)
    }

    /// Which of several shards has a plan, as far as they answer; the plan, and when it was read.
    async fn holder_of_plan(&self, id: &PlanId) -> Option<(&Store, Plan, Timestamp)> {
        let several = Some(self.all()).filter(|stores| stores.len() > 1)?;
        let ids = std::slice::from_ref(id);
        let found = join_all(several.iter().map(async |store| (store, store.plans(ids).await))).await;
        found.into_iter().find_map(|(store, answer)| {
            let (mut plans, at) = answer.ok()?;
            Some((store, plans.pop()?, at))
        })
    }
}

fn is_missing(error: &Error) -> bool {
    matches!(error, Error::NoPlan { .. })
}

/// A step as it is kept, with its job's place in its spread: a new anchor moves both.
fn stored(step: &NewStep, id: &JobId) -> StoredStep {
    let later = step.job.spread.map_or(0, |spread| spread.of(id).as_millis());
    StoredStep {
        name: step.name.to_string(),
        offset_ms: step.offset.as_millis().saturating_add(later).to_string(),
        after: step.after.iter().map(ToString::to_string).collect(),
        unmet: if step.after.is_empty() { String::new() } else { step.unmet.as_str().to_owned() },
    }
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::invalid("steps", format!("cannot be written as JSON: {error}")))
}

/// The refusal of a plan whose step would need the id of another job.
fn taken(plan: &PlanId, id: &str) -> Error {
    refused(plan, "id_conflict", format!("would need the id {id:?}, which is that of a job that exists"))
}

fn refused(plan: &PlanId, word: &'static str, why: String) -> Error {
    Error::PlanRefused { id: plan.clone(), word, why }
}

pub(super) fn answer(id: &PlanId, mut reply: Reply) -> Result<PlanAnswer> {
    let word = reply.text()?;
    match word.as_str() {
        "missing" => return Err(Error::NoPlan { id: id.clone() }),
        "taken" => return Err(taken(id, &reply.text()?)),
        "subject_full" => {
            let live = reply.text()?;
            let why = format!("has no room: its subject has {live} live jobs, at most 1,000 are allowed");
            return Err(refused(id, "subject_full", why));
        }
        "plans_full" => {
            let why = format!("has no room: its subject has its limit of {} plans", reply.text()?);
            return Err(refused(id, "plans_full", why));
        }
        _ => {}
    }
    let outcome = word.parse().map_err(|_| super::unknown_word("a plan", &word))?;
    let (plan, version) = (reply.parse("plan")?, Version(reply.parse("version")?));
    let (anchor, held) = (reply.time("anchor")?, reply.optional_time("held")?);
    let at = reply.time("now")?;
    let steps = reply.map(|item| step_answer(item.list()?)).collect::<Result<_>>()?;
    Ok(PlanAnswer { outcome, plan, version, anchor, held, at, steps })
}

fn step_answer(mut reply: Reply) -> Result<StepAnswer> {
    let (step, word) = (reply.parse("step")?, reply.text()?);
    let standing = if word == "gone" { None } else { Some(reply.standing()?) };
    Ok(StepAnswer { step, outcome: word, standing })
}

pub(super) fn plan(mut reply: Reply) -> Result<Plan> {
    let (id, subject): (PlanId, _) = (reply.parse("plan")?, reply.parse("subject")?);
    let name = reply.optional("name")?;
    let (anchor, version) = (reply.time("anchor")?, Version(reply.parse("version")?));
    let mut plan = Plan::new(id, subject, anchor, reply.time("created")?);
    (plan.name, plan.version, plan.created_by) = (name, version, reply.text()?);
    let (held, by, why) = (reply.optional_time("held")?, reply.text()?, reply.text()?);
    plan.held = held.map(|at| Held::new(at, by, why));
    let steps: Vec<StoredStep> = serde_json::from_str(&reply.text()?)
        .map_err(|error| Error::codec(format!("the steps of plan {} do not read: {error}", plan.id)))?;
    let mut ends = reply.next().map(Item::list).transpose()?.into_iter().flatten();
    for stored in steps {
        let mut step = step(&plan.id, stored)?;
        step.ended = ends.next().map(Item::text).transpose()?.and_then(|word| word.parse().ok());
        step.job = reply.next().map(Item::list).transpose()?.and_then(codec::row);
        plan.steps.push(step);
    }
    Ok(plan)
}

fn step(plan: &PlanId, stored: StoredStep) -> Result<PlanStep> {
    let name = StepName::new(stored.name)?;
    let offset = stored.offset_ms.parse().map_err(|_| Error::codec("an offset is not a number"))?;
    let id = JobId::new(format!("{plan}/{name}"))?;
    let mut step = PlanStep::new(name, Offset::millis(offset), id);
    step.after = stored.after.into_iter().map(|name| Ok(StepName::new(name)?)).collect::<Result<_>>()?;
    step.unmet = stored.unmet.parse().unwrap_or(Unmet::Cancel);
    Ok(step)
}
