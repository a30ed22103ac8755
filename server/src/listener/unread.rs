//! A stream whose other end must take what it is sent, or lose it.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Fails a write of which nothing was taken for too long. Without it an answer that nobody reads is kept for ever.
pub(super) struct Unread<S> {
    stream: S,
    longest: Duration,
    /// Runs while the stream takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Unread<S> {
    pub(super) const fn new(stream: S, longest: Duration) -> Self {
        Self { stream, longest, stalled: None }
    }

    /// Watches the time over one attempt to write.
    fn watch<T>(&mut self, cx: &mut Context<'_>, attempt: Poll<Result<T>>) -> Poll<Result<T>> {
        if attempt.is_ready() {
            self.stalled = None;
            return attempt;
        }
        let longest = self.longest;
        ready!(self.stalled.get_or_insert_with(|| Box::pin(sleep(longest))).as_mut().poll(cx));
        Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "nobody takes what is sent")))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Unread<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let attempt = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(cx, attempt)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let attempt = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.watch(cx, attempt)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let attempt = Pin::new(&mut self.stream).poll_flush(cx);
        self.watch(cx, attempt)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let attempt = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.watch(cx, attempt)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Unread<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    #[tokio::test]
    async fn a_client_that_takes_nothing_loses_it_and_one_that_takes_a_little_does_not() {
        let (ours, mut theirs) = duplex(16);
        let mut ours = Unread::new(ours, Duration::from_secs(2));
        let slowly = async {
            for _ in 0..4 {
                theirs.read_exact(&mut [0; 16]).await.unwrap();
                // Waited for, because time is what this is about; four times make more than the limit.
                sleep(Duration::from_millis(600)).await;
            }
        };
        let (sent, ()) = tokio::join!(ours.write_all(&[1; 64]), slowly);
        sent.unwrap();
        ours.write_all(&[1; 16]).await.unwrap();
        assert_eq!(ours.write_all(&[1]).await.unwrap_err().kind(), ErrorKind::TimedOut);
    }
}
