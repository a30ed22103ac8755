//! Handlers that take many jobs in one call.
//!
//! A batch is made inside the worker: each of its jobs is claimed, leased, timed and cancelled as any other, and
//! waits in its own slot until the batch is full or old enough.

use super::execute::TOO_LATE;
use super::panics;
use crate::model::{Delay, JobId};
use crate::worker::{Failure, JobContext};
use futures_util::FutureExt;
use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

/// The longest a batch waits for more jobs, a year: what nobody lives to see, and no clock runs over.
const WAIT_MAX: Duration = Duration::from_secs(365 * 24 * 3_600);

type Call =
    Arc<dyn Fn(Batch) -> Pin<Box<dyn Future<Output = Result<BatchReport, Failure>> + Send>> + Send + Sync>;

/// The jobs of one call, in the order they were claimed; never empty.
#[derive(Debug)]
pub struct Batch {
    jobs: Vec<JobContext>,
}

impl Batch {
    /// The jobs. Look at [`JobContext::is_cancelled`] before each, if the call takes long: one may have been called
    /// off since. It is done all the same when the report says that it went well, and cancelled when it says that it did
    /// not.
    #[must_use]
    pub fn jobs(&self) -> &[JobContext] {
        &self.jobs
    }
}

impl IntoIterator for Batch {
    type Item = JobContext;
    type IntoIter = std::vec::IntoIter<JobContext>;

    fn into_iter(self) -> Self::IntoIter {
        self.jobs.into_iter()
    }
}

/// How the jobs of one call ended: all well, but for those it names.
#[derive(Debug, Default)]
#[must_use = "it tells which jobs did not go well"]
pub struct BatchReport {
    failed: HashMap<JobId, Failure>,
}

impl BatchReport {
    /// All jobs are done.
    pub fn done() -> Self {
        Self::default()
    }

    /// This one is not. The last word on a job counts; a job that is not of the batch changes nothing.
    pub fn failed(mut self, job: &JobId, failure: Failure) -> Self {
        self.failed.insert(job.clone(), failure);
        self
    }
}

/// A job that waits for its batch, and where its outcome goes.
struct Waiting {
    context: JobContext,
    answer: oneshot::Sender<Result<(), Failure>>,
}

/// Where jobs wait.
#[derive(Default)]
struct Place {
    waiting: Vec<Waiting>,
    /// When the first of them has waited long enough; `None` while no task looks after the place.
    until: Option<Instant>,
}

/// What the task that looks after a place does next.
enum Turn {
    /// It waits until then, or until it is told to look again.
    Wait(Instant),
    /// It calls the handler with these.
    Call(Vec<Waiting>),
    /// Nothing waits any more: the next call starts the next one.
    End,
}

/// Collects jobs of one kind into batches.
#[derive(Clone)]
pub(super) struct Gatherer(Arc<Gathering>);

struct Gathering {
    size_max: AtomicUsize,
    wait_max: Duration,
    call: Call,
    place: Mutex<Place>,
    /// There may be enough for a batch, or nothing any more.
    changed: Notify,
}

impl Gatherer {
    pub(super) fn new<H, F>(size_max: u32, wait_max: Duration, handler: H) -> Self
    where
        H: Fn(Batch) -> F + Send + Sync + 'static,
        F: Future<Output = Result<BatchReport, Failure>> + Send + 'static,
    {
        Self(Arc::new(Gathering {
            size_max: AtomicUsize::new(usize::try_from(size_max.max(1)).unwrap_or(usize::MAX)),
            wait_max: wait_max.min(WAIT_MAX),
            call: Arc::new(move |batch| Box::pin(handler(batch))),
            place: Mutex::default(),
            changed: Notify::new(),
        }))
    }

    /// No batch can be larger than the worker's slots; waiting for more would only take time.
    pub(super) fn cap(&self, slots: u32) {
        self.0.size_max.fetch_min(usize::try_from(slots).unwrap_or(usize::MAX), Ordering::Relaxed);
    }

    /// Waits for a batch and for what became of this job in it.
    pub(super) async fn join(self, context: JobContext) -> Result<(), Failure> {
        let stop = context.clone();
        let (answer, mut outcome) = oneshot::channel();
        self.wait(Waiting { context, answer });
        let told = tokio::select! {
            biased;
            told = &mut outcome => told,
            () = stop.cancelled() => {
                if self.leave(&stop) {
                    return Err(Failure::snooze(Delay::ZERO, "stopped before its batch began"));
                }
                // It is under way: the handler decides.
                outcome.await
            }
        };
        told.unwrap_or_else(|_| Err(Failure::retry("its batch was given up")))
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.0.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn size_max(&self) -> usize {
        self.0.size_max.load(Ordering::Relaxed)
    }

    /// Puts a job into the place, and sees to it that one task looks after it.
    fn wait(&self, one: Waiting) {
        let mut place = self.place();
        place.waiting.push(one);
        if place.waiting.len() == 1 {
            let until = place.until.replace(Instant::now() + self.0.wait_max);
            if until.is_none() {
                // A task of its own: no job's end may take its batch along.
                tokio::spawn(self.clone().gather());
            }
        }
        if place.waiting.len() >= self.size_max() {
            self.0.changed.notify_one();
        }
    }

    /// Takes a job out that still waits; `false` when its batch has begun.
    fn leave(&self, context: &JobContext) -> bool {
        let mut place = self.place();
        let index = place
            .waiting
            .iter()
            .position(|one| one.context.id() == context.id() && one.context.token() == context.token());
        let Some(index) = index else { return false };
        place.waiting.remove(index);
        if place.waiting.is_empty() {
            self.0.changed.notify_one();
        }
        true
    }

    /// Waits for batches to be full or old enough, and calls the handler, until nothing waits.
    async fn gather(self) {
        loop {
            match self.turn() {
                Turn::Wait(until) => {
                    tokio::time::timeout_at(until, self.0.changed.notified()).await.ok();
                }
                Turn::Call(batch) => {
                    let batch = still_held(batch);
                    if !batch.is_empty() {
                        tokio::spawn(run(Arc::clone(&self.0.call), batch));
                    }
                }
                Turn::End => return,
            }
        }
    }

    fn turn(&self) -> Turn {
        let mut place = self.place();
        let now = Instant::now();
        let Some(until) = place.until.filter(|_| !place.waiting.is_empty()) else {
            place.until = None;
            return Turn::End;
        };
        if now < until && place.waiting.len() < self.size_max() {
            return Turn::Wait(until);
        }
        let count = place.waiting.len().min(self.size_max());
        // What is left begins to wait now.
        place.until = Some(now + self.0.wait_max);
        Turn::Call(place.waiting.drain(..count).collect())
    }
}

/// Gives those jobs back that may be somebody else's by now: this process was frozen while they waited.
fn still_held(batch: Vec<Waiting>) -> Vec<Waiting> {
    let (over, held): (Vec<_>, _) = batch.into_iter().partition(|one| one.context.lease_is_over());
    for one in over {
        one.answer.send(Err(Failure::snooze(Delay::ZERO, TOO_LATE))).ok();
    }
    held
}

/// Calls the handler and gives each job its part of the answer.
async fn run(call: Call, batch: Vec<Waiting>) {
    let (jobs, mut answers): (Vec<_>, Vec<_>) =
        batch.into_iter().map(|one| (one.context.clone(), (one.context.id().clone(), one.answer))).unzip();
    let outcome = {
        let called = AssertUnwindSafe(async { call(Batch { jobs }).await }).catch_unwind();
        let nobody_waits = async {
            for (_, answer) in &mut answers {
                answer.closed().await;
            }
        };
        tokio::select! {
            outcome = called => outcome.unwrap_or_else(|panic| Err(Failure::retry(panics::describe(&*panic)))),
            () = nobody_waits => return,
        }
    };
    let mut outcome = outcome;
    for (id, answer) in answers {
        let own = match &mut outcome {
            Ok(report) => report.failed.remove(&id).map_or(Ok(()), Err),
            Err(failure) => Err(failure.clone()),
        };
        // A job that was given up in the meantime needs no answer.
        answer.send(own).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Shard, Timestamp, Token};
    use crate::store::ClaimedJob;
    use crate::worker::lease::Lease;
    use crate::worker::notes::{Desk, Notes};
    use tokio_util::sync::CancellationToken;

    const HOUR: Duration = Duration::from_secs(3_600);
    /// Far longer than anything here takes, even on a busy machine.
    const TIMEOUT: Duration = Duration::from_secs(30);

    fn job(number: u64, stop: &CancellationToken) -> JobContext {
        let id: JobId = format!("j{number}").parse().unwrap();
        let token = Token(number);
        let job = ClaimedJob {
            id: id.clone(),
            shard: Shard::FIRST,
            token,
            queue: "q".parse().unwrap(),
            kind: "k".parse().unwrap(),
            subject: None,
            payload: Vec::new(),
            headers: std::collections::BTreeMap::new(),
            attempt: 1,
            max_attempts: None,
            due: Timestamp::EPOCH,
            created: Timestamp::EPOCH,
            timeout: None,
            lease_until: Timestamp::EPOCH,
            was_lost: false,
        };
        let lease = Lease::claimed(std::time::Instant::now());
        JobContext::new(job, lease, stop.clone(), Notes::new(id, token, Arc::new(Desk::default())))
    }

    fn gatherer() -> Gatherer {
        Gatherer::new(2, HOUR, |_| async { Ok(BatchReport::done()) })
    }

    /// A job that comes and is called off before its batch begins, and until when that would have waited.
    async fn come_and_leave(gatherer: &Gatherer, number: u64) -> Instant {
        let stop = CancellationToken::new();
        let joined = tokio::spawn(gatherer.clone().join(job(number, &stop)));
        while gatherer.place().waiting.is_empty() {
            tokio::task::yield_now().await;
        }
        let until = gatherer.place().until.unwrap();
        stop.cancel();
        joined.await.unwrap().unwrap_err();
        until
    }

    /// Ends once nothing looks after the place.
    async fn is_left(gatherer: &Gatherer) {
        let left = async {
            while Arc::strong_count(&gatherer.0) > 1 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(TIMEOUT, left).await.unwrap();
        assert!(gatherer.place().until.is_none());
    }

    #[tokio::test]
    async fn nothing_looks_after_a_place_that_was_left() {
        let gatherer = gatherer();
        for number in 0..10 {
            come_and_leave(&gatherer, number).await;
        }

        is_left(&gatherer).await;
    }

    #[tokio::test]
    async fn a_call_that_comes_to_a_place_that_was_just_left_waits_as_long_as_any_other() {
        let gatherer = gatherer();
        let first = come_and_leave(&gatherer, 1).await;
        let second = come_and_leave(&gatherer, 2).await;
        assert!(first < second, "from when it came");

        let stop = CancellationToken::new();
        let both = async {
            tokio::join!(gatherer.clone().join(job(3, &stop)), gatherer.clone().join(job(4, &stop)))
        };
        let both = tokio::time::timeout(TIMEOUT, both).await.unwrap();
        assert!(both.0.is_ok() && both.1.is_ok(), "a full batch waits for nothing");
        is_left(&gatherer).await;
    }
}
