//! Looking through jobs.

use super::{Candidate, Scan, Store};
use crate::error::Result;
use crate::model::{Cursor, Direction, JobRow, JobState, Place, Search, Timestamp};

/// What one step of a search found.
pub(crate) struct Found {
    pub(crate) rows: Vec<JobRow>,
    pub(crate) scanned: u64,
    /// The last job that was looked at, if there are more behind it.
    pub(crate) last: Option<Cursor>,
}

impl Store {
    /// Looks at no more than `most` jobs of one state of one queue, for as many as are wanted.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn search(
        &self,
        query: &Search,
        place: &Place,
        most: u64,
        wanted: usize,
    ) -> Result<Found> {
        // Their score is the due time.
        let is_by_due = matches!(place.state, JobState::Delayed | JobState::Held | JobState::Retrying);
        let score = |due: Option<Timestamp>| due.filter(|_| is_by_due).map(Timestamp::as_millis);
        let scan = Scan {
            direction: Direction::Ascending,
            queues: vec![place.queue.clone()],
            states: vec![place.state],
            low: score(query.due_from),
            high: score(query.due_to),
            kinds: query.kind.iter().map(|kind| kind.as_str().to_owned()).collect(),
            tags: query.tag.iter().cloned().collect(),
            payload: false,
        };
        let behind = place.behind.clone().map(|(score, id)| Cursor { score, id });
        let step = self.scan(&scan, behind.as_ref(), most).await?;
        let text = query.error.as_ref().map(|text| text.to_lowercase());
        let fits = |one: &Candidate| {
            query.due_from.is_none_or(|from| one.row.due >= from)
                && query.due_to.is_none_or(|to| one.row.due <= to)
                && text.as_ref().is_none_or(|text| one.error.to_lowercase().contains(text))
        };
        let (mut rows, mut last) = (Vec::new(), step.next);
        let mut passed = step.found.into_iter().peekable();
        while let Some((at, one)) = passed.next() {
            rows.extend(one.filter(fits).map(|one| one.row));
            if rows.len() >= wanted && passed.peek().is_some() {
                last = Some(at);
                break;
            }
        }
        Ok(Found { rows, scanned: step.looked_at, last })
    }
}
