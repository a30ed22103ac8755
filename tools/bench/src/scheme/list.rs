//! Due members move to a list, and workers block on it: fast, and a worker that dies takes the job along.

use super::{Due, Job, Run, Scheme, wire};
use anyhow::Result;
use futures_util::future::try_join_all;
use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands, Script};
use std::time::Duration;

const DUE: &str = "list:due";
const READY: &str = "list:ready";
const POLL: Duration = Duration::from_millis(100);
const BATCH: usize = 100;
/// How long a worker blocks before it looks whether to stop, in seconds.
const BLOCK: f64 = 0.2;
const FORWARD: &str = "
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
if #due > 0 then
  redis.call('LPUSH', KEYS[2], unpack(due))
  redis.call('ZREM', KEYS[1], unpack(due))
end
return #due";

pub(crate) struct List {
    url: String,
    connection: MultiplexedConnection,
    forward: Script,
}

impl Scheme for List {
    async fn open(url: &str) -> Result<Self> {
        let connection = wire::connect(url).await?;
        Ok(Self { url: url.to_owned(), connection, forward: Script::new(FORWARD) })
    }

    async fn put(&self, jobs: &[Job]) -> Result<()> {
        let mut all = redis::pipe();
        for job in jobs {
            match Due::of(job) {
                Due::Now => all.lpush(READY, member(job)).ignore(),
                Due::At(ms) => all.zadd(DUE, member(job), ms).ignore(),
            };
        }
        Ok(all.query_async(&mut self.connection.clone()).await?)
    }

    async fn work(&self, run: Run) -> Result<()> {
        let consuming = try_join_all((0..run.concurrency).map(|_| self.consume(&run)));
        tokio::try_join!(consuming, self.forward_due(&run)).map(drop)
    }

    async fn cancel(&self, job: &Job) -> Result<Option<bool>> {
        let removed: usize = self.connection.clone().zrem(DUE, member(job)).await?;
        Ok(Some(removed == 1))
    }
}

impl List {
    async fn forward_due(&self, run: &Run) -> Result<()> {
        while !run.stop.is_cancelled() {
            let mut call = self.forward.key(DUE);
            call.key(READY).arg(wire::now_ms()).arg(BATCH);
            let moved: usize = call.invoke_async(&mut self.connection.clone()).await?;
            if moved < BATCH {
                run.stop.run_until_cancelled(tokio::time::sleep(POLL)).await;
            }
        }
        Ok(())
    }

    async fn consume(&self, run: &Run) -> Result<()> {
        let mut connection = wire::connect(&self.url).await?;
        while !run.stop.is_cancelled() {
            let popped: Option<(String, String)> = connection.brpop(READY, BLOCK).await?;
            if let Some((_, member)) = popped {
                run.record.handle(body(&member)).await;
            }
        }
        Ok(())
    }
}

fn member(job: &Job) -> String {
    format!("{}{}", job.id, job.payload)
}

fn body(member: &str) -> &[u8] {
    member.find('{').map_or(&[], |at| &member.as_bytes()[at..])
}
