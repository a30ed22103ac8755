//! How large the audit may become, and where the rest goes.

use super::mistake::Given;
use super::sources::Sources;
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
    pub(super) fn read(from: &Sources<'_>) -> Self {
        let entries = from.variable("REPRIEVE_AUDIT_ENTRIES").or(from.root.digits("audit_entries"));
        let bytes = from.variable("REPRIEVE_AUDIT_BYTES").or(from.root.digits("audit_bytes"));
        let archive = from.variable("REPRIEVE_AUDIT_ARCHIVE").or(from.root.text("audit_archive"));
        let bound = |given: Option<Given<String>>, what: &str, least: u64| {
            from.notes.read(given.as_ref(), |text| {
                let fits = |most: &u64| *most == 0 || *most >= least;
                text.parse().ok().filter(fits).ok_or_else(|| {
                    format!("{text:?} is not a number of {what}: 0 for any number, or {least} and more")
                })
            })
        };
        let entries = bound(entries, "entries", ENTRIES_MIN).unwrap_or(ENTRIES);
        let bytes = bound(bytes, "bytes", BYTES_MIN).unwrap_or(BYTES);
        Self { most: AuditSize { entries, bytes }, archive: archive.map(|given| given.value.into()) }
    }
}
