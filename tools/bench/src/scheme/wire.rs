//! What the hand-written schemes share: a connection, and the move of due members.

use super::Job;
use crate::protocol::now_us;
use anyhow::Result;
use redis::AsyncConnectionConfig;
use redis::aio::MultiplexedConnection;
use std::time::Duration;

/// Where a job goes.
pub(crate) enum Due {
    Now,
    /// ms since 1970.
    At(i64),
}

impl Due {
    pub(crate) const fn of(job: &Job) -> Self {
        match job.due_us {
            Some(due) => Self::At(due / 1_000),
            None => Self::Now,
        }
    }

    /// The score of a sorted set of due times.
    pub(crate) fn score(&self) -> i64 {
        match self {
            Self::Now => now_ms(),
            Self::At(ms) => *ms,
        }
    }
}

pub(crate) fn now_ms() -> i64 {
    now_us() / 1_000
}

/// A connection whose replies may take long: a full backlog is slow to fill.
pub(crate) async fn connect(url: &str) -> Result<MultiplexedConnection> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(Duration::from_secs(5)))
        .set_response_timeout(None);
    Ok(redis::Client::open(url)?.get_multiplexed_async_connection_with_config(&config).await?)
}
