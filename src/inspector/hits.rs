//! Where a typed word leads: the search field of the screens.

use super::{Inspector, by_due};
use crate::error::Result;
use crate::model::{Hits, JobId, Kind, Search, Subject};

/// Jobs of a subject that are named; its page has the rest.
const SUBJECT_JOBS_MAX: u32 = 5;
/// Names of each sort.
const NAMES_MAX: usize = 8;

impl Inspector {
    /// Everything of that name: a job by its id, a subject that has jobs, queues and kinds.
    ///
    /// Ids and subjects are looked up whole; queues and kinds are found by any part of their names, in whatever
    /// case. A kind is known from the rules, the schedules, or as the very name of one of the first 5,000 jobs.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn hits(&self, text: &str) -> Result<Hits> {
        let text = text.trim();
        let mut hits = Hits::default();
        if text.is_empty() {
            return Ok(hits);
        }
        if let Ok(id) = JobId::new(text) {
            hits.job = self.cells.rows(std::slice::from_ref(&id)).await?.into_iter().flatten().next();
        }
        if let Ok(subject) = Subject::new(text) {
            let (mut rows, _) = self.cells.subject(&subject, SUBJECT_JOBS_MAX).await?;
            by_due(&mut rows);
            hits.subject = (!rows.is_empty()).then_some((subject, rows));
        }
        let redaction = self.settings.redaction().await?;
        redaction.rows(&mut hits.job);
        redaction.rows(hits.subject.iter_mut().flat_map(|(_, rows)| rows));
        let part = text.to_lowercase();
        let holds = |name: &str| name.to_lowercase().contains(&part);
        hits.queues = self.cells.queue_names().await?;
        hits.queues.retain(|queue| holds(queue.as_str()));
        hits.queues.truncate(NAMES_MAX);
        hits.kinds = self.known_kinds(text).await?;
        hits.kinds.retain(|kind| holds(kind.as_str()));
        hits.kinds.truncate(NAMES_MAX);
        Ok(hits)
    }

    async fn known_kinds(&self, text: &str) -> Result<Vec<Kind>> {
        // A rule says in no way in which queues its kind is.
        let rules = if self.is_bound() { Vec::new() } else { self.rules().await? };
        let mut kinds: Vec<Kind> = rules.into_iter().map(|rule| rule.kind).collect();
        kinds.extend(self.cron().await?.into_iter().map(|state| state.entry.kind));
        if let Ok(kind) = Kind::new(text)
            && !kinds.contains(&kind)
        {
            let query = Search { kind: Some(kind), size: 1, ..Search::default() };
            kinds.extend(self.search(&query).await?.rows.into_iter().map(|row| row.kind));
        }
        kinds.sort();
        kinds.dedup();
        Ok(kinds)
    }
}
