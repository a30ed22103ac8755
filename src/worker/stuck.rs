//! Handlers that run on although they should not: beyond their time, or after they were asked to stop.
//!
//! A handler that never yields cannot be stopped from outside. Its job is reported and its slot given back, but its
//! thread is gone until it returns; this list says so.

use crate::model::{Delay, JobId, Kind, StuckHandler, StuckReason};
use crate::worker::JobContext;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A handler that was asked to stop is listed after this long: more than any tidy end takes.
const STOP_LISTED_AFTER: Duration = Duration::from_secs(10);
/// Handlers described in a heartbeat; the count has no limit.
const LISTED_MAX: usize = 20;

/// One run of a handler.
struct Run {
    id: JobId,
    kind: Kind,
    attempt: u32,
    context: JobContext,
    /// Why, and since when, it should have ended; `None` while it may run.
    overdue: Option<(StuckReason, Instant)>,
}

/// The handlers that run in a worker, those that were given up included.
#[derive(Default)]
pub(super) struct Runs {
    all: Mutex<(u64, HashMap<u64, Run>)>,
}

/// A run's entry, removed when the handler really ends.
pub(super) struct Entry {
    runs: Arc<Runs>,
    number: u64,
}

impl Drop for Entry {
    fn drop(&mut self) {
        let run = self.runs.all().1.remove(&self.number);
        if let Some(Run { id, overdue: Some((reason, since)), .. }) = run
            && since.elapsed() > STOP_LISTED_AFTER
        {
            let late_ms = since.elapsed().as_millis();
            tracing::warn!(job.id = %id, "the stuck handler of job {id} ended {late_ms} ms late ({reason})");
        }
    }
}

impl Runs {
    fn all(&self) -> MutexGuard<'_, (u64, HashMap<u64, Run>)> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a run that begins. The entry goes with the handler's task.
    pub(super) fn begin(self: &Arc<Self>, context: &JobContext) -> Entry {
        let run = Run {
            id: context.id().clone(),
            kind: context.kind().clone(),
            attempt: context.attempt(),
            context: context.clone(),
            overdue: None,
        };
        let mut all = self.all();
        all.0 += 1;
        let number = all.0;
        all.1.insert(number, run);
        Entry { runs: Arc::clone(self), number }
    }

    /// Marks a run that should have ended by now. Does nothing when it has.
    pub(super) fn given_up(&self, number: u64, reason: StuckReason) {
        if let Some(run) = self.all().1.get_mut(&number) {
            run.overdue.get_or_insert((reason, Instant::now()));
        }
    }

    /// Those that are stuck now: how many, and the first of them, the longest first.
    pub(super) fn stuck(&self) -> (u64, Vec<StuckHandler>) {
        let mut stuck = Vec::new();
        for run in self.all().1.values_mut() {
            if run.overdue.is_none() && run.context.is_cancelled() {
                run.overdue = Some((StuckReason::Stop, Instant::now()));
            }
            let Some((reason, since)) = run.overdue else { continue };
            // One that was given up already had its moment to stop.
            if reason == StuckReason::Stop && since.elapsed() < STOP_LISTED_AFTER {
                continue;
            }
            let over = Delay::from(since.elapsed());
            stuck.push(StuckHandler {
                job: run.id.clone(),
                kind: run.kind.clone(),
                attempt: run.attempt,
                reason,
                over,
            });
        }
        stuck.sort_by_key(|handler| std::cmp::Reverse(handler.over));
        let count = u64::try_from(stuck.len()).unwrap_or(u64::MAX);
        stuck.truncate(LISTED_MAX);
        (count, stuck)
    }
}

impl Entry {
    pub(super) const fn number(&self) -> u64 {
        self.number
    }
}
