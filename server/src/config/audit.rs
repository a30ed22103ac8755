//! How long the audit may become, and where the rest goes.

use super::draft::Draft;
use super::mistake::Mistakes;
use std::path::PathBuf;

/// Some 220 MB of Redis for each shard.
const ENTRIES: u64 = 1_000_000;
/// Fewer would be cut all the time, and are a mistyped number.
const ENTRIES_MIN: u64 = 1_000;

/// The audit in Redis, and the archive beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditConfig {
    /// How many entries a shard keeps; 0 for any number. Beside this bound there is that by time.
    pub entries: u64,
    /// The folder for what is cut; without one nothing is cut for its number.
    pub archive: Option<PathBuf>,
}

impl AuditConfig {
    pub(super) fn settle(draft: &Draft, mistakes: &mut Mistakes) -> Self {
        let entries = mistakes.read(draft.audit_entries.as_ref(), |text| {
            let fits = |entries: &u64| *entries == 0 || *entries >= ENTRIES_MIN;
            text.parse().ok().filter(fits).ok_or_else(|| {
                format!("{text:?} is no number of entries: 0 for any number, or {ENTRIES_MIN} and more")
            })
        });
        let archive = draft.audit_archive.as_ref().map(|given| PathBuf::from(&given.value));
        Self { entries: entries.unwrap_or(ENTRIES), archive }
    }
}
