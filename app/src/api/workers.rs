//! Who works, and what people tell them.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Fleet, Permission, WorkerOrder, WorkerOrdered};

use super::answer::{self, Why};
use crate::access;
use crate::call::Post;
use crate::done::{Done, Undo};
use crate::error::ApiError;

/// Workers, forwarders, and queues nobody works on. Needs `View`.
pub async fn get_fleet() -> Result<Fleet, ApiError> {
    Ok(access::caller()?.inspector_of_seen()?.fleet().await?)
}

/// Tells a worker what to do from its next heartbeat on. Needs `ManageWorkers`.
#[server(prefix = "/api/fn", endpoint = "order_worker", protocol = Post)]
pub async fn order_worker(
    worker: String,
    order: WorkerOrder,
    #[server(flatten)] why: Why,
    #[server(default)] back: Option<String>,
) -> Result<WorkerOrdered, ApiError> {
    let word = move |outcome: &WorkerOrdered| match outcome {
        WorkerOrdered::Ordered => format!("worker.{order}"),
        other => format!("worker.{}", other.as_str()),
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
        let operator = access::caller()?.operator(Permission::ManageWorkers)?;
        Ok(operator.order_worker(&worker, order, &why.said()?).await?)
    })
    .await
}
