//! Bulk runs: made and frozen, then started, watched, stopped and undone.

mod take;

use super::{Inspector, Operator};
use crate::acts::check_why;
use crate::error::{Error, Result};
use crate::model::filter::{Pattern, Span, Test, TimeField};
use crate::model::{
    Attention, BULK_SAMPLES_AFTER_MAX, BulkFilter, BulkOutcomes, BulkPlace, BulkRun, BulkRuns, BulkState,
    BulkVerb, Delay, Filter, JobId, JobRow, JobState, Kind, OutcomePlace, QueueName, RunId, Shift, Version,
};
use crate::settings::KnownSettings;
use crate::store::{BulkStep, BulkWord, Intent, Shards};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Jobs of one step.
const STEP_MAX: u32 = 500;
/// Longest text searched for in errors, bytes.
const ERROR_BYTES_MAX: usize = 200;
/// Most jobs a second: more is as good as no rate at all.
const RATE_MAX: u32 = 10_000;
/// A drip's rate unless said otherwise, jobs a second.
const DRIP_RATE: u32 = 10;
/// The longest spread and shift: a year.
const SPAN_MAX: Delay = Delay::days(366);
/// Rows shown of a frozen run, runs of a list, outcomes of a page.
const SAMPLES_MAX: u16 = 20;
const RUNS_MAX: u16 = 100;
const OUTCOMES_MAX: u16 = 1_000;
/// Deletions that wait for a second person, as far as the overview tells of them; the list of runs has all.
const WAITING_SHOWN_MAX: usize = 5;
/// Jobs picked one by one: five pages of a list.
const PICKED_MAX: usize = 1_000;

/// A bulk run being described; [`freeze`](Self::freeze) looks its jobs up and changes none of them.
#[derive(Debug)]
#[must_use = "nothing happens before `freeze`"]
pub struct Bulk {
    shards: Shards,
    settings: KnownSettings,
    id: Option<RunId>,
    verb: BulkVerb,
    filter: BulkFilter,
    shift: Option<Shift>,
    spread: Delay,
    rate: Option<u32>,
    stops: bool,
    if_changed_act: bool,
    spare_started: bool,
    picked: Vec<(JobId, Version)>,
    only_in: Vec<QueueName>,
    within: Option<Duration>,
    intent: Intent,
}

impl Bulk {
    fn new(shards: Shards, verb: BulkVerb, actor: &str, settings: KnownSettings) -> Self {
        Self {
            shards,
            settings,
            id: None,
            verb,
            filter: BulkFilter::default(),
            shift: None,
            spread: Delay::ZERO,
            rate: None,
            stops: false,
            // Calling off what went on its way meanwhile is what was asked for; everything else is asked again.
            if_changed_act: verb == BulkVerb::Cancel,
            spare_started: false,
            picked: Vec::new(),
            only_in: Vec::new(),
            within: None,
            intent: Intent::of(actor),
        }
    }

    /// Under an id of the caller's, so that a repeat finds the first one.
    pub fn id(mut self, id: RunId) -> Self {
        self.id = Some(id);
        self
    }

    /// For the jobs that fit.
    pub fn filter(mut self, filter: BulkFilter) -> Self {
        self.filter = filter;
        self
    }

    /// Moves each job there; for `reschedule` only.
    pub const fn shift(mut self, shift: Shift) -> Self {
        self.shift = Some(shift);
        self
    }

    /// Spreads the jobs evenly over that span behind their new due time; for `reschedule` only.
    pub const fn spread(mut self, spread: Delay) -> Self {
        self.spread = spread;
        self
    }

    /// At most that many jobs a second, 1 to 10,000.
    pub const fn rate(mut self, per_second: u32) -> Self {
        self.rate = Some(per_second);
        self
    }

    /// Stops by itself when, of the latest 200 jobs (20 at least) that it set going, more than half failed again;
    /// and never has more than 200 of them under way. For `retry_now` only.
    pub const fn stop_when_most_fail(mut self) -> Self {
        self.stops = true;
        self
    }

    /// Whether to act on jobs that changed since they were frozen, instead of skipping them as `changed`. A cancel
    /// does unless told otherwise.
    pub const fn act_on_changed(mut self, act: bool) -> Self {
        self.if_changed_act = act;
        self
    }

    /// Leaves jobs alone that started since they were frozen, also where other changes do not matter.
    pub const fn spare_started(mut self) -> Self {
        self.spare_started = true;
        self
    }

    /// For these very jobs, at the versions somebody saw, 1 to 1,000, instead of those that fit a filter.
    pub fn jobs(mut self, jobs: Vec<(JobId, Version)>) -> Self {
        self.filter = BulkFilter { picked: u32::try_from(jobs.len()).ok(), ..BulkFilter::default() };
        self.picked = jobs;
        self
    }

    /// Binds the run to these queues, as its maker is; none for all of them. Jobs of other queues are left out, and
    /// refused by name where they were [picked](Self::jobs): as `forbidden`, and in the audit.
    pub fn only_in(mut self, queues: impl Into<Vec<QueueName>>) -> Self {
        self.only_in = queues.into();
        self
    }

    /// Stops looking after so long, for a caller that waits for an answer: the run is [`Collecting`](BulkState::Collecting)
    /// then, with what it has found so far, and [`Operator::collect_bulk`] looks on from there.
    pub const fn within(mut self, most: Duration) -> Self {
        self.within = Some(most);
        self
    }

    /// For that reason; at most 1,024 bytes.
    pub fn because(mut self, why: impl Into<String>) -> Self {
        self.intent.why = why.into();
        self
    }

    /// Looks its jobs up, at most 100,000 among at most 1,000,000 looked at, and keeps their ids and versions. What
    /// comes back is the dry run: how many, split how, due when. No job changes before
    /// [`Operator::start_bulk`]; a run that nobody starts is forgotten after ten minutes.
    ///
    /// # Errors
    /// [`Error::Invalid`]: nothing was made. [`Error::Unavailable`]: repeat it under the same id.
    pub async fn freeze(self) -> Result<BulkRun> {
        self.check()?;
        let until = self.within.and_then(|most| Instant::now().checked_add(most));
        let states: Vec<JobState> = match self.filter.states.as_slice() {
            [] if self.filter.matching.is_some() => JobState::ALL.to_vec(),
            [] => self.verb.states_default().to_vec(),
            named => named.to_vec(),
        };
        let filter = BulkFilter { states: states.clone(), ..self.filter.clone() };
        let id = self.id.clone().unwrap_or_else(new_run);
        let settings = self.settings(&filter)?;
        if !self.shards.bulk_open(&id, self.verb, &self.intent, &settings, self.rate).await?
            && let Some(first) = self.shards.bulk_run(&id).await?
            && (first.verb != self.verb
                || first.by != self.intent.actor
                || first.filter.as_ref() != Some(&filter))
        {
            // It has what the first one was made for, and nothing else.
            return Ok(first);
        }
        if self.filter.picked.is_some() {
            self.take_picked(&id).await?;
        } else {
            self.take_matching(&id, &self.judged_by(), &states, until).await?;
        }
        self.shards.bulk_run(&id).await?.ok_or_else(|| no_run(&id))
    }

    /// The line that its jobs are judged by, beside what a line cannot say.
    fn judged_by(&self) -> Filter {
        let BulkFilter { matching, queue, kind, subject, tag, due_from, due_before, .. } = &self.filter;
        let due = due_from.or(*due_before).map(|_| Span::between(*due_from, *due_before));
        let tests = [
            queue.as_ref().map(|queue| Test::Queue(Pattern::only(queue.as_str()))),
            kind.as_ref().map(|kind| Test::Kind(Pattern::only(kind.as_str()))),
            subject.as_ref().map(|subject| Test::Subject(Pattern::only(subject.as_str()))),
            tag.as_ref().map(|tag| Test::Tag(Pattern::only(tag))),
            due.map(|due| Test::Time(TimeField::Due, due)),
        ];
        let mut line = matching.clone().unwrap_or_default();
        line.extend(tests.into_iter().flatten());
        line
    }

    fn settings(&self, filter: &BulkFilter) -> Result<Vec<(&'static str, String)>> {
        let json = serde_json::to_string(filter)
            .map_err(|error| Error::invalid("filter", format!("cannot be written as JSON: {error}")))?;
        let mut settings = vec![("filter", json)];
        match self.shift {
            Some(Shift::To(due)) => settings.push(("due_ms", due.as_millis().to_string())),
            Some(Shift::By(ms)) => settings.push(("shift_ms", ms.to_string())),
            None => {}
        }
        if self.spread > Delay::ZERO {
            settings.push(("spread_ms", self.spread.as_millis().to_string()));
        }
        if self.stops {
            settings.push(("stops", "1".to_owned()));
        }
        if filter.picked.is_some() {
            settings.push(("picked", "1".to_owned()));
        }
        let only_in = if self.only_in.is_empty() { filter.queue.as_slice() } else { &self.only_in };
        if !only_in.is_empty() {
            settings.push(("only_in", only_in.iter().map(QueueName::as_str).collect::<Vec<_>>().join(" ")));
        }
        if self.spare_started {
            settings.push(("spare_started", "1".to_owned()));
        }
        if self.if_changed_act {
            settings.push(("if_changed", "act".to_owned()));
        }
        Ok(settings)
    }

    fn check(&self) -> Result<()> {
        check_why(&self.intent.why)?;
        if self.filter.picked.is_some_and(|count| count == 0) || self.picked.len() > PICKED_MAX {
            return Err(Error::invalid("jobs", format!("are 1 to {PICKED_MAX}")));
        }
        // A line that names states of its own shows in the dry run what is left alone.
        let narrowed = self.filter.matching.is_none();
        if let Some(state) =
            self.filter.states.iter().filter(|_| narrowed).find(|state| !self.verb.states().contains(state))
        {
            return Err(Error::invalid("states", format!("hold {state}, which {} never changes", self.verb)));
        }
        let is_name = |tag: &str| Kind::new(tag).is_ok();
        if self.filter.tag.as_deref().is_some_and(|tag| !is_name(tag)) {
            return Err(Error::invalid("tag", "is 1 to 64 bytes of A-Z a-z 0-9 . _ -"));
        }
        if self.filter.error.as_ref().is_some_and(|text| text.is_empty() || text.len() > ERROR_BYTES_MAX) {
            return Err(Error::invalid("error", format!("has 1 to {ERROR_BYTES_MAX} bytes")));
        }
        if let (Some(from), Some(before)) = (self.filter.due_from, self.filter.due_before)
            && from >= before
        {
            return Err(Error::invalid("due_before_ms", "lies behind due_from_ms"));
        }
        check_rate(self.rate)?;
        let moves = self.verb == BulkVerb::Reschedule;
        if moves && self.shift.is_none() {
            return Err(Error::invalid("due_ms", "or shift_ms is needed to reschedule"));
        }
        if !moves && (self.shift.is_some() || self.spread > Delay::ZERO) {
            return Err(Error::invalid("verb", "must be reschedule if a new time or a spread is given"));
        }
        let ms_max = SPAN_MAX.as_millis();
        let too_far = matches!(self.shift, Some(Shift::By(ms)) if !(-ms_max..=ms_max).contains(&ms));
        if too_far || self.spread > SPAN_MAX {
            return Err(Error::invalid("shift_ms", "and spread_ms are at most a year"));
        }
        if self.stops && self.verb != BulkVerb::RetryNow {
            return Err(Error::invalid("stops_itself", "is for retry_now only"));
        }
        Ok(())
    }
}

impl Operator {
    /// Begins to describe a bulk run.
    pub fn bulk(&self, verb: BulkVerb) -> Bulk {
        Bulk::new(self.shards().clone(), verb, self.actor(), self.settings.clone())
    }

    /// Begins to describe a run that retries dead jobs a few at a time, 10 a second unless said otherwise, and stops
    /// by itself when most of them fail again.
    pub fn drip_dead(&self) -> Bulk {
        self.bulk(BulkVerb::RetryNow).rate(DRIP_RATE).stop_when_most_fail()
    }

    /// Goes on looking for the jobs of a run that had not found all of them [within](Bulk::within) its time, for so long
    /// again. Only the maker of the run should do so: `by:me` and what may be seen of jobs are theirs. A run in any
    /// other state is told as it is.
    ///
    /// # Errors
    /// [`Error::NoBulkRun`]; [`Error::Unavailable`].
    pub async fn collect_bulk(&self, run: &RunId, within: Duration) -> Result<BulkRun> {
        let found = self.shards().bulk_run(run).await?.ok_or_else(|| no_run(run))?;
        let filter = found.filter.clone().filter(|filter| filter.picked.is_none());
        let (BulkState::Collecting, Some(filter)) = (found.state, filter) else { return Ok(found) };
        let bulk = self.bulk(found.verb).id(run.clone()).filter(filter).only_in(found.only_in).within(within);
        match found.shift {
            Some(shift) => bulk.shift(shift).freeze().await,
            None => bulk.freeze().await,
        }
    }

    /// Starts a frozen run, or lets a stopped one go on, in any process that runs
    /// [`Maintenance`](crate::Maintenance). `rate` is another number of jobs a second than it was made with. The run of
    /// somebody who [signed in](Self::signed_in) is aborted once they may no longer do such a thing.
    ///
    /// Where [deleting needs two people](crate::model::Settings::second_person), the first who starts a run that
    /// deletes has it wait for a day, and somebody else starts it.
    ///
    /// # Errors
    /// [`Error::SecondPerson`] for the first once more, and for programs; [`Error::NoBulkRun`]; [`Error::BulkRunMoved`]
    /// when it is neither; [`Error::Unavailable`].
    pub async fn start_bulk(&self, run: &RunId, rate: Option<u32>, why: &str) -> Result<BulkRun> {
        check_rate(rate)?;
        let intent = self.because_of(why)?;
        let two_people = self.settings.get().await?.second_person;
        let word = self.shards().bulk_start(run, &intent, self.is_person(), two_people, rate).await?;
        self.after(run, word, "started").await
    }

    /// Ends a run where it is: what it did stays done, the rest of its jobs is left alone.
    ///
    /// # Errors
    /// [`Error::NoBulkRun`]; [`Error::BulkRunMoved`] when it is done; [`Error::Unavailable`].
    pub async fn abort_bulk(&self, run: &RunId, why: &str) -> Result<BulkRun> {
        let word = self.shards().bulk_abort(run, &self.because_of(why)?).await?;
        self.after(run, word, "aborted").await
    }

    /// Ends a run that waits for a second person, who has not started it.
    ///
    /// # Errors
    /// [`Error::NoBulkRun`]; [`Error::BulkRunMoved`] when it waits no more; [`Error::Unavailable`].
    pub async fn take_back_bulk(&self, run: &RunId, why: &str) -> Result<BulkRun> {
        let word = self.shards().bulk_take_back(run, &self.because_of(why)?).await?;
        self.after(run, word, "taken back").await
    }

    /// Makes the frozen run that changes back what an ended run changed, where it still is as that run left it: see
    /// [`BulkVerb::undone_by`]. Nothing changes before that one is started; it waits for a month. A run can be undone
    /// once, and a repeat leads to the run that undoes it; what an aborted undo did not come to can be undone again.
    ///
    /// # Errors
    /// [`Error::NoBulkRun`]; [`Error::BulkRunMoved`] when it still runs or has nothing to change back;
    /// [`Error::Unavailable`]: repeat it.
    pub async fn undo_bulk(&self, run: &RunId, undo: Option<RunId>, why: &str) -> Result<BulkRun> {
        let intent = self.because_of(why)?;
        // Where the answer of a shard was lost the same one is made whole, not another beside it.
        let undo = match undo {
            Some(undo) => undo,
            None => self.undo_to_repeat(run).await?.unwrap_or_else(new_run),
        };
        match self.shards().bulk_undo(run, &undo, &intent).await? {
            BulkWord::Refused(state) => {
                // Somebody else has been faster.
                if let Some(first) = self.undone_by(run).await?
                    && let Some(first) = self.shards().bulk_run(&first).await?
                {
                    return Ok(first);
                }
                Err(moved(
                    run,
                    state,
                    match state.is_over() {
                        true => "has nothing that could be changed back".to_owned(),
                        false => format!("is {state}; only an ended one can be undone"),
                    },
                ))
            }
            BulkWord::Missing => Err(no_run(run)),
            _ => self.shards().bulk_run(&undo).await?.ok_or_else(|| no_run(&undo)),
        }
    }

    /// The run that undoes another, as far as there is one.
    async fn undone_by(&self, run: &RunId) -> Result<Option<RunId>> {
        Ok(self.shards().bulk_run(run).await?.and_then(|found| found.undone_by))
    }

    /// The same, unless it was aborted before it had come to all jobs: the next one goes on with those.
    async fn undo_to_repeat(&self, run: &RunId) -> Result<Option<RunId>> {
        let Some(found) = self.shards().bulk_run(run).await? else { return Ok(None) };
        let Some(undo) = found.undone_by else { return Ok(None) };
        if found.undoable == 0 {
            return Ok(Some(undo));
        }
        let state = self.shards().bulk_run(&undo).await?.map(|undo| undo.state);
        Ok(Some(undo).filter(|_| state != Some(BulkState::Aborted)))
    }

    /// Takes one step of a running run here, instead of waiting for maintenance elsewhere; for tests and programs that
    /// run none. `None` when there is no such run.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn step_bulk(&self, run: &RunId, most: u32) -> Result<Option<BulkStep>> {
        self.shards().bulk_step(run, most.min(STEP_MAX)).await
    }

    async fn after(&self, run: &RunId, word: BulkWord, what: &str) -> Result<BulkRun> {
        match word {
            BulkWord::Missing => Err(no_run(run)),
            BulkWord::Alone => Err(Error::SecondPerson),
            BulkWord::Refused(state) => Err(moved(run, state, format!("is {state} and cannot be {what}"))),
            BulkWord::Now(_) | BulkWord::Exists => {
                self.shards().bulk_run(run).await?.ok_or_else(|| no_run(run))
            }
        }
    }

    fn because_of(&self, why: &str) -> Result<Intent> {
        check_why(why)?;
        Ok(self.because(why))
    }
}

impl Inspector {
    /// The latest bulk runs of those that are in queues it sees alone, the latest first, 1 to 100.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn bulk_runs(&self, most: u16) -> Result<Vec<BulkRun>> {
        Ok(self.bulk_runs_behind(None, most).await?.items)
    }

    /// The same behind a place, with where to go on.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn bulk_runs_behind(&self, after: Option<&BulkPlace>, most: u16) -> Result<BulkRuns> {
        let seen = |queues: &[QueueName]| self.shards.sees_all_of(queues);
        self.shards().bulk_runs(after, most.clamp(1, RUNS_MAX).into(), seen).await
    }

    /// One bulk run; `None` when there is none of that id, or not any more.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn bulk_run(&self, run: &RunId) -> Result<Option<BulkRun>> {
        self.shards().bulk_run(run).await
    }

    /// Deletions that somebody asked for and somebody else has to start; none where nobody has to.
    pub(in crate::inspector) async fn deletions_asked_for(&self) -> Result<Vec<Attention>> {
        if !self.settings.get().await?.second_person {
            return Ok(Vec::new());
        }
        let mut asked = Vec::new();
        for (run, only_in) in self.shards().first().bulk_waiting(self.shards.now().await?).await? {
            if !self.shards.sees_all_of(&only_in) {
                continue;
            }
            let Some(run) = self.shards().bulk_run(&run).await? else { continue };
            if let (BulkState::Waiting, Some(since)) = (run.state, run.asked) {
                asked.push(Attention::Asked { run: run.id, by: run.asked_by, jobs: run.total, since });
            }
            if asked.len() == WAITING_SHOWN_MAX {
                break;
            }
        }
        Ok(asked)
    }

    /// Twenty jobs of a run that have no outcome yet, as they are now, behind the first `after` (at most 1,000) of them.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn bulk_samples(&self, run: &RunId, after: u16) -> Result<Vec<JobRow>> {
        let ids = self.shards().bulk_samples(run, after.min(BULK_SAMPLES_AFTER_MAX), SAMPLES_MAX).await?;
        Ok(self.rows(&ids).await?.into_iter().flatten().collect())
    }

    /// Outcomes of a run behind those that were read, 1 to 1,000.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn bulk_outcomes(&self, run: &RunId, after: &OutcomePlace, most: u16) -> Result<BulkOutcomes> {
        self.shards().bulk_outcomes(run, after, most.clamp(1, OUTCOMES_MAX).into()).await
    }
}

fn check_rate(rate: Option<u32>) -> Result<()> {
    if rate.is_some_and(|rate| rate == 0 || rate > RATE_MAX) {
        return Err(Error::invalid("rate", format!("is 1 to {RATE_MAX} jobs a second")));
    }
    Ok(())
}

fn no_run(run: &RunId) -> Error {
    Error::NoBulkRun { id: run.clone() }
}

fn moved(run: &RunId, state: BulkState, why: String) -> Error {
    Error::BulkRunMoved { id: run.clone(), state, why }
}

fn new_run() -> RunId {
    match RunId::new(Uuid::now_v7().to_string()) {
        Ok(id) => id,
        Err(_) => unreachable!("a UUID is 36 bytes of hexadecimal digits and hyphens"),
    }
}
