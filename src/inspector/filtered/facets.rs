//! What jobs are like: by queue, kind and label, and which names they have.

use super::{Judged, STEP, redact, states};
use crate::error::Result;
use crate::inspector::Inspector;
use crate::model::filter::{Facets, FilteredQuery};
use crate::model::{Filter, Kind, StateGroup, Subject};
use crate::store::{Candidate, Scan};
use std::collections::{BTreeSet, HashMap};

/// Jobs looked at: four steps, for what stands beside a list.
const LOOKED_AT_MAX: u64 = 2_000;
/// Names of each sort.
const NAMES_MAX: usize = 20;

impl Inspector {
    /// How many of the jobs that fit are in each queue, of each kind, with each label: of all where an index names them,
    /// else among the first 2,000 of these lists.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn facets(&self, filter: &Filter, groups: &[StateGroup], me: &str) -> Result<Facets> {
        let mut query = FilteredQuery::new(filter.clone(), groups);
        me.clone_into(&mut query.me);
        let mut counts = Counts::default();
        if let Some(ids) = self.known(filter, &states(groups), LOOKED_AT_MAX).await? {
            let now = self.shards.now().await?;
            let found = self.fitting_known(&query, &ids, now).await?;
            found.iter().for_each(|(_, one)| counts.take(one));
            return Ok(counts.facets(u64::try_from(found.len()).unwrap_or(u64::MAX), false));
        }
        let (now, routes) = self.routes(&query).await?;
        let (mut looked_at, mut or_more) = (0_u64, false);
        for route in &routes {
            let left = LOOKED_AT_MAX.saturating_sub(looked_at);
            if left == 0 {
                or_more = true;
                break;
            }
            let looked = self
                .look_at(&route.scan, left, |one| {
                    if Judged::new(one).fits(&route.rest, now, me) {
                        counts.take(one);
                    }
                })
                .await?;
            looked_at += looked.jobs;
            or_more |= looked.or_more;
        }
        Ok(counts.facets(looked_at, or_more))
    }

    /// Kinds and subjects with that in their names, by name, among the first 500 jobs of each list. `part` is in lower
    /// case; the subject that is called just so is left out.
    pub(in crate::inspector) async fn names(
        &self,
        part: &str,
    ) -> Result<(BTreeSet<Kind>, BTreeSet<Subject>)> {
        let holds = |name: &str| name.to_lowercase().contains(part);
        let (_, routes) = self.routes(&FilteredQuery::new(Filter::default(), StateGroup::ALL)).await?;
        let (mut kinds, mut subjects) = (BTreeSet::new(), BTreeSet::new());
        for route in &routes {
            self.look_at(&route.scan, STEP, |one| {
                if holds(one.row.kind.as_str()) && !kinds.contains(&one.row.kind) {
                    kinds.insert(one.row.kind.clone());
                }
                if let Some(subject) = &one.row.subject
                    && (holds(subject.as_str()) || holds(&subject.readable()))
                    && !subjects.contains(subject)
                {
                    subjects.insert(subject.clone());
                }
            })
            .await?;
        }
        Ok((kinds, subjects))
    }

    /// Shows `each` job of a scan as far as it may be seen, so many at most.
    async fn look_at(&self, scan: &Scan, most: u64, mut each: impl FnMut(&Candidate)) -> Result<Looked> {
        let redaction = self.settings.redaction().await?;
        let mut looked = Looked { jobs: 0, or_more: false };
        let mut behind = None;
        loop {
            let left = most.saturating_sub(looked.jobs);
            if left == 0 {
                looked.or_more = true;
                break;
            }
            let mut step = self.shards.scan(scan, behind.as_ref(), left.min(STEP)).await?;
            redact(&redaction, step.found.iter_mut().filter_map(|(_, one)| one.as_mut()));
            looked.jobs += step.looked_at;
            step.found.iter().filter_map(|(_, one)| one.as_ref()).for_each(&mut each);
            behind = step.next;
            if behind.is_none() {
                break;
            }
        }
        Ok(looked)
    }
}

/// How many jobs have each name.
#[derive(Default)]
struct Counts {
    queues: HashMap<String, u64>,
    kinds: HashMap<String, u64>,
    tags: HashMap<String, u64>,
}

impl Counts {
    fn take(&mut self, one: &Candidate) {
        *self.queues.entry(one.row.queue.to_string()).or_default() += 1;
        *self.kinds.entry(one.row.kind.to_string()).or_default() += 1;
        for tag in &one.tags {
            *self.tags.entry(tag.clone()).or_default() += 1;
        }
    }

    fn facets(self, looked_at: u64, or_more: bool) -> Facets {
        let Self { queues, kinds, tags } = self;
        Facets {
            queues: most_first(queues),
            kinds: most_first(kinds),
            tags: most_first(tags),
            looked_at,
            or_more,
        }
    }
}

/// How far a list was looked at.
struct Looked {
    /// Jobs that were looked at.
    jobs: u64,
    /// Whether there are more.
    or_more: bool,
}

fn most_first(counts: HashMap<String, u64>) -> Vec<(String, u64)> {
    let mut list: Vec<(String, u64)> = counts.into_iter().collect();
    list.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    list.truncate(NAMES_MAX);
    list
}
