//! Filtered lists: by an index where there is one, otherwise by looking at jobs in bounded, resumable steps.

mod facets;
mod fits;
mod route;
mod tally;

pub(crate) use fits::Judged;
pub(crate) use route::{Route, needs_payload};

use super::{Inspector, SUBJECT_JOBS_MAX};
use crate::error::Result;
use crate::index::Fields;
use crate::model::filter::{FilteredPage, FilteredQuery, FilteredRow, GroupPlace, Test};
use crate::model::{Cursor, Direction, Filter, JobId, JobState, StateGroup, Subject, Timestamp};
use crate::redaction::Redaction;
use crate::store::Candidate;
use std::cmp::Ordering;

/// Jobs one call looks at: tens of milliseconds of Redis, in steps that others get in between.
pub(crate) const LOOKED_AT_MAX: u64 = 5_000;
/// Jobs one step looks at: a few milliseconds of Redis.
pub(crate) const STEP: u64 = 500;
/// Rows of one page.
pub(super) const SIZE_MAX: u16 = 200;
/// Columns from payloads.
pub(super) const COLUMNS_MAX: usize = 8;

impl Inspector {
    /// The next jobs of these lists that fit. A call looks at 5,000 jobs at most: with a `next`, there may be more.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for more than eight columns;
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn filtered(&self, query: &FilteredQuery) -> Result<FilteredPage> {
        if query.columns.len() > COLUMNS_MAX {
            let count = query.columns.len();
            return Err(crate::Error::invalid(
                "columns",
                format!("are {count}, at most {COLUMNS_MAX} are allowed"),
            ));
        }
        match self.known(&query.filter, &states(&query.groups), LOOKED_AT_MAX).await? {
            Some(ids) => self.among_known(query, &ids).await,
            None => self.looked_through(query).await,
        }
    }

    /// The jobs an index names, when a term asks for ids, for whole subjects, or for what a field of payloads is that has
    /// an index; of the latter so many at most. `None` where these may not be all that there are in these states.
    pub(in crate::inspector) async fn known(
        &self,
        filter: &Filter,
        states: &[JobState],
        most: u64,
    ) -> Result<Option<Vec<JobId>>> {
        let with_ended = states.iter().any(|state| state.is_final());
        let known = self.named(filter, most).await?.filter(|(_, part)| !(*part && with_ended));
        Ok(known.map(|(ids, _)| ids))
    }

    /// The jobs that an index names, and whether there may be more that have ended than are read of a subject.
    async fn named(&self, filter: &Filter, most: u64) -> Result<Option<(Vec<JobId>, bool)>> {
        for term in filter.terms().iter().filter(|term| !term.not) {
            match &term.test {
                Test::Id(ids) => return Ok(Some((ids.clone(), false))),
                Test::Subject(list) if list.iter().all(|subject| !subject.and_more) => {
                    let (mut ids, mut part) = (Vec::new(), false);
                    // What is no subject's name is no job's subject.
                    for subject in list.iter().filter_map(|subject| Subject::new(subject.text.clone()).ok()) {
                        // Of the whole, for whether that is all of it; jobs of other queues are not told of.
                        let (rows, _, more) = self.shards.whole().subject(&subject, SUBJECT_JOBS_MAX).await?;
                        part |= more;
                        ids.extend(
                            rows.into_iter().filter(|row| self.shards.sees(&row.queue)).map(|row| row.id),
                        );
                    }
                    return Ok(Some((ids, part)));
                }
                _ => {}
            }
        }
        Ok(self.by_fields(filter, most).await?.map(|ids| (ids, false)))
    }

    /// The jobs that the index of fields of payloads names for a term, and those that it does not know yet.
    async fn by_fields(&self, filter: &Filter, most: u64) -> Result<Option<Vec<JobId>>> {
        let settings = self.settings.get().await?;
        let fields = Fields(&settings.index_fields);
        for term in filter.terms().iter().filter(|term| !term.not) {
            if let Test::Payload(path, test) = &term.test
                && let Some(ranges) = fields.ranges(path, test)
                && let Some(ids) = self.shards.whole().index_find(&fields.name(), &ranges, most).await?
            {
                return Ok(Some(ids));
            }
        }
        Ok(None)
    }

    /// Of jobs that an index named, the page of those that fit.
    async fn among_known(&self, query: &FilteredQuery, ids: &[JobId]) -> Result<FilteredPage> {
        let now = self.shards.now().await?;
        let found = self.fitting_known(query, ids, now).await?;
        let order = |a: &GroupPlace, b: &GroupPlace| known_order(query, a, b);
        let mut page = FilteredPage::nothing(now);
        page.among = u64::try_from(found.len()).unwrap_or(u64::MAX);
        page.looked_at = page.among;
        let rest = found
            .into_iter()
            .filter(|(at, _)| query.after.as_ref().is_none_or(|after| order(after, at).is_lt()));
        let mut rest = rest.peekable();
        let wanted = usize::from(query.size.clamp(1, SIZE_MAX));
        while page.rows.len() < wanted
            && let Some((at, one)) = rest.next()
        {
            page.rows.push(shown(query, one));
            page.next = rest.peek().map(|_| at);
        }
        Ok(page)
    }

    /// Of jobs that an index named, those that fit, list by list and by their times.
    async fn fitting_known(
        &self,
        query: &FilteredQuery,
        ids: &[JobId],
        now: Timestamp,
    ) -> Result<Vec<(GroupPlace, Candidate)>> {
        let redaction = self.settings.redaction().await?;
        let terms = query.filter.terms();
        let payload = !query.columns.is_empty() || terms.iter().any(|term| needs_payload(&term.test));
        let mut found: Vec<(GroupPlace, Candidate)> = Vec::new();
        for ids in ids.chunks(super::ROWS_MAX) {
            for mut one in self.shards.candidates(ids, payload).await? {
                redact(&redaction, [&mut one]);
                let group = StateGroup::of(one.row.state);
                if query.groups.contains(&group) && Judged::new(&one).fits(terms, now, &query.me) {
                    found.push((GroupPlace::new(group, Some(place(&one))), one));
                }
            }
        }
        found.sort_by(|(a, _), (b, _)| known_order(query, a, b));
        found.dedup_by(|(_, a), (_, b)| a.row.id == b.row.id);
        Ok(found)
    }

    async fn routes(&self, query: &FilteredQuery) -> Result<(Timestamp, Vec<Route>)> {
        let now = self.shards.now().await?;
        let queues = self.shards.queue_names().await?;
        let route = |group: &StateGroup| Route::of(&query.filter, *group, query.direction, &queues, now);
        Ok((now, query.groups.iter().filter_map(route).collect()))
    }

    async fn looked_through(&self, query: &FilteredQuery) -> Result<FilteredPage> {
        let (now, mut routes) = self.routes(query).await?;
        let mut page = FilteredPage::nothing(now);
        page.indexed = routes.iter().all(Route::is_indexed);
        let mut among = Vec::with_capacity(routes.len());
        for route in &mut routes {
            among.push(self.shards.scan(&route.scan, None, 0).await?.among);
            route.scan.payload |= !query.columns.is_empty();
        }
        page.among = among.iter().sum();
        self.look_on(query, &routes, &mut page).await?;
        if !page.indexed {
            // What was seen behind the last row is looked at again by the next reading, and counts there.
            let end =
                self.jobs_before(query, &routes, &among, page.next.as_ref()).await?.unwrap_or(page.among);
            let start = self.jobs_before(query, &routes, &among, query.after.as_ref()).await?.unwrap_or(0);
            page.looked_at = end.saturating_sub(start);
        }
        Ok(page)
    }

    /// How many of the jobs there are to look at stand before a place and at it; `None` without a place. `among` has how
    /// many there are of each route.
    async fn jobs_before(
        &self,
        query: &FilteredQuery,
        routes: &[Route],
        among: &[u64],
        place: Option<&GroupPlace>,
    ) -> Result<Option<u64>> {
        let Some(place) = place else { return Ok(None) };
        let (start, behind) = beginning(query, routes, place);
        let mut before = among.iter().take(start).sum();
        if let (Some(behind), Some(route), Some(all)) = (behind, routes.get(start), among.get(start)) {
            before += all.saturating_sub(self.shards.scan(&route.scan, Some(&behind), 0).await?.among);
        }
        Ok(Some(before))
    }

    /// Looks at jobs from where the query goes on until the page is full or no more may be looked at.
    async fn look_on(&self, query: &FilteredQuery, routes: &[Route], page: &mut FilteredPage) -> Result<()> {
        let redaction = self.settings.redaction().await?;
        let wanted = usize::from(query.size.clamp(1, SIZE_MAX));
        let (start, mut behind) =
            query.after.as_ref().map_or((0, None), |after| beginning(query, routes, after));
        for route in routes.iter().skip(start) {
            loop {
                let room = wanted.saturating_sub(page.rows.len());
                let left = LOOKED_AT_MAX.saturating_sub(page.looked_at);
                if room == 0 || left == 0 {
                    page.next = Some(GroupPlace::new(route.group, behind));
                    return Ok(());
                }
                // Where every job fits, no more are looked at than are shown.
                let most = if route.is_indexed() { u64::try_from(room).unwrap_or(STEP) } else { STEP };
                let mut step = self.shards.scan(&route.scan, behind.as_ref(), most.min(left)).await?;
                redact(&redaction, step.found.iter_mut().filter_map(|(_, one)| one.as_mut()));
                page.looked_at += step.looked_at;
                behind = step.next;
                let full = take_in(query, route, step.found, wanted, page);
                if let Some(at) = full {
                    page.next = Some(GroupPlace::new(route.group, Some(at)));
                    return Ok(());
                }
                if behind.is_none() {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Takes in what fits; the place of the job that made the page full, if that was not the last one seen.
fn take_in(
    query: &FilteredQuery,
    route: &Route,
    found: Vec<(Cursor, Option<Candidate>)>,
    wanted: usize,
    page: &mut FilteredPage,
) -> Option<Cursor> {
    let count = found.len();
    for (place, (at, candidate)) in found.into_iter().enumerate() {
        let Some(one) = candidate else { continue };
        if Judged::new(&one).fits(&route.rest, page.read_at, &query.me) {
            page.rows.push(shown(query, one));
            if page.rows.len() >= wanted && place + 1 < count {
                return Some(at);
            }
        }
    }
    None
}

/// Which of two jobs comes first in what a query lists.
fn known_order(query: &FilteredQuery, a: &GroupPlace, b: &GroupPlace) -> Ordering {
    let rank = |place: &GroupPlace| query.groups.iter().position(|group| *group == place.group);
    let direction = query.direction.unwrap_or(a.group.default_direction());
    let key = |place: &GroupPlace| place.behind.as_ref().map(|at| (at.score, at.id.clone()));
    rank(a).cmp(&rank(b)).then_with(|| match direction {
        Direction::Ascending => key(a).cmp(&key(b)),
        // The beginning of a list comes before every job in either direction.
        Direction::Descending => (key(a).is_some(), key(b)).cmp(&(key(b).is_some(), key(a))),
    })
}

/// The states of these lists.
fn states(groups: &[StateGroup]) -> Vec<JobState> {
    groups.iter().flat_map(|group| group.states()).copied().collect()
}

/// Where a job stands in its list, as a scan of it says: the next reading may be one. A job that its set has lost stands
/// where its times say.
fn place(one: &Candidate) -> Cursor {
    let row = &one.row;
    let by_times = || row.ended.unwrap_or(row.due).as_millis().unsigned_abs();
    Cursor { score: one.score.unwrap_or_else(by_times), id: row.id.clone() }
}

/// Which list a query goes on in from a place on, and behind which of its jobs.
fn beginning(query: &FilteredQuery, routes: &[Route], place: &GroupPlace) -> (usize, Option<Cursor>) {
    let start = first_from(query, routes, place.group);
    let is_there = routes.get(start).is_some_and(|route| route.group == place.group);
    (start, place.behind.clone().filter(|_| is_there))
}

/// The first list to look through that does not come before that group.
fn first_from(query: &FilteredQuery, routes: &[Route], group: StateGroup) -> usize {
    let rank = |group: StateGroup| query.groups.iter().position(|one| *one == group);
    routes.iter().position(|route| rank(route.group) >= rank(group)).unwrap_or(routes.len())
}

/// Hides what nobody may see before anything is judged: who may not read a value must not be able to guess it by
/// filters either.
pub(crate) fn redact<'a>(redaction: &Redaction, candidates: impl IntoIterator<Item = &'a mut Candidate>) {
    for one in candidates {
        redaction.row(&mut one.row);
        redaction.payload(&one.row.kind, &mut one.payload);
        redaction.error(&mut one.error);
    }
}

fn shown(query: &FilteredQuery, one: Candidate) -> FilteredRow {
    let judged = Judged::new(&one);
    let cell = |path| if query.whole_values { judged.whole(path) } else { judged.column(path) };
    let cells = query.columns.iter().map(cell).collect();
    FilteredRow { row: one.row, cells }
}
