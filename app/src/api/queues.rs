//! What a person does to queues.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Permission, QueueName};

use super::answer::{self, Why};
use crate::call::Post;
use crate::done::{Done, Undo};
use crate::error::ApiError;
use crate::{access, t};

/// Starts no more jobs of the queue. `false` if it was paused already. Needs `PauseQueues`.
#[server(prefix = "/api/fn", endpoint = "pause_queue", protocol = Post)]
pub async fn pause_queue(
    queue: QueueName,
    #[server(flatten)] why: Why,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    let word = |&changed: &bool| if changed { "pause.changed" } else { "pause.same" }.to_owned();
    let paused = queue.clone();
    let done = move |&changed: &bool| {
        let undo = Undo::new(ResumeQueue::PATH, &[("queue", paused.to_string())]);
        changed.then(|| Done {
            undo: Some(undo),
            ..Done::said(t!("acts-said-queue-paused", queue = paused.to_string()))
        })
    };
    answer::to_with(back, word, done, async move {
        let operator = access::caller()?.operator_in(Permission::PauseQueues, &queue)?;
        Ok(operator.pause(&queue, &why.said()?).await?)
    })
    .await
}

/// Starts jobs of the queue again. `false` if it was not paused. Needs `PauseQueues`.
#[server(prefix = "/api/fn", endpoint = "resume_queue", protocol = Post)]
pub async fn resume_queue(
    queue: QueueName,
    #[server(flatten)] why: Why,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    let word = |&changed: &bool| if changed { "resume.changed" } else { "resume.same" }.to_owned();
    let resumed = queue.clone();
    let done = move |&changed: &bool| {
        changed.then(|| Done::said(t!("acts-said-queue-resumed", queue = resumed.to_string())))
    };
    answer::to_with(back, word, done, async move {
        let operator = access::caller()?.operator_in(Permission::PauseQueues, &queue)?;
        Ok(operator.resume(&queue, &why.said()?).await?)
    })
    .await
}
