//! What the drivers in Rust share: the jobs of an order, and the record of what has started.

use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::Notify;

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

pub(crate) const PAYLOAD_BYTES: usize = 100;

#[derive(Debug, Deserialize)]
pub(crate) struct Load {
    pub(crate) count: usize,
    pub(crate) producers: usize,
    pub(crate) batch: usize,
    due_us: i64,
    step_us: i64,
}

impl Load {
    /// When job number `n` is due; 0 is now.
    pub(crate) fn due_us(&self, n: usize) -> i64 {
        if self.due_us > 0 { self.due_us + i64::try_from(n).unwrap_or(i64::MAX) * self.step_us } else { 0 }
    }
}

/// When jobs started: the first, the last, and how late each was.
#[derive(Default)]
pub(crate) struct Record {
    /// Handlers never return.
    hold: bool,
    starts: Mutex<(i64, i64, Vec<i64>)>,
    more: Notify,
}

impl Record {
    pub(crate) fn new(hold: bool) -> Self {
        Self { hold, ..Self::default() }
    }

    /// Notes that a job starts which was due then.
    pub(crate) async fn start(&self, due_us: i64) {
        let now = now_us();
        if let Ok(mut starts) = self.starts.lock() {
            if starts.2.is_empty() {
                starts.0 = now;
            }
            starts.1 = now;
            starts.2.push(now - due_us);
        }
        self.more.notify_one();
        if self.hold {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until that many have started, or the time is over.
    pub(crate) async fn wait(&self, count: usize, limit: Duration) -> Result<Value, Failure> {
        let enough = async {
            loop {
                let more = self.more.notified();
                if self.starts.lock().is_ok_and(|starts| starts.2.len() >= count) {
                    return;
                }
                more.await;
            }
        };
        tokio::time::timeout(limit, enough).await.ok();
        let (first, last, late) = std::mem::take(&mut *self.starts.lock().map_err(|_| "a handler panicked")?);
        Ok(json!({ "count": late.len(), "first_us": first, "last_us": last, "late_us": late }))
    }
}

/// This machine's clock.
pub(crate) fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
