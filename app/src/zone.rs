//! A zone to write times in: one distance from UTC, or a named zone with its changes.

use reprieve::model::Timestamp;

/// A zone. Cheap to copy: the changes of a named zone are kept for as long as the page, or the server, lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zone {
    /// Minutes to add to UTC now; 0 is UTC itself.
    pub minutes_east: i32,
    /// Of a named zone: from which instant on which distance holds, ascending.
    changes: &'static [(i64, i32)],
    /// Whether hours are counted to twelve.
    pub hour12: bool,
}

impl Zone {
    /// Coordinated universal time: what the server writes unless somebody chose a zone.
    pub const UTC: Self = Self::fixed(0);

    /// The same distance from UTC all year.
    #[must_use]
    pub const fn fixed(minutes_east: i32) -> Self {
        Self { minutes_east, changes: &[], hour12: false }
    }

    /// A named zone by its changes: from which instant (ms) on which distance (minutes east) holds, ascending.
    #[must_use]
    pub fn named(changes: &'static [(i64, i32)], now_ms: i64) -> Self {
        let zone = Self { minutes_east: 0, changes, hour12: false };
        Self { minutes_east: zone.minutes_at(now_ms), ..zone }
    }

    /// The same zone with hours counted to twelve, or to twenty-four.
    #[must_use]
    pub const fn counting(self, hour12: bool) -> Self {
        Self { hour12, ..self }
    }

    /// Minutes to add to UTC at an instant.
    fn minutes_at(self, at_ms: i64) -> i32 {
        let later = self.changes.partition_point(|(from, _)| *from <= at_ms);
        let change = later.checked_sub(1).or(Some(0)).and_then(|place| self.changes.get(place));
        change.map_or(self.minutes_east, |(_, minutes)| *minutes)
    }

    /// `UTC`, `+08`, `-03:30`, as it is now.
    #[must_use]
    pub fn label(self) -> String {
        label(self.minutes_east)
    }

    /// The same, as it is at an instant.
    #[must_use]
    pub fn label_at(self, at: Timestamp) -> String {
        label(self.minutes_at(at.as_millis()))
    }

    /// Date and time of day of an instant.
    #[must_use]
    pub fn civil(self, at: Timestamp) -> jiff::civil::DateTime {
        let seconds = self.minutes_at(at.as_millis()).saturating_mul(60);
        let offset = jiff::tz::Offset::from_seconds(seconds).unwrap_or(jiff::tz::Offset::UTC);
        let instant =
            jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        offset.to_datetime(instant)
    }
}

fn label(minutes_east: i32) -> String {
    let (sign, minutes) = (if minutes_east < 0 { '-' } else { '+' }, minutes_east.unsigned_abs());
    match (minutes / 60, minutes % 60) {
        (0, 0) => "UTC".to_owned(),
        (hours, 0) => format!("{sign}{hours:02}"),
        (hours, rest) => format!("{sign}{hours:02}:{rest:02}"),
    }
}

/// The calendar of named zones, which only the server has.
#[cfg(feature = "ssr")]
pub(crate) mod calendar {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    /// How far back changes are told: jobs that ended are kept for a year or two.
    const BACK_YEARS: i64 = 3;
    /// How far ahead: what is due later is a matter of law that nobody knows yet.
    const AHEAD_YEARS: i64 = 12;
    /// Two changes a year, and some for zones that move their dates.
    const CHANGES_MAX: usize = 60;
    const YEAR_MS: i64 = 31_556_952_000;

    /// From which instant on which distance holds around `now_ms`, ascending; `None` for a name that is no zone.
    pub(crate) fn changes(name: &str, now_ms: i64) -> Option<Vec<(i64, i32)>> {
        let zone = TimeZone::get(name).ok()?;
        let from = Timestamp::from_millisecond(now_ms - BACK_YEARS * YEAR_MS).ok()?;
        let to_ms = now_ms + AHEAD_YEARS * YEAR_MS;
        let mut all = vec![(from.as_millisecond(), zone.to_offset(from).seconds() / 60)];
        let following = zone.following(from).take_while(|change| change.timestamp().as_millisecond() < to_ms);
        all.extend(
            following
                .take(CHANGES_MAX)
                .map(|change| (change.timestamp().as_millisecond(), change.offset().seconds() / 60)),
        );
        Some(all)
    }

    /// Every name there is, for a list to choose from.
    pub(crate) fn names() -> Vec<String> {
        let mut names: Vec<String> = jiff::tz::db().available().map(|name| name.to_string()).collect();
        names.retain(|name| name.contains('/') && !name.starts_with("Etc/") && !name.starts_with("posix"));
        names.sort();
        names
    }

    #[cfg(test)]
    mod tests {
        use super::super::Zone;
        use super::*;
        use reprieve::model::Timestamp as At;

        #[test]
        fn a_named_zone_follows_its_daylight_saving() {
            let now_ms = 1_786_525_200_000; // 2026-08-12T09:00:00Z
            let changes = changes("Europe/Berlin", now_ms).unwrap().leak();
            let zone = Zone::named(changes, now_ms);
            let clock = |ms: i64| {
                let at = At::from_millis(ms).unwrap();
                format!("{} {}", zone.civil(at).strftime("%H:%M"), zone.label_at(at))
            };
            assert_eq!(zone.label(), "+02");
            assert_eq!(clock(now_ms), "11:00 +02");
            // 2026-12-12T09:00:00Z, in winter; and the hour that comes twice on 25 October.
            assert_eq!(clock(1_797_066_000_000), "10:00 +01");
            assert_eq!(
                (clock(1_792_888_200_000), clock(1_792_891_800_000)),
                ("02:30 +02".to_owned(), "02:30 +01".to_owned())
            );
            assert_eq!(super::changes("Europe/Nowhere", now_ms), None);
            assert!(names().iter().any(|name| name == "Asia/Shanghai"));
        }
    }
}
