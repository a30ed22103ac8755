//! The same as rows, for a reader who cannot see the picture; each row leads to its jobs.

use leptos::prelude::*;

use super::chart::when;
use super::list_of;
use crate::forecast::{Bar, Outlook, Past};
use crate::{format, t};

/// The table.
#[component]
pub(super) fn DataTable(outlook: Outlook) -> impl IntoView {
    let asked = outlook.asked.clone();
    let heads =
        outlook.kinds.iter().map(|kind| view! { <th scope="col" class="number">{kind.to_string()}</th> });
    let heads = heads.collect_view();
    let is_of_others = outlook.has_other_kinds();
    let of_others =
        is_of_others.then(|| view! { <th scope="col" class="number">{t!("forecast-other-kinds")}</th> });
    let columns = outlook.kinds.len() + usize::from(is_of_others);
    let rows = outlook.bars.iter().filter(|bar| is_worth_a_row(bar)).map(|bar| {
        let href = list_of(bar.span.from, bar.span.to, &asked);
        let counts = outlook.by_kind(bar);
        let kinds = counts
            .iter()
            .take(columns)
            .map(|count| view! { <td class="number">{format::number(*count)}</td> })
            .collect_view();
        let dash = || "–".to_owned();
        let started = bar.past.as_ref().map_or_else(dash, |past| format::number(past.started));
        let expected = bar.past.as_ref().and_then(|past| past.expected).map_or_else(dash, format::number);
        view! {
            <tr>
                <th scope="row"><a href=href>{when(bar, outlook.asked.view)}</a></th>
                <td class="number">{format::number(bar.span.due)}</td>
                {kinds}
                <td class="number">{format::number(bar.ticks)}</td>
                <td class="number">{started}</td>
                <td class="number">{expected}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <details class="data-table">
            <summary>{t!("forecast-as-table")}</summary>
            <div class="table-scroll" tabindex="0" role="region" aria-label=t!("forecast-chart-label")>
                <table class="table">
                    <caption class="visually-hidden">{t!("forecast-chart-label")}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{t!("forecast-col-when")}</th>
                            <th scope="col" class="number">{t!("forecast-col-due")}</th>
                            {heads}
                            {of_others}
                            <th scope="col" class="number">{t!("forecast-legend-ticks")}</th>
                            <th scope="col" class="number">{t!("forecast-legend-past")}</th>
                            <th scope="col" class="number">{t!("forecast-legend-expected")}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </details>
    }
}

/// Whether anything is due then, fires, ran or was to run.
fn is_worth_a_row(bar: &Bar) -> bool {
    let happened = |past: &Past| past.started > 0 || past.expected.unwrap_or(0) > 0;
    bar.span.due > 0 || bar.ticks > 0 || bar.past.as_ref().is_some_and(happened)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::{DueSpan, Timestamp};

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_millis(hour * 3_600_000).expect("an hour of 1970")
    }

    fn bar(hour: i64, past: Option<Past>) -> Bar {
        Bar {
            span: DueSpan::empty(at(hour), at(hour + 1)),
            date: "1970-01-01".to_owned(),
            minutes_east: 0,
            outside: false,
            ticks: 0,
            quiet: Vec::new(),
            clock_change: None,
            past,
        }
    }

    #[test]
    fn an_hour_in_which_nothing_ran_of_what_was_expected_has_its_row() {
        let past = |started, expected| Some(Past { started, expected });
        assert!(is_worth_a_row(&bar(0, past(0, Some(5_000)))));
        assert!(!is_worth_a_row(&bar(1, past(0, Some(0)))));
        assert!(!is_worth_a_row(&bar(2, past(0, None))));
        assert!(!is_worth_a_row(&bar(3, None)));
    }
}
