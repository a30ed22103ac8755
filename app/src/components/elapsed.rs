//! Spans that tick: how long it has been, how long it still takes.

use leptos::prelude::*;
use reprieve::model::Timestamp;

use crate::clock::Clock;
use crate::{format, t};

/// A wait that is this far below nothing is told of, in milliseconds: a browser knows the server's time no better.
const CLOCKS_MS: i64 = 1_000;

/// How long ago an instant was: `12 s`.
///
/// What begins in the future by the server's clock shows 0 and that clocks differ.
#[component]
pub(crate) fn Elapsed(since: Timestamp) -> impl IntoView {
    let clock = Clock::get();
    let (waited_ms, differ) = waited(clock.now_ms(), since);
    view! {
        <time class="time" datetime=format::rfc3339(since) title=format::exact(since, clock.zone()) data-ticks="since">
            {format::span(waited_ms)}
        </time>
        {differ.then(|| view! { " " <ClocksDiffer/> })}
    }
}

/// How long it has been, in milliseconds, never less than nothing; and whether clocks must differ.
fn waited(now_ms: i64, since: Timestamp) -> (i64, bool) {
    let waited_ms = now_ms.saturating_sub(since.as_millis());
    (waited_ms.max(0), waited_ms < -CLOCKS_MS)
}

/// The note beside a span that would be below nothing.
#[component]
pub(crate) fn ClocksDiffer() -> impl IntoView {
    view! { <small class="clocks-differ" title=t!("time-clocks-hint")>{t!("time-clocks")}</small> }
}

/// How long until an instant: `8 s`; `over` once it has passed.
#[component]
pub(crate) fn Remaining(
    until: Timestamp,
    /// What to say once it has passed.
    #[prop(into)]
    over: String,
) -> impl IntoView {
    let clock = Clock::get();
    let left_ms = until.as_millis().saturating_sub(clock.now_ms());
    let text = if left_ms <= 0 { over.clone() } else { t!("time-left", span = format::span(left_ms)) };
    let title = format::exact(until, clock.zone());
    view! { <time class="remaining" datetime=format::rfc3339(until) title=title data-ticks="left" data-over=over>{text}</time> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_below_nothing_is_shown_as_none_and_tells_of_clocks() {
        let since = Timestamp::from_millis(10_000).unwrap();
        assert_eq!(waited(12_500, since), (2_500, false));
        assert_eq!(waited(9_500, since), (0, false), "a browser knows the time no better");
        assert_eq!(waited(8_000, since), (0, true));
    }
}
