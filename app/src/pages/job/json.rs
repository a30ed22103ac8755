//! JSON as it is written: numbers with all of their digits, members in their order, and one that is there twice twice.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// One value, and where it has parts, these as they are written.
#[derive(Debug)]
pub(super) enum Json<'a> {
    Object(Vec<(String, &'a RawValue)>),
    List(Vec<&'a RawValue>),
    Text(String),
    Number(&'a str),
    /// `true`, `false` or `null`.
    Word(&'a str),
}

impl<'a> Json<'a> {
    /// What is written there. A text with half a character in it, which is none, is shown with its escapes.
    pub(super) fn of(value: &'a RawValue) -> Self {
        let text = value.get();
        let read = match text.as_bytes().first() {
            Some(b'{') => serde_json::from_str(text).ok().map(|Members(members)| Self::Object(members)),
            Some(b'[') => serde_json::from_str(text).ok().map(Self::List),
            Some(b'"') => serde_json::from_str(text).ok().map(Self::Text),
            Some(b't' | b'f' | b'n') => Some(Self::Word(text)),
            _ => Some(Self::Number(text)),
        };
        read.unwrap_or_else(|| Self::Text(text.to_owned()))
    }
}

struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(text: &str) -> Vec<(String, String)> {
        let value: &RawValue = serde_json::from_str(text).unwrap();
        let Json::Object(members) = Json::of(value) else { panic!("{text}") };
        members.into_iter().map(|(name, value)| (name, value.get().to_owned())).collect()
    }

    #[test]
    fn members_are_there_in_their_order_with_all_of_their_digits_and_as_often_as_written() {
        let pairs = [("z", "123456789012345678901234567890"), ("a", "0.10"), ("z", "1e999"), ("ä", "[1, 2]")];
        let text = pairs.map(|(name, value)| format!("\"{name}\" : {value}")).join(" ,\n");
        let owned = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(members(&format!(" {{{text}}} ")), owned);
    }

    #[test]
    fn every_sort_of_value_is_told() {
        let sort = |text: &str| {
            let value: &RawValue = serde_json::from_str(text).unwrap();
            match Json::of(value) {
                Json::Object(members) => format!("object of {}", members.len()),
                Json::List(items) => format!("list of {}", items.len()),
                Json::Text(text) => format!("text {text}"),
                Json::Number(digits) => format!("number {digits}"),
                Json::Word(word) => format!("word {word}"),
            }
        };
        for (text, told) in [
            ("{}", "object of 0"),
            ("[1, []]", "list of 2"),
            (r#""a\tb""#, "text a\tb"),
            (r#""\ud800""#, r#"text "\ud800""#),
            ("-0.0", "number -0.0"),
            ("null", "word null"),
            (" true ", "word true"),
        ] {
            assert_eq!(sort(text), told);
        }
    }
}
