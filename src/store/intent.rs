//! Who acts, and on what terms.

use super::uptime::uptime_ms;
use crate::model::Version;

/// Who acts, why, on which version, and under which operation id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Intent {
    /// Who.
    pub actor: String,
    /// Why; empty when nothing was said.
    pub why: String,
    /// The version the person saw; `None` takes any.
    pub seen: Option<Version>,
    /// Repeating an operation id gives the first answer and no second change; empty for none.
    pub operation: String,
    /// When it was made, by this machine's uptime in ms: it was not asked for before. 0 is unknown.
    pub(crate) asked_ms: i64,
}

impl Intent {
    /// An act of somebody, for no reason, on any version.
    #[must_use]
    pub fn of(actor: impl Into<String>) -> Self {
        Self { actor: actor.into(), asked_ms: uptime_ms(), ..Self::default() }
    }
}
