//! Every word by which Redis refuses, at random moments: nobody panics, nobody asks in a hot loop, everybody is told
//! what it is, and no job is lost or run twice for it.

use super::scene::{is_large, job, on, until, way_to, within};
use futures_util::future::join_all;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reprieve::model::{Delay, QueueName};
use reprieve::testing::RedisServer;
use reprieve::{Due, Engine, EngineConfig, JobContext, OutageKind};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// As Redis 7.0 says them, and what each is to people.
const REFUSALS: [(&str, OutageKind); 13] = [
    ("NOREPLICAS Not enough good replicas to write.", OutageKind::ReadOnly),
    ("READONLY You can't write against a read only replica.", OutageKind::ReadOnly),
    (
        "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
        OutageKind::ReadOnly,
    ),
    ("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", OutageKind::Busy),
    ("LOADING Redis is loading the dataset in memory", OutageKind::Busy),
    (
        "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.",
        OutageKind::Busy,
    ),
    ("CLUSTERDOWN The cluster is down", OutageKind::Busy),
    ("TRYAGAIN Multiple keys request during rehashing of slot", OutageKind::Busy),
    ("ERR max number of clients reached", OutageKind::Busy),
    ("OOM command not allowed when used memory > 'maxmemory'.", OutageKind::Full),
    ("NOAUTH Authentication required.", OutageKind::Denied),
    ("WRONGPASS invalid username-password pair or user is disabled.", OutageKind::Denied),
    ("NOPERM User default has no permissions to run the 'fcall' command", OutageKind::Denied),
];

/// What is sent in place of a command that is refused, so that its refusal comes when its answer would have.
const INSTEAD: &[u8] = b"*2\r\n$4\r\nPING\r\n$16\r\nthis-is-refused!\r\n";
/// What Redis answers to that.
const ANSWERED: &[u8] = b"$16\r\nthis-is-refused!\r\n";

/// A way to Redis on which any command may be refused, as if Redis had done so.
#[derive(Default)]
struct Gate {
    refusal: Mutex<Option<&'static str>>,
    /// The command that is refused the next time, by the end of its first two words.
    refused_once: Mutex<Option<&'static str>>,
    /// The command that is never answered.
    unanswered: Mutex<Option<&'static str>>,
    /// How often each command was, by its first two words; those that came along in one go are one try.
    refused: Mutex<BTreeMap<String, u32>>,
}

impl Gate {
    /// Opens one to a server; the URL leads through it.
    async fn open(server: &RedisServer) -> (Arc<Self>, String) {
        let gate = Arc::new(Self::default());
        let kept = Arc::clone(&gate);
        let url = way_to(server, move |client, server| {
            let gate = Arc::clone(&kept);
            async move {
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                let asking = tokio::spawn(ask(from_client, to_server, Arc::clone(&gate)));
                answer(from_server, to_client, &gate).await;
                asking.abort();
            }
        })
        .await;
        (gate, url)
    }

    fn refuse(&self, refusal: Option<&'static str>) {
        *self.refusal.lock().unwrap() = refusal;
    }

    /// What was refused since the last time this was asked.
    fn take_refused(&self) -> BTreeMap<String, u32> {
        std::mem::take(&mut self.refused.lock().unwrap())
    }
}

async fn ask(mut from: tcp::OwnedReadHalf, mut to: OwnedWriteHalf, gate: Arc<Gate>) {
    let (mut waiting, mut bytes) = (Vec::new(), [0; 16 * 1024]);
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        waiting.extend_from_slice(&bytes[..length]);
        let mut tried = false;
        while let Some(end) = command_end(&waiting) {
            let words = first_words(&waiting[..end]);
            if gate.unanswered.lock().unwrap().is_some_and(|command| words.starts_with(command)) {
                waiting.drain(..end);
                continue;
            }
            let refused_once = gate.refused_once.lock().unwrap().take_if(|command| words.ends_with(*command));
            let refused = refused_once.is_some() || gate.refusal.lock().unwrap().is_some();
            if refused && !std::mem::replace(&mut tried, true) {
                *gate.refused.lock().unwrap().entry(words).or_default() += 1;
            }
            let told = if refused { INSTEAD } else { &waiting[..end] };
            if to.write_all(told).await.is_err() {
                return;
            }
            waiting.drain(..end);
        }
    }
}

/// Where the first command of these bytes ends, if it is whole.
fn command_end(bytes: &[u8]) -> Option<usize> {
    let (mut at, words) = number_line(bytes, 0)?;
    for _ in 0..words {
        let (begins, length) = number_line(bytes, at)?;
        at = begins + length + 2;
    }
    (at <= bytes.len()).then_some(at)
}

/// The number of a line such as `*3` or `$12`, and where the next line begins.
fn number_line(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let line = bytes.get(at + 1..)?;
    let length = line.iter().position(|&byte| byte == b'\r')?;
    let number = std::str::from_utf8(&line[..length]).unwrap().parse().unwrap();
    Some((at + 1 + length + 2, number))
}

/// The name of a command and its first argument, which says what `FCALL` calls.
fn first_words(command: &[u8]) -> String {
    let lines = String::from_utf8_lossy(command).into_owned();
    lines.split("\r\n").skip(2).step_by(2).take(2).collect::<Vec<_>>().join(" ")
}

async fn answer(mut from: OwnedReadHalf, mut to: tcp::OwnedWriteHalf, gate: &Gate) {
    let (mut waiting, mut bytes) = (Vec::new(), [0; 16 * 1024]);
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        waiting.extend_from_slice(&bytes[..length]);
        let mut told = Vec::new();
        while let Some(at) = waiting.windows(ANSWERED.len()).position(|part| part == ANSWERED) {
            let refusal =
                gate.refusal.lock().unwrap().unwrap_or("LOADING Redis is loading the dataset in memory");
            told.extend_from_slice(&waiting[..at]);
            told.extend_from_slice(format!("-{refusal}\r\n").as_bytes());
            waiting.drain(..at + ANSWERED.len());
        }
        // No answer ends like the beginning of that one, so what is held back has its rest still to come.
        let held = (1..ANSWERED.len()).rev().find(|&length| waiting.ends_with(&ANSWERED[..length]));
        told.extend(waiting.drain(..waiting.len() - held.unwrap_or_default()));
        if to.write_all(&told).await.is_err() {
            return;
        }
    }
}

/// As long as a refusal has to last until everybody has met it, several times.
const COUNTED_FOR: Duration = Duration::from_secs(5);
/// As long as what was asked before a refusal may take until it is answered, and says that Redis works.
const ANSWERED_WITHIN: Duration = Duration::from_millis(2_500);
/// What one process may ask in a second of a Redis that refuses it, with a greeting for each connection that it opens anew.
const TRIES_MAX: f64 = 30.0;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_redis_refuses_with_is_told_and_asked_for_few_times_a_second() {
    let server = RedisServer::start().unwrap();
    // Side by side, each in a namespace of its own: each takes seconds in which little happens.
    join_all((0..REFUSALS.len()).map(|number| is_told(&server, number))).await;
}

/// Refuses a process everything with one of the words.
async fn is_told(server: &RedisServer, number: usize) {
    let (refusal, kind) = REFUSALS[number];
    let (gate, url) = Gate::open(server).await;
    let config = EngineConfig::new(url).namespace(format!("refused-{number}").parse().unwrap());
    let engine = Engine::connect(config).await.unwrap();
    let maintenance = engine.maintenance().start();
    let worker = engine
        .worker()
        .queue(QueueName::default(), 4)
        .handler("k", |_| async { Ok(()) })
        .start()
        .await
        .unwrap();

    let began = Instant::now();
    gate.refuse(Some(refusal));
    until("it to be told", || async { engine.outage().is_some_and(|told| told.kind == kind) }).await;
    // What is counted, and what must not change, is what happens in a span of time.
    let mut taken_back = None;
    while began.elapsed() < COUNTED_FOR {
        let is_sure = began.elapsed() > ANSWERED_WITHIN;
        if is_sure && engine.outage().is_none_or(|told| told.kind != kind) {
            taken_back.get_or_insert_with(|| began.elapsed());
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let tries = gate.take_refused();
    gate.refuse(None);
    let tries_per_s = f64::from(tries.values().sum::<u32>()) / began.elapsed().as_secs_f64();
    assert_eq!(taken_back, None, "taken back while redis still refused: {refusal}");
    assert!(!tries.is_empty() && tries_per_s <= TRIES_MAX, "{tries_per_s:.1} a second, {refusal}: {tries:?}");
    until("redis to be believed again", || async { engine.outage().is_none() }).await;
    worker.shutdown().await;
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_at_random_moments_lose_no_job_and_run_none_twice() {
    let server = RedisServer::start().unwrap();
    let redis = on(&server).await;
    let (gate, url) = Gate::open(&server).await;
    let engine = Engine::connect(EngineConfig::new(url)).await.unwrap();
    let maintenance = engine.maintenance().start();
    let runs: Arc<Mutex<HashMap<String, u32>>> = Arc::default();
    let record = Arc::clone(&runs);
    let worker = engine
        .worker()
        .queue(QueueName::default(), 20)
        .handler("k", move |context: JobContext| {
            *record.lock().unwrap().entry(context.id().to_string()).or_default() += 1;
            async { Ok(()) }
        })
        .start()
        .await
        .unwrap();

    let over = Arc::new(AtomicBool::new(false));
    let (client, stop) = (engine.client(), Arc::clone(&over));
    let producer = tokio::spawn(async move {
        let mut taken = 0_u64;
        while !stop.load(Ordering::SeqCst) {
            let mut job = job(&format!("j{taken}"));
            job.due = Due::In(Delay::millis(i64::try_from(taken % 3).unwrap() * 300));
            // Repeated until Redis takes it: with an id of its own a job is taken once.
            let taken_in = async {
                while client.enqueue_batch(vec![job.clone()]).await.is_err() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            within("a job to be taken in", taken_in).await;
            taken += 1;
        }
        taken
    });
    let mut rng = StdRng::seed_from_u64(20_261_123);
    let times = if is_large() { 50 } else { 10 };
    for (refusal, _) in std::iter::repeat_n(REFUSALS, times).flatten() {
        // Random moments are what this is about.
        tokio::time::sleep(Duration::from_millis(rng.random_range(5..40))).await;
        gate.refuse(Some(refusal));
        tokio::time::sleep(Duration::from_millis(rng.random_range(1..20))).await;
        gate.refuse(None);
    }
    over.store(true, Ordering::SeqCst);
    let taken = producer.await.unwrap();
    let refused: u32 = gate.take_refused().values().sum();

    let inspector = redis.engine().inspector();
    until("every job to end", || async {
        inspector.counts(None).await.is_ok_and(|counts| counts.done == taken)
    })
    .await;
    println!("{taken} jobs, {refused} tries refused");
    assert!(refused as usize > REFUSALS.len() * times / 2, "{refused}");
    let runs = runs.lock().unwrap().clone();
    assert_eq!(runs.len() as u64, taken);
    assert_eq!(runs.into_iter().find(|(_, times)| *times != 1), None);
    worker.shutdown().await;
    maintenance.shutdown().await;
}

#[tokio::test]
async fn a_claim_that_failed_is_made_again_although_nobody_leaves_another_token() {
    let server = RedisServer::start().unwrap();
    let (gate, url) = Gate::open(&server).await;
    let engine = Engine::connect(EngineConfig::new(url)).await.unwrap();
    engine.client().enqueue_batch(vec![job("a")]).await.unwrap();
    // No token comes and no poll ends: the first look of the worker is the only one.
    *gate.unanswered.lock().unwrap() = Some("BLPOP");
    *gate.refused_once.lock().unwrap() = Some("_claim");
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let worker = engine.worker().queue(QueueName::default(), 1).handler("k", move |_| {
        tell.send(()).unwrap();
        async { Ok(()) }
    });
    let worker = worker.start().await.unwrap();

    within("the job to start", told.recv()).await.unwrap();

    let refused = gate.take_refused();
    assert!(refused.keys().any(|command| command.ends_with("_claim")), "{refused:?}");
    worker.shutdown().await;
}
