//! Which queue.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use reprieve::model::QueueName;

use super::QueueCounts;
use super::address::{Address, KeptFields};
use crate::{routes, t};

/// A plain GET form; with script a choice takes effect at once.
#[component]
pub(crate) fn Filter(
    /// The list on screen.
    address: Memo<Address>,
    /// The queues there are.
    counts: QueueCounts,
) -> impl IntoView {
    let navigate = use_navigate();
    let choose_queue = move |event| {
        let queue = QueueName::new(event_target_value(&event)).ok();
        let there = Address { queue, after: None, ..address.get_untracked() };
        navigate(&there.href(), leptos_router::NavigateOptions::default());
    };
    let queues = move || {
        Suspend::new(async move {
            let mut names: Vec<QueueName> = counts.ready().await.into_iter().map(|(name, _)| name).collect();
            // A queue without jobs may still be asked for.
            if let Some(asked) = address.get_untracked().queue.filter(|asked| !names.contains(asked)) {
                names.push(asked);
            }
            names
                .into_iter()
                .map(|name| {
                    let (value, text) = (name.to_string(), name.to_string());
                    let chosen = move || address.with(|address| address.queue.as_ref() == Some(&name));
                    view! { <option value=value selected=chosen>{text}</option> }
                })
                .collect_view()
        })
    };
    let no_queue = move || address.with(|address| address.queue.is_none());
    view! {
        <form class="filter" method="get" action=move || routes::jobs(address.get().group, None)>
            <label>
                <span>{t!("jobs-queue")}</span>
                <select name="queue" on:change=choose_queue>
                    <option value="" selected=no_queue>{t!("jobs-all-queues")}</option>
                    <Transition>{queues}</Transition>
                </select>
            </label>
            <KeptFields address asked=&["queue"]/>
            <button type="submit" class="button only-plain">{t!("jobs-show")}</button>
        </form>
    }
}
