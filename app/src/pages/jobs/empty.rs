//! The empty lists: nothing yet, nothing in this state, nothing that matches, nothing more.

use leptos::prelude::*;
use reprieve::model::Filter;

use super::QueueCounts;
use super::address::Address;
use crate::components::empty::Empty;
use crate::pages::overview::first_job::FirstJob;
use crate::{i18n, t};

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
                    <Empty text=t!("jobs-ends-here")>
                        <a class="button" href=start>{t!("jobs-to-beginning")}</a>
                    </Empty>
                }
                .into_any();
            }
            if !address.q.is_empty() {
                return view! { <NothingMatches address=address.clone()/> }.into_any();
            }
            match (&address.queue, everywhere.group(group)) {
                (Some(queue), n @ 1..) => {
                    let text = t!("jobs-none-of-queue", queue = queue.to_string(), list = i18n::group(group));
                    view! {
                        <Empty text>
                            <a class="button" href=address.of_all_queues().href()>
                                {t!("jobs-show-all-queues", count = n)}
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

/// No job fits: which term to drop.
#[component]
fn NothingMatches(address: Address) -> impl IntoView {
    let filter: Filter = address.q.parse().unwrap_or_default();
    let ways: Vec<_> = filter
        .terms()
        .iter()
        .enumerate()
        .map(|(place, term)| {
            let href = address.filtered(&filter.without(place)).href();
            view! { <a class="button" href=href>{t!("filter-without", term = term.to_string())}</a> }
        })
        .collect();
    view! {
        <Empty text=t!("filter-nothing", filter = address.q)>
            <span class="empty-ways">{ways}</span>
        </Empty>
    }
}
