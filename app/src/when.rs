//! A time as a form sends it.

use reprieve::model::{Delay, Timestamp};

use crate::error::ApiError;
use crate::i18n;

/// A point in time, absolute or from now on by Redis's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// At that instant.
    At(Timestamp),
    /// That long from now.
    In(Delay),
}

impl From<When> for reprieve::Due {
    fn from(when: When) -> Self {
        match when {
            When::At(at) => Self::At(at),
            When::In(delay) => Self::In(delay),
        }
    }
}

/// The due time that the field of that name has.
///
/// # Errors
/// [`ApiError::WrongField`] for what is no time.
pub(crate) fn due(field: &str, text: &str) -> Result<reprieve::Due, ApiError> {
    parse(text).map(Into::into).ok_or_else(|| ApiError::wrong(field, i18n::not_a_time()))
}

/// Reads `+900` (seconds from now), `1763690000000` (ms since 1970), `2026-08-12T09:00` (UTC)
/// or `2026-08-12T09:00:00+08:00`; `None` for anything else.
pub(crate) fn parse(text: &str) -> Option<When> {
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

/// A moment of a form, which has it as it is on the clocks of that zone, as [`parse`] reads it everywhere. Anything else
/// stays as it is. A time that comes twice is the first, one that is skipped as much later as the clocks go forward.
pub(crate) fn in_zone(text: &str, zone: &str) -> String {
    let instant = || {
        text.parse::<jiff::Timestamp>().is_err().then_some(())?;
        let civil: jiff::civil::DateTime = text.parse().ok()?;
        reprieve::zones::get(zone)?.to_timestamp(civil).ok()
    };
    instant().map_or_else(|| text.to_owned(), |instant| instant.to_string())
}

/// What was chosen where a form offers `preset` and `due`, as one text for [`parse`].
///
/// `preset` wins over `due` unless it is empty or `at`. A form without script has a preset picked from the beginning: there
/// a `due` that somebody typed is what they mean. With one, typing picks `at`.
pub(crate) fn chosen(preset: Option<String>, due: Option<String>) -> String {
    let without_script = crate::request::sent_by_plain_form() && !crate::light::is_read_again();
    let typed = due.as_ref().is_some_and(|text| !text.is_empty()) && without_script;
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
    fn a_moment_of_a_form_is_read_on_the_clocks_of_its_zone() {
        assert_eq!(in_zone("2026-08-12T09:00", "Europe/Berlin"), "2026-08-12T07:00:00Z");
        assert_eq!(in_zone("2026-12-24T09:00:30", "Europe/Berlin"), "2026-12-24T08:00:30Z");
        assert_eq!(
            in_zone("2026-03-29T02:30", "Europe/Berlin"),
            "2026-03-29T01:30:00Z",
            "that hour is skipped"
        );
        assert_eq!(
            in_zone("2026-10-25T02:30", "Europe/Berlin"),
            "2026-10-25T00:30:00Z",
            "that hour comes twice"
        );
        for as_it_is in ["", "+900", "2026-08-12T09:00Z", "2026-08-12T09:00+08:00", "tomorrow"] {
            assert_eq!(in_zone(as_it_is, "Europe/Berlin"), as_it_is);
        }
        assert_eq!(in_zone("2026-08-12T09:00", "Mars/Olympus"), "2026-08-12T09:00");
    }

    #[test]
    fn anything_else_is_refused() {
        for bad in ["", "+", "+-5", "tomorrow", "-1", "1969-01-01T00:00", "2026-13-01T00:00", "12"] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
    }
}
