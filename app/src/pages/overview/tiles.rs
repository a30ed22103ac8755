//! The four numbers, each with what makes it worth looking at.

use leptos::prelude::*;
use reprieve::model::{Counts, Overview, StateGroup, Timestamp};

use crate::components::icons::{Icon, icon};
use crate::components::strip::LIVE_QUEUES;
use crate::components::time::{HERE, TimedSentence};
use crate::{format, i18n, routes, t};

/// Delay, Ready, Active, Dead; below them, smaller, what has ended or rests.
#[component]
pub(crate) fn Tiles(overview: Overview) -> impl IntoView {
    let counts = overview.counts();
    let rest = [StateGroup::Done, StateGroup::Cancelled, StateGroup::Held].map(|group| {
        view! {
            <a href=routes::jobs(group, None)>
                {icon(Icon::of_group(group))} {i18n::group(group)} " "
                <strong>{format::number(counts.group(group))}</strong>
            </a>
        }
    });
    let tile = |group: StateGroup| {
        let slots = (group == StateGroup::Active && overview.slots > 0)
            .then(|| view! { <small>{format!(" / {}", format::number(overview.slots))}</small> });
        let note = at_rest(group, &counts).map_or_else(|| note(group, &overview), IntoAny::into_any);
        view! {
            <a class="tile" href=routes::jobs(group, None) data-group=group.as_str()>
                <span class="tile-name">{icon(Icon::of_group(group))} {i18n::group(group)}</span>
                <span class="tile-figure">{format::number(counts.group(group))} {slots}</span>
                <span class="tile-note">{note}</span>
            </a>
        }
    };
    view! {
        <section class="tiles" aria-label=t!("overview-live-queues")>{LIVE_QUEUES.map(tile)}</section>
        <nav class="tiles-rest" aria-label=t!("overview-other-lists")>{rest}</nav>
    }
}

/// What is said of a list without jobs; `None` where there are some, or where the note is not of them.
fn at_rest(group: StateGroup, counts: &Counts) -> Option<String> {
    match group {
        _ if counts.group(group) > 0 => None,
        StateGroup::Delay => Some(t!("overview-nothing-due")),
        StateGroup::Ready => Some(t!("overview-nothing-waits")),
        _ => None,
    }
}

/// What was read of a list with jobs.
fn note(group: StateGroup, overview: &Overview) -> AnyView {
    let queues = || overview.queues.iter();
    match group {
        StateGroup::Delay => queues()
            .filter_map(|queue| queue.next_due)
            .min()
            .map(|at| next_due(at, overview.read_at))
            .into_any(),
        StateGroup::Ready => {
            let oldest = queues().filter_map(|queue| queue.oldest_ready).min();
            let span = oldest.map(|oldest| format::span(overview.read_at.millis_since(oldest).max(0)));
            span.map(|span| t!("overview-oldest", span = span)).into_any()
        }
        StateGroup::Active => t!("overview-workers", count = overview.workers).into_any(),
        StateGroup::Dead => {
            let count = queues().map(|queue| queue.dead_last_hour).sum::<u64>();
            t!("overview-dead-hour", count = count).into_any()
        }
        StateGroup::Done | StateGroup::Cancelled | StateGroup::Held => ().into_any(),
    }
}

/// When the first one is due.
fn next_due(at: Timestamp, now: Timestamp) -> AnyView {
    // Within a second a distance is none.
    if at.millis_since(now) < 1_000 {
        t!("overview-next-now").into_any()
    } else {
        view! { <TimedSentence text=t!("overview-next", when = HERE) at/> }.into_any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_without_jobs_has_none_that_waits_whatever_was_read_before() {
        let mut counts = Counts::default();
        assert_eq!(at_rest(StateGroup::Ready, &counts).as_deref(), Some("nothing waits"));
        assert_eq!(at_rest(StateGroup::Delay, &counts).as_deref(), Some("nothing is due"));
        assert_eq!(at_rest(StateGroup::Dead, &counts), None, "its note is of an hour, not of now");
        counts.ready = 1;
        assert_eq!(at_rest(StateGroup::Ready, &counts), None);
    }
}
