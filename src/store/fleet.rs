//! Who works and who keeps the time: signs of life, and orders to workers.

use super::connection::Proof;
use super::{Store, script, word};
use crate::error::Result;
use crate::model::{
    ForwarderInfo, JobId, JobRow, JobState, QueueName, Timestamp, WorkerInfo, WorkerOrder, WorkerOrdered,
};
use crate::store::Intent;
use crate::store::reply::Reply;
use redis::{Cmd, Pipeline};
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};

/// Most workers, and most forwarders, a screen lists: those heard last.
const LISTED_MAX: isize = 1_000;
/// Active jobs of a shard that are looked through for what claimants hold: half a millisecond of Redis.
const IN_HANDS_MAX: usize = 200;

impl Store {
    /// A worker's sign of life: see `lua/functions/workers/heartbeat.lua`. An empty description says goodbye. Answers what it is to do.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): try again.
    pub async fn heartbeat(&self, worker: &str, description: &str) -> Result<WorkerOrder> {
        let mut call = self.call(&script::HEARTBEAT);
        call.arg(worker).arg(description);
        told(&mut self.drain(&call).await?)
    }

    /// The sign of life of a worker that claims by calls of its own, with the ticket of a claim that begins to wait: see
    /// `lua/functions/workers/announce.lua`. Answers what it is to do.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): try again.
    pub(crate) async fn announce(
        &self,
        worker: &str,
        ticket: Option<u64>,
        queues: &[QueueName],
    ) -> Result<WorkerOrder> {
        let mut call = self.call(&script::ANNOUNCE);
        call.arg(worker).arg(ticket.map(|ticket| ticket.to_string()).unwrap_or_default());
        for queue in queues {
            call.arg(queue.as_str());
        }
        told(&mut self.drain(&call).await?)
    }

    /// The ticket of the newest claim of a worker that waits, or waited within a minute, for a job of that queue.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn newest_waiting(&self, worker: &str, queue: &QueueName) -> Result<Option<u64>> {
        self.ask(&Cmd::get(self.keys().waiting(queue, worker))).await
    }

    /// Tells a worker what to do from its next heartbeat on: see `lua/functions/workers/order_worker.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): repeat it.
    pub async fn order_worker(
        &self,
        worker: &str,
        order: WorkerOrder,
        intent: &Intent,
    ) -> Result<WorkerOrdered> {
        let mut call = self.call(&script::ORDER_WORKER);
        call.arg(worker).arg(order.as_str()).arg(&intent.actor).arg(&intent.why);
        word(&self.drain(&call).await?.text()?)
    }

    /// A forwarder's sign of life, or its goodbye: see `lua/functions/workers/tick.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): try again.
    pub(crate) async fn tick(&self, forwarder: &str, leaves: bool) -> Result<()> {
        let mut call = self.call(&script::TICK);
        call.arg(forwarder).arg(if leaves { "leave" } else { "" });
        let reply = call.invoke(&mut self.connections().writes(), self.connections().loading()).await;
        self.connections().note(Proof::Drains, reply).map(drop)
    }

    /// Every worker that was seen in the last day, and the queues from which those that claim by calls of their own
    /// have taken what they may hold.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn workers(&self) -> Result<(Vec<WorkerInfo>, BTreeSet<QueueName>)> {
        let mut reads = Pipeline::new();
        reads.zrevrange_withscores(self.keys().workers(), 0, LISTED_MAX - 1);
        reads.hgetall(self.keys().worker_orders());
        let (seen, orders): (Vec<(String, f64)>, HashMap<String, String>) = self.pipeline(&reads).await?;
        if seen.is_empty() {
            return Ok((Vec::new(), BTreeSet::new()));
        }
        let mut reads = Pipeline::new();
        for (id, _) in &seen {
            reads.get(self.keys().worker(id));
        }
        let descriptions: Vec<Option<String>> = self.pipeline(&reads).await?;
        let mut queues = BTreeSet::new();
        let known = descriptions.into_iter().zip(seen).filter_map(|(description, (id, score))| {
            let description = description?;
            let mut worker: WorkerInfo = serde_json::from_str(&description).ok()?;
            if worker.claims {
                let claimant: Claimed = serde_json::from_str(&description).ok()?;
                queues.extend(claimant.claimed_ms.into_keys());
            }
            worker.seen = at(score)?;
            worker.order = orders.get(&id).and_then(|order| order.parse().ok()).unwrap_or_default();
            Some(worker)
        });
        let workers = known.collect();
        Ok((workers, queues))
    }

    /// Active jobs of these queues, those with the longest leases first, as many as are looked through for what
    /// claimants hold.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn in_hands(&self, queues: &BTreeSet<QueueName>) -> Result<Vec<JobRow>> {
        let each = (IN_HANDS_MAX / queues.len().max(1)).max(1);
        let mut reads = Pipeline::new();
        for queue in queues {
            reads.cmd("ZRANGE").arg(self.keys().set(queue, JobState::Active));
            reads.arg(0).arg(each - 1).arg("REV");
        }
        let ids: Vec<Vec<String>> = self.pipeline(&reads).await?;
        let ids: Vec<JobId> = ids.into_iter().flatten().filter_map(|id| JobId::new(id).ok()).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.rows(&ids).await?.into_iter().flatten().collect())
    }

    /// When a worker was last heard; `None` for one that was not in the last day, and for one that claims by calls of
    /// its own: that it holds the job is all that is expected of it.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn worker_seen(&self, id: &str) -> Result<Option<Timestamp>> {
        let mut read = Pipeline::new();
        read.cmd("ZSCORE").arg(self.keys().workers()).arg(id);
        read.get(self.keys().worker(id));
        let (score, description): (Option<f64>, Option<String>) = self.pipeline(&read).await?;
        let info = description.and_then(|text| serde_json::from_str::<WorkerInfo>(&text).ok());
        Ok(score.filter(|_| !info.is_some_and(|info| info.claims)).and_then(at))
    }

    /// Every forwarder that looked in the last hour, the latest first.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn forwarders(&self) -> Result<Vec<ForwarderInfo>> {
        let seen: Vec<(String, f64)> =
            self.ask(&Cmd::zrevrange_withscores(self.keys().forwarders(), 0, LISTED_MAX - 1)).await?;
        let known = seen.into_iter().filter_map(|(description, score)| {
            let mut forwarder: ForwarderInfo = serde_json::from_str(&description).ok()?;
            forwarder.ticked = at(score);
            Some(forwarder)
        });
        Ok(known.collect())
    }
}

/// What is kept of a worker that claims by calls of its own, beside the rest.
#[derive(Deserialize)]
struct Claimed {
    /// When it last claimed from each queue, in ms.
    claimed_ms: HashMap<QueueName, i64>,
}

/// The order in the answer to a sign of life.
fn told(reply: &mut Reply) -> Result<WorkerOrder> {
    let _now = reply.text()?;
    let order = reply.text()?;
    if order.is_empty() { Ok(WorkerOrder::Resume) } else { word(&order) }
}

/// The instant of a score.
fn at(score: f64) -> Option<Timestamp> {
    Some(Timestamp::saturating_from_millis(format!("{score:.0}").parse().ok()?))
}
