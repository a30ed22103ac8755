//! The seven lists with their counts.

use leptos::prelude::*;
use reprieve::model::StateGroup;

use super::QueueCounts;
use super::address::Address;
use crate::components::icons::{Icon, icon};
use crate::{i18n, t};

/// The way from list to list. Counts respect the queue that is looked at.
#[component]
pub(crate) fn Tabs(
    /// The list on screen.
    address: Memo<Address>,
    /// How many jobs each queue holds.
    counts: QueueCounts,
) -> impl IntoView {
    let tabs = move || {
        Suspend::new(async move {
            let first = StoredValue::new(counts.first().await);
            StateGroup::ALL.map(|group| {
                let href = move || address.with(|address| address.of_group(group).href());
                let current = move || address.with(|address| address.group == group).then_some("page");
                let number = move || {
                    let queue = address.with(|address| address.queue.clone());
                    first.with_value(|first| counts.figure(queue.as_ref(), group, first.as_ref()))
                };
                view! {
                    <a class="tab" href=href aria-current=current data-group=group.as_str()>
                        {icon(Icon::of_group(group))}
                        <span>{i18n::group(group)}</span>
                        <strong>{number}</strong>
                    </a>
                }
            })
        })
    };
    view! {
        <nav class="tabs" aria-label=t!("jobs-lists")>
            <Transition>{tabs}</Transition>
        </nav>
    }
}
