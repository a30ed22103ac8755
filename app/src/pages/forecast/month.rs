//! Six weeks as a table: a cell a day, its count, and how it compares with the fullest.

use leptos::prelude::*;
use reprieve::model::Timestamp;

use super::list_of;
use crate::components::icons::{Icon, icon};
use crate::forecast::{Asked, Bar, Outlook, View};
use crate::{format, t};

/// Steps of heat; 0 is nothing.
const HEAT_MAX: u64 = 5;

/// The grid.
#[component]
pub(super) fn MonthGrid(outlook: Outlook) -> impl IntoView {
    let fullest = outlook.bars.iter().map(|bar| bar.span.due.saturating_add(bar.ticks)).max().unwrap_or(0);
    let days = [
        t!("forecast-mon"),
        t!("forecast-tue"),
        t!("forecast-wed"),
        t!("forecast-thu"),
        t!("forecast-fri"),
        t!("forecast-sat"),
        t!("forecast-sun"),
    ];
    let (asked, read_at) = (outlook.asked.clone(), outlook.read_at);
    let weeks = outlook.bars.chunks(7).map(|week| {
        let cells = week.iter().map(|bar| {
            view! { <Day bar=bar.clone() asked=asked.clone() fullest read_at/> }
        });
        view! { <tr>{cells.collect_view()}</tr> }
    });
    view! {
        <section class="panel">
            <div class="table-scroll" tabindex="0" role="region" aria-label=t!("forecast-month-label")>
                <table class="month">
                    <caption class="visually-hidden">{t!("forecast-month-label")}</caption>
                    <thead>
                        <tr>{days.map(|day| view! { <th scope="col">{day}</th> })}</tr>
                    </thead>
                    <tbody>{weeks.collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
}

/// One day.
#[component]
fn Day(bar: Bar, asked: Asked, fullest: u64, read_at: Timestamp) -> impl IntoView {
    let today = bar.span.from <= read_at && read_at < bar.span.to;
    let heat = heat(bar.span.due.saturating_add(bar.ticks), fullest);
    let list = list_of(bar.span.from, bar.span.to, &asked);
    let day = Asked { view: View::Day, date: bar.date.clone(), ..asked };
    let number = bar.date.get(8..).unwrap_or_default().trim_start_matches('0').to_owned();
    let due = (bar.span.due > 0).then(|| {
        let words = counted(bar.span.due, format::jobs(bar.span.due));
        view! { <a class="month-due" href=list>{words}</a> }
    });
    let ticks = (bar.ticks > 0).then(|| {
        let words = counted(bar.ticks, t!("forecast-ticks", count = bar.ticks));
        view! { <small class="month-ticks">{words}</small> }
    });
    let past = bar.past.map(|past| {
        let text = match past.expected {
            Some(expected) => t!("forecast-past-expected", started = past.started, expected = expected),
            None => t!("forecast-past", started = past.started),
        };
        view! { <small class="month-past">{counted(past.started, text)}</small> }
    });
    let change = bar.clock_change.map(|minutes| {
        let (title, text) = (clocks(minutes), clocks(minutes));
        view! { <small class="month-clocks" title=title>{icon(Icon::Clock)} <span>{text}</span></small> }
    });
    view! {
        <td data-heat=heat.to_string() data-outside=bar.outside.then_some("") aria-current=today.then_some("date")>
            <a class="month-date" href=day.href() aria-label=bar.date>{number}</a>
            {due}
            {ticks}
            {past}
            {change}
        </td>
    }
}

/// A count with its words, and alone where seven days stand beside each other on a phone.
fn counted(count: u64, words: String) -> impl IntoView {
    view! {
        <span class="month-words">{words}</span>
        <span class="month-count" aria-hidden="true">{format::short_number(count)}</span>
    }
}

/// What happens to the clocks.
pub(super) fn clocks(minutes: i32) -> String {
    if minutes > 0 { t!("forecast-clocks-forward") } else { t!("forecast-clocks-back") }
}

/// From nothing to the fullest, in equal steps.
fn heat(count: u64, fullest: u64) -> u64 {
    if count == 0 { 0 } else { (count.saturating_mul(HEAT_MAX)).div_ceil(fullest.max(1)).clamp(1, HEAT_MAX) }
}

#[cfg(test)]
mod tests {
    use super::heat;

    #[test]
    fn heat_rises_in_equal_steps_and_is_never_nothing_for_something() {
        assert_eq!([0, 1, 20, 21, 80, 81, 100].map(|count| heat(count, 100)), [0, 1, 1, 2, 4, 5, 5]);
        assert_eq!(heat(1, 1_000_000), 1);
        assert_eq!(heat(0, 0), 0);
    }
}
