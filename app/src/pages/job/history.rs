//! Every change of the job: when, what, who, why.

use leptos::prelude::*;
use reprieve::model::{HistoryEntry, JobDetail, JobState, Timestamp};

use crate::components::badge::Badge;
use crate::components::time::{Time, TimeStyle};

/// The changes, newest first.
#[component]
pub(super) fn History(
    /// The job with its history.
    detail: RwSignal<JobDetail>,
) -> impl IntoView {
    // Each change with the due time before it, where that is known.
    let changes = Memo::new(move |_| detail.with(|detail| with_due_before(&detail.history)));
    view! {
        <section class="panel" aria-label="History">
            <div class="panel-head"><h2>"History"</h2></div>
            <div class="table-scroll" tabindex="0" role="region" aria-label="History, scrollable">
                <table class="table history">
                    <thead>
                        <tr>
                            <th scope="col">"When"</th>
                            <th scope="col">"Change"</th>
                            <th scope="col">"Who"</th>
                            <th scope="col">"Why"</th>
                            <th scope="col" class="number">"Version"</th>
                        </tr>
                    </thead>
                    <tbody>
                        <For each=move || changes.get() key=|(entry, _)| entry.version let:change>
                            <Row entry=change.0 due_before=change.1/>
                        </For>
                    </tbody>
                </table>
            </div>
        </section>
    }
}

fn with_due_before(history: &[HistoryEntry]) -> Vec<(HistoryEntry, Option<Timestamp>)> {
    let before = history.iter().skip(1).map(|entry| Some(entry.due)).chain([None]);
    history.iter().cloned().zip(before).collect()
}

#[component]
fn Row(entry: HistoryEntry, due_before: Option<Timestamp>) -> impl IntoView {
    let from = match entry.from {
        Some(from) if from != entry.to => {
            Some(view! { <Badge state=from/> <span aria-label="to">" → "</span> }.into_any())
        }
        Some(_) => None,
        None => Some(view! { <span class="quiet">"Enqueued → "</span> }.into_any()),
    };
    // A new time is the point of a change that leaves the state; a retry's own time goes without saying.
    let due = due_before.filter(|&before| before != entry.due && entry.to != JobState::Active).map(|before| {
        view! {
            <span class="history-due">
                "due " <Time at=before style=TimeStyle::Absolute/> " → " <Time at=entry.due style=TimeStyle::Absolute/>
            </span>
        }
    });
    view! {
        <tr>
            <td><Time at=entry.at style=TimeStyle::Exact/></td>
            <td><span class="history-change">{from} <Badge state=entry.to/></span> {due}</td>
            <td>{entry.by}</td>
            <td class="history-why">{entry.why}</td>
            <td class="number">{entry.version.to_string()}</td>
        </tr>
    }
}
