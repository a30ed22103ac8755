//! How many jobs are where, and how fast they move.

use leptos::prelude::*;
use reprieve::model::{Counts, QueueName, QueueSummary, RunMode, StateGroup, Timestamp};

use crate::components::icons::{Icon, icon};
use crate::components::time::Time;
use crate::{format, i18n, routes, t};

/// The queue's lists with their counts.
#[component]
pub(super) fn Tabs(name: QueueName, counts: Counts) -> impl IntoView {
    let tab = move |group: StateGroup| {
        let href = routes::jobs(group, Some(&name));
        view! {
            <li>
                <a class="queue-tab" href=href>
                    {icon(Icon::of_group(group))}
                    <span>{i18n::group(group)}</span>
                    <strong>{format::number(counts.group(group))}</strong>
                </a>
            </li>
        }
    };
    view! { <nav aria-label=t!("queue-lists")><ul class="queue-tabs">{StateGroup::ALL.map(tab)}</ul></nav> }
        .into_any()
}

/// Workers, waits and rates.
#[component]
pub(super) fn Figures(queue: QueueSummary) -> impl IntoView {
    let at = |at: Option<Timestamp>| match at {
        Some(at) => view! { <Time at/> }.into_any(),
        None => "–".into_any(),
    };
    let idle = (queue.workers == 0 && queue.counts.ready > 0).then(|| {
        let text = t!("queue-no-workers", count = queue.counts.ready);
        view! { <p class="job-banner">{icon(Icon::Warning)} {text}</p> }
    });
    let late = queue.late_ms_p99.map_or_else(|| "–".to_owned(), format::percentile);
    view! {
        {idle}
        <dl class="queue-figures panel">
            <div><dt>{t!("queue-workers")}</dt><dd>{format::number(queue.workers)}</dd></div>
            <div class="queue-modes"><dt>{t!("queue-modes")}</dt><dd>{run_by(&queue.modes)}</dd></div>
            <div><dt>{t!("queue-next-due")}</dt><dd>{at(queue.next_due)}</dd></div>
            <div><dt>{t!("queue-oldest-ready")}</dt><dd>{at(queue.oldest_ready)}</dd></div>
            <div><dt>{t!("queue-in")}</dt><dd>{format::rate(queue.in_per_minute)}</dd></div>
            <div><dt>{t!("queue-out")}</dt><dd>{format::rate(queue.out_per_minute)}</dd></div>
            <div><dt>{t!("queue-late")}</dt><dd>{late}</dd></div>
            <div><dt>{t!("queue-dead-hour")}</dt><dd>{format::number(queue.dead_last_hour)}</dd></div>
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
            RunMode::Published(on, count) => {
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
