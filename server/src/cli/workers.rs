//! `reprieve workers`: who works.

use super::exit::Failure;
use super::session::Session;
use super::verb::Run;
use crate::http_api::WorkerView;
use app::format::distance;
use clap::Args;
use reprieve::model::WorkerInfo;

/// Lists workers.
#[derive(Debug, Clone, Args)]
pub(crate) struct Workers {}

impl Run for Workers {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        let workers = session.engine.inspector().workers().await?;
        if session.out.json {
            workers.into_iter().map(WorkerView::from).for_each(|worker| session.out.value(&worker));
            return Ok(());
        }
        let now = session.engine.now().await?.as_millis();
        let cells = |worker: &WorkerInfo| {
            vec![
                worker.id.clone(),
                worker.queues.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
                format!(
                    "{} of {}{}",
                    worker.busy,
                    worker.slots,
                    if worker.quiet { ", stopping" } else { "" }
                ),
                if worker.stuck > 0 { worker.stuck.to_string() } else { String::new() },
                distance(worker.started, now),
                distance(worker.seen, now),
            ]
        };
        let head = ["WORKER", "QUEUES", "BUSY", "STUCK", "STARTED", "SEEN"];
        session.out.table(&head, workers.iter().map(cells).collect(), "no workers in the last day");
        Ok(())
    }
}
