//! What the start or the end of a job means beyond the job, as `lua/core/constraints.lua` reads it.

use crate::new_job::NewJob;
use serde::Serialize;

/// The field `constraints` of a job as it is taken in: JSON whose values are texts or lists of texts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Constraints {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) step: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) after: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unmet: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) late_ms: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) late: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) window: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) batch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) completes: Option<String>,
}

impl Constraints {
    /// Those that a job brings along itself.
    pub(crate) fn of(job: &NewJob) -> Self {
        Self {
            late_ms: job.lateness.map(|lateness| lateness.most.as_millis().to_string()),
            late: job.lateness.map(|lateness| lateness.policy.as_str().to_owned()),
            window: job.any_window.then(|| "any".to_owned()),
            ..Self::default()
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
