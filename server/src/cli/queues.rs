//! `reprieve queues`, `pause` and `resume`.

use super::exit::Failure;
use super::named::Named;
use super::session::{Run, Session};
use crate::http_api::QueueView;
use app::format::{distance, number, rate};
use clap::Args;
use reprieve::model::{QueueName, QueueSummary};
use serde_json::json;

/// Lists queues.
#[derive(Debug, Clone, Args)]
pub(crate) struct Queues {}

/// Pauses queues.
#[derive(Debug, Clone, Args)]
pub(crate) struct Pause {
    /// The queues
    #[arg(required = true, value_name = "QUEUE")]
    queues: Vec<QueueName>,
    #[command(flatten)]
    named: Named,
}

/// Resumes queues.
#[derive(Debug, Clone, Args)]
pub(crate) struct Resume {
    /// The queues
    #[arg(required = true, value_name = "QUEUE")]
    queues: Vec<QueueName>,
    #[command(flatten)]
    named: Named,
}

impl Run for Queues {
    const LOOKS: bool = true;

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let queues = session.engine.inspector().queues().await?;
        let now = session.engine.now().await?;
        let row = |queue: &QueueSummary| {
            let counts = &queue.counts;
            let mut cells = vec![queue.name.to_string()];
            for count in [
                counts.delayed,
                counts.retrying,
                counts.ready,
                counts.active,
                counts.dead,
                counts.held,
                counts.done,
                counts.cancelled,
            ] {
                cells.push(number(count));
            }
            cells.push(rate(queue.out_per_minute));
            cells.push(queue.next_due.map(|due| distance(due, now.as_millis())).unwrap_or_default());
            cells.push(
                queue
                    .paused
                    .as_ref()
                    .map(|paused| format!("by {} {}", paused.by, paused.why))
                    .unwrap_or_default(),
            );
            cells
        };
        let head = [
            "QUEUE",
            "DELAYED",
            "RETRYING",
            "READY",
            "ACTIVE",
            "DEAD",
            "HELD",
            "DONE",
            "CANCELLED",
            "A MINUTE",
            "NEXT DUE",
            "PAUSED",
        ];
        session.out.list(queues, QueueView::from, &head, row, "no queues yet; the first job makes one");
        Ok(())
    }
}

impl Run for Pause {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        let known = session.engine.inspector().queues().await?;
        for queue in &self.queues {
            let changed = self.named.key.operator(session).pause(queue, &self.named.reason.text).await;
            let changed = changed.map_err(|error| self.named.key.failure(error))?;
            let how = if changed { "is paused" } else { "was paused already" };
            let is_new = !known.iter().any(|known| known.name == *queue);
            let what = if is_new { "no queue of that name is known yet" } else { "what runs goes on" };
            let value = json!({ "queue": queue, "paused": true, "changed": changed });
            session.out.answer(&value, format!("{queue}  {how}; {what}"));
        }
        Ok(())
    }
}

impl Run for Resume {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        for queue in &self.queues {
            let changed = self.named.key.operator(session).resume(queue, &self.named.reason.text).await;
            let changed = changed.map_err(|error| self.named.key.failure(error))?;
            let how = if changed { "goes on" } else { "was not paused" };
            let value = json!({ "queue": queue, "paused": false, "changed": changed });
            session.out.answer(&value, format!("{queue}  {how}"));
        }
        Ok(())
    }
}
