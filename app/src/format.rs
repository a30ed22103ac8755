//! Numbers, spans and instants as people read them.

pub use reprieve::model::without_escapes;
use reprieve::model::{Histogram, PerMinute, Timestamp};

use crate::t;
pub use crate::zone::Zone;
use crate::zone::iso_minute;

/// `1204` as `1,204`.
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

/// `9,204` as it is, `12k` for 12,040 and `3M` for 2,960,000: to the nearest, where there is room for no more.
pub fn short_number(n: u64) -> String {
    const THOUSAND: u64 = 1_000;
    const MILLION: u64 = 1_000_000;
    let nearest = |unit: u64| n.saturating_add(unit / 2) / unit;
    match n {
        0..10_000 => number(n),
        _ if nearest(THOUSAND) < THOUSAND => format!("{}k", nearest(THOUSAND)),
        _ => format!("{}M", number(nearest(MILLION))),
    }
}

/// `1 job`, `1,204 jobs`, in the language of this page.
pub fn jobs(n: u64) -> String {
    t!("frame-jobs", count = n)
}

/// Things one after the other, as the language of this page separates them.
pub fn list(things: impl IntoIterator<Item = String>) -> String {
    let mut things = things.into_iter();
    let first = things.next().unwrap_or_default();
    things.fold(first, |before, next| t!("time-list", before = before, next = next))
}

/// A rate with its tenth below ten: `0.4`, `128`.
pub fn rate(rate: PerMinute) -> String {
    match rate.tenths {
        0 => "0".to_owned(),
        tenths @ 1..100 if tenths % 10 != 0 => format!("{}.{}", tenths / 10, tenths % 10),
        tenths => number(tenths.saturating_add(5) / 10),
    }
}

/// A span in its two largest units: `40 ms`, `12 s`, `2 h 14 m`, `29 d 4 h`. Without a sign.
pub fn span(ms: i64) -> String {
    let ms = ms.unsigned_abs();
    let seconds = ms / 1_000;
    match seconds {
        0 => t!("time-ms", n = ms),
        1..60 => t!("time-s", n = seconds),
        60..3_600 => match (seconds / 60, seconds % 60) {
            (minutes, 0) => t!("time-m", n = minutes),
            (minutes, rest) => t!("time-m-s", m = minutes, s = rest),
        },
        // To the nearest minute, or hour: 24 h that began a moment ago are not 23 h 59 m.
        3_600..86_370 => match ((seconds + 30) / 60 / 60, (seconds + 30) / 60 % 60) {
            (hours, 0) => t!("time-h", n = hours),
            (hours, rest) => t!("time-h-m", h = hours, m = rest),
        },
        _ => match ((seconds + 1_800) / 3_600 / 24, (seconds + 1_800) / 3_600 % 24) {
            (days, 0) => t!("time-d", n = days),
            (days, rest) => t!("time-d-h", d = days, h = rest),
        },
    }
}

/// A duration for a narrow column: `0`, `40 ms`, `1.2 s`, `30 s`, `1 m 59 s`.
pub fn short_ms(ms: u64) -> String {
    match ms {
        0 => "0".to_owned(),
        1..1_000 => t!("time-ms", n = ms),
        1_000..10_000 if ms % 1_000 >= 50 => {
            t!("time-s", n = format!("{}.{}", ms / 1_000, ms % 1_000 / 100))
        }
        1_000..60_000 => t!("time-s", n = ms / 1_000),
        _ => span(i64::try_from(ms).unwrap_or(i64::MAX)),
    }
}

/// A percentile of counted durations: as in a narrow column, and `> 5 m` where all that is known is that it was longer.
pub fn percentile(ms: u64) -> String {
    match ms {
        Histogram::BEYOND_MS => t!("time-over", span = short_ms(Histogram::BEYOND_MS - 1)),
        _ => short_ms(ms),
    }
}

/// `in 2 h 14 m`, `12 s ago`, `now`.
pub fn distance(at: Timestamp, now_ms: i64) -> String {
    let ms = at.as_millis().saturating_sub(now_ms);
    match ms {
        -999..=999 => t!("time-now"),
        1_000.. => t!("time-in", span = span(ms)),
        _ => t!("time-ago", span = span(ms)),
    }
}

/// Bytes in powers of 1,024: `512 B`, `1.4 MiB`.
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

/// `Tue 12 Aug 09:00:00`, with the year when it is not the one of `now_ms`; without zone.
pub fn date_time(at: Timestamp, zone: Zone, now_ms: Option<i64>) -> String {
    let civil = zone.civil(at);
    dated(civil, !is_same_year(civil, zone, now_ms), of_day(civil, zone, true))
}

/// Whether a date is in the year of `now_ms`; so it is taken to be where no clock runs.
fn is_same_year(civil: jiff::civil::DateTime, zone: Zone, now_ms: Option<i64>) -> bool {
    now_ms.and_then(Timestamp::from_millis).is_none_or(|now| zone.civil(now).year() == civil.year())
}

/// `Tue 12 Aug 09:00`: to the minute, with the year when it is not the one of `now_ms`; without zone.
pub fn date_minute(at: Timestamp, zone: Zone, now_ms: Option<i64>) -> String {
    let civil = zone.civil(at);
    dated(civil, !is_same_year(civil, zone, now_ms), of_day(civil, zone, false))
}

/// `Tue 12 Aug 2026 09:00`: to the minute, as papers say it that are kept; without zone.
pub fn year_minute(at: Timestamp, zone: Zone) -> String {
    let civil = zone.civil(at);
    dated(civil, true, of_day(civil, zone, false))
}

/// `Mon 23`: a day among those around it.
pub fn day(at: Timestamp, zone: Zone) -> String {
    let civil = zone.civil(at);
    let weekday = t!("time-weekday", day = civil.weekday().to_monday_one_offset());
    t!("time-day", weekday = weekday, day = civil.day())
}

/// A day with its weekday, and the time of day as it is given.
fn dated(civil: jiff::civil::DateTime, with_year: bool, clock: String) -> String {
    let weekday = t!("time-weekday", day = civil.weekday().to_monday_one_offset());
    let month = t!("time-month", month = civil.month());
    if with_year {
        // As text: a year is not grouped.
        let year = civil.year().to_string();
        t!("time-date-year", weekday = weekday, day = civil.day(), month = month, year = year, clock = clock)
    } else {
        t!("time-date", weekday = weekday, day = civil.day(), month = month, clock = clock)
    }
}

/// A time of day, `14:03:22` or `2:03:22 PM`, with or without its seconds.
fn of_day(civil: jiff::civil::DateTime, zone: Zone, seconds: bool) -> String {
    let rest = if seconds { format!(":{:02}", civil.second()) } else { String::new() };
    from_minutes_on(civil, zone, &rest)
}

/// Hours and minutes, what is more exact, and which half of the day it is where hours are counted to twelve.
fn from_minutes_on(civil: jiff::civil::DateTime, zone: Zone, rest: &str) -> String {
    let (hour, minute) = (civil.hour(), civil.minute());
    if !zone.hour12 {
        return format!("{hour:02}:{minute:02}{rest}");
    }
    let half = if hour < 12 { "am" } else { "pm" };
    // Twelve comes first, at midnight and at noon.
    let hour = (hour + 11) % 12 + 1;
    t!("time-half", half = half, clock = format!("{hour}:{minute:02}{rest}"))
}

/// Where the first so many characters of a text end, in bytes: what of a long one is open before somebody unfolds it.
pub fn end_of_open(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(end, _)| end)
}

/// `14:03:22`.
pub fn clock(at: Timestamp, zone: Zone) -> String {
    of_day(zone.civil(at), zone, true)
}

/// `14:03`.
pub fn minute(at: Timestamp, zone: Zone) -> String {
    of_day(zone.civil(at), zone, false)
}

/// `Tue 12 Aug 2026 09:00:00.000 +08`: everything there is to know of an instant.
pub fn exact(at: Timestamp, zone: Zone) -> String {
    let civil = zone.civil(at);
    let clock = from_minutes_on(civil, zone, &exact_second(civil));
    format!("{} {}", dated(civil, true, clock), zone.label_at(at))
}

/// RFC 3339 with milliseconds, in UTC: for `<time datetime>` and for copying.
pub fn rfc3339(at: Timestamp) -> String {
    let civil = Zone::UTC.civil(at);
    format!("{}{}Z", iso_minute(civil), exact_second(civil))
}

/// `:22.123`.
fn exact_second(civil: jiff::civil::DateTime) -> String {
    format!(":{:02}.{:03}", civil.second(), civil.millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms).unwrap()
    }

    #[test]
    fn of_a_long_text_so_many_characters_are_open_and_the_rest_is_there() {
        let just = "ä".repeat(2_000);
        let longer = format!("{just}end");
        assert_eq!(end_of_open(&just, 2_000), just.len());
        assert_eq!(longer.split_at(end_of_open(&longer, 2_000)), (just.as_str(), "end"));
    }

    #[test]
    fn a_number_for_which_there_is_little_room_is_rounded_to_the_nearest() {
        let short =
            [0, 9_999, 10_000, 12_499, 12_500, 999_499, 999_500, 2_500_000, u64::MAX].map(short_number);
        assert_eq!(short[..8], ["0", "9,999", "10k", "12k", "13k", "999k", "1M", "3M"]);
        assert!(short[8].ends_with('M'), "{short:?}");
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
        assert_eq!(span(day - 1), "1 d", "what has just begun");
        assert_eq!(span(7_199_000), "2 h");
        assert_eq!(span(7_229_000), "2 h");
        assert_eq!(span(day - 31_000), "23 h 59 m");
        assert_eq!(span(30 * day - 1_000), "30 d");
    }

    #[test]
    fn a_duration_in_a_narrow_column_is_cut_to_no_whole_minutes() {
        let written = [0, 40, 1_200, 30_000, 60_000, 119_000, 1_000_000, 36_000_000].map(short_ms);
        assert_eq!(written, ["0", "40 ms", "1.2 s", "30 s", "1 m", "1 m 59 s", "16 m 40 s", "10 h"]);
    }

    #[test]
    fn a_percentile_beyond_all_that_is_counted_is_more_than_the_last_bound() {
        assert_eq!([300_000, 300_001, 1_000_000].map(percentile), ["5 m", "> 5 m", "16 m 40 s"]);
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
        assert_eq!(exact(instant, Zone::fixed(480)), "Wed 12 Aug 2026 17:00:00.000 +08");
        assert_eq!(date_time(instant, Zone::UTC, Some(1_786_525_200_000)), "Wed 12 Aug 09:00:00");
        assert_eq!(Zone::fixed(-210).label_at(instant), "-03:30");
    }

    #[test]
    fn hours_are_counted_to_twelve_where_somebody_wants_that() {
        let zone = Zone::UTC.counting(true);
        let hours = [0, 1, 11, 12, 13, 23].map(|hour| minute(at(1_786_492_800_000 + hour * 3_600_000), zone));
        assert_eq!(hours, ["12:00 AM", "1:00 AM", "11:00 AM", "12:00 PM", "1:00 PM", "11:00 PM"]);
        let instant = at(1_786_525_322_045);
        assert_eq!(clock(instant, zone), "9:02:02 AM");
        assert_eq!(exact(instant, zone), "Wed 12 Aug 2026 9:02:02.045 AM UTC");
        assert_eq!(clock(instant, Zone::UTC), "09:02:02");
        assert_eq!(minute(instant, Zone::UTC), "09:02");
        assert_eq!(year_minute(instant, Zone::UTC), "Wed 12 Aug 2026 09:02");
    }

    #[test]
    fn times_are_written_in_the_language_of_the_page() {
        let owner = leptos::prelude::Owner::new();
        owner.set();
        leptos::prelude::provide_context(crate::i18n::Language::Chinese);
        let instant = at(1_786_525_200_000);
        assert_eq!(minute(instant, Zone::UTC.counting(true)), "上午 9:00");
        let said = [
            span(8_040_000),
            distance(at(10_000), 5_000),
            distance(at(5_000), 10_000),
            date_minute(instant, Zone::UTC, None),
            exact(instant, Zone::UTC),
            day(instant, Zone::UTC),
        ];
        assert_eq!(
            said,
            [
                "2 小时 14 分钟",
                "5 秒后",
                "5 秒前",
                "8 月 12 日 周三 09:00",
                "2026 年 8 月 12 日 周三 09:00:00.000 UTC",
                "12 日 周三"
            ]
        );
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
