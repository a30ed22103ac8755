//! Freezing the jobs that fit a line, or that were picked one by one. Each shard takes its own.

use super::Bulk;
use crate::error::Result;
use crate::inspector::filtered::{Judged, LOOKED_AT_MAX, Route, STEP, needs_payload, redact};
use crate::inspector::{Inspector, ROWS_MAX};
use crate::model::filter::{GroupPlace, Term};
use crate::model::{BulkState, Filter, JobId, JobState, RunId, StateGroup, Timestamp, Version};
use crate::store::{BulkWord, Candidate, Store};
use std::time::{Duration, Instant};

/// Between two tries to go on where somebody else looks for the same jobs: looking along with them wins nothing.
const OTHERS_LOOK: Duration = Duration::from_millis(500);

impl Bulk {
    /// Ids that a shard does not have are not its own.
    pub(super) async fn take_picked(&self, run: &RunId) -> Result<()> {
        let take = |store: &Store| {
            let store = store.clone();
            async move { store.bulk_take(run, &self.picked, self.picked.len() as u64, None, None).await }
        };
        self.shards.each(take).await.map(drop)
    }

    /// Takes what an index names, as a list does; where none does, looks through the lists of these states.
    pub(super) async fn take_matching(
        &self,
        run: &RunId,
        matching: &Filter,
        states: &[JobState],
        until: Option<Instant>,
    ) -> Result<()> {
        // It asks for nothing that has to be confirmed.
        let inspector = Inspector::new(self.shards.clone(), 0, self.settings.clone());
        let inspector = inspector.only_in(self.only_in.clone());
        match inspector.known(matching, states, LOOKED_AT_MAX).await? {
            Some(ids) => self.take_known(&inspector, run, matching, states, &ids).await,
            None => self.take_looked_for(run, matching, states, until).await,
        }
    }

    fn fits(&self, one: &Candidate, terms: &[Term], now: Timestamp) -> bool {
        Judged::new(one).fits(terms, now, &self.intent.actor)
            && self.filter.died_of.as_ref().is_none_or(|failure| failure.holds(&one.row))
            && self.filter.error.as_ref().is_none_or(|text| one.error.contains(text))
    }

    /// Of jobs that an index named, takes those that fit. A repeat begins anew: what was taken counts once.
    async fn take_known(
        &self,
        inspector: &Inspector,
        run: &RunId,
        matching: &Filter,
        states: &[JobState],
        ids: &[JobId],
    ) -> Result<()> {
        let redaction = self.settings.redaction().await?;
        let now = self.shards.now().await?;
        let terms = matching.terms();
        let payload = terms.iter().any(|term| needs_payload(&term.test));
        let stores = self.shards.all();
        let mut places = Vec::with_capacity(stores.len());
        for store in stores {
            places.push(store.bulk_place(run).await?);
        }
        for (chunk, ids) in ids.chunks(ROWS_MAX).enumerate() {
            let mut found = inspector.shards.candidates(ids, payload).await?;
            redact(&redaction, &mut found);
            let fit =
                found.iter().filter(|one| states.contains(&one.row.state) && self.fits(one, terms, now));
            let jobs: Vec<(JobId, Version)> = fit.map(|one| (one.row.id.clone(), one.row.version)).collect();
            let mut looked_at = found.len() as u64;
            // Of no list, so that one who has to look through lists after all begins with the first.
            let next = format!("index {chunk}");
            for (store, place) in stores.iter().zip(&mut places) {
                let word = store.bulk_take(run, &jobs, looked_at, place.as_deref(), Some(&next)).await?;
                if matches!(word, BulkWord::Refused(_)) {
                    // Somebody else does it.
                    return Ok(());
                }
                *place = Some(next.clone());
                // Ids that a shard does not have are not its own; they were looked at once.
                looked_at = 0;
            }
        }
        for (store, place) in stores.iter().zip(&places) {
            store.bulk_take(run, &[], 0, place.as_deref(), None).await?;
        }
        Ok(())
    }

    /// Looks through the lists of these states, step by step, from where an earlier attempt came to.
    async fn take_looked_for(
        &self,
        run: &RunId,
        matching: &Filter,
        states: &[JobState],
        until: Option<Instant>,
    ) -> Result<()> {
        let now = self.shards.now().await?;
        let mut queues = self.shards.queue_names().await?;
        if !self.only_in.is_empty() {
            queues.retain(|queue| self.only_in.contains(queue));
        }
        let mut groups: Vec<StateGroup> = states.iter().map(|state| StateGroup::of(*state)).collect();
        groups.sort_unstable();
        groups.dedup();
        let routes: Vec<Route> = groups
            .into_iter()
            .filter_map(|group| {
                let mut route = Route::of(matching, group, None, &queues, now)?;
                route.scan.states.retain(|state| states.contains(state));
                // No queues would be all of them.
                if !self.only_in.is_empty() && route.scan.queues.is_empty() {
                    route.scan.queues.clone_from(&queues);
                }
                let looks_nowhere = !self.only_in.is_empty() && route.scan.queues.is_empty();
                (!route.scan.states.is_empty() && !looks_nowhere).then_some(route)
            })
            .collect();
        let routes = &routes;
        let through = |store: &Store| {
            let store = store.clone();
            async move { self.take_routes(&store, run, routes, now, until).await }
        };
        self.shards.each(through).await.map(drop)
    }

    /// Where somebody else looks for the jobs of the same run, waits and goes on from where they came to.
    async fn take_routes(
        &self,
        store: &Store,
        run: &RunId,
        routes: &[Route],
        now: Timestamp,
        until: Option<Instant>,
    ) -> Result<()> {
        let is_over = || until.is_some_and(|until| Instant::now() >= until);
        while let BulkWord::Refused(_) = self.take_on(store, run, routes, now, until).await? {
            if is_over() {
                break;
            }
            tokio::time::sleep(OTHERS_LOOK).await;
        }
        Ok(())
    }

    /// Takes step after step from where an earlier one came to; what the last of them answered.
    async fn take_on(
        &self,
        store: &Store,
        run: &RunId,
        routes: &[Route],
        now: Timestamp,
        until: Option<Instant>,
    ) -> Result<BulkWord> {
        let redaction = self.settings.redaction().await?;
        let mut from = store.bulk_place(run).await?;
        let place: Option<GroupPlace> = from.as_ref().and_then(|place| place.parse().ok());
        let mut behind = place.as_ref().and_then(|place| place.behind.clone());
        let first =
            place.and_then(|place| routes.iter().position(|route| route.group == place.group)).unwrap_or(0);
        for (index, route) in routes.iter().enumerate().skip(first) {
            loop {
                let mut step = store.scan(&route.scan, behind.as_ref(), STEP).await?;
                // A hidden value can neither be seen nor be asked for: the run means the jobs that the list meant.
                redact(&redaction, step.found.iter_mut().filter_map(|(_, one)| one.as_mut()));
                let jobs: Vec<(JobId, Version)> = step
                    .found
                    .iter()
                    .filter_map(|(_, candidate)| candidate.as_ref())
                    .filter(|one| self.fits(one, &route.rest, now))
                    .map(|one| (one.row.id.clone(), one.row.version))
                    .collect();
                behind = step.next;
                let next = match (&behind, routes.get(index + 1)) {
                    (Some(at), _) => Some(GroupPlace::new(route.group, Some(at.clone()))),
                    (None, Some(next)) => Some(GroupPlace::new(next.group, None)),
                    (None, None) => None,
                };
                let place = next.as_ref().map(ToString::to_string);
                let word =
                    store.bulk_take(run, &jobs, step.looked_at, from.as_deref(), place.as_deref()).await?;
                from = place;
                let is_over = until.is_some_and(|until| Instant::now() >= until);
                if is_over || word != BulkWord::Now(BulkState::Collecting) {
                    return Ok(word);
                }
                if behind.is_none() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        // Without any list to look through nothing has ended it yet.
        store.bulk_take(run, &[], 0, from.as_deref(), None).await
    }
}
