//! Which queue.

use leptos::prelude::*;

use super::QueueCounts;
use super::kept_fields::KeptFields;
use crate::list::Address;
use crate::{routes, t};

/// A plain GET form; with script a choice takes effect at once.
#[component]
pub(crate) fn Filter(
    address: Address,
    /// The queues there are.
    counts: QueueCounts,
) -> impl IntoView {
    let mut names: Vec<_> = counts.names().cloned().collect();
    // A queue without jobs may still be asked for.
    if let Some(asked) = address.queue.clone().filter(|asked| !names.contains(asked)) {
        names.push(asked);
    }
    let none = address.queue.is_none();
    let asked = address.queue.clone();
    let queues = names.into_iter().map(|name| {
        let chosen = asked.as_ref() == Some(&name);
        view! { <option value=name.to_string() selected=chosen>{name.to_string()}</option> }
    });
    let queues = queues.collect_view();
    let there = routes::jobs(address.group, None);
    view! {
        <form class="filter" method="get" action=there data-at-once="">
            <label>
                <span>{t!("jobs-queue")}</span>
                <select name="queue">
                    <option value="" selected=none>{t!("jobs-all-queues")}</option>
                    {queues}
                </select>
            </label>
            <KeptFields address asked=&["queue"]/>
            <button type="submit" class="button only-plain">{t!("jobs-show")}</button>
        </form>
    }
}
