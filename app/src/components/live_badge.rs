//! Whether the screen moves, how old it is, and the switch to stop it.

use leptos::prelude::*;
use reprieve::model::Timestamp;

use super::focus::lead_to_heading;
use super::icons::{Icon, icon};
use crate::clock::Clock;
use crate::live::voice::Voice;
use crate::live::{Link, Live};
use crate::{format, light, t};

/// A shorter break is not worth a word.
const LOST_AFTER_MS: i64 = 3_000;

/// How far the reader's own clock may be off without a word: times on screen are the server's.
const ASTRAY_MS: i64 = 5_000;

/// What the person should think of the data on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Not hydrated or just connecting.
    Starting,
    Live,
    Paused {
        since_ms: i64,
    },
    Lost {
        since_ms: i64,
    },
}

fn standing(live: Live, clock: Clock) -> Standing {
    match (live.paused(), live.link()) {
        (Some(paused), _) => Standing::Paused { since_ms: paused.since_ms },
        (None, Link::Open) => Standing::Live,
        (None, Link::Opening) => Standing::Starting,
        (None, Link::Lost { since_ms }) => lost(since_ms, clock.now_ms()),
    }
}

/// Of a break that began then, by the server's clock in ms.
fn lost(since_ms: i64, now_ms: Option<i64>) -> Standing {
    let lost_ms = now_ms.map_or(0, |now| now.saturating_sub(since_ms));
    if lost_ms >= LOST_AFTER_MS { Standing::Lost { since_ms } } else { Standing::Live }
}

/// The switch in the top bar: shows whether the screen is live, and stops or starts it.
#[component]
pub fn LiveBadge() -> impl IntoView {
    if light::is_on() {
        return view! {
            <button type="button" class="live-badge" data-live="starting" data-own>
                <span class="live-dot" aria-hidden="true"></span>
                <span class="live-word">{t!("live-static")}</span>
                <span class="live-switch">{icon(Icon::Pause)} {icon(Icon::Play)}</span>
            </button>
        }
        .into_any();
    }
    let live = Live::get();
    let clock = Clock::get();
    let standing = Memo::new(move |_| standing(live, clock));
    let word = move || match standing.get() {
        Standing::Starting => t!("live-static"),
        Standing::Live => t!("live-live"),
        Standing::Paused { .. } => t!("live-paused"),
        Standing::Lost { .. } => t!("live-lost"),
    };
    let name = move || match standing.get() {
        Standing::Paused { .. } => t!("live-resume-name"),
        _ => t!("live-pause-name"),
    };
    let toggle = move |_| if live.paused().is_some() { live.resume() } else { live.pause() };
    let state = move || match standing.get() {
        Standing::Starting => "starting",
        Standing::Live => "live",
        Standing::Paused { .. } => "paused",
        Standing::Lost { .. } => "lost",
    };
    view! {
        <button type="button" class="live-badge" data-live=state title=move || t!("acts-with-key", act = name(), key = "p") aria-label=move || t!("live-badge-name", state = word(), act = name()) on:click=toggle>
            <span class="live-dot" aria-hidden="true"></span>
            <span class="live-word">{word}</span>
            <span class="live-switch">
                {move || icon(if matches!(standing.get(), Standing::Paused { .. }) { Icon::Play } else { Icon::Pause })}
            </span>
        </button>
    }
    .into_any()
}

/// The server's time with its zone. Shows nothing before hydration: a clock that stands still lies.
#[component]
pub fn WallClock() -> impl IntoView {
    let clock = Clock::get();
    if light::is_on() {
        let zone = clock.zone();
        let label = clock.now_ms().and_then(Timestamp::from_millis).map(|at| zone.label_at(at));
        return view! {
            <span class="wall-clock" data-server-ms=clock.now_ms() data-minutes-east=zone.minutes_east data-hour12=zone.hour12.then_some("")>
                <span data-own></span> " " <small>{label}</small>
                <span class="clock-astray" role="note" data-own hidden>{icon(Icon::Warning)}</span>
            </span>
        }
        .into_any();
    }
    let now = move || clock.now_ms().and_then(Timestamp::from_millis);
    let text = move || now().map(|at| format::clock(at, clock.zone()));
    let zone = Memo::new(move |_| now().map(|at| clock.zone().label_at(at)));
    let astray = move || {
        let behind_ms = clock.offset_ms();
        clock.now_ms().filter(|_| behind_ms.abs() > ASTRAY_MS).map(|_| {
            let span = format::span(behind_ms.abs());
            let title = if behind_ms > 0 { t!("live-clock-behind", span = span) } else { t!("live-clock-ahead", span = span) };
            view! { <span class="clock-astray" role="note" title=title.clone() aria-label=title>{icon(Icon::Warning)}</span> }
        })
    };
    view! { <span class="wall-clock">{text} " " <small>{move || zone.get()}</small> {astray}</span> }
        .into_any()
}

/// The bar under the top bar while the screen does not show the present.
#[component]
pub fn LiveBanner() -> impl IntoView {
    if light::is_on() {
        return view! {
            <p class="live-banner" id="live-banner" data-own hidden>
                <span></span> " "
                <button type="button" class="link" hidden>{t!("live-resume")}</button>
                <a href="" hidden>{t!("live-load-again")}</a>
            </p>
        }
        .into_any();
    }
    let live = Live::get();
    let clock = Clock::get();
    let standing = Memo::new(move |_| standing(live, clock));
    let at = move |ms: i64| format::clock(Timestamp::saturating_from_millis(ms), clock.zone());
    tell(live, standing, at);
    let resume = move |_| {
        live.resume();
        // The bar goes, and its button with it.
        lead_to_heading();
    };
    let banner = move || match standing.get() {
        Standing::Starting | Standing::Live => of_other_times(live).map(|sentence| {
            view! {
                <p class="live-banner" data-live="outdated">
                    {sentence} " " <a href="" rel="external">{t!("live-load-again")}</a>
                </p>
            }
            .into_any()
        }),
        Standing::Paused { since_ms } => Some(
            view! {
                <p class="live-banner" data-live="paused">
                    {move || t!("live-banner-paused", at = at(since_ms), count = live.waiting())} " · "
                    <button type="button" class="link" on:click=resume>{t!("live-resume")}</button>
                </p>
            }
            .into_any(),
        ),
        Standing::Lost { since_ms } => {
            let age = move || {
                let now = clock.now_ms().unwrap_or(since_ms);
                t!("live-banner-lost", at = at(since_ms), span = format::span(now.saturating_sub(since_ms)))
            };
            Some(view! { <p class="live-banner" data-live="lost">{age}</p> }.into_any())
        }
    };
    banner.into_any()
}

/// Why the page is to be loaded again although it is live: it was made for somebody else, or by another build.
fn of_other_times(live: Live) -> Option<String> {
    match (live.foreign(), live.outdated()) {
        (true, _) => Some(t!("live-foreign")),
        (false, true) => Some(t!("live-outdated")),
        (false, false) => None,
    }
}

/// Tells whoever does not see the bar: at once that they stopped the screen, in its turn what befell it.
fn tell(live: Live, standing: Memo<Standing>, at: impl Fn(i64) -> String + Copy + Send + Sync + 'static) {
    let voice = Voice::get();
    Effect::new(move |before: Option<bool>| {
        let stopped = live.paused().is_some();
        if before.is_some_and(|before| before != stopped) {
            voice.answer(if stopped { t!("live-paused") } else { t!("live-live") });
        }
        stopped
    });
    let befell = Memo::new(move |before: Option<&Option<String>>| match standing.get() {
        Standing::Lost { since_ms } => Some(t!("live-said-lost", at = at(since_ms))),
        // That all is well is news only to whoever heard that it was not.
        Standing::Live => of_other_times(live).or_else(|| before.cloned().flatten().map(|_| t!("live-live"))),
        Standing::Starting | Standing::Paused { .. } => before.cloned().flatten(),
    });
    voice.follow(move || befell.get());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_is_told_of_after_three_seconds_and_no_earlier() {
        let at = |after_ms: i64| lost(10_000, Some(10_000 + after_ms));
        assert_eq!([0, 1_000, 2_999].map(at), [Standing::Live; 3]);
        assert_eq!([3_000, 60_000].map(at), [Standing::Lost { since_ms: 10_000 }; 2]);
        assert_eq!(lost(10_000, None), Standing::Live);
    }
}
