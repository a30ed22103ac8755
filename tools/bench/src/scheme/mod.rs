//! The competitors that are Rust: Reprieve, and the schemes people write by hand.
//!
//! Each file is one scheme, written as one finds it in services, with what it lacks in its head.

mod delayq;
mod expiry;
mod limit;
mod list;
mod locked;
mod poll;
mod reprieve;
mod serve;
mod stream;
mod watch;
mod wire;

pub(crate) use serve::serve;
pub(crate) use wire::Due;

use crate::protocol::{due_in, now_us};
use anyhow::Result;
use std::future::Future;
use std::sync::Arc;
use std::sync::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// A job to be added.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) id: String,
    pub(crate) payload: String,
    /// µs; `None` is now.
    pub(crate) due_us: Option<i64>,
    pub(crate) subject: Option<String>,
}

/// A way to keep delayed jobs on Redis.
pub(crate) trait Scheme: Sized + Send + Sync + 'static {
    /// Connects, and makes what it needs.
    fn open(url: &str) -> impl Future<Output = Result<Self>> + Send;

    /// Adds jobs by one call.
    fn put(&self, jobs: &[Job]) -> impl Future<Output = Result<()>> + Send;

    /// Runs jobs until told to stop.
    fn work(&self, run: Run) -> impl Future<Output = Result<()>> + Send;

    /// Calls a job off. `false` when it was not there any more, `None` when the scheme cannot.
    fn cancel(&self, job: &Job) -> impl Future<Output = Result<Option<bool>>> + Send;

    /// Calls off all jobs of a subject; how many, or `None` when the scheme cannot.
    fn cancel_subject(&self, _subject: &str) -> impl Future<Output = Result<Option<usize>>> + Send {
        async { Ok(None) }
    }
}

/// One worker's life.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) concurrency: usize,
    pub(crate) record: Arc<Record>,
    pub(crate) stop: CancellationToken,
}

/// When jobs started, and how late.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Handlers never return.
    pub(crate) hold: bool,
    starts: Mutex<Starts>,
    more: Notify,
}

#[derive(Debug, Default)]
pub(crate) struct Starts {
    pub(crate) first_us: i64,
    pub(crate) last_us: i64,
    pub(crate) late_us: Vec<i64>,
}

impl Record {
    /// The handler of every scheme: it notes the time and does nothing.
    pub(crate) async fn handle(&self, payload: &[u8]) {
        let now = now_us();
        {
            let mut starts = self.starts();
            if starts.late_us.is_empty() {
                starts.first_us = now;
            }
            starts.last_us = now;
            starts.late_us.push(due_in(payload).map_or(0, |due| now - due));
        }
        self.more.notify_one();
        if self.hold {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until so many have started; takes what there is.
    pub(crate) async fn take(&self, count: usize) -> Starts {
        loop {
            let more = self.more.notified();
            if self.starts().late_us.len() >= count {
                return self.take_now();
            }
            more.await;
        }
    }

    pub(crate) fn take_now(&self) -> Starts {
        std::mem::take(&mut *self.starts())
    }

    fn starts(&self) -> std::sync::MutexGuard<'_, Starts> {
        self.starts.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The schemes by name, with what the table says of them.
pub(crate) const SCHEMES: &[(&str, &str)] = &[
    ("reprieve", "this engine, every feature on"),
    ("limit", "three minimal scripts: write, pop with lease, acknowledge in batches; no wake-up, 1 ms poll"),
    ("poll", "ZRANGEBYSCORE each second, ZREM says who won; lost when a worker dies"),
    ("locked", "ZSET polled each second, SET NX EX per item, removed when done"),
    ("watch", "WATCH, ZRANGEBYSCORE, MULTI ZREM EXEC per job; a connection per slot"),
    ("expiry", "SET PX and keyspace notifications; lost when nobody listens"),
    ("stream", "ZSET moved each 100 ms to a stream group; XREADGROUP, XACK, XDEL"),
    ("list", "ZSET moved each 100 ms to a list; BRPOP, no acknowledgement"),
    ("delayq", "delayq's model: whole seconds, ticker, ready list, job body, TTR set"),
];

/// Runs the driver of a scheme until its orders end.
pub(crate) async fn drive(name: &str) -> Result<()> {
    match name {
        "reprieve" => serve::<reprieve::Reprieve>().await,
        "limit" => serve::<limit::Limit>().await,
        "poll" => serve::<poll::Poll>().await,
        "locked" => serve::<locked::Locked>().await,
        "watch" => serve::<watch::Watch>().await,
        "expiry" => serve::<expiry::Expiry>().await,
        "stream" => serve::<stream::Stream>().await,
        "list" => serve::<list::List>().await,
        "delayq" => serve::<delayq::Delayq>().await,
        unknown => anyhow::bail!("there is no scheme {unknown:?}"),
    }
}
