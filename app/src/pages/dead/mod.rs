//! Dead jobs by what killed them.

mod group;
mod mute;
mod order;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;
use reprieve::model::{FailureGroup, Failures, QueueName};

use self::group::Group;
use self::order::{Order, Standing};
use crate::api::get_failures;
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::loading::{Loading, Shape};
use crate::error::ApiError;
use crate::live::Live;
use crate::live::latest::Latest;
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

/// What was read: of one queue or of all, and its failures.
type Read = (Option<QueueName>, Failures);

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
        |(queue, ..)| async move { get_failures(queue.clone()).await.map(|failures| (queue, failures)) },
    );
    view! {
        <Title text=format!("{} · Reprieve", t!("dead-title"))/>
        <header class="jobs-head">
            <h1 tabindex="-1">{t!("dead-title")}</h1>
            <a class="button" href=move || routes::jobs(StateGroup::Dead, queue.get().as_ref())>{t!("dead-as-list")}</a>
        </header>
        <Loading shape=Shape::Panels>
            <Loaded failures only=error/>
        </Loading>
    }
    .into_any()
}

/// The page behind its first answer.
#[component]
fn Loaded(
    failures: Reading<Result<Read, ApiError>>,
    /// No other one than that, by its mask; every one without.
    only: Memo<Option<String>>,
) -> impl IntoView {
    let latest = Latest::of(failures);
    Suspend::new(async move {
        let _first = failures.await;
        view! { <Groups latest only/> }
    })
}

#[component]
fn Groups(latest: Latest<Read>, only: Memo<Option<String>>) -> impl IntoView {
    let read = latest.data;
    let error = move || latest.error.get().map(|error| view! { <ErrorPanel error/> });
    let order = Memo::new(move |before: Option<&Order>| {
        let before = before.cloned().unwrap_or_default();
        read.with(|read| match read {
            Some((queue, failures)) => before.after(queue.as_ref(), &failures.groups),
            None => before,
        })
    });
    // What is muted stands apart, in the same order.
    let those = move |muted: bool| {
        Memo::new(move |_| {
            let is_shown = |at: &&Standing| {
                only.with(|only| only.as_ref().is_none_or(|mask| *mask == at.mask))
                    && group_of(read, &at.mask).is_some_and(|group| group.muted.is_some() == muted)
            };
            order.with(|order| order.standing().iter().filter(is_shown).cloned().collect::<Vec<_>>())
        })
    };
    let (told_of, muted) = (those(false), those(true));
    // Whether unfolded, which outlives each reading.
    let unfolded = RwSignal::new(false);
    let (has_told_of, has_muted) =
        (Memo::new(move |_| !told_of.with(Vec::is_empty)), Memo::new(move |_| !muted.with(Vec::is_empty)));
    let folded = move || {
        has_muted.get().then(|| {
            view! {
                <details class="failures-muted" open=unfolded on:toggle:target=move |event| unfolded.set(event.target().open())>
                    <summary>{move || t!("dead-muted", count = muted.with(Vec::len))}</summary>
                    <Listed read those=muted/>
                </details>
            }
        })
    };
    let is_none = Memo::new(move |_| !has_told_of.get() && !has_muted.get());
    let to_all = move |queue: Option<&QueueName>| {
        let whole = routes::dead(queue);
        only.get().map(|_| view! { <p><a href=whole>{t!("dead-all-errors")}</a></p> })
    };
    let told = move || {
        let is_none = is_none.get();
        read.with(|read| {
            let (queue, failures) = read.as_ref()?;
            if failures.groups.is_empty() {
                return Some(view! { <Empty text=t!("states-empty-dead")/> }.into_any());
            }
            let none = is_none.then(|| view! { <Empty text=t!("dead-not-that")/> });
            let (scope, told) = (scope(queue.as_ref()), looked_at(failures));
            let rarer = (failures.rarer > 0).then(|| t!("dead-not-shown", count = failures.rarer));
            Some(
                view! { <p class="quiet">{scope} " " {told} " " {rarer}</p> {to_all(queue.as_ref())} {none} }
                    .into_any(),
            )
        })
    };
    view! {
        {error}
        {told}
        {move || has_told_of.get().then(|| view! { <Listed read those=told_of/> })}
        {folded}
    }
    .into_any()
}

/// Some of them. Each is itself whatever comes and goes above it: the focus and what is open stay with it.
#[component]
fn Listed(read: Memo<Option<Read>>, those: Memo<Vec<Standing>>) -> impl IntoView {
    let one = move |Standing { place, mask }| {
        let read_now = Memo::new(move |_| {
            let group = group_of(read, &mask)?;
            read.with(|read| read.as_ref().map(|(queue, failures)| (queue.clone(), group, failures.read_at)))
        });
        move || read_now.get().map(|(queue, group, read_at)| view! { <Group place group queue read_at/> })
    };
    view! {
        <ol class="failure-groups">
            <For each=move || those.get() key=Clone::clone children=one/>
        </ol>
    }
}

fn group_of(read: Memo<Option<Read>>, mask: &str) -> Option<FailureGroup> {
    read.with(|read| read.as_ref()?.1.groups.iter().find(|group| group.mask == mask).cloned())
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
    use reprieve::model::Timestamp;

    #[test]
    fn errors_that_are_not_shown_are_counted_as_well() {
        let mut failures = Failures::new(Vec::new(), 300, 300, Timestamp::EPOCH);
        failures.rarer = 201;
        assert_eq!(looked_at(&failures), "300 dead jobs with 201 errors.");
    }
}
