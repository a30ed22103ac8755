//! Emptying a list (level L3): what it would do is looked up first, on a page of its own.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Counts, Permission, QueueName, StateGroup};

use crate::api::queue::EmptyList;
use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::session::Session;
use crate::{i18n, t};

/// The two buttons.
#[component]
pub(super) fn EmptyLists(name: QueueName, counts: Counts) -> impl IntoView {
    view! {
        <section class="queue-empty" aria-label=t!("queue-empty")>
            <EmptyOne name=name.clone() group=StateGroup::Ready count=counts.group(StateGroup::Ready)/>
            <EmptyOne name group=StateGroup::Dead count=counts.group(StateGroup::Dead)/>
        </section>
    }
    .into_any()
}

#[component]
fn EmptyOne(name: QueueName, group: StateGroup, count: u64) -> impl IntoView {
    let (verb, sentence) = if group == StateGroup::Ready {
        (t!("queue-empty-ready"), t!("queue-empty-ready-sentence"))
    } else {
        (t!("queue-empty-dead"), t!("queue-empty-dead-sentence"))
    };
    let why = match Session::get().may(Permission::EmptyQueues) {
        false => i18n::needs(Permission::EmptyQueues),
        true if count == 0 => i18n::empty_list(group),
        true => String::new(),
    };
    let id = format!("empty-{group}");
    let reasons = format!("{id}-why");
    let title = verb.clone();
    view! {
        <Confirm
            id
            trigger=move || view! { {icon(Icon::of_group(group))} <span>{verb.clone()}</span> }
            title
            sentence
            dismiss=t!("acts-keep-jobs")
            disabled_because=why
            tone="danger"
            dismiss_first=true
        >
            <form method="post" action=EmptyList::PATH>
                <input type="hidden" name="queue" value=name.to_string()/>
                <input type="hidden" name="group" value=group.as_str()/>
                <BackField/>
                <ReasonFields id=reasons/>
                <button type="submit" class="button" data-tone="primary">{t!("queue-empty-look")}</button>
            </form>
        </Confirm>
    }
    .into_any()
}
