//! Dead jobs by what killed them.

mod group;
mod mask;
mod mute;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use reprieve::model::{FailureGroup, Failures, QueueName, StateGroup, Timestamp};

use self::group::Group;
use crate::api::failures::get_failures;
use crate::components::empty::Empty;
use crate::components::error_panel::or_why;
use crate::components::page_head::PageTitle;
use crate::light::{RefreshedEvery, suspended};
use crate::print::print;
use crate::{routes, t};

/// Looking through thousands of jobs is not done at every change, in seconds.
const PULSE_SECONDS: u32 = 15;

/// The groups, the most frequent first.
#[component]
pub fn DeadPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    let only = query.get("error").filter(|error| !error.is_empty());
    let queue = query.get("queue").and_then(|name| QueueName::new(name).ok());
    let as_list = routes::jobs(StateGroup::Dead, queue.as_ref());
    let groups = suspended(async move {
        or_why(get_failures(queue.clone()).await.map(|failures| view! { <Groups failures queue only/> }))
    });
    view! {
        <PageTitle title=t!("dead-title")/>
        <RefreshedEvery seconds=PULSE_SECONDS/>
        <header class="jobs-head">
            <h1 tabindex="-1">{t!("dead-title")}</h1>
            <a class="button" href=as_list>{t!("dead-as-list")}</a>
        </header>
        {groups}
    }
    .into_any()
}

#[component]
fn Groups(
    failures: Failures,
    queue: Option<QueueName>,
    /// No other one than that, by its mask; every one without.
    only: Option<String>,
) -> impl IntoView {
    if failures.groups.is_empty() {
        return view! { <Empty text=t!("states-empty-dead")/> }.into_any();
    }
    let (scope, told) = (scope(queue.as_ref()), looked_at(&failures));
    let rarer = (failures.rarer > 0).then(|| t!("dead-not-shown", count = failures.rarer));
    let to_all = only.is_some().then(|| {
        let whole = routes::dead(queue.as_ref());
        view! { <p><a href=whole>{t!("dead-all-errors")}</a></p> }
    });
    let is_shown = |group: &FailureGroup| only.as_ref().is_none_or(|mask| *mask == group.mask);
    let shown = failures.groups.into_iter().filter(is_shown);
    // What is muted stands apart, in the same order.
    let (muted, told_of): (Vec<_>, Vec<_>) = shown.partition(|group| group.muted.is_some());
    let none = (muted.is_empty() && told_of.is_empty()).then(|| view! { <Empty text=t!("dead-not-that")/> });
    let read_at = failures.read_at;
    let groups = (!told_of.is_empty()).then(|| listed("failures", told_of, queue.as_ref(), read_at));
    let folded = (!muted.is_empty()).then(|| {
        let summary = t!("dead-muted", count = muted.len());
        let muted = listed("muted", muted, queue.as_ref(), read_at);
        view! { <details class="failures-muted"><summary>{summary}</summary>{muted}</details> }
    });
    view! {
        <p class="quiet">{scope} " " {told} " " {rarer}</p>
        {to_all}
        {none}
        {groups}
        {folded}
    }
    .into_any()
}

/// Some of them. The order stays while somebody points at one.
fn listed(
    id: &'static str,
    groups: Vec<FailureGroup>,
    queue: Option<&QueueName>,
    read_at: Timestamp,
) -> impl IntoView + use<> {
    let one = |group: FailureGroup| {
        let id = format!("failure-{}", print(&group.mask));
        view! { <Group id group queue=queue.cloned() read_at/> }
    };
    let groups = groups.into_iter().map(one).collect_view();
    view! { <ol class="failure-groups" id=id data-still="">{groups}</ol> }
}

fn scope(queue: Option<&QueueName>) -> Option<String> {
    queue.map(|queue| t!("dead-of-queue", queue = queue.to_string()))
}

/// How many jobs were looked at, and in how many groups they are.
fn looked_at(failures: &Failures) -> String {
    let shown = u64::try_from(failures.groups.len()).unwrap_or(u64::MAX);
    let groups = shown.saturating_add(failures.rarer);
    if failures.scanned < failures.total {
        t!("dead-looked-at-part", scanned = failures.scanned, total = failures.total, groups = groups)
    } else {
        t!("dead-looked-at", total = failures.total, groups = groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_are_not_shown_are_counted_as_well() {
        let mut failures = Failures::new(Vec::new(), 300, 300, Timestamp::EPOCH);
        failures.rarer = 201;
        assert_eq!(looked_at(&failures), "300 dead jobs with 201 errors.");
    }
}
