//! Due members move to a stream with a consumer group: at least once, once a member is in the stream.
//!
//! What is in the stream cannot be called off, and what a dead consumer held waits for somebody's `XAUTOCLAIM`.

use super::{Due, Job, Run, Scheme, wire};
use anyhow::Result;
use futures_util::future::try_join_all;
use redis::aio::MultiplexedConnection;
use redis::streams::StreamReadReply;
use redis::{AsyncCommands, Script};
use std::time::Duration;

const DUE: &str = "stream:due";
const READY: &str = "stream:ready";
const GROUP: &str = "workers";
const POLL: Duration = Duration::from_millis(100);
const BATCH: usize = 100;
const FORWARD: &str = "
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, job in ipairs(due) do redis.call('XADD', KEYS[2], '*', 'job', job) end
if #due > 0 then redis.call('ZREM', KEYS[1], unpack(due)) end
return #due";

pub(crate) struct Stream {
    url: String,
    connection: MultiplexedConnection,
    forward: Script,
}

impl Scheme for Stream {
    async fn open(url: &str) -> Result<Self> {
        let mut connection = wire::connect(url).await?;
        connection.xgroup_create_mkstream::<_, _, _, ()>(READY, GROUP, "0").await?;
        Ok(Self { url: url.to_owned(), connection, forward: Script::new(FORWARD) })
    }

    async fn put(&self, jobs: &[Job]) -> Result<()> {
        let mut all = redis::pipe();
        for job in jobs {
            match Due::of(job) {
                Due::Now => all.xadd(READY, "*", &[("job", member(job))]).ignore(),
                Due::At(ms) => all.zadd(DUE, member(job), ms).ignore(),
            };
        }
        Ok(all.query_async(&mut self.connection.clone()).await?)
    }

    async fn work(&self, run: Run) -> Result<()> {
        // A consumer for ten slots each, as a service with a few threads would have.
        let consumers = run.concurrency.div_ceil(10);
        let consuming = try_join_all((0..consumers).map(|n| self.consume(format!("c{n}"), &run)));
        tokio::try_join!(consuming, self.forward_due(&run)).map(drop)
    }

    async fn cancel(&self, job: &Job) -> Result<Option<bool>> {
        let removed: usize = self.connection.clone().zrem(DUE, member(job)).await?;
        Ok(Some(removed == 1))
    }
}

impl Stream {
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

    async fn consume(&self, name: String, run: &Run) -> Result<()> {
        let mut connection = wire::connect(&self.url).await?;
        while !run.stop.is_cancelled() {
            let mut read = redis::cmd("XREADGROUP");
            read.arg("GROUP").arg(GROUP).arg(&name).arg("COUNT").arg(10).arg("BLOCK").arg(200);
            read.arg("STREAMS").arg(READY).arg(">");
            let reply: Option<StreamReadReply> = read.query_async(&mut connection).await?;
            let entries = reply.into_iter().flat_map(|reply| reply.keys).flat_map(|key| key.ids);
            let mut done = Vec::new();
            for entry in entries {
                let job: String = entry.get("job").unwrap_or_default();
                run.record.handle(body(&job)).await;
                done.push(entry.id);
            }
            if !done.is_empty() {
                let mut end = redis::pipe();
                end.xack(READY, GROUP, &done).ignore().xdel(READY, &done).ignore();
                end.exec_async(&mut connection).await?;
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
