//! The empty lists: nothing yet, nothing in this state, nothing that matches, nothing so far, nothing more.

use leptos::prelude::*;
use reprieve::model::{StateGroup, Tally};

use super::QueueCounts;
use crate::components::empty::Empty;
use crate::components::first_job::FirstJob;
use crate::list::Address;
use crate::list::sealed::Unsealed;
use crate::{i18n, t};

/// What stands where no row is, and the way out.
#[component]
pub(crate) fn EmptyList(
    address: Address,
    counts: QueueCounts,
    /// How many jobs each of the list's ways out would give.
    ways: Vec<Tally>,
    /// Whether there are jobs that were not looked at yet.
    partly: bool,
) -> impl IntoView {
    if address.after.is_some() && !partly {
        let start = address.starting_at(None).href();
        return view! {
            <Empty text=t!("jobs-ends-here")><a class="button" href=start>{t!("jobs-to-beginning")}</a></Empty>
        }
        .into_any();
    }
    if !address.q.is_empty() {
        return view! { <NothingMatches address ways partly/> }.into_any();
    }
    let (group, everywhere) = (address.group, counts.of(None));
    let total: u64 = StateGroup::ALL.iter().map(|&group| everywhere.group(group)).sum();
    match (&address.queue, everywhere.group(group)) {
        (Some(queue), n @ 1..) => {
            let text = t!("jobs-none-of-queue", queue = queue.to_string(), list = i18n::group(group));
            let href = address.of_all_queues().href();
            view! { <Empty text><a class="button" href=href>{t!("jobs-show-all-queues", count = n)}</a></Empty> }.into_any()
        }
        _ if total == 0 => view! { <FirstJob/> }.into_any(),
        _ => view! { <Empty text=i18n::empty_list(group)/> }.into_any(),
    }
}

/// No job fits: which term to drop, and how many jobs that would give.
#[component]
fn NothingMatches(address: Address, ways: Vec<Tally>, partly: bool) -> impl IntoView {
    let unsealed = Unsealed::get();
    let filter = unsealed.said(&address.q);
    let counts = ways.into_iter().map(Some).chain(std::iter::repeat(None));
    let links = address.ways_out().into_iter().zip(counts).map(move |((term, there), count)| {
        let term = unsealed.said(&term);
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
    });
    let text = if partly {
        t!("filter-nothing-yet", filter = filter)
    } else {
        t!("filter-nothing", filter = filter)
    };
    view! { <Empty text><span class="empty-ways">{links.collect_view()}</span></Empty> }
}
