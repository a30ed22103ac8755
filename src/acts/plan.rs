//! What is done to a plan as a whole.

use super::{awaited, intended};
use crate::error::Result;
use crate::model::{Past, PlanAnswer, PlanId, Version};
use crate::new_plan::Anchor;
use crate::store::{Intent, PlanVerb, Shards};

/// A verb on a plan, with who, why and on which version. Nothing happens before it is awaited.
#[derive(Debug)]
#[must_use = "nothing happens before it is awaited"]
pub struct PlanAct {
    shards: Shards,
    id: PlanId,
    verb: PlanVerb,
    past: Past,
    intent: Intent,
}

impl PlanAct {
    pub(crate) const fn new(shards: Shards, id: PlanId, verb: PlanVerb, intent: Intent) -> Self {
        Self { shards, id, verb, past: Past::Refuse, intent }
    }

    /// What becomes of steps whose time would have passed; without this nothing changes then, and the answer names
    /// them.
    pub const fn past(mut self, past: Past) -> Self {
        self.past = past;
        self
    }

    /// Only if the plan is still at the version the person saw, where one is given.
    pub const fn seen_if(mut self, version: Option<Version>) -> Self {
        self.intent.seen = version;
        self
    }

    intended!();

    async fn run(self) -> Result<PlanAnswer> {
        super::check(&self.intent)?;
        if let PlanVerb::Reanchor(anchor) = self.verb {
            anchor.check()?;
        }
        self.shards.act_on_plan(&self.id, self.verb, self.past, &self.intent).await
    }
}

awaited!(PlanAct, PlanAnswer);

/// The verbs on one plan, for a service or a person.
#[derive(Debug, Clone)]
pub struct PlanActs {
    shards: Shards,
    id: PlanId,
    actor: String,
}

impl PlanActs {
    pub(crate) const fn new(shards: Shards, id: PlanId, actor: String) -> Self {
        Self { shards, id, actor }
    }

    fn act(&self, verb: PlanVerb) -> PlanAct {
        PlanAct::new(self.shards.clone(), self.id.clone(), verb, Intent::of(&self.actor))
    }

    /// Moves its anchor, and with it every step that has not run.
    pub fn reanchor(&self, anchor: impl Into<Anchor>) -> PlanAct {
        self.act(PlanVerb::Reanchor(anchor.into()))
    }

    /// Holds every step that waits.
    pub fn hold(&self) -> PlanAct {
        self.act(PlanVerb::Hold)
    }

    /// Lets the steps that were held with it wait for their times again.
    pub fn unhold(&self) -> PlanAct {
        self.act(PlanVerb::Unhold)
    }

    /// Calls off its live jobs.
    pub fn cancel(&self) -> PlanAct {
        self.act(PlanVerb::Cancel)
    }

    /// Puts back what was called off, at its time by the anchor.
    pub fn reinstate(&self) -> PlanAct {
        self.act(PlanVerb::Reinstate)
    }
}
