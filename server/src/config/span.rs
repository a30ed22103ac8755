//! Spans of time as people write them: `30d`, `24h`, `1h30m`, `500ms`.

use reprieve::SPAN_MAX;
use reprieve::model::Delay;

/// Reads whole numbers, each with its unit, which are added up.
///
/// # Errors
/// A sentence with an example, for anything else.
pub(crate) fn read_span(text: &str) -> Result<Delay, String> {
    let refused = || format!("{text:?} is not a span of time such as 500ms, 90s, 15min, 1h30m or 30d");
    let (mut rest, mut sum_ms) = (text, 0_i64);
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, behind) = rest.split_at(digits);
        let number: i64 = number.parse().map_err(|_| refused())?;
        let behind = behind.trim_start();
        let letters = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (unit, behind) = behind.split_at(letters);
        let part = match unit {
            "ms" => Delay::millis(number),
            "s" => Delay::seconds(number),
            "m" | "min" => Delay::minutes(number),
            "h" => Delay::hours(number),
            "d" => Delay::days(number),
            _ => return Err(refused()),
        };
        sum_ms = sum_ms.saturating_add(part.as_millis());
        rest = behind.trim_start();
        if rest.is_empty() {
            return Ok(Delay::millis(sum_ms));
        }
    }
}

/// Reads a span of the configuration: one that the engine takes. Else a start would end at it, behind the place where mistakes
/// are told.
///
/// # Errors
/// As [`read_span`], and for more than a thousand years.
pub(super) fn read_settable_span(text: &str) -> Result<Delay, String> {
    let span = read_span(text)?;
    if span > SPAN_MAX {
        return Err(format!("{text:?} is more than a thousand years"));
    }
    Ok(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_numbers_with_units() {
        assert_eq!(read_span("30d"), Ok(Delay::days(30)));
        assert_eq!(read_span("15 min"), Ok(Delay::minutes(15)));
        assert_eq!(read_span("500ms"), Ok(Delay::millis(500)));
        assert_eq!(read_span("1h30m"), Ok(Delay::minutes(90)));
        assert_eq!(read_span("1d 2h 3min 4s 5ms"), Ok(Delay::millis(93_784_005)));
        for wrong in ["", "30", "d", "-1d", "1.5h", "1w", "99999999999999999999d", "1h30", "1h-30m", "1h,30m"]
        {
            assert!(read_span(wrong).is_err(), "{wrong:?} was read");
        }
    }
}
