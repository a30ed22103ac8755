//! `ZSET` polled each second, a lock per item, removed once done: at least once, if the lock outlives the work.
//!
//! Two workers find the same members and fight for each by `SET NX`.

use super::{Due, Job, Run, Scheme, wire};
use anyhow::Result;
use futures_util::stream::{self, TryStreamExt};
use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands, SetExpiry, SetOptions};
use std::time::Duration;

const DUE: &str = "locked:due";
const POLL: Duration = Duration::from_secs(1);
const PAGE: isize = 100;
const LOCK_SECONDS: u64 = 30;

pub(crate) struct Locked {
    connection: MultiplexedConnection,
}

impl Scheme for Locked {
    async fn open(url: &str) -> Result<Self> {
        Ok(Self { connection: wire::connect(url).await? })
    }

    async fn put(&self, jobs: &[Job]) -> Result<()> {
        let mut both = redis::pipe();
        both.atomic();
        for job in jobs {
            both.set(body(&job.id), &job.payload).ignore();
            both.zadd(DUE, &job.id, Due::of(job).score()).ignore();
        }
        Ok(both.query_async(&mut self.connection.clone()).await?)
    }

    async fn work(&self, run: Run) -> Result<()> {
        while !run.stop.is_cancelled() {
            let mut connection = self.connection.clone();
            let due: Vec<String> =
                connection.zrangebyscore_limit(DUE, "-inf", wire::now_ms(), 0, PAGE).await?;
            if due.is_empty() {
                run.stop.run_until_cancelled(tokio::time::sleep(POLL)).await;
                continue;
            }
            stream::iter(due.into_iter().map(anyhow::Ok))
                .try_for_each_concurrent(run.concurrency, |id| self.one(id, &run))
                .await?;
        }
        Ok(())
    }

    async fn cancel(&self, job: &Job) -> Result<Option<bool>> {
        let mut both = redis::pipe();
        both.atomic().zrem(DUE, &job.id).del(body(&job.id)).ignore();
        let (removed,): (usize,) = both.query_async(&mut self.connection.clone()).await?;
        Ok(Some(removed == 1))
    }
}

impl Locked {
    async fn one(&self, id: String, run: &Run) -> Result<()> {
        let mut connection = self.connection.clone();
        let lock = format!("locked:lock:{id}");
        let options = SetOptions::default()
            .conditional_set(redis::ExistenceCheck::NX)
            .with_expiration(SetExpiry::EX(LOCK_SECONDS));
        let mine: Option<String> = connection.set_options(&lock, "1", options).await?;
        if mine.is_none() {
            return Ok(());
        }
        let payload: Option<Vec<u8>> = connection.get(body(&id)).await?;
        if let Some(payload) = payload {
            run.record.handle(&payload).await;
        }
        let mut end = redis::pipe();
        end.atomic().zrem(DUE, &id).ignore().del(body(&id)).ignore().del(&lock).ignore();
        Ok(end.query_async(&mut connection).await?)
    }
}

fn body(id: &str) -> String {
    format!("locked:job:{id}")
}
