//! Charts drawn by hand: lines and bars as SVG, their words as HTML around it.
//!
//! The drawing is stretched to its place, so it holds no text and no circle. A legend
//! shows each series with its own dash; it reads the values under the pointer. A table
//! says the same to whoever cannot see the drawing.

mod scale;

pub use scale::Scale;

use leptos::prelude::*;

use crate::t;

/// The drawing's own size; stretched to whatever room there is.
pub const WIDTH: f64 = 1_000.0;
/// See [`WIDTH`].
pub const HEIGHT: f64 = 200.0;

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its word in the markup, which chooses colour and dash: `in`, `p99`.
    pub key: &'static str,
    /// Its name.
    pub name: String,
    /// One value per place; `None` leaves a gap.
    pub values: Vec<Option<u64>>,
}

/// What a chart shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
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

/// Lines over time, with legend, crosshair and table.
#[component]
pub fn LineChart(
    /// What to draw; drawn anew when it changes.
    #[prop(into)]
    plot: Signal<Plot>,
    /// What the chart says, for whoever cannot see it.
    #[prop(into)]
    label: String,
    /// How a value is written.
    write: fn(u64) -> String,
) -> impl IntoView {
    let pointed = RwSignal::new(None::<usize>);
    // What is under the pointer, else the newest place.
    let place = Memo::new(move |_| {
        let places = plot.with(|plot| plot.places.len());
        pointed.get().or(places.checked_sub(1)).filter(|&place| place < places)
    });
    let table_label = label.clone();
    view! {
        <Legend plot place pointed write/>
        <div class="chart">
            <div class="chart-left" aria-hidden="true">
                {move || plot.with(|plot| plot.scale.ticks().into_iter().rev().map(|tick| view! { <span>{write(tick)}</span> }).collect_view())}
            </div>
            <div
                class="chart-plot"
                on:pointermove=move |event| pointed.set(place_under(&event, plot.with_untracked(|p| p.places.len()), false))
                on:pointerleave=move |_| pointed.set(None)
            >
                <svg viewBox="0 0 1000 200" preserveAspectRatio="none" role="img" aria-label=label>
                    {move || plot.with(draw_lines)}
                    {move || pointed.get().map(|place| crosshair(place, plot.with(|plot| plot.places.len())))}
                </svg>
            </div>
            <div class="chart-bottom" aria-hidden="true">
                {move || plot.with(|plot| plot.bottom.iter().map(|word| view! { <span>{word.clone()}</span> }).collect_view())}
            </div>
        </div>
        <TableTwin label=table_label plot write/>
    }
}

/// Each series with its dash, its name and its value at the pointed place.
#[component]
fn Legend(
    plot: Signal<Plot>,
    place: Memo<Option<usize>>,
    pointed: RwSignal<Option<usize>>,
    write: fn(u64) -> String,
) -> impl IntoView {
    let items = move || {
        plot.with(|plot| {
            let place = place.get();
            let value = |series: &Series| place.and_then(|place| series.values.get(place).copied().flatten());
            plot.series
                .iter()
                .map(|series| {
                    let value = value(series).map_or_else(|| "–".to_owned(), write);
                    legend_entry(Some(series.key), "series", series.name.clone(), value)
                })
                .collect_view()
        })
    };
    let goal = move || {
        let goal = plot.with(|plot| plot.goal);
        goal.map(|goal| legend_entry(None, "chart-goal", t!("time-goal"), write(goal)))
    };
    // Nothing is pointed at: the values are those of now, which the foot of the chart says.
    let when = move || plot.with(|plot| pointed.get().and_then(|place| plot.places.get(place).cloned()));
    view! {
        <div class="legend">
            <ul>{items} {goal}</ul>
            <span class="legend-place">{when}</span>
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

/// The same numbers as rows, newest first.
#[component]
fn TableTwin(label: String, #[prop(into)] plot: Signal<Plot>, write: fn(u64) -> String) -> impl IntoView {
    let caption = label.clone();
    let head = move || {
        plot.with(|plot| {
            plot.series
                .iter()
                .map(|s| view! { <th scope="col" class="number">{s.name.clone()}</th> })
                .collect_view()
        })
    };
    let rows = move || {
        plot.with(|plot| {
            plot.places
                .iter()
                .enumerate()
                .rev()
                .map(|(place, word)| {
                    let cells = plot.series.iter().map(|series| {
                        let value = series.values.get(place).copied().flatten();
                        view! { <td class="number">{value.map_or_else(|| "–".to_owned(), write)}</td> }
                    });
                    view! { <tr><th scope="row">{word.clone()}</th>{cells.collect_view()}</tr> }
                })
                .collect_view()
        })
    };
    view! {
        <details class="table-twin">
            <summary>{t!("time-table")}</summary>
            <div class="table-scroll" tabindex="0" role="region" aria-label=label>
                <table class="table">
                    <caption class="visually-hidden">{caption}</caption>
                    <thead>
                        <tr><th scope="col">{t!("time-column")}</th>{head}</tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </details>
    }
}

/// Numbers of what is to come, as bars.
#[component]
pub fn BarChart(
    /// All of it in one phrase: `136 jobs due in the next hour`.
    #[prop(into)]
    lead: Signal<String>,
    /// One number per bar.
    #[prop(into)]
    bars: Signal<Vec<u64>>,
    /// The word for a bar: when it is.
    #[prop(into)]
    word: Callback<usize, String>,
    /// Words along the bottom, evenly spread.
    #[prop(into)]
    bottom: Signal<Vec<String>>,
    /// What the chart says, for whoever cannot see it.
    #[prop(into)]
    label: String,
    /// How a number is written: `12 jobs`.
    write: fn(u64) -> String,
) -> impl IntoView {
    let pointed = RwSignal::new(None::<usize>);
    let scale =
        Memo::new(move |_| Scale::linear(bars.with(|bars| bars.iter().copied().max().unwrap_or_default())));
    let readout = move || {
        let place = pointed.get()?;
        let number = bars.with(|bars| bars.get(place).copied())?;
        Some(format!("{} · {}", word.run(place), write(number)))
    };
    let plot = Signal::derive(move || Plot {
        series: vec![Series {
            key: "due",
            name: t!("time-due"),
            values: bars.get().into_iter().map(Some).collect(),
        }],
        places: (0..bars.with(Vec::len)).map(|place| word.run(place)).collect(),
        scale: scale.get(),
        bottom: Vec::new(),
        goal: None,
    });
    let table_label = label.clone();
    view! {
        <div class="legend">
            <span>{move || lead.get()}</span>
            <span class="legend-place">{readout}</span>
        </div>
        <div class="chart" data-chart="bars">
            <div class="chart-left" aria-hidden="true">
                {move || scale.get().ticks().into_iter().rev().map(|tick| view! { <span>{crate::format::number(tick)}</span> }).collect_view()}
            </div>
            <div
                class="chart-plot"
                on:pointermove=move |event| pointed.set(place_under(&event, bars.with_untracked(Vec::len), true))
                on:pointerleave=move |_| pointed.set(None)
            >
                <svg viewBox="0 0 1000 200" preserveAspectRatio="none" role="img" aria-label=label>
                    {move || grid(&scale.get())}
                    {move || bars.with(|bars| draw_bars(bars, &scale.get(), pointed.get()))}
                </svg>
            </div>
            <div class="chart-bottom" aria-hidden="true">
                {move || bottom.get().into_iter().map(|word| view! { <span>{word}</span> }).collect_view()}
            </div>
        </div>
        <TableTwin label=table_label plot write=crate::format::number/>
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

fn grid(scale: &Scale) -> impl IntoView + use<> {
    let lines = scale.ticks().into_iter().map(|tick| {
        let y = coordinate(scale.y(tick));
        view! { <line class="chart-grid" x1="0" x2="1000" y1=y.clone() y2=y></line> }
    });
    lines.collect_view()
}

fn crosshair(place: usize, places: usize) -> impl IntoView {
    let x = coordinate(x(place, places));
    view! { <line class="chart-crosshair" x1=x.clone() x2=x y1="0" y2="200"></line> }
}

fn draw_bars(bars: &[u64], scale: &Scale, pointed: Option<usize>) -> impl IntoView + use<> {
    let room = WIDTH / float(bars.len().max(1));
    let rectangles = bars.iter().enumerate().filter(|&(_, &number)| number > 0).map(|(place, &number)| {
        // Even one job is worth two pixels.
        let top = scale.y(number).min(HEIGHT - 2.0);
        view! {
            <rect
                class="bar"
                data-pointed=(pointed == Some(place)).then_some("")
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

fn float(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

/// A tenth of a unit is finer than any screen.
fn coordinate(n: f64) -> String {
    format!("{n:.1}")
}

/// The place the pointer is over: the bar it is in, or the point it is nearest to.
#[cfg(feature = "hydrate")]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to a place of the chart"
)]
fn place_under(event: &web_sys::PointerEvent, places: usize, bars: bool) -> Option<usize> {
    use wasm_bindgen::JsCast;
    let plot: web_sys::HtmlElement = event.current_target()?.dyn_into().ok()?;
    let part = f64::from(event.offset_x()) / f64::from(plot.client_width().max(1));
    let last = places.checked_sub(1)?;
    let place = if bars { (part * float(places)).floor() } else { (part * float(last)).round() };
    Some((place.max(0.0) as usize).min(last))
}

/// No pointer on the server.
#[cfg(not(feature = "hydrate"))]
fn place_under(_: &leptos::ev::PointerEvent, _: usize, _: bool) -> Option<usize> {
    None
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
