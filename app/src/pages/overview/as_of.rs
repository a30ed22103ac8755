//! How it stood: the counts of every queue as of a minute, chosen with a slider or by a plain form.

use leptos::prelude::*;
use leptos_router::params::ParamsMap;
use reprieve::model::{Counts, CountsAt, StateGroup};

use crate::api::overview::get_counts_at;
use crate::components::error_panel::ErrorPanel;
use crate::components::table::{Table, head, number};
use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::error::ApiError;
use crate::{format, i18n, routes, t};

/// How far back minutes are kept.
const BACK_MAX: u32 = 2_880;
const MINUTE_MS: i64 = 60_000;

/// How it stood in a minute: nothing where that is not known any more.
pub(crate) type Stood = Result<Option<CountsAt>, ApiError>;

/// How many minutes ago the address asks for, as `back`; `None` until somebody asks.
pub(super) fn back(query: &ParamsMap) -> Option<u32> {
    let asked = query.get_str("back").and_then(|text| text.parse::<u32>().ok());
    asked.map(|back| back.min(BACK_MAX))
}

/// How it stood so many minutes ago, where somebody asks.
pub(super) async fn ask(back: Option<u32>) -> Option<Stood> {
    match back {
        Some(back) => Some(get_counts_at(back).await),
        None => None,
    }
}

/// The slider and the table.
#[component]
pub(crate) fn AsOf(
    /// How many minutes ago is looked at.
    back: Option<u32>,
    /// How it stood then; `None` where nobody asked.
    stood: Option<Stood>,
) -> impl IntoView {
    let minutes = back.unwrap_or(0);
    let spoken = t!("overview-ago", span = format::span(i64::from(minutes) * MINUTE_MS));
    let shown = match stood {
        None => view! { <p class="quiet">{t!("overview-as-of-how")}</p> }.into_any(),
        Some(Ok(Some(counts))) => view! { <Counted counts/> }.into_any(),
        Some(Ok(None)) => view! { <p class="quiet">{t!("overview-as-of-unknown")}</p> }.into_any(),
        Some(Err(error)) => view! { <ErrorPanel error/> }.into_any(),
    };
    view! {
        <details class="panel stood" open=back.is_some()>
            <summary><h2>{t!("overview-as-of")}</h2></summary>
            <form method="get" action=routes::OVERVIEW class="stood-form" data-at-once="">
                <label for="as-of-back">{t!("overview-as-of-label")}</label>
                // Far left is two days ago, far right is now.
                <input
                    id="as-of-back" type="range" name="back" min="0" max=BACK_MAX.to_string() step="1" dir="rtl"
                    value=minutes.to_string() aria-valuetext=spoken.clone()
                />
                <output for="as-of-back">{spoken}</output>
                <button type="submit" class="button only-plain">{t!("overview-as-of-show")}</button>
            </form>
            <div class="panel-body">{shown}</div>
        </details>
    }
}

/// How it stood.
#[component]
fn Counted(counts: CountsAt) -> impl IntoView {
    let cells = |counts: &Counts| {
        StateGroup::ALL.map(|group| view! { <td class="number">{format::number(counts.group(group))}</td> })
    };
    // The sum of some is not that of all.
    let total = counts.queues_in_all.is_none().then(|| counts.total());
    let total = total.map(|total| {
        view! { <tr><th scope="row"><strong>{t!("overview-all-queues")}</strong></th>{cells(&total)}</tr> }
    });
    let partial = counts.queues_in_all.map(|count| {
        view! { <p class="quiet">{t!("overview-as-of-some", some = CountsAt::QUEUES_MAX, count = count)}</p> }
    });
    let rows = counts.queues.iter().map(|(queue, counts)| {
        view! { <tr><th scope="row">{queue.to_string()}</th>{cells(counts)}</tr> }
    });
    let rows = rows.collect_view();
    let groups = StateGroup::ALL.map(|group| number(i18n::group(group)));
    let heads = std::iter::once(head(t!("overview-col-queue"))).chain(groups).collect();
    view! {
        <p><TimedSentence text=t!("overview-as-of-at", at = HERE) at=counts.at style=TimeStyle::Absolute/></p>
        {partial}
        <Table label=t!("overview-as-of") heads>
            {rows}
            {total}
        </Table>
    }
}
