//! A field for a moment: date and time on the reader's clock.

use leptos::prelude::*;
use reprieve::model::Timestamp;

use crate::clock::Clock;
use crate::preferences::Preferences;
use crate::zone::{Zone, iso_minute};

/// A date and time, in the zone of the page. The form has a [`ZoneField`].
#[component]
pub fn MomentInput(
    id: String,
    /// The field of the form.
    name: &'static str,
    label: String,
    /// What it holds.
    first: Option<Timestamp>,
    /// What is earlier is refused.
    #[prop(optional)]
    not_before: Option<Timestamp>,
) -> impl IntoView {
    let clock = Clock::get();
    let zone = clock.zone();
    let least = not_before.map(|at| iso_minute(zone.civil(at)));
    let label_of_zone = zone.label_at(first.unwrap_or(Timestamp::saturating_from_millis(clock.now_ms())));
    view! {
        <div class="field">
            <label for=id.clone()>{label} " " <small>"(" {label_of_zone} ")"</small></label>
            <input id=id type="datetime-local" step="1" name=name min=least value=first.map(|at| in_field(at, zone))/>
        </div>
    }
}

/// Says in which zone the moments of a form are.
#[component]
pub fn ZoneField() -> impl IntoView {
    view! { <input type="hidden" name="zone" value=Preferences::get().zone_name/> }
}

/// A moment as such a field holds it: to the second, which browsers leave out where it is 0.
fn in_field(at: Timestamp, zone: Zone) -> String {
    let civil = zone.civil(at);
    let minute = iso_minute(civil);
    if civil.second() == 0 { minute } else { format!("{minute}:{:02}", civil.second()) }
}

/// Nine in the morning of the next day, by the clock on the reader's wall.
pub(crate) fn tomorrow_at_nine(now_ms: i64, zone: Zone) -> Option<Timestamp> {
    let today = zone.civil(Timestamp::saturating_from_millis(now_ms)).date();
    zone.find(today.tomorrow().ok()?.at(9, 0, 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format;

    #[test]
    fn a_field_holds_a_moment_on_the_clocks_of_its_zone() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        assert_eq!(in_field(at(1_786_525_200_250), Zone::fixed(480)), "2026-08-12T17:00");
        assert_eq!(in_field(at(1_786_525_201_000), Zone::UTC), "2026-08-12T09:00:01");
    }

    #[test]
    fn tomorrow_begins_at_the_readers_own_midnight() {
        // 2026-08-12T20:00:00Z is already the 13th in +08.
        let at = |now_ms, zone| format::rfc3339(tomorrow_at_nine(now_ms, zone).unwrap());
        assert_eq!(at(1_786_564_800_000, Zone::UTC), "2026-08-13T09:00:00.000Z");
        assert_eq!(at(1_786_564_800_000, Zone::fixed(480)), "2026-08-14T01:00:00.000Z");
        // The day before the clocks go back: nine is an hour later by the sun.
        let berlin = Zone::named("Europe/Berlin").unwrap();
        assert_eq!(at(1_792_832_400_000, berlin), "2026-10-25T08:00:00.000Z");
    }
}
