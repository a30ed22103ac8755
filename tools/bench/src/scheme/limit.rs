//! The limit: three minimal scripts and no feature at all. What is slower than this pays for something.
//!
//! No wake-up, no events, no states, no retries; jobs vanish when done. A job of a dead worker would come back
//! by its lease, which nobody here looks at.

use super::{Due, Job, Run, Scheme, wire};
use anyhow::Result;
use redis::Script;
use redis::aio::MultiplexedConnection;
use std::time::Duration;
use tokio::sync::mpsc;

const WRITE: &str = "
for n = 1, #ARGV, 3 do
  redis.call('SET', 'limit:' .. ARGV[n], ARGV[n + 1])
  redis.call('ZADD', KEYS[1], ARGV[n + 2], ARGV[n])
end";
const POP: &str = "
local ids = redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[2])
if #ids == 0 then return {} end
redis.call('ZREM', KEYS[1], unpack(ids))
local reply, names, leases = {}, {}, {}
for n, id in ipairs(ids) do
  names[n] = 'limit:' .. id
  leases[2 * n - 1], leases[2 * n] = ARGV[3], id
end
redis.call('ZADD', KEYS[2], unpack(leases))
return { ids, redis.call('MGET', unpack(names)) }";
const ACKNOWLEDGE: &str = "
redis.call('ZREM', KEYS[1], unpack(ARGV))
local names = {}
for n, id in ipairs(ARGV) do names[n] = 'limit:' .. id end
redis.call('UNLINK', unpack(names))";

const WAITING: &str = "limit:waiting";
const LEASED: &str = "limit:leased";
/// Jobs of one call to pop or to acknowledge.
const BATCH: usize = 100;
const POLL: Duration = Duration::from_millis(1);
const LEASE_MS: i64 = 12_000;

pub(crate) struct Limit {
    connection: MultiplexedConnection,
    write: Script,
    pop: Script,
    acknowledge: Script,
}

impl Scheme for Limit {
    async fn open(url: &str) -> Result<Self> {
        Ok(Self {
            connection: wire::connect(url).await?,
            write: Script::new(WRITE),
            pop: Script::new(POP),
            acknowledge: Script::new(ACKNOWLEDGE),
        })
    }

    async fn put(&self, jobs: &[Job]) -> Result<()> {
        let mut call = self.write.key(WAITING);
        for job in jobs {
            call.arg(&job.id).arg(&job.payload).arg(Due::of(job).score());
        }
        Ok(call.invoke_async(&mut self.connection.clone()).await?)
    }

    async fn work(&self, run: Run) -> Result<()> {
        let (done, mut ended) = mpsc::channel::<String>(run.concurrency);
        let mut free = run.concurrency;
        while !run.stop.is_cancelled() {
            let most = free.min(BATCH);
            let jobs = if most == 0 { Vec::new() } else { self.pop(most).await? };
            free -= jobs.len();
            for (id, payload) in jobs {
                let (record, done) = (run.record.clone(), done.clone());
                tokio::spawn(async move {
                    record.handle(payload.as_bytes()).await;
                    done.send(id).await.ok();
                });
            }
            let mut ids = Vec::with_capacity(BATCH);
            // A worker with jobs waits for one of them at least; one without looks again soon.
            if free < run.concurrency {
                ended.recv_many(&mut ids, BATCH).await;
                free += ids.len();
                let mut call = self.acknowledge.key(LEASED);
                call.arg(ids);
                call.invoke_async::<()>(&mut self.connection.clone()).await?;
            } else {
                tokio::time::sleep(POLL).await;
            }
        }
        Ok(())
    }

    async fn cancel(&self, job: &Job) -> Result<Option<bool>> {
        let mut both = redis::pipe();
        both.atomic().zrem(WAITING, &job.id).unlink(format!("limit:{}", job.id)).ignore();
        let (removed,): (usize,) = both.query_async(&mut self.connection.clone()).await?;
        Ok(Some(removed == 1))
    }
}

impl Limit {
    async fn pop(&self, most: usize) -> Result<Vec<(String, String)>> {
        let now = wire::now_ms();
        let mut call = self.pop.key(WAITING);
        call.key(LEASED).arg(now).arg(most).arg(now + LEASE_MS);
        let reply: Vec<Vec<String>> = call.invoke_async(&mut self.connection.clone()).await?;
        let mut lists = reply.into_iter();
        let (ids, payloads) = (lists.next().unwrap_or_default(), lists.next().unwrap_or_default());
        Ok(ids.into_iter().zip(payloads).collect())
    }
}
