//! A count as somebody types it to say that they know how many it is about.

/// What a field for it takes, for browsers: digits, and what may stand between them.
pub(crate) const PATTERN: &str = r"[0-9０-９.,，'’\s]+";

/// The number, however its digits are parted; `None` where there is none, or something else beside it.
///
/// Digits may be full-width, as input methods write them; zeros before the number say nothing.
pub(super) fn read(typed: &str) -> Option<u64> {
    let is_between = |c: &char| c.is_whitespace() || matches!(c, '.' | ',' | '，' | '\'' | '’');
    let mut count = None::<u64>;
    for c in typed.chars().filter(|c| !is_between(c)) {
        let digit = match c {
            '０'..='９' => u32::from(c).checked_sub(u32::from('０'))?,
            c => c.to_digit(10)?,
        };
        count = Some(count.unwrap_or(0).checked_mul(10)?.checked_add(digit.into())?);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_read_however_its_digits_are_written_and_parted() {
        let same = [
            "1234",
            "1,234",
            "1.234",
            "1 234",
            "1\u{a0}234",
            "1\u{202f}234",
            "1\u{2009}234",
            "1'234",
            "1’234",
            "１２３４",
            "１，２３４",
            "１２\u{3000}34",
            "001234",
            " 1234\n",
        ];
        for text in same {
            assert_eq!(read(text), Some(1_234), "{text:?}");
        }
        assert_eq!(read(&crate::format::number(1_234_567)), Some(1_234_567), "as pages show it");
        assert_eq!((read("0"), read("000")), (Some(0), Some(0)));
        assert_eq!(read("18446744073709551615"), Some(u64::MAX));
    }

    #[test]
    fn what_is_no_count_is_none() {
        let too_large = ["18446744073709551616", "184467440737095516165", "99999999999999999999999999999999"];
        let none = ["", "  ", ",", "x", "-1", "+1", "1e3", "12 jobs", "1/2"];
        for text in none.into_iter().chain(too_large) {
            assert_eq!(read(text), None, "{text:?}");
        }
    }
}
