//! A zone to write times in: one distance from UTC, or a named zone.

use jiff::tz::{Offset, TimeZone};
use reprieve::model::Timestamp;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The beginning of all instants, on the clocks of UTC.
const EPOCH: jiff::civil::DateTime = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);

/// A zone. Cheap to copy: a named one is kept for as long as the server lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zone {
    rule: Rule,
    /// Whether hours are counted to twelve.
    pub hour12: bool,
}

/// How far a zone is from UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// The same all year.
    Fixed(Offset),
    /// As the law says.
    Named(&'static TimeZone),
}

impl Default for Rule {
    fn default() -> Self {
        Self::Fixed(Offset::UTC)
    }
}

impl Zone {
    /// Coordinated universal time: what the server writes unless somebody chose a zone.
    pub const UTC: Self = Self { rule: Rule::Fixed(Offset::UTC), hour12: false };

    /// The same distance from UTC all year, in minutes; UTC for a distance that no zone has.
    pub fn fixed(minutes_east: i32) -> Self {
        let offset = Offset::from_seconds(minutes_east.saturating_mul(60)).unwrap_or(Offset::UTC);
        Self { rule: Rule::Fixed(offset), hour12: false }
    }

    /// The zone of a name such as `Asia/Shanghai`; `None` when there is none of that name.
    pub fn named(name: &str) -> Option<Self> {
        // At most one copy for each name there is.
        static KEPT: LazyLock<Mutex<HashMap<String, &'static TimeZone>>> = LazyLock::new(Mutex::default);
        let zone = reprieve::zones::get(name)?;
        let Some(name) = zone.iana_name().filter(|name| *name != "UTC") else { return Some(Self::UTC) };
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.entry(name.to_owned()).or_insert_with(|| Box::leak(Box::new(zone.clone())));
        Some(Self { rule: Rule::Named(kept), hour12: false })
    }

    /// The same zone with hours counted to twelve, or to twenty-four.
    pub const fn counting(self, hour12: bool) -> Self {
        Self { hour12, ..self }
    }

    /// Minutes to add to UTC at an instant.
    pub fn minutes_east(self, at: Timestamp) -> i32 {
        let offset = match self.rule {
            Rule::Fixed(offset) => offset,
            // The library's own instants end a day before ours.
            Rule::Named(zone) => zone
                .to_offset(jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or(jiff::Timestamp::MAX)),
        };
        offset.seconds() / 60
    }

    /// `UTC`, `+08`, `-03:30`, as it is at an instant.
    pub fn label_at(self, at: Timestamp) -> String {
        let minutes_east = self.minutes_east(at);
        let (sign, minutes) = (if minutes_east < 0 { '-' } else { '+' }, minutes_east.unsigned_abs());
        match (minutes / 60, minutes % 60) {
            (0, 0) => "UTC".to_owned(),
            (hours, 0) => format!("{sign}{hours:02}"),
            (hours, rest) => format!("{sign}{hours:02}:{rest:02}"),
        }
    }

    /// Date and time of day of an instant.
    pub fn civil(self, at: Timestamp) -> jiff::civil::DateTime {
        // Not by the library's instants, which end a day before ours.
        let away_ms = i64::from(self.minutes_east(at)) * 60_000;
        let since_epoch = jiff::SignedDuration::from_millis(at.as_millis().saturating_add(away_ms));
        EPOCH.saturating_add(since_epoch)
    }

    /// When the day of an instant began there, as filters write it: `2026-08-12T00:00+08:00`.
    pub fn day_began(self, now: Timestamp) -> String {
        let midnight = self.civil(now).date().at(0, 0, 0, 0);
        let began = self.find(midnight).unwrap_or(now);
        let minutes = self.minutes_east(began);
        let (sign, away) = (if minutes < 0 { '-' } else { '+' }, minutes.unsigned_abs());
        let clock = iso_minute(self.civil(began));
        format!("{clock}{sign}{:02}:{:02}", away / 60, away % 60)
    }

    /// The instant at which clocks in this zone show a date and time: the first where it comes twice, and where there is no
    /// such time as much later as the clocks go forward. `None` beyond the years that instants have.
    pub fn find(self, wall: jiff::civil::DateTime) -> Option<Timestamp> {
        let at = match self.rule {
            Rule::Fixed(offset) => offset.to_timestamp(wall),
            Rule::Named(zone) => zone.to_timestamp(wall),
        };
        Timestamp::from_millis(at.ok()?.as_millisecond())
    }
}

/// The name of every zone there is, for a list to choose from.
pub(crate) fn names() -> Vec<String> {
    let mut names: Vec<String> = jiff::tz::db().available().map(|name| name.to_string()).collect();
    names.retain(|name| name.contains('/') && !name.starts_with("Etc/") && !name.starts_with("posix"));
    names.sort();
    names
}

/// `2026-08-12T09:00`, as RFC 3339 begins.
pub(crate) fn iso_minute(civil: jiff::civil::DateTime) -> String {
    let (year, month, day) = (civil.year(), civil.month(), civil.day());
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}", civil.hour(), civil.minute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_zone_follows_its_daylight_saving() {
        let zone = Zone::named("Europe/Berlin").unwrap();
        let clock = |ms: i64| {
            let at = Timestamp::from_millis(ms).unwrap();
            format!("{} {}", zone.civil(at).strftime("%H:%M"), zone.label_at(at))
        };
        // 2026-08-12T09:00:00Z and 2026-12-12T09:00:00Z; and the hour that comes twice on 25 October.
        assert_eq!([clock(1_786_525_200_000), clock(1_797_066_000_000)], ["11:00 +02", "10:00 +01"]);
        assert_eq!([clock(1_792_888_200_000), clock(1_792_891_800_000)], ["02:30 +02", "02:30 +01"]);
        assert_eq!(Zone::named("Europe/Nowhere"), None);
        assert_eq!(Zone::named("europe/berlin"), Some(zone), "it is kept once");
        assert!(names().iter().any(|name| name == "Asia/Shanghai"));
    }

    #[test]
    fn a_day_begins_at_the_midnight_of_its_zone() {
        let at = Timestamp::from_millis(1_786_564_800_000).unwrap(); // 2026-08-12T20:00:00Z
        assert_eq!(Zone::UTC.day_began(at), "2026-08-12T00:00+00:00");
        assert_eq!(Zone::fixed(480).day_began(at), "2026-08-13T00:00+08:00");
        assert_eq!(Zone::fixed(-210).day_began(at), "2026-08-12T00:00-03:30");
        // The clocks of Berlin went forward since.
        let noon = Timestamp::from_millis(1_774_778_400_000).unwrap();
        assert_eq!(Zone::named("Europe/Berlin").unwrap().day_began(noon), "2026-03-29T00:00+01:00");
    }

    #[test]
    fn the_last_day_of_all_is_shown_as_that() {
        let last = Timestamp::from_millis(253_402_300_799_999).unwrap();
        let shown = |minutes_east| Zone::fixed(minutes_east).civil(last).to_string();
        assert_eq!(shown(0), "9999-12-31T23:59:59.999");
        assert_eq!(shown(-210), "9999-12-31T20:29:59.999");
        assert!(shown(480).starts_with("9999-12-31T23:59:59.999"), "there is no later one");
    }

    #[test]
    fn a_time_on_the_wall_is_found_skipped_or_found_twice() {
        let zone = Zone::named("Europe/Berlin").unwrap();
        let found = |wall: &str| {
            let at = zone.find(wall.parse().unwrap()).unwrap();
            jiff::Timestamp::from_millisecond(at.as_millis()).unwrap().to_string()
        };
        assert_eq!(found("2026-03-29T01:59"), "2026-03-29T00:59:00Z");
        assert_eq!(found("2026-03-29T02:30"), "2026-03-29T01:30:00Z", "shown as half past three");
        assert_eq!(found("2026-03-29T03:00"), "2026-03-29T01:00:00Z");
        assert_eq!(found("2026-10-25T02:30"), "2026-10-25T00:30:00Z");
        assert_eq!(found("2026-10-25T03:00"), "2026-10-25T02:00:00Z");
    }
}
