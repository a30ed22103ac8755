//! Who works, and what people tell them.

use leptos::prelude::*;
use reprieve::model::{Fleet, WorkerOrder, WorkerOrdered};

use crate::call::{Get, Post};
use crate::error::ApiError;

/// Workers, forwarders, and queues nobody works on. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_fleet", protocol = Get)]
pub async fn get_fleet() -> Result<Fleet, ApiError> {
    super::answer::read(async { Ok(crate::access::inspector().await?.fleet().await?) }).await
}

/// Tells a worker what to do from its next heartbeat on. Needs `ManageWorkers`.
#[server(prefix = "/api/fn", endpoint = "order_worker", protocol = Post)]
pub async fn order_worker(
    worker: String,
    order: WorkerOrder,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<WorkerOrdered, ApiError> {
    use super::answer;
    use crate::done::{Done, Undo};
    use leptos::server_fn::ServerFn;
    let word = move |outcome: &WorkerOrdered| match outcome {
        WorkerOrdered::Ordered => format!("worker.{order}"),
        other => format!("worker.{}", other.word()),
    };
    let ordered = worker.clone();
    let done = move |outcome: &WorkerOrdered| {
        let opposite = match order {
            WorkerOrder::Quiet => WorkerOrder::Resume,
            WorkerOrder::Resume => WorkerOrder::Quiet,
            _ => return None,
        };
        let fields = [("worker", ordered), ("order", opposite.to_string())];
        let undo = || Undo::new(OrderWorker::PATH, &fields);
        (*outcome == WorkerOrdered::Ordered).then(|| Done::undone_by(undo()))
    };
    answer::to_with(back, word, done, async move {
        let operator = crate::access::operator(reprieve::model::Permission::ManageWorkers).await?;
        Ok(operator.order_worker(&worker, order, &answer::why(reason, note, ticket, incident)?).await?)
    })
    .await
}
