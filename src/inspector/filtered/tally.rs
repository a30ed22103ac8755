//! How many jobs fit: exactly where an index tells, else as far as a bounded look tells.

use super::{Judged, LOOKED_AT_MAX, Route, SIZE_MAX, STEP, beginning, redact, states};
use crate::error::{Error, Result};
use crate::inspector::Inspector;
use crate::model::filter::{Counted, FilteredQuery, GroupPlace, TALLIES_MAX, Tally};
use crate::model::{Cursor, Filter, JobId, QueueName, StateGroup, Timestamp};
use crate::redaction::Redaction;
use std::collections::HashSet;
use std::sync::Arc;

/// What all filters of a call are counted with.
struct Ground<'a> {
    redaction: Arc<Redaction>,
    now: Timestamp,
    queues: Vec<QueueName>,
    me: &'a str,
}

impl Ground<'_> {
    /// How the jobs of these lists that fit are found; of lists in which none can fit nothing.
    fn routes<'r>(
        &'r self,
        filter: &'r Filter,
        groups: &'r [StateGroup],
    ) -> impl Iterator<Item = Route> + 'r {
        groups.iter().filter_map(move |group| Route::of(filter, *group, None, &self.queues, self.now))
    }
}

impl Inspector {
    /// How many jobs of these lists fit: exactly where an index tells, else as far as 5,000 jobs tell.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn tally(&self, filter: &Filter, groups: &[StateGroup], me: &str) -> Result<Tally> {
        let mut left = LOOKED_AT_MAX;
        self.tally_within(&self.ground(me).await?, filter, groups, &mut left).await
    }

    /// How many jobs fit each of several filters, each in its list. All of them look at 5,000 jobs at most, in fair parts;
    /// what an index counts leaves its part to those behind it.
    ///
    /// # Errors
    /// [`Error::Invalid`] for more than 40 filters; [`Error::Unavailable`].
    pub async fn tallies(&self, asked: &[(Filter, StateGroup)], me: &str) -> Result<Vec<Tally>> {
        let count = asked.len();
        if count > TALLIES_MAX {
            return Err(Error::invalid("filters", format!("are {count}, at most {TALLIES_MAX} are allowed")));
        }
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let ground = self.ground(me).await?;
        let (mut tallies, mut left) = (Vec::with_capacity(count), LOOKED_AT_MAX);
        let mut rest = u64::try_from(count).unwrap_or(u64::MAX);
        for (filter, group) in asked {
            let part = left / rest.max(1);
            rest = rest.saturating_sub(1);
            let mut unused = part;
            tallies.push(self.tally_within(&ground, filter, &[*group], &mut unused).await?);
            left = left.saturating_sub(part.saturating_sub(unused));
        }
        Ok(tallies)
    }

    /// Counts the jobs of these lists that fit, from a place on. A call looks at 5,000 jobs at most: with a `next` there is
    /// more to look at, and the sum of all calls is exact for what stayed where it was meanwhile. A job that one call meets
    /// twice, since it moves to another list, counts once.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn count_on(&self, query: &FilteredQuery) -> Result<Counted> {
        let ground = self.ground(&query.me).await?;
        let mut counted = Counted::default();
        // A count that began with a look goes on with it: what an index tells is the whole.
        if query.after.is_none()
            && let Some(ids) = self.known(&query.filter, &states(&query.groups), LOOKED_AT_MAX).await?
        {
            counted.found = self.count_known(&ground, &query.filter, &query.groups, &ids).await?;
            (counted.looked_at, counted.among) = (counted.found, counted.found);
            return Ok(counted);
        }
        let routes: Vec<Route> = ground.routes(&query.filter, &query.groups).collect();
        let mut among = Vec::with_capacity(routes.len());
        for route in &routes {
            among.push(self.shards.scan(&route.scan, None, 0).await?.among);
        }
        counted.among = among.iter().sum();
        let (start, mut behind) =
            query.after.as_ref().map_or((0, None), |after| beginning(query, &routes, after));
        let (mut left, mut found) = (LOOKED_AT_MAX, HashSet::new());
        for (route, among) in routes.iter().zip(among).skip(start) {
            if route.is_indexed() {
                (counted.found, counted.looked_at) = (counted.found + among, counted.looked_at + among);
                continue;
            }
            let before = left;
            let is_end = self.look(&ground, route, &mut behind, &mut left, &mut found).await?;
            counted.looked_at += before.saturating_sub(left);
            if !is_end {
                counted.next = Some(GroupPlace::new(route.group, behind));
                break;
            }
        }
        counted.found += length(&found);
        Ok(counted)
    }

    async fn ground<'a>(&self, me: &'a str) -> Result<Ground<'a>> {
        let redaction = self.settings.redaction().await?;
        Ok(Ground { redaction, now: self.shards.now().await?, queues: self.shards.queue_names().await?, me })
    }

    /// How many of the jobs that an index named fit.
    async fn count_known(
        &self,
        ground: &Ground<'_>,
        filter: &Filter,
        groups: &[StateGroup],
        ids: &[JobId],
    ) -> Result<u64> {
        let mut query = FilteredQuery::new(filter.clone(), groups);
        query.me = ground.me.to_owned();
        query.size = SIZE_MAX;
        Ok(self.among_known(&query, ids).await?.among)
    }

    /// Counts one filter; takes from `left` the jobs it looked at where no index counts.
    async fn tally_within(
        &self,
        ground: &Ground<'_>,
        filter: &Filter,
        groups: &[StateGroup],
        left: &mut u64,
    ) -> Result<Tally> {
        if let Some(ids) = self.known(filter, &states(groups), *left).await? {
            *left = left.saturating_sub(u64::try_from(ids.len()).unwrap_or(u64::MAX));
            return Ok(Tally::new(self.count_known(ground, filter, groups, &ids).await?, false));
        }
        let (mut tally, mut found) = (Tally::default(), HashSet::new());
        for route in ground.routes(filter, groups) {
            if route.is_indexed() {
                tally.found += self.shards.scan(&route.scan, None, 0).await?.among;
            } else {
                tally.or_more |= !self.look(ground, &route, &mut None, left, &mut found).await?;
            }
        }
        tally.found += length(&found);
        Ok(tally)
    }

    /// Finds the jobs of one list that fit, from a place on until no more may be looked at; whether it came to the end.
    async fn look(
        &self,
        ground: &Ground<'_>,
        route: &Route,
        behind: &mut Option<Cursor>,
        left: &mut u64,
        fitting: &mut HashSet<JobId>,
    ) -> Result<bool> {
        loop {
            if *left == 0 {
                return Ok(false);
            }
            let mut step = self.shards.scan(&route.scan, behind.as_ref(), STEP.min(*left)).await?;
            redact(&ground.redaction, step.found.iter_mut().filter_map(|(_, one)| one.as_mut()));
            *left = left.saturating_sub(step.looked_at);
            let found = step.found.iter().filter_map(|(_, one)| one.as_ref());
            let fits = found.filter(|one| Judged::new(one).fits(&route.rest, ground.now, ground.me));
            fitting.extend(fits.map(|one| one.row.id.clone()));
            *behind = step.next;
            if behind.is_none() {
                return Ok(true);
            }
        }
    }
}

fn length(found: &HashSet<JobId>) -> u64 {
    u64::try_from(found.len()).unwrap_or(u64::MAX)
}
