//! Throughput, lateness, waits and runs over the last minutes, hour, day or week.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;
use reprieve::model::{PerMinute, Timestamp};

use crate::clock::Clock;
use crate::components::chart::{LineChart, Plot, Scale, Series};
use crate::components::error_panel::or_why;
use crate::error::ApiError;
use crate::series::StatsSpan;
use crate::{format, i18n, t};

use super::address_with;

/// What the forwarder promises: 99 of 100 jobs start within this, in ms.
const LATE_GOAL_MS: u64 = 50;
const DAY_MS: i64 = 86_400_000;

reprieve::words! {
    /// How far back the charts look; in the address as `range`.
    #[derive(Default)]
    pub(crate) enum Range or "one of " {
        /// A quarter of an hour.
        #[default]
        Quarter = "15m",
        /// An hour.
        Hour = "1h",
        /// A day.
        Day = "24h",
        /// Seven days.
        Week = "7d",
    }
}

impl Range {
    /// Minutes in all, and how many of them make a point: at most a hundred points.
    pub(crate) const fn minutes(self) -> (u16, u16) {
        match self {
            Self::Quarter => (15, 1),
            Self::Hour => (60, 1),
            Self::Day => (1_440, 15),
            Self::Week => (10_080, 120),
        }
    }

    /// The range in the address; a quarter of an hour otherwise.
    pub(crate) fn of(query: &ParamsMap) -> Self {
        query.get_str("range").and_then(|word| word.parse().ok()).unwrap_or_default()
    }
}

/// What was read of the last minutes, or why not.
pub(crate) type Stats = Result<Vec<StatsSpan>, ApiError>;

/// Jobs taken in, done and failed, per minute.
#[component]
pub(crate) fn Throughput(stats: Stats) -> impl IntoView {
    let write = |tenths| format::rate(PerMinute { tenths });
    let plot = |spans: &[StatsSpan], clock| {
        let line = |key, name, of: fn(&StatsSpan) -> u64| Series {
            key,
            name,
            values: spans.iter().map(|span| Some(span.per_minute_tenths(of(span)))).collect(),
        };
        let series = vec![
            line("in", t!("overview-series-in"), |span| span.enqueued),
            line("done", t!("overview-series-done"), |span| span.done),
            line("failed", t!("overview-series-failed"), |span| span.failed),
        ];
        let max = series.iter().flat_map(|s| &s.values).flatten().copied().max().unwrap_or_default();
        // In tenths, but with whole numbers at the lines.
        framed(spans, series, Scale::linear(max.div_ceil(10)).times(10), None, clock)
    };
    let plot = stats.map(|spans| plot(&spans, Clock::get()));
    view! { <StatsChart plot id="throughput" write/> }
}

/// Which time a chart shows percentiles of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// Ready after due time, with the goal.
    Late,
    /// From ready to the start.
    Wait,
    /// From start to end.
    Run,
}

/// Percentiles of one of the times of jobs.
#[component]
pub(crate) fn Percentiles(
    stats: Stats,
    /// Which time.
    of: Span,
) -> impl IntoView {
    type Times = fn(&StatsSpan) -> Option<[u64; 3]>;
    let (id, times, goal): (_, Times, _) = match of {
        Span::Late => ("lateness", |span| span.late_ms, Some(LATE_GOAL_MS)),
        Span::Wait => ("wait", |span| span.wait_ms, None),
        Span::Run => ("run", |span| span.run_ms, None),
    };
    let plot = stats.map(|spans| lines(&spans, times, goal, Clock::get()));
    view! { <StatsChart plot id write=format::percentile/> }
}

/// Three percentiles as lines.
fn lines(
    spans: &[StatsSpan],
    of: fn(&StatsSpan) -> Option<[u64; 3]>,
    goal: Option<u64>,
    clock: Clock,
) -> Plot {
    let line = |key: &'static str, place: usize| Series {
        key,
        name: key.to_owned(),
        values: spans.iter().map(|span| of(span).and_then(|times| times.get(place).copied())).collect(),
    };
    let series = vec![line("p50", 0), line("p95", 1), line("p99", 2)];
    let max = series.iter().flat_map(|s| &s.values).flatten().copied().max().unwrap_or_default();
    framed(spans, series, Scale::decades(max.max(1_000)), goal, clock)
}

/// What the charts over statistics are, and in which unit, is named by their ids.
pub(crate) const NAMES: &str = "overview";

/// A chart over statistics, or why there is none.
#[component]
fn StatsChart(plot: Result<Plot, ApiError>, id: &'static str, write: fn(u64) -> String) -> impl IntoView {
    let (title, unit) = (i18n::word(NAMES, id), i18n::word(NAMES, &format!("{id}-unit")));
    let heading = format!("{id}-title");
    let labelled_by = heading.clone();
    let label = format!("{title}: {unit}");
    let drawn = or_why(plot.map(|plot| view! { <LineChart plot label write/> }));
    view! {
        <section class="panel" aria-labelledby=labelled_by>
            <div class="panel-head"><h2 id=heading>{title} " " <small>{unit}</small></h2></div>
            <div class="panel-body">{drawn}</div>
        </section>
    }
}

/// How far back the charts of a page look. Links, so that they work without script and live in the address.
#[component]
pub(crate) fn RangeLinks(
    /// What is chosen.
    range: Range,
) -> impl IntoView {
    let query = use_query_map().get_untracked();
    let links = Range::ALL.map(|choice| {
        let href = address_with(&query, "range", choice.as_str());
        view! { <a href=href data-here="" aria-current=(range == choice).then_some("true")>{i18n::word("overview-range", choice.as_str())}</a> }
    });
    view! { <span class="segments charts-range" role="group" aria-label=t!("overview-range")>{links}</span> }
}

fn framed(spans: &[StatsSpan], series: Vec<Series>, scale: Scale, goal: Option<u64>, clock: Clock) -> Plot {
    // Beyond a day the time alone says too little.
    let long = spans.first().zip(spans.last()).is_some_and(|(a, b)| b.at.millis_since(a.at) > DAY_MS);
    let word = |at: Timestamp| {
        if long { format::date_minute(at, clock.zone(), None) } else { format::minute(at, clock.zone()) }
    };
    let middle = spans.get(spans.len() / 2).map(|span| word(span.at)).unwrap_or_default();
    let first = spans.first().map(|span| word(span.at)).unwrap_or_default();
    Plot {
        series,
        places: spans.iter().map(|span| word(span.at)).collect(),
        scale,
        bottom: vec![first, middle, t!("overview-now")],
        goal,
    }
}
