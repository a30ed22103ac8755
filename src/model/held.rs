//! Who holds something.

use super::Timestamp;
use serde::{Deserialize, Serialize};

/// Who holds a job or a plan, since when and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Held {
    /// Since when.
    pub at: Timestamp,
    /// Who.
    pub by: String,
    /// Why; empty when nothing was said.
    pub why: String,
}

impl Held {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(at: Timestamp, by: String, why: String) -> Self {
        Self { at, by, why }
    }
}
