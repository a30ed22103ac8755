//! A field for a moment: date and time on the reader's clock.

use leptos::prelude::*;
use reprieve::model::Timestamp;

use crate::clock::Clock;
use crate::zone::{Wall, Zone};
use crate::{format, t};

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
    /// What it holds until somebody changes it.
    #[prop(optional)]
    first: Option<Memo<Option<Timestamp>>>,
    /// Called when the person has changed it.
    #[prop(optional)]
    picked: Option<Callback<()>>,
) -> impl IntoView {
    let clock = Clock::get();
    let hydrated = Memo::new(move |_| clock.now_ms().is_some());
    let wall = RwSignal::new(None::<Wall>);
    // Without script the server takes what is typed for UTC, whatever zone was chosen.
    let zone = move || if hydrated.get() { clock.zone() } else { Zone::UTC };
    let touched = RwSignal::new(false);
    let untouched = move || first.and_then(|first| first.get()).filter(|_| !touched.get());
    let label_of_zone = move || match wall.get().map(|wall| wall.at).or_else(untouched) {
        Some(at) => zone().label_at(at),
        None => zone().label(),
    };
    // Whatever somebody types from then on is theirs.
    let value = move || first.and_then(|first| first.get()).map(|at| in_field(at, zone()));
    let sent = move || match untouched().and_then(|at| on_the_wall(&in_field(at, zone()), zone())) {
        Some((_, sent)) => sent,
        None => text.get(),
    };
    let typed = move |event| {
        touched.set(true);
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
            <input id=id type="datetime-local" step="1" name=plain_name data-field=name value=value on:input=typed/>
            <input type="hidden" name=hidden_name value=sent/>
            {note}
        </div>
    }
}

/// A moment as such a field holds it: to the second, which browsers leave out where it is 0. Otherwise it would pass for
/// something that was typed.
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
