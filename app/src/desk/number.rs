//! The number of a receipt: short enough to be read out on the telephone.

use reprieve::model::Timestamp;

/// Without letters that are taken for digits, after Crockford.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Enough for every time up to the year 3084.
const PLACES: usize = 9;

/// The time of the act in milliseconds, written to the base of 32: `1HQ-4ZB-7M0`.
pub fn receipt_number(at: Timestamp) -> String {
    let mut rest = at.as_millis().unsigned_abs();
    let mut places = [b'0'; PLACES];
    for place in places.iter_mut().rev() {
        *place = DIGITS[usize::try_from(rest % 32).unwrap_or_default()];
        rest /= 32;
    }
    let group = |group: &[u8]| String::from_utf8_lossy(group).into_owned();
    places.chunks(3).map(group).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_short_and_tells_times_apart() {
        let number = |ms| receipt_number(Timestamp::from_millis(ms).unwrap());
        assert_eq!(number(0), "000-000-000");
        assert_eq!(number(1_786_525_200_000), "1KZ-TK6-BM0");
        assert_ne!(number(1_786_525_200_001), number(1_786_525_200_000));
    }
}
