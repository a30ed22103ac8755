//! The seven lists with their counts.

use leptos::prelude::*;
use reprieve::model::StateGroup;

use super::QueueCounts;
use crate::components::icons::{Icon, icon};
use crate::list::Address;
use crate::{i18n, t};

/// The way from list to list. Counts respect the queue that is looked at.
#[component]
pub(crate) fn Tabs(address: Address, counts: QueueCounts) -> impl IntoView {
    let tabs = StateGroup::ALL.map(|group| {
        let current = (address.group == group).then_some("page");
        view! {
            <a class="tab" href=address.of_group(group).href() aria-current=current data-group=group.as_str()>
                {icon(Icon::of_group(group))}
                <span>{i18n::group(group)}</span>
                <strong>{counts.figure(address.queue.as_ref(), group)}</strong>
            </a>
        }
    });
    view! { <nav class="tabs" aria-label=t!("jobs-lists")>{tabs.collect_view()}</nav> }
}
