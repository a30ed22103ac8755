//! What callers did and what they were told.

use crate::sink::wall_ms;
use reprieve::Error;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What became of a wish to call a job off.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// `cancelled`, `requested`, `final`; `missing` when there was no such job.
    pub(crate) word: String,
    /// The job's version as the answer told it.
    pub(crate) version: u64,
    /// Whether it had been started, as the answer told it.
    pub(crate) started: bool,
    /// When the caller had the answer.
    pub(crate) at_ms: i64,
}

/// What is known of one job from outside.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    /// When its enqueueing was acknowledged.
    pub(crate) accepted_ms: i64,
    /// When that was first asked for.
    pub(crate) asked_ms: i64,
    /// When it was to begin at the earliest, by the caller's own clock.
    pub(crate) due_ms: i64,
    /// Answers to one and the same operation, in their order.
    pub(crate) answers: Vec<Answer>,
}

/// The history of a run.
#[derive(Debug, Default)]
pub(crate) struct History {
    jobs: Mutex<BTreeMap<String, Known>>,
    errors: Mutex<BTreeMap<String, u64>>,
    /// The longest time between two acknowledgements, and the latest one.
    gap: Mutex<(i64, i64)>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl History {
    /// These jobs were taken in, each of which is due then.
    pub(crate) fn accepted(&self, asked_ms: i64, due_ms: &[(String, i64)]) {
        let now = wall_ms();
        {
            let mut jobs = locked(&self.jobs);
            for (id, due_ms) in due_ms {
                let known = jobs.entry(id.clone()).or_default();
                (known.accepted_ms, known.asked_ms, known.due_ms) = (now, asked_ms, *due_ms);
            }
        }
        self.acknowledged(now);
    }

    pub(crate) fn answered(&self, id: &str, answer: Answer) {
        let now = answer.at_ms;
        locked(&self.jobs).entry(id.to_owned()).or_default().answers.push(answer);
        self.acknowledged(now);
    }

    fn acknowledged(&self, now: i64) {
        let mut gap = locked(&self.gap);
        if gap.1 > 0 {
            gap.0 = gap.0.max(now - gap.1);
        }
        gap.1 = now;
    }

    pub(crate) fn met(&self, error: &Error) {
        let text = error.to_string();
        // Ports and places differ from one error to the next; what they say does not.
        let kind: String = text.chars().filter(|sign| !sign.is_ascii_digit()).take(90).collect();
        *locked(&self.errors).entry(format!("{}: {kind}", error.code())).or_default() += 1;
    }

    pub(crate) fn jobs(&self) -> BTreeMap<String, Known> {
        locked(&self.jobs).clone()
    }

    pub(crate) fn count(&self) -> usize {
        locked(&self.jobs).len()
    }

    pub(crate) fn errors(&self) -> BTreeMap<String, u64> {
        locked(&self.errors).clone()
    }

    pub(crate) fn longest_gap_ms(&self) -> i64 {
        locked(&self.gap).0
    }
}
