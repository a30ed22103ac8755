//! Open tabs: some read their live events, come and go; some never read.

use super::http;
use anyhow::{Result, bail, ensure};
use rand::Rng;
use std::fmt;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a tab that reads stays open.
const OPEN_FOR: Range<Duration> = Duration::from_secs(30)..Duration::from_secs(600);
/// How long a tab does not read. The server is to cut it before that.
const STALLED_FOR: Duration = Duration::from_secs(180);
/// What such a tab has room for, in bytes: little, so that the server notices soon.
const STALLED_BUFFER: u32 = 4 * 1024;
/// How long a tab waits after a refusal or a cut.
const COME_BACK: Range<Duration> = Duration::from_secs(1)..Duration::from_secs(3);

/// What all tabs together saw.
#[derive(Debug, Default)]
pub(super) struct Seen {
    opened: AtomicU64,
    /// Another answer than 200, or none.
    refused: AtomicU64,
    bytes: AtomicU64,
    /// Streams that the server ended although their tab read.
    ended: AtomicU64,
    /// Tabs that did not read and were cut.
    cut: AtomicU64,
    /// Tabs that did not read and were not cut.
    not_cut: AtomicU64,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { opened, refused, bytes, ended, cut, not_cut } = self;
        let [opened, refused, bytes, ended, cut, not_cut] =
            [opened, refused, bytes, ended, cut, not_cut].map(|count| count.load(Ordering::Relaxed));
        let mb = bytes >> 20;
        write!(f, "{opened} opened, {refused} refused; {mb} MB read, {ended} ended while they read; ")?;
        write!(f, "of those that never read {cut} cut, {not_cut} not")
    }
}

pub(super) struct Tabs {
    pub(super) seen: Arc<Seen>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Tabs {
    /// Keeps so many open for one person, of which so many never read.
    pub(super) fn open(address: SocketAddr, session: &str, count: u32, stalled: u32) -> Self {
        let tabs = Self { seen: Arc::default(), tasks: TaskTracker::new(), stop: CancellationToken::new() };
        let headers = format!("{}Accept: text/event-stream\r\n", http::cookie_header(session));
        let request = Arc::from(http::request("GET", "/events", &headers, ""));
        let tab = Tab { address, request, seen: Arc::clone(&tabs.seen) };
        for number in 0..count {
            let (tab, stop) = (tab.clone(), tabs.stop.clone());
            tabs.tasks.spawn(async move { stop.run_until_cancelled(tab.live(number < stalled)).await });
        }
        tabs
    }

    pub(super) async fn close(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

#[derive(Clone)]
struct Tab {
    address: SocketAddr,
    request: Arc<str>,
    seen: Arc<Seen>,
}

impl Tab {
    /// Opens it again and again.
    async fn live(self, stalled: bool) {
        loop {
            let ended = if stalled {
                self.stall().await
            } else {
                let lasts = rand::rng().random_range(OPEN_FOR);
                tokio::time::timeout(lasts, self.read()).await.unwrap_or(Ok(()))
            };
            if ended.is_err() {
                let wait = rand::rng().random_range(COME_BACK);
                tokio::time::sleep(wait).await;
            }
        }
    }

    async fn open(&self, socket: TcpSocket) -> Result<TcpStream> {
        let opening = async {
            let mut stream = socket.connect(self.address).await?;
            stream.write_all(self.request.as_bytes()).await?;
            let mut status = [0; 12];
            stream.read_exact(&mut status).await?;
            ensure!(status.ends_with(b" 200"), "refused");
            Ok(stream)
        };
        let opened = opening.await;
        let count = if opened.is_ok() { &self.seen.opened } else { &self.seen.refused };
        count.fetch_add(1, Ordering::Relaxed);
        opened
    }

    /// Reads until the server ends it, which is an error.
    async fn read(&self) -> Result<()> {
        let mut stream = self.open(TcpSocket::new_v4()?).await?;
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let count = stream.read(&mut buffer).await.unwrap_or(0);
            if count == 0 {
                self.seen.ended.fetch_add(1, Ordering::Relaxed);
                bail!("ended");
            }
            self.seen.bytes.fetch_add(count as u64, Ordering::Relaxed);
        }
    }

    /// Does not read for a while; an error if it could not be opened.
    async fn stall(&self) -> Result<()> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(STALLED_BUFFER)?;
        let mut stream = self.open(socket).await?;
        tokio::time::sleep(STALLED_FOR).await;
        // What was on its way is read now; then the stream goes on, or it was cut.
        let draining = async {
            let mut buffer = vec![0; 64 * 1024];
            while stream.read(&mut buffer).await.is_ok_and(|count| count > 0) {}
        };
        let cut = tokio::time::timeout(Duration::from_secs(5), draining).await.is_ok();
        let count = if cut { &self.seen.cut } else { &self.seen.not_cut };
        count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}
