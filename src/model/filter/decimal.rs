//! Decimal numbers, compared by value and never rounded.

use std::cmp::Ordering;

/// No exponent is further from zero: beyond any number that is written out.
const EXPONENT_MAX: i64 = 1 << 60;

/// A number: its first digit stands behind the point, which is moved by the exponent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    exponent: i64,
    /// Without zeros at either end; none for zero.
    digits: Vec<u8>,
}

impl Decimal {
    /// `-19.90`, `1e1`, `.5`; `None` for what is no decimal number.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix(['+', '-']) {
            Some(rest) => (text.starts_with('-'), rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [whole.as_bytes(), fraction.as_bytes()].concat();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let Some(first) = digits.iter().position(|digit| *digit != b'0') else {
            return Some(Self { negative: false, exponent: 0, digits: Vec::new() });
        };
        let last = digits.iter().rposition(|digit| *digit != b'0').unwrap_or(first);
        // A text is shorter than 2^60.
        let moved = |length: usize| i64::try_from(length).unwrap_or(EXPONENT_MAX);
        let exponent = exponent.saturating_add(moved(whole.len())).saturating_sub(moved(first));
        Some(Self { negative, exponent, digits: digits[first..=last].to_vec() })
    }

    /// How two numbers compare that are written so; `None` unless both are numbers.
    #[must_use]
    pub fn compared(a: &str, b: &str) -> Option<Ordering> {
        Some(Self::read(a)?.cmp(&Self::read(b)?))
    }

    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let size = || self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits));
        self.sign().cmp(&other.sign()).then_with(|| if self.negative { size().reverse() } else { size() })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn exponent_of(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse::<i64>().unwrap_or(EXPONENT_MAX).min(EXPONENT_MAX);
    Some(if text.starts_with('-') { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_compare_by_value_however_they_are_written() {
        use Ordering::{Equal, Greater, Less};
        for (a, b, ordering) in [
            ("19.90", "19.9", Equal),
            ("10", "1e1", Equal),
            ("10.00", "1E+1", Equal),
            ("0.5", ".5", Equal),
            ("-0.0", "0e99", Equal),
            ("007", "7", Equal),
            ("100000000000000000001", "100000000000000000002", Less),
            ("-2", "-10", Greater),
            ("-1", "0", Less),
            ("0.1", "0.09", Greater),
            ("9", "10", Less),
            ("1e400", "9e399", Greater),
            ("1e-99999999999999999999", "0", Greater),
        ] {
            assert_eq!(Decimal::compared(a, b), Some(ordering), "{a} {b}");
            assert_eq!(Decimal::compared(b, a), Some(ordering.reverse()), "{b} {a}");
        }
        for text in ["", "-", ".", "e5", "1e", "1e+", "1.2.3", "inf", "NaN", "1 ", "0x1", "1_0", "ten", "--1"]
        {
            assert_eq!(Decimal::read(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn whole_numbers_compare_as_they_do(a in any::<i128>(), b in any::<i128>()) {
            prop_assert_eq!(Decimal::compared(&a.to_string(), &b.to_string()), Some(a.cmp(&b)));
        }

        #[test]
        fn what_is_written_in_other_ways_is_the_same(n in any::<i64>(), zeros in 0_usize..30) {
            let other = format!("{n}.{}", "0".repeat(zeros));
            prop_assert_eq!(Decimal::compared(&n.to_string(), &other), Some(Ordering::Equal));
            let moved = format!("{n}{}e-{zeros}", "0".repeat(zeros));
            prop_assert_eq!(Decimal::compared(&n.to_string(), &moved), Some(Ordering::Equal));
        }
    }
}
