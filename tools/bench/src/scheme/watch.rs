//! `WATCH`, look, `MULTI`, `ZREM`, `EXEC`: optimistic locking on the whole set.
//!
//! Every other change of the set, also a new job, makes a taker start over.

use super::{Due, Job, Run, Scheme, wire};
use anyhow::Result;
use futures_util::future::try_join_all;
use redis::AsyncCommands;
use redis::aio::MultiplexedConnection;
use std::time::Duration;

const DUE: &str = "watch:due";
const POLL: Duration = Duration::from_millis(100);

pub(crate) struct Watch {
    url: String,
    connection: MultiplexedConnection,
}

impl Scheme for Watch {
    async fn open(url: &str) -> Result<Self> {
        Ok(Self { url: url.to_owned(), connection: wire::connect(url).await? })
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
        try_join_all((0..run.concurrency).map(|_| self.slot(&run))).await.map(drop)
    }

    async fn cancel(&self, job: &Job) -> Result<Option<bool>> {
        let mut both = redis::pipe();
        both.atomic().zrem(DUE, &job.id).del(body(&job.id)).ignore();
        let (removed,): (usize,) = both.query_async(&mut self.connection.clone()).await?;
        Ok(Some(removed == 1))
    }
}

impl Watch {
    /// A watch belongs to a connection, so every slot has its own.
    async fn slot(&self, run: &Run) -> Result<()> {
        let mut connection = wire::connect(&self.url).await?;
        while !run.stop.is_cancelled() {
            redis::cmd("WATCH").arg(DUE).exec_async(&mut connection).await?;
            let due: Vec<String> = connection.zrangebyscore_limit(DUE, "-inf", wire::now_ms(), 0, 1).await?;
            let Some(id) = due.first() else {
                redis::cmd("UNWATCH").exec_async(&mut connection).await?;
                run.stop.run_until_cancelled(tokio::time::sleep(POLL)).await;
                continue;
            };
            let mut take = redis::pipe();
            take.atomic().zrem(DUE, id).ignore().get_del(body(id));
            // Nil: somebody changed the set in between.
            let taken: Option<(Option<Vec<u8>>,)> = take.query_async(&mut connection).await?;
            if let Some((Some(payload),)) = taken {
                run.record.handle(&payload).await;
            }
        }
        Ok(())
    }
}

fn body(id: &str) -> String {
    format!("watch:job:{id}")
}
