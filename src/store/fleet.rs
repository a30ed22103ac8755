//! Who works and who keeps the time: signs of life, and orders to workers.

use super::connection::Proof;
use super::{Store, script, word};
use crate::error::Result;
use crate::model::{ForwarderInfo, Timestamp, WorkerInfo, WorkerOrder, WorkerOrdered};
use crate::store::Intent;
use redis::Pipeline;
use std::collections::HashMap;

/// Most workers, and most forwarders, a screen lists.
const LISTED_MAX: isize = 1_000;

impl Store {
    /// A worker's sign of life: see `lua/beat.lua`. An empty description says goodbye. Answers what it is to do.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): try again.
    pub async fn beat(&self, worker: &str, description: &str) -> Result<WorkerOrder> {
        let mut call = self.call(&script::BEAT);
        call.arg(worker).arg(description);
        let mut reply = self.drain(&call).await?;
        let _now = reply.text()?;
        word(
            &reply.text()?,
            |text| if text.is_empty() { Some(WorkerOrder::Resume) } else { text.parse().ok() },
        )
    }

    /// Tells a worker what to do from its next heartbeat on: see `lua/order_worker.lua`.
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
        word(&self.drain(&call).await?.text()?, WorkerOrdered::from_word)
    }

    /// A forwarder's sign of life, or its goodbye: see `lua/tick.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): try again.
    pub(crate) async fn tick(&self, forwarder: &str, leaves: bool) -> Result<()> {
        let mut call = self.call(&script::TICK);
        call.arg(forwarder).arg(if leaves { "leave" } else { "" });
        let reply = call.invoke(&mut self.connections().writes(), self.connections().loading()).await;
        self.connections().note(Proof::Drains, reply).map(drop)
    }

    /// Every worker that was seen in the last day.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        let mut reads = Pipeline::new();
        reads.zrange_withscores(self.keys().workers(), 0, LISTED_MAX - 1);
        reads.hgetall(self.keys().worker_orders());
        let (seen, orders): (Vec<(String, f64)>, HashMap<String, String>) = self.pipeline(&reads).await?;
        if seen.is_empty() {
            return Ok(Vec::new());
        }
        let mut reads = Pipeline::new();
        for (id, _) in &seen {
            reads.get(self.keys().worker(id));
        }
        let descriptions: Vec<Option<String>> = self.pipeline(&reads).await?;
        let known = descriptions.into_iter().zip(seen).filter_map(|(description, (id, score))| {
            let mut worker: WorkerInfo = serde_json::from_str(&description?).ok()?;
            worker.seen = at(score)?;
            worker.order = orders.get(&id).and_then(|order| order.parse().ok()).unwrap_or_default();
            Some(worker)
        });
        Ok(known.collect())
    }

    /// When a worker was last heard; `None` for one that was not in the last day.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn worker_seen(&self, id: &str) -> Result<Option<Timestamp>> {
        let mut read = Pipeline::new();
        read.cmd("ZSCORE").arg(self.keys().workers()).arg(id);
        let (score,): (Option<f64>,) = self.pipeline(&read).await?;
        Ok(score.and_then(at))
    }

    /// Every forwarder that looked in the last hour, the latest first.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn forwarders(&self) -> Result<Vec<ForwarderInfo>> {
        let mut reads = Pipeline::new();
        reads.zrange_withscores(self.keys().forwarders(), 0, LISTED_MAX - 1);
        let (seen,): (Vec<(String, f64)>,) = self.pipeline(&reads).await?;
        let known = seen.into_iter().rev().filter_map(|(description, score)| {
            let mut forwarder: ForwarderInfo = serde_json::from_str(&description).ok()?;
            forwarder.ticked = at(score);
            Some(forwarder)
        });
        Ok(known.collect())
    }
}

/// The instant of a score.
fn at(score: f64) -> Option<Timestamp> {
    Some(Timestamp::saturating_from_millis(format!("{score:.0}").parse().ok()?))
}
