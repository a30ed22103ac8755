//! `reprieve workers`: who works, and what they are told.

use super::exit::Failure;
use super::named::Reason;
use super::output::counted;
use super::session::{Run, Session};
use crate::http_api::WorkerView;
use app::format::{bytes, distance};
use clap::{Args, Subcommand};
use reprieve::model::{WorkerInfo, WorkerOrder, WorkerOrdered};
use serde_json::json;

/// Lists workers, or tells some of them what to do.
#[derive(Debug, Clone, Args)]
pub(crate) struct Workers {
    #[command(subcommand)]
    order: Option<Order>,
}

/// What to tell them; they obey at their next heartbeat.
#[derive(Debug, Clone, Subcommand)]
enum Order {
    /// Finish the jobs they have and take no new ones
    Quiet(Told),
    /// Take jobs again
    Resume(Told),
    /// Stop; jobs not finished within the grace period go back to ready
    Stop(Told),
}

/// Whom, and why.
#[derive(Debug, Clone, Args)]
struct Told {
    /// The workers, as `reprieve workers` names them
    #[arg(required = true, value_name = "WORKER")]
    workers: Vec<String>,
    #[command(flatten)]
    reason: Reason,
}

impl Run for Workers {
    fn only_looks(&self) -> bool {
        self.order.is_none()
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        match self.order {
            None => list(session).await,
            Some(Order::Quiet(told)) => tell(session, WorkerOrder::Quiet, told).await,
            Some(Order::Resume(told)) => tell(session, WorkerOrder::Resume, told).await,
            Some(Order::Stop(told)) => tell(session, WorkerOrder::Stop, told).await,
        }
    }
}

async fn list(session: &Session) -> Result<(), Failure> {
    let workers = session.engine.inspector().workers().await?;
    let now = session.engine.now().await?;
    let row = |worker: &WorkerInfo| {
        vec![
            worker.id.clone(),
            worker.standing(now).as_str().to_owned(),
            worker.queues.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            if worker.claims {
                worker.busy.to_string()
            } else {
                format!("{} of {}", worker.busy, worker.slots)
            },
            if worker.stuck > 0 { worker.stuck.to_string() } else { String::new() },
            worker.memory_bytes.map(bytes).unwrap_or_default(),
            distance(worker.started, now.as_millis()),
            distance(worker.seen, now.as_millis()),
        ]
    };
    let head = ["WORKER", "STATE", "QUEUES", "BUSY", "STUCK", "MEMORY", "STARTED", "SEEN"];
    session.out.list(workers, WorkerView::from, &head, row, "no workers in the last day");
    Ok(())
}

async fn tell(session: &Session, order: WorkerOrder, told: Told) -> Result<(), Failure> {
    let (mut missing, mut refused) = (0, 0);
    for worker in &told.workers {
        let outcome = session.operator().order_worker(worker, order, &told.reason.text).await?;
        let how = match (outcome, order) {
            (WorkerOrdered::Missing, _) => "was not heard in the last day",
            (WorkerOrdered::Stopping, _) => "was told to stop before, which cannot be taken back",
            (WorkerOrdered::Unchanged, _) => "has that order already",
            (WorkerOrdered::Claims, _) => {
                "claims by calls of its own: only its own program can stop it, quiet gives it nothing"
            }
            (_, WorkerOrder::Quiet) => "takes nothing new from its next heartbeat on",
            (_, WorkerOrder::Resume) => "takes jobs again from its next heartbeat on",
            (_, WorkerOrder::Stop) => {
                "ends from its next heartbeat on; what it does not finish goes back to ready"
            }
        };
        missing += usize::from(outcome == WorkerOrdered::Missing);
        refused += usize::from(matches!(outcome, WorkerOrdered::Claims | WorkerOrdered::Stopping));
        let value = json!({ "worker": worker, "order": order, "outcome": outcome });
        session.out.answer(&value, format!("{worker}  {how}"));
    }
    let all = told.workers.len();
    if refused > 0 {
        return Err(Failure::Refused(format!("{refused} of {all} cannot be told so")));
    }
    if missing > 0 {
        return Err(Failure::NotFound(format!(
            "{missing} of {} not known: `reprieve workers` lists them",
            counted(all, "worker is", "workers are")
        )));
    }
    Ok(())
}
