//! What many callers ask at the same time goes to Redis in one call.
//!
//! The first call goes out at once. What is asked while it is under way gathers, and goes out together when it is
//! answered, or beside it once that is worth a call: nothing ever waits for a batch to fill, and a lone caller waits for
//! nobody. Callers that run at once get their turn before the next call goes out.
//!
//! Nobody waits for another caller's runtime: only callers in the runtime of the connections call Redis themselves, and
//! what gathered goes out there. Handlers have a runtime of their own, whose threads they may block.

use crate::error::{Error, Result};
use crate::store::Home;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Calls under way at once: while Redis does one, the callers of the other are answered.
const TURNS_MAX: usize = 2;
/// With so many that wait a second call is worth its cost.
const BESIDE_MIN: usize = 8;

/// What can be asked for many callers at once.
pub(crate) trait Together: Clone + Send + Sync + 'static {
    /// What a caller asks.
    type Asked: Clone + std::fmt::Debug + Send + Sync + 'static;
    /// What it gets.
    type Answer: std::fmt::Debug + Send + 'static;
    /// The most that goes in one call.
    const BATCH_MAX: usize;

    /// Whether the two may not go in one call.
    fn collide(one: &Self::Asked, other: &Self::Asked) -> bool;

    /// Asks for all, and answers each in order. An error says that nothing is known, or that nothing was done.
    fn all(&self, asked: &[Self::Asked]) -> impl Future<Output = Result<Vec<Result<Self::Answer>>>> + Send;
}

/// The callers of one process who ask the same sort of thing.
#[derive(Debug)]
pub(crate) struct Gather<T: Together> {
    way: T,
    home: Home,
    queue: Arc<Mutex<Queue<T>>>,
}

impl<T: Together> Clone for Gather<T> {
    fn clone(&self) -> Self {
        Self { way: self.way.clone(), home: self.home.clone(), queue: Arc::clone(&self.queue) }
    }
}

#[derive(Debug)]
struct Queue<T: Together> {
    /// Calls under way: each looks here when it ends.
    turns: usize,
    waiting: Vec<Waiting<T>>,
}

#[derive(Debug)]
struct Waiting<T: Together> {
    asked: T::Asked,
    answer: oneshot::Sender<Result<T::Answer>>,
}

impl<T: Together> Gather<T> {
    pub(crate) fn new(way: T, home: Home) -> Self {
        Self { way, home, queue: Arc::new(Mutex::new(Queue { turns: 0, waiting: Vec::new() })) }
    }

    /// Asks, together with other callers if a call is under way.
    ///
    /// # Errors
    /// Those of the call.
    pub(crate) async fn send(&self, asked: T::Asked) -> Result<T::Answer> {
        let Some(answer) = self.join(&asked) else {
            let _turn = Turn { gather: self.clone(), holder: Holder::Caller };
            return self.one(&asked).await;
        };
        let cut_off =
            |_| Err(Error::OutcomeUnknown { what: "the call was cut off".to_owned(), is_once: false });
        answer.await.unwrap_or_else(cut_off)
    }

    /// Lets it wait with the others; `None` when no call is under way, and the caller makes it.
    fn join(&self, asked: &T::Asked) -> Option<oneshot::Receiver<Result<T::Answer>>> {
        let mut queue = self.queue();
        let is_first = queue.turns == 0;
        if is_first && self.home.is_here() {
            queue.turns = 1;
            return None;
        }
        let (answer, answered) = oneshot::channel();
        queue.waiting.push(Waiting { asked: asked.clone(), answer });
        let is_worth_it = queue.turns < TURNS_MAX && queue.waiting.len() >= BESIDE_MIN;
        let goes = is_first || is_worth_it;
        queue.turns += usize::from(goes);
        drop(queue);
        if goes {
            self.send_what_waits();
        }
        Some(answered)
    }

    /// Has a task send what waits, for the caller whose turn it is.
    fn send_what_waits(&self) {
        self.home.spawn(Turn { gather: self.clone(), holder: Holder::Task }.drain());
    }

    async fn send_all(&self, batch: Vec<Waiting<T>>) {
        let (asked, callers): (Vec<_>, Vec<_>) =
            batch.into_iter().map(|waiting| (waiting.asked, waiting.answer)).unzip();
        match self.way.all(&asked).await {
            Ok(answers) => {
                for (caller, answer) in callers.into_iter().zip(answers) {
                    // A caller that is gone needs no answer.
                    caller.send(answer).ok();
                }
            }
            // It is Redis, so it is the same for all.
            Err(error) if error.is_transient() => {
                for caller in callers {
                    caller.send(Err(error.clone())).ok();
                }
            }
            // One of them cannot be done. The others must not suffer for it.
            Err(_) => {
                for (asked, caller) in asked.iter().zip(callers) {
                    caller.send(self.one(asked).await).ok();
                }
            }
        }
    }

    async fn one(&self, asked: &T::Asked) -> Result<T::Answer> {
        let mut answers = self.way.all(std::slice::from_ref(asked)).await?;
        answers.pop().unwrap_or_else(|| Err(Error::codec("a call did not answer")))
    }

    fn queue(&self) -> MutexGuard<'_, Queue<T>> {
        // The queue stays right if a thread panics between its single steps.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to call Redis, which few hold at a time.
struct Turn<T: Together> {
    gather: Gather<T>,
    holder: Holder,
}

enum Holder {
    Caller,
    /// The task that sends what gathered.
    Task,
    /// Nobody: everything is sent.
    Nobody,
}

impl<T: Together> Turn<T> {
    /// Sends what waits until nothing does. Those who were just answered may ask the next thing before the next call goes
    /// out, or they would wait for all others in each second call.
    async fn drain(mut self) {
        loop {
            tokio::task::yield_now().await;
            let Some(batch) = self.next() else { return };
            self.gather.send_all(batch).await;
        }
    }

    fn next(&mut self) -> Option<Vec<Waiting<T>>> {
        let mut queue = self.gather.queue();
        // What is not worth a call beside another goes with the next one.
        let is_too_little = queue.turns > 1 && queue.waiting.len() < BESIDE_MIN;
        if queue.waiting.is_empty() || is_too_little {
            // In the same breath, or a caller could come in between and wait for ever.
            queue.turns -= 1;
            self.holder = Holder::Nobody;
            return None;
        }
        let waiting = &queue.waiting;
        let goes = |&at: &usize| !waiting[..at].iter().any(|one| T::collide(&one.asked, &waiting[at].asked));
        let count = (0..waiting.len().min(T::BATCH_MAX)).take_while(goes).count();
        Some(queue.waiting.drain(..count).collect())
    }
}

impl<T: Together> Drop for Turn<T> {
    /// After a caller's turn, also when that caller gave up, a task goes on with what waits. A task that is dropped
    /// before its end was of a runtime that shuts down: those who wait hear that nothing is known.
    fn drop(&mut self) {
        let mut queue = self.gather.queue();
        match self.holder {
            Holder::Nobody => {}
            Holder::Caller if !queue.waiting.is_empty() => {
                drop(queue);
                self.gather.send_what_waits();
            }
            _ => {
                queue.turns -= 1;
                queue.waiting.clear();
            }
        }
    }
}
