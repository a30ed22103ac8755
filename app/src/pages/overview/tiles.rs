//! The four numbers, each with what makes it worth looking at.

use leptos::prelude::*;
use reprieve::model::{Counts, Overview, StateGroup, Timestamp};

use crate::clock::Clock;
use crate::components::icons::{Icon, icon};
use crate::components::strip::LIVE_QUEUES;
use crate::format::Zone;
use crate::{format, i18n, routes, t};

/// Delay, Ready, Active, Dead; below them, smaller, what has ended or rests.
#[component]
pub fn Tiles(
    /// The overview as last read.
    overview: Signal<Option<Overview>>,
    /// The newest counts.
    counts: Memo<Counts>,
) -> impl IntoView {
    let rest = [StateGroup::Done, StateGroup::Cancelled, StateGroup::Held].map(|group| {
        view! {
            <a href=routes::jobs(group, None)>
                {icon(Icon::of_group(group))} {i18n::group(group)} " "
                <strong>{move || format::number(counts.get().group(group))}</strong>
            </a>
        }
    });
    view! {
        <section class="tiles" aria-label=t!("overview-live-queues")>
            {LIVE_QUEUES.map(|group| view! { <Tile group overview counts/> })}
        </section>
        <nav class="tiles-rest" aria-label=t!("overview-other-lists")>{rest}</nav>
    }
}

/// One number, its note, and the way to its list.
#[component]
fn Tile(group: StateGroup, overview: Signal<Option<Overview>>, counts: Memo<Counts>) -> impl IntoView {
    let clock = Clock::get();
    // The number is newer than what was read.
    let note = move || {
        at_rest(group, &counts.get()).or_else(|| {
            overview.with(|overview| overview.as_ref().map(|overview| note(group, overview, clock)))
        })
    };
    let slots = move || {
        let slots = overview.with(|overview| overview.as_ref().map_or(0, |overview| overview.slots));
        (group == StateGroup::Active && slots > 0)
            .then(|| view! { <small>{format!(" / {}", format::number(slots))}</small> })
    };
    view! {
        <a class="tile" href=routes::jobs(group, None) data-group=group.as_str()>
            <span class="tile-name">{icon(Icon::of_group(group))} {i18n::group(group)}</span>
            <span class="tile-figure">{move || format::number(counts.get().group(group))} {slots}</span>
            <span class="tile-note">{note}</span>
        </a>
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

/// What was read of a list with jobs; nothing where it had none then.
fn note(group: StateGroup, overview: &Overview, clock: Clock) -> String {
    let queues = || overview.queues.iter();
    match group {
        StateGroup::Delay => match queues().filter_map(|queue| queue.next_due).min() {
            Some(next) => next_due(next, clock.now_ms(), clock.zone()),
            None => String::new(),
        },
        StateGroup::Ready => match queues().filter_map(|queue| queue.oldest_ready).min() {
            // By the clock of the same reading, so that both renders agree.
            Some(oldest) => {
                t!("overview-oldest", span = format::span(overview.read_at.millis_since(oldest).max(0)))
            }
            None => String::new(),
        },
        StateGroup::Active => t!("overview-workers", count = overview.workers),
        StateGroup::Dead => {
            t!("overview-dead-hour", count = queues().map(|queue| queue.dead_last_hour).sum::<u64>())
        }
        StateGroup::Done | StateGroup::Cancelled | StateGroup::Held => String::new(),
    }
}

fn next_due(next: Timestamp, now_ms: Option<i64>, zone: Zone) -> String {
    match now_ms {
        // Within a second a distance is none.
        Some(now_ms) if next.as_millis().saturating_sub(now_ms) < 1_000 => t!("overview-next-now"),
        Some(now_ms) => t!("overview-next", when = format::distance(next, now_ms)),
        None => {
            let when = format!("{} {}", format::date_time(next, zone, None), zone.label_at(next));
            t!("overview-next", when = when)
        }
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

    #[test]
    fn what_is_due_within_a_second_is_due_now() {
        let next = Timestamp::from_millis(60_000).unwrap();
        let said = [61_000, 60_000, 59_001, 59_000].map(|now_ms| next_due(next, Some(now_ms), Zone::UTC));
        assert_eq!(said, ["due now", "due now", "due now", "next in 1 s"]);
    }

    #[test]
    fn the_next_due_time_has_the_label_of_the_zone_it_is_written_in() {
        let next = Timestamp::from_millis(1_786_525_200_000).unwrap(); // 2026-08-12T09:00:00Z
        for (zone, when) in [(Zone::UTC, "09:00:00 UTC"), (Zone::fixed(480), "17:00:00 +08")] {
            let text = next_due(next, None, zone);
            assert!(text.contains(when), "{text}");
        }
    }
}
