//! The audit, read by the time of its entries.

use super::Store;
use super::audit::Raw;
use crate::error::Result;
use crate::model::{ActNoted, Timestamp};
use tracing::warn;

/// Entries read at once.
const PAGE: usize = 1_000;
/// Pages of one reading: what programs write beside it within a few seconds is less.
const PAGES_MAX: usize = 100;
/// Acts that one reading tells of.
const NOTED_MAX: usize = 10_000;
/// The id of an entry and its time may differ by this much, where Redis takes them from two looks at the clock.
const SLACK_MS: i64 = 1_000;

impl Store {
    /// What was written down from `from` to `to`, oldest first, at most ten thousand acts.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn noted(&self, from: Timestamp, to: Timestamp) -> Result<Vec<ActNoted>> {
        let mut begin = from.as_millis().saturating_sub(SLACK_MS).max(0).to_string();
        let end = to.as_millis().saturating_add(SLACK_MS).to_string();
        let mut acts: Vec<ActNoted> = Vec::new();
        for _ in 0..PAGES_MAX {
            let entries = self.audit_range(&begin, &end, PAGE).await?;
            // The next page begins after the last entry of this one.
            let next = entries.get(PAGE.saturating_sub(1)).map(|last| format!("({}", last.id()));
            acts.extend(entries.iter().flat_map(acts_of).filter(|act| (from..=to).contains(&act.at)));
            match next {
                Some(next) if acts.len() < NOTED_MAX => begin = next,
                None if acts.len() <= NOTED_MAX => return Ok(acts),
                _ => break,
            }
        }
        acts.truncate(NOTED_MAX);
        warn!(
            "the audit from {from} to {to} is longer than one reading: what stands at its end is not told of"
        );
        Ok(acts)
    }
}

pub(super) fn acts_of(entry: &Raw) -> Vec<ActNoted> {
    let Some(at) = entry.field("at").parse().ok().and_then(Timestamp::from_millis) else {
        return Vec::new();
    };
    let text = |name: &str| entry.field(name).to_owned();
    let act = |target: &str| {
        let mut act = ActNoted::new(at, text("by"), text("verb"), target.to_owned());
        (act.why, act.outcome) = (text("why"), text("outcome"));
        act
    };
    entry.targets().into_iter().map(act).collect()
}
