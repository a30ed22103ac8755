//! Jobs that many callers send at the same time go to Redis in one call.
//!
//! The first call goes out at once. What is sent while it is under way gathers, and goes out together when it is
//! answered: nothing ever waits for a batch to fill, and a lone caller waits for nobody.

use super::{ACTOR, NewJob};
use crate::error::{Error, Result};
use crate::model::{Enqueued, JobId};
use crate::store::{Cells, ENQUEUE_BATCH_MAX};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// The jobs of one process on their way in.
#[derive(Debug, Clone)]
pub(crate) struct Gather {
    cells: Cells,
    queue: Arc<Mutex<Queue>>,
}

#[derive(Debug, Default)]
struct Queue {
    /// A call is under way, and whoever makes it looks here when it ends.
    busy: bool,
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    job: (JobId, NewJob),
    answer: oneshot::Sender<Result<Enqueued>>,
}

impl Gather {
    pub(crate) fn new(cells: Cells) -> Self {
        Self { cells, queue: Arc::default() }
    }

    /// Takes a job in, together with those of other callers if a call is under way.
    ///
    /// # Errors
    /// Those of [`Cells::enqueue`].
    pub(super) async fn send(&self, job: (JobId, NewJob)) -> Result<Enqueued> {
        let Some(answer) = self.join(&job) else {
            let _turn = Turn { gather: self.clone(), holder: Holder::Caller };
            return self.one(&job).await;
        };
        answer.await.unwrap_or_else(|_| Err(Error::Unavailable { what: "the call was cut off".to_owned() }))
    }

    /// Puts the job to those that wait; `None` when no call is under way, and the caller makes it.
    fn join(&self, job: &(JobId, NewJob)) -> Option<oneshot::Receiver<Result<Enqueued>>> {
        let mut queue = self.queue();
        if !queue.busy {
            queue.busy = true;
            return None;
        }
        let (answer, answered) = oneshot::channel();
        queue.waiting.push(Waiting { job: job.clone(), answer });
        Some(answered)
    }

    async fn send_all(&self, batch: Vec<Waiting>) {
        let (jobs, callers): (Vec<_>, Vec<_>) =
            batch.into_iter().map(|waiting| (waiting.job, waiting.answer)).unzip();
        match self.cells.enqueue(ACTOR, &jobs).await {
            Ok(answers) => {
                for (caller, answer) in callers.into_iter().zip(answers) {
                    // A caller that is gone needs no answer.
                    caller.send(Ok(answer)).ok();
                }
            }
            Err(Error::Unavailable { what }) => {
                for caller in callers {
                    caller.send(Err(Error::Unavailable { what: what.clone() })).ok();
                }
            }
            // One of them cannot be taken in. The others must not suffer for it.
            Err(_) => {
                for (job, caller) in jobs.iter().zip(callers) {
                    caller.send(self.one(job).await).ok();
                }
            }
        }
    }

    async fn one(&self, job: &(JobId, NewJob)) -> Result<Enqueued> {
        let mut answers = self.cells.enqueue(ACTOR, std::slice::from_ref(job)).await?;
        answers.pop().ok_or_else(|| Error::codec("enqueue did not answer"))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // The queue stays right if a thread panics between its single steps.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to call Redis, which one holds at a time.
struct Turn {
    gather: Gather,
    holder: Holder,
}

enum Holder {
    Caller,
    /// The task that sends what gathered.
    Task,
    /// Nobody: everything is sent.
    Nobody,
}

impl Turn {
    /// Sends what waits until nothing does.
    async fn drain(mut self) {
        while let Some(batch) = self.next() {
            self.gather.send_all(batch).await;
        }
    }

    fn next(&mut self) -> Option<Vec<Waiting>> {
        let mut queue = self.gather.queue();
        if queue.waiting.is_empty() {
            // In the same breath, or a caller could come in between and wait for ever.
            queue.busy = false;
            self.holder = Holder::Nobody;
            return None;
        }
        let count = queue.waiting.len().min(ENQUEUE_BATCH_MAX);
        Some(queue.waiting.drain(..count).collect())
    }
}

impl Drop for Turn {
    /// After a caller's turn, also when that caller gave up, a task goes on with what waits. A task that is dropped
    /// before its end was of a runtime that shuts down: those who wait hear that nothing is known.
    fn drop(&mut self) {
        let mut queue = self.gather.queue();
        match (&self.holder, Handle::try_current()) {
            (Holder::Nobody, _) => {}
            (Holder::Caller, Ok(runtime)) if !queue.waiting.is_empty() => {
                drop(queue);
                let turn = Self { gather: self.gather.clone(), holder: Holder::Task };
                drop(runtime.spawn(turn.drain()));
            }
            _ => {
                queue.busy = false;
                queue.waiting.clear();
            }
        }
    }
}
