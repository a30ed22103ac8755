//! The same as rows, for whoever cannot see the picture; each row leads to its jobs.

use leptos::prelude::*;

use super::chart::when;
use super::list_of;
use crate::forecast::{Bar, Outlook};
use crate::{format, t};

/// The table.
#[component]
pub(super) fn Twin(
    /// What is due.
    outlook: Outlook,
) -> impl IntoView {
    let asked = outlook.asked.clone();
    let heads =
        outlook.kinds.iter().map(|kind| view! { <th scope="col" class="number">{kind.to_string()}</th> });
    let heads = heads.collect_view();
    let worth =
        |bar: &&Bar| bar.span.due > 0 || bar.ticks > 0 || bar.past.as_ref().is_some_and(|p| p.started > 0);
    let rows = outlook.bars.iter().filter(worth).map(|bar| {
        let href = list_of(bar.span.from, bar.span.to, &asked);
        let counts = outlook.by_kind(bar);
        let kinds = counts
            .iter()
            .take(outlook.kinds.len())
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
