//! A zone to write times in: one distance from UTC, or a named zone with its changes.

use reprieve::model::Timestamp;

/// The beginning of all instants, on the clocks of UTC.
const EPOCH: jiff::civil::DateTime = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);

/// What a time on somebody's wall stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wall {
    /// The instant. The first of two where it comes twice; where there is no such time, as much later as the clocks go
    /// forward.
    pub at: Timestamp,
    /// Minutes to add to UTC that lead to it.
    pub minutes_east: i32,
    /// Whether the clocks go over that time.
    pub is_skipped: bool,
    /// Whether they show it twice.
    pub comes_twice: bool,
}

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
    pub const fn fixed(minutes_east: i32) -> Self {
        Self { minutes_east, changes: &[], hour12: false }
    }

    /// A named zone by its changes: from which instant (ms) on which distance (minutes east) holds, ascending.
    pub fn named(changes: &'static [(i64, i32)], now_ms: i64) -> Self {
        let zone = Self { minutes_east: 0, changes, hour12: false };
        Self { minutes_east: zone.minutes_at(now_ms), ..zone }
    }

    /// The same zone with hours counted to twelve, or to twenty-four.
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
    pub fn label(self) -> String {
        label(self.minutes_east)
    }

    /// The same, as it is at an instant.
    pub fn label_at(self, at: Timestamp) -> String {
        label(self.minutes_at(at.as_millis()))
    }

    /// Date and time of day of an instant.
    pub fn civil(self, at: Timestamp) -> jiff::civil::DateTime {
        // The library's own instants end a day before ours.
        let away_ms = i64::from(self.minutes_at(at.as_millis())) * 60_000;
        let since_epoch = jiff::SignedDuration::from_millis(at.as_millis().saturating_add(away_ms));
        EPOCH.saturating_add(since_epoch)
    }

    /// When the day of an instant began there, as filters write it: `2026-08-12T00:00+08:00`.
    pub fn day_began(self, now: Timestamp) -> String {
        let midnight = self.civil(now).date().at(0, 0, 0, 0);
        let began = self.find(midnight).map_or(now, |wall| wall.at);
        let minutes = self.minutes_at(began.as_millis());
        let (sign, away) = (if minutes < 0 { '-' } else { '+' }, minutes.unsigned_abs());
        let clock = iso_minute(self.civil(began));
        format!("{clock}{sign}{:02}:{:02}", away / 60, away % 60)
    }

    /// The instant at which clocks in this zone show a date and time; `None` beyond the years that instants have.
    pub fn find(self, wall: jiff::civil::DateTime) -> Option<Wall> {
        // More than any zone moves at once, and less than lies between two changes.
        const NEAR_MS: i64 = 86_400_000;
        let as_if_utc = jiff::tz::Offset::UTC.to_timestamp(wall).ok()?.as_millisecond();
        let at_ms = |minutes: i32| as_if_utc - i64::from(minutes) * 60_000;
        let fits = |minutes: i32| self.minutes_at(at_ms(minutes)) == minutes;
        let (before, after) = (self.minutes_at(as_if_utc - NEAR_MS), self.minutes_at(as_if_utc + NEAR_MS));
        let minutes_east = if !fits(before) && fits(after) { after } else { before };
        Some(Wall {
            at: Timestamp::from_millis(at_ms(minutes_east))?,
            minutes_east,
            is_skipped: !fits(before) && !fits(after),
            comes_twice: before != after && fits(before) && fits(after),
        })
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
pub(crate) mod calendar {
    use jiff::Timestamp;

    /// How far back changes are told: jobs that ended are kept for a year or two.
    const BACK_YEARS: i64 = 3;
    /// How far ahead: what is due later is a matter of law that nobody knows yet.
    const AHEAD_YEARS: i64 = 12;
    /// Two changes a year, and some for zones that move their dates.
    const CHANGES_MAX: usize = 60;
    const YEAR_MS: i64 = 31_556_952_000;

    /// From which instant on which distance holds around `now_ms`, ascending; `None` for a name that is no zone.
    pub(crate) fn changes(name: &str, now_ms: i64) -> Option<Vec<(i64, i32)>> {
        let zone = reprieve::zones::get(name)?;
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

/// `2026-08-12T09:00`, as RFC 3339 begins.
pub(crate) fn iso_minute(civil: jiff::civil::DateTime) -> String {
    let (year, month, day) = (civil.year(), civil.month(), civil.day());
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}", civil.hour(), civil.minute())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Berlin around 2026: two hours from 29 March, 01:00 UTC, one from 25 October, 01:00 UTC.
    const BERLIN: [(i64, i32); 3] = [(0, 60), (1_774_746_000_000, 120), (1_792_890_000_000, 60)];

    #[test]
    fn a_day_begins_at_the_midnight_of_its_zone() {
        let at = Timestamp::from_millis(1_786_564_800_000).unwrap(); // 2026-08-12T20:00:00Z
        assert_eq!(Zone::UTC.day_began(at), "2026-08-12T00:00+00:00");
        assert_eq!(Zone::fixed(480).day_began(at), "2026-08-13T00:00+08:00");
        assert_eq!(Zone::fixed(-210).day_began(at), "2026-08-12T00:00-03:30");
        // The clocks of Berlin went forward since.
        let zone = Zone::named(BERLIN.to_vec().leak(), 1_774_767_600_000);
        let noon = Timestamp::from_millis(1_774_778_400_000).unwrap();
        assert_eq!(zone.day_began(noon), "2026-03-29T00:00+01:00");
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
        let zone = Zone::named(BERLIN.to_vec().leak(), 1_786_525_200_000);
        let found = |wall: &str| {
            let wall = zone.find(wall.parse().unwrap()).unwrap();
            let at = jiff::Timestamp::from_millisecond(wall.at.as_millis()).unwrap().to_string();
            (at, wall.minutes_east, wall.is_skipped, wall.comes_twice)
        };
        let expected = |at: &str, minutes, is_skipped, twice| (at.to_owned(), minutes, is_skipped, twice);
        assert_eq!(found("2026-03-29T01:59"), expected("2026-03-29T00:59:00Z", 60, false, false));
        // Shown as half past three.
        assert_eq!(found("2026-03-29T02:30"), expected("2026-03-29T01:30:00Z", 60, true, false));
        assert_eq!(found("2026-03-29T03:00"), expected("2026-03-29T01:00:00Z", 120, false, false));
        assert_eq!(found("2026-07-01T12:00"), expected("2026-07-01T10:00:00Z", 120, false, false));
        assert_eq!(found("2026-10-25T02:30"), expected("2026-10-25T00:30:00Z", 120, false, true));
        assert_eq!(found("2026-10-25T03:00"), expected("2026-10-25T02:00:00Z", 60, false, false));
        assert_eq!(Zone::fixed(-210).find("2026-10-25T02:30".parse().unwrap()).unwrap().minutes_east, -210);
    }
}
