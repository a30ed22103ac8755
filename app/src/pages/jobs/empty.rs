//! The empty lists: nothing yet, nothing in this state, nothing that matches, nothing so far, nothing more.

use leptos::prelude::*;
use reprieve::model::Tally;

use super::QueueCounts;
use super::address::Address;
use super::sealed::Unsealed;
use crate::components::empty::Empty;
use crate::components::first_job::FirstJob;
use crate::{i18n, t};

/// What stands where no row is, and the way out.
#[component]
pub(crate) fn EmptyList(
    /// The list on screen.
    address: Address,
    /// How many jobs each queue holds.
    counts: QueueCounts,
    /// How many jobs each of the list's ways out would give.
    ways: Vec<Tally>,
    /// Whether there are jobs that were not looked at yet.
    partly: Signal<bool>,
) -> impl IntoView {
    let suspended = move || {
        let (address, ways) = (address.clone(), ways.clone());
        // Tried: a list may be asked once more while rows take the place of this.
        let is_end = address.after.is_some() && partly.try_get() == Some(false);
        Suspend::new(async move {
            let first = counts.ready().await;
            let everywhere = counts.now(None, &first);
            let group = address.group;
            let total: u64 =
                reprieve::model::StateGroup::ALL.iter().map(|&group| everywhere.group(group)).sum();
            if is_end {
                let start = address.starting_at(None).href();
                return view! {
                    <Empty text=t!("jobs-ends-here")>
                        <a class="button" href=start>{t!("jobs-to-beginning")}</a>
                    </Empty>
                }
                .into_any();
            }
            if !address.q.is_empty() {
                return view! { <NothingMatches address=address.clone() ways partly/> }.into_any();
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

/// No job fits: which term to drop, and how many jobs that would give.
#[component]
fn NothingMatches(address: Address, ways: Vec<Tally>, partly: Signal<bool>) -> impl IntoView {
    let unsealed = Unsealed::get();
    // What a sealed term says may be known later than that nothing fits.
    move || {
        let mut ways = ways.iter().cloned();
        let links: Vec<_> = address
            .ways_out()
            .into_iter()
            .map(|(term, there)| {
                let term = unsealed.said(&term);
                let count = ways.next();
                // What leads from nothing to nothing is no invitation.
                let tone = if count == Some(Tally::new(0, false)) { "quiet" } else { "plain" };
                let text = match count {
                    None => t!("filter-without", term = term),
                    Some(Tally { found, or_more: false, .. }) => {
                        t!("filter-without-jobs", term = term, count = found)
                    }
                    Some(Tally { found, .. }) => t!("filter-without-some", term = term, count = found),
                };
                view! { <a class="button" data-tone=tone href=there.href()>{text}</a> }
            })
            .collect();
        let filter = unsealed.said(&address.q);
        let text = match partly.try_get().unwrap_or_default() {
            true => t!("filter-nothing-yet", filter = filter),
            false => t!("filter-nothing", filter = filter),
        };
        view! {
            <Empty text>
                <span class="empty-ways">{links}</span>
            </Empty>
        }
    }
}
