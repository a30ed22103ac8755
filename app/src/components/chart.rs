//! Charts drawn by hand: lines and bars as SVG, their words as HTML around it.
//!
//! The drawing is stretched to its place, so it holds no text and no circle. A legend
//! shows each series with its own dash; there the script reads the values under the pointer
//! out. A table has the same numbers for screen readers.

mod scale;

pub(crate) use scale::Scale;

use leptos::prelude::*;

use crate::t;

/// The drawing's own size; stretched to whatever room there is.
pub(crate) const WIDTH: f64 = 1_000.0;
/// See [`WIDTH`].
pub(crate) const HEIGHT: f64 = 200.0;

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    /// Its word in the markup, which chooses colour and dash: `in`, `p99`.
    pub key: &'static str,
    /// Its name.
    pub name: String,
    /// One value per place; `None` leaves a gap.
    pub values: Vec<Option<u64>>,
}

/// What a chart shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plot {
    /// The lines.
    pub series: Vec<Series>,
    /// The word for each place, for legend and table.
    pub places: Vec<String>,
    /// How values become heights.
    pub scale: Scale,
    /// Words along the bottom, evenly spread.
    pub bottom: Vec<String>,
    /// A value worth a line of its own.
    pub goal: Option<u64>,
}

/// Lines over time, with legend and table. The values under the pointer are the script's.
#[component]
pub(crate) fn LineChart(
    plot: Plot,
    /// What the chart says, for a reader who cannot see it.
    #[prop(into)]
    label: String,
    /// How a value is written.
    write: fn(u64) -> String,
) -> impl IntoView {
    let ticks = plot.scale.ticks().into_iter().rev().map(|tick| view! { <span>{write(tick)}</span> });
    view! {
        {legend(&plot, write)}
        <div class="chart">
            <div class="chart-left" aria-hidden="true">{ticks.collect_view()}</div>
            <div class="chart-plot">
                <svg viewBox="0 0 1000 200" preserveAspectRatio="none" role="img" aria-label=label.clone()>
                    {draw_lines(&plot)}
                </svg>
            </div>
            {bottom(&plot)}
        </div>
        <TableTwin label plot write/>
    }
}

/// Each series with its dash, its name and its newest value.
fn legend(plot: &Plot, write: fn(u64) -> String) -> impl IntoView + use<> {
    let items = plot.series.iter().map(|series| {
        let value = series.values.last().copied().flatten().map_or_else(|| "–".to_owned(), write);
        legend_entry(Some(series.key), "series", series.name.clone(), value)
    });
    let goal = plot.goal.map(|goal| legend_entry(None, "chart-goal", t!("time-goal"), write(goal)));
    view! {
        <div class="legend">
            <ul>{items.collect_view()} {goal}</ul>
            <span class="legend-place"></span>
        </div>
    }
}

/// A line as the chart has it, its name and its value.
fn legend_entry(key: Option<&'static str>, line: &'static str, name: String, value: String) -> impl IntoView {
    view! {
        <li data-series=key>
            <svg viewBox="0 0 20 6" aria-hidden="true"><line class=line x1="0" y1="3" x2="20" y2="3"></line></svg>
            <span>{name}</span>
            <strong>{value}</strong>
        </li>
    }
}

fn bottom(plot: &Plot) -> impl IntoView + use<> {
    let words = plot.bottom.iter().map(|word| view! { <span>{word.clone()}</span> });
    view! { <div class="chart-bottom" aria-hidden="true">{words.collect_view()}</div> }
}

/// The same numbers as rows, newest first.
#[component]
fn TableTwin(label: String, plot: Plot, write: fn(u64) -> String) -> impl IntoView {
    let head = plot.series.iter().map(|s| view! { <th scope="col" class="number">{s.name.clone()}</th> });
    let rows = plot.places.iter().enumerate().rev().map(|(place, word)| {
        let cells = plot.series.iter().map(|series| {
            let value = series.values.get(place).copied().flatten();
            view! { <td class="number">{value.map_or_else(|| "–".to_owned(), write)}</td> }
        });
        view! { <tr><th scope="row">{word.clone()}</th>{cells.collect_view()}</tr> }
    });
    let caption = label.clone();
    view! {
        <details class="data-table">
            <summary>{t!("time-table")}</summary>
            <div class="table-scroll" tabindex="0" role="region" aria-label=label>
                <table class="table">
                    <caption class="visually-hidden">{caption}</caption>
                    <thead>
                        <tr><th scope="col">{t!("time-column")}</th>{head.collect_view()}</tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </details>
    }
}

/// Numbers of what is to come, as bars.
#[component]
pub(crate) fn BarChart(
    /// All of it in one phrase: `136 jobs due in the next hour`.
    lead: String,
    /// One number per bar, and the word for it: when it is.
    bars: Vec<(String, u64)>,
    /// Words along the bottom, evenly spread.
    bottom: Vec<String>,
    /// What the chart says, for a reader who cannot see it.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    let (places, numbers): (Vec<String>, Vec<u64>) = bars.into_iter().unzip();
    let scale = Scale::linear(numbers.iter().copied().max().unwrap_or_default());
    let ticks = scale.ticks().into_iter().rev();
    let ticks = ticks.map(|tick| view! { <span>{crate::format::number(tick)}</span> }).collect_view();
    let drawn = view! { {grid(&scale)} {draw_bars(&numbers, &scale)} };
    let values = numbers.into_iter().map(Some).collect();
    let series = vec![Series { key: "due", name: t!("time-due"), values }];
    let plot = Plot { series, places, scale, bottom, goal: None };
    view! {
        <div class="legend">
            <span>{lead}</span>
            <span class="legend-place"></span>
        </div>
        <div class="chart" data-chart="bars">
            <div class="chart-left" aria-hidden="true">{ticks}</div>
            <div class="chart-plot">
                <svg viewBox="0 0 1000 200" preserveAspectRatio="none" role="img" aria-label=label.clone()>{drawn}</svg>
            </div>
            {self::bottom(&plot)}
        </div>
        <TableTwin label plot write=crate::format::number/>
    }
}

fn draw_lines(plot: &Plot) -> impl IntoView + use<> {
    let lines = plot.series.iter().map(|series| {
        let path = path(&series.values, &plot.scale);
        view! { <path class="series" data-series=series.key d=path></path> }
    });
    let goal = plot.goal.map(|value| {
        let y = coordinate(plot.scale.y(value));
        view! { <line class="chart-goal" x1="0" x2="1000" y1=y.clone() y2=y></line> }
    });
    view! {
        {grid(&plot.scale)}
        {goal}
        {lines.collect_view()}
    }
}

/// A line for each tick.
pub(crate) fn grid(scale: &Scale) -> impl IntoView + use<> {
    let lines = scale.ticks().into_iter().map(|tick| {
        let y = coordinate(scale.y(tick));
        view! { <line class="chart-grid" x1="0" x2="1000" y1=y.clone() y2=y></line> }
    });
    lines.collect_view()
}

fn draw_bars(bars: &[u64], scale: &Scale) -> impl IntoView + use<> {
    let room = WIDTH / float(bars.len().max(1));
    let rectangles = bars.iter().enumerate().filter(|&(_, &number)| number > 0).map(|(place, &number)| {
        // Even one job is worth two pixels.
        let top = scale.y(number).min(HEIGHT - 2.0);
        view! {
            <rect
                class="bar"
                x=coordinate(room * float(place) + room * 0.1)
                y=coordinate(top)
                width=coordinate(room * 0.8)
                height=coordinate(HEIGHT - top)
            ></rect>
        }
    });
    rectangles.collect_view()
}

/// The line through all values, broken where there is none; a lonely value becomes a short dash.
fn path(values: &[Option<u64>], scale: &Scale) -> String {
    let mut path = String::new();
    let mut drawing = false;
    for (place, value) in values.iter().enumerate() {
        match value {
            Some(value) => {
                let (x, y) = (x(place, values.len()), scale.y(*value));
                let command = if drawing { 'L' } else { 'M' };
                path.push_str(&format!("{command}{} {}", coordinate(x), coordinate(y)));
                let alone = !drawing && !matches!(values.get(place + 1), Some(Some(_)));
                if alone {
                    path.push_str(&format!("H{}", coordinate(x + 4.0)));
                }
                drawing = true;
            }
            None => drawing = false,
        }
    }
    path
}

/// From left to right; the newest at the right edge.
fn x(place: usize, places: usize) -> f64 {
    if places < 2 { WIDTH } else { WIDTH * float(place) / float(places - 1) }
}

/// A count as a measure.
pub(crate) fn float(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

/// A tenth of a unit is finer than any screen.
pub(crate) fn coordinate(n: f64) -> String {
    format!("{n:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_breaks_where_nothing_is_known() {
        let scale = Scale::linear(20);
        let values = [Some(0), Some(20), None, Some(0), None, Some(20)];
        assert_eq!(path(&values, &scale), "M0.0 200.0L200.0 0.0M600.0 200.0H604.0M1000.0 0.0H1004.0");
        assert_eq!(path(&[], &scale), "");
    }
}
