//! Where a typed word leads: the search field of the screens.

use super::{Inspector, by_due};
use crate::error::Result;
use crate::model::filter::{Pattern, Test};
use crate::model::name::ID_BYTES_MAX;
use crate::model::{CronState, Filter, FilteredQuery, Hits, JobId, Kind, StateGroup, Subject};
use std::collections::BTreeSet;

/// Jobs of a subject that are named; its page has the rest.
const SUBJECT_JOBS_MAX: u32 = 5;
/// Names of each sort.
const NAMES_MAX: usize = 8;

impl Inspector {
    /// Everything of that name: a job by its id, a subject that has jobs, and whatever has the word in its name, in
    /// whatever case: queues, schedules, kinds and further subjects.
    ///
    /// Kinds and further subjects are those of the rules, the schedules and the first 500 jobs of each list; a kind that
    /// is called just so is found among the first 5,000 jobs as well.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn hits(&self, text: &str) -> Result<Hits> {
        let text = text.trim();
        let mut hits = Hits::default();
        // No name is longer.
        if text.is_empty() || text.len() > ID_BYTES_MAX {
            return Ok(hits);
        }
        if let Ok(id) = JobId::new(text) {
            hits.job = self.shards.rows(std::slice::from_ref(&id)).await?.into_iter().flatten().next();
        }
        if let Ok(subject) = Subject::new(text) {
            let (mut rows, _) = self.shards.subject(&subject, SUBJECT_JOBS_MAX).await?;
            by_due(&mut rows);
            hits.subject = (!rows.is_empty()).then_some((subject, rows));
        }
        let redaction = self.settings.redaction().await?;
        redaction.rows(&mut hits.job);
        redaction.rows(hits.subject.iter_mut().flat_map(|(_, rows)| rows));
        let part = text.to_lowercase();
        let holds = |name: &str| name.to_lowercase().contains(&part);
        hits.queues = self.shards.queue_names().await?;
        hits.queues.retain(|queue| holds(queue.as_str()));
        let (mut kinds, mut subjects) = self.names(&part).await?;
        for CronState { entry, .. } in self.cron().await? {
            if holds(entry.kind.as_str()) {
                kinds.insert(entry.kind);
            }
            if holds(entry.name.as_str()) {
                hits.schedules.push(entry.name);
            }
        }
        // A rule says in no way in which queues its kind is.
        let rules = if self.is_bound() { Vec::new() } else { self.rules().await? };
        kinds.extend(rules.into_iter().map(|rule| rule.kind).filter(|kind| holds(kind.as_str())));
        kinds.extend(self.kind_of_that_name(text, &kinds).await?);
        hits.kinds = kinds.into_iter().collect();
        if let Some((whole, _)) = &hits.subject {
            subjects.remove(whole);
        }
        hits.subjects = subjects.into_iter().collect();
        hits.more =
            [cut(&mut hits.queues), cut(&mut hits.kinds), cut(&mut hits.schedules), cut(&mut hits.subjects)]
                .contains(&true);
        Ok(hits)
    }

    /// What stands before the colon of subjects, `resource` of `resource:4711`, among those of the first 500 jobs of each
    /// list, by name.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn sorts_of_subjects(&self) -> Result<Vec<String>> {
        let (_, subjects) = self.names("").await?;
        let sorts = subjects.iter().filter_map(|subject| subject.as_str().split_once(':'));
        Ok(sorts.map(|(sort, _)| sort.to_owned()).collect::<BTreeSet<_>>().into_iter().collect())
    }

    /// The kind that is called just so, if a job is of it and it is not known yet.
    async fn kind_of_that_name(&self, text: &str, known: &BTreeSet<Kind>) -> Result<Option<Kind>> {
        let Some(kind) = Kind::new(text).ok().filter(|kind| !known.contains(kind)) else { return Ok(None) };
        let filter: Filter = [Test::Kind(Pattern::only(kind.as_str()))].into_iter().collect();
        let mut query = FilteredQuery::new(filter, StateGroup::ALL);
        query.size = 1;
        Ok(self.filtered(&query).await?.rows.into_iter().next().map(|found| found.row.kind))
    }
}

/// Leaves the first names; whether there were more.
fn cut<T>(names: &mut Vec<T>) -> bool {
    let more = names.len() > NAMES_MAX;
    names.truncate(NAMES_MAX);
    more
}
