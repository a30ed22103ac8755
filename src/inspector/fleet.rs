//! Who works, who keeps the time, and what people tell workers.

use super::{Inspector, Operator, ROWS_MAX};
use crate::error::Result;
use crate::model::{Fleet, JobId, JobRow, WorkerAtWork, WorkerInfo, WorkerOrder, WorkerOrdered};
use std::collections::HashMap;

impl Inspector {
    /// Everybody who works or keeps the time, with what is in their hands, and the queues nobody works on.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn fleet(&self) -> Result<Fleet> {
        let (survey, mut workers, _) = self.measured_survey().await?;
        let now = survey.now;
        workers.sort_by(|a, b| (a.standing(now), &a.id).cmp(&(b.standing(now), &b.id)));
        let more = workers.len().saturating_sub(Fleet::LISTED_MAX);
        workers.truncate(Fleet::LISTED_MAX);
        let mut rows = self.rows_of(&workers).await?;
        let mut fleet = Fleet::empty(now);
        fleet.more = u64::try_from(more).unwrap_or(u64::MAX);
        fleet.forwarders = self.shards.forwarders().await?;
        fleet.forwarder_tick = survey.forwarder_tick;
        fleet.workers = workers
            .into_iter()
            .map(|info| {
                let its: Vec<JobRow> = info.jobs.iter().filter_map(|id| rows.remove(id)).collect();
                WorkerAtWork::new(info, its, now)
            })
            .collect();
        let waits =
            survey.queues.into_iter().filter(|queue| queue.paused.is_none() && queue.counts.ready > 0);
        fleet.unserved =
            waits.filter(|queue| queue.workers == 0).map(|queue| (queue.name, queue.counts.ready)).collect();
        Ok(fleet)
    }

    /// The rows of jobs that these workers say they have, as many as one read gives; those of workers that need
    /// somebody come first.
    async fn rows_of(&self, workers: &[WorkerInfo]) -> Result<HashMap<JobId, JobRow>> {
        let mut ids: Vec<JobId> = workers.iter().flat_map(|worker| worker.jobs.iter().cloned()).collect();
        ids.truncate(ROWS_MAX);
        let redaction = self.settings.redaction().await?;
        let mut rows: Vec<JobRow> = self.shards.rows(&ids).await?.into_iter().flatten().collect();
        redaction.rows(&mut rows);
        Ok(rows.into_iter().map(|row| (row.id.clone(), row)).collect())
    }
}

impl Operator {
    /// Tells a worker what to do; it obeys at its next heartbeat, within four seconds. One that was told to stop is
    /// told nothing more.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for a reason beyond 1,024 bytes;
    /// [`Error::Unavailable`](crate::Error::Unavailable): repeat it.
    pub async fn order_worker(&self, worker: &str, order: WorkerOrder, why: &str) -> Result<WorkerOrdered> {
        let intent = self.because(why);
        crate::acts::check(&intent)?;
        self.shards().first().order_worker(worker, order, &intent).await
    }
}
