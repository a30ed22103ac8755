//! What is in the hands of a worker.

use leptos::prelude::*;
use reprieve::model::JobRow;

use crate::components::elapsed::{Elapsed, Remaining};
use crate::components::table::{Table, head, number};
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
                <Table label=t!("workers-jobs-label") class="cards" heads=vec![
                    head(t!("workers-job")), head(t!("workers-queue")), number(t!("workers-running-for")),
                    number(t!("workers-lease")),
                ]>
                    {jobs.into_iter().map(row).collect_view()}
                </Table>
                {(hidden > 0).then(|| view! { <p>{t!("workers-jobs-more", count = hidden)}</p> })}
            </details>
        }
    })
}
