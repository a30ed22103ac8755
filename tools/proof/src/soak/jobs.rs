//! A producer of jobs over the HTTP API, and the receiver of the webhooks that deliver them.

use super::program::Site;
use super::times::Times;
use crate::sink::wall_ms;
use anyhow::Result;
use rand::Rng;
use serde_json::{Value, json};
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How often jobs are sent.
pub(super) const BATCH_EVERY: Duration = Duration::from_millis(200);
/// Longest delay of a job, in ms.
const DELAY_MS_MAX: u64 = 10_000;
/// One of so many jobs is cancelled before it is due.
const CANCEL_ONE_OF: u64 = 10;

/// What became of the jobs.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    enqueued: AtomicU64,
    cancelled: AtomicU64,
    /// Requests of the producer that failed.
    failed: AtomicU64,
    started: AtomicU64,
    /// From due to start, as the receiver sees it.
    pub(super) lag: Times,
}

impl fmt::Display for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [enqueued, started, cancelled, failed] =
            [&self.enqueued, &self.started, &self.cancelled, &self.failed]
                .map(|count| count.load(Ordering::Relaxed));
        write!(f, "{enqueued} enqueued, {started} started, {cancelled} cancelled; {failed} requests failed")
    }
}

#[derive(Debug)]
pub(super) struct Producer {
    site: Site,
    /// Jobs of a batch; may be a fraction.
    per_batch: f64,
    owed: f64,
    number: u64,
    jobs: Arc<Jobs>,
}

impl Producer {
    pub(super) fn new(site: Site, rate: u32, jobs: Arc<Jobs>) -> Self {
        Self { site, per_batch: f64::from(rate) * BATCH_EVERY.as_secs_f64(), owed: 0.0, number: 0, jobs }
    }

    /// Enqueues a batch, and cancels some jobs.
    pub(super) fn send(&mut self) {
        let mut batch = Vec::new();
        self.owed += self.per_batch;
        while self.owed >= 1.0 {
            self.owed -= 1.0;
            self.number += 1;
            batch.push(job(self.number));
        }
        let numbers = self.number - batch.len() as u64 + 1..=self.number;
        let count = batch.len() as u64;
        self.post("/api/v1/jobs", &Value::from(batch).to_string(), &self.jobs.enqueued, count);
        for number in numbers.filter(|number| number.is_multiple_of(CANCEL_ONE_OF)) {
            self.post(&format!("/api/v1/jobs/soak-{number}/cancel"), "{}", &self.jobs.cancelled, 1);
        }
    }

    /// Sends a request, and counts what it did.
    fn post(&self, path: &str, body: &str, done: &AtomicU64, count: u64) {
        match self.site.call("POST", path, body) {
            Ok(answer) if answer.status < 300 => done.fetch_add(count, Ordering::Relaxed),
            _ => self.jobs.failed.fetch_add(1, Ordering::Relaxed),
        };
    }
}

fn job(number: u64) -> Value {
    let delay_ms = rand::rng().random_range(0..DELAY_MS_MAX);
    let kind = ["soak.mail", "soak.delete", "soak.notice"][usize::try_from(number % 3).unwrap_or_default()];
    json!({
        "id": format!("soak-{number}"),
        "kind": kind,
        "queue": if number.is_multiple_of(4) { "mail" } else { "default" },
        "subject": format!("resource:{}", number % 1_000),
        "delay_ms": delay_ms,
        "tags": ["soak"],
        "payload": { "resource": number, "to": "somebody@example.org", "text": "that was to be told at this time" },
    })
}

/// Receives webhooks until this process ends. Returns where.
pub(super) fn receive(jobs: &Arc<Jobs>) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let jobs = Arc::clone(jobs);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let jobs = Arc::clone(&jobs);
            // A sender that goes away in the middle of a request is the program, ending.
            std::thread::spawn(move || drop(receive_one(stream, &jobs)));
        }
    });
    Ok(address)
}

/// One delivery a connection: one that the program keeps open would count as a handle left at the end.
fn receive_one(stream: TcpStream, jobs: &Jobs) -> Result<()> {
    let mut stream = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    while stream.read_line(&mut line)? > 2 {
        if let Some(number) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = number.trim().parse()?;
        }
        line.clear();
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let job: Value = serde_json::from_slice(&body)?;
    let late_ms = wall_ms() - job["due_ms"].as_i64().unwrap_or_default();
    jobs.lag.add(Duration::from_millis(u64::try_from(late_ms).unwrap_or_default()));
    jobs.started.fetch_add(1, Ordering::Relaxed);
    stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")?;
    Ok(())
}
