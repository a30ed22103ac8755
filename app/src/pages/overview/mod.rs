//! The overview: is it healthy, and what is coming?

pub(crate) mod as_of;
pub(crate) mod attention;
pub(crate) mod charts;
pub(crate) mod due_ahead;
pub(crate) mod halt;
pub(crate) mod health;
pub(crate) mod queues;
pub(crate) mod tiles;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;
use reprieve::model::{Counts, Overview};

use crate::api::overview::{get_overview, get_stats};
use crate::components::error_panel::or_why;
use crate::components::first_job::FirstJob;
use crate::components::page_head::PageTitle;
use crate::light::{RefreshedEvery, suspended};
use crate::t;

/// How often what ages by itself is read again, in seconds: rates, oldest jobs, silent workers.
pub(super) const PULSE_SECONDS: u32 = 5;

/// Is it healthy, and what is coming?
#[component]
pub(crate) fn OverviewPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    let range = charts::Range::of(&query);
    let wish = due_ahead::Ahead::of(&query);
    let back = as_of::back(&query);
    let (minutes, bundle) = range.minutes();
    let board = suspended(async move {
        let stats = get_stats(None, minutes, bundle);
        let due = due_ahead::Due::choose(None, wish);
        let (overview, stats, due, stood) = tokio::join!(get_overview(), stats, due, as_of::ask(back));
        let charted = Charted { range, stats, due, back, stood };
        or_why(overview.map(|overview| view! { <Board overview charted/> }))
    });
    view! {
        <PageTitle title=t!("frame-nav-overview")/>
        <RefreshedEvery seconds=PULSE_SECONDS by_events=true/>
        <h1 class="visually-hidden" tabindex="-1">{t!("frame-nav-overview")}</h1>
        {board}
    }
}

/// What the charts show, or why they cannot.
struct Charted {
    range: charts::Range,
    stats: charts::Stats,
    due: Result<due_ahead::Due, crate::error::ApiError>,
    back: Option<u32>,
    stood: Option<as_of::Stood>,
}

#[component]
fn Board(overview: Overview, charted: Charted) -> impl IntoView {
    // A queue without jobs is there all the same: it may be paused, and its minutes are on the charts.
    let is_empty = overview.counts() == Counts::default() && overview.queues.is_empty();
    let body = if is_empty {
        view! { <FirstJob/> }.into_any()
    } else {
        let Charted { range, stats, due, back, stood } = charted;
        view! {
            <charts::RangeLinks range/>
            <div class="overview-grid">
                <charts::Throughput stats=stats.clone()/>
                <charts::Percentiles stats=stats.clone() of=charts::Span::Late/>
            </div>
            <due_ahead::DueAhead due/>
            <queues::Queues queues=overview.queues.clone()/>
            <div class="overview-grid">
                <charts::Percentiles stats=stats.clone() of=charts::Span::Wait/>
                <charts::Percentiles stats of=charts::Span::Run/>
            </div>
            <as_of::AsOf back stood/>
        }
        .into_any()
    };
    view! {
        <div class="overview">
            <p class="quiet">{t!("overview-intro")}</p>
            <tiles::Tiles overview=overview.clone()/>
            <attention::AttentionList items=overview.attention.clone()/>
            {body}
            <health::Health overview/>
        </div>
    }
}

/// The address of this page with one of its choices changed and the others kept.
fn address_with(query: &ParamsMap, key: &'static str, word: &'static str) -> String {
    let mut query = query.clone();
    query.replace(key, word.to_owned());
    query.remove("said");
    query.to_query_string()
}
