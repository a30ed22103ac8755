//! The honest reprieve: cancels fired within milliseconds of the due time, against a running forwarder and worker.

use crate::runtime::scene::{Scene, TIMEOUT, id};
use rand::Rng;
use reprieve::model::{Cancelled, Delay, JobState, Kind, QueueName, Timestamp};
use reprieve::{Due, JobContext, NewJob};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const RACES: usize = 5_000;
/// They run at the same time, spread over this.
const OVER: Delay = Delay::seconds(10);
/// Before the first of them is due.
const HEAD_START: Delay = Delay::seconds(4);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_job_runs_after_the_answer_cancelled_in_five_thousand_races_at_the_due_time() {
    let _turn = super::TURN.lock().await;
    let scene = Scene::new().await;
    let ran: Arc<Mutex<HashSet<String>>> = Arc::default();
    let record = Arc::clone(&ran);
    let worker = scene
        .engine
        .worker()
        .queue(QueueName::default(), 100)
        .handler("k", move |context: JobContext| {
            record.lock().unwrap().insert(context.id().to_string());
            async { Ok(()) }
        })
        .start()
        .await
        .unwrap();
    let start = scene.engine.now().await.unwrap() + HEAD_START;
    let due_of = |n: usize| start + Delay::millis(OVER.as_millis() * i64::try_from(n).unwrap() / 5_000);
    let jobs = (0..RACES).map(|n| {
        let mut job = NewJob::new(Kind::new("k").unwrap(), "");
        (job.id, job.due) = (Some(id(&format!("r{n}"))), Due::At(due_of(n)));
        job
    });
    scene.enqueue(jobs.collect()).await;

    let races: Vec<_> = (0..RACES)
        .map(|n| {
            let (client, due) = (scene.engine.client(), due_of(n));
            let offset = rand::rng().random_range(-5.0..5.0);
            tokio::spawn(async move {
                tokio::time::sleep_until(instant_of(due, offset).into()).await;
                (format!("r{n}"), client.cancel(&id(&format!("r{n}"))).await.unwrap())
            })
        })
        .collect();
    let mut answers = HashMap::new();
    for race in races {
        let (name, answer) = race.await.unwrap();
        answers.insert(name, answer);
    }
    let began = Instant::now();
    let left = loop {
        let counts = scene.engine.inspector().counts(None).await.unwrap();
        if counts.done + counts.cancelled == RACES as u64 || began.elapsed() > TIMEOUT {
            break counts;
        }
        tokio::time::sleep(Duration::from_millis(20)).await; // the last handlers finish
    };
    worker.shutdown().await;

    let ran = ran.lock().unwrap().clone();
    let mut told: HashMap<&str, usize> = HashMap::new();
    for (name, answer) in &answers {
        *told.entry(answer.word()).or_default() += 1;
        match answer {
            Cancelled::Now(standing) => {
                assert!(!ran.contains(name), "{name} ran although it was cancelled");
                assert_eq!((standing.state, standing.started), (JobState::Cancelled, None));
            }
            Cancelled::Requested(standing) => {
                assert!(ran.contains(name), "{name} was said to run and never did");
                assert!(standing.started.is_some() && standing.worker.is_some(), "{standing:?}");
            }
            Cancelled::AlreadyFinal(standing) => {
                assert!(ran.contains(name), "{name} was said to have ended and never ran");
                assert_eq!(standing.state, JobState::Done);
            }
            other => panic!("{other:?}"),
        }
    }
    println!("{RACES} races: {told:?}");
    let cancelled = told.get("cancelled").copied().unwrap_or(0);
    assert_eq!((ran.len() + cancelled, left.cancelled), (RACES, cancelled as u64));
    assert!((1..RACES).contains(&cancelled), "no race: {told:?}");
}

/// The moment of this process's timers that lies `offset` ms from an instant of Redis, which has the same clock here.
fn instant_of(due: Timestamp, offset: f64) -> Instant {
    let due = UNIX_EPOCH + due.millis_since(Timestamp::EPOCH).try_into().map(Duration::from_millis).unwrap();
    let ahead = due.duration_since(SystemTime::now()).unwrap_or_default().as_secs_f64();
    Instant::now() + Duration::from_secs_f64((ahead + offset / 1_000.0).max(0.0))
}
