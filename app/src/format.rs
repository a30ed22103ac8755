//! Numbers, spans and instants as people read them.

use jiff::tz::Offset;
use reprieve::model::{PerMinute, Timestamp};

/// `1204` as `1,204`.
#[must_use]
pub fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 job`, `1,204 jobs`.
#[must_use]
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(n), if n == 1 { one } else { many })
}

/// A rate with its tenth below ten: `0.4`, `128`.
#[must_use]
pub fn rate(rate: PerMinute) -> String {
    match rate.tenths {
        0 => "0".to_owned(),
        tenths @ 1..100 if tenths % 10 != 0 => format!("{}.{}", tenths / 10, tenths % 10),
        tenths => number(tenths.saturating_add(5) / 10),
    }
}

/// A span in its two largest units: `40 ms`, `12 s`, `2 h 14 m`, `29 d 4 h`. Without a sign.
#[must_use]
pub fn span(ms: i64) -> String {
    let ms = ms.unsigned_abs();
    let seconds = ms / 1_000;
    let two = |high: u64, high_unit: &str, low: u64, low_unit: &str| {
        if low == 0 { format!("{high} {high_unit}") } else { format!("{high} {high_unit} {low} {low_unit}") }
    };
    match seconds {
        0 => format!("{ms} ms"),
        1..60 => format!("{seconds} s"),
        60..3_600 => two(seconds / 60, "m", seconds % 60, "s"),
        3_600..86_400 => two(seconds / 3_600, "h", seconds % 3_600 / 60, "m"),
        _ => two(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h"),
    }
}

/// A duration for a narrow column: `0`, `40 ms`, `1.2 s`, `30 s`, `5 m`.
#[must_use]
pub fn short_ms(ms: u64) -> String {
    match ms {
        0 => "0".to_owned(),
        1..1_000 => format!("{ms} ms"),
        1_000..10_000 if ms % 1_000 >= 50 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        1_000..60_000 => format!("{} s", ms / 1_000),
        _ => format!("{} m", ms / 60_000),
    }
}

/// `in 2 h 14 m`, `12 s ago`, `now`.
#[must_use]
pub fn distance(at: Timestamp, now_ms: i64) -> String {
    let ms = at.as_millis().saturating_sub(now_ms);
    match ms {
        -999..=999 => "now".to_owned(),
        1_000.. => format!("in {}", span(ms)),
        _ => format!("{} ago", span(ms)),
    }
}

/// Bytes in powers of 1,024: `512 B`, `1.4 MiB`.
#[must_use]
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if n < 1_024 {
        return format!("{} B", number(n));
    }
    let mut unit = 0;
    let mut tenths = n.saturating_mul(10) / 1_024;
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1_024;
        unit += 1;
    }
    if tenths >= 1_000 || tenths.is_multiple_of(10) {
        format!("{} {}", number(tenths / 10), UNITS[unit])
    } else {
        format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
    }
}

/// A zone as the distance from UTC, in minutes east.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zone {
    /// Minutes to add to UTC; 0 is UTC itself.
    pub minutes_east: i32,
}

impl Zone {
    /// Coordinated universal time: what the server writes.
    pub const UTC: Self = Self { minutes_east: 0 };

    /// `UTC`, `+08`, `-03:30`.
    #[must_use]
    pub fn label(self) -> String {
        let (sign, minutes) =
            (if self.minutes_east < 0 { '-' } else { '+' }, self.minutes_east.unsigned_abs());
        match (minutes / 60, minutes % 60) {
            (0, 0) => "UTC".to_owned(),
            (hours, 0) => format!("{sign}{hours:02}"),
            (hours, rest) => format!("{sign}{hours:02}:{rest:02}"),
        }
    }

    fn civil(self, at: Timestamp) -> jiff::civil::DateTime {
        let offset = Offset::from_seconds(self.minutes_east.saturating_mul(60)).unwrap_or(Offset::UTC);
        let instant =
            jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        offset.to_datetime(instant)
    }
}

/// `Tue 12 Aug 09:00:00`, with the year when it is not the one of `now_ms`; without zone.
#[must_use]
pub fn date_time(at: Timestamp, zone: Zone, now_ms: Option<i64>) -> String {
    let civil = zone.civil(at);
    let same_year =
        now_ms.and_then(Timestamp::from_millis).is_none_or(|now| zone.civil(now).year() == civil.year());
    if same_year {
        civil.strftime("%a %-d %b %H:%M:%S").to_string()
    } else {
        civil.strftime("%a %-d %b %Y %H:%M:%S").to_string()
    }
}

/// `14:03:22`.
#[must_use]
pub fn clock(at: Timestamp, zone: Zone) -> String {
    zone.civil(at).strftime("%H:%M:%S").to_string()
}

/// `14:03`.
#[must_use]
pub fn minute(at: Timestamp, zone: Zone) -> String {
    zone.civil(at).strftime("%H:%M").to_string()
}

/// `Tue 12 Aug 2026 09:00:00.000 +08`: everything there is to know of an instant.
#[must_use]
pub fn exact(at: Timestamp, zone: Zone) -> String {
    format!("{} {}", zone.civil(at).strftime("%a %-d %b %Y %H:%M:%S%.3f"), zone.label())
}

/// RFC 3339 with milliseconds, in UTC: for `<time datetime>` and for copying.
#[must_use]
pub fn rfc3339(at: Timestamp) -> String {
    format!("{}Z", Zone::UTC.civil(at).strftime("%Y-%m-%dT%H:%M:%S%.3f"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms).unwrap()
    }

    #[test]
    fn numbers_are_grouped_by_three() {
        assert_eq!(
            [0, 12, 999, 1_000, 128_402, 1_234_567].map(number),
            ["0", "12", "999", "1,000", "128,402", "1,234,567"]
        );
    }

    #[test]
    fn a_span_shows_its_two_largest_units() {
        let day = 86_400_000;
        assert_eq!(span(40), "40 ms");
        assert_eq!(span(12_999), "12 s");
        assert_eq!(span(60_000), "1 m");
        assert_eq!(span(8_040_000), "2 h 14 m");
        assert_eq!(span(29 * day + 4 * 3_600_000), "29 d 4 h");
        assert_eq!(span(-8_040_000), "2 h 14 m");
    }

    #[test]
    fn a_distance_says_its_direction() {
        assert_eq!(distance(at(10_000), 5_000), "in 5 s");
        assert_eq!(distance(at(5_000), 10_000), "5 s ago");
        assert_eq!(distance(at(5_000), 5_400), "now");
    }

    #[test]
    fn an_instant_is_written_in_its_zone() {
        let instant = at(1_786_525_200_000); // 2026-08-12T09:00:00Z
        assert_eq!(rfc3339(instant), "2026-08-12T09:00:00.000Z");
        assert_eq!(exact(instant, Zone { minutes_east: 480 }), "Wed 12 Aug 2026 17:00:00.000 +08");
        assert_eq!(date_time(instant, Zone::UTC, Some(1_786_525_200_000)), "Wed 12 Aug 09:00:00");
        assert_eq!(Zone { minutes_east: -210 }.label(), "-03:30");
    }

    #[test]
    fn small_rates_keep_their_tenth() {
        let rates = [0, 4, 10, 99, 105, 12_800].map(|tenths| rate(PerMinute { tenths }));
        assert_eq!(rates, ["0", "0.4", "1", "9.9", "11", "1,280"]);
    }

    #[test]
    fn bytes_are_written_in_the_unit_that_fits() {
        assert_eq!(
            [0, 1_023, 1_024, 1_500_000, 1 << 30].map(bytes),
            ["0 B", "1,023 B", "1 KiB", "1.4 MiB", "1 GiB"]
        );
    }
}
