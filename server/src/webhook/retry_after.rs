//! How long a receiver asks us to wait, in every form that servers send.

use http::{HeaderMap, header};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reprieve::model::Delay;

/// Longest wait; a receiver that is away longer has the job offered again once a day.
const WAIT_MS_MAX: i64 = 24 * 60 * 60 * 1_000;
/// Parts of a list that are read: proxies add one each.
const PARTS_MAX: usize = 32;

/// Weekdays may be wrong, as nobody waits for one.
static DATES: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);

/// What an answer says of when to ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RetryAfter {
    /// Nothing.
    Absent,
    /// To wait so long, at most a day.
    In(Delay),
    /// To wait, but for no time that reads, or until a moment that is over: to ask at once would go on for ever.
    Unclear,
}

/// The longest wait that an answer asks for.
///
/// Whole seconds and fractions, which are rounded up, and lists of them; the three forms of dates of RFC 9110 and that of
/// RFC 3339. What cannot be read beside something that can is passed over.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> RetryAfter {
    let lines = headers.get_all(header::RETRY_AFTER).iter();
    let waits = lines.map(|line| line.to_str().ok().and_then(|line| wait(line, now)));
    match waits.max() {
        None => RetryAfter::Absent,
        Some(Some(ms)) if ms > 0 => RetryAfter::In(Delay::millis(ms.min(WAIT_MS_MAX))),
        Some(_) => RetryAfter::Unclear,
    }
}

/// The wait of one header, in ms.
fn wait(line: &str, now: Timestamp) -> Option<i64> {
    match date(line.trim().trim_matches('"')) {
        Some(at) => Some(at.as_millisecond().saturating_sub(now.as_millisecond())),
        None => line.split(',').take(PARTS_MAX).filter_map(seconds).max(),
    }
}

fn date(text: &str) -> Option<Timestamp> {
    let obsolete = || httpdate::parse_http_date(text).ok().and_then(|at| Timestamp::try_from(at).ok());
    DATES.parse_timestamp(text).ok().or_else(obsolete).or_else(|| text.parse().ok())
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

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn read(lines: &[&'static str]) -> RetryAfter {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::RETRY_AFTER, HeaderValue::from_static(line));
        }
        retry_after(&headers, "1994-11-06T08:49:30Z".parse().unwrap())
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
        ] {
            assert_eq!(read(&[text]), RetryAfter::In(Delay::millis(ms)), "{text:?}");
        }
        assert_eq!(read(&["2", "5", "3"]), RetryAfter::In(Delay::seconds(5)));
        assert_eq!(read(&["soon", "7"]), RetryAfter::In(Delay::seconds(7)));
    }

    #[test]
    fn what_names_no_wait_is_unclear() {
        for text in ["-5", "soon", "", "1e3", "5 minutes", "1.2.3", ".", "0", "Sat, 05 Nov 1994 08:49:37 GMT"]
        {
            assert_eq!(read(&[text]), RetryAfter::Unclear, "{text:?}");
        }
        assert_eq!(read(&[]), RetryAfter::Absent);
    }
}
