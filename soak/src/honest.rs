//! Honest visitors: a page and a call of the API now and then, timed from threads that do nothing else.
//!
//! Whatever else this process does would be part of their times otherwise.

use crate::bed::{Bed, here};
use crate::figures::Times;
use crate::http::{self, Answer, PATIENCE};
use anyhow::{Result, ensure};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a page or a call may take, in ms, for 99 of 100.
pub(crate) const PAGE_MS_MAX: f64 = 500.0;
/// What people look at, in turn.
const PAGES: [&str; 3] = ["/", "/jobs/delay", "/jobs/done"];
/// What programs ask for, in turn.
const CALLS: [&str; 2] = ["/api/v1/queues", "/api/v1/jobs?state=delay&size=50"];

/// How they fared.
#[derive(Debug, Default)]
pub(crate) struct Fared {
    pub(crate) pages: Times,
    pub(crate) calls: Times,
    /// No answer, or another than 200. Each counts as the longest wait besides.
    pub(crate) failed: AtomicU64,
    first: std::sync::Mutex<Option<String>>,
}

impl Fared {
    fn note(&self, times: &Times, outcome: Result<Duration>) {
        match outcome {
            Ok(took) => times.add(took),
            Err(why) => {
                times.add(PATIENCE);
                self.failed.fetch_add(1, Ordering::Relaxed);
                let mut first = self.first.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                first.get_or_insert_with(|| why.to_string());
            }
        }
    }

    /// What went wrong first.
    pub(crate) fn first_failure(&self) -> Option<String> {
        self.first.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Begins to count anew.
    pub(crate) fn forget(&self) {
        self.pages.forget();
        self.calls.forget();
        self.failed.store(0, Ordering::Relaxed);
    }
}

/// The threads of the honest.
pub(crate) struct Honest {
    pub(crate) fared: Arc<Fared>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Honest {
    /// Starts them; each comes so often.
    pub(crate) fn start(bed: &Bed, session: &str, every: Duration) -> Self {
        let (fared, stop): (Arc<Fared>, Arc<AtomicBool>) = Default::default();
        let cookie = format!("Cookie: rp={session}\r\nAccept: text/html\r\n");
        let mut threads = Vec::new();
        let kinds = [(&PAGES[..], cookie, true), (&CALLS[..], bed.headers(), false)];
        for (paths, headers, looks) in kinds {
            let requests: Vec<String> =
                paths.iter().map(|path| http::text("GET", path, &headers, "")).collect();
            let (fared, stop, address) = (Arc::clone(&fared), Arc::clone(&stop), bed.address);
            threads.push(std::thread::spawn(move || {
                for request in requests.iter().cycle() {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let began = Instant::now();
                    let times = if looks { &fared.pages } else { &fared.calls };
                    fared.note(times, ask(address, request));
                    std::thread::sleep(every.saturating_sub(began.elapsed()));
                }
            }));
        }
        Self { fared, stop, threads }
    }

    /// Ends them after what they are doing.
    pub(crate) fn stop(self) -> Arc<Fared> {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            // One that panicked has said so.
            drop(thread.join());
        }
        self.fared
    }
}

/// From the first packet to the last byte, on a connection of its own.
fn ask(address: SocketAddr, request: &str) -> Result<Duration> {
    let began = Instant::now();
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let took = began.elapsed();
    let answer = Answer::read(&bytes)?;
    ensure!(answer.status == 200, "{} from {}", answer.status, here());
    Ok(took)
}
