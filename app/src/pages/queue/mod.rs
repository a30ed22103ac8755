//! One queue: what it does, and what may be done to it.

mod empty;
mod limits;
mod pause;
mod summary;
mod test_job;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use reprieve::model::{QueueName, QueueSummary, Timestamp};

use self::empty::EmptyLists;
use self::limits::Limits;
use self::pause::PauseSwitch;
use self::summary::{Figures, Tabs};
use self::test_job::TestJob;
use super::overview::{charts, due_ahead};
use crate::api::{QueueRead, get_queue, get_stats};
use crate::components::acts::{Acted, provide_operations};
use crate::components::error_panel::ErrorPanel;
use crate::components::loading::{Loading, Shape};
use crate::error::ApiError;
use crate::live::Live;
use crate::live::latest::Latest;
use crate::live::reading::Reading;
use crate::series::StatsSpan;
use crate::t;

/// How often what ages by itself is read again, in seconds.
const PULSE_SECONDS: i64 = 5;

/// One queue.
#[component]
pub fn QueuePage() -> impl IntoView {
    Acted::provide();
    provide_operations();
    let live = Live::get();
    let (calm, pulse) = (live.calm(), live.pulse(PULSE_SECONDS));
    let params = use_params_map();
    let name = Memo::new(move |_| {
        params.with(|params| params.get("name").and_then(|name| QueueName::new(name).ok()))
    });
    let range = charts::Range::of_address();
    let wish = due_ahead::Ahead::of_address();
    let summary = Reading::new(
        move || (name.get(), calm.get(), pulse.get()),
        |(name, ..)| async move {
            match name {
                Some(name) => get_queue(name).await,
                None => Err(ApiError::NotFound),
            }
        },
    );
    let stats = Reading::new(
        move || (name.get(), range.get().minutes(), pulse.get()),
        |(name, (minutes, bundle), _)| get_stats(name, minutes, bundle),
    );
    let due = Reading::new(
        move || (name.get(), wish.get(), pulse.get()),
        |(name, wish, _)| due_ahead::Due::choose(name, wish),
    );
    let title = move || name.get().map(|name| name.to_string()).unwrap_or_default();
    view! {
        <Title text=format!("{} · Reprieve", t!("queue-title"))/>
        <h1 tabindex="-1" class="queue-title"><small>{t!("queue-title")}</small> " " {title}</h1>
        <Loading shape=Shape::Board>
            <Loaded summary stats due range/>
        </Loading>
    }
    .into_any()
}

/// The page behind its first answers; what follows comes through [`Latest`].
#[component]
fn Loaded(
    summary: Reading<Result<QueueRead, ApiError>>,
    stats: Reading<Result<Vec<StatsSpan>, ApiError>>,
    due: Reading<Result<due_ahead::Due, ApiError>>,
    range: Memo<charts::Range>,
) -> impl IntoView {
    let latest = Latest::of(summary);
    let (stats_latest, due_latest) = (Latest::of(stats), Latest::of(due));
    Suspend::new(async move {
        let _first = (summary.await, stats.await, due.await);
        view! { <Board latest stats=stats_latest due=due_latest range/> }
    })
}

#[component]
fn Board(
    latest: Latest<QueueRead>,
    stats: Latest<Vec<StatsSpan>>,
    due: Latest<due_ahead::Due>,
    range: Memo<charts::Range>,
) -> impl IntoView {
    let error = move || latest.error.get().map(|error| view! { <ErrorPanel error/> });
    // The name changes only with the page; all else of the queue is kept true below it.
    let name = Memo::new(move |_| latest.data.with(|read| read.as_ref().map(|read| read.queue.name.clone())));
    let board = move || {
        name.get().map(|name| {
            let first = latest
                .data
                .get_untracked()
                .map_or_else(|| QueueSummary::empty(name.clone()), |read| read.queue);
            let summary = Memo::new(move |_| {
                latest
                    .data
                    .with(|read| read.as_ref().map_or_else(|| first.clone(), |read| read.queue.clone()))
            });
            let read_at = Memo::new(move |_| {
                latest.data.with(|read| read.as_ref().map_or(Timestamp::EPOCH, |read| read.read_at))
            });
            // A name with a slip of the pen looks like a queue at rest.
            let nothing = QueueSummary::empty(name.clone());
            let unknown = Memo::new(move |_| summary.with(|summary| *summary == nothing));
            view! {
                <p class="resulting" role="status" hidden=move || !unknown.get()>{t!("queue-unknown")}</p>
                <PauseSwitch name=name.clone() summary/>
                <Tabs name=name.clone() summary read_at/>
                <Figures summary/>
                <div class="overview-grid">
                    <charts::Throughput stats range/>
                    <charts::Percentiles stats range of=charts::Span::Late/>
                </div>
                <due_ahead::DueAhead latest=due/>
                <div class="queue-columns">
                    <Limits name=name.clone() summary/>
                    <TestJob name=name.clone()/>
                </div>
                <EmptyLists name summary/>
            }
            .into_any()
        })
    };
    view! { {error} {board} }.into_any()
}
