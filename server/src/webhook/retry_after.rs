//! How long a receiver asks us to wait, in every form that servers send.

use http::{HeaderMap, header};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::TimeZone;
use reprieve::model::Delay;

/// Longest wait; a receiver that is away longer has the job offered again once a day.
const WAIT_MS_MAX: i64 = 24 * 60 * 60 * 1_000;
/// Parts of a list that are read: proxies add one each.
const PARTS_MAX: usize = 32;

/// Weekdays may be wrong, as nobody waits for one.
static DATES: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);

/// The longest wait that an answer asks for, at most a day. `None` where it names none: without the header, where that cannot
/// be read, and for a moment that is over, which would be asked again at once and for ever.
///
/// Whole seconds and fractions, which are rounded up; the three forms of dates of RFC 9110 and that of RFC
/// 3339; lists of all of these, in one header or several. What cannot be read beside something that can is
/// passed over.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Delay> {
    let lines = headers.get_all(header::RETRY_AFTER).iter();
    let waits = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| waits(line, now));
    waits.max().filter(|&ms| ms > 0).map(|ms| Delay::millis(ms.min(WAIT_MS_MAX)))
}

/// Each wait of a list, in ms. Dates hold commas themselves.
fn waits(line: &str, now: Timestamp) -> Vec<i64> {
    let parts: Vec<&str> = line.split(',').take(PARTS_MAX).collect();
    let mut waits = Vec::new();
    let mut place = 0;
    while let Some(part) = parts.get(place) {
        let with_next = parts.get(place + 1).and_then(|next| date(&format!("{part},{next}"), now));
        let at = with_next.or_else(|| date(part, now));
        waits.extend(
            at.map(|at| at.as_millisecond().saturating_sub(now.as_millisecond())).or_else(|| seconds(part)),
        );
        place += if with_next.is_some() { 2 } else { 1 };
    }
    waits
}

/// `120` and `1.5` in ms, in whole seconds.
fn seconds(text: &str) -> Option<i64> {
    let text = text.trim().trim_matches('"');
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) {
        return None;
    }
    // Any number of digits: more than these is more than a day.
    let seconds = if whole.is_empty() { 0 } else { whole.parse().unwrap_or(i64::MAX) };
    let rounded = i64::from(fraction.bytes().any(|byte| byte != b'0'));
    Some(seconds.saturating_add(rounded).saturating_mul(1_000))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994` or
/// `1994-11-06T08:49:37Z`.
fn date(text: &str, now: Timestamp) -> Option<Timestamp> {
    let text = text.trim().trim_matches('"');
    let words: Vec<&str> = text.split_whitespace().collect();
    let obsolete = match words.as_slice() {
        [_, date, time, zone] => date.split_once('-').and_then(|(day, rest)| {
            let (month, year) = rest.split_once('-')?;
            Some(format!("{day} {month} {} {time} {zone}", full_year(year, now)?))
        }),
        [_, month, day, time, year] if !text.contains(',') => {
            Some(format!("{day} {month} {year} {time} GMT"))
        }
        _ => None,
    };
    let read = |text: &str| DATES.parse_timestamp(text).ok();
    obsolete.as_deref().and_then(read).or_else(|| read(text)).or_else(|| text.parse().ok())
}

/// A year of two digits: what seems to be more than 50 years away lies in the past (RFC 9110, 5.6.7).
fn full_year(year: &str, now: Timestamp) -> Option<i16> {
    let digits: i16 = year.parse().ok().filter(|_| year.len() == 2)?;
    let this_year = now.to_zoned(TimeZone::UTC).year();
    let year = this_year - this_year % 100 + digits;
    Some(if year > this_year + 50 { year - 100 } else { year })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    const NOW: &str = "1994-11-06T08:49:30Z";

    fn read(lines: &[&'static str], now: &str) -> Option<Delay> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::RETRY_AFTER, HeaderValue::from_static(line));
        }
        retry_after(&headers, now.parse().unwrap())
    }

    #[test]
    fn every_form_is_read_up_to_a_day() {
        for (text, ms) in [
            ("120", 120_000),
            (" 3 ", 3_000),
            ("2.0", 2_000),
            ("2.1", 3_000),
            (".5", 1_000),
            ("\"5\"", 5_000),
            ("4294967296", WAIT_MS_MAX),
            ("99999999999999999999999999999999", WAIT_MS_MAX),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 7_000),
            ("Mon, 06 Nov 1994 08:49:37 GMT", 7_000),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 7_000),
            ("Sun Nov  6 08:49:37 1994", 7_000),
            ("1994-11-06T08:49:37Z", 7_000),
            ("1994-11-06T09:49:37.5+01:00", 7_500),
            ("Fri, 31 Dec 2100 23:59:59 GMT", WAIT_MS_MAX),
            ("2, 5", 5_000),
            ("5,2", 5_000),
            ("3, soon", 3_000),
            ("2, Sun, 06 Nov 1994 08:49:37 GMT", 7_000),
            ("Sun, 06 Nov 1994 08:49:37 GMT, 9", 9_000),
        ] {
            assert_eq!(read(&[text], NOW), Some(Delay::millis(ms)), "{text:?}");
        }
        assert_eq!(read(&["2", "5", "3"], NOW), Some(Delay::seconds(5)));
        // Two digits of a year mean the next one at the end of a century.
        let new_year = read(&["Saturday, 01-Jan-00 00:00:05 GMT"], "1999-12-31T23:59:59Z");
        assert_eq!(new_year, None, "a century that has gone is the past");
        assert_eq!(
            read(&["Wednesday, 06-Nov-24 00:00:05 GMT"], "2024-11-06T00:00:00Z"),
            Some(Delay::seconds(5))
        );
    }

    #[test]
    fn what_names_no_wait_is_as_good_as_not_there() {
        for text in ["-5", "soon", "", "1e3", "5 minutes", "1.2.3", ".", "0", "Sat, 05 Nov 1994 08:49:37 GMT"]
        {
            assert_eq!(read(&[text], NOW), None, "{text:?}");
        }
        assert_eq!(read(&[], NOW), None);
    }
}
