//! The number of a receipt: short enough to be read out on the telephone.

use crate::model::Timestamp;

/// Without letters that are taken for digits, after Crockford.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Enough for every time up to the year 3084.
const PLACES: usize = 9;

/// The time of the act in milliseconds, written to the base of 32: `1HQ-4ZB-7M0`.
#[must_use]
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

/// The time that a number stands for, as somebody typed it: in any case, with any separators, and with letters for the digits
/// that they look like. `None` for what is no such number.
#[must_use]
pub fn receipt_time(typed: &str) -> Option<Timestamp> {
    let mut signs = 0_usize;
    let mut ms = 0_i64;
    for sign in typed.chars().filter(|sign| !sign.is_whitespace() && *sign != '-') {
        let sign = match sign.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        };
        let digit = DIGITS.iter().position(|&digit| char::from(digit) == sign)?;
        signs += 1;
        ms = ms.checked_mul(32)?.checked_add(i64::try_from(digit).ok()?)?;
    }
    (signs == PLACES).then(|| Timestamp::from_millis(ms)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_people_type_it() {
        let at = Timestamp::from_millis(1_786_525_200_000);
        for typed in ["1KZ-TK6-BM0", "1kztk6bm0", " IKZ tk6 BMO "] {
            assert_eq!(receipt_time(typed), at, "{typed}");
        }
        for other in ["", "1KZ-TK6-BM", "1KZ-TK6-BM00", "resource:4711", "1KZ-TK6-BMU"] {
            assert_eq!(receipt_time(other), None, "{other}");
        }
    }

    #[test]
    fn a_number_is_short_and_tells_times_apart() {
        let number = |ms| receipt_number(Timestamp::from_millis(ms).unwrap());
        assert_eq!(number(0), "000-000-000");
        assert_eq!(number(1_786_525_200_000), "1KZ-TK6-BM0");
        assert_ne!(number(1_786_525_200_001), number(1_786_525_200_000));
    }
}
