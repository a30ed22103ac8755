//! How many jobs are where, and how fast they move.

use leptos::prelude::*;
use reprieve::model::{QueueName, QueueSummary, RunMode, StateGroup, Timestamp};

use crate::components::icons::{Icon, icon};
use crate::components::time::Time;
use crate::live::Live;
use crate::live::paced::Paced;
use crate::{format, i18n, routes, t};

/// The queue's lists with their counts.
#[component]
pub(super) fn Tabs(
    /// Which queue.
    name: QueueName,
    /// The queue, kept true.
    summary: Memo<QueueSummary>,
    /// When it was read.
    read_at: Memo<Timestamp>,
) -> impl IntoView {
    let (live, paced) = (Live::get(), Paced::new());
    let queue = name.clone();
    let counts = Memo::new(move |_| {
        let told = live.counts_since(read_at.get(), |told| told.queues.get(&queue).copied());
        paced.show(told.unwrap_or_else(|| summary.with(|summary| summary.counts)))
    });
    let tab = move |group: StateGroup| {
        let href = routes::jobs(group, Some(&name));
        view! {
            <li>
                <a class="queue-tab" href=href>
                    {icon(Icon::of_group(group))}
                    <span>{i18n::group(group)}</span>
                    <strong>{move || format::number(counts.get().group(group))}</strong>
                </a>
            </li>
        }
    };
    view! { <nav aria-label=t!("queue-lists")><ul class="queue-tabs">{StateGroup::ALL.map(tab)}</ul></nav> }
        .into_any()
}

/// Workers, waits and rates.
#[component]
pub(super) fn Figures(
    /// The queue, kept true.
    summary: Memo<QueueSummary>,
) -> impl IntoView {
    let at = move |of: fn(&QueueSummary) -> Option<Timestamp>| {
        let at = Memo::new(move |_| summary.with(of));
        move || match at.get() {
            Some(at) => view! { <Time at/> }.into_any(),
            None => "–".into_any(),
        }
    };
    let text = move |of: fn(&QueueSummary) -> String| move || summary.with(of);
    let idle = move || {
        summary.with(|queue| {
            (queue.workers == 0 && queue.counts.ready > 0)
                .then(|| t!("queue-no-workers", count = queue.counts.ready))
        })
    };
    let modes = Memo::new(move |_| summary.with(|queue| queue.modes.clone()));
    view! {
        {move || idle().map(|text| view! { <p class="job-banner">{icon(Icon::Warning)} {text}</p> })}
        <dl class="queue-figures panel">
            <div><dt>{t!("queue-workers")}</dt><dd>{text(|queue| format::number(queue.workers))}</dd></div>
            <div class="queue-modes"><dt>{t!("queue-modes")}</dt><dd>{move || run_by(&modes.get())}</dd></div>
            <div><dt>{t!("queue-next-due")}</dt><dd>{at(|queue| queue.next_due)}</dd></div>
            <div><dt>{t!("queue-oldest-ready")}</dt><dd>{at(|queue| queue.oldest_ready)}</dd></div>
            <div><dt>{t!("queue-in")}</dt><dd>{text(|queue| format::rate(queue.in_per_minute))}</dd></div>
            <div><dt>{t!("queue-out")}</dt><dd>{text(|queue| format::rate(queue.out_per_minute))}</dd></div>
            <div><dt>{t!("queue-late")}</dt><dd>{text(|queue| queue.late_ms_p99.map_or_else(|| "–".to_owned(), format::percentile))}</dd></div>
            <div><dt>{t!("queue-dead-hour")}</dt><dd>{text(|queue| format::number(queue.dead_last_hour))}</dd></div>
        </dl>
    }
    .into_any()
}

/// How the queue's jobs are run; of those handed on, how many are out and since when the first of them is.
fn run_by(modes: &[RunMode]) -> AnyView {
    if modes.is_empty() {
        return "–".into_any();
    }
    let line = |mode: &RunMode| {
        let handed = match mode {
            RunMode::HandedOn(on, count) => {
                let oldest =
                    on.oldest.map(|at| view! { <small>{t!("queue-handed-oldest")} " " <Time at/></small> });
                Some(view! { <small>{t!("queue-handed-out", count = *count)}</small> {oldest} })
            }
            _ => None,
        };
        view! { <li>{i18n::run_mode(mode)} {handed}</li> }
    };
    view! { <ul>{modes.iter().map(line).collect_view()}</ul> }.into_any()
}
