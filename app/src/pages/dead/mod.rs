//! Dead jobs by what killed them.

mod group;
mod mute;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;
use reprieve::model::{FailureGroup, Failures, QueueName};

use self::group::Group;
use crate::api::get_failures;
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::loading::{Loading, Shape};
use crate::live::Live;
use crate::live::reading::Reading;
use crate::{routes, t};
use reprieve::model::StateGroup;

/// Looking through thousands of jobs is not done at every change, in seconds.
const PULSE_SECONDS: i64 = 15;

/// Grows with each act of this page on a group, so that what came of it is read at once.
#[derive(Clone, Copy)]
struct Acts(RwSignal<u64>);

impl Acts {
    fn succeeded() -> impl Fn() {
        let acts: Self = expect_context();
        move || {
            let _ = acts.0.try_update(|acts| *acts += 1);
        }
    }
}

/// The groups, the most frequent first.
#[component]
pub fn DeadPage() -> impl IntoView {
    let query = use_query_map();
    let error = Memo::new(move |_| query.with(|query| query.get("error")).filter(|error| !error.is_empty()));
    let pulse = Live::get().pulse(PULSE_SECONDS);
    let queue =
        Memo::new(move |_| query.with(|query| query.get("queue")).and_then(|name| QueueName::new(name).ok()));
    let acts = Acts(RwSignal::new(0));
    provide_context(acts);
    let failures = Reading::new(
        move || (queue.get(), pulse.get(), acts.0.get()),
        |(queue, ..)| async move { (queue.clone(), get_failures(queue).await) },
    );
    let unfolded = RwSignal::new(false);
    let content = move || {
        Suspend::new(async move {
            match failures.await {
                (queue, Ok(failures)) => {
                    view! { <Groups queue failures only=error.get() unfolded/> }.into_any()
                }
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
        <Loading shape=Shape::Panels>{content}</Loading>
    }
    .into_any()
}

#[component]
fn Groups(
    /// Of this queue, or of all.
    queue: Option<QueueName>,
    /// The groups as they were read.
    failures: Failures,
    /// No other one than that, by its mask; every one without.
    only: Option<String>,
    /// Whether those that are muted are unfolded, which outlives each reading.
    unfolded: RwSignal<bool>,
) -> impl IntoView {
    if failures.groups.is_empty() {
        return view! { <Empty text=t!("states-empty-dead")/> }.into_any();
    }
    let whole = routes::dead(queue.as_ref());
    let to_all = only.is_some().then(|| view! { <p><a href=whole>{t!("dead-all-errors")}</a></p> });
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
    let asked = |(_, group): &(usize, FailureGroup)| only.as_ref().is_none_or(|mask| *mask == group.mask);
    let (muted, told_of): (Vec<_>, Vec<_>) =
        failures.groups.into_iter().enumerate().filter(asked).partition(|(_, group)| group.muted.is_some());
    let none = (muted.is_empty() && told_of.is_empty()).then(|| view! { <Empty text=t!("dead-not-that")/> });
    let (many, read_at) = (muted.len(), failures.read_at);
    let listed = move |groups: Vec<(usize, FailureGroup)>| {
        let groups = groups.into_iter().map(|(place, group)| {
            let queue = queue.clone();
            view! { <Group place group queue read_at/> }
        });
        view! { <ol class="failure-groups">{groups.collect_view()}</ol> }
    };
    let folded = (many > 0).then(|| {
        view! {
            <details class="failures-muted" open=unfolded on:toggle:target=move |event| unfolded.set(event.target().open())>
                <summary>{t!("dead-muted", count = many)}</summary>
                {listed(muted)}
            </details>
        }
    });
    view! {
        <p class="quiet">{scope} " " {told}</p>
        {to_all}
        {none}
        {(!told_of.is_empty()).then(|| listed(told_of))}
        {folded}
    }
    .into_any()
}
