//! Instants as people and programs write them.

use jiff::SignedDuration;
use jiff::civil::date;
use jiff::fmt::temporal::Pieces;
use reprieve::model::Timestamp;

const NANOS_OF_SECOND: i128 = 1_000_000_000;

/// Why a text is no instant that Reprieve keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoInstant {
    /// It is not written in RFC 3339.
    Unread,
    /// It lies before 1970 or after 9999.
    OutOfRange,
}

/// An instant in RFC 3339, rounded up to whole milliseconds: never early. A leap second is the one after it, as clocks that
/// know none have it.
pub(crate) fn read_instant(text: &str) -> Result<Timestamp, NoInstant> {
    let nanos = match text.parse::<jiff::Timestamp>() {
        Ok(instant) => instant.as_nanosecond(),
        // Its instants end a day before the year does, so that every offset has a date.
        Err(_) => nanos_of_pieces(text).ok_or(NoInstant::Unread)?,
    };
    let leaps = text.get(16..19) == Some(":60");
    let nanos = if leaps { (nanos.div_euclid(NANOS_OF_SECOND) + 1) * NANOS_OF_SECOND } else { nanos };
    let (ms, rest) = (nanos.div_euclid(1_000_000), nanos.rem_euclid(1_000_000));
    let ms = i64::try_from(ms).map_err(|_| NoInstant::OutOfRange)?;
    Timestamp::from_millis(ms.saturating_add(i64::from(rest > 0))).ok_or(NoInstant::OutOfRange)
}

/// Nanoseconds since 1970 of a date and a time with an offset.
fn nanos_of_pieces(text: &str) -> Option<i128> {
    let pieces = Pieces::parse(text).ok()?;
    let offset = pieces.to_numeric_offset()?;
    let since = pieces.date().to_datetime(pieces.time()?).duration_since(date(1970, 1, 1).at(0, 0, 0, 0));
    Some((since - SignedDuration::from_secs(offset.seconds().into())).as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_never_rounded_to_an_earlier_one() {
        let ms = |text| read_instant(text).map(Timestamp::as_millis);
        assert_eq!(ms("2025-11-21T01:53:20.123Z"), Ok(1_763_690_000_123));
        assert_eq!(ms("2025-11-21T01:53:20.1230001Z"), Ok(1_763_690_000_124));
        for leap in ["2016-12-31T23:59:60Z", "2016-12-31T23:59:60.5Z", "2017-01-01T00:59:60+01:00"] {
            assert_eq!(ms(leap), ms("2017-01-01T00:00:00Z"), "{leap}");
        }
    }

    #[test]
    fn every_instant_to_the_end_of_9999_is_read_and_one_beyond_is_no_fault_of_its_writing() {
        assert_eq!(read_instant("9999-12-31T23:59:59.999Z"), Ok(Timestamp::MAX));
        assert_eq!(read_instant("9999-12-31T22:59:59.999-01:00"), Ok(Timestamp::MAX));
        for beyond in ["9999-12-31T23:59:59-00:01", "9999-12-31T23:59:59.9991Z", "1969-12-31T23:59:59Z"] {
            assert_eq!(read_instant(beyond), Err(NoInstant::OutOfRange), "{beyond}");
        }
        for unread in ["tomorrow", "", "9999-12-31T23:59:59", "9999-12-32T00:00:00Z", "10000-01-01T00:00:00Z"]
        {
            assert_eq!(read_instant(unread), Err(NoInstant::Unread), "{unread}");
        }
    }
}
