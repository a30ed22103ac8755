//! Spans of time as filters write them: `<24h`, `1h..3h`, `2026-08-12`, `>=2026-08-12T09:00+08:00`.

use crate::model::time::Timestamp;
use std::fmt;

/// An instant, fixed or told from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// That many ms after now, or before it when negative.
    FromNow(i64),
    /// That instant.
    At(Timestamp),
}

impl Moment {
    /// The instant it is, by that clock.
    #[must_use]
    pub const fn at(self, now: Timestamp) -> Timestamp {
        match self {
            Self::FromNow(ms) => Timestamp::saturating_from_millis(now.as_millis().saturating_add(ms)),
            Self::At(at) => at,
        }
    }
}

/// From a moment on, up to but not at another; one of them may be open.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Span {
    /// At it or later.
    pub from: Option<Moment>,
    /// Earlier than it.
    pub before: Option<Moment>,
    /// As it was written.
    written: String,
}

impl Span {
    /// Whether an instant lies in it.
    #[must_use]
    pub fn holds(&self, at: Timestamp, now: Timestamp) -> bool {
        self.from.is_none_or(|from| at >= from.at(now))
            && self.before.is_none_or(|before| at < before.at(now))
    }

    /// From that instant on, up to but not at the other: to judge by, and not to be written.
    pub(crate) fn between(from: Option<Timestamp>, before: Option<Timestamp>) -> Self {
        Self { from: from.map(Moment::At), before: before.map(Moment::At), written: String::new() }
    }

    /// Reads one; with `back` a length of time counts back from now, and less of it is later.
    pub(super) fn read(text: &str, back: bool) -> Option<Self> {
        let span = |from, before| Some(Self { from, before, written: text.to_owned() });
        if let Some((first, last)) = text.split_once("..") {
            let (first, last) = (Edge::read(first, back)?, Edge::read(last, back)?);
            // Counted back, the longer one is the earlier.
            let (first, last) = match (first.moment, last.moment) {
                (Moment::FromNow(a), Moment::FromNow(b)) if a > b => (last, first),
                _ => (first, last),
            };
            return span(Some(first.moment), Some(last.end()));
        }
        let (sign, rest) = [("<=", 1), ("<", 2), (">=", 3), (">", 4)]
            .into_iter()
            .find_map(|(sign, number)| text.strip_prefix(sign).map(|rest| (number, rest)))
            .unwrap_or((0, text));
        let edge = Edge::read(rest, back)?;
        // Of a length that counts back, less is later.
        let turned = back && matches!(edge.moment, Moment::FromNow(_));
        match (sign, turned) {
            (0, _) => edge.day_end.map(|end| Self {
                from: Some(edge.moment),
                before: Some(end),
                written: text.to_owned(),
            }),
            (1, false) | (3, true) => span(None, Some(edge.end())),
            (2, false) | (4, true) => span(None, Some(edge.moment)),
            (3, false) | (1, true) => span(Some(edge.moment), None),
            _ => span(Some(edge.end()), None),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

/// A moment, and for a whole day the end of that day.
#[derive(Clone, Copy)]
struct Edge {
    moment: Moment,
    day_end: Option<Moment>,
}

impl Edge {
    fn read(text: &str, back: bool) -> Option<Self> {
        if let Some(ms) = length_ms(text) {
            return Some(Self { moment: Moment::FromNow(if back { -ms } else { ms }), day_end: None });
        }
        let (ms, is_day) = instant_ms(text)?;
        let day_end =
            is_day.then_some(ms.checked_add(DAY_MS)?).map(Timestamp::saturating_from_millis).map(Moment::At);
        Some(Self { moment: Moment::At(Timestamp::from_millis(ms)?), day_end })
    }

    /// The first moment behind it.
    fn end(self) -> Moment {
        self.day_end.unwrap_or(match self.moment {
            Moment::FromNow(ms) => Moment::FromNow(ms.saturating_add(1)),
            Moment::At(at) => Moment::At(Timestamp::saturating_from_millis(at.as_millis().saturating_add(1))),
        })
    }
}

const DAY_MS: i64 = 86_400_000;
/// Longest length of time: a hundred years.
const LENGTH_MS_MAX: i64 = 36_525 * DAY_MS;

/// `90m`, `1h30m`, `-5m`, `0s`; ms.
fn length_ms(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let mut sum: i64 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number: i64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        // Milliseconds before minutes.
        let units =
            [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", DAY_MS), ("w", 7 * DAY_MS)];
        let (unit, ms) = units.into_iter().find(|(unit, _)| rest.starts_with(unit))?;
        rest = &rest[unit.len()..];
        sum = sum.checked_add(number.checked_mul(ms)?)?;
    }
    (sum <= LENGTH_MS_MAX).then_some(sign * sum)
}

/// `2026-08-12` (a whole day of UTC), `2026-08-12T09:00`, with `:30`, `.250`, `Z` or `+08:00`; ms since 1970, and
/// whether it is a whole day.
fn instant_ms(text: &str) -> Option<(i64, bool)> {
    let date = text.get(..10)?;
    let mut parts = date.split('-').map(digits);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || !date.is_ascii() || !(1970..=9999).contains(&year) {
        return None;
    }
    let days = days_since_1970(year, month, day)?;
    let rest = &text[10..];
    if rest.is_empty() {
        return Some((days * DAY_MS, true));
    }
    let rest = rest.strip_prefix('T')?;
    let zone_at = rest.find(['Z', '+', '-']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(zone_at);
    Some((days * DAY_MS + clock_ms(clock)? - offset_ms(zone)?, false))
}

fn clock_ms(text: &str) -> Option<i64> {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let mut parts = whole.split(':').map(|part| if part.len() == 2 { digits(part) } else { None });
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = match parts.next() {
        Some(second) => second?,
        None if fraction.is_some() => return None,
        None => 0,
    };
    let ms = match fraction {
        Some(text) if (1..=3).contains(&text.len()) => digits(&format!("{text:0<3}"))?,
        Some(_) => return None,
        None => 0,
    };
    let reads = parts.next().is_none() && hour < 24 && minute < 60 && second < 60;
    reads.then_some(((hour * 60 + minute) * 60 + second) * 1_000 + ms)
}

fn offset_ms(zone: &str) -> Option<i64> {
    let sign = match zone.chars().next() {
        None | Some('Z') => return (zone.len() <= 1).then_some(0),
        Some('-') => -1,
        _ => 1,
    };
    let (hours, minutes) = zone[1..].split_once(':')?;
    let (hours, minutes) = (digits(hours)?, digits(minutes)?);
    (hours <= 18 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60_000)
}

fn digits(text: &str) -> Option<i64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// Days from 1970-01-01 to a day of the Gregorian calendar; years are counted from March, so that the leap day is the last.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let in_cycle = year % 400;
    let day_of_cycle = in_cycle * 365 + in_cycle / 4 - in_cycle / 100 + day_of_year;
    Some(year / 400 * 146_097 + day_of_cycle - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Option<Moment> {
        Timestamp::from_millis(ms).map(Moment::At)
    }

    #[test]
    fn a_date_and_a_clock_with_a_zone_are_an_instant() {
        for (text, ms) in [
            ("1970-01-01T00:00Z", 0),
            ("2000-02-29T00:00", 951_782_400_000),
            ("2026-08-12T09:00", 1_786_525_200_000),
            ("2026-08-12T17:00:00+08:00", 1_786_525_200_000),
            ("2026-08-12T09:00:00.25Z", 1_786_525_200_250),
            ("9999-12-31T23:59:59.999", 253_402_300_799_999),
        ] {
            assert_eq!(instant_ms(text), Some((ms, false)), "{text}");
        }
        for bad in [
            "2026-02-30",
            "2025-02-29",
            "2026-8-12",
            "2026-08-12T",
            "2026-08-12T9:00",
            "2026-08-12T09:60",
            "2026-08-12T09:00+8",
            "2026-08-12 09:00",
            "12.08.2026",
            "1969-12-31",
            "2026-08-12T09:00.5",
            "２０２６-08",
        ] {
            assert_eq!(instant_ms(bad), None, "{bad}");
        }
    }

    #[test]
    fn less_of_an_age_is_later_and_less_of_a_wait_is_earlier() {
        let hour = 3_600_000;
        let wait = Span::read("<1h", false).unwrap();
        assert_eq!((wait.from, wait.before), (None, Some(Moment::FromNow(hour))));
        let age = Span::read("<1h", true).unwrap();
        assert_eq!((age.from, age.before), (Some(Moment::FromNow(1 - hour)), None));
        let old = Span::read(">1h", true).unwrap();
        assert_eq!((old.from, old.before), (None, Some(Moment::FromNow(-hour))));
        let between = Span::read("1h..2h", true).unwrap();
        assert_eq!(
            (between.from, between.before),
            (Some(Moment::FromNow(-2 * hour)), Some(Moment::FromNow(1 - hour)))
        );
    }

    #[test]
    fn a_day_is_meant_whole() {
        let day = Span::read("2026-08-12", false).unwrap();
        assert_eq!((day.from, day.before), (at(1_786_492_800_000), at(1_786_579_200_000)));
        let days = Span::read("2026-08-12..2026-08-12", true).unwrap();
        assert_eq!((days.from, days.before), (day.from, day.before));
        assert_eq!(Span::read(">2026-08-12", false).unwrap().from, day.before);
        assert_eq!(Span::read("<2026-08-12", false).unwrap().before, day.from);
        assert_eq!(Span::read(">=2026-08-12", true).unwrap().from, day.from);
    }

    #[test]
    fn a_length_has_units_and_an_end() {
        assert_eq!(length_ms("1h30m"), Some(5_400_000));
        assert_eq!(length_ms("250ms"), Some(250));
        assert_eq!(length_ms("-5m"), Some(-300_000));
        for bad in ["", "-", "5", "h", "5x", "1h30", "99999999999999999999d", "40000d"] {
            assert_eq!(length_ms(bad), None, "{bad}");
        }
        assert!(Span::read("2h", false).is_none(), "a bare length says neither before nor behind");
    }
}
