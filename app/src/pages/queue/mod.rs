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
use crate::components::loading::{Loading, Shape, Shapes};
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
            let read = match name.clone() {
                Some(name) => get_queue(name).await,
                None => Err(ApiError::NotFound),
            };
            (name, read)
        },
    );
    let stats = Reading::new(
        move || (name.get(), range.get().minutes(), pulse.get()),
        |(name, (minutes, bundle), _)| async move { (name.clone(), get_stats(name, minutes, bundle).await) },
    );
    let due = Reading::new(
        move || (name.get(), wish.get(), pulse.get()),
        |(name, wish, _)| async move { (name.clone(), due_ahead::Due::choose(name, wish).await) },
    );
    let title = move || name.get().map(|name| name.to_string()).unwrap_or_default();
    view! {
        <Title text=format!("{} · Reprieve", t!("queue-title"))/>
        <h1 tabindex="-1" class="queue-title"><small>{t!("queue-title")}</small> " " {title}</h1>
        <Loading shape=Shape::Board>
            <Loaded name summary stats due range/>
        </Loading>
    }
    .into_any()
}

/// What was answered about a queue, and about which.
type Answered<T> = (Option<QueueName>, Result<T, ApiError>);

/// The page behind its first answers; what follows comes through [`Latest`].
#[component]
fn Loaded(
    name: Memo<Option<QueueName>>,
    summary: Reading<Answered<QueueRead>>,
    stats: Reading<Answered<Vec<StatsSpan>>>,
    due: Reading<Answered<due_ahead::Due>>,
    range: Memo<charts::Range>,
) -> impl IntoView {
    let latest = Latest::about(summary, name);
    let (stats_latest, due_latest) = (Latest::about(stats, name), Latest::about(due, name));
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
    // The name changes with the address alone, and there is none until that queue is read; all else of it is kept true below.
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
                <charts::RangeLinks range/>
                <div class="overview-grid">
                    <charts::Throughput stats/>
                    <charts::Percentiles stats of=charts::Span::Late/>
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
    let is_read = move || name.with(Option::is_some) || latest.error.with(Option::is_some);
    let shapes = move || (!is_read()).then(|| view! { <Shapes shape=Shape::Board/> });
    view! {
        {error}
        {shapes}
        <div class="queue" data-stale=move || latest.error.with(Option::is_some).then_some("")>{board}</div>
    }
    .into_any()
}
