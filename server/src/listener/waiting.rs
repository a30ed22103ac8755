//! Connections whose visitor we wait for. When places run short, who has kept us waiting longest gives up theirs.
//!
//! A client that behaves says at once what it wants, and is served from then on; an idle connection that is closed is opened
//! again by the browser without a word. So those who say little crowd out their own kind, and nobody else.

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio_util::sync::CancellationToken;

/// All that we wait for, the longest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting(Arc<Mutex<Queue>>);

#[derive(Debug, Default)]
struct Queue {
    next: u64,
    all: BTreeMap<u64, CancellationToken>,
}

impl Waiting {
    /// A new connection, which has said nothing yet.
    pub(super) fn seat(&self) -> Seat {
        let (end, place, requests, open) = Default::default();
        let seat = Inner { waiting: self.clone(), end, place, requests, open };
        let seat = Seat(Arc::new(seat));
        seat.0.wait(&mut lock(&seat.0.place));
        seat
    }

    /// Ends the one that we have waited for longest, if we wait for anybody.
    pub(super) fn crowd_out(&self) {
        if let Some((_, end)) = lock(&self.0).all.pop_first() {
            end.cancel();
        }
    }
}

/// One connection, as long as this lives.
#[derive(Debug, Clone)]
pub(super) struct Seat(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    waiting: Waiting,
    end: CancellationToken,
    place: Mutex<Place>,
    /// Requests whose headers have come.
    requests: AtomicU64,
    /// Those of them that have no whole answer yet.
    open: AtomicU64,
}

/// Where it stands.
#[derive(Debug, Default)]
struct Place {
    /// Its number among those we wait for.
    number: Option<u64>,
    /// Requests that are being answered.
    answering: usize,
}

impl Seat {
    /// Fires when others need the place more.
    pub(super) async fn crowded_out(&self) {
        self.0.end.cancelled().await;
    }

    /// A request has come, which is open as long as that lives.
    pub(super) fn open(&self) -> Open {
        self.0.requests.fetch_add(1, Ordering::Relaxed);
        self.0.open.fetch_add(1, Ordering::Relaxed);
        Open(Arc::clone(&self.0))
    }

    /// How many requests have come.
    pub(super) fn requests(&self) -> u64 {
        self.0.requests.load(Ordering::Relaxed)
    }

    /// Whether one is open: its body is on its way, or its answer.
    pub(super) fn is_open(&self) -> bool {
        self.0.open.load(Ordering::Relaxed) > 0
    }

    /// A request of it is being answered, as long as that lives.
    pub(super) fn answering(&self) -> Answering {
        let mut place = lock(&self.0.place);
        place.answering += 1;
        if let Some(number) = place.number.take() {
            lock(&self.0.waiting.0).all.remove(&number);
        }
        Answering(Arc::clone(&self.0))
    }
}

impl Inner {
    fn wait(&self, place: &mut Place) {
        let mut queue = lock(&self.waiting.0);
        let number = queue.next;
        queue.next += 1;
        queue.all.insert(number, self.end.clone());
        place.number = Some(number);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(number) = lock(&self.place).number {
            lock(&self.waiting.0).all.remove(&number);
        }
    }
}

/// A request without its whole answer.
#[derive(Debug)]
pub(super) struct Open(Arc<Inner>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Answering(Arc<Inner>);

impl Drop for Answering {
    fn drop(&mut self) {
        let mut place = lock(&self.0.place);
        place.answering -= 1;
        if place.answering == 0 {
            self.0.wait(&mut place);
        }
    }
}

/// The body of a request: until all of it is there, we wait for the visitor.
pub(super) struct Coming {
    body: Incoming,
    seat: Seat,
    /// Filled once it has come, for the answer.
    answering: Arc<Mutex<Option<Answering>>>,
}

impl Coming {
    pub(super) fn new(body: Incoming, seat: Seat) -> Self {
        let coming = Self { body, seat, answering: Arc::default() };
        coming.note_its_end(coming.body.is_end_stream());
        coming
    }

    /// What is filled once it has come.
    pub(super) fn answering(&self) -> Arc<Mutex<Option<Answering>>> {
        Arc::clone(&self.answering)
    }

    fn note_its_end(&self, ended: bool) {
        if ended {
            lock(&self.answering).get_or_insert_with(|| self.seat.answering());
        }
    }
}

impl HttpBody for Coming {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        self.note_its_end(matches!(frame, Poll::Ready(None)) || self.body.is_end_stream());
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer, with what says that it is being given.
pub(super) struct Going {
    body: Body,
    _answering: Answering,
    _open: Open,
}

impl Going {
    /// The answer to a request on that connection.
    pub(super) fn of(body: Body, coming: &Mutex<Option<Answering>>, seat: &Seat, open: Open) -> Body {
        // It may be refused before all of it was heard.
        let answering = lock(coming).take().unwrap_or_else(|| seat.answering());
        Body::new(Self { body, _answering: answering, _open: open })
    }
}

impl HttpBody for Going {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_waited_for_longest_goes_first_and_who_is_answered_not_at_all() {
        let waiting = Waiting::default();
        let seats: Vec<Seat> = (0..4).map(|_| waiting.seat()).collect();
        let ended = || seats.iter().map(|seat| seat.0.end.is_cancelled()).collect::<Vec<_>>();
        let (first, second) = (seats[0].answering(), seats[0].answering());

        waiting.crowd_out();
        assert_eq!(ended(), [false, true, false, false]);
        drop(first);
        waiting.crowd_out();
        assert_eq!(ended(), [false, true, true, false], "one of its requests is still being answered");
        drop(second);
        waiting.crowd_out();
        assert_eq!(ended(), [false, true, true, true], "it waits since a moment ago");
        waiting.crowd_out();
        assert_eq!(ended(), [true; 4]);
        waiting.crowd_out();

        let gone = waiting.seat();
        drop(gone);
        drop(seats);
        assert!(lock(&waiting.0).all.is_empty(), "nobody is remembered who has gone");
    }
}
