//! delayq's model, in its keys: a sorted set in whole seconds, a ticker, a ready list, bodies apart, and a set of
//! what runs. At least once by the time to run; a second of delay is the unit.

use super::{Job, Run, Scheme, wire};
use crate::protocol::now_us;
use anyhow::Result;
use futures_util::future::try_join_all;
use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands, Script};
use std::time::Duration;

const DUE: &str = "delayq:dq:bench";
const BODIES: &str = "delayq:jp:bench";
const READY: &str = "delayq:rq:bench";
const RUNNING: &str = "delayq:process:bench";
const TICK: Duration = Duration::from_secs(1);
const BATCH: usize = 100;
const TIME_TO_RUN_SECONDS: i64 = 30;
/// How long a worker blocks before it looks whether to stop, in seconds.
const BLOCK: f64 = 0.2;
const FORWARD: &str = "
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
if #due > 0 then
  redis.call('LPUSH', KEYS[2], unpack(due))
  redis.call('ZREM', KEYS[1], unpack(due))
end
return #due";

pub(crate) struct Delayq {
    url: String,
    connection: MultiplexedConnection,
    forward: Script,
}

impl Scheme for Delayq {
    async fn open(url: &str) -> Result<Self> {
        let connection = wire::connect(url).await?;
        Ok(Self { url: url.to_owned(), connection, forward: Script::new(FORWARD) })
    }

    async fn put(&self, jobs: &[Job]) -> Result<()> {
        let mut both = redis::pipe();
        both.atomic();
        for job in jobs {
            let due = job.due_us.unwrap_or_else(now_us) / 1_000_000;
            both.hset(BODIES, &job.id, &job.payload).ignore();
            both.zadd(DUE, &job.id, due).ignore();
        }
        Ok(both.query_async(&mut self.connection.clone()).await?)
    }

    async fn work(&self, run: Run) -> Result<()> {
        let consuming = try_join_all((0..run.concurrency).map(|_| self.consume(&run)));
        tokio::try_join!(consuming, self.tick(&run)).map(drop)
    }

    async fn cancel(&self, job: &Job) -> Result<Option<bool>> {
        let mut both = redis::pipe();
        both.atomic().zrem(DUE, &job.id).hdel(BODIES, &job.id).ignore();
        let (removed,): (usize,) = both.query_async(&mut self.connection.clone()).await?;
        Ok(Some(removed == 1))
    }
}

impl Delayq {
    async fn tick(&self, run: &Run) -> Result<()> {
        while !run.stop.is_cancelled() {
            let mut call = self.forward.key(DUE);
            call.key(READY).arg(now_us() / 1_000_000).arg(BATCH);
            let moved: usize = call.invoke_async(&mut self.connection.clone()).await?;
            if moved < BATCH {
                run.stop.run_until_cancelled(tokio::time::sleep(TICK)).await;
            }
        }
        Ok(())
    }

    async fn consume(&self, run: &Run) -> Result<()> {
        let mut connection = wire::connect(&self.url).await?;
        while !run.stop.is_cancelled() {
            let popped: Option<(String, String)> = connection.brpop(READY, BLOCK).await?;
            let Some((_, id)) = popped else { continue };
            let until = now_us() / 1_000_000 + TIME_TO_RUN_SECONDS;
            let mut take = redis::pipe();
            take.zadd(RUNNING, &id, until).ignore().hget(BODIES, &id);
            let (payload,): (Option<Vec<u8>>,) = take.query_async(&mut connection).await?;
            if let Some(payload) = payload {
                run.record.handle(&payload).await;
            }
            let mut end = redis::pipe();
            end.zrem(RUNNING, &id).ignore().hdel(BODIES, &id).ignore();
            end.exec_async(&mut connection).await?;
        }
        Ok(())
    }
}
