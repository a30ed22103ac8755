//! A bulk run over all shards: each shard has a run of the same id for its own jobs; what they say is added up.

use super::bulk::NamedRun;
use super::{BulkStep, BulkWord, Intent, Shards};
use crate::error::{Error, Result};
use crate::model::{
    BulkOutcomes, BulkPlace, BulkRun, BulkRuns, BulkState, BulkVerb, JobId, OutcomePlace, QueueName, RunId,
};
use futures_util::future::try_join_all;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Runs named in a call.
const RUNS_BATCH: usize = 100;
/// Runs looked at for those that somebody sees: more are not kept, see `lua/functions/bulk/bulk_open.lua`.
const RUNS_LOOKED_AT_MAX: usize = 500;

impl Shards {
    /// Begins a run in every shard; `false` where a shard has one of that id already.
    pub(crate) async fn bulk_open(
        &self,
        run: &RunId,
        verb: BulkVerb,
        intent: &Intent,
        settings: &[(&str, String)],
        rate: Option<u32>,
    ) -> Result<bool> {
        let mut settings = settings.to_vec();
        settings.push(("shards", self.count().to_string()));
        if let Some(rate) = rate {
            settings.push(("rate", rate.to_string()));
            settings.push(("pace", self.pace(rate)));
        }
        let words = self.each(|store| store.bulk_open(run, verb, intent, &settings)).await?;
        Ok(!words.contains(&BulkWord::Exists))
    }

    /// Every shard's part of a rate, for a script to read.
    fn pace(&self, rate: u32) -> String {
        format!("{:.6}", f64::from(rate) / f64::from(self.count()))
    }

    /// Starts a run. The first shard decides, so that of a start and of taking the run back one wins in all shards:
    /// see [`Self::bulk_take_back`].
    pub(crate) async fn bulk_start(
        &self,
        run: &RunId,
        intent: &Intent,
        of_person: bool,
        two_people: bool,
        rate: Option<u32>,
    ) -> Result<BulkWord> {
        let pace = rate.map(|rate| (rate, self.pace(rate)));
        let start = |store: &super::Store| {
            let (store, pace) = (store.clone(), pace.clone());
            async move { store.bulk_start(run, intent, of_person, two_people, pace.as_ref()).await }
        };
        let first = start(self.first()).await?;
        // Its part may be done before the others', and the undo of a run has none where there is nothing to undo. Where it
        // waits for somebody other than this person, they may have been cut off before they asked for it elsewhere.
        let goes_on = matches!(
            first,
            BulkWord::Now(_)
                | BulkWord::Exists
                | BulkWord::Missing
                | BulkWord::Alone
                | BulkWord::Refused(BulkState::Done)
        );
        if !goes_on {
            return Ok(first);
        }
        let mut words = self.each_other(start).await?;
        words.push(first);
        Ok(together(&words))
    }

    /// Ends a run, whatever state it is in.
    pub(crate) async fn bulk_abort(&self, run: &RunId, intent: &Intent) -> Result<BulkWord> {
        Ok(together(&self.each(|store| store.bulk_abort(run, intent, None)).await?))
    }

    /// Ends a run that waits for a second person. The first shard says whether it still does, and a start asks there first
    /// as well; so nothing is asked of the others, and a repeat ends what a cut-off one has left there.
    pub(crate) async fn bulk_take_back(&self, run: &RunId, intent: &Intent) -> Result<BulkWord> {
        let first = self.first().bulk_abort(run, intent, Some(BulkState::Waiting)).await?;
        if matches!(first, BulkWord::Now(_)) {
            self.each_other(|store| store.bulk_abort(run, intent, None)).await?;
        }
        Ok(first)
    }

    /// The answers of all shards but the first.
    async fn each_other<'a, T, F>(&'a self, ask: impl Fn(&'a super::Store) -> F) -> Result<Vec<T>>
    where
        F: Future<Output = Result<T>>,
    {
        try_join_all(self.all().iter().skip(1).map(ask)).await
    }

    pub(crate) async fn bulk_undo(&self, run: &RunId, undo: &RunId, intent: &Intent) -> Result<BulkWord> {
        Ok(together(&self.each(|store| store.bulk_undo(run, undo, intent)).await?))
    }

    pub(crate) async fn bulk_step(&self, run: &RunId, most: u32) -> Result<Option<BulkStep>> {
        let steps = self.each(|store| store.bulk_go_on(self.first(), run, most)).await?.into_iter().flatten();
        Ok(steps.reduce(|a, b| BulkStep {
            state: joint(a.state, b.state),
            reached: a.reached + b.reached,
            left: a.left + b.left,
        }))
    }

    pub(crate) async fn bulk_run(&self, run: &RunId) -> Result<Option<BulkRun>> {
        let parts: Vec<BulkRun> =
            self.each(|store| store.bulk_run(run)).await?.into_iter().flatten().collect();
        let undos: BTreeSet<RunId> = parts.iter().filter_map(|part| part.undone_by.clone()).collect();
        let Some(mut whole) = parts.into_iter().reduce(add) else { return Ok(None) };
        if undos.len() > 1 {
            whole.undone_by = self.undo_in_force(undos).await?;
        }
        Ok(Some(whole))
    }

    /// Of the runs that shards name as a run's undo the one that was not aborted: where an aborted one had come to all
    /// jobs of a shard, that shard names it still, while others name the next. The latest where there is none.
    async fn undo_in_force(&self, undos: BTreeSet<RunId>) -> Result<Option<RunId>> {
        for undo in undos.iter().rev() {
            let parts = self.each(|store| store.bulk_run(undo)).await?.into_iter().flatten();
            let state = parts.map(|part| part.state).reduce(joint);
            if state.is_some_and(|state| state != BulkState::Aborted) {
                return Ok(Some(undo.clone()));
            }
        }
        Ok(undos.into_iter().next_back())
    }

    /// The latest runs behind that place among those whose queues are `seen`, the latest first. Most are known to every
    /// shard; one that undoes another is known where there was something to undo.
    pub(crate) async fn bulk_runs(
        &self,
        after: Option<&BulkPlace>,
        most: usize,
        seen: impl Fn(&[QueueName]) -> bool,
    ) -> Result<BulkRuns> {
        let (mut runs, mut waiting, mut met) = (Vec::new(), Vec::new(), HashSet::new());
        let (mut last, mut next) = (None, None);
        'pages: for from in (0..=RUNS_LOOKED_AT_MAX).step_by(RUNS_BATCH) {
            let (from, batch) = (from.cast_signed(), RUNS_BATCH.cast_signed());
            let pages = self.each(|store| store.bulk_names(from, batch)).await?;
            let is_last = pages.iter().all(Vec::is_empty);
            // Earlier ones wait for the next page of that shard, which may have later ones.
            let whole_since = pages.iter().filter_map(|page| page.last()).map(|named| named.made_ms).max();
            waiting.extend(pages.into_iter().flatten());
            waiting.sort_by(|a, b| (b.made_ms, &b.run).cmp(&(a.made_ms, &a.run)));
            let ripe = waiting.partition_point(|named| Some(named.made_ms) >= whole_since);
            for NamedRun { run, only_in, made_ms } in waiting.drain(..ripe) {
                if !met.insert(run.clone()) || !seen(&only_in) {
                    continue;
                }
                // By its first shard each is met at one place, whatever the clocks of the others say.
                let place = BulkPlace::new(made_ms, run);
                if after.is_some_and(|after| place >= *after) {
                    continue;
                }
                match self.bulk_run(place.run()).await {
                    Ok(None) => {}
                    Ok(Some(_)) if runs.len() == most => {
                        next = last;
                        break 'pages;
                    }
                    Ok(Some(read)) => {
                        runs.push(read);
                        last = Some(place);
                    }
                    // One that does not read must not hide the others.
                    Err(error @ Error::Codec { .. }) => {
                        let run = place.run();
                        tracing::error!(%error, "bulk run {run} does not read: {error}");
                    }
                    Err(error) => return Err(error),
                }
            }
            if is_last {
                break;
            }
        }
        runs.sort_by(|a, b| (b.created, &b.id).cmp(&(a.created, &a.id)));
        Ok(BulkRuns { items: runs, next })
    }

    /// Jobs of a run without outcome, behind the first `after` of them.
    pub(crate) async fn bulk_samples(&self, run: &RunId, after: u16, most: u16) -> Result<Vec<JobId>> {
        let (after, most) = (usize::from(after), usize::from(most));
        let reach = isize::try_from(after + most).unwrap_or(isize::MAX);
        let ids = self.each(|store| store.bulk_samples(run, reach)).await?.into_iter().flatten();
        Ok(ids.skip(after).take(most).collect())
    }

    /// Outcomes behind those that were read, shard after shard, and within a shard in the order they came.
    pub(crate) async fn bulk_outcomes(
        &self,
        run: &RunId,
        after: &OutcomePlace,
        most: u64,
    ) -> Result<BulkOutcomes> {
        let (mut items, mut read, mut room) = (Vec::new(), Vec::new(), most);
        for store in self.all() {
            let mut place = after.of(store.shard());
            if room > 0 {
                let (count, found) = store.bulk_outcomes(run, place, room).await?;
                (place, room) = (place.saturating_add(count), room.saturating_sub(count));
                items.extend(found);
            }
            read.push(place);
        }
        Ok(BulkOutcomes { items, next: (room == 0).then(|| OutcomePlace::new(read)) })
    }
}

/// What a verb achieved when it achieved something in any shard; a shard may have ended its part before the others.
fn together(words: &[BulkWord]) -> BulkWord {
    let rank = |word: &&BulkWord| match word {
        BulkWord::Now(_) => 0,
        BulkWord::Exists => 1,
        BulkWord::Alone => 2,
        BulkWord::Refused(state) if !matches!(state, BulkState::Done) => 2,
        BulkWord::Refused(_) => 3,
        BulkWord::Missing => 4,
    };
    words.iter().min_by_key(rank).copied().unwrap_or(BulkWord::Missing)
}

/// The state of a whole run: that of the part that is least far.
fn joint(a: BulkState, b: BulkState) -> BulkState {
    use BulkState::{Aborted, Collecting, Done, Frozen, Running, Stopped, Waiting};
    let order = [Collecting, Running, Stopped, Frozen, Waiting, Aborted, Done];
    order.into_iter().find(|state| *state == a || *state == b).unwrap_or(a)
}

/// Two shards' parts of one run as one.
fn add(mut sum: BulkRun, part: BulkRun) -> BulkRun {
    // Who ended it, and why, is told by the part whose state counts.
    if joint(sum.state, part.state) == part.state && sum.state != part.state {
        (sum.state, sum.ended_by, sum.ended_why) = (part.state, part.ended_by, part.ended_why);
    }
    sum.created = sum.created.min(part.created);
    sum.expires = sum.expires.min(part.expires);
    if sum.asked_by.is_empty() {
        (sum.asked_by, sum.asked) = (part.asked_by, part.asked);
    }
    if sum.started_by.is_empty() {
        sum.started_by = part.started_by;
    }
    sum.started = sum.started.or(part.started);
    sum.ended = if sum.state.is_over() { sum.ended.max(part.ended) } else { None };
    sum.looked_at += part.looked_at;
    sum.cut |= part.cut;
    sum.total += part.total;
    sum.pending += part.pending;
    sum.changed += part.changed;
    sum.skipped += part.skipped;
    sum.failed += part.failed;
    for (word, count) in part.words {
        *sum.words.entry(word).or_default() += count;
    }
    for (of, count) in part.split {
        *sum.split.entry(of).or_default() += count;
    }
    // A subject is in one shard, with all of its jobs.
    sum.subjects += part.subjects;
    sum.by_subject = largest(sum.by_subject.into_iter().chain(part.by_subject));
    sum.due_ms = match (sum.due_ms, part.due_ms) {
        (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
        (one, other) => one.or(other),
    };
    sum.went_well += part.went_well;
    sum.failed_again += part.failed_again;
    sum.undoable += part.undoable;
    sum.undo_of = sum.undo_of.or(part.undo_of);
    sum.undone_by = sum.undone_by.or(part.undone_by);
    sum
}

/// The subjects with most jobs.
fn largest(all: impl Iterator<Item = (String, u64)>) -> BTreeMap<String, u64> {
    let mut all: Vec<_> = all.collect();
    all.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    all.truncate(BulkRun::SUBJECTS_TOLD_MAX);
    all.into_iter().collect()
}
