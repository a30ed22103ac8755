//! The overview: is it healthy, and what is coming?

pub mod as_of;
pub mod attention;
pub mod charts;
pub mod due_ahead;
pub mod first_job;
pub mod halt;
pub mod health;
pub mod queues;
pub mod tiles;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::params::ParamsMap;
use reprieve::model::{Counts, Overview};

use crate::api::{get_overview, get_stats};
use crate::components::error_panel::ErrorPanel;
use crate::components::loading::{Loading, Shape};
use crate::error::ApiError;
use crate::live::Live;
use crate::live::latest::Latest;
use crate::live::reading::Reading;
use crate::series::StatsSpan;
use crate::t;

/// How often what ages by itself is read again, in seconds: rates, oldest jobs, silent workers.
const PULSE_SECONDS: i64 = 5;

/// Is it healthy, and what is coming?
///
/// All that is read is asked for here, outside of every closure: on the server a closure
/// below a `Transition` runs more than once, and would ask again each time.
#[component]
pub fn OverviewPage() -> impl IntoView {
    let live = Live::get();
    let (calm, pulse) = (live.calm(), live.pulse(PULSE_SECONDS));
    let range = charts::Range::of_address();
    let wish = due_ahead::Ahead::of_address();
    let overview = Reading::new(move || (calm.get(), pulse.get()), |_| get_overview());
    let stats = Reading::new(
        move || (range.get().minutes(), pulse.get()),
        |((minutes, bundle), _)| get_stats(None, minutes, bundle),
    );
    let due = Reading::new(move || (wish.get(), pulse.get()), |(wish, _)| due_ahead::Due::choose(None, wish));
    let stood = as_of::Stood::of_address();
    view! {
        <Title text=format!("{} · Reprieve", t!("frame-overview"))/>
        <h1 class="visually-hidden" tabindex="-1">{t!("frame-overview")}</h1>
        <Loading shape=Shape::Board>
            <Loaded overview stats due range stood/>
        </Loading>
    }
}

/// The page behind its first answers; what follows comes through [`Latest`].
#[component]
fn Loaded(
    overview: Reading<Result<Overview, ApiError>>,
    stats: Reading<Result<Vec<StatsSpan>, ApiError>>,
    due: Reading<Result<due_ahead::Due, ApiError>>,
    range: Memo<charts::Range>,
    stood: as_of::Stood,
) -> impl IntoView {
    let known = Latest::of(overview);
    let charted = Charted { stats: Latest::of(stats), due: Latest::of(due), range, stood };
    Suspend::new(async move {
        let _first = (overview.await, stats.await, due.await);
        view! { <Board latest=known charted/> }
    })
}

/// What the charts show.
#[derive(Clone, Copy)]
struct Charted {
    stats: Latest<Vec<StatsSpan>>,
    due: Latest<due_ahead::Due>,
    range: Memo<charts::Range>,
    stood: as_of::Stood,
}

/// The page once something is known; an error beside the old data, or alone.
#[component]
fn Board(latest: Latest<Overview>, charted: Charted) -> impl IntoView {
    let error = move || latest.error.get().map(|error| view! { <ErrorPanel error/> });
    let known = Memo::new(move |_| latest.data.with(Option::is_some));
    let board = move || {
        known.get().then(|| {
            let overview = Signal::derive(move || latest.data.get());
            view! { <Known overview charted/> }
        })
    };
    view! {
        {error}
        <div class="overview" data-stale=move || latest.error.with(Option::is_some).then_some("")>{board}</div>
    }
}

/// What is shown of a read overview.
#[component]
fn Known(overview: Signal<Option<Overview>>, charted: Charted) -> impl IntoView {
    let live = Live::get();
    // Counts of the stream are the newer ones while it is open.
    let counts = Memo::new(move |_| {
        let Some((read, read_at)) = overview.with(|o| o.as_ref().map(|o| (o.counts(), o.read_at))) else {
            return Counts::default();
        };
        live.counts_since(read_at, |told| Some(told.total)).unwrap_or(read)
    });
    // A queue without jobs is there all the same: it may be paused, and its minutes are on the charts.
    let has_queues = move || overview.with(|o| o.as_ref().is_some_and(|o| !o.queues.is_empty()));
    let empty = Memo::new(move |_| counts.get() == Counts::default() && !has_queues());
    let body = move || {
        if empty.get() {
            view! { <first_job::FirstJob/> }.into_any()
        } else {
            view! {
                <charts::RangeLinks range=charted.range/>
                <div class="overview-grid">
                    <charts::Throughput stats=charted.stats/>
                    <charts::Percentiles stats=charted.stats of=charts::Span::Late/>
                </div>
                <due_ahead::DueAhead latest=charted.due/>
                <queues::Queues overview/>
                <div class="overview-grid">
                    <charts::Percentiles stats=charted.stats of=charts::Span::Wait/>
                    <charts::Percentiles stats=charted.stats of=charts::Span::Run/>
                </div>
                <as_of::AsOf stood=charted.stood/>
            }
            .into_any()
        }
    };
    view! {
        <tiles::Tiles overview counts/>
        <attention::AttentionList overview/>
        {body}
        <health::Health overview/>
    }
}

/// The address of this page with one of its choices changed and the others kept.
fn address_with(query: Memo<ParamsMap>, key: &'static str, word: &'static str) -> String {
    let mut query = query.get();
    query.replace(key, word.to_owned());
    query.remove("said");
    query.to_query_string()
}
