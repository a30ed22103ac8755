//! Headers that have begun have to end: a connection may be idle for minutes, but a client that says something says it at
//! once.

use super::waiting::Seat;
use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A connection of HTTP/1 whose headers have a time to arrive: from its beginning for the first request, from their first
/// byte for each later one. What comes later is not read, as if the visitor had hung up.
pub(super) struct Heads<S> {
    stream: S,
    seat: Seat,
    timeouts: Duration,
    /// Fires when the headers that are on their way are late.
    late: Pin<Box<Sleep>>,
    /// How many requests had been read when the wait for those headers began; `None` while nothing is on its way.
    read_before: Option<u64>,
}

impl<S> Heads<S> {
    pub(super) fn new(stream: S, seat: Seat, timeouts: Duration) -> Self {
        let read_before = Some(seat.requests());
        Self { stream, seat, timeouts, late: Box::pin(sleep(timeouts)), read_before }
    }

    /// Headers are whole once their request has come.
    fn forget_what_has_come(&mut self) {
        if self.read_before.is_some_and(|before| before != self.seat.requests()) {
            self.read_before = None;
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Heads<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        this.forget_what_has_come();
        if this.read_before.is_some() && this.late.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        let filled = buffer.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
        // What comes while a request is open is its body.
        if buffer.filled().len() > filled && this.read_before.is_none() && !this.seat.is_open() {
            this.read_before = Some(this.seat.requests());
            this.late.as_mut().reset(Instant::now() + this.timeouts);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Heads<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
