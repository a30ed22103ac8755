//! What a support desk shows of one subject, and what was written down about an act.

use super::job::JobRow;
use super::name::Subject;
use super::plan::Plan;
use super::retention::Receipt;
use super::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Everything that is planned, was done, or was called off about a subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct About {
    /// The subject.
    pub subject: Subject,
    /// Its plans, newest first.
    pub plans: Vec<Plan>,
    /// Its jobs that are live or still kept, by due time; those of plans too.
    pub jobs: Vec<JobRow>,
    /// What became of those that are gone, the latest first.
    pub receipts: Vec<Receipt>,
    /// When this was read, by Redis's clock.
    #[serde(rename = "read_ms")]
    pub read_at: Timestamp,
}

impl About {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(subject: Subject, read_at: Timestamp) -> Self {
        Self { subject, plans: Vec::new(), jobs: Vec::new(), receipts: Vec::new(), read_at }
    }

    /// Whether nothing at all is known of it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.plans.is_empty() && self.jobs.is_empty() && self.receipts.is_empty()
    }
}

/// One act as it was written down: who did what to what, when and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ActNoted {
    /// When.
    #[serde(rename = "at_ms")]
    pub at: Timestamp,
    /// Who.
    pub by: String,
    /// The verb, as the scripts are named: `cancel`, `cancel_plan` …
    pub verb: String,
    /// The id of the job, of the plan, or the name of what else it was done to.
    pub target: String,
    /// Why; empty when nothing was said.
    pub why: String,
    /// What came of it, in the word of the script.
    pub outcome: String,
}

impl ActNoted {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(at: Timestamp, by: String, verb: String, target: String) -> Self {
        Self { at, by, verb, target, why: String::new(), outcome: String::new() }
    }
}
