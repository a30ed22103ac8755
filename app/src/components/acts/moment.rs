//! A field for a moment: date and time on the reader's clock.

use leptos::prelude::*;
#[cfg(feature = "ssr")]
use reprieve::model::Timestamp;

use crate::clock::Clock;
#[cfg(feature = "ssr")]
use crate::format;
#[cfg(feature = "ssr")]
use crate::preferences::Preferences;
use crate::t;
use crate::zone::{Wall, Zone};

/// A date and time, in the reader's zone after hydration and in UTC before.
#[component]
pub fn MomentField(
    /// Unique on the page.
    id: String,
    /// The field of the form.
    name: &'static str,
    /// What it asks for.
    #[prop(into)]
    label: String,
    /// What the form sends: with the zone, so that the server reads what the person meant.
    #[prop(default = RwSignal::new(String::new()))]
    text: RwSignal<String>,
    /// Called when the person has changed it.
    #[prop(optional)]
    picked: Option<Callback<()>>,
) -> impl IntoView {
    let clock = Clock::get();
    let hydrated = Memo::new(move |_| clock.now_ms().is_some());
    let wall = RwSignal::new(None::<Wall>);
    // Without script the server takes what is typed for UTC, whatever zone was chosen.
    let zone = move || if hydrated.get() { clock.zone() } else { Zone::UTC };
    let label_of_zone = move || wall.get().map_or_else(|| zone().label(), |wall| zone().label_at(wall.at));
    let typed = move |event| {
        let found = on_the_wall(&event_target_value(&event), clock.zone());
        text.set(found.as_ref().map(|(_, sent)| sent.clone()).unwrap_or_default());
        wall.set(found.map(|(wall, _)| wall));
        if let Some(picked) = picked {
            picked.run(());
        }
    };
    let note = move || {
        let wall = wall.get()?;
        let words = if wall.is_skipped {
            t!("acts-hour-skipped")
        } else if wall.comes_twice {
            t!("acts-hour-twice")
        } else {
            return None;
        };
        Some(view! { <small class="moment-note" role="status">{words}</small> })
    };
    let plain_name = move || (!hydrated.get()).then_some(name);
    let hidden_name = move || hydrated.get().then_some(name);
    view! {
        <div class="field">
            <label for=id.clone()>{label} " " <small>"(" {label_of_zone} ")"</small></label>
            <input id=id type="datetime-local" step="1" name=plain_name data-field=name on:input=typed/>
            <input type="hidden" name=hidden_name value=text/>
            {note}
        </div>
    }
}

/// The same on a page that the server alone renders, in the zone of the page. The form has a [`ZoneField`].
#[cfg(feature = "ssr")]
#[component]
pub fn MomentInput(
    /// Unique on the page.
    id: String,
    /// The field of the form.
    name: &'static str,
    /// What it asks for.
    label: String,
    /// What it holds.
    first: Option<Timestamp>,
    /// What is earlier is refused.
    #[prop(optional)]
    not_before: Option<Timestamp>,
) -> impl IntoView {
    let zone = Clock::get().zone();
    let least = not_before.map(|at| format::iso_minute(zone.civil(at)));
    let label_of_zone = first.map_or_else(|| zone.label(), |at| zone.label_at(at));
    view! {
        <div class="field">
            <label for=id.clone()>{label} " " <small>"(" {label_of_zone} ")"</small></label>
            <input id=id type="datetime-local" step="1" name=name min=least value=first.map(|at| in_field(at, zone))/>
        </div>
    }
}

/// Says in which zone the moments of a form are.
#[cfg(feature = "ssr")]
#[component]
pub fn ZoneField() -> impl IntoView {
    view! { <input type="hidden" name="zone" value=Preferences::get().zone_name()/> }
}

/// A moment as such a field holds it: to the second, which browsers leave out where it is 0.
#[cfg(feature = "ssr")]
fn in_field(at: Timestamp, zone: Zone) -> String {
    let civil = zone.civil(at);
    let minute = format::iso_minute(civil);
    if civil.second() == 0 { minute } else { format!("{minute}:{:02}", civil.second()) }
}

/// The moment that such a field names, and how it is sent: with its distance from UTC. `None` for an unfinished one.
fn on_the_wall(typed: &str, zone: Zone) -> Option<(Wall, String)> {
    // A date alone would read as its midnight, which nobody meant.
    let wall = zone.find(typed.contains('T').then(|| typed.parse().ok()).flatten()?)?;
    Some((wall, format!("{typed}{}", offset(wall.minutes_east))))
}

/// `+08:00`, as RFC 3339 writes it; `Z` for none.
fn offset(minutes_east: i32) -> String {
    let (sign, minutes) = (if minutes_east < 0 { '-' } else { '+' }, minutes_east.unsigned_abs());
    if minutes == 0 { "Z".to_owned() } else { format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_sent_as_an_offset() {
        assert_eq!([0, 480, -210].map(offset), ["Z", "+08:00", "-03:30"]);
    }

    #[cfg(feature = "ssr")]
    #[test]
    fn what_a_field_holds_is_sent_as_the_moment_that_it_was() {
        let at = Timestamp::from_millis(1_786_525_200_250).unwrap();
        let held = in_field(at, Zone::fixed(480));
        assert_eq!(held, "2026-08-12T17:00");
        assert_eq!(on_the_wall(&held, Zone::fixed(480)).unwrap().1, "2026-08-12T17:00+08:00");
        assert_eq!(
            in_field(Timestamp::from_millis(1_786_525_201_000).unwrap(), Zone::UTC),
            "2026-08-12T09:00:01"
        );
    }

    #[test]
    fn what_is_typed_in_summer_for_winter_is_sent_with_the_distance_of_winter() {
        // From 29 March 2026, 01:00 UTC, two hours; from 25 October, 01:00 UTC, one.
        let zone =
            Zone::named(&[(0, 60), (1_774_746_000_000, 120), (1_792_890_000_000, 60)], 1_786_525_200_000);
        let sent =
            |typed: &str| on_the_wall(typed, zone).map(|(wall, sent)| (sent, format::rfc3339(wall.at)));
        let both = |sent: &str, at: &str| Some((sent.to_owned(), at.to_owned()));
        assert_eq!(sent("2026-08-12T09:00"), both("2026-08-12T09:00+02:00", "2026-08-12T07:00:00.000Z"));
        assert_eq!(sent("2026-12-24T09:00"), both("2026-12-24T09:00+01:00", "2026-12-24T08:00:00.000Z"));
        assert_eq!(
            sent("2026-12-24T09:00:30"),
            both("2026-12-24T09:00:30+01:00", "2026-12-24T08:00:30.000Z")
        );
        assert_eq!((sent(""), sent("2026-12-24")), (None, None));
    }
}
