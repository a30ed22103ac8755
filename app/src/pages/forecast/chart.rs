//! Bars over time: stacked by kind, ticks of schedules hatched on top, the past beside what was expected of it.
//!
//! The drawing is stretched to its place, so it holds no text; every number stands in the table below.

use leptos::prelude::*;

use super::{day_in_words, list_of};
use crate::components::chart::{HEIGHT, Scale, WIDTH, coordinate, float, grid};
use crate::forecast::{Bar, Outlook, View};
use crate::format::{self, Zone};
use crate::t;

/// The histogram.
#[component]
pub(super) fn Histogram(outlook: Outlook) -> impl IntoView {
    let span_ms = outlook.bars.first().map_or(1, |bar| bar.span.to.millis_since(bar.span.from));
    let capacity = outlook.capacity.map(|capacity| capacity.within_ms(u64::try_from(span_ms).unwrap_or(1)));
    let scale = Scale::linear(outlook.largest());
    // A line above the scale would flatten the bars: it is told in words instead.
    let drawn_capacity = capacity.filter(|capacity| scale.ticks().last() >= Some(capacity));
    let asked = outlook.asked.clone();
    let room = WIDTH / float(outlook.bars.len().max(1));
    let drawn = outlook.bars.iter().enumerate().map(|(place, bar)| {
        let told = tell(bar, &outlook);
        let href = list_of(bar.span.from, bar.span.to, &asked);
        let body = draw(bar, &outlook.by_kind(bar), &scale, room * float(place), room);
        view! {
            <a href=href tabindex="-1" aria-hidden="true">
                <title>{told}</title>
                {body}
            </a>
        }
    });
    let drawn = drawn.collect_view();
    let now = now_line(&outlook, room);
    let capacity_line = drawn_capacity.map(|capacity| {
        let y = coordinate(scale.y(capacity));
        view! { <line class="chart-goal forecast-capacity" x1="0" x2="1000" y1=y.clone() y2=y></line> }
    });
    let bottom = below(&outlook).into_iter().map(|(part, word)| {
        view! { <text x=format!("{part:.2}%") y="11">{word}</text> }
    });
    view! {
        <section class="panel forecast-panel">
            <Legend outlook=outlook.clone() has_capacity=drawn_capacity.is_some()/>
            <div class="chart" data-chart="forecast">
                <div class="chart-left" aria-hidden="true">
                    {scale.ticks().into_iter().rev().map(|tick| view! { <span>{format::number(tick)}</span> }).collect_view()}
                </div>
                <div class="chart-plot">
                    <svg viewBox="0 0 1000 200" preserveAspectRatio="none" role="group" aria-label=t!("forecast-chart-label")>
                        <Patterns/>
                        {grid(&scale)}
                        {drawn}
                        {capacity_line}
                        {now}
                    </svg>
                </div>
                // Not stretched as the drawing is: only its places are parts of the width.
                <svg class="chart-bottom" aria-hidden="true">{bottom.collect_view()}</svg>
            </div>
        </section>
    }
}

/// Hatches, so that no two neighbours differ in colour alone.
#[component]
fn Patterns() -> impl IntoView {
    view! {
        <defs>
            <pattern id="hatch-1" width="6" height="6" patternUnits="userSpaceOnUse">
                <rect class="kind" data-kind="1" width="6" height="6"></rect>
                <path class="hatch" d="M0 6 6 0"></path>
            </pattern>
            <pattern id="hatch-3" width="4" height="4" patternUnits="userSpaceOnUse">
                <rect class="kind" data-kind="3" width="4" height="4"></rect>
                <path class="hatch" d="M0 2h4"></path>
            </pattern>
            <pattern id="hatch-ticks" width="5" height="5" patternUnits="userSpaceOnUse">
                <path class="hatch-ticks" d="M0 0 5 5"></path>
            </pattern>
        </defs>
    }
}

/// Each kind with its fill, then ticks, the past and what was expected.
#[component]
fn Legend(
    outlook: Outlook,
    /// What workers can run is drawn.
    has_capacity: bool,
) -> impl IntoView {
    let mut names: Vec<(usize, String)> =
        outlook.kinds.iter().enumerate().map(|(place, kind)| (place, kind.to_string())).collect();
    if outlook.has_other_kinds() {
        names.push((outlook.kinds.len(), t!("forecast-other-kinds")));
    }
    let last = outlook.kinds.len();
    let items = names.into_iter().map(|(place, name)| {
        let key = if place == last { 5 } else { place };
        view! {
            <li>
                <svg viewBox="0 0 12 12" aria-hidden="true"><rect class="kind" data-kind=key.to_string() fill=fill(key) width="12" height="12"></rect></svg>
                <span>{name}</span>
            </li>
        }
    });
    let ticks = outlook.bars.iter().any(|bar| bar.ticks > 0).then(|| {
        view! { <li><svg viewBox="0 0 12 12" aria-hidden="true"><rect class="ticks-bar" width="12" height="12" fill="url(#hatch-ticks)"></rect></svg><span>{t!("forecast-legend-ticks")}</span></li> }
    });
    let past = outlook.bars.iter().any(|bar| bar.past.is_some()).then(|| {
        view! {
            <li><svg viewBox="0 0 12 12" aria-hidden="true"><rect class="past-bar" x="1" y="1" width="10" height="10"></rect></svg><span>{t!("forecast-legend-past")}</span></li>
        }
    });
    let is_expected = |bar: &Bar| bar.past.as_ref().is_some_and(|past| past.expected.is_some());
    let expected = outlook.bars.iter().any(is_expected).then(|| {
        view! {
            <li><svg viewBox="0 0 12 12" aria-hidden="true"><line class="expected" x1="0" x2="12" y1="6" y2="6"></line></svg><span>{t!("forecast-legend-expected")}</span></li>
        }
    });
    let quiet = outlook.bars.iter().any(|bar| !bar.quiet.is_empty()).then(|| {
        view! { <li><svg viewBox="0 0 12 12" aria-hidden="true"><rect class="quiet-bar" width="12" height="12"></rect></svg><span>{t!("forecast-legend-quiet")}</span></li> }
    });
    let now = outlook.bars.iter().any(|bar| bar.span.from <= outlook.read_at && outlook.read_at < bar.span.to).then(|| {
        view! { <li><svg viewBox="0 0 12 12" aria-hidden="true"><line class="now-line" x1="6" x2="6" y1="0" y2="12"></line></svg><span>{t!("time-now")}</span></li> }
    });
    let capacity = has_capacity.then(|| {
        view! { <li><svg viewBox="0 0 12 12" aria-hidden="true"><line class="chart-goal forecast-capacity" x1="0" x2="12" y1="6" y2="6"></line></svg><span>{t!("forecast-legend-capacity")}</span></li> }
    });
    view! { <div class="legend"><ul>{items.collect_view()} {ticks} {past} {expected} {capacity} {quiet} {now}</ul></div> }
}

/// One bar with all that is drawn of it.
fn draw(bar: &Bar, by_kind: &[u64], scale: &Scale, x: f64, room: f64) -> impl IntoView + use<> {
    let (left, width) = (coordinate(x + room * 0.1), coordinate(room * 0.8));
    let quiet = (!bar.quiet.is_empty()).then(|| {
        view! { <rect class="quiet-bar" x=coordinate(x) y="0" width=coordinate(room) height="200"></rect> }
    });
    let others = by_kind.len().saturating_sub(1);
    let mut below = 0_u64;
    let mut boxes = Vec::new();
    for (place, &count) in by_kind.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (top, bottom) = (scale.y(below.saturating_add(count)), scale.y(below));
        below = below.saturating_add(count);
        let key = if place == others { 5 } else { place };
        boxes.push(view! {
            <rect class="kind" data-kind=key.to_string() fill=fill(key) x=left.clone() y=coordinate(top.min(HEIGHT - 1.0)) width=width.clone() height=coordinate((bottom - top).max(1.0))></rect>
        });
    }
    let ticks = (bar.ticks > 0).then(|| {
        let (top, bottom) = (scale.y(below.saturating_add(bar.ticks)), scale.y(below));
        view! { <rect class="ticks-bar" fill="url(#hatch-ticks)" x=left.clone() y=coordinate(top.min(HEIGHT - 1.0)) width=width.clone() height=coordinate((bottom - top).max(1.0))></rect> }
    });
    let past = bar.past.as_ref().map(|past| {
        let top = scale.y(past.started);
        let expected = past.expected.map(|expected| {
            let y = coordinate(scale.y(expected));
            view! { <line class="expected" x1=coordinate(x) x2=coordinate(x + room) y1=y.clone() y2=y></line> }
        });
        let started = (past.started > 0).then(|| {
            view! { <rect class="past-bar" x=left.clone() y=coordinate(top) width=width.clone() height=coordinate(HEIGHT - top)></rect> }
        });
        view! { {started} {expected} }
    });
    let clocks = bar.clock_change.map(|_| {
        let x = coordinate(x);
        view! { <line class="clocks-line" x1=x.clone() x2=x y1="0" y2="200"></line> }
    });
    view! {
        <rect class="bar-room" x=coordinate(x) y="0" width=coordinate(room) height="200"></rect>
        {quiet}
        {boxes}
        {ticks}
        {past}
        {clocks}
    }
}

/// Where now is, if it is shown.
fn now_line(outlook: &Outlook, room: f64) -> Option<AnyView> {
    let now = outlook.read_at;
    let place = outlook.bars.iter().position(|bar| bar.span.from <= now && now < bar.span.to)?;
    let span = &outlook.bars.get(place)?.span;
    let (passed, whole) = (now.millis_since(span.from), span.to.millis_since(span.from).max(1));
    let part = float(usize::try_from(passed * 1_000 / whole).unwrap_or(0)) / 1_000.0;
    let x = coordinate(room * (float(place) + part));
    Some(view! { <line class="now-line" x1=x.clone() x2=x y1="0" y2="200"></line> }.into_any())
}

/// How a kind is filled; the colour of the plain ones comes from the style sheet.
fn fill(key: usize) -> Option<&'static str> {
    match key {
        1 => Some("url(#hatch-1)"),
        3 => Some("url(#hatch-3)"),
        _ => None,
    }
}

/// The words along the bottom, each with the place where its bar begins, in hundredths of the width: every day of a
/// week, and the quarters of anything else. Short, so that they fit a phone.
fn below(outlook: &Outlook) -> Vec<(f64, String)> {
    let (bars, view) = (&outlook.bars, outlook.asked.view);
    let begins_day = |place: usize| {
        let before = place.checked_sub(1).and_then(|before| bars.get(before));
        before.map(|bar| &bar.date) != bars.get(place).map(|bar| &bar.date)
    };
    let places: Vec<usize> = match view {
        View::Week => (0..bars.len()).filter(|&place| begins_day(place)).collect(),
        View::Month | View::Year | View::Day => (0..4).map(|quarter| bars.len() * quarter / 4).collect(),
    };
    let word = |bar: &Bar| match (view, Zone::fixed(bar.minutes_east)) {
        (View::Month | View::Year, _) => bar.date.clone(),
        (View::Week, zone) => format::day(bar.span.from, zone),
        (View::Day, zone) => format::minute(bar.span.from, zone),
    };
    let whole = float(bars.len().max(1));
    places
        .into_iter()
        .filter_map(|place| Some((float(place) * 100.0 / whole, word(bars.get(place)?))))
        .collect()
}

/// When a bar is, on its zone's clocks.
pub(super) fn when(bar: &Bar, view: View) -> String {
    match view {
        View::Month | View::Year => day_in_words(&bar.date),
        View::Week | View::Day => format::year_minute(bar.span.from, Zone::fixed(bar.minutes_east)),
    }
}

/// A bar in words.
fn tell(bar: &Bar, outlook: &Outlook) -> String {
    let mut parts = vec![when(bar, outlook.asked.view), format::jobs(bar.span.due)];
    for (kind, count) in outlook.kinds.iter().zip(outlook.by_kind(bar)).filter(|(_, count)| *count > 0) {
        parts.push(format!("{kind} {}", format::number(count)));
    }
    if bar.ticks > 0 {
        parts.push(t!("forecast-ticks", count = bar.ticks));
    }
    parts.join(" · ")
}
