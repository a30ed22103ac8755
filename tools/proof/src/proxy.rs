//! A link between a process and Redis, on which everything can go wrong that a network can do.

use anyhow::Result;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What is read at once; a trickle passes on less.
const CHUNK: usize = 16 * 1_024;
/// Bytes that a trickle passes on at once, and how long it waits before.
const TRICKLE: (usize, Duration) = (64, Duration::from_millis(4));

/// How a link treats what passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As a network should.
    Pass,
    /// Nothing passes, nothing is lost: packets wait.
    Hold,
    /// All bytes of both directions are swallowed, and nobody is told.
    Swallow,
    /// Requests pass, replies are swallowed.
    SwallowReplies,
    /// A few bytes at a time.
    Trickle,
}

/// One link: listens for one process, and connects on to one server.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    shared: Arc<Shared>,
    address: SocketAddr,
}

#[derive(Debug)]
struct Shared {
    target: SocketAddr,
    mode: watch::Sender<Mode>,
    /// Ends all connections of today; those to come get a new one.
    cut: Mutex<CancellationToken>,
    replies_to_drop: AtomicU32,
    /// Bytes that passed, so that a fault can tell whether it hit anything.
    bytes: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Requests,
    Replies,
}

impl Link {
    pub(crate) async fn open(target: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            target,
            mode: watch::Sender::new(Mode::Pass),
            cut: Mutex::default(),
            replies_to_drop: AtomicU32::new(0),
            bytes: AtomicU64::new(0),
        });
        tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { shared, address })
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://{}/", self.address)
    }

    /// Goes on in that way. What was swallowed is missing for ever, so those connections end with the swallowing.
    pub(crate) fn set(&self, mode: Mode) {
        let before = self.shared.mode.send_replace(mode);
        if matches!(before, Mode::Swallow | Mode::SwallowReplies) && mode == Mode::Pass {
            self.reset();
        }
    }

    /// Ends all connections at once.
    pub(crate) fn reset(&self) {
        let mut cut = self.shared.cut.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *cut).cancel();
    }

    /// Loses the next reply, whichever it is, and the connection it came on: what was asked for has been done.
    pub(crate) fn drop_next_reply(&self) {
        self.shared.replies_to_drop.fetch_add(1, Ordering::Relaxed);
    }

    /// Replies that were to be dropped and have not come yet.
    pub(crate) fn forget_drops(&self) {
        self.shared.replies_to_drop.store(0, Ordering::Relaxed);
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed)
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((near, _)) = listener.accept().await {
        let cut = shared.cut.lock().unwrap_or_else(PoisonError::into_inner).clone();
        tokio::spawn(connect(near, Arc::clone(&shared), cut));
    }
}

async fn connect(near: TcpStream, shared: Arc<Shared>, cut: CancellationToken) {
    // A client that the server refuses is refused by us.
    let Ok(far) = TcpStream::connect(shared.target).await else { return };
    for stream in [&near, &far] {
        drop(stream.set_nodelay(true));
        // Closed by a reset: a peer that writes into it is told at once.
        drop(stream.set_zero_linger());
    }
    let (near_read, near_write) = near.into_split();
    let (far_read, far_write) = far.into_split();
    let requests = pump(near_read, far_write, &shared, Direction::Requests);
    let replies = pump(far_read, near_write, &shared, Direction::Replies);
    tokio::select! {
        () = requests => {}
        () = replies => {}
        () = cut.cancelled() => {}
    }
}

async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, shared: &Shared, direction: Direction) {
    let mut modes = shared.mode.subscribe();
    let mut buffer = vec![0; CHUNK];
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else { return };
        let bytes = &buffer[..count];
        if modes.wait_for(|mode| *mode != Mode::Hold).await.is_err() {
            return;
        }
        let mode = *modes.borrow_and_update();
        let swallowed =
            mode == Mode::Swallow || mode == Mode::SwallowReplies && direction == Direction::Replies;
        if swallowed {
            continue;
        }
        if direction == Direction::Replies && take_one(&shared.replies_to_drop) {
            // The connection ends with its pump.
            return;
        }
        shared.bytes.fetch_add(u64::try_from(count).unwrap_or_default(), Ordering::Relaxed);
        let written = match mode {
            Mode::Trickle => trickle(&mut to, bytes).await,
            _ => to.write_all(bytes).await,
        };
        if written.is_err() {
            return;
        }
    }
}

fn take_one(count: &AtomicU32) -> bool {
    count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
}

async fn trickle(to: &mut OwnedWriteHalf, bytes: &[u8]) -> std::io::Result<()> {
    for part in bytes.chunks(TRICKLE.0) {
        tokio::time::sleep(TRICKLE.1).await;
        to.write_all(part).await?;
    }
    Ok(())
}
