//! Open tabs: some read what they are told, come and go; some never read.

use crate::bed::here;
use crate::http;
use anyhow::{Result, ensure};
use rand::Rng as _;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What a stalled tab leaves room for, in bytes: it is to be noticed soon.
const STALLED_BUFFER: u32 = 4 * 1024;
/// How long a stalled tab is looked away from.
const STALLED_FOR: Duration = Duration::from_secs(180);
/// After a refusal or an end.
const COME_BACK: Range<u64> = 1_000..3_000;

/// What all tabs together saw.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) opened: AtomicU64,
    /// 503 or 429.
    pub(crate) refused: AtomicU64,
    /// Any other answer, or none.
    pub(crate) failed: AtomicU64,
    pub(crate) messages: AtomicU64,
    pub(crate) bytes: AtomicU64,
    /// Streams the server ended while their tab read.
    pub(crate) ended: AtomicU64,
    /// Tabs that did not read and were cut.
    pub(crate) cut: AtomicU64,
    /// Tabs that did not read and were not.
    pub(crate) kept: AtomicU64,
    /// Tabs that are open and have heard of the last job, or that they should read anew.
    pub(crate) up_to_date: AtomicU64,
}

/// Tabs of one person.
#[derive(Debug, Clone)]
pub(crate) struct Tabs {
    address: SocketAddr,
    session: Arc<str>,
    pub(crate) seen: Arc<Seen>,
    tasks: TaskTracker,
    runtime: Handle,
    stop: CancellationToken,
}

/// The id of the job that ends a run, as it stands in a message.
pub(crate) const LAST: &str = "soak-the-last-one";

impl Tabs {
    /// Their tabs, which live on that runtime.
    pub(crate) fn of(address: SocketAddr, session: &str, runtime: &Handle) -> Self {
        Self {
            address,
            session: session.into(),
            seen: Arc::default(),
            tasks: TaskTracker::new(),
            runtime: runtime.clone(),
            stop: CancellationToken::new(),
        }
    }

    /// Keeps so many open, each for a time out of `lasts`, one after the other.
    pub(crate) fn open(&self, count: u32, lasts: &Range<Duration>) {
        for _ in 0..count {
            let (tabs, lasts) = (self.clone(), lasts.clone());
            self.spawn(async move {
                loop {
                    let lasting = rand::rng().random_range(lasts.clone());
                    if tabs.live(lasting).await.is_err() {
                        tabs.come_back().await;
                    }
                }
            });
        }
    }

    /// Keeps so many open that never read.
    pub(crate) fn open_stalled(&self, count: u32) {
        for _ in 0..count {
            let tabs = self.clone();
            self.spawn(async move {
                loop {
                    if tabs.stalled().await.is_err() {
                        tabs.come_back().await;
                    }
                }
            });
        }
    }

    /// Closes all of them.
    pub(crate) async fn close(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn spawn(&self, tab: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        self.tasks.spawn_on(async move { stop.run_until_cancelled(tab).await }, &self.runtime);
    }

    async fn come_back(&self) {
        let wait = rand::rng().random_range(COME_BACK);
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }

    fn request(&self) -> String {
        let headers = format!("Cookie: rp={}\r\nAccept: text/event-stream\r\n", self.session);
        http::text("GET", "/events", &headers, "")
    }

    /// One that reads, as long as it lasts; an error if it was ended or refused.
    async fn live(&self, lasting: Duration) -> Result<()> {
        let reading = async {
            let mut stream = http::connect(here(), self.address).await?;
            stream.write_all(self.request().as_bytes()).await?;
            self.opened(&mut stream).await?;
            self.read(&mut stream).await?;
            self.seen.ended.fetch_add(1, Ordering::Relaxed);
            anyhow::bail!("it was ended")
        };
        tokio::time::timeout(lasting, reading).await.unwrap_or(Ok(()))
    }

    /// Reads the beginning of the answer.
    async fn opened(&self, stream: &mut TcpStream) -> Result<()> {
        let mut status = [0; 12];
        let read = stream.read_exact(&mut status).await;
        match (read, &status[9..]) {
            (Ok(_), b"200") => self.seen.opened.fetch_add(1, Ordering::Relaxed),
            (Ok(_), b"503" | b"429") => self.seen.refused.fetch_add(1, Ordering::Relaxed),
            _ => self.seen.failed.fetch_add(1, Ordering::Relaxed),
        };
        ensure!(&status[9..] == b"200", "it was refused");
        Ok(())
    }

    /// Reads to the end, and keeps in mind whether the last job was told of.
    async fn read(&self, stream: &mut TcpStream) -> Result<()> {
        let mut heard = Heard { seen: Arc::clone(&self.seen), last: false, before: Vec::new() };
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let count = stream.read(&mut buffer).await?;
            if count == 0 {
                return Ok(());
            }
            heard.hear(&buffer[..count]);
        }
    }

    /// One that does not read; an error if it could not be opened.
    async fn stalled(&self) -> Result<()> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(STALLED_BUFFER)?;
        let mut stream = socket.connect(self.address).await?;
        stream.write_all(self.request().as_bytes()).await?;
        self.opened(&mut stream).await?;
        tokio::time::sleep(STALLED_FOR).await;
        // What lies in between is taken now; then it goes on, or it was cut.
        let draining = async {
            let mut buffer = vec![0; 64 * 1024];
            while stream.read(&mut buffer).await.is_ok_and(|count| count > 0) {}
        };
        let cut = tokio::time::timeout(Duration::from_secs(5), draining).await.is_ok();
        let count = if cut { &self.seen.cut } else { &self.seen.kept };
        count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// What one tab heard.
struct Heard {
    seen: Arc<Seen>,
    /// Whether it heard of the last job, and nothing less has come since.
    last: bool,
    /// The end of what came before, in which a word may have begun.
    before: Vec<u8>,
}

impl Heard {
    fn hear(&mut self, bytes: &[u8]) {
        self.seen.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.before.extend_from_slice(bytes);
        let text = String::from_utf8_lossy(&self.before);
        let messages = String::from_utf8_lossy(bytes).matches("event: ").count() as u64;
        self.seen.messages.fetch_add(messages, Ordering::Relaxed);
        if !self.last && text.contains(LAST) {
            self.last = true;
            self.seen.up_to_date.fetch_add(1, Ordering::Relaxed);
        }
        let keep = self.before.len().saturating_sub(LAST.len());
        self.before.drain(..keep);
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        if self.last {
            self.seen.up_to_date.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
