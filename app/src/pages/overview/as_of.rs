//! How it stood: the counts of every queue as of a minute, chosen with a slider or by a plain form.

use std::time::Duration;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use reprieve::model::{Counts, CountsAt, StateGroup};

use crate::api::get_counts_at;
use crate::components::error_panel::ErrorPanel;
use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::error::ApiError;
use crate::live::reading::Reading;
use crate::{format, i18n, routes, t};

/// How far back minutes are kept.
const BACK_MAX: u32 = 2_880;
/// A pause in sliding after which the minute is read.
const PAUSE: Duration = Duration::from_millis(150);
const MINUTE_MS: i64 = 60_000;

/// Which minute is looked at, and how it stood in it.
#[derive(Clone, Copy)]
pub struct Stood {
    /// How many minutes ago; `None` until somebody asks.
    back: RwSignal<Option<u32>>,
    answer: Reading<Option<Result<Option<CountsAt>, ApiError>>>,
}

impl Stood {
    /// What the address asks for, as `back`. On the page itself, outside of suspended parts.
    pub(super) fn of_address() -> Self {
        let query = use_query_map();
        let asked =
            query.with_untracked(|query| query.get_str("back").and_then(|text| text.parse::<u32>().ok()));
        let back = RwSignal::new(asked.map(|back| back.min(BACK_MAX)));
        let settled = RwSignal::new(back.get_untracked());
        Effect::new(move |before: Option<()>| {
            let chosen = back.get();
            if before.is_some()
                && let Ok(timer) = set_timeout_with_handle(
                    move || {
                        let _ = settled.try_set(chosen);
                    },
                    PAUSE,
                )
            {
                on_cleanup(move || timer.clear());
            }
        });
        let answer = Reading::new(
            move || settled.get(),
            |back| async move {
                match back {
                    None => None,
                    Some(back) => Some(get_counts_at(back).await),
                }
            },
        );
        Self { back, answer }
    }
}

/// The slider and the table.
#[component]
pub fn AsOf(
    /// What is looked at.
    stood: Stood,
) -> impl IntoView {
    let open = stood.back.get_untracked().is_some();
    let back = move || stood.back.get().unwrap_or(0);
    let spoken = move || t!("overview-ago", span = format::span(i64::from(back()) * MINUTE_MS));
    let slid = move |event| stood.back.set(event_target_value(&event).parse().ok());
    let shown = move || {
        Suspend::new(async move {
            match stood.answer.await {
                None => view! { <p class="quiet">{t!("overview-as-of-how")}</p> }.into_any(),
                Some(Ok(Some(counts))) => view! { <Counted counts/> }.into_any(),
                Some(Ok(None)) => view! { <p class="quiet">{t!("overview-as-of-unknown")}</p> }.into_any(),
                Some(Err(error)) => {
                    stood.answer.refetch_after(&error);
                    view! { <ErrorPanel error/> }.into_any()
                }
            }
        })
    };
    view! {
        <details class="panel stood" open=open>
            <summary><h2>{t!("overview-as-of")}</h2></summary>
            <form method="get" action=routes::OVERVIEW class="stood-form">
                <label for="as-of-back">{t!("overview-as-of-label")}</label>
                // Far left is two days ago, far right is now.
                <input
                    id="as-of-back" type="range" name="back" min="0" max=BACK_MAX.to_string() step="1" dir="rtl"
                    value=move || back().to_string() aria-valuetext=spoken on:input=slid
                />
                <output for="as-of-back">{spoken}</output>
                <button type="submit" class="button only-plain">{t!("overview-as-of-show")}</button>
            </form>
            <div class="panel-body"><Transition>{shown}</Transition></div>
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
    view! {
        <p><TimedSentence text=t!("overview-as-of-at", at = HERE) at=counts.at style=TimeStyle::Absolute/></p>
        {partial}
        <div class="table-scroll" tabindex="0" role="region" aria-label=t!("overview-as-of")>
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col">{t!("overview-col-queue")}</th>
                        {StateGroup::ALL.map(|group| view! { <th scope="col" class="number">{i18n::group(group)}</th> })}
                    </tr>
                </thead>
                <tbody>
                    {rows.collect_view()}
                    {total}
                </tbody>
            </table>
        </div>
    }
}
