//! Producers of jobs and people who call some of them off, each repeating until it is answered.

use crate::history::{Answer, History};
use crate::sink::wall_ms;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reprieve::model::{Cancelled, Delay, JobId, Kind, Subject, Timestamp};
use reprieve::{Due, Engine, Error, NewJob};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// Producers at once.
const PRODUCERS: u64 = 3;
/// Most jobs of one call.
const BATCH_MAX: usize = 20;
/// Wait between the batches of a producer, in ms: together they are some 180 jobs a second, which a busy machine does.
const PAUSE_MS: (u64, u64) = (50, 300);
/// Of a hundred jobs, those that somebody will call off.
const DOOMED_PERCENT: u32 = 15;
/// When a doomed job is due, in ms from now, and how long before or after that it is called off.
const DOOMED_DUE_MS: (i64, i64) = (300, 4_000);
const CALL_OFF_MS: (i64, i64) = (-1_500, 60);
/// Wishes of one producer that are under way at once; more people than that are not there.
const WISHES_MAX: usize = 64;
/// Wait before a call is repeated.
const REPEAT: Duration = Duration::from_millis(60);
/// Who calls jobs off.
const PERSON: &str = "ann";

/// The load while it runs.
pub(crate) struct Load {
    producers: Vec<JoinHandle<()>>,
    stop: CancellationToken,
}

impl Load {
    /// `engine` is that of producers, `desk` that of people.
    pub(crate) fn start(engine: &Engine, desk: &Engine, history: &Arc<History>, seed: u64) -> Self {
        let stop = CancellationToken::new();
        let producers = (0..PRODUCERS).map(|producer| {
            let rng = StdRng::seed_from_u64(seed ^ (producer + 1));
            let (engines, history) = ((engine.clone(), desk.clone()), Arc::clone(history));
            tokio::spawn(produce(engines, history, rng, producer, stop.clone()))
        });
        Self { producers: producers.collect(), stop }
    }

    /// Takes nothing new on, and waits until every call is answered.
    pub(crate) async fn finish(self) {
        self.stop.cancel();
        for producer in self.producers {
            drop(producer.await);
        }
    }
}

async fn produce(
    (engine, desk): (Engine, Engine),
    history: Arc<History>,
    mut rng: StdRng,
    producer: u64,
    stop: CancellationToken,
) {
    let client = engine.client();
    let mut wishes = JoinSet::new();
    for number in 0_u64.. {
        if stop.is_cancelled() {
            break;
        }
        let (mut wanted, mut due) = (Vec::new(), Vec::new());
        let asked_ms = wall_ms();
        let batch: Vec<NewJob> = (0..rng.random_range(1..=BATCH_MAX))
            .filter_map(|place| {
                let id = JobId::new(format!("p{producer}-{number}-{place}")).ok()?;
                let doomed = rng.random_range(0..100) < DOOMED_PERCENT;
                let (job, due_ms) = new_job(&mut rng, id.clone(), doomed, asked_ms)?;
                due.push((id.to_string(), asked_ms + due_ms));
                if doomed {
                    wanted.push((id, due_ms, rng.random_range(CALL_OFF_MS.0..CALL_OFF_MS.1), rng.random()));
                }
                Some(job)
            })
            .collect();
        insist(&history, || client.enqueue_batch(batch.clone())).await;
        history.accepted(asked_ms, &due);
        for (id, due_ms, offset_ms, again) in wanted {
            let wait = u64::try_from((due_ms + offset_ms).max(0)).unwrap_or_default();
            wishes.spawn(call_off(
                desk.clone(),
                Arc::clone(&history),
                id,
                Duration::from_millis(wait),
                again,
            ));
        }
        while wishes.len() > WISHES_MAX {
            wishes.join_next().await;
        }
        let pause = Duration::from_millis(rng.random_range(PAUSE_MS.0..PAUSE_MS.1));
        stop.run_until_cancelled(tokio::time::sleep(pause)).await;
    }
    wishes.join_all().await;
}

/// A job and in how many ms it is due, said as a wait or as a time.
fn new_job(rng: &mut StdRng, id: JobId, doomed: bool, now_ms: i64) -> Option<(NewJob, i64)> {
    let kind = match rng.random_range(0..100) {
        0..5 => "slow",
        5..10 => "flaky",
        10..13 => "panicky",
        13..15 => "blocking",
        15..18 => "long",
        _ => "plain",
    };
    let mut job = NewJob::new(Kind::new(kind).ok()?, r#"{"some":"payload"}"#);
    job.subject = Subject::new(format!("customer:{}", rng.random_range(0..500))).ok();
    let due_ms = match rng.random_range(0..3) {
        _ if doomed => rng.random_range(DOOMED_DUE_MS.0..DOOMED_DUE_MS.1),
        0 => 0,
        _ => rng.random_range(0..3_000),
    };
    job.due = match rng.random_range(0..2) {
        _ if due_ms == 0 => Due::Now,
        0 => Due::In(Delay::millis(due_ms)),
        _ => Due::At(Timestamp::from_millis(now_ms + due_ms)?),
    };
    job.id = Some(id);
    Some((job, due_ms))
}

/// Calls a job off after a while, and asks under the same operation once more if `again`, or if there was no answer.
async fn call_off(engine: Engine, history: Arc<History>, id: JobId, wait: Duration, again: bool) {
    tokio::time::sleep(wait).await;
    let operator = engine.operator(PERSON);
    for _ in 0..1 + u8::from(again) {
        let outcome = insist(&history, || async {
            match operator.cancel(&id).operation(format!("op-{id}")).await {
                Err(Error::NotFound { .. }) => Ok(None),
                outcome => outcome.map(Some),
            }
        })
        .await;
        let answer = match &outcome {
            Some(outcome) => answer(outcome),
            None => Answer { word: "missing".to_owned(), version: 0, started: false, at_ms: wall_ms() },
        };
        history.answered(id.as_str(), answer);
    }
}

fn answer(outcome: &Cancelled) -> Answer {
    let standing = outcome.standing();
    Answer {
        word: outcome.word().to_owned(),
        version: standing.version.0,
        started: standing.started.is_some(),
        at_ms: wall_ms(),
    }
}

/// Repeats a call until it is answered, as every caller has to. Errors that repeating does not mend are answers too,
/// and wrong ones: the history counts them.
async fn insist<T, F>(history: &History, call: impl Fn() -> F) -> T
where
    F: Future<Output = reprieve::Result<T>>,
{
    loop {
        match call().await {
            Ok(answer) => return answer,
            Err(error) => {
                history.met(&error);
                tokio::time::sleep(REPEAT).await;
            }
        }
    }
}
