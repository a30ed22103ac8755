//! The empty lists: nothing yet, nothing in this state, nothing that matches, nothing more.

use leptos::prelude::*;

use super::QueueCounts;
use super::address::Address;
use crate::components::empty::Empty;
use crate::pages::overview::first_job::FirstJob;
use crate::{format, i18n};

/// What stands where no row is, and the way out.
#[component]
pub(crate) fn EmptyList(
    /// The list on screen.
    address: Address,
    /// How many jobs each queue holds.
    counts: QueueCounts,
) -> impl IntoView {
    let suspended = move || {
        let address = address.clone();
        Suspend::new(async move {
            let first = counts.ready().await;
            let everywhere = counts.now(None, &first);
            let group = address.group;
            let total: u64 =
                reprieve::model::StateGroup::ALL.iter().map(|&group| everywhere.group(group)).sum();
            if address.after.is_some() {
                let start = address.starting_at(None).href();
                return view! {
                    <Empty text="The list ends here.">
                        <a class="button" href=start>"Back to its beginning"</a>
                    </Empty>
                }
                .into_any();
            }
            match (&address.queue, everywhere.group(group)) {
                (Some(queue), n @ 1..) => {
                    let text = format!("No job of the queue {queue} is in {}.", i18n::group(group));
                    view! {
                        <Empty text>
                            <a class="button" href=address.of_all_queues().href()>
                                {format!("Show all queues ({})", format::number(n))}
                            </a>
                        </Empty>
                    }
                    .into_any()
                }
                _ if total == 0 => view! { <FirstJob/> }.into_any(),
                _ => view! { <Empty text=i18n::empty_list(group)/> }.into_any(),
            }
        })
    };
    view! { <Transition>{suspended}</Transition> }
}
