//! What is in the hands of a worker.

use leptos::prelude::*;
use reprieve::model::{JobRow, WorkerAtWork};

use crate::components::elapsed::{Elapsed, Remaining};
use crate::{routes, t};

/// The jobs of one worker: kind, since when, how long its lease still holds.
#[component]
pub(super) fn JobsInHand(at: Memo<Option<WorkerAtWork>>) -> impl IntoView {
    let jobs = Memo::new(move |_| at.with(|at| at.as_ref().map(|at| at.jobs.clone()).unwrap_or_default()));
    let busy = move || at.with(|at| at.as_ref().map_or(0, |at| at.info.busy));
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
    move || {
        let jobs = jobs.get();
        let shown = u64::try_from(jobs.len()).unwrap_or(u64::MAX);
        if jobs.is_empty() {
            return None;
        }
        // Its slots are counted at its heartbeat, its jobs are read now: the larger number holds both.
        let all = busy().max(shown);
        let hidden = all.saturating_sub(shown);
        Some(view! {
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
        })
    }
}
