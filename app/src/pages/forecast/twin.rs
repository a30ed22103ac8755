//! The same as rows, for a reader who cannot see the picture; each row leads to its jobs.

use leptos::prelude::*;

use super::chart::when;
use super::list_of;
use crate::forecast::{Bar, Outlook, Past};
use crate::{format, t};

/// The table.
#[component]
pub(super) fn Twin(outlook: Outlook) -> impl IntoView {
    let asked = outlook.asked.clone();
    let heads =
        outlook.kinds.iter().map(|kind| view! { <th scope="col" class="number">{kind.to_string()}</th> });
    let heads = heads.collect_view();
    let is_of_others = outlook.has_other_kinds();
    let of_others =
        is_of_others.then(|| view! { <th scope="col" class="number">{t!("forecast-other-kinds")}</th> });
    let columns = outlook.kinds.len() + usize::from(is_of_others);
    let happened = |past: &Past| past.started > 0 || past.expected.unwrap_or(0) > 0;
    let worth = |bar: &&Bar| bar.span.due > 0 || bar.ticks > 0 || bar.past.as_ref().is_some_and(happened);
    let rows = outlook.bars.iter().filter(worth).map(|bar| {
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
        <details class="table-twin">
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::Asked;
    use reprieve::model::{DueSpan, Kind, QueueName, Timestamp};

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_millis(hour * 3_600_000).expect("an hour of 1970")
    }

    fn kind(name: &str) -> Kind {
        Kind::new(name).expect("a name of a kind")
    }

    fn bar(hour: i64, kinds: &[(Kind, u64)], past: Option<Past>) -> Bar {
        let mut span = DueSpan::empty(at(hour), at(hour + 1));
        span.add(&QueueName::default(), kinds.iter().map(|(_, count)| count).sum(), kinds);
        let date = "1970-01-01".to_owned();
        Bar {
            span,
            date,
            minutes_east: 0,
            outside: false,
            ticks: 0,
            quiet: Vec::new(),
            clock_change: None,
            past,
        }
    }

    fn outlook(bars: Vec<Bar>) -> Outlook {
        Outlook {
            asked: Asked { view: crate::forecast::View::Week, ..Asked::default() },
            before_after: [None, None],
            views: Vec::new(),
            bars,
            kinds: vec![kind("notice")],
            exact_by_kind: true,
            exact_ticks: true,
            is_between_hours: false,
            capacity: None,
            has_claimants: false,
            earlier: 0,
            next: None,
            read_at: at(2),
        }
    }

    fn table(outlook: Outlook) -> String {
        let owner = Owner::new();
        owner.set();
        view! { <Twin outlook/> }.to_html()
    }

    #[test]
    fn an_hour_in_which_nothing_ran_of_what_was_expected_has_its_row() {
        let past = |started, expected| Some(Past { started, expected });
        let page = table(outlook(vec![
            bar(0, &[], past(0, Some(5_000))),
            bar(1, &[], past(0, Some(0))),
            bar(2, &[], past(0, None)),
        ]));
        assert!(page.contains("1970-01-01 00:00") && page.contains("5,000"), "{page}");
        assert!(!page.contains("1970-01-01 01:00") && !page.contains("1970-01-01 02:00"), "{page}");
        assert!(!page.contains("other kinds"), "{page}");
    }

    #[test]
    fn what_is_of_other_kinds_has_its_column() {
        let page = table(outlook(vec![bar(3, &[(kind("notice"), 7), (kind("rare"), 61)], None)]));
        assert!(page.contains("other kinds") && page.contains("61"), "{page}");
    }
}
