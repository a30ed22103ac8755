//! Looks through JSON that is kept as text: depth, width, doubled keys.
//!
//! Nothing is built, so a bomb costs its own length and no more.

use serde::de::{Deserialize as _, Deserializer as _, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

/// Deepest nesting of a payload. Most readers of JSON stop at 128 or earlier; people stop long before.
const DEPTH_MAX: usize = 64;
/// Most values in one payload. 256 KiB of `0,` would be 131,072; every reader pays for each of them.
const VALUES_MAX: usize = 50_000;

/// Says why a text is no JSON that everybody reads alike.
///
/// # Errors
/// A sentence: too deep, too many values, the same key twice. How large a number is, its readers decide: none is read
/// here.
pub(crate) fn check(text: &str) -> Result<(), String> {
    let left = Cell::new(VALUES_MAX);
    let walk = Walk { depth: 0, left: &left };
    serde_json::from_str::<&RawValue>(text).and_then(|value| walk.into_value(value)).map_err(|error| {
        if error.is_data() { plain(&error) } else { format!("cannot be read: {}", plain(&error)) }
    })
}

/// The text of a JSON error without the place, which would be relative to an inner text.
pub(crate) fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

#[derive(Clone, Copy)]
struct Walk<'a> {
    depth: usize,
    left: &'a Cell<usize>,
}

impl Walk<'_> {
    fn count<E: Error>(self) -> Result<(), E> {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err(E::custom(format!("has more than {VALUES_MAX} values")));
        };
        self.left.set(left);
        Ok(())
    }

    /// Looks into a value. Texts are looked at too: a half of a surrogate pair is none.
    fn into_value(self, value: &RawValue) -> serde_json::Result<()> {
        self.count::<serde_json::Error>()?;
        let mut reader = serde_json::Deserializer::from_str(value.get());
        match value.get().as_bytes().first() {
            Some(b'{') => reader.deserialize_map(self),
            Some(b'[') => reader.deserialize_seq(self),
            Some(b'"') => String::deserialize(&mut reader).map(drop),
            _ => Ok(()),
        }
    }

    fn deeper<E: Error>(self) -> Result<Self, E> {
        if self.depth >= DEPTH_MAX {
            return Err(E::custom(format!("is nested deeper than {DEPTH_MAX} levels")));
        }
        Ok(Self { depth: self.depth + 1, left: self.left })
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let inner = self.deeper()?;
        while let Some(item) = items.next_element::<&RawValue>()? {
            inner.into_value(item).map_err(|error| A::Error::custom(plain(&error)))?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let inner = self.deeper()?;
        let mut keys = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value::<&RawValue>()?;
            if keys.contains(&key) {
                return Err(A::Error::custom(format!("has the key {key:?} twice")));
            }
            keys.insert(key);
            inner.into_value(value).map_err(|error| A::Error::custom(plain(&error)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_json_passes() {
        for good in ["null", "{}", r#"{"a":[1,-2,3.5,"x",true,null],"b":{"a":1}}"#, "123456789012345678901"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn a_doubled_key_is_refused_at_any_depth() {
        assert_eq!(check(r#"[{"a":{"b":1,"b":2}}]"#), Err("has the key \"b\" twice".to_owned()));
        assert_eq!(check(r#"{"b":1,"\u0062":2}"#), Err("has the key \"b\" twice".to_owned()));
    }

    #[test]
    fn depth_ends_at_its_limit() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(check(&nested(DEPTH_MAX)), Ok(()));
        assert_eq!(check(&nested(DEPTH_MAX + 1)), Err("is nested deeper than 64 levels".to_owned()));
        assert!(check(&nested(100_000)).is_err());
    }

    #[test]
    fn width_ends_at_its_limit() {
        let wide = |values: usize| format!("[{}0]", "0,".repeat(values - 2));
        assert_eq!(check(&wide(VALUES_MAX)), Ok(()));
        assert_eq!(check(&wide(VALUES_MAX + 1)), Err("has more than 50000 values".to_owned()));
    }

    #[test]
    fn a_number_that_no_double_can_hold_passes_at_any_depth() {
        for good in ["1e999", "-1e400", r#"{"a":[1e400,{"b":-1E+999}]}"#] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["1e", "01", "[1e400", "nan", "[1] 2", r#"["\ud800"]"#] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
