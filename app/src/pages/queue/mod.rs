//! One queue: what it does, and what may be done to it.

mod empty;
mod limits;
mod pause;
mod summary;
mod test_job;

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};
use reprieve::model::{QueueName, QueueSummary};

use self::empty::EmptyLists;
use self::limits::Limits;
use self::pause::PauseSwitch;
use self::summary::{Figures, Tabs};
use self::test_job::TestJob;
use super::overview::{PULSE_SECONDS, charts, due_ahead};
use crate::api::overview::get_stats;
use crate::api::queue::get_queue;
use crate::components::error_panel::or_why;
use crate::components::page_head::PageTitle;
use crate::error::ApiError;
use crate::light::{RefreshedEvery, suspended};
use crate::t;

/// One queue.
#[component]
pub fn QueuePage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    let range = charts::Range::of(&query);
    let wish = due_ahead::Ahead::of(&query);
    let (minutes, bundle) = range.minutes();
    let name = use_params_map().get_untracked().get("name").and_then(|name| QueueName::new(name).ok());
    let title = name.as_ref().map(ToString::to_string).unwrap_or_default();
    let board = suspended(async move {
        let stats = get_stats(name.clone(), minutes, bundle);
        let due = due_ahead::Due::choose(name.clone(), wish);
        let read = async { get_queue(name.clone().ok_or(ApiError::NotFound)?).await };
        let (read, stats, due) = tokio::join!(read, stats, due);
        or_why(read.map(|read| view! { <Board queue=read stats due range/> }))
    });
    view! {
        <PageTitle title=t!("queue-title")/>
        <RefreshedEvery seconds=PULSE_SECONDS by_events=true/>
        <h1 tabindex="-1" class="queue-title"><small>{t!("queue-title")}</small> " " {title}</h1>
        {board}
    }
    .into_any()
}

#[component]
fn Board(
    queue: QueueSummary,
    stats: charts::Stats,
    due: Result<due_ahead::Due, ApiError>,
    range: charts::Range,
) -> impl IntoView {
    // A name with a slip of the pen looks like a queue at rest.
    let unknown = queue == QueueSummary::empty(queue.name.clone());
    view! {
        <div class="queue">
            {unknown.then(|| view! { <p class="resulting" role="status">{t!("queue-unknown")}</p> })}
            <PauseSwitch name=queue.name.clone() paused=queue.paused.clone()/>
            <Tabs name=queue.name.clone() counts=queue.counts/>
            <Figures queue=queue.clone()/>
            <charts::RangeLinks range/>
            <div class="overview-grid">
                <charts::Throughput stats=stats.clone()/>
                <charts::Percentiles stats of=charts::Span::Late/>
            </div>
            <due_ahead::DueAhead due/>
            <div class="queue-columns">
                <Limits queue=queue.clone()/>
                <TestJob name=queue.name.clone()/>
            </div>
            <EmptyLists name=queue.name counts=queue.counts/>
        </div>
    }
    .into_any()
}
