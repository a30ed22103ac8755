//! Connections: so many at once, and none that dawdles.
//!
//! Each step in which we wait for the visitor has its time: the handshake of TLS, the headers, the body, and the taking of
//! what we answer. A client that needs longer loses the connection; the others notice nothing of it.

mod handshakes;
mod heads;
mod line;
mod places;
mod unread;
mod waiting;

#[cfg(test)]
mod tests;

use crate::fd_limit;
use crate::middleware::client_ip::TrustedProxies;
use crate::timeouts::Timeouts;
use axum::Router;
use handshakes::Handshakes;
use places::{Place, Places};
use rustls::ServerConfig;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use waiting::{Seat, Waiting};

/// Out of file handles: waiting a little is better than spinning.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How often the log speaks of it.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// What the system keeps for a visitor who does not take it, in bytes; it allows itself twice as much. Left alone it goes up
/// to some megabytes, which hundreds of tabs that sleep would add up to gigabytes.
const SEND_BUFFER: u32 = 64 * 1024;
/// Visitors that the system keeps until we come to them.
const BACKLOG: u32 = 1_024;

/// Listens at an address.
///
/// # Errors
/// As the system says: another program may have it.
pub(crate) fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // So that a program that is started again gets its address back at once.
    socket.set_reuseaddr(true)?;
    // Every connection has it from here.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// A connection that was taken.
struct Visit {
    stream: TcpStream,
    peer: SocketAddr,
    place: Place,
    seat: Seat,
}

/// What comes in at one address, and how it is served.
pub(crate) struct Listener {
    tcp: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    timeouts: Timeouts,
    handshakes: Handshakes,
    waiting: Waiting,
    proxies: TrustedProxies,
    /// Connections at once.
    most: usize,
    /// When it was last said that none could be taken.
    told: Mutex<Option<Instant>>,
}

impl Listener {
    pub(crate) fn new(tcp: TcpListener, tls: Option<Arc<ServerConfig>>, router: Router) -> Self {
        let (tls, timeouts) = (tls.map(TlsAcceptor::from), Timeouts::default());
        let (handshakes, waiting, proxies, told) = Default::default();
        let most = fd_limit::connections_max();
        Self { tcp, tls, router, timeouts, handshakes, waiting, proxies, most, told }
    }

    /// An idle connection is kept for so long.
    pub(crate) const fn keeping_alive(mut self, idle: Duration) -> Self {
        self.timeouts.idle = idle;
        self
    }

    /// These bring many visitors from one address.
    pub(crate) fn behind(mut self, proxies: TrustedProxies) -> Self {
        self.proxies = proxies;
        self
    }

    /// Serves until `stop`, then lets answers under way finish.
    pub(crate) async fn serve(self, stop: CancellationToken) {
        let places = Places::new(self.most, self.proxies.clone());
        let connections = TaskTracker::new();
        let shared = Arc::new(self);
        while let Some(visit) = stop.run_until_cancelled(shared.next(&places)).await {
            let (shared, stop) = (Arc::clone(&shared), stop.clone());
            connections.spawn(async move {
                line::serve(&shared, visit.stream, visit.peer, visit.seat, &stop).await;
                drop(visit.place);
            });
        }
        connections.close();
        connections.wait().await;
    }

    async fn next(&self, places: &Places) -> Visit {
        loop {
            let free = places.free().await;
            let taken = self.tcp.accept().await;
            if taken.is_err() || places.run_short() {
                self.waiting.crowd_out();
            }
            match taken {
                Ok((stream, peer)) => {
                    // A client with more than its share is hung up on.
                    if let Some(place) = free.take(peer.ip()) {
                        // Seated before anything of it runs: on a busy machine all places may be taken by then, and who
                        // has no seat cannot be asked to leave.
                        return Visit { stream, peer, place, seat: self.waiting.seat() };
                    }
                }
                Err(why) => {
                    self.tell(&why);
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Says that a connection could not be taken, once a minute: ten lines a second would say no more.
    fn tell(&self, why: &std::io::Error) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|at| at.elapsed() >= TOLD_EVERY) {
            *told = Some(Instant::now());
            tracing::warn!("a connection could not be taken: {why}; it is tried again until one can");
        }
    }
}
