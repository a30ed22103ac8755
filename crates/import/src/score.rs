//! The unit of a score.

use serde::{Deserialize, Serialize};

/// The unit of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ScoreUnit {
    /// By its size: below 10¹¹ seconds (until the year 5138), below 10¹⁴ milliseconds, below 10¹⁷ microseconds,
    /// beyond that nanoseconds.
    #[default]
    Auto,
    /// Seconds; fractions count.
    S,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
}

/// Scores of formats that count in whole seconds, and may count in something finer one day.
pub(super) const SECONDS: ScoreUnit = ScoreUnit::Auto;
