//! What the index of fields of payloads has of a payload, and where in it a filter looks.
//!
//! What it finds is judged like any other job: it may find too much, never too little. Texts are kept by how they begin,
//! numbers as the nearest of 64 bits.

use crate::model::filter::{Compare, Decimal, Pattern, PayloadPath, PayloadTest};
use crate::model::first_bytes;
use crate::model::reveal::DOTS;
use crate::tree::at;
use crate::tree::{self, Tree};

/// Bytes of a text that are kept: enough for any name, id or address.
const TEXT_BYTES_MAX: usize = 128;
/// Stands between a value and an id, see `lua/core/payload_index.lua`.
const US: u8 = b'\x1f';
/// No text in UTF-8 has this byte.
const BEYOND_TEXT: u8 = b'\xff';

/// The fields of an index, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fields<'a>(pub(crate) &'a [PayloadPath]);

/// From where to where values are looked for, as `ZRANGE` takes it `BYLEX`.
pub(crate) type Range = (Vec<u8>, Vec<u8>);

impl Fields<'_> {
    /// How the index names them; empty for none.
    pub(crate) fn name(self) -> String {
        if self.0.is_empty() { String::new() } else { serde_json::to_string(self.0).unwrap_or_default() }
    }

    /// What a payload has in these fields, one a line.
    pub(crate) fn values(self, payload: &[u8]) -> String {
        let Some(whole) = tree::read_last(payload) else { return String::new() };
        let mut lines = Vec::new();
        for (number, path) in self.0.iter().enumerate() {
            let Some(value) =
                at(path, &whole).filter(|value| !matches!(value, Tree::Object(_) | Tree::List(_)))
            else {
                continue;
            };
            let text = value.text();
            if matches!(value, Tree::Number(_) | Tree::Text(_))
                && let Some(digits) = sortable(&text)
            {
                lines.push(format!("{number}n{digits}"));
            }
            lines.push(format!("{number}t{}", kept(&text)));
        }
        lines.join("\n")
    }

    /// Where values that fit may be; `None` where the index does not tell.
    pub(crate) fn ranges(self, path: &PayloadPath, test: &PayloadTest) -> Option<Vec<Range>> {
        let number = self.0.iter().position(|field| field == path)?;
        match test {
            PayloadTest::Exists => None,
            PayloadTest::Is(list) => {
                let mut ranges = Vec::with_capacity(list.len());
                for pattern in list {
                    ranges.push(of_text(number, pattern)?);
                    // The same number may be written in other ways.
                    if !pattern.and_more && Decimal::read(&pattern.text).is_some() {
                        ranges.extend(of_number(number, Compare::Equal, &pattern.text));
                    }
                }
                Some(ranges)
            }
            PayloadTest::Number(compare, wanted) => {
                of_number(number, *compare, wanted).map(|range| vec![range])
            }
        }
    }
}

/// Where numbers are that compare so with that one.
fn of_number(number: usize, compare: Compare, wanted: &str) -> Option<Range> {
    let begin = format!("{number}n");
    let digits = sortable(wanted)?;
    let from = match compare {
        Compare::Less | Compare::AtMost => inclusive(&begin),
        Compare::Equal | Compare::AtLeast | Compare::More => inclusive(&format!("{begin}{digits}")),
    };
    let to = match compare {
        Compare::Less | Compare::AtMost | Compare::Equal => beyond(&format!("{begin}{digits}"), US + 1),
        Compare::AtLeast | Compare::More => beyond(&begin, BEYOND_TEXT),
    };
    Some((from, to))
}

/// Where texts are that fit a pattern. What stands in place of hidden values, objects and lists is not in the index.
fn of_text(number: usize, pattern: &Pattern) -> Option<Range> {
    let first = pattern.text.chars().next()?;
    if matches!(first, '{' | '[') || DOTS.starts_with(first) {
        return None;
    }
    let begin = format!("{number}t{}", kept(&pattern.text));
    Some(if pattern.and_more {
        (inclusive(&begin), beyond(&begin, BEYOND_TEXT))
    } else {
        let mut from = inclusive(&begin);
        from.push(US);
        (from, beyond(&begin, US + 1))
    })
}

fn inclusive(begin: &str) -> Vec<u8> {
    [b"[", begin.as_bytes()].concat()
}

/// Before whatever begins so and goes on with that byte.
fn beyond(begin: &str, byte: u8) -> Vec<u8> {
    [b"(", begin.as_bytes(), &[byte]].concat()
}

/// How a text is kept: without control characters, which part values, and no more of it than tells it from others.
fn kept(text: &str) -> String {
    let kept: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    first_bytes(&kept, TEXT_BYTES_MAX).to_owned()
}

/// A number as 16 digits that compare as numbers do; `None` for what is none.
fn sortable(text: &str) -> Option<String> {
    // Zero is zero, with whatever sign.
    let number = text.parse::<f64>().ok().filter(|number| !number.is_nan())? + 0.0;
    let bits = number.to_bits();
    let ordered = if number.is_sign_negative() { !bits } else { bits | 1 << 63 };
    Some(format!("{ordered:016x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(text: &str) -> PayloadPath {
        text.parse().unwrap()
    }

    /// Whether one of the values lies in one of the ranges.
    fn finds(ranges: &[Range], values: &str) -> bool {
        let holds = |from: &[u8], to: &[u8], member: &[u8]| from[1..] <= *member && *member < to[1..];
        values.lines().any(|value| {
            let member = [value.as_bytes(), b"\x1fjob-1"].concat();
            ranges.iter().any(|(from, to)| holds(from, to, &member))
        })
    }

    fn test_of(term: &str) -> PayloadTest {
        let filter: crate::model::Filter = format!("payload.a:{term}").parse().unwrap();
        match &filter.terms()[0].test {
            crate::model::filter::Test::Payload(_, test) => test.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_value_is_found_by_what_it_is_and_by_how_it_begins() {
        let paths = [path("other"), path("a")];
        for (value, found, not) in [
            (r#""Ann B""#, ["\"Ann B\"", "Ann*", "A*"], ["Ann", "\"Ann B \"", "B*"]),
            // Less than it is where it is: the nearest number may be another one.
            ("12", ["12", "1*", "<12"], ["120", "<11.5", ">12.5"]),
            (r#""-7""#, ["-7", "<0", ">=-7"], [">-6", "7", "<-8"]),
            ("true", ["true", "t*", "tr*"], ["false", ">0", "x"]),
            ("null", ["null", "n*", "nu*"], ["0", "nil", "<1"]),
            ("1e3", ["1000.0", ">999", "<=1000"], ["<999", ">1001", "2*"]),
        ] {
            let values = Fields(&paths).values(format!(r#"{{"a":{value}}}"#).as_bytes());
            for term in found {
                let ranges = Fields(&paths).ranges(&path("a"), &test_of(term)).unwrap();
                assert!(finds(&ranges, &values), "{value} by {term}: {values:?} in {ranges:?}");
            }
            for term in not {
                let ranges = Fields(&paths).ranges(&path("a"), &test_of(term)).unwrap();
                assert!(!finds(&ranges, &values), "{value} by {term}: {values:?} in {ranges:?}");
            }
        }
    }

    #[test]
    fn what_is_not_in_the_index_is_not_looked_for_there() {
        let paths = [path("a")];
        assert_eq!(Fields(&paths).ranges(&path("b"), &test_of("1")), None, "another field");
        for term in ["*", "\"•••• 4567 (hidden)\"", "\"[1,\"*", "\"{\"*"] {
            assert_eq!(Fields(&paths).ranges(&path("a"), &test_of(term)), None, "{term}");
        }
        assert_eq!(Fields(&paths).values(br#"{"a":{"b":1}}"#), "");
        assert_eq!(Fields(&paths).values(b"no JSON"), "");
        assert_eq!(Fields(&[]).name(), "");
    }

    #[test]
    fn control_characters_part_no_values() {
        let paths = [path("a")];
        let values = Fields(&paths).values(br#"{"a":"x\n0tother\u001fjob"}"#);
        assert_eq!(values, "0tx 0tother job");
    }

    proptest! {
        #[test]
        fn whatever_fits_is_found(text in ".{0,200}", cut in 0_usize..200, more in any::<bool>()) {
            let paths = [path("a")];
            let values = Fields(&paths).values(serde_json::json!({ "a": text }).to_string().as_bytes());
            let wanted: String = if more { text.chars().take(cut).collect() } else { text.clone() };
            let pattern = if more { Pattern::starting(wanted) } else { Pattern::exactly(wanted) };
            prop_assert!(pattern.fits(&text));
            if let Some(ranges) = Fields(&paths).ranges(&path("a"), &PayloadTest::Is(vec![pattern])) {
                prop_assert!(finds(&ranges, &values), "{values:?} in {ranges:?}");
            }
        }

        #[test]
        fn numbers_compare_in_the_index_as_they_do(a in any::<i64>(), b in any::<i64>(), small in any::<f32>()) {
            for (a, b) in [(a.to_string(), b.to_string()), (small.to_string(), b.to_string()), (a.to_string(), small.to_string())] {
                let (x, y) = (a.parse::<f64>().unwrap(), b.parse::<f64>().unwrap());
                if x.is_nan() || y.is_nan() { continue }
                prop_assert_eq!(sortable(&a).unwrap().cmp(&sortable(&b).unwrap()), x.partial_cmp(&y).unwrap());
            }
        }
    }
}
