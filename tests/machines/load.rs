//! Producers, a worker and people calling jobs off, and a ledger of what they were told.

use reprieve::model::{Cancelled, Delay, JobId, Kind, QueueName, Subject};
use reprieve::{Due, Engine, Failure, JobContext, NewJob, Worker};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// Acknowledged this short before its master died, a write may not have reached the replica: that is what
/// asynchronous replication means, and what `WAIT` is for.
const REPLICATION_LAG: Duration = Duration::from_secs(2);

/// A job that was claimed when its master died, without anybody hearing of it, runs when its lease of 12 s is over; that,
/// and what a busy machine takes.
const SETTLED_WITHIN: Duration = Duration::from_secs(120);

#[derive(Default)]
pub(crate) struct Ledger {
    /// Jobs that Redis said it has, and when it did.
    enqueued: Mutex<BTreeMap<String, Instant>>,
    /// Jobs of which Redis said that they never run, and when it did.
    cancelled: Mutex<BTreeMap<String, Instant>>,
    ran: Mutex<BTreeSet<String>>,
    calls: AtomicU32,
    errors: Mutex<Vec<String>>,
    stop: AtomicBool,
}

pub(crate) struct Load {
    pub(crate) ledger: Arc<Ledger>,
    producers: Vec<JoinHandle<()>>,
    worker: Worker,
}

fn id(name: &str) -> JobId {
    JobId::new(name).unwrap()
}

fn job(name: &str, due: Due, subject: Option<String>) -> NewJob {
    let mut job = NewJob::new(Kind::new("notice").unwrap(), "{}");
    job.id = Some(id(name));
    job.due = due;
    job.subject = subject.map(|subject| Subject::new(subject).unwrap());
    job
}

impl Ledger {
    /// Repeats a call until it is answered, as every caller has to.
    async fn insist<T, F>(&self, call: impl Fn() -> F) -> T
    where
        F: Future<Output = reprieve::Result<T>>,
    {
        let began = Instant::now();
        loop {
            self.calls.fetch_add(1, Ordering::Relaxed);
            match call().await {
                Ok(answer) => return answer,
                Err(error) => {
                    assert!(began.elapsed() < crate::machines::ports::TIMEOUT, "no answer any more: {error}");
                    self.errors.lock().unwrap().push(error.to_string());
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    pub(crate) fn acknowledged(&self) -> usize {
        self.enqueued.lock().unwrap().len()
    }

    /// Every error that callers met.
    pub(crate) fn errors(&self) -> BTreeSet<String> {
        self.errors.lock().unwrap().iter().cloned().collect()
    }

    /// Acknowledged jobs that neither ran nor were called off, and called off ones that ran; apart from them those that
    /// are excused, because they were acknowledged within the lag before a master died.
    fn wrong(&self, killed: Instant) -> (Vec<String>, Vec<String>) {
        let (enqueued, cancelled, ran) =
            (self.enqueued.lock().unwrap(), self.cancelled.lock().unwrap(), self.ran.lock().unwrap());
        let lost = enqueued.keys().filter(|name| !ran.contains(*name) && !cancelled.contains_key(*name));
        let broken = cancelled.keys().filter(|name| ran.contains(*name));
        let is_late = |name: &String| {
            let told = *cancelled.get(name).unwrap_or_else(|| &enqueued[name]);
            told <= killed && killed.duration_since(told) < REPLICATION_LAG
        };
        let (excused, wrong) = lost.chain(broken).cloned().partition(is_late);
        (wrong, excused)
    }
}

impl Load {
    /// Three producers of jobs with and without subjects, half of them due in a moment; every tenth is for later and
    /// called off, by id or with its subject.
    pub(crate) async fn start(engine: &Engine) -> Self {
        let ledger = Arc::new(Ledger::default());
        let runs = Arc::clone(&ledger);
        let handler = move |context: JobContext| {
            runs.ran.lock().unwrap().insert(context.id().to_string());
            async { Ok::<(), Failure>(()) }
        };
        let worker =
            engine.worker().queue(QueueName::default(), 16).handler("notice", handler).start().await.unwrap();
        let producers = (0..3)
            .map(|producer| tokio::spawn(produce(engine.clone(), Arc::clone(&ledger), producer)))
            .collect();
        Self { ledger, producers, worker }
    }

    /// Waits until that many jobs more are acknowledged than now.
    pub(crate) async fn acknowledges(&self, more: usize) {
        let (goal, began) = (self.ledger.acknowledged() + more, Instant::now());
        while self.ledger.acknowledged() < goal {
            assert!(began.elapsed() < crate::machines::ports::TIMEOUT, "{:?}", self.ledger.errors());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Stops producing, waits until everything has run, and compares with what was acknowledged. `killed` is when a
    /// master died.
    pub(crate) async fn settle(self, engine: &Engine, killed: Instant) {
        self.ledger.stop.store(true, Ordering::Relaxed);
        for producer in self.producers {
            producer.await.unwrap();
        }
        let began = Instant::now();
        loop {
            let (lost, _) = self.ledger.wrong(killed);
            let live = engine
                .inspector()
                .counts(None)
                .await
                .map_or(1, |counts| counts.ready + counts.active + counts.retrying + counts.delayed);
            if lost.is_empty() && live == 0 || began.elapsed() > SETTLED_WITHIN {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.worker.shutdown().await;
        let (lost, excused) = self.ledger.wrong(killed);
        let met = self.ledger.errors.lock().unwrap().len();
        let called_off = self.ledger.cancelled.lock().unwrap().len();
        println!(
            "{} jobs acknowledged in {} calls, {} called off; {} errors met ({:?}); {} writes lost by replication",
            self.ledger.acknowledged(),
            self.ledger.calls.load(Ordering::Relaxed),
            called_off,
            met,
            self.ledger.errors(),
            excused.len(),
        );
        assert!(lost.is_empty(), "what was acknowledged is lost: {lost:?}");
        assert!(excused.len() < 100, "replication lost too much: {excused:?}");
    }
}

async fn produce(engine: Engine, ledger: Arc<Ledger>, producer: u32) {
    let (client, operator) = (engine.client(), engine.operator("ann"));
    for number in 0_u32.. {
        if ledger.stop.load(Ordering::Relaxed) {
            return;
        }
        let name = format!("p{producer}-{number}");
        let subject = (number % 2 == 0).then(|| format!("resource:{producer}-{number}"));
        let doomed = number % 10 < 2;
        let due = match number % 3 {
            _ if doomed => Due::In(Delay::hours(1)),
            0 => Due::In(Delay::millis(300)),
            _ => Due::Now,
        };
        let new = job(&name, due, subject.clone());
        ledger.insist(|| client.enqueue_batch(vec![new.clone()])).await;
        ledger.enqueued.lock().unwrap().insert(name.clone(), Instant::now());
        if !doomed {
            continue;
        }
        let called_off = match &subject {
            Some(subject) => {
                let subject = Subject::new(subject.clone()).unwrap();
                let act =
                    || async { operator.cancel_subject(&subject).operation(format!("op-{name}")).await };
                ledger.insist(act).await;
                true
            }
            None => {
                let id = id(&name);
                let outcome = ledger
                    .insist(|| async {
                        match operator.cancel(&id).operation(format!("op-{name}")).await {
                            // Acknowledged and lost with its master: the ledger will say so.
                            Err(reprieve::Error::NotFound { .. }) => Ok(None),
                            outcome => outcome.map(Some),
                        }
                    })
                    .await;
                matches!(outcome, Some(Cancelled::Now(_)))
            }
        };
        if called_off {
            ledger.cancelled.lock().unwrap().insert(name, Instant::now());
        }
    }
}
