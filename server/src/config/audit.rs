//! How large the audit may become, and where the rest goes.

use super::draft::Draft;
use super::mistake::{Given, Mistakes};
use reprieve::model::AuditSize;
use std::path::PathBuf;

/// Some 220 MB of Redis for each shard, where reasons are short.
const ENTRIES: u64 = 1_000_000;
/// Fewer would be cut all the time, and are a mistyped number.
const ENTRIES_MIN: u64 = 1_000;
/// 256 MiB of Redis for each shard: room for a million entries with short reasons.
const BYTES: u64 = 1 << 28;
/// Less would be cut all the time, and is a mistyped number.
const BYTES_MIN: u64 = 1 << 20;

/// The audit in Redis, and the archive beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditConfig {
    /// How much a shard keeps. Beside this bound there is that by time.
    pub most: AuditSize,
    /// The folder for what is cut; without one nothing is cut for its size.
    pub archive: Option<PathBuf>,
}

impl AuditConfig {
    pub(super) fn settle(draft: &Draft, mistakes: &mut Mistakes) -> Self {
        let mut bound = |given: Option<&Given<String>>, what: &str, least: u64| {
            mistakes.read(given, |text| {
                let fits = |most: &u64| *most == 0 || *most >= least;
                text.parse().ok().filter(fits).ok_or_else(|| {
                    format!("{text:?} is no number of {what}: 0 for any number, or {least} and more")
                })
            })
        };
        let entries = bound(draft.audit_entries.as_ref(), "entries", ENTRIES_MIN).unwrap_or(ENTRIES);
        let bytes = bound(draft.audit_bytes.as_ref(), "bytes", BYTES_MIN).unwrap_or(BYTES);
        let archive = draft.audit_archive.as_ref().map(|given| PathBuf::from(&given.value));
        Self { most: AuditSize { entries, bytes }, archive }
    }
}
