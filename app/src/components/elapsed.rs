//! Spans that tick: how long it has been, how long it still takes.

use leptos::prelude::*;
use reprieve::model::Timestamp;

use super::time::{Time, TimeStyle};
use crate::clock::Clock;
use crate::{format, t};

/// How long ago an instant was: `12 s`. Before hydration the instant itself: a span that stands still lies.
#[component]
pub fn Elapsed(
    /// Since when.
    since: Timestamp,
) -> impl IntoView {
    let clock = Clock::get();
    let ticking = Memo::new(move |_| clock.now_ms().is_some());
    let span = move || {
        let now_ms = clock.now_ms().unwrap_or_else(|| since.as_millis());
        // A negative wait means that clocks differ; nothing waits less than not at all.
        format::span(now_ms.saturating_sub(since.as_millis()).max(0))
    };
    move || {
        if ticking.get() {
            view! {
                <time class="time" datetime=format::rfc3339(since) title=move || format::exact(since, clock.zone())>
                    {span}
                </time>
            }
            .into_any()
        } else {
            view! { <Time at=since style=TimeStyle::Absolute/> }.into_any()
        }
    }
}

/// How long until an instant: `8 s`; `over` once it has passed. Before hydration the instant itself.
#[component]
pub fn Remaining(
    /// Until when.
    until: Timestamp,
    /// What to say once it has passed.
    #[prop(into)]
    over: String,
) -> impl IntoView {
    let clock = Clock::get();
    let text = move || match clock.now_ms() {
        None => t!("time-until", at = format::clock(until, clock.zone())),
        Some(now_ms) if now_ms >= until.as_millis() => over.clone(),
        Some(now_ms) => t!("time-left", span = format::span(until.as_millis().saturating_sub(now_ms))),
    };
    view! { <span class="remaining" title=move || format::exact(until, clock.zone())>{text}</span> }
}
