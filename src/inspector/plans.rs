//! Plans, read and changed.

use super::{Inspector, Operator};
use crate::acts::PlanActs;
use crate::constants::PLANS_MAX;
use crate::error::Result;
use crate::model::{Plan, PlanAnswer, PlanId, Subject};
use crate::new_plan::NewPlan;

/// Plans of a subject that one read tells of, newest first.
const PLANS_READ_MAX: u32 = 20;
/// Plans that one script reads, each with up to 32 jobs.
const READ_AT_ONCE: usize = 20;

impl Inspector {
    /// A plan with all its steps and where each stands; `None` when there is none.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable); [`Error::Codec`](crate::Error::Codec) when it does not read.
    pub async fn plan(&self, id: &PlanId) -> Result<Option<Plan>> {
        let found = self.shards().each(|store| store.plans(std::slice::from_ref(id))).await?;
        let mut plan =
            found.into_iter().find_map(|(mut plans, _)| plans.pop()).and_then(|plan| self.shards.plan(plan));
        let redaction = self.settings.redaction().await?;
        plan.iter_mut()
            .for_each(|plan| redaction.rows(plan.steps.iter_mut().filter_map(|step| step.job.as_mut())));
        Ok(plan)
    }

    /// The latest plans of a subject, newest first, at most 20.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable); [`Error::Codec`](crate::Error::Codec) when one does not read.
    pub async fn plans(&self, subject: &Subject) -> Result<Vec<Plan>> {
        let latest = self.latest_plans(subject, PLANS_READ_MAX).await?;
        self.seen_plans(latest).await
    }

    /// All plans of a subject, newest first, whichever queues their jobs are in: for [`Self::seen_plans`].
    ///
    /// # Errors
    /// As [`Self::plans`].
    pub(super) async fn all_plans(&self, subject: &Subject) -> Result<Vec<Plan>> {
        self.latest_plans(subject, PLANS_MAX).await
    }

    /// Those of them that may be told of, without what is hidden.
    pub(super) async fn seen_plans(&self, plans: Vec<Plan>) -> Result<Vec<Plan>> {
        let mut plans: Vec<Plan> = plans.into_iter().filter_map(|plan| self.shards.plan(plan)).collect();
        let redaction = self.settings.redaction().await?;
        for plan in &mut plans {
            redaction.rows(plan.steps.iter_mut().filter_map(|step| step.job.as_mut()));
        }
        Ok(plans)
    }

    async fn latest_plans(&self, subject: &Subject, most: u32) -> Result<Vec<Plan>> {
        let home = self.shards().of_subject(subject);
        let ids = home.plans_of(subject, most).await?;
        let mut plans: Vec<Plan> = Vec::new();
        for ids in ids.chunks(READ_AT_ONCE) {
            plans.extend(home.plans(ids).await?.0);
        }
        Ok(plans)
    }
}

impl Operator {
    /// Makes a plan in this person's name.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid): nothing was made.
    pub async fn make_plan(&self, plan: &NewPlan) -> Result<PlanAnswer> {
        plan.check()?;
        self.shards().plan(self.actor(), plan).await
    }

    /// Acts on a plan as a whole: `operator.plan(&id).hold().because("legal").await`.
    #[must_use]
    pub fn plan(&self, id: &PlanId) -> PlanActs {
        PlanActs::new(self.shards().clone(), id.clone(), self.actor().to_owned())
    }
}
