//! A key per job that expires when the job is due, and a subscriber to Redis's notice of it.
//!
//! A notice nobody hears is lost, and Redis expires keys when it comes across them: late without a bound.

use super::{Job, Run, Scheme, wire};
use crate::protocol::now_us;
use anyhow::{Context, Result};
use futures_util::StreamExt;
use redis::AsyncCommands;
use redis::aio::MultiplexedConnection;
use std::sync::Arc;
use tokio::sync::Semaphore;

const TIMER: &str = "expiry:timer:";

pub(crate) struct Expiry {
    url: String,
    connection: MultiplexedConnection,
}

impl Scheme for Expiry {
    async fn open(url: &str) -> Result<Self> {
        let mut connection = wire::connect(url).await?;
        redis::cmd("CONFIG")
            .arg(&["SET", "notify-keyspace-events", "Ex"])
            .exec_async(&mut connection)
            .await?;
        Ok(Self { url: url.to_owned(), connection })
    }

    async fn put(&self, jobs: &[Job]) -> Result<()> {
        let mut all = redis::pipe();
        for job in jobs {
            let wait = job.due_us.map_or(1, |due| ((due - now_us()) / 1_000).max(1));
            all.set(body(&job.id), &job.payload).ignore();
            all.cmd("SET").arg(format!("{TIMER}{}", job.id)).arg("").arg("PX").arg(wait).ignore();
        }
        Ok(all.query_async(&mut self.connection.clone()).await?)
    }

    async fn work(&self, run: Run) -> Result<()> {
        let mut notices = redis::Client::open(self.url.as_str())?.get_async_pubsub().await?;
        notices.subscribe("__keyevent@0__:expired").await?;
        let mut expired = notices.into_on_message();
        let slots = Arc::new(Semaphore::new(run.concurrency));
        while let Some(notice) = run.stop.run_until_cancelled(expired.next()).await {
            let key: String = notice.context("the subscription ended")?.get_payload()?;
            let Some(id) = key.strip_prefix(TIMER) else { continue };
            let slot = Arc::clone(&slots).acquire_owned().await?;
            let (mut connection, record, body) = (self.connection.clone(), run.record.clone(), body(id));
            tokio::spawn(async move {
                let payload: redis::RedisResult<Option<Vec<u8>>> = connection.get_del(body).await;
                if let Ok(Some(payload)) = payload {
                    record.handle(&payload).await;
                }
                drop(slot);
            });
        }
        Ok(())
    }

    async fn cancel(&self, job: &Job) -> Result<Option<bool>> {
        let keys = [body(&job.id), format!("{TIMER}{}", job.id)];
        let removed: usize = self.connection.clone().del(&keys).await?;
        Ok(Some(removed == 2))
    }
}

fn body(id: &str) -> String {
    format!("expiry:job:{id}")
}
