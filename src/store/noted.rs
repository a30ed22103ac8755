//! The audit, read by the time of its entries.

use super::Store;
use crate::error::Result;
use crate::model::{ActNoted, Timestamp};
use redis::{FromRedisValue, ParsingError, Pipeline, Value};
use std::collections::HashMap;

/// Entries read at once: more acts within a few seconds are the work of programs, which leave other traces.
const NOTED_MAX: usize = 1_000;
/// The id of an entry and its time may differ by this much, where Redis takes them from two looks at the clock.
const SLACK_MS: i64 = 1_000;

impl Store {
    /// What was written down from `from` to `to`, oldest first, at most a thousand acts.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn noted(&self, from: Timestamp, to: Timestamp) -> Result<Vec<ActNoted>> {
        let mut reads = Pipeline::new();
        reads
            .cmd("XRANGE")
            .arg(self.keys().audit())
            .arg(from.as_millis().saturating_sub(SLACK_MS).max(0))
            .arg(to.as_millis().saturating_add(SLACK_MS))
            .arg("COUNT")
            .arg(NOTED_MAX);
        let (entries,): (Vec<Entry>,) = self.pipeline(&reads).await?;
        let acts = entries.into_iter().filter_map(|Entry(fields)| act(fields));
        Ok(acts.filter(|act| (from..=to).contains(&act.at)).collect())
    }
}

pub(super) fn act(mut fields: HashMap<String, String>) -> Option<ActNoted> {
    let at = Timestamp::from_millis(fields.get("at")?.parse().ok()?)?;
    let mut field = |name: &str| fields.remove(name).unwrap_or_default();
    let mut act = ActNoted::new(at, field("by"), field("verb"), field("target"));
    act.why = field("why");
    act.outcome = field("outcome");
    Some(act)
}

/// The fields of an entry of the stream.
pub(super) struct Entry(pub(super) HashMap<String, String>);

impl FromRedisValue for Entry {
    fn from_redis_value(value: Value) -> std::result::Result<Self, ParsingError> {
        let (_, fields): (String, _) = redis::from_redis_value(value)?;
        Ok(Self(fields))
    }
}
