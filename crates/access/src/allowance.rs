//! How much of something a person may do in a span of time.

use std::time::Duration;

/// An hour.
const HOUR: Duration = Duration::from_secs(3_600);

/// How much of something a person may do in a span of time, over all instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Under which name it is counted.
    pub what: &'static str,
    /// How many within the span.
    pub most: u32,
    /// From the first of them on.
    pub span: Duration,
}

/// All that a person does, and looks that a page takes by itself: once a second is faster than by hand.
pub const ACTS: Allowance = Allowance { what: "acts", most: 60, span: Duration::from_secs(60) };
/// What touches many jobs at once: bulk runs, and steps of an import.
pub const BULK: Allowance = Allowance { what: "bulk", most: 10, span: HOUR };
/// Checks of the audit: each reads all of it.
pub const AUDIT_CHECKS: Allowance = Allowance { what: "audit_checks", most: 10, span: HOUR };
/// Files: more is no reader.
pub const EXPORTS: Allowance = Allowance { what: "exports", most: 5, span: HOUR };
