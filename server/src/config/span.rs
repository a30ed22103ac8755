//! Spans of time as people write them: `30d`, `24h`, `90s`, `500ms`.

use reprieve::SPAN_MAX;
use reprieve::model::Delay;

/// Reads a whole number with one unit.
///
/// # Errors
/// A sentence with an example, for anything else.
pub(crate) fn read_span(text: &str) -> Result<Delay, String> {
    let refused = || format!("{text:?} is not a span of time such as 500ms, 90s, 15min, 24h or 30d");
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let number: i64 = number.parse().map_err(|_| refused())?;
    Ok(match unit.trim_start() {
        "ms" => Delay::millis(number),
        "s" => Delay::seconds(number),
        "m" | "min" => Delay::minutes(number),
        "h" => Delay::hours(number),
        "d" => Delay::days(number),
        _ => return Err(refused()),
    })
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
    fn a_span_is_a_number_and_a_unit() {
        assert_eq!(read_span("30d"), Ok(Delay::days(30)));
        assert_eq!(read_span("15 min"), Ok(Delay::minutes(15)));
        assert_eq!(read_span("500ms"), Ok(Delay::millis(500)));
        for wrong in ["", "30", "d", "-1d", "1.5h", "1w", "99999999999999999999d"] {
            assert!(read_span(wrong).is_err(), "{wrong:?} was read");
        }
    }
}
