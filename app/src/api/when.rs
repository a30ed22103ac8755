//! A time as a form sends it.

use reprieve::model::{Delay, Timestamp};

/// A point in time, absolute or from now on by Redis's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At that instant.
    At(Timestamp),
    /// That long from now.
    In(Delay),
}

/// Reads `+900` (seconds from now), `1763690000000` (ms since 1970), `2026-08-12T09:00` (UTC)
/// or `2026-08-12T09:00:00+08:00`; `None` for anything else.
#[must_use]
pub fn parse(text: &str) -> Option<When> {
    let text = text.trim();
    if let Some(seconds) = text.strip_prefix('+') {
        let seconds: u32 = seconds.parse().ok()?;
        return Some(When::In(Delay::seconds(seconds.into())));
    }
    if text.len() > 8 && text.bytes().all(|b| b.is_ascii_digit()) {
        return Timestamp::from_millis(text.parse().ok()?).map(When::At);
    }
    let instant = match text.parse::<jiff::Timestamp>() {
        Ok(instant) => instant,
        // What an <input type="datetime-local"> sends has no zone.
        Err(_) => jiff::tz::Offset::UTC.to_timestamp(text.parse::<jiff::civil::DateTime>().ok()?).ok()?,
    };
    Timestamp::from_millis(instant.as_millisecond()).map(When::At)
}

/// What was chosen where a form offers `preset` and `due`, as one text for [`parse`].
///
/// `preset` wins over `due` unless it is empty or `at`. A form without script has a preset picked from the beginning: there
/// a `due` that somebody typed is what they mean.
#[cfg(feature = "ssr")]
pub(super) fn chosen(preset: Option<String>, due: Option<String>) -> String {
    let typed = due.as_ref().is_some_and(|text| !text.is_empty()) && super::answer::sent_by_plain_form();
    let preset = preset.filter(|text| !typed && !matches!(text.as_str(), "" | "at"));
    preset.or(due).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Option<When> {
        Timestamp::from_millis(ms).map(When::At)
    }

    #[test]
    fn a_time_is_read_in_every_form_a_form_may_send() {
        assert_eq!(parse("+900"), Some(When::In(Delay::minutes(15))));
        assert_eq!(parse("1786525200000"), at(1_786_525_200_000));
        assert_eq!(parse("2026-08-12T09:00"), at(1_786_525_200_000));
        assert_eq!(parse("2026-08-12T17:00:00+08:00"), at(1_786_525_200_000));
        assert_eq!(parse("2026-08-12T09:00:00.250Z"), at(1_786_525_200_250));
    }

    #[test]
    fn anything_else_is_refused() {
        for bad in ["", "+", "+-5", "tomorrow", "-1", "1969-01-01T00:00", "2026-13-01T00:00", "12"] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
    }
}
