//! Emptying a list (level L3): what it would do is looked up first, on a page of its own.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use reprieve::model::{Permission, QueueName, QueueSummary, StateGroup};

use crate::api::EmptyList;
use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::i18n;
use crate::live::effect::effect;
use crate::notice::Notices;
use crate::session::Session;
use crate::{routes, t};

/// The two buttons.
#[component]
pub(super) fn EmptyLists(
    /// Which queue.
    name: QueueName,
    /// The queue, kept true.
    summary: Memo<QueueSummary>,
) -> impl IntoView {
    view! {
        <section class="queue-empty" aria-label=t!("queue-empty")>
            <EmptyOne name=name.clone() group=StateGroup::Ready summary/>
            <EmptyOne name group=StateGroup::Dead summary/>
        </section>
    }
    .into_any()
}

#[component]
fn EmptyOne(name: QueueName, group: StateGroup, summary: Memo<QueueSummary>) -> impl IntoView {
    let action = FormAction::<EmptyList>::new();
    let notices = Notices::get();
    let navigate = use_navigate();
    effect(move || match action.value().get() {
        None => {}
        Some(Ok(run)) => {
            navigate(&format!("{}/{run}", routes::BULK), leptos_router::NavigateOptions::default());
        }
        Some(Err(error)) => notices.fail(&error),
    });
    let count = Memo::new(move |_| summary.with(|queue| queue.counts.group(group)));
    let (verb, sentence) = if group == StateGroup::Ready {
        (t!("queue-empty-ready"), t!("queue-empty-ready-sentence"))
    } else {
        (t!("queue-empty-dead"), t!("queue-empty-dead-sentence"))
    };
    let lacks = (!Session::get().may(Permission::EmptyQueues)).then(|| i18n::needs(Permission::EmptyQueues));
    let why = Signal::derive(move || match &lacks {
        Some(needs) => needs.clone(),
        None if count.get() == 0 => i18n::empty_list(group),
        None => String::new(),
    });
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
            <PostForm action>
                <input type="hidden" name="queue" value=name.to_string()/>
                <input type="hidden" name="group" value=group.as_str()/>
                <BackField/>
                <ReasonFields id=reasons/>
                <button type="submit" class="button" data-tone="primary">{t!("queue-empty-look")}</button>
            </PostForm>
        </Confirm>
    }
    .into_any()
}
