//! Ticks to come, on the clocks of the schedule's own zone.

use leptos::prelude::*;
use reprieve::model::Tick;

use super::rules;
use crate::components::icons::{Icon, icon};
use crate::components::time::Time;
use crate::format::{self, Zone};

/// A list of ticks: the time on the zone's clocks, how far away it is, and what daylight saving does to it.
#[component]
pub(super) fn Ticks(ticks: Vec<Tick>) -> impl IntoView {
    let line = |tick: Tick| {
        let note = tick.note.map(|note| {
            view! { <span class="tick-note">{icon(Icon::Warning)} {rules::note(note)}</span> }
        });
        view! {
            <li>
                <span class="tick-local">{on_its_clocks(&tick)}</span>
                <small><Time at=tick.at/></small>
                {note}
            </li>
        }
    };
    view! { <ol class="ticks">{ticks.into_iter().map(line).collect_view()}</ol> }
}

/// `Sun 28 Mar 2027 03:00:00 +02`.
fn on_its_clocks(tick: &Tick) -> String {
    let zone = zone_of(&tick.local);
    // Always with its year: ten ticks of a yearly schedule reach far.
    format!("{} {}", format::date_time(tick.at, zone, Some(0)), zone.label_at(tick.at))
}

/// The offset at the end of `2027-03-28T03:00:00+02:00`; UTC for anything else.
fn zone_of(local: &str) -> Zone {
    let offset = local.get(19..).unwrap_or_default();
    let east = !offset.starts_with('-');
    let mut parts =
        offset.trim_start_matches(['+', '-']).split(':').map(|part| part.parse::<i32>().unwrap_or(0));
    let (hours, minutes) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    let minutes = hours.saturating_mul(60).saturating_add(minutes);
    Zone::fixed(if east { minutes } else { -minutes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::Timestamp;

    #[test]
    fn a_tick_is_shown_on_the_clocks_of_its_zone() {
        let at = Timestamp::from_millis(1_806_195_600_000).unwrap(); // 2027-03-28T01:00:00Z
        let shown = |local: &str| on_its_clocks(&Tick::new(at, local.to_owned(), None));
        assert_eq!(shown("2027-03-28T03:00:00+02:00"), "Sun 28 Mar 2027 03:00:00 +02");
        assert_eq!(shown("2027-03-27T21:30:00-03:30"), "Sat 27 Mar 2027 21:30:00 -03:30");
        assert_eq!(shown("2027-03-28T01:00:00+00:00"), "Sun 28 Mar 2027 01:00:00 UTC");
    }
}
