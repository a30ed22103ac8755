//! Plans: several jobs of one subject, each so long before or after one anchor.

use super::held::Held;
use super::job::JobRow;
use super::name::{JobId, Kind, PlanId, StepName, Subject};
use super::outcome::Standing;
use super::state::{JobState, Version};
use super::time::{Delay, Timestamp};
use serde::{Deserialize, Serialize};

/// How long after its plan's anchor a step is due; less than nothing is before it. In milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Offset(i64);

impl Offset {
    /// That long after the anchor.
    #[must_use]
    pub const fn after(delay: Delay) -> Self {
        Self(delay.as_millis())
    }

    /// That long before the anchor.
    #[must_use]
    pub const fn before(delay: Delay) -> Self {
        Self(-delay.as_millis())
    }

    /// That many milliseconds after the anchor, or before it when negative.
    #[must_use]
    pub const fn millis(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds after the anchor; negative before it.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The due time by that anchor, between 1970 and 9999.
    #[must_use]
    pub const fn from(self, anchor: Timestamp) -> Timestamp {
        Timestamp::saturating_from_millis(anchor.as_millis().saturating_add(self.0))
    }
}

words! {
    /// What becomes of steps whose time would have passed.
    #[derive(Default)]
    pub enum Past or "one of " {
        /// Nothing changes, and the answer names them: somebody has to choose.
        #[default]
        Refuse = "refuse",
        /// They run at once.
        Run = "run",
        /// They are called off; what was called off before stays so.
        Skip = "skip",
    }
}

words! {
    /// What becomes of a job when what it waits for did not end well.
    #[derive(Default)]
    pub enum Unmet or "one of " {
        /// It is called off, and its history says why.
        #[default]
        Cancel = "cancel",
        /// It is held until a person decides.
        Hold = "hold",
    }
}

/// A plan with all its steps and where each stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plan {
    /// Unique in the namespace.
    pub id: PlanId,
    /// What it is about; so are all its jobs.
    pub subject: Subject,
    /// What sort of plan it is, such as `expiry`; `None` when nothing was said.
    pub name: Option<Kind>,
    /// What the times of its steps are counted from.
    pub anchor: Timestamp,
    /// How often it has changed as a whole.
    pub version: Version,
    /// When it was made.
    pub created: Timestamp,
    /// Who made it.
    pub created_by: String,
    /// Who holds it, since when and why; `None` while it is not held.
    pub held: Option<Held>,
    /// Its steps, in the order in which they were given.
    pub steps: Vec<PlanStep>,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlanStep {
    /// Unique in the plan.
    pub name: StepName,
    /// When it is due, by the anchor.
    pub offset: Offset,
    /// The steps that must be done before it may run; empty for most.
    pub after: Vec<StepName>,
    /// What becomes of it when one of them ended otherwise.
    pub unmet: Unmet,
    /// The id of its job, `<plan>/<step>`.
    pub id: JobId,
    /// How it ended; `None` while it is live. Known longer than its job is kept.
    pub ended: Option<JobState>,
    /// Its job; `None` once it is purged.
    pub job: Option<JobRow>,
}

impl PlanStep {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(name: StepName, offset: Offset, id: JobId) -> Self {
        Self { name, offset, after: Vec::new(), unmet: Unmet::Cancel, id, ended: None, job: None }
    }
}

impl Plan {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(id: PlanId, subject: Subject, anchor: Timestamp, created: Timestamp) -> Self {
        Self {
            id,
            subject,
            name: None,
            anchor,
            version: Version(1),
            created,
            created_by: String::new(),
            held: None,
            steps: Vec::new(),
        }
    }
}

words! {
    /// What a verb did to a plan as a whole.
    #[non_exhaustive]
    pub enum PlanWord or "not an outcome of a plan; outcomes are " {
        /// It was made.
        Planned = "planned",
        /// A plan of this id was there already. Nothing changed.
        Exists = "exists",
        /// Its anchor moved, and with it every step that had not run.
        Moved = "moved",
        /// It is held.
        Held = "held",
        /// It is not held any more.
        Released = "released",
        /// Its live jobs are called off.
        Cancelled = "cancelled",
        /// What was called off waits again.
        Reinstated = "reinstated",
        /// Steps would be in the past, and the caller wanted to be asked. Nothing changed.
        Past = "past",
        /// It is at another version than the person saw. Nothing changed.
        Conflict = "conflict",
        /// It was so already. Nothing changed.
        Unchanged = "unchanged",
    }
}

impl PlanWord {
    /// Whether the plan is as it was.
    #[must_use]
    pub const fn is_refusal(self) -> bool {
        matches!(self, Self::Exists | Self::Past | Self::Conflict | Self::Unchanged)
    }
}

/// Where a plan stands after a verb was tried on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlanAnswer {
    /// What was done.
    pub outcome: PlanWord,
    /// The plan.
    pub plan: PlanId,
    /// Its version now.
    pub version: Version,
    /// Its anchor now; for [`PlanWord::Past`] the one that was asked for.
    #[serde(rename = "anchor_ms")]
    pub anchor: Timestamp,
    /// Since when it is held; `None` while it is not.
    #[serde(rename = "held_ms")]
    pub held: Option<Timestamp>,
    /// When this answer was made, by Redis's clock.
    #[serde(rename = "at_ms")]
    pub at: Timestamp,
    /// One answer a step; for [`PlanWord::Past`] only the steps in the past.
    pub steps: Vec<StepAnswer>,
}

impl PlanAnswer {
    /// What became of a step, in the words of the script: `delayed`, `ready`, `moved`, `skipped`, `held`,
    /// `released`, `cancelled`, `requested`, `final`, `reinstated`, `past`, `stays`, `gone`.
    #[must_use]
    pub fn word_of(&self, step: &str) -> Option<&str> {
        self.steps.iter().find(|answer| answer.step.as_str() == step).map(|answer| answer.outcome.as_str())
    }
}

/// What a verb on a plan did to one step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepAnswer {
    /// The step.
    pub step: StepName,
    /// What became of it; see [`PlanAnswer::word_of`].
    pub outcome: String,
    /// Where its job stands; `None` when it is purged.
    #[serde(flatten)]
    pub standing: Option<Standing>,
}
