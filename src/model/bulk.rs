//! Bulk runs: one verb on many jobs, frozen first, with an outcome for each.

use super::failure::DiedOf;
use super::name::{JobId, Kind, QueueName, RunId, Subject};
use super::permission::Permission;
use super::shard::{self, Shard};
use super::state::{JobState, Version};
use super::time::{Delay, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Samples of a run are shown behind so many of its jobs at most; the outcomes have them all.
pub const BULK_SAMPLES_AFTER_MAX: u16 = 1_000;

words! {
    /// What a bulk run does to each of its jobs.
    #[non_exhaustive]
    pub enum BulkVerb or "not a verb; verbs are " {
        /// Calls it off.
        Cancel = "cancel",
        /// Puts it back at its original due time, or on hold where it was on hold.
        Reinstate = "reinstate",
        /// Makes it ready at once.
        RetryNow = "retry_now",
        /// Gives it another due time.
        Reschedule = "reschedule",
        /// Keeps it from running.
        Hold = "hold",
        /// Lets it run again.
        Unhold = "unhold",
        /// Removes it before its retention is over. Cannot be undone; receipts stay.
        Purge = "purge",
    }
}

impl BulkVerb {
    /// The states it changes; jobs in others are skipped.
    #[must_use]
    pub const fn states(self) -> &'static [JobState] {
        use JobState::{Active, Cancelled, Dead, Delayed, Done, Held, Ready, Retrying};
        match self {
            Self::Cancel => &[Delayed, Held, Ready, Retrying, Active],
            Self::Reinstate => &[Cancelled],
            Self::RetryNow => &[Dead, Delayed, Held, Retrying, Cancelled],
            Self::Reschedule => &[Delayed, Held, Retrying],
            Self::Hold => &[Delayed],
            Self::Unhold => &[Held],
            Self::Purge => &[Done, Dead, Cancelled],
        }
    }

    /// The states it looks at unless the filter names some: those where it is harmless.
    #[must_use]
    pub const fn states_default(self) -> &'static [JobState] {
        use JobState::{Dead, Delayed, Held, Ready, Retrying};
        match self {
            // Asking running jobs to stop is another matter than calling off waiting ones.
            Self::Cancel => &[Delayed, Held, Ready, Retrying],
            Self::RetryNow => &[Dead],
            Self::Purge => &[Dead],
            _ => self.states(),
        }
    }

    /// The verb that changes back what it did, where it was not too late for that; `None` for what has no way back.
    #[must_use]
    pub const fn undone_by(self) -> Option<Self> {
        match self {
            Self::Cancel => Some(Self::Reinstate),
            Self::Reinstate => Some(Self::Cancel),
            Self::Hold => Some(Self::Unhold),
            Self::Unhold => Some(Self::Hold),
            Self::Reschedule => Some(Self::Reschedule),
            Self::RetryNow | Self::Purge => None,
        }
    }

    /// Who may start and stop such a run.
    #[must_use]
    pub const fn permission(self) -> Permission {
        match self {
            Self::Cancel => Permission::CancelJobs,
            Self::Reinstate => Permission::ReinstateJobs,
            Self::RetryNow => Permission::RetryJobs,
            Self::Reschedule => Permission::RescheduleJobs,
            Self::Hold | Self::Unhold => Permission::HoldJobs,
            Self::Purge => Permission::PurgeJobs,
        }
    }
}

/// What each change of a run says of itself before its reason: `bulk run r7: Customer asked`, see `lua/functions/bulk/bulk_step.lua`.
const CHANGED_BY_RUN: &str = "bulk run ";

/// The run that a change of a job was part of, and the reason of the run, from the reason of the change; `None` where it was
/// part of none.
#[must_use]
pub fn run_of_change(why: &str) -> Option<(RunId, &str)> {
    let said = why.strip_prefix(CHANGED_BY_RUN)?;
    let (run, why) = said.split_once(": ").unwrap_or((said, ""));
    Some((RunId::new(run).ok()?, why))
}

/// Which jobs: those that fit all that is named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BulkFilter {
    /// In that queue; `None` is every queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueName>,
    /// In one of these states; empty is the verb's own choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<JobState>,
    /// Of that kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// About that subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// With that tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Due at or after that instant.
    #[serde(rename = "due_from_ms", skip_serializing_if = "Option::is_none")]
    pub due_from: Option<Timestamp>,
    /// Due before that instant.
    #[serde(rename = "due_before_ms", skip_serializing_if = "Option::is_none")]
    pub due_before: Option<Timestamp>,
    /// Whose latest error holds that text, upper and lower case told apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// That died of one failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub died_of: Option<DiedOf>,
    /// That fit this line too; `by:me` in it is the maker of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matching: Option<super::filter::Filter>,
    /// Picked one by one: so many. The run knows which; nothing else is asked of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picked: Option<u32>,
}

/// Where `reschedule` moves each job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Shift {
    /// All to that instant.
    #[serde(rename = "due_ms")]
    To(Timestamp),
    /// Each that many ms later than its own due time; negative is earlier.
    #[serde(rename = "shift_ms")]
    By(i64),
}

impl Shift {
    /// How much later jobs come by it that are due now; negative is earlier.
    #[must_use]
    pub const fn later_than(self, now: Timestamp) -> Delay {
        Delay::millis(match self {
            Self::To(at) => at.millis_since(now),
            Self::By(ms) => ms,
        })
    }
}

words! {
    /// How a run stands.
    #[non_exhaustive]
    pub enum BulkState or "not a state of a bulk run; states are " {
        /// Its jobs are being looked up.
        Collecting = "collecting",
        /// Its jobs are known, nothing is done. Forgotten after ten minutes unless it is started.
        Frozen = "frozen",
        /// Somebody asked for it, and somebody else has to start it. Forgotten after a day.
        Waiting = "waiting",
        /// Under way.
        Running = "running",
        /// It stopped itself because most jobs failed again. It may be started anew, or aborted.
        Stopped = "stopped",
        /// Somebody ended it; the rest of its jobs was left alone.
        Aborted = "aborted",
        /// Each of its jobs has its outcome.
        Done = "done",
    }
}

impl BulkState {
    /// Whether nothing happens any more by itself.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Stopped | Self::Aborted | Self::Done)
    }
}

/// One verb on many jobs. `total` is always `pending + changed + skipped + failed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BulkRun {
    /// Which run.
    pub id: RunId,
    /// What it does.
    pub verb: BulkVerb,
    /// How it stands.
    pub state: BulkState,
    /// Which jobs it was made for; `None` for the undo of another run.
    pub filter: Option<BulkFilter>,
    /// Where jobs go, for `reschedule`; `None` where each goes back to where it was.
    pub shift: Option<Shift>,
    /// Over how long a `reschedule` spreads them.
    #[serde(rename = "spread_ms")]
    pub spread: Delay,
    /// Jobs a second; `None` is as fast as it goes.
    pub rate: Option<u32>,
    /// Whether it stops itself when most jobs fail again.
    pub stops_itself: bool,
    /// Whether jobs that changed since they were frozen are acted on too, instead of skipped.
    pub acts_on_changed: bool,
    /// Whether jobs that started since they were frozen are left alone whatever else is said.
    pub spares_started: bool,
    /// The queues it is bound to; empty where it is for all of them.
    #[serde(default)]
    pub only_in: Vec<QueueName>,
    /// Who made it.
    pub by: String,
    /// Why.
    #[serde(rename = "reason")]
    pub why: String,
    /// When it was made.
    #[serde(rename = "created_ms")]
    pub created: Timestamp,
    /// Until when it may be started; `None` once it was.
    #[serde(rename = "expires_ms")]
    pub expires: Option<Timestamp>,
    /// Who asked for it, where deleting needs two people; empty where nobody had to ask.
    #[serde(default)]
    pub asked_by: String,
    /// When they asked.
    #[serde(rename = "asked_ms", default)]
    pub asked: Option<Timestamp>,
    /// Who started it; empty before. Where deleting needs two people this is the second.
    #[serde(default)]
    pub started_by: String,
    /// When it was started first.
    #[serde(rename = "started_ms")]
    pub started: Option<Timestamp>,
    /// When it ended or stopped; `None` before.
    #[serde(rename = "ended_ms")]
    pub ended: Option<Timestamp>,
    /// Who ended it; empty before.
    pub ended_by: String,
    /// Why it ended; empty before, or when nothing was said.
    pub ended_why: String,
    /// How many jobs were looked at to find its own.
    pub looked_at: u64,
    /// Whether more jobs may match than a run may have or look at.
    pub cut: bool,
    /// Its jobs.
    pub total: u64,
    /// Jobs without an outcome yet.
    pub pending: u64,
    /// Jobs it changed.
    pub changed: u64,
    /// Jobs it left as they were, each with a word that says why.
    pub skipped: u64,
    /// Jobs it could not change because their data is damaged.
    pub failed: u64,
    /// How many outcomes of each word.
    pub words: BTreeMap<String, u64>,
    /// How many jobs by state, queue and kind when they were frozen: `state:dead`, `queue:mail`, `kind:notice`.
    pub split: BTreeMap<String, u64>,
    /// How many subjects its jobs are about; 0 for the undo of another run.
    #[serde(default)]
    pub subjects: u64,
    /// Those of them with most jobs, at most [`SUBJECTS_TOLD_MAX`](Self::SUBJECTS_TOLD_MAX), until it is started.
    #[serde(default)]
    pub by_subject: BTreeMap<String, u64>,
    /// The lowest and the highest due time among them.
    pub due_ms: Option<(Timestamp, Timestamp)>,
    /// Jobs set going again that have done well since, as far as they were watched.
    pub went_well: u64,
    /// Jobs set going again that have failed again.
    pub failed_again: u64,
    /// Jobs it changed that an undo would change back.
    pub undoable: u64,
    /// The run it undoes.
    pub undo_of: Option<RunId>,
    /// The run that undid it.
    pub undone_by: Option<RunId>,
}

impl BulkRun {
    /// For how long a run that has ended is kept, and can be undone.
    pub const ENDED_KEPT: Delay = Delay::days(30);
    /// Subjects told by name: what a person reads before they go on.
    pub const SUBJECTS_TOLD_MAX: usize = 20;
    /// Jobs a second of a run without a rate: 1,000 a round, a tenth of a second between rounds, and the network.
    const FULL_SPEED: u64 = 5_000;
    /// A run begins within that long, in ms: an idle process looks as often.
    const BEGINS_WITHIN_MS: u64 = 2_000;

    /// Whether it sets dead jobs going again and no others, which people call a retry.
    #[must_use]
    pub fn retries_dead(&self) -> bool {
        let counted = |state: &JobState| self.split.get(&format!("state:{state}")).is_some_and(|n| *n > 0);
        // What moved on since it was picked is left alone.
        let mut found = self.verb.states().iter().copied().filter(counted).peekable();
        let all_dead = if found.peek().is_some() {
            found.all(|state| state == JobState::Dead)
        } else {
            self.filter.as_ref().is_some_and(|filter| filter.states == [JobState::Dead])
        };
        self.verb == BulkVerb::RetryNow && all_dead
    }

    /// Until when it can be undone, as far as its jobs are there by then; `None` while it has not ended, and where nothing
    /// can be.
    #[must_use]
    pub fn undo_until(&self) -> Option<Timestamp> {
        let can_be = self.state.is_over() && self.undoable > 0 && self.verb.undone_by().is_some();
        self.ended.filter(|_| can_be).map(|ended| ended + Self::ENDED_KEPT)
    }

    /// How long its jobs take at its rate; about, where it is as fast as it goes.
    #[must_use]
    pub fn takes(&self) -> Delay {
        let rate = self.rate.filter(|rate| *rate > 0).map(u64::from);
        let ms = self.total.saturating_mul(1_000).div_ceil(rate.unwrap_or(Self::FULL_SPEED));
        let begins_ms = if rate.is_some() { 0 } else { Self::BEGINS_WITHIN_MS };
        Delay::millis(i64::try_from(ms.saturating_add(begins_ms)).unwrap_or(i64::MAX))
    }

    /// Six digits by which people tell two snapshots apart: other jobs, or the same ones frozen anew, have others.
    #[must_use]
    pub fn mark(&self) -> String {
        let counts = self.split.iter().map(|(part, count)| format!("{part} {count}"));
        let due = self.due_ms.map(|(first, last)| format!("{} {}", first.as_millis(), last.as_millis()));
        let parts = [self.id.to_string(), self.created.as_millis().to_string(), self.total.to_string()];
        // FNV-1a: the same in the browser and at the server. Nobody has to be kept from making two that are alike.
        let hash = parts.into_iter().chain(counts).chain(due).fold(0x811c_9dc5_u32, |hash, part| {
            part.bytes()
                .chain([0])
                .fold(hash, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
        });
        format!("{:06x}", hash & 0x00ff_ffff)
    }
}

/// What became of one job of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BulkOutcome {
    /// Which job.
    pub id: JobId,
    /// The verb's word for it, or `changed` or `started` (since it was frozen), `missing`, `damaged`,
    /// `subject_full`.
    pub word: String,
    /// The state it had; `None` for one that is gone.
    pub from: Option<JobState>,
    /// Its version afterwards; `None` for one that is gone.
    pub version: Option<Version>,
}

/// How many outcomes of a run somebody has read in every shard. With one shard it reads as that number; with several it is
/// one for each, joined by `_`. Outcomes come behind those that are there, so that a place stays true while the run goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OutcomePlace(Vec<u64>);

impl OutcomePlace {
    /// So many in each shard, in order.
    #[must_use]
    pub const fn new(read: Vec<u64>) -> Self {
        Self(read)
    }

    /// How many shards it speaks of.
    #[must_use]
    pub const fn shards(&self) -> usize {
        self.0.len()
    }

    /// How many were read in one shard; none in a shard it does not know.
    #[must_use]
    pub fn of(&self, shard: Shard) -> u64 {
        self.0.get(shard.index()).copied().unwrap_or(0)
    }

    /// How many were read in all shards together.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.0.iter().fold(0, |sum, &read| sum.saturating_add(read))
    }
}

impl fmt::Display for OutcomePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("0");
        }
        shard::write_each(f, &self.0)
    }
}

impl FromStr for OutcomePlace {
    type Err = InvalidOutcomePlace;

    fn from_str(text: &str) -> Result<Self, InvalidOutcomePlace> {
        shard::read_each(text).map(Self).ok_or(InvalidOutcomePlace)
    }
}

as_text!(OutcomePlace);

/// A text that is no [`OutcomePlace`], or no [`BulkPlace`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is `next` of the page before")]
pub struct InvalidOutcomePlace;

/// Where a list of runs, the latest first, goes on: behind one of them. It reads as when that was made, in ms, and its id:
/// `1735689600000~r1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BulkPlace {
    made_ms: u64,
    run: RunId,
}

impl BulkPlace {
    /// Behind the run that was made then.
    #[must_use]
    pub const fn new(made_ms: u64, run: RunId) -> Self {
        Self { made_ms, run }
    }

    /// The run behind which it is.
    #[must_use]
    pub const fn run(&self) -> &RunId {
        &self.run
    }
}

impl fmt::Display for BulkPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}~{}", self.made_ms, self.run)
    }
}

impl FromStr for BulkPlace {
    type Err = InvalidOutcomePlace;

    fn from_str(text: &str) -> Result<Self, InvalidOutcomePlace> {
        let (made_ms, run) = text.split_once('~').ok_or(InvalidOutcomePlace)?;
        let run = RunId::new(run).map_err(|_| InvalidOutcomePlace)?;
        Ok(Self { made_ms: made_ms.parse().map_err(|_| InvalidOutcomePlace)?, run })
    }
}

as_text!(BulkPlace);

/// A page of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BulkRuns {
    /// The latest first.
    pub items: Vec<BulkRun>,
    /// Where to go on; `None` where there are no more.
    pub next: Option<BulkPlace>,
}

/// A page of what became of the jobs of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BulkOutcomes {
    /// Shard after shard, and within a shard in the order they came.
    pub items: Vec<BulkOutcome>,
    /// Where to go on; `None` where the page was not filled: there are no more so far.
    pub next: Option<OutcomePlace>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_among_runs_reads_back_from_its_text() {
        let place = BulkPlace::new(7, RunId::new("r-1").unwrap());
        assert_eq!((place.to_string().as_str(), "7~r-1".parse()), ("7~r-1", Ok(place)));
        for wrong in ["", "7", "~r", "x~r", "7~", "7~a b"] {
            assert_eq!(wrong.parse::<BulkPlace>(), Err(InvalidOutcomePlace), "{wrong}");
        }
    }

    #[test]
    fn a_place_among_the_outcomes_of_many_shards_reads_back_from_its_text() {
        for (place, text) in
            [(OutcomePlace::new(vec![7]), "7"), (OutcomePlace::new(vec![7, 0, 12]), "7_0_12")]
        {
            assert_eq!((place.to_string().as_str(), text.parse()), (text, Ok(place)));
        }
        assert_eq!(OutcomePlace::default().to_string(), "0");
        let place = OutcomePlace::new(vec![7, 0, 12]);
        assert_eq!((place.read(), place.of(Shard(2)), place.of(Shard(3))), (19, 12, 0));
        for bad in ["", "_", "1_", "-1", "1 2", "a", &"1_".repeat(256)] {
            assert_eq!(bad.parse::<OutcomePlace>(), Err(InvalidOutcomePlace), "{bad:?}");
        }
    }

    #[test]
    fn a_run_retries_dead_jobs_if_all_that_it_acts_on_are_dead() {
        let run = |verb: &str, states: &[&str], split: &[(&str, u64)]| -> BulkRun {
            let split: BTreeMap<_, _> =
                split.iter().map(|(state, n)| (format!("state:{state}"), *n)).collect();
            serde_json::from_value(serde_json::json!({
                "id": "r", "verb": verb, "state": "frozen", "filter": { "states": states }, "spread_ms": 0,
                "stops_itself": false, "acts_on_changed": false, "spares_started": false, "by": "ann", "reason": "",
                "created_ms": 1, "ended_by": "", "ended_why": "", "looked_at": 3, "cut": false, "total": 3,
                "pending": 3, "changed": 0, "skipped": 0, "failed": 0, "words": {}, "split": split,
                "went_well": 0, "failed_again": 0, "undoable": 0,
            }))
            .unwrap()
        };
        assert!(run("retry_now", &[], &[("dead", 3)]).retries_dead());
        assert!(run("retry_now", &[], &[("dead", 2), ("active", 1)]).retries_dead(), "one runs by now");
        assert!(run("retry_now", &["dead"], &[]).retries_dead(), "none was found yet");
        assert!(!run("retry_now", &[], &[("dead", 2), ("delayed", 1)]).retries_dead());
        assert!(!run("retry_now", &["delayed", "retrying"], &[]).retries_dead());
        assert!(!run("retry_now", &[], &[]).retries_dead());
        assert!(!run("purge", &["dead"], &[("dead", 3)]).retries_dead());
    }

    #[test]
    fn of_a_snapshot_its_mark_its_time_and_the_end_of_its_undo_are_told() {
        let run: BulkRun = serde_json::from_value(serde_json::json!({
            "id": "r1", "verb": "cancel", "state": "done", "filter": null, "shift": null, "spread_ms": 0, "rate": 50,
            "stops_itself": false, "acts_on_changed": false, "spares_started": false, "by": "ann", "reason": "",
            "created_ms": 1_000, "started_ms": 2_000, "ended_ms": 3_000, "ended_by": "", "ended_why": "",
            "looked_at": 120, "cut": false, "total": 120, "pending": 0, "changed": 120, "skipped": 0, "failed": 0,
            "words": {}, "split": { "queue:mail": 120 }, "due_ms": null, "went_well": 0, "failed_again": 0,
            "undoable": 120, "undo_of": null, "undone_by": null,
        }))
        .unwrap();
        assert_eq!(run.takes(), Delay::millis(2_400));
        assert_eq!(run.undo_until().map(Timestamp::as_millis), Some(3_000 + 30 * 86_400_000));
        assert_eq!(run.mark().len(), 6);

        let mut other = run.clone();
        other.split.insert("queue:mail".to_owned(), 119);
        assert_ne!(other.mark(), run.mark(), "other jobs");
        other = run.clone();
        other.created = Timestamp::EPOCH;
        assert_ne!(other.mark(), run.mark(), "frozen at another time");
        (other.state, other.rate) = (BulkState::Running, None);
        assert_eq!((other.takes(), other.undo_until()), (Delay::millis(2_024), None));
        (other.state, other.verb) = (BulkState::Done, BulkVerb::Purge);
        assert_eq!(other.undo_until(), None, "what is deleted does not come back");
    }
}
