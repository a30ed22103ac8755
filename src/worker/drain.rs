//! Runs what is due in place, for tests: no loops, no waiting, one step after another.

use super::builder::WorkerBuilder;
use super::{LEASE, Shared, Worker, execute};
use crate::clock::GivenClock;
use crate::error::{Error, Result};
use crate::model::{Delay, JobId, Timestamp};
use std::sync::Arc;
use std::time::Instant;

/// Jobs that run at once, when the worker names no queue.
const CONCURRENCY: u32 = 100;
/// Jobs moved to ready by one call, as the forwarder does.
const FORWARD_MAX: u32 = 500;
/// Runs of one drain. Handlers that enqueue each other without end must not keep a test for ever.
const RUNS_MAX: usize = 100_000;

impl WorkerBuilder {
    /// Runs every job that is due by that clock, and moves the clock on to each next due time within the span, until
    /// nothing is left to run. Returns which jobs ran, each once, in the order of their first start.
    pub(crate) async fn drain(self, clock: &GivenClock, span: Delay) -> Result<Vec<JobId>> {
        let worker = self.or_all_queues(CONCURRENCY).prepare().await?;
        worker.ending.fetching.close();
        // Only what is asked for here starts.
        worker.ending.stop_fetching.cancel();
        let ran = run_until(&worker, clock, clock.now() + span).await;
        worker.shutdown().await;
        ran
    }
}

async fn run_until(worker: &Worker, clock: &GivenClock, end: Timestamp) -> Result<Vec<JobId>> {
    let (mut ran, mut runs) = (Vec::new(), 0);
    loop {
        let (forwarded, next_due) = forward(&worker.shared).await?;
        let turn = start_ready(worker).await?;
        runs += turn.started.len();
        if runs > RUNS_MAX {
            let why = format!("ran jobs {RUNS_MAX} times and was not empty: do handlers enqueue each other?");
            return Err(Error::invalid("drain", why));
        }
        let idle = turn.started.is_empty() && !turn.passed_over && !forwarded;
        for id in turn.started {
            if !ran.contains(&id) {
                ran.push(id);
            }
        }
        let by_rate = turn.wait.map(|wait| clock.now() + wait);
        match next_step([next_due, by_rate], clock.now(), end) {
            _ if !idle => {}
            Some(due) => clock.set(due),
            None => break,
        }
    }
    clock.set(end);
    Ok(ran)
}

/// The first of these times that lies ahead, up to the end. What is due and yet kept back by somebody does not move by
/// itself; something else may.
fn next_step(due: [Option<Timestamp>; 2], now: Timestamp, end: Timestamp) -> Option<Timestamp> {
    due.into_iter().flatten().filter(|due| *due > now && *due <= end).min()
}

/// Moves what is due; whether anything was, and the next due time.
async fn forward(shared: &Shared) -> Result<(bool, Option<Timestamp>)> {
    let (mut moved, mut next) = (false, None);
    for store in shared.shards.all() {
        loop {
            let tick = store.forward(FORWARD_MAX, 0).await?;
            moved |= tick.moved > 0;
            if tick.moved < u64::from(FORWARD_MAX) {
                next = [next, tick.next_due].into_iter().flatten().min();
                break;
            }
        }
    }
    Ok((moved, next))
}

/// What came of claiming once.
#[derive(Default)]
struct Turn {
    started: Vec<JobId>,
    /// Some went where their constraints, rules or concurrency keys say, and left their place to others.
    passed_over: bool,
    /// After how long the rate of a queue allows its next job.
    wait: Option<Delay>,
}

/// Claims what is ready, and waits until all of it has been reported.
async fn start_ready(worker: &Worker) -> Result<Turn> {
    let shared = &worker.shared;
    if shared.slots.learns() {
        shared.slots.learn(shared.shards.queue_names().await?);
    }
    let mut turn = Turn::default();
    for store in shared.shards.all() {
        let wanted = shared.slots.wanted();
        if wanted.is_empty() {
            continue;
        }
        let asked = Instant::now();
        let (head, jobs) = store.claim_with_head(&shared.id, LEASE, shared.slots.free(), &wanted).await?;
        turn.passed_over |= head.passed_over > 0;
        turn.wait = [turn.wait, head.wait].into_iter().flatten().min();
        for job in jobs {
            turn.started.push(job.id.clone());
            shared.slots.take(&job.queue);
            worker.ending.running.spawn(execute::run(Arc::clone(shared), job, asked));
        }
    }
    worker.ending.running.close();
    worker.ending.running.wait().await;
    worker.ending.running.reopen();
    Ok(turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_and_does_not_move_hides_nothing_that_comes_later() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let next = |first, second| next_step([first, second], at(10), at(20));
        assert_eq!(next(Some(at(10)), Some(at(15))), Some(at(15)));
        assert_eq!(next(Some(at(12)), Some(at(9))), Some(at(12)));
        assert_eq!(next(Some(at(20)), Some(at(12))), Some(at(12)));
        assert_eq!(next(Some(at(10)), Some(at(21))), None);
        assert_eq!(next(None, None), None);
    }
}
