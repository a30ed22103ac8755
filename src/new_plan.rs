//! Plans: several jobs of one subject from one anchor, made as one thing.
//!
//! The subject of a plan is its home: on several shards all of it lies in the shard of its subject.

use crate::error::{Error, Result};
use crate::model::{JobId, Kind, Offset, Past, PlanId, StepName, Subject, Unmet};
use crate::new_job::{Due, NewJob, SPAN_MAX};

/// Steps of a plan: a month of daily notices. One script moves them all (`lua/core/plan.lua`).
pub const PLAN_STEPS_MAX: usize = 32;

/// A step of a plan to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewStep {
    /// Unique in the plan.
    pub name: StepName,
    /// When it is due, by the anchor; later by its part of the spread of its job.
    pub offset: Offset,
    /// What is to be done. Its id, subject, due time, unique key and `replace` are the plan's business.
    pub job: NewJob,
    /// The steps that must be done before it may run. While one of them is live it waits, beyond its due time.
    pub after: Vec<StepName>,
    /// What becomes of it when one of them ended otherwise.
    pub unmet: Unmet,
}

impl NewStep {
    /// A step that waits for nothing but its time.
    #[must_use]
    pub const fn new(name: StepName, offset: Offset, job: NewJob) -> Self {
        Self { name, offset, job, after: Vec::new(), unmet: Unmet::Cancel }
    }

    /// Only if these steps were done.
    #[must_use]
    pub fn only_after(mut self, steps: impl IntoIterator<Item = StepName>) -> Self {
        self.after.extend(steps);
        self
    }

    /// What becomes of it when one of them was not.
    #[must_use]
    pub const fn otherwise(mut self, unmet: Unmet) -> Self {
        self.unmet = unmet;
        self
    }
}

/// A plan to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewPlan {
    /// Chosen by the caller so that a repeat is recognised.
    pub id: PlanId,
    /// What it is about.
    pub subject: Subject,
    /// What sort of plan it is, such as `expiry`; for people.
    pub name: Option<Kind>,
    /// What the times of the steps are counted from.
    pub anchor: Due,
    /// What becomes of steps whose time has passed already.
    pub past: Past,
    /// Its steps, 1 to 32.
    pub steps: Vec<NewStep>,
}

impl NewPlan {
    /// A plan without steps, from now.
    #[must_use]
    pub const fn new(id: PlanId, subject: Subject) -> Self {
        Self { id, subject, name: None, anchor: Due::Now, past: Past::Refuse, steps: Vec::new() }
    }

    /// What the times of its steps are counted from.
    #[must_use]
    pub const fn from(mut self, anchor: Due) -> Self {
        self.anchor = anchor;
        self
    }

    /// With one step more.
    #[must_use]
    pub fn step(mut self, step: NewStep) -> Self {
        self.steps.push(step);
        self
    }

    /// What becomes of steps whose time has passed already.
    #[must_use]
    pub const fn past(mut self, past: Past) -> Self {
        self.past = past;
        self
    }

    /// Checks the limits that types do not carry.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the field, or what [`NewJob::check`] says of a step's job.
    pub fn check(&self) -> Result<()> {
        check_span("anchor", self.anchor)?;
        if self.steps.is_empty() || self.steps.len() > PLAN_STEPS_MAX {
            let count = self.steps.len();
            return Err(Error::invalid(
                "steps",
                format!("has {count}; a plan has 1 to {PLAN_STEPS_MAX} steps"),
            ));
        }
        for (index, step) in self.steps.iter().enumerate() {
            if self.steps[..index].iter().any(|earlier| earlier.name == step.name) {
                return Err(Error::invalid("steps", format!("have the name {} twice", step.name)));
            }
            check_step(step, &self.steps[..index], &self.subject)?;
        }
        Ok(())
    }

    /// The id of a step's job: `<plan>/<step>`.
    ///
    /// # Errors
    /// Never: the two fit into an id.
    pub(crate) fn job_id(&self, step: &StepName) -> Result<JobId> {
        Ok(JobId::new(format!("{}/{step}", self.id))?)
    }
}

fn check_span(field: &'static str, due: Due) -> Result<()> {
    match due {
        Due::In(delay) if delay > SPAN_MAX => Err(Error::invalid(field, "is at most a thousand years away")),
        _ => Ok(()),
    }
}

/// A step waits only for earlier ones, so that no two wait for each other.
fn check_step(step: &NewStep, earlier: &[NewStep], subject: &Subject) -> Result<()> {
    step.job.check()?;
    if step.offset.as_millis().unsigned_abs() > SPAN_MAX.as_millis().unsigned_abs() {
        return Err(Error::invalid("offset_ms", "is at most a thousand years"));
    }
    if let Some(unknown) = step.after.iter().find(|name| !earlier.iter().any(|other| other.name == **name)) {
        return Err(Error::invalid(
            "after",
            format!("of step {} names {unknown}, which is not an earlier step of the plan", step.name),
        ));
    }
    let job = &step.job;
    let theirs = [
        (job.id.is_some(), "id", "of a step is `<plan>/<step>`"),
        (job.due != Due::Now, "due", "of a step follows from the anchor and its offset"),
        (job.replace, "replace", "is not for steps of a plan"),
        (job.unique.is_some(), "unique", "is not for steps of a plan: the plan's id is unique"),
        (
            job.subject.as_ref().is_some_and(|other| other != subject),
            "subject",
            "of a step is that of its plan",
        ),
    ];
    match theirs.into_iter().find(|(given, ..)| *given) {
        Some((_, field, why)) => Err(Error::invalid(field, why)),
        None => Ok(()),
    }
}

/// Where an anchor is moved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Anchor {
    /// To a time.
    To(Due),
    /// By so much from where it is; less than nothing is earlier.
    By(Offset),
}

impl From<Due> for Anchor {
    fn from(due: Due) -> Self {
        Self::To(due)
    }
}

impl Anchor {
    /// Checks the limits that types do not carry.
    ///
    /// # Errors
    /// [`Error::Invalid`] beyond a thousand years.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::To(due) => check_span("anchor", due),
            Self::By(offset) if offset.as_millis().unsigned_abs() > SPAN_MAX.as_millis().unsigned_abs() => {
                Err(Error::invalid("by_ms", "is at most a thousand years"))
            }
            Self::By(_) => Ok(()),
        }
    }
}
