//! What is in the hands of a worker.

use leptos::prelude::*;
use reprieve::model::JobRow;

use crate::components::elapsed::{Elapsed, Remaining};
use crate::{routes, t};

/// The jobs of one worker: kind, since when, how long its lease still holds.
#[component]
pub(super) fn JobsInHand(
    /// Those that were read.
    jobs: Vec<JobRow>,
    /// How many slots were taken at its heartbeat.
    busy: u64,
) -> impl IntoView {
    let row = |row: JobRow| {
        let since = row.started.map(|since| view! { <Elapsed since/> });
        let lease = row.lease_until.map(|until| view! { <Remaining until over=t!("workers-lease-over")/> });
        let subject = row
            .subject
            .as_ref()
            .map(|subject| view! { <small class="worker-subject">{subject.to_string()}</small> });
        view! {
            <tr>
                <th scope="row"><a href=routes::job(&row.id)>{row.kind.to_string()}</a> {subject}</th>
                <td data-label=t!("workers-queue")>{row.queue.to_string()}</td>
                <td class="number" data-label=t!("workers-running-for")>{since}</td>
                <td class="number" data-label=t!("workers-lease")>{lease}</td>
            </tr>
        }
    };
    let shown = u64::try_from(jobs.len()).unwrap_or(u64::MAX);
    // Its slots are counted at its heartbeat, its jobs are read now: the larger number holds both.
    let all = busy.max(shown);
    let hidden = all.saturating_sub(shown);
    (shown > 0).then(|| {
        view! {
            <details class="worker-jobs">
                <summary>{t!("workers-jobs", count = all)}</summary>
                <div class="table-scroll" tabindex="0" role="region" aria-label=t!("workers-jobs-label")>
                    <table class="table cards">
                        <thead>
                            <tr>
                                <th scope="col">{t!("workers-job")}</th>
                                <th scope="col">{t!("workers-queue")}</th>
                                <th scope="col" class="number">{t!("workers-running-for")}</th>
                                <th scope="col" class="number">{t!("workers-lease")}</th>
                            </tr>
                        </thead>
                        <tbody>{jobs.into_iter().map(row).collect_view()}</tbody>
                    </table>
                </div>
                {(hidden > 0).then(|| view! { <p>{t!("workers-jobs-more", count = hidden)}</p> })}
            </details>
        }
    })
}
