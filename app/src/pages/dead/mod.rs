//! Dead jobs by what killed them.

mod group;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;
use reprieve::model::{Failures, QueueName};

use self::group::Group;
use crate::api::get_failures;
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::live::Live;
use crate::{routes, t};
use reprieve::model::StateGroup;

/// Looking through thousands of jobs is not done at every change, in seconds.
const PULSE_SECONDS: i64 = 15;

/// The groups, the most frequent first.
#[component]
pub fn DeadPage() -> impl IntoView {
    let query = use_query_map();
    let pulse = Live::get().pulse(PULSE_SECONDS);
    let queue =
        Memo::new(move |_| query.with(|query| query.get("queue")).and_then(|name| QueueName::new(name).ok()));
    let failures = Resource::new(
        move || (queue.get(), pulse.get()),
        |(queue, _)| async move { (queue.clone(), get_failures(queue).await) },
    );
    let content = move || {
        Suspend::new(async move {
            match failures.await {
                (queue, Ok(failures)) => view! { <Groups queue failures/> }.into_any(),
                (_, Err(error)) => view! { <ErrorPanel error/> }.into_any(),
            }
        })
    };
    view! {
        <Title text=format!("{} · Reprieve", t!("dead-title"))/>
        <header class="jobs-head">
            <h1 tabindex="-1">{t!("dead-title")}</h1>
            <a class="button" href=move || routes::jobs(StateGroup::Dead, queue.get().as_ref())>{t!("dead-as-list")}</a>
        </header>
        <Transition>{content}</Transition>
    }
    .into_any()
}

#[component]
fn Groups(
    /// Of this queue, or of all.
    queue: Option<QueueName>,
    /// The groups as they were read.
    failures: Failures,
) -> impl IntoView {
    if failures.groups.is_empty() {
        return view! { <Empty text=t!("states-empty-dead")/> }.into_any();
    }
    let told = if failures.scanned < failures.total {
        t!(
            "dead-looked-at-part",
            scanned = failures.scanned,
            total = failures.total,
            groups = failures.groups.len()
        )
    } else {
        t!("dead-looked-at", total = failures.total, groups = failures.groups.len())
    };
    let scope = queue.as_ref().map(|queue| t!("dead-of-queue", queue = queue.to_string()));
    let groups = failures.groups.into_iter().enumerate().map(|(place, group)| {
        let queue = queue.clone();
        view! { <Group place group queue/> }
    });
    view! {
        <p class="quiet">{scope} " " {told}</p>
        <ol class="failure-groups">{groups.collect_view()}</ol>
    }
    .into_any()
}
