//! That nothing of this queue starts, above each of its lists.

use leptos::prelude::*;
use reprieve::model::QueueName;

use crate::api::queue::get_queue;
use crate::components::icons::{Icon, icon};
use crate::components::time::Time;
use crate::light::suspended;
use crate::{i18n, routes, t};

/// Who paused the queue that was chosen, since when and why; nothing where all queues are shown or it runs.
#[component]
pub(crate) fn PausedBanner(
    /// The queue that was chosen.
    queue: Option<QueueName>,
) -> impl IntoView {
    suspended(async move {
        // An outage is told where the rows would be.
        let summary = get_queue(queue?).await.ok()?;
        let paused = summary.paused?;
        let why = (!paused.why.is_empty()).then(|| format!(" · {}", i18n::why(&paused.why)));
        Some(view! {
            <p class="paused-banner" role="note">
                {icon(Icon::PausedCircle)}
                <span>{t!("jobs-paused", queue = summary.name.to_string(), name = paused.by)} {why} " · " <Time at=paused.at/></span>
                <a href=routes::queue(&summary.name)>{t!("jobs-paused-open")}</a>
            </p>
        })
    })
}
