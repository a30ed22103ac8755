//! Looking through jobs.

use super::{Store, script};
use crate::error::Result;
use crate::model::{JobId, JobRow, Place, Search, Timestamp};
use crate::store::codec;

/// What one step of a search found.
pub(crate) struct Step {
    pub(crate) rows: Vec<JobRow>,
    pub(crate) scanned: u64,
    /// Score and id of the last job that was looked at, if there are more behind it.
    pub(crate) last: Option<(u64, JobId)>,
    pub(crate) now: Timestamp,
}

impl Store {
    /// Looks at no more than `most` jobs of one state of one queue: see `lua/search.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn search(
        &self,
        query: &Search,
        place: &Place,
        most: u64,
        wanted: usize,
    ) -> Result<Step> {
        let mut call = self.call(&script::SEARCH);
        call.arg(place.queue.as_str()).arg(place.state.as_str());
        let (score, id) =
            place.behind.as_ref().map(|(score, id)| (score.to_string(), id.as_str())).unwrap_or_default();
        call.arg(score).arg(id).arg(most).arg(wanted);
        call.arg(query.kind.as_ref().map_or("", |kind| kind.as_str()));
        call.arg(query.tag.as_deref().unwrap_or_default());
        call.arg(query.error.as_deref().unwrap_or_default().to_lowercase());
        let time = |at: Option<Timestamp>| at.map(|at| at.as_millis().to_string()).unwrap_or_default();
        call.arg(time(query.due_from)).arg(time(query.due_to));
        let mut reply = self.look_through(&call).await?;
        let now = reply.time("now")?;
        let more = reply.text()? == "more";
        let scanned = reply.parse("scanned")?;
        let (score, id) = (reply.optional("score")?, reply.text()?);
        let last = score.zip(id.parse().ok()).filter(|_| more);
        let rows = reply.map(|item| Ok(codec::row(item.list()?))).collect::<Result<Vec<_>>>()?;
        Ok(Step { rows: rows.into_iter().flatten().collect(), scanned, last, now })
    }
}
