//! The one clock of the screen: ticks once a second, in the server's time.

use leptos::prelude::*;

use crate::format::Zone;
use crate::preferences::Preferences;

/// What the server's clock shows, and the zone to write it in.
///
/// Before hydration there is no time at all: both renders show absolute times, in the zone that was chosen or in UTC.
#[derive(Clone, Copy)]
pub struct Clock {
    /// The server's time in ms since 1970; `None` until the page is hydrated.
    now_ms: RwSignal<Option<i64>>,
    /// The same at the latest quarter of an hour, which no zone's midnight comes between.
    quarter_ms: RwSignal<Option<i64>>,
    /// Server minus browser, in ms.
    offset_ms: RwSignal<i64>,
    /// The zone that was chosen; without one the browser's, and UTC until the page is hydrated.
    zone: RwSignal<Zone>,
}

impl Clock {
    /// Provides the clock to every component below; it begins to tick in the browser.
    pub fn provide() -> Self {
        let preferences = Preferences::get();
        let chosen = preferences.chosen_zone();
        // A light page is written for this moment; its script has the times go on.
        let now_ms = crate::light::is_on().then_some(preferences.now_ms);
        let clock = Self {
            now_ms: RwSignal::new(now_ms),
            quarter_ms: RwSignal::new(now_ms.map(quarter)),
            offset_ms: RwSignal::new(0),
            zone: RwSignal::new(chosen.unwrap_or(Zone::UTC.counting(preferences.hour12))),
        };
        provide_context(clock);
        #[cfg(feature = "hydrate")]
        browser::start(clock, chosen.is_none());
        clock
    }

    /// The clock of this page.
    #[must_use]
    pub fn get() -> Self {
        expect_context()
    }

    /// The server's time now; `None` before hydration. Ticks once a second.
    #[must_use]
    pub fn now_ms(self) -> Option<i64> {
        self.now_ms.try_get().flatten()
    }

    /// The server's time at the latest quarter of an hour: for what asks for no more than the day.
    #[must_use]
    pub fn quarter_ms(self) -> Option<i64> {
        self.quarter_ms.try_get().flatten()
    }

    /// Whether it runs: not before hydration.
    #[must_use]
    pub fn runs(self) -> bool {
        self.quarter_ms().is_some()
    }

    /// The server's time now, without waking the reader at every tick.
    #[must_use]
    pub fn now_ms_untracked(self) -> Option<i64> {
        self.now_ms.try_get_untracked().flatten()
    }

    /// The zone to write times in.
    #[must_use]
    pub fn zone(self) -> Zone {
        self.zone.try_get().unwrap_or_default()
    }

    /// Server minus browser in ms; over five seconds deserves a note.
    #[must_use]
    pub fn offset_ms(self) -> i64 {
        self.offset_ms.try_get().unwrap_or_default()
    }

    /// The same, without waking the reader when it changes.
    #[cfg(feature = "hydrate")]
    pub(crate) fn offset_ms_untracked(self) -> i64 {
        self.offset_ms.try_get_untracked().unwrap_or_default()
    }

    /// The server has said what time it is.
    #[cfg(feature = "hydrate")]
    pub(crate) fn server_says(self, server_ms: i64) {
        self.offset_ms.set(server_ms.saturating_sub(browser::now_ms()));
        browser::tick(self);
    }
}

/// A quarter of an hour in ms. Every zone is whole quarters away from UTC.
const QUARTER_MS: i64 = 900_000;

/// The latest quarter of an hour.
const fn quarter(now_ms: i64) -> i64 {
    now_ms.saturating_sub(now_ms.rem_euclid(QUARTER_MS))
}

/// The parts that need a browser.
#[cfg(feature = "hydrate")]
pub(crate) mod browser {
    use super::Clock;
    use crate::live::effect::effect;
    use crate::zone::{Zone, changes_between};
    use leptos::prelude::*;
    use std::time::Duration;

    /// The browser's own time in ms since 1970.
    #[expect(clippy::cast_possible_truncation, reason = "whole milliseconds up to the year 9999 fit")]
    pub(crate) fn now_ms() -> i64 {
        js_sys::Date::now() as i64
    }

    /// How far around the present the browser is asked for its zone, in ms: jobs that ended are kept for a year or two,
    /// and what is due later is a matter of law that nobody knows yet.
    const ASKED: (i64, i64) = (3 * 31_556_952_000, 12 * 31_556_952_000);
    /// Less than lies between two changes, in ms: Morocco's shortest time of its own is a month.
    const STEP_MS: i64 = 21 * 86_400_000;

    /// The browser's distance from UTC at an instant, in minutes east.
    #[expect(clippy::cast_possible_truncation, reason = "a zone is at most a day of minutes away")]
    #[expect(clippy::cast_precision_loss, reason = "whole milliseconds up to the year 9999 fit")]
    fn minutes_east(at_ms: i64) -> i32 {
        -(js_sys::Date::new(&(at_ms as f64).into()).get_timezone_offset() as i32)
    }

    /// The zone of the browser, with its changes. Kept for as long as the page.
    fn zone() -> Zone {
        let now = now_ms();
        Zone::named(changes_between(now - ASKED.0, now + ASKED.1, STEP_MS, minutes_east).leak(), now)
    }

    /// Sets the time; callers may be late, so the clock may be gone already.
    pub(super) fn tick(clock: Clock) {
        let offset = clock.offset_ms.try_get_untracked().unwrap_or_default();
        let now_ms = now_ms().saturating_add(offset);
        let _ = clock.now_ms.try_set(Some(now_ms));
        let quarter_ms = Some(super::quarter(now_ms));
        if clock.quarter_ms.try_get_untracked() != Some(quarter_ms) {
            let _ = clock.quarter_ms.try_set(quarter_ms);
        }
    }

    /// A hidden tab neither draws nor asks.
    fn tick_if_seen(clock: Clock) {
        if !document().hidden() {
            tick(clock);
        }
    }

    /// Begins to tick once the page is hydrated.
    pub(super) fn start(clock: Clock, of_browser: bool) {
        effect(move || {
            // A list has hundreds of times to write anew: buttons work before that.
            set_timeout(
                move || {
                    if of_browser {
                        let _ = clock.zone.try_update(|zone| *zone = self::zone().counting(zone.hour12));
                    }
                    tick(clock);
                },
                Duration::ZERO,
            );
            if let Ok(ticking) = set_interval_with_handle(move || tick_if_seen(clock), Duration::from_secs(1))
            {
                on_cleanup(move || ticking.clear());
            }
        });
    }
}
