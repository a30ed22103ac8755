//! Whether the screen moves, how old it is, and the switch to stop it. The script of the page writes what they say.

use leptos::prelude::*;
use reprieve::model::Timestamp;

use super::icons::{Icon, icon};
use crate::clock::Clock;
use crate::t;

/// The switch in the top bar: shows whether the screen is live, and stops or starts it.
#[component]
pub(crate) fn LiveBadge() -> impl IntoView {
    view! {
        <button type="button" class="live-badge" data-live="starting" data-own>
            <span class="live-dot" aria-hidden="true"></span>
            <span class="live-word">{t!("live-starting")}</span>
            <span class="live-switch">{icon(Icon::Pause)} {icon(Icon::Play)}</span>
        </button>
    }
}

/// The server's time with its zone. Shows nothing without a script: a clock that stands still lies.
#[component]
pub(crate) fn WallClock() -> impl IntoView {
    let clock = Clock::get();
    let zone = clock.zone();
    let now = Timestamp::saturating_from_millis(clock.now_ms());
    view! {
        <span class="wall-clock" data-server-ms=clock.now_ms() data-minutes-east=zone.minutes_east(now) data-hour12=zone.hour12.then_some("")>
            <span data-own></span> " " <small>{zone.label_at(now)}</small>
            <span class="clock-astray" role="note" data-own hidden>{icon(Icon::Warning)}</span>
        </span>
    }
}

/// The bar under the top bar while the screen does not show the present.
#[component]
pub(crate) fn LiveBanner() -> impl IntoView {
    view! {
        <p class="live-banner" id="live-banner" data-own hidden>
            <span></span> " "
            <button type="button" class="link" hidden>{t!("live-resume")}</button>
            <a href="" hidden>{t!("live-load-again")}</a>
        </p>
    }
}
