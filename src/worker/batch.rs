//! Handlers that take many jobs in one call.
//!
//! A batch is made inside the worker: each of its jobs is claimed, leased, timed and cancelled as any other, and
//! waits in its own slot until the batch is full or old enough.

use super::execute::TOO_LATE;
use super::panics;
use crate::job::{Failure, JobContext};
use crate::model::{Delay, JobId};
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

/// Collects jobs of one kind into batches.
#[derive(Clone)]
pub(super) struct Gatherer(Arc<Gathering>);

struct Gathering {
    size_max: AtomicUsize,
    wait_max: Duration,
    call: Call,
    waiting: Mutex<Vec<Waiting>>,
    /// There may be enough for a batch.
    full: Notify,
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
            waiting: Mutex::new(Vec::new()),
            full: Notify::new(),
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
        let count = {
            let mut waiting = self.waiting();
            waiting.push(Waiting { context, answer });
            waiting.len()
        };
        if count == 1 {
            // A task of its own: no job's end may take its batch along.
            tokio::spawn(self.clone().gather());
        } else if count >= self.size_max() {
            self.0.full.notify_one();
        }
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

    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn size_max(&self) -> usize {
        self.0.size_max.load(Ordering::Relaxed)
    }

    /// Takes a job out that still waits; `false` when its batch has begun.
    fn leave(&self, context: &JobContext) -> bool {
        let mut waiting = self.waiting();
        let place = waiting
            .iter()
            .position(|one| one.context.id() == context.id() && one.context.token() == context.token());
        place.map(|place| waiting.remove(place)).is_some()
    }

    /// Waits for batches to be full or old enough, and calls the handler, until nothing waits.
    async fn gather(self) {
        loop {
            let deadline = Instant::now() + self.0.wait_max;
            while self.waiting().len() < self.size_max() {
                if tokio::time::timeout_at(deadline, self.0.full.notified()).await.is_err() {
                    break;
                }
            }
            let (batch, more) = {
                let mut waiting = self.waiting();
                let count = waiting.len().min(self.size_max());
                let batch: Vec<_> = waiting.drain(..count).collect();
                (still_held(batch), !waiting.is_empty())
            };
            if !batch.is_empty() {
                tokio::spawn(run(Arc::clone(&self.0.call), batch));
            }
            // Whoever comes to an empty place starts the next one.
            if !more {
                return;
            }
        }
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
