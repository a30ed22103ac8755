//! One line of a plan: what it does, when, and where it stands, in words without jobs.

use leptos::prelude::*;
use reprieve::desk::{Gate, Step};
use reprieve::model::{JobState, Timestamp};

use crate::clock::Clock;
use crate::components::icons::{Icon, icon};
use crate::components::time::{HERE, Time};
use crate::desk::named;
use crate::zone::Zone;
use crate::{format, t};

/// Later than this is worth a word.
const LATE_MS: i64 = 1_000;

/// An instant to the minute, with its zone.
#[component]
pub(super) fn Minute(
    at: Timestamp,
    /// Whether it has its year in any case, as papers have it that are kept.
    #[prop(optional)]
    with_year: bool,
) -> impl IntoView {
    let clock = Clock::get();
    let said = match with_year {
        true => format::year_minute(at, clock.zone()),
        false => format::date_minute(at, clock.zone(), Some(clock.now_ms())),
    };
    view! {
        <time class="time" datetime=format::rfc3339(at) title=format::exact(at, clock.zone())>
            {said} " " <small>{clock.zone().label_at(at)}</small>
        </time>
    }
}

/// What is due for longer than this waits for something: it does not begin at any moment.
const WAITS_MS: i64 = 60_000;

/// One step of a plan.
#[component]
pub(super) fn StepLine(step: Step, read_at: Timestamp) -> impl IntoView {
    let clock = Clock::get();
    let (label, state, due, main) = (named(&step.kind), step.state, step.due, step.main);
    let text = status(&step, read_at.as_millis(), clock.zone());
    let status = match text.split_once(HERE) {
        Some((before, after)) => {
            // An empty text is written as a blank.
            let part = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            view! { {part(before)} <Time at=due/> {part(after)} }.into_any()
        }
        None => text.into_any(),
    };
    view! {
        <li class="plan-step" data-state=state.as_str() data-main=main.to_string()>
            {icon(if main && !state.is_final() { Icon::Warning } else { Icon::of_state(state) })}
            <span class="plan-what"><span translate="no">{label}</span></span>
            <Minute at=due/>
            <span class="plan-status">{status}</span>
        </li>
    }
}

/// Where a step stands, with [`HERE`] for how far away its time is.
fn status(step: &Step, now_ms: i64, zone: Zone) -> String {
    match step.state {
        JobState::Delayed if step.due.as_millis() > now_ms => {
            t!("support-step-ahead", distance = HERE)
        }
        JobState::Delayed | JobState::Ready if now_ms.saturating_sub(step.due.as_millis()) > WAITS_MS => {
            t!("support-step-waits", at = format::date_minute(step.due, zone, Some(now_ms)))
        }
        JobState::Delayed | JobState::Ready => t!("support-step-due"),
        JobState::Active if step.asked_to_stop => t!("support-step-stopping"),
        JobState::Active => t!("support-step-active"),
        JobState::Retrying if step.due.as_millis() <= now_ms => t!("support-step-retrying-now"),
        JobState::Retrying => t!("support-step-retrying", distance = HERE),
        JobState::Held => match step.gate {
            Some(Gate::Waits) => t!("support-step-waits-for-others"),
            Some(Gate::Shut) => t!("support-step-shut"),
            None => t!("support-step-held"),
        },
        JobState::Dead => t!("support-step-failed"),
        JobState::Cancelled => t!("support-step-called-off"),
        JobState::Done => match step.started.map(|started| started.millis_since(step.due)) {
            Some(late) if late > LATE_MS => t!("support-step-done-late", span = format::span(late)),
            _ => t!("support-step-done"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given;

    #[test]
    fn what_waits_for_longer_than_a_minute_is_not_said_to_begin_at_any_moment() {
        let due = Timestamp::from_millis(1_786_525_200_000).unwrap();
        let said =
            |state, after_ms: i64| status(&given::step(state, due), due.as_millis() + after_ms, Zone::UTC);
        for state in [JobState::Delayed, JobState::Ready] {
            assert_eq!(said(state, 60_000), "is due now and begins at any moment");
            let since =
                format!("has been due since {} and has not begun", format::date_minute(due, Zone::UTC, None));
            assert_eq!(said(state, 60_001), since);
        }
        assert_eq!(said(JobState::Retrying, -30_000), "did not work; will be tried again \u{fffc}");
        assert_eq!(said(JobState::Retrying, 5_000), "did not work; will be tried again at any moment");
    }
}
