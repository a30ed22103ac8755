//! What becomes due when, queue by queue.

use super::{Store, script};
use crate::error::Result;
use crate::model::{Kind, QueueName, Timestamp};

/// What one queue of one shard has in each span: how many, and a sample of their kinds.
pub(crate) struct QueueForecast {
    pub(crate) now: Timestamp,
    pub(crate) before: u64,
    pub(crate) next: Option<Timestamp>,
    pub(crate) spans: Vec<(u64, Vec<(Kind, u64)>)>,
}

impl Store {
    /// What of one queue becomes due between each two of the bounds: see `lua/functions/read/forecast.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn forecast(
        &self,
        queue: &QueueName,
        bounds: &[Timestamp],
        sample: u32,
    ) -> Result<QueueForecast> {
        let mut call = self.call(&script::FORECAST);
        call.arg(queue.as_str()).arg(sample);
        for bound in bounds {
            call.arg(bound.as_millis());
        }
        let mut reply = self.read(&call).await?;
        let now = reply.time("now")?;
        let before = reply.parse("jobs due before")?;
        let next = reply.optional_time("next due")?;
        let mut spans = Vec::with_capacity(bounds.len());
        for item in reply {
            let mut line = item.list()?;
            let due = line.parse("jobs due")?;
            let _looked: u64 = line.parse("kinds looked up")?;
            let mut kinds = Vec::new();
            while let Some(kind) = line.next() {
                let count = line.parse("jobs of a kind")?;
                // A hash that somebody damaged may name what is no kind: it counts, but under no name.
                if let Ok(kind) = Kind::new(kind.text()?) {
                    kinds.push((kind, count));
                }
            }
            spans.push((due, kinds));
        }
        Ok(QueueForecast { now, before, next, spans })
    }
}
