//! Jobs in, and jobs out: a producer over the HTTP API, and the receiver of the webhooks, which knows how late each comes.

use crate::bed::Bed;
use crate::figures::Times;
use anyhow::Result;
use rand::Rng as _;
use reprieve::model::{Delay, Kind};
use reprieve::{Due, Engine, NewJob};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

/// How late a job may start, in ms, for 99 of 100.
pub(crate) const LAG_MS_MAX: f64 = 1_000.0;
/// How often jobs are sent.
const BATCH_EVERY: Duration = Duration::from_millis(200);
/// Longest delay of a job.
const DELAY_MS_MAX: u64 = 10_000;
/// Of so many jobs one is called off before it is due.
const CALLED_OFF_OF: u64 = 10;
/// The kind of the jobs that are there to be looked through, and how many are enqueued at once.
pub(crate) const FILLED: &str = "later";
const BATCH: usize = 500;
/// Longest body of a webhook that is read.
const BODY_BYTES_MAX: usize = 1 << 20;

/// What became of the jobs.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub(crate) enqueued: AtomicU64,
    /// Requests of the producer that failed.
    pub(crate) refused: AtomicU64,
    pub(crate) started: AtomicU64,
    pub(crate) called_off: AtomicU64,
    /// From due to its start, as the receiver sees it.
    pub(crate) lag: Times,
}

/// Receives webhooks until `stop`.
pub(crate) async fn receive(listener: TcpListener, counted: Arc<Counted>, stop: CancellationToken) {
    while let Some(Ok((stream, _))) = stop.run_until_cancelled(listener.accept()).await {
        let counted = Arc::clone(&counted);
        let stop = stop.clone();
        // A sender that goes away in the middle of a request is the program, ending.
        tokio::spawn(async move { stop.run_until_cancelled(serve(stream, &counted)).await });
    }
}

/// Receives webhooks in a thread of its own: what else this process does would be part of their lag.
pub(crate) fn own_thread(counted: Arc<Counted>, stop: CancellationToken) -> Result<SocketAddr> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            if let Ok(listener) = TcpListener::from_std(listener) {
                receive(listener, counted, stop).await;
            }
        });
    });
    Ok(address)
}

async fn serve(stream: TcpStream, counted: &Counted) -> Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(number) = line.strip_prefix("content-length: ") {
                length = number.parse::<usize>()?;
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length.min(BODY_BYTES_MAX)];
        stream.read_exact(&mut body).await?;
        let job: Value = serde_json::from_slice(&body)?;
        let late_ms = now_ms().saturating_sub(job["due_ms"].as_u64().unwrap_or_default());
        counted.lag.add(Duration::from_millis(late_ms));
        counted.started.fetch_add(1, Ordering::Relaxed);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await?;
    }
}

/// Enqueues jobs until `stop`, and calls some of them off.
pub(crate) async fn produce(bed: Arc<Bed>, rate: u32, counted: Arc<Counted>, stop: CancellationToken) {
    let mut tick = tokio::time::interval(BATCH_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut number, mut owed) = (0_u64, 0.0);
    while stop.run_until_cancelled(tick.tick()).await.is_some() {
        owed += f64::from(rate) * BATCH_EVERY.as_secs_f64();
        let mut jobs = Vec::new();
        while owed >= 1.0 {
            owed -= 1.0;
            number += 1;
            jobs.push(job(number));
        }
        let count = jobs.len() as u64;
        match bed.call("POST", "/api/v1/jobs", &Value::from(jobs).to_string()).await {
            Ok(answer) if answer.status < 300 => counted.enqueued.fetch_add(count, Ordering::Relaxed),
            _ => counted.refused.fetch_add(1, Ordering::Relaxed),
        };
        if number % CALLED_OFF_OF < count {
            let path = format!("/api/v1/jobs/soak-{number}/cancel");
            if bed.call("POST", &path, "{}").await.is_ok_and(|answer| answer.status == 200) {
                counted.called_off.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// So many jobs of next week, each of which knows its number.
pub(crate) async fn fill(engine: &Engine, jobs: usize) -> Result<()> {
    let client = engine.client();
    let kind: Kind = FILLED.parse()?;
    let job = |number: usize| {
        let text = format!("{{\"number\":{number},\"text\":\"{}\"}}", "a".repeat(200));
        let mut job = NewJob::new(kind.clone(), text);
        job.due = Due::In(Delay::hours(100));
        job
    };
    for from in (0..jobs).step_by(BATCH) {
        client.enqueue_batch((from..jobs.min(from + BATCH)).map(job).collect()).await?;
    }
    Ok(())
}

fn job(number: u64) -> Value {
    let delay_ms = rand::rng().random_range(0..DELAY_MS_MAX);
    let kind = match number % 3 {
        0 => "soak.mail",
        1 => "soak.delete",
        _ => "soak.notice",
    };
    let queue = if number.is_multiple_of(4) { "mail" } else { "default" };
    json!({
        "id": format!("soak-{number}"),
        "kind": kind,
        "queue": queue,
        "subject": format!("resource:{}", number % 1_000),
        "delay_ms": delay_ms,
        "tags": ["soak"],
        "payload": { "resource": number, "to": "somebody@example.org", "text": "that was to be told at this time" },
    })
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or_default()
}
