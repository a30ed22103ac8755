//! What the jobs of a list are like: by queue, kind and label.

use super::{Judged, STEP, redact};
use crate::error::Result;
use crate::inspector::Inspector;
use crate::model::filter::{Facets, FilteredQuery};
use crate::model::{Filter, StateGroup};
use std::collections::HashMap;

/// Jobs looked at: four steps, for what stands beside a list.
const LOOKED_AT_MAX: u64 = 2_000;
/// Names of each sort.
const NAMES_MAX: usize = 20;

impl Inspector {
    /// How many of the jobs that fit are in each queue, of each kind, with each label, among the first 2,000 of these
    /// lists.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn facets(&self, filter: &Filter, groups: &[StateGroup], me: &str) -> Result<Facets> {
        let query = FilteredQuery::new(filter.clone(), groups);
        let redaction = self.settings.redaction().await?;
        let (now, routes) = self.routes(&query).await?;
        let mut facets = Facets::default();
        let (mut queues, mut kinds, mut tags) = (HashMap::new(), HashMap::new(), HashMap::new());
        for route in &routes {
            let mut behind = None;
            loop {
                let left = LOOKED_AT_MAX.saturating_sub(facets.looked_at);
                if left == 0 {
                    facets.or_more = true;
                    break;
                }
                let mut step = self.cells.scan(&route.scan, behind.as_ref(), left.min(STEP)).await?;
                redact(&redaction, step.found.iter_mut().filter_map(|(_, one)| one.as_mut()));
                facets.looked_at += step.looked_at;
                for one in step.found.iter().filter_map(|(_, candidate)| candidate.as_ref()) {
                    if Judged::new(one).fits(&route.rest, now, me) {
                        *queues.entry(one.row.queue.to_string()).or_default() += 1;
                        *kinds.entry(one.row.kind.to_string()).or_default() += 1;
                        for tag in &one.tags {
                            *tags.entry(tag.clone()).or_default() += 1;
                        }
                    }
                }
                behind = step.next;
                if behind.is_none() {
                    break;
                }
            }
        }
        facets.queues = most_first(queues);
        facets.kinds = most_first(kinds);
        facets.tags = most_first(tags);
        Ok(facets)
    }
}

fn most_first(counts: HashMap<String, u64>) -> Vec<(String, u64)> {
    let mut list: Vec<(String, u64)> = counts.into_iter().collect();
    list.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    list.truncate(NAMES_MAX);
    list
}
