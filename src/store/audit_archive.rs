//! The oldest entries of the audit of one shard, which leave Redis for an archive.
//!
//! Each entry names the hash of the one before it. So an archive that ends where the rest begins proves both: nothing was
//! changed, removed or put in between.

use super::Store;
use crate::constants::AUDIT_KEPT_MS;
use crate::error::Result;
use crate::model::{ArchivedEntry, AuditSize, Delay, Timestamp};
use redis::Pipeline;
use redis::streams::StreamInfoStreamReply;

/// Entries of one read, and of one removal: about two milliseconds of Redis.
const READ_AT_ONCE: usize = 1_000;
/// Entries returned at once: some megabytes.
const ARCHIVED_AT_ONCE: u64 = 10_000;
/// Bytes of a node of the stream, as `stream-node-max-bytes` is by itself: but for the last one all are nearly full.
const NODE_BYTES: u64 = 4_096;
/// An audit that is too large is cut to so many tenths of its bound: with each cut comes a file.
const LEFT_TENTHS: u64 = 9;
/// How long an entry is kept in Redis at most.
const KEPT: Delay = Delay::millis(AUDIT_KEPT_MS);
/// Entries go into the archive so long before they would be dropped for their age, and all at once that are this close to
/// it: about one file a day.
const BEFORE_DROPPED: Delay = Delay::days(1);
const CUT_BEFORE_DROPPED: Delay = Delay::days(2);

impl Store {
    /// The oldest entries that are to leave Redis: while there are more than `most`, or they would soon be dropped for their
    /// age. Never the latest one. None when all may stay.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn audit_surplus(&self, most: AuditSize, now: Timestamp) -> Result<Vec<ArchivedEntry>> {
        let size = self.audit_size().await?;
        let over = surplus_of(size, most);
        let first = self.audit_range("-", "+", 1).await?;
        let dropped = now - KEPT;
        let is_old = first.first().is_some_and(|first| first.ms() < ms_of(dropped + BEFORE_DROPPED));
        let cut_until = if is_old { ms_of(dropped + CUT_BEFORE_DROPPED) } else { 0 };
        let room = if is_old { ARCHIVED_AT_ONCE } else { over.min(ARCHIVED_AT_ONCE) };
        let room = usize::try_from(room.min(size.entries.saturating_sub(1))).unwrap_or(READ_AT_ONCE);
        let over = usize::try_from(over).unwrap_or(usize::MAX);
        let mut surplus: Vec<ArchivedEntry> = Vec::new();
        let mut after = "-".to_owned();
        while surplus.len() < room {
            let entries = self.audit_range(&after, "+", READ_AT_ONCE.min(room - surplus.len())).await?;
            let Some(last) = entries.last() else { break };
            after = format!("({}", last.id());
            for entry in entries {
                if surplus.len() >= over && entry.ms() >= cut_until {
                    return Ok(surplus);
                }
                surplus.push(entry.archived(self.shard()));
            }
        }
        Ok(surplus)
    }

    /// Removes entries that an archive has.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): some may be left; they are archived and removed again.
    pub(crate) async fn remove_archived(&self, ids: &[&str]) -> Result<()> {
        for ids in ids.chunks(READ_AT_ONCE) {
            let mut removal = Pipeline::new();
            removal.cmd("XDEL").arg(self.keys().audit()).arg(ids).ignore();
            self.pipeline::<()>(&removal).await?;
        }
        Ok(())
    }

    /// How large it is.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn audit_size(&self) -> Result<AuditSize> {
        let entries: u64 = self.ask(redis::cmd("XLEN").arg(self.keys().audit())).await?;
        if entries == 0 {
            return Ok(AuditSize::default());
        }
        let info: StreamInfoStreamReply =
            self.ask(redis::cmd("XINFO").arg("STREAM").arg(self.keys().audit())).await?;
        let nodes = u64::try_from(info.radix_tree_keys).unwrap_or(u64::MAX);
        Ok(AuditSize { entries, bytes: nodes.saturating_mul(NODE_BYTES) })
    }
}

/// How many entries are to go.
fn surplus_of(size: AuditSize, most: AuditSize) -> u64 {
    let left = |bound: u64| bound / 10 * LEFT_TENTHS;
    let by_entries = AuditSize { bytes: 0, ..most };
    let by_bytes = AuditSize { entries: 0, ..most };
    let too_many = if size.exceeds(by_entries) { size.entries - left(most.entries) } else { 0 };
    // As if all were equally large. Where the oldest are smaller, the next cut goes on.
    let too_large = if size.exceeds(by_bytes) {
        size.entries - size.entries.saturating_mul(left(most.bytes)) / size.bytes
    } else {
        0
    };
    too_many.max(too_large)
}

fn ms_of(at: Timestamp) -> u64 {
    u64::try_from(at.as_millis()).unwrap_or_default()
}
