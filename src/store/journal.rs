//! What this process has acknowledged lately: should Redis forget it, it is done again.

use super::Store;
use super::intent::Intent;
use super::reply::{Item, Reply};
use super::uptime::uptime_ms;
use crate::error::{Error, Result};
use crate::model::{JobId, JobRow, JobState, Reinstated, Standing, Timestamp, Version};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How long an act is remembered, in ms: longer than a replica lags, and than a failover takes.
const REMEMBERED_MS: i64 = 600_000;
/// Jobs remembered at most, about 40 MB. There are two sorts: what was done to jobs one by one, and to those of bulk runs and
/// batches. When there are too many, a sort that has half of them or more, as much as a bulk run may have, forgets its older
/// half.
const JOBS_MAX: usize = 200_000;
/// So many are not worth a look at which of them are too old.
const SWEEP_MIN: usize = 1_000;
/// Jobs read in one call.
const BATCH: usize = 100;

/// What is said of an act that is done again, behind its reason.
const SAID_AGAIN: &str = "said again: Redis had forgotten it";

/// What was done to a job, by what it now has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Acted {
    Cancelled,
    Held,
    /// It waits for this time.
    Rescheduled(Timestamp),
    Reinstated,
    /// It is not cancelled any more, but held as it was before.
    PutBackHeld,
    Released,
    /// It is to run at once.
    RetriedNow,
}

impl Acted {
    /// Whether it is done again with what keeps jobs from running, now or until later; or with what lets them go, when
    /// every process has done the former. What does both is done both times: another process may have called the job off
    /// in between.
    const fn is_done_with(self, stops: bool) -> bool {
        match self {
            Self::Cancelled | Self::Held | Self::Rescheduled(_) => stops,
            Self::Reinstated | Self::Released | Self::RetriedNow => !stops,
            Self::PutBackHeld => true,
        }
    }

    /// Whether a job in that state is as it was left, whatever its version.
    const fn is_kept_by(self, state: JobState) -> bool {
        matches!(self, Self::Held | Self::PutBackHeld) && matches!(state, JobState::Held)
    }
}

/// One act.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Act {
    acted: Acted,
    /// The job's version with it: a job of a lower one has not seen it.
    version: Version,
    /// When it was done, by Redis's clock: a job that began later is another one of the same id, as far as that clock was
    /// never set back.
    at: Timestamp,
    /// When the job was created, which tells for certain that it is the same.
    created: Option<Timestamp>,
    by: Arc<str>,
    why: Arc<str>,
    /// Whether it was done to many jobs by one call: those push out none that were chosen one by one.
    of_many: bool,
    /// When it was asked for and when it was acknowledged, by this machine's uptime.
    asked_ms: i64,
    uptime_ms: i64,
}

impl Act {
    /// Whether the job of that row is the one that it was done to, as far as its times tell.
    fn is_of(&self, row: &JobRow) -> bool {
        self.created == Some(row.created) || row.created <= self.at
    }

    /// Whether this is what somebody wanted after the other. Versions alone do not tell: after a failover they begin where
    /// the replica was.
    const fn is_after(&self, other: &Self) -> bool {
        if self.asked_ms >= other.uptime_ms {
            return true;
        }
        // The answers of two that were asked for together may come in any order.
        other.asked_ms < self.uptime_ms && self.version.0 >= other.version.0
    }
}

/// The latest acknowledged act on each job, shared by all that this process does on a shard.
#[derive(Debug, Default)]
pub(crate) struct Journal(Mutex<Acts>);

impl Journal {
    fn note(&self, id: &JobId, act: Act) {
        let mut acts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if acts.known.len() >= acts.sweep_at {
            acts.sweep(act.uptime_ms);
        }
        match acts.known.get(id) {
            // An answer that came late, or once more.
            Some(known) if !act.is_after(known) => {}
            _ => drop(acts.known.insert(id.clone(), act)),
        }
    }

    /// What was acknowledged in the last ten minutes, of one of the two sorts, the latest first: that is what Redis has
    /// forgotten if anything.
    fn lately(&self, stops: bool) -> Vec<(JobId, Act)> {
        let mut acts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        acts.forget_old(uptime_ms());
        let of_sort = acts.known.iter().filter(|(_, act)| act.acted.is_done_with(stops));
        let mut lately: Vec<_> = of_sort.map(|(id, act)| (id.clone(), act.clone())).collect();
        drop(acts);
        lately.sort_unstable_by_key(|(_, act)| std::cmp::Reverse(act.uptime_ms));
        lately
    }
}

/// The acts, and how many there have to be until those that are too old are looked for.
#[derive(Debug)]
struct Acts {
    known: HashMap<JobId, Act>,
    sweep_at: usize,
}

impl Default for Acts {
    fn default() -> Self {
        Self { known: HashMap::new(), sweep_at: SWEEP_MIN }
    }
}

impl Acts {
    fn forget_old(&mut self, now_ms: i64) {
        self.known.retain(|_, act| act.uptime_ms >= now_ms - REMEMBERED_MS);
    }

    /// What is too old goes; if it is too much then, the older half of what there is most of. The next time is when there is
    /// twice as much: so a sweep costs a few steps for each act, and no more is kept than twice what counts.
    fn sweep(&mut self, now_ms: i64) {
        self.forget_old(now_ms);
        for of_many in [false, true] {
            let of_sort = self.known.values().filter(|act| act.of_many == of_many);
            let mut times: Vec<i64> = of_sort.map(|act| act.uptime_ms).collect();
            if times.len() >= JOBS_MAX / 2 && self.known.len() >= JOBS_MAX {
                let middle_place = times.len() / 2;
                let (_, &mut middle, _) = times.select_nth_unstable(middle_place);
                self.known.retain(|_, act| act.of_many != of_many || act.uptime_ms > middle);
            }
        }
        self.sweep_at = (2 * self.known.len()).clamp(SWEEP_MIN, JOBS_MAX);
    }
}

/// What came of saying acts again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Reasserted {
    /// Jobs that Redis had forgotten about, as they were acknowledged again.
    pub(crate) again: u64,
    /// Jobs for which it was too late: they run, or they are done.
    pub(crate) too_late: u64,
}

impl Store {
    /// Remembers what somebody was told, in case Redis forgets it.
    pub(super) fn acknowledge(&self, acted: Acted, standing: &Standing, intent: &Intent) {
        self.note_act(
            acted,
            standing,
            intent,
            &intent.actor.as_str().into(),
            &intent.why.as_str().into(),
            false,
        );
    }

    /// The same for jobs that one call has changed: a step of a bulk run or of calling a batch off.
    pub(super) fn acknowledge_many(&self, told: &[(Acted, Standing)], intent: &Intent) {
        let (by, why) = (intent.actor.as_str().into(), intent.why.as_str().into());
        for (acted, standing) in told {
            self.note_act(*acted, standing, intent, &by, &why, true);
        }
    }

    fn note_act(
        &self,
        acted: Acted,
        standing: &Standing,
        intent: &Intent,
        by: &Arc<str>,
        why: &Arc<str>,
        of_many: bool,
    ) {
        let (by, why) = (Arc::clone(by), Arc::clone(why));
        let (version, at, created) = (standing.version, standing.at, standing.created);
        let (asked_ms, uptime_ms) = (intent.asked_ms, uptime_ms());
        let act = Act { acted, version, at, created, by, why, of_many, asked_ms, uptime_ms };
        self.journal().note(&standing.id, act);
    }

    /// Does again what was acknowledged and is not there any more: first what stops jobs, later (`stops` is false)
    /// what lets them go. A job that was changed since is left alone, and so is one that came in under the id of one that
    /// was purged since.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: do all of it again, which does no harm to what is there.
    pub(crate) async fn reassert(&self, stops: bool) -> Result<Reasserted> {
        let mut done = Reasserted::default();
        for acts in self.journal().lately(stops).chunks(BATCH) {
            let ids: Vec<JobId> = acts.iter().map(|(id, _)| id.clone()).collect();
            let rows = self.rows(&ids).await?;
            let mut answers = self.cancel_again(acts, &rows).await?;
            for ((id, act), row) in acts.iter().zip(rows) {
                let answer = match answers.remove(id) {
                    Some(answer) => Ok(Some(answer)),
                    None => self.say_again(id, act, row).await,
                };
                match answer {
                    Ok(Some(true)) => done.again += 1,
                    Ok(Some(false)) => done.too_late += 1,
                    Ok(None) => {}
                    Err(error) if error.is_transient() => return Err(error),
                    Err(error) => {
                        tracing::error!(job.id = %id, "job {id} could not be {:?} again: {error}", act.acted);
                    }
                }
            }
        }
        Ok(done)
    }

    /// Calls off at once what Redis has plainly forgotten to be called off, as the jobs of a bulk run: one by one, a hundred
    /// thousand would take longer than jobs are kept from starting. Those that changed meanwhile, or fail, are left out.
    async fn cancel_again(
        &self,
        acts: &[(JobId, Act)],
        rows: &[Option<JobRow>],
    ) -> Result<HashMap<JobId, bool>> {
        let forgotten = acts.iter().zip(rows).filter_map(|((id, act), row)| {
            let row = row.as_ref().filter(|row| row.version < act.version && act.is_of(row))?;
            (act.acted == Acted::Cancelled).then(|| (id.clone(), again(act, row)))
        });
        let asked: Vec<(JobId, Intent)> = forgotten.collect();
        if asked.is_empty() {
            return Ok(HashMap::new());
        }
        match self.cancel_each(&asked).await {
            Ok(answers) => {
                let done = asked.into_iter().zip(answers);
                Ok(done
                    .filter_map(|((id, _), answer)| Some((id, answer.ok()?.word() == "cancelled")))
                    .collect())
            }
            Err(error) if error.is_transient() => Err(error),
            // One of them is damaged. Each for itself will tell which.
            Err(_) => Ok(HashMap::new()),
        }
    }

    /// Does one act again that Redis has forgotten: whether it did, or came too late. `None` where there is nothing to do.
    async fn say_again(&self, id: &JobId, act: &Act, mut row: Option<JobRow>) -> Result<Option<bool>> {
        loop {
            let Some(at) = &row else { return Ok(None) };
            if at.version >= act.version && !self.went_another_way(id, act, at).await? {
                return Ok(None);
            }
            if act.acted.is_kept_by(at.state) || self.began_later(id, act, at).await? {
                return Ok(None);
            }
            match self.reassert_one(id, act, at).await {
                // It changed under our eyes: whether that decides it is to be looked at anew.
                Err(Error::Conflict(_)) => row = self.rows(std::slice::from_ref(id)).await?.pop().flatten(),
                Err(Error::NotFound { .. }) => return Ok(None),
                done => return done.map(Some),
            }
        }
    }

    /// Whether a job that was called off has as many changes as that needs, but not that one: Redis had forgotten it, and
    /// what the job did since counts as changes too. The last to put it back has the last word, also where the lines of
    /// its history no longer reach as far.
    async fn went_another_way(&self, id: &JobId, act: &Act, row: &JobRow) -> Result<bool> {
        if act.acted != Acted::Cancelled || row.state.is_final() {
            return Ok(false);
        }
        let Some((_, _, history)) = self.job(id).await? else { return Ok(false) };
        let mut since = history.iter().filter(|entry| entry.version >= act.version);
        let is_other = history.iter().any(|entry| entry.version == act.version && *entry.by != *act.by);
        Ok(is_other
            && !since.any(|entry| entry.to == JobState::Cancelled || entry.from == Some(JobState::Cancelled)))
    }

    /// Whether this is another job than the one that somebody acted on: its versions tell nothing. One that was replaced
    /// since says of itself that it was created then, and has the history of the job that it was.
    async fn began_later(&self, id: &JobId, act: &Act, row: &JobRow) -> Result<bool> {
        if act.is_of(row) {
            return Ok(false);
        }
        let Some((_, _, history)) = self.job(id).await? else { return Ok(true) };
        let is_later = |first: Timestamp| first > act.at && Some(first) != act.created;
        Ok(history.iter().find(|entry| entry.from.is_none()).is_some_and(|first| is_later(first.at)))
    }

    async fn reassert_one(&self, id: &JobId, act: &Act, row: &JobRow) -> Result<bool> {
        let intent = again(act, row);
        Ok(match act.acted {
            Acted::Cancelled => self.cancel(id, &intent).await?.word() == "cancelled",
            Acted::PutBackHeld if row.state == JobState::Cancelled => self.put_back_held(id, intent).await?,
            Acted::Held | Acted::PutBackHeld => self.hold(id, &intent).await?.word() == "held",
            Acted::Rescheduled(due) if row.due >= due => true,
            Acted::Rescheduled(due) => {
                self.reschedule(id, &intent, crate::new_job::Due::At(due)).await?.word() != "wrong_state"
            }
            Acted::Reinstated if row.state != JobState::Cancelled => true,
            Acted::Reinstated => self.reinstate(id, &intent, None).await?.word() == "delayed",
            Acted::Released => self.unhold(id, &intent).await?.word() == "delayed",
            Acted::RetriedNow => match row.state {
                JobState::Ready | JobState::Active | JobState::Done => true,
                // Another process has said since that it was told to call it off, and nobody knows which came first: what
                // is called off does not run.
                JobState::Cancelled if row.ended > Some(act.at) && row.why.contains(SAID_AGAIN) => false,
                _ => self.retry_now(id, &intent).await?.word() == "ready",
            },
        })
    }

    /// Takes a cancel back. That the job was held before may have been forgotten along with it: then it waits, and is held.
    async fn put_back_held(&self, id: &JobId, mut intent: Intent) -> Result<bool> {
        Ok(match self.reinstate(id, &intent, None).await? {
            Reinstated::Held(_) => true,
            Reinstated::Delayed(standing) => {
                intent.seen = Some(standing.version);
                self.hold(id, &intent).await?.word() == "held"
            }
            _ => false,
        })
    }
}

/// The jobs that a script says it changed, each with the word for it: what that makes of them.
pub(super) fn told(
    reply: Reply,
    acted: impl Fn(&str, &Standing) -> Option<Acted>,
) -> Result<Vec<(Acted, Standing)>> {
    let read = |item: Item| {
        let mut one = item.list()?;
        let word = one.text()?;
        let standing = one.standing()?;
        Ok(acted(&word, &standing).map(|acted| (acted, standing)))
    };
    reply.filter_map(|item| read(item).transpose()).collect()
}

/// How an act is done again to a job that is as `row` says.
fn again(act: &Act, row: &JobRow) -> Intent {
    let mut intent = Intent::of(&*act.by);
    intent.why = match &*act.why {
        "" => SAID_AGAIN.to_owned(),
        why if why.contains(SAID_AGAIN) => why.to_owned(),
        why => format!("{why} ({SAID_AGAIN})"),
    };
    intent.seen = Some(row.version);
    intent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(acted: Acted, version: u64, uptime_ms: i64) -> Act {
        let (by, why, at) = ("ann".into(), "".into(), Timestamp::saturating_from_millis(0));
        Act {
            acted,
            version: Version(version),
            at,
            created: None,
            by,
            why,
            of_many: false,
            asked_ms: 0,
            uptime_ms,
        }
    }

    fn id(number: usize) -> JobId {
        JobId::new(format!("j{number}")).unwrap()
    }

    #[test]
    fn the_latest_act_on_a_job_counts_however_late_its_answer_came() {
        let (journal, now) = (Journal::default(), uptime_ms());
        journal.note(&id(1), act(Acted::Cancelled, 2, now));
        journal.note(&id(1), act(Acted::Reinstated, 3, now));
        journal.note(&id(1), act(Acted::Cancelled, 2, now));
        assert_eq!(journal.lately(true), []);
        assert_eq!(journal.lately(false), [(id(1), act(Acted::Reinstated, 3, now))]);
    }

    #[test]
    fn what_was_asked_for_after_another_answer_counts_whatever_the_versions_say() {
        let (journal, now) = (Journal::default(), uptime_ms());
        let told = |acted, version, asked_ms, uptime_ms| Act { asked_ms, ..act(acted, version, uptime_ms) };
        journal.note(&id(1), told(Acted::Reinstated, 9, now - 50, now - 40));
        // A replica took over that had not heard of the nine changes.
        let cancelled = told(Acted::Cancelled, 2, now - 40, now - 30);
        journal.note(&id(1), cancelled.clone());
        assert_eq!(journal.lately(true), [(id(1), cancelled.clone())]);
        // What was asked for before, and is answered late, does not.
        journal.note(&id(1), told(Acted::Reinstated, 10, now - 60, now - 45));
        assert_eq!(journal.lately(true), [(id(1), cancelled)]);
    }

    #[test]
    fn what_is_ten_minutes_old_is_forgotten() {
        let (journal, now) = (Journal::default(), uptime_ms());
        journal.note(&id(1), act(Acted::Cancelled, 2, now - REMEMBERED_MS - 1_000));
        journal.note(&id(2), act(Acted::Held, 2, now));
        assert_eq!(journal.lately(true), [(id(2), act(Acted::Held, 2, now))]);
    }

    #[test]
    fn a_day_of_acts_is_kept_no_longer_than_ten_minutes() {
        let (journal, now) = (Journal::default(), uptime_ms());
        let (every_ms, day_ms) = (200, 86_400_000);
        for number in 0..day_ms / every_ms {
            let acted = act(Acted::Cancelled, 2, now + number * every_ms);
            journal.note(&id(usize::try_from(number).unwrap()), acted);
        }
        let kept = journal.0.lock().unwrap().known.len();
        let lately = usize::try_from(REMEMBERED_MS / every_ms).unwrap();
        assert!((lately..=2 * lately + 1).contains(&kept), "{kept} of {lately}");
    }

    #[test]
    fn however_many_jobs_bulk_runs_have_they_push_out_none_that_was_chosen_by_itself() {
        let (journal, now) = (Journal::default(), uptime_ms());
        journal.note(&id(0), act(Acted::Cancelled, 2, now));
        for number in 1..=2 * JOBS_MAX {
            let at = now + i64::try_from(number).unwrap() / 1_000;
            journal.note(&id(number), Act { of_many: true, ..act(Acted::Cancelled, 2, at) });
        }
        let kept = journal.lately(true);
        assert!((JOBS_MAX / 2 - 1_000..=JOBS_MAX).contains(&kept.len()), "{}", kept.len());
        assert_eq!(kept.first().unwrap().1.uptime_ms, now + 400, "the latest comes first");
        assert_eq!(kept.last().unwrap().0, id(0));
    }

    #[test]
    fn a_full_journal_forgets_its_older_half() {
        let journal = Journal::default();
        let now = uptime_ms() + REMEMBERED_MS;
        for number in 0..=JOBS_MAX {
            let number_ms = i64::try_from(number).unwrap() / 1_000;
            journal.note(&id(number), act(Acted::Cancelled, 2, now + number_ms));
        }
        let kept = journal.lately(true);
        assert!(kept.len() < JOBS_MAX, "{}", kept.len());
        assert!(kept.iter().any(|(of, _)| *of == id(JOBS_MAX)) && !kept.iter().any(|(of, _)| *of == id(0)));
    }
}
