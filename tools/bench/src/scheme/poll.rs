//! `ZRANGEBYSCORE` each second, `ZREM` says who won: the recipe of most answers on the web.
//!
//! The member is the job. Late by half a second on average; a worker that dies takes the job along.

use super::{Due, Job, Run, Scheme, wire};
use anyhow::Result;
use futures_util::stream::{self, TryStreamExt};
use redis::AsyncCommands;
use redis::aio::MultiplexedConnection;
use std::time::Duration;

const DUE: &str = "poll:due";
const POLL: Duration = Duration::from_secs(1);
const PAGE: isize = 100;

pub(crate) struct Poll {
    connection: MultiplexedConnection,
}

impl Scheme for Poll {
    async fn open(url: &str) -> Result<Self> {
        Ok(Self { connection: wire::connect(url).await? })
    }

    async fn put(&self, jobs: &[Job]) -> Result<()> {
        let members: Vec<_> = jobs.iter().map(|job| (Due::of(job).score(), member(job))).collect();
        Ok(self.connection.clone().zadd_multiple(DUE, &members).await?)
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
                .try_for_each_concurrent(run.concurrency, |member| {
                    let (mut connection, record) = (self.connection.clone(), run.record.clone());
                    async move {
                        let won: usize = connection.zrem(DUE, &member).await?;
                        if won == 1 {
                            record.handle(body(&member)).await;
                        }
                        Ok(())
                    }
                })
                .await?;
        }
        Ok(())
    }

    async fn cancel(&self, job: &Job) -> Result<Option<bool>> {
        let removed: usize = self.connection.clone().zrem(DUE, member(job)).await?;
        Ok(Some(removed == 1))
    }
}

/// A person who cancels must still have the whole job.
fn member(job: &Job) -> String {
    format!("{}{}", job.id, job.payload)
}

fn body(member: &str) -> &[u8] {
    member.find('{').map_or(&[], |at| &member.as_bytes()[at..])
}
