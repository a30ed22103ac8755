//! What payloads are searched for, hidden in addresses: a filter there has `sealed.` and digits in its place.

use super::term::{Pattern, PayloadTest, Term, Test};
use super::{FILTER_BYTES_MAX, Filter};
use std::ops::Range;

/// How a sealed text begins. Hexadecimal digits follow, so that it is plain in addresses, as a text and as a value.
pub const SEAL_MARK: &str = "sealed.";
/// Fewest digits of one: those of its nonce and its tag.
pub const SEAL_DIGITS_MIN: usize = 2 * (12 + 16);
/// Longest filter with everything sealed, bytes: twice the text, and what each of twenty terms takes besides.
pub const SEALED_BYTES_MAX: usize = 3_000;

/// Where the sealed texts of a line stand, in their order.
#[must_use]
pub fn seals(line: &str) -> Vec<Range<usize>> {
    let is_seal = |(at, _): &(usize, &str)| {
        let before = line[..*at].chars().next_back();
        before.is_none_or(|c| c.is_whitespace() || matches!(c, ':' | '-'))
    };
    let whole = |(at, _): (usize, &str)| {
        let digits = &line[at + SEAL_MARK.len()..];
        let count = digits.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
        let ends = digits[count..].chars().next().is_none_or(char::is_whitespace);
        (count >= SEAL_DIGITS_MIN && ends).then(|| at..at + SEAL_MARK.len() + count)
    };
    line.match_indices(SEAL_MARK).filter(is_seal).filter_map(whole).collect()
}

/// Whether that line has to be sealed before it may stand in an address: it says what payloads are searched for, or
/// does not read, so that nobody knows what it says.
#[must_use]
pub fn is_open(line: &str) -> bool {
    line.parse::<Filter>().map_or(true, |filter| filter.is_open())
}

/// The same line with another text in place of each sealed one.
#[must_use]
pub fn unsealed(line: &str, mut text: impl FnMut(&str) -> String) -> String {
    let (mut open, mut end) = (String::with_capacity(line.len()), 0);
    for seal in seals(line) {
        open.push_str(&line[end..seal.start]);
        open.push_str(&text(&line[seal.clone()]));
        end = seal.end;
    }
    open + &line[end..]
}

/// Whether a line is longer than one may be. Sealed texts are counted when they are open again.
pub(super) fn is_too_long(line: &str) -> bool {
    let sealed: usize = seals(line).iter().map(Range::len).sum();
    line.len() - sealed > FILTER_BYTES_MAX || line.len() > FILTER_BYTES_MAX.max(SEALED_BYTES_MAX)
}

impl Filter {
    /// Whether it says what payloads are searched for, other than sealed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.terms.iter().any(|term| sought(term).is_some_and(|text| !is_seal(&text)))
    }

    /// The same filter with everything sealed that payloads are searched for; `seal` is given each text as it is
    /// written, and leads to one that begins with [`SEAL_MARK`].
    #[must_use]
    pub fn sealed(&self, mut seal: impl FnMut(&str) -> String) -> Self {
        let mut hidden = |term: &Term| match (&term.test, sought(term)) {
            (Test::Payload(path, _), Some(text)) => {
                Test::Payload(path.clone(), PayloadTest::Is(vec![Pattern::exactly(seal(&text))]))
            }
            (_, Some(text)) => Test::Text(seal(&text)),
            (test, None) => test.clone(),
        };
        let terms = self.terms.iter().map(|term| Term { not: term.not, test: hidden(term) });
        Self { terms: terms.collect() }
    }
}

/// What a term searches payloads for, as it is written; `None` where it does not, or only asks whether there is anything.
fn sought(term: &Term) -> Option<String> {
    let written = Term::new(term.test.clone()).to_string();
    match &term.test {
        Test::Payload(_, PayloadTest::Exists) => None,
        Test::Payload(path, _) => written.strip_prefix(&format!("payload.{path}:")).map(ToOwned::to_owned),
        Test::Text(_) => Some(written),
        _ => None,
    }
}

fn is_seal(text: &str) -> bool {
    seals(text).first().is_some_and(|seal| seal.len() == text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal(digit: char) -> String {
        format!("{SEAL_MARK}{}", digit.to_string().repeat(SEAL_DIGITS_MIN))
    }

    /// A filter with each text in place of its seal told from the others by a digit.
    fn hidden(line: &str) -> (String, Vec<String>) {
        let mut texts = Vec::new();
        let sealed = line.parse::<Filter>().unwrap().sealed(|text| {
            texts.push(text.to_owned());
            seal(char::from_digit(u32::try_from(texts.len()).unwrap(), 10).unwrap())
        });
        (sealed.to_string(), texts)
    }

    #[test]
    fn what_payloads_are_searched_for_is_sealed_and_nothing_else() {
        let line = "kind:a payload.phone:\"138 0000\"*,c -payload.amount:>10 payload.x:* subject:s:1 -\"gave up\" 任";
        let (sealed, texts) = hidden(line);
        let [one, two, three, four] = ['1', '2', '3', '4'].map(seal);
        assert_eq!(
            sealed,
            format!(
                "kind:a payload.phone:{one} -payload.amount:{two} payload.x:* subject:s:1 -{three} {four}"
            )
        );
        assert_eq!(texts, ["\"138 0000\"*,c", ">10", "\"gave up\"", "任"]);
    }

    #[test]
    fn a_sealed_line_reads_and_opens_into_what_was_written() {
        let line = "payload.a:>=1.50 tag:eu \"x:y\"";
        let (sealed, texts) = hidden(line);
        assert_eq!(sealed.parse::<Filter>().unwrap().to_string(), sealed);
        let mut texts = texts.into_iter();
        assert_eq!(unsealed(&sealed, |_| texts.next().unwrap()), line);
    }

    #[test]
    fn a_line_may_stand_in_an_address_once_it_is_sealed() {
        for open in ["payload.a:1", "-payload.a:>1", "4711", "kind:a \"b\"", "kind:", "payload.a:sealed.12"] {
            assert!(is_open(open), "{open}");
        }
        let sealed = seal('a');
        for shut in
            ["", " ", "kind:a due:<1h error:\"b c\"", "payload.a:*", &format!("payload.a:{sealed} -{sealed}")]
        {
            assert!(!is_open(shut), "{shut}");
        }
        assert!(is_open(&format!("payload.a:{sealed},b")), "one of two values is open");
    }

    #[test]
    fn only_whole_seals_are_found() {
        let sealed = seal('f');
        assert_eq!(seals(&format!("a {sealed}")).first(), Some(&(2..2 + sealed.len())));
        for none in
            [format!("x{sealed}"), format!("{sealed}x"), format!("\"{sealed}\""), "sealed.ff".to_owned()]
        {
            assert!(seals(&none).is_empty(), "{none}");
        }
    }

    #[test]
    fn a_seal_makes_no_line_too_long_but_is_no_way_round_the_limit() {
        let term = format!("payload.some.long.path:{}", seal('0'));
        let line = |count: usize| vec![term.as_str(); count].join(" ");
        assert!(line(15).len() > FILTER_BYTES_MAX && line(15).parse::<Filter>().is_ok());
        let long = format!("payload.a:{SEAL_MARK}{}", "0".repeat(SEALED_BYTES_MAX));
        assert!(long.parse::<Filter>().is_err());
        assert!("a".repeat(FILTER_BYTES_MAX + 1).parse::<Filter>().is_err());
    }
}
